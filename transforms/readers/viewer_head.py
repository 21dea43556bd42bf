"""This module finds the heads of dataset-viewer pages in a text: where each begins and ends, its form, its columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from transforms.readers.viewer_chrome import after_footer_sentence
from transforms.readers.viewer_columns import GAP, SPEC, SPEC_WITH_FIGURES, ViewerColumn, column_from, column_of

_MAX_PIECE_CHARACTERS = 600
"""Longest text of one column in a head: a name of 200 characters, and room for two long dates and line breaks."""

_MAX_MISSES = 2_000
"""Rule lines that end no head, in a row, after which no more are tried: a page's card may hold some tables of its own, and
a text of nothing but rules must not cost 0.3 ms for each of them."""

_DASHES = r":?-{3,}:?"
_RULE = re.compile(
    rf"^[ \t]*+(?:\|[ \t]*+)?{_DASHES}(?:[ \t]*+\|[ \t]*+{_DASHES})*+[ \t]*+(?P<trail>\|?+)[ \t]*+(?:\r?\n|\Z)", re.MULTILINE
)
_SEPARATOR = re.compile(r"(?<!\S)\|(?!\S)")
_KIND_LINE = re.compile(rf"^[ \t]*+{SPEC_WITH_FIGURES}(?=[ \t]*(?:\r?\n|\Z))", re.MULTILINE)
_NEXT_COLUMN = re.compile(rf"\s*(?P<name>[^\n|]{{0,199}}[^\s|])[ \t]*\r?\n\s*{SPEC}(?=[ \t]*(?:\r?\n|\Z))")
_LAST_NAMED = re.compile(rf"(?:\A|\n)[ \t]*(?P<name>[^\n|]{{1,200}}?){GAP}{SPEC}(?:{GAP})?\Z")
_KIND_WORD = re.compile(
    r"lengths|classes|class|label|int|float|double|decimal|date|time|bool|width|duration|null|unknown|dict|json|string"
)
_PLAIN_NAME = re.compile(r"[\w.\-]+\Z")


@dataclass(frozen=True, slots=True)
class Head:
    """A page's head: its characters `start` to `end` in the text, its columns, and how rows are written below it.

    `form` is "table" or "one token a line". In a table a row may begin with a pipe (`has_lead`) and end with one
    (`has_trail`).
    """

    start: int
    end: int
    columns: tuple[ViewerColumn, ...]
    form: str
    has_lead: bool = False
    has_trail: bool = False


def find_heads(text: str) -> list[Head]:
    """The heads in `text`, in order.

    >>> [head] = find_heads("title\\nstringlengths 3\\n9\\n| year\\nint64 1.99k\\n2.02k\\n|\\n|---|---|\\nA | 2001 |\\n")
    >>> head.form, [column.name for column in head.columns], head.has_lead, head.has_trail
    ('table', ['title', 'year'], False, True)
    >>> [head] = find_heads("title\\nstringlengths\\n3\\n9\\nyear\\nint64\\n1.99k\\n2.02k\\nA\\n2001\\n")
    >>> head.form, [column.name for column in head.columns], head.end
    ('one token a line', ['title', 'year'], 47)
    """
    tables = _table_heads(text)
    heads: list[Head] = []
    floor = 0
    for head in [*tables, None]:
        heads += _token_heads(text, floor, head.start if head else len(text), first=heads[0] if heads else None)
        if head:
            heads.append(head)
            floor = head.end
    return _without_glue(text, heads)


def _table_heads(text: str) -> list[Head]:
    heads: list[Head] = []
    misses = 0
    for rule in _RULE.finditer(text):
        floor = heads[-1].end if heads else 0
        if rule.start() < floor:
            continue
        head = _table_head(text, floor, rule, heads[0].columns[0].name if heads else None)
        if head:
            heads.append(head)
        misses = 0 if head else misses + 1
        if misses > _MAX_MISSES:
            break
    return heads


def _table_head(text: str, floor: int, rule: re.Match[str], known_name: str | None) -> Head | None:
    """The head that ends in the rule line, if the columns above it are a viewer's and as many as the rule has."""
    count = len(re.findall(r"-{3,}", rule[0]))
    start = max(floor, rule.start() - _MAX_PIECE_CHARACTERS * count)
    window = text[start : rule.start()].rstrip()
    if not _KIND_WORD.search(window):
        return None
    pipes = [match.start() for match in _SEPARATOR.finditer(window)]
    has_trail = bool(pipes) and pipes[-1] == len(window) - 1
    if has_trail:
        window = window[:-1]
        pipes.pop()
    if len(pipes) < count - 1:
        return None
    inner = pipes[len(pipes) - (count - 1) :]
    outer = pipes[: len(pipes) - (count - 1)]
    first_start = outer[-1] + 1 if outer else 0
    edges = [first_start - 1, *inner, len(window)]
    pieces = [window[left + 1 : right] for left, right in pairwise(edges)]
    first = _first_piece(pieces[0], known_name)
    found = [(first[1], True) if first else column_of(pieces[0]), *map(column_of, pieces[1:])]
    if not any(column.statistics() for column, _ in found) and not all(is_known for _, is_known in found):
        return None
    name_start = first_start + (first[0] if first else _name_offset(pieces[0], found[0][0].name))
    line_start = window.rfind("\n", 0, name_start) + 1
    has_lead = window[line_start:name_start].strip() == "|"
    head_start = start + (line_start if not window[line_start:name_start].strip(" \t|") else name_start)
    columns = _distinct([column for column, _ in found])
    return Head(head_start, rule.end(), columns, "table", has_lead, has_trail or bool(rule["trail"]))


