"""This module takes the body of a BibTeX entry apart: its key and its fields, as tolerantly as people write them.

bibtexparser 2 is not used for it: of the same file it reads 4,800 entries a second where this reads 24,700, and it refuses
an entry that names a field twice, has no key or lacks a closing brace, and a second entry with the same key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_MONTH_NAMES = "January February March April May June July August September October November December"
MONTHS = {name[:3].lower(): name for name in _MONTH_NAMES.split()}
"""The macros that every style of BibTeX defines; one that stands alone is kept as its name, as each style spells it."""


MAX_MACRO_CHARACTERS = 5_000
"""How much of one entry's values may come from macros; three letters may stand for thousands, in entry after entry."""


@dataclass(slots=True)
class Body:
    """The parts of an entry: `pairs` are names in lower case with their values, in order; `rest` is what is no field.

    `is_open` says that a value is not closed, so that it holds what comes after it too. `macro_characters` is how much of the
    values comes from macros.
    """

    key: str = ""
    pairs: list[tuple[str, str]] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    is_open: bool = False
    macro_characters: int = 0

    def resolved(self, name: str, macros: Mapping[str, str]) -> str:
        """The value of a macro, the name itself where there is none of this name."""
        value = macros.get(name.lower())
        if value is None:
            return name
        self.macro_characters += len(value)
        return value if self.macro_characters <= MAX_MACRO_CHARACTERS else name


def parse_body(body: str, macros: Mapping[str, str], *, is_escaped: bool = False, has_key: bool = True) -> Body:
    r"""The key and the fields in the text between the outer delimiters of an entry.

    A macro (in `macros` by its lower-case name) becomes its value, in a concatenation a month its name.
    `is_escaped`: a brace behind a backslash counts as none.

    >>> parsed = parse_body('lee24, Title = {On {B}}, year = 2024, month = "1~" # jan, journal = jop', {"jop": "J. Pebbles"})
    >>> parsed.key, parsed.pairs
    ('lee24', [('title', 'On {B}'), ('year', '2024'), ('month', '1~January'), ('journal', 'J. Pebbles')])
    """
    parsed = Body()
    place = 0
    if has_key:
        parsed.key, place = _key(body)
    while True:
        found = None if is_escaped else _FIELD.match(body, place)
        if found:
            index = found.lastindex or 0
            value = found[index]
            parsed.pairs.append((found[1].lower(), parsed.resolved(value, macros) if index == _BARE_GROUP else value))
            place = found.end()
            continue
        named = _NAME.match(body, place)
        if named:
            value, place = _value(body, named.end(), macros, parsed, is_escaped)
            parsed.pairs.append((named[1].lower(), value))
            continue
        following = _NEXT_FIELD.search(body, place)
        end = following.end() if following else len(body)
        if rest := _COMMENT.sub("", body[place:end]).strip(" \t\r\n,{}()"):
            parsed.rest.append(rest)
        if following is None:
            return parsed
        place = end


def holds_field(value: str) -> bool:
    """Whether a line of a value looks like another field: the brace that closes the value is missing.

    >>> holds_field("On Pebbles,\\n  author = {Ann Lee"), holds_field("where\\n x = 1 holds")
    (True, False)
    """
    return _LINE_FIELD.search(value) is not None


_TEXT = r"[^{}]++"
_NESTED = _TEXT
for _ in range(4):
    _NESTED = rf"(?:{_TEXT}|\{{(?:{_NESTED})*+\}})"
