"""This module splits the name lists of BibTeX and BibLaTeX, in which " and " outside of braces always is the separator."""

from __future__ import annotations

import re

_AND = re.compile(r"(?<!\s)\s++and(?=\s|\Z)", re.IGNORECASE)
_BRACE_OR_AND = re.compile(r"([{}])|(?<!\s)\s++and(?=\s|\Z)", re.IGNORECASE)
_BRACE_OR_COMMA = re.compile(r"([{}])|,")
_OTHERS = re.compile(r"others|et\.?\s+al\.?|and", re.IGNORECASE)
_OTHERS_CHARACTERS = 10
_PARTS = re.compile(r"\s*+\"?[a-z][\w-]*+\s*+=")
_WRAPPED = re.compile(r"\{([^{}]*)\}")
_INVERTED = re.compile(r"[^,]+,[^,]+")


def split_names(text: str) -> list[str]:
    r"""The names in a list, as given, without "others"; BibLaTeX's names in parts become `Family, Given`.

    A name in braces stays one name; a list that is in braces as a whole, as some exports write it, is a list.

    >>> split_names("Lee, Ann AND {Ash and Elm} and others")
    ['Lee, Ann', '{Ash and Elm}']
    >>> split_names("family=Berg, given=Jan, prefix=van der and {Lee, Ann and Li, Bo}")
    ['van der Berg, Jan', '{Lee, Ann and Li, Bo}']
    >>> split_names("{Lee, Ann and Li, Bo}"), split_names("Lee, Ann; Li, Bo"), split_names("Ann Lee, Bo Li, Cy Day, Di Fox")
    (['Lee, Ann', 'Li, Bo'], ['Lee, Ann', 'Li, Bo'], ['Ann Lee', 'Bo Li', 'Cy Day', 'Di Fox'])
    """
    names = _AND.split(text)
    if "{" in text and any(name.count("{") != name.count("}") for name in names):
        names = _pieces(text, _BRACE_OR_AND)
    if len(names) == 1:
        names = _other_list(names[0].strip())
    found = []
    for name in names:
        bare = name.strip(" \t\r\n,;~")
        if "=" in bare:
            bare = _whole_name(bare)
        if bare and not (len(bare) < _OTHERS_CHARACTERS and _OTHERS.fullmatch(bare)):
            found.append(bare)
    return found


def _pieces(text: str, separators: re.Pattern[str]) -> list[str]:
    """The pieces of a text between the separators outside of braces."""
    depth, start, pieces = 0, 0, []
    for token in separators.finditer(text):
        if token[1] == "{":
            depth += 1
        elif token[1] == "}":
            depth = max(0, depth - 1)
        elif depth == 0:
            pieces.append(text[start : token.start()])
            start = token.end()
    return [*pieces, text[start:]]


def _other_list(text: str) -> list[str]:
    """The names of a list without " and ": most often one name, but people also write other separators, or more braces."""
    if wrapped := _WRAPPED.fullmatch(text):
        names = _AND.split(wrapped[1])
        return names if len(names) > 1 and all(_INVERTED.fullmatch(name) for name in names) else [text]
    if "=" in text or "\\" in text or "{" in text or "&" in text:
        return [text]
    if ";" in text:
        return text.split(";")
    names = text.split(",")
    return names if len(names) > 3 and all(" " in name.strip() for name in names) else [text]


def _whole_name(name: str) -> str:
    """A name whose parts are named (`family=Lee, given=Ann`) as `Family, Given`; another as it is.

    What names neither part is no name but an option of the list (`nosortothers=true`).
    """
    if not _PARTS.match(name):
        return name
    parts: dict[str, str] = {}
    for piece in _pieces(name, _BRACE_OR_COMMA):
        part, _, value = piece.strip().strip('"').partition("=")
        value = value.strip().strip('"').strip()
        if value.startswith("{") and value.endswith("}") and "{" not in value[1:] and part.strip().lower() != "family":
            value = value[1:-1]
        parts.setdefault(part.strip().lower(), value)
    family = " ".join(filter(None, (parts.get("prefix"), parts.get("family"))))
    return ", ".join(filter(None, (family, parts.get("suffix"), parts.get("given"))))
