"""This module says how well a cell fits a column of a dataset-viewer page: the page's own figures, and its clear rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from transforms.readers.viewer_columns import ViewerColumn

STRONG = 8
"""What a broken figure counts among points: more than all that is merely unusual about a cell."""

MAX_LIE_RATIO = 0.2
"""A page's figures are over the whole data set, so a true one is broken by no clear row. A row misread as clear may break
it (none of the 100 of the seed does); a figure that more than a fifth of them break, two at least, chooses nothing."""

_MIN_URL_RATIO = 0.9
"""Share of a column's clear values that are addresses, from which the column counts as one of addresses."""

_MIN_VALUES_WITHOUT_ADDRESS = 5
"""Clear values, none of them an address, from which an address is held against a reading of the column."""

_MAX_LENGTH_RATIO = 8
"""How many times as long as the longest clear value a cell may be. The longest abstract of
the seed is four times as long as its median one, and eight times as long as none but the shortest two."""

_REACH = {"bool": 2, "integer": 2, "number": 2, "date": 2, "width": 4, "duration": 4, "classes": 16, "label": 16}
_REACH_TEXT = 400
"""How many separators and line breaks a cell of the family may hold and still be looked at. The seed's abstracts hold up
to 10; a whole paper in a cell holds some hundreds, but the viewer cuts cells at a few hundred characters now."""

_URL = re.compile(r"https?://[^\s|]+")
_INTEGER = re.compile(r"[-+]?\d[\d,]*")
_DECIMAL = re.compile(r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?inf(?:inity)?|nan", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T].*)?")
_FIGURE_PART = re.compile(r"[-+\d.,eE :TZ]*")
_BOOL = re.compile(r"true|false|0|1", re.IGNORECASE)
_CUT_MARK = re.compile(r'(?:\(?\.\.\.(?:TRUNCATED\))?|…)"?\Z')


def cut_mark_length(cell: str) -> int:
    """How many characters at the cell's end say that the viewer cut it; 0 where it is whole.

    >>> cut_mark_length("We propose a met..."), cut_mark_length('[{"role":"us(...TRUNCATED)'), cut_mark_length("A title.")
    (3, 14, 0)
    """
    match = _CUT_MARK.search(cell, max(0, len(cell) - 16))
    return len(match[0]) if match else 0


def shown_length(cell: str) -> int:
    """The cell's length in characters as the viewer counts them: a line break is one, also where the file has CR LF."""
    return len(cell) - cell.count("\r\n")


def is_null(cell: str) -> bool:
    """Whether the cell shows a null, which the viewer's statistics leave out."""
    return cell in ("", "null", "None")


def is_address(cell: str) -> bool:
    """Whether the whole cell is a web address."""
    return cell.startswith("http") and bool(_URL.fullmatch(cell))


def number_of(cell: str) -> float | None:
    """The number that the whole cell is; None where it is none.

    >>> number_of("2,024"), number_of("12 apples")
    (2024.0, None)
    """
    return float(cell.replace(",", "")) if _DECIMAL.fullmatch(cell) else None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against a cell in one column: whether its figures are to be trusted, and what clear rows show."""

    column: ViewerColumn
    is_trusted: bool = True
    has_addresses: bool = False
    lacks_addresses: bool = False
    known_classes: frozenset[str] = frozenset()
    longest_seen: int = 0

    @property
    def longest(self) -> float:
        """The greatest length looked for: what the column's figures allow, but not far beyond that of clear values."""
        column = self.column
        is_bound = self.is_trusted and column.family == "text" and column.most is not None
        stated = column.most.high if is_bound and column.most else float("inf")
        return min(stated, _MAX_LENGTH_RATIO * self.longest_seen if self.longest_seen else float("inf"))

    @property
    def reach(self) -> int:
        """How many separators and line breaks a cell of the column may hold and still be looked at, at most."""
        return _REACH.get(self.column.family, _REACH_TEXT)

    def points(self, cell: str) -> int:
        """What speaks against the cell: `STRONG` for the page's own figures, and for what all clear values look like.

        A class that clear rows do not show may be one, so that counts 1; but no class's name holds a line break or a pipe.
        """
        if cell == "null":
            return 0
        points = STRONG * (self.is_trusted and self.breaks_figures(cell))
        if self.has_addresses:
            return points + STRONG * (not is_address(cell))
        if self.lacks_addresses and is_address(cell):
            return points + STRONG
        if self.column.family in ("classes", "label"):
            is_new = bool(self.known_classes) and cell not in self.known_classes
            return points + is_new + STRONG * ("\n" in cell or " | " in cell)
        return points

    def points_of_beginning(self, cell: str) -> int:
        """What speaks against the text as the beginning of a cell whose end is lost."""
        if self.has_addresses:
            is_possible = bool(_URL.fullmatch(cell)) or any(mark.startswith(cell) for mark in ("https://", "http://"))
            return STRONG * (not is_possible)
        match self.column.family:
            case "text":
                return STRONG * (self.is_trusted and len(cell) > 2 * self.longest)
            case "classes" | "label":
                return 0 if any(name.startswith(cell) for name in self.known_classes) else self.points(cell)
            case "bool":
                return STRONG * (not any(value.startswith(cell.lower()) for value in ("true", "false")))
            case "integer" | "number" | "date":
                return STRONG * (not _FIGURE_PART.fullmatch(cell))
            case "items":
                return STRONG * (not cell.startswith("["))
        return 0

    def breaks_figures(self, cell: str) -> bool:
        """Whether the cell cannot be a value of the column by what the page's head says of it."""
        column = self.column
        match column.family:
            case "text":
                return _is_outside(column, cell)
            case "classes" | "label":
                limit = column.classes.high if column.classes else float("inf")
                return cell not in self.known_classes and len(self.known_classes) >= limit
            case "bool":
                return not _BOOL.fullmatch(cell)
            case "integer":
                return not _INTEGER.fullmatch(cell) or _is_beyond(column, cell)
            case "number":
                return not _DECIMAL.fullmatch(cell) or _is_beyond(column, cell)
            case "date":
                return not _DATE.fullmatch(cell)
            case "items":
                return not (cell.startswith("[") and (cell.endswith("]") or cut_mark_length(cell) > 0))
        return False