_BARE = r"[^\s,#{}\"=%]++"
_SPACES = r"[\s,]*+(?:%[^\r\n]*+[\s,]*+)*+"
_FIELD_NAME = r"[^\W\d][\w:.+/*'-]*+"
_NAME = re.compile(rf"{_SPACES}({_FIELD_NAME})\s*+=\s*+")
_END = rf"\s*+(?:,|\Z|(?={_FIELD_NAME}\s*+=))"
_FIELD = re.compile(
    rf"{_NAME.pattern}(?:\{{((?:{_NESTED})*+)\}}|\"((?:[^{{}}\"]++|\{{(?:{_NESTED})*+\}})*+)\"|({_BARE})){_END}"
)
_BARE_GROUP = 4
_QUOTED = re.compile(rf"\"((?:[^{{}}\"]++|\{{(?:{_NESTED})*+\}})*+)\"(?=\s*+#|{_END})")
_QUOTE_END = re.compile(rf"\"(?=\s*+#|{_END})")
_NEXT_FIELD = re.compile(rf"(?:,|[\r\n])(?=\s*+{_FIELD_NAME}\s*+=\s*+[\"{{\w])")
_COMMENT = re.compile(r"(?<![^\s,])%[^\r\n]*+")
_LINE_FIELD = re.compile(r"[\r\n][ \t]*+,?[ \t]*+[A-Za-z][\w-]*+[ \t]*+=[ \t]*+[\"{]")
_BRACE = re.compile(r"([{}])")
_UNESCAPED_BRACE = re.compile(r"\\[{}]|([{}])")
_JOINT = re.compile(r"\s*+#\s*+")
_UNQUOTED = re.compile(r"[^,\r\n]*+")
_FIRST = re.compile(r"\s*+([^,=\r\n]*+)")
_KEY_WITHOUT_COMMA = re.compile(rf"\s*+([^\s,=]++)\s++(?={_FIELD_NAME}\s*+=)")


def _key(body: str) -> tuple[str, int]:
    """The key and where the fields begin; an empty key where the first thing is a field."""
    first = _FIRST.match(body)
    assert first is not None, "an empty match is one"
    end = first.end()
    while end < len(body) and body[end].isspace():
        end += 1
    if body.startswith(",", end):
        return first[1].strip(), end + 1
    if first.end() == len(body) or (end > first.end() and first[1].strip() and _NAME.match(body, end)):
        return first[1].strip(), end
    found = _KEY_WITHOUT_COMMA.match(body)
    return (found[1], found.end()) if found else ("", 0)


def _value(body: str, place: int, macros: Mapping[str, str], parsed: Body, is_escaped: bool) -> tuple[str, int]:
    """The value that begins at `place`, its pieces joined, and where it ends."""
    pieces: list[tuple[str, bool]] = []
    while True:
        piece, is_bare, place = _piece(body, place, parsed, is_escaped)
        pieces.append((piece, is_bare))
        joint = _JOINT.match(body, place)
        if joint is None:
            break
        place = joint.end()
    texts = [parsed.resolved(text, macros) if is_bare else text for text, is_bare in pieces]
    if len(texts) > 1:
        texts = [MONTHS.get(text.lower(), text) if is_bare else text for text, (_, is_bare) in zip(texts, pieces, strict=True)]
    return "".join(texts), place


def _piece(body: str, place: int, parsed: Body, is_escaped: bool) -> tuple[str, bool, int]:
    """One piece of a value, whether it is bare (a number or a macro), and where it ends."""
    if body.startswith("{", place):
        depth = 0
        for brace in (_UNESCAPED_BRACE if is_escaped else _BRACE).finditer(body, place):
            depth += {"{": 1, "}": -1}.get(brace[1], 0)
            if depth == 0:
                return body[place + 1 : brace.start()], False, brace.end()
        parsed.is_open = True
        return body[place + 1 :], False, len(body)
    if body.startswith('"', place):
        if quoted := _QUOTED.match(body, place):
            return quoted[1], False, quoted.end()
        if end := _QUOTE_END.search(body, place + 1):
            return body[place + 1 : end.start()], False, end.end()
        parsed.is_open = True
        return body[place + 1 :], False, len(body)
    if (bare := re.compile(_BARE).match(body, place)) and re.compile(rf"\s*+#|{_END}").match(body, bare.end()):
        return bare[0], True, bare.end()
    unquoted = _UNQUOTED.match(body, place)
    assert unquoted is not None, "an empty match is one"
    return unquoted[0].strip(), False, unquoted.end()