def _first_piece(piece: str, known_name: str | None) -> tuple[int, ViewerColumn] | None:
    """The column that the end of the first piece describes, with where its name begins; other text may stand before it.

    Where it stands on the same line and is too long for a name, the name is that of the first page's first column.
    """
    tail_start = max(0, len(piece) - _MAX_PIECE_CHARACTERS)
    tail = piece[tail_start:].rstrip()
    match = _LAST_NAMED.search(tail)
    if not match and known_name:
        match = re.search(rf"(?P<name>{re.escape(known_name)}){GAP}{SPEC}\Z", tail)
    return (tail_start + match.start("name"), column_from(match, match["name"].strip())) if match else None


def _name_offset(piece: str, name: str) -> int:
    return max(piece.find(name), 0)


def _token_heads(text: str, floor: int, ceiling: int, first: Head | None) -> list[Head]:
    """Heads of the form that puts one token on a line, in a stretch of text that holds no table's head."""
    heads: list[Head] = []
    position = floor
    while match := _KIND_LINE.search(text, position, ceiling):
        known = first or (heads[0] if heads else None)
        head = _token_head(text, position, match, ceiling, known.columns[0].name if known else None)
        if head and (len(head.columns) > 1 or not first or _is_after_page(text, head.start)):
            heads.append(head)
            position = head.end
        else:
            position = match.end()
    return heads


def _token_head(text: str, floor: int, kind: re.Match[str], ceiling: int, known_name: str | None) -> Head | None:
    """The head whose first column with statistics has its kind at `kind`; its name stands on the line before."""
    floor = max(floor, kind.start() - _MAX_PIECE_CHARACTERS)
    name_end = len(text[floor : kind.start()].rstrip()) + floor
    start = max(text.rfind("\n", floor, name_end) + 1, floor)
    if name_end - start > 200 and known_name and text.endswith(known_name, start, name_end):
        # A page cut in the middle of a long line, and the next one joined to it.
        start = name_end - len(known_name)
    if not text[start:name_end].strip() or name_end - start > 200 or "|" in text[start:name_end]:
        return None
    columns, position = [], start
    while match := _NEXT_COLUMN.match(text, position, ceiling):
        if match["bare"] and not _PLAIN_NAME.match(match["name"]):
            break
        columns.append(column_from(match, match["name"].strip()))
        position = match.end()
    if not columns:
        return None
    line_end = text.find("\n", position, ceiling)
    return Head(start, ceiling if line_end < 0 else line_end + 1, _distinct(columns), "one token a line")


def _is_after_page(text: str, position: int) -> bool:
    """Whether a one-column head may begin here: at the start of the text, or after a known footer line."""
    before = text[max(0, position - _MAX_PIECE_CHARACTERS) : position].rstrip()
    return not before or after_footer_sentence(before.rsplit("\n", 1)[-1]) is not None


def _distinct(columns: list[ViewerColumn]) -> tuple[ViewerColumn, ...]:
    """The columns, with a number added to a name that was there before, so that a record can hold each."""
    seen: dict[str, int] = {}
    distinct = []
    for column in columns:
        seen[column.name] = seen.get(column.name, 0) + 1
        name = column.name if seen[column.name] == 1 else f"{column.name} ({seen[column.name]})"
        distinct.append(ViewerColumn(name, column.family, column.least, column.most, column.classes))
    return tuple(distinct)


def _without_glue(text: str, heads: list[Head]) -> list[Head]:
    """The heads, with the first name parted from the end of the page before it, where no line break parts them.

    Pages joined without a line break give a line such as `once available.title`. The name is what follows a known
    footer sentence, or the first page's first name where all other columns are the first page's too.
    """
    parted: list[Head] = []
    for head in heads:
        first, *rest = head.columns
        line = text[head.start : text.index(first.name, head.start) + len(first.name)]
        name = after_footer_sentence(line)
        if not name and parted and [c.name for c in parted[0].columns[1:]] == [c.name for c in rest]:
            known = parted[0].columns[0].name
            name = known if line.endswith(known) else None
        if name and name != first.name:
            start = head.start + len(line) - len(name)
            renamed = ViewerColumn(name, first.family, first.least, first.most, first.classes)
            head = Head(start, head.end, (renamed, *rest), head.form, head.has_lead, head.has_trail)
        parted.append(head)
    return parted