def fits(evidence: Sequence[Evidence], cells: Sequence[str]) -> bool:
    """Whether nothing speaks against any of a row's cells."""
    return not any(column.points(cell) for column, cell in zip(evidence, cells, strict=True))


def learn(
    columns: Sequence[ViewerColumn], rows: Sequence[Sequence[str]], max_lie_ratio: float = MAX_LIE_RATIO
) -> tuple[Evidence, ...]:
    """The evidence for each column, from the head's figures and the cells of rows that can be read in one way.

    A figure that more than `max_lie_ratio` of the cells break is not trusted.
    """
    return tuple(_learn_column(column, [row[place] for row in rows], max_lie_ratio) for place, column in enumerate(columns))


def _learn_column(column: ViewerColumn, cells: list[str], max_lie_ratio: float) -> Evidence:
    values = [cell for cell in cells if not is_null(cell)]
    address_count = sum(map(is_address, values))
    has_addresses = bool(values) and address_count >= _MIN_URL_RATIO * len(values)
    longest = max(map(len, values), default=0)
    lacks_addresses = len(values) >= _MIN_VALUES_WITHOUT_ADDRESS and not address_count and column.family == "text"
    if column.family in ("classes", "label"):
        known, is_trusted = _known_classes(column, values, max_lie_ratio)
        return Evidence(column, is_trusted, has_addresses, lacks_addresses, known, longest)
    stated = Evidence(column)
    breaks = sum(map(stated.breaks_figures, values))
    is_trusted = breaks <= max(max_lie_ratio * len(values), max_lie_ratio > 0)
    return Evidence(column, is_trusted, has_addresses, lacks_addresses, longest_seen=longest)


def _known_classes(column: ViewerColumn, values: list[str], max_lie_ratio: float) -> tuple[frozenset[str], bool]:
    """The classes that clear rows show, and whether the stated count may be true of them.

    Where there are more than stated, the commonest are known, if nearly all values are one of them: the rest is misread.
    """
    counts = Counter(values)
    if not column.classes or len(counts) <= column.classes.high:
        return frozenset(counts), True
    commonest = counts.most_common(int(column.classes.high))
    if len(values) - sum(count for _, count in commonest) > max_lie_ratio * len(values):
        return frozenset(counts), False
    return frozenset(name for name, _ in commonest), True


def _is_outside(column: ViewerColumn, cell: str) -> bool:
    """Whether a text is shorter or longer than the head allows; of a cut one only what is shown is known."""
    if not column.least or not column.most:
        return False
    mark = cut_mark_length(cell)
    length = len(cell) - mark
    low = 0 if mark else column.least.low
    if 2 * low <= length <= column.most.high or length > 2 * column.most.high:
        # Line breaks, which take time to count in long texts, at most halve the length.
        return length > column.most.high
    return not low <= shown_length(cell) - mark <= column.most.high


def _is_beyond(column: ViewerColumn, cell: str) -> bool:
    number = number_of(cell)
    if number is None or not column.least or not column.most:
        return False
    return number < column.least.low or number > column.most.high
