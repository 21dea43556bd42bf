"""This module tells how a delimited text is written, from its beginning as a whole: delimiter, quotes, header, short rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

from transforms.readers.base import Sniff
from transforms.readers.columns import column_map, unique_names
from transforms.readers.delimited_entries import Entry, Quoting, find_entries, split_cells
from transforms.readers.limits import ReadLimits
from transforms.readers.openreview_ids import MIN_ID_ROWS, openreview_columns
from transforms.readers.table_header import HEADER_ROWS, NAME_CHARACTERS, is_header

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
"""The delimiters that most files have; they go before others."""

OTHER_DELIMITERS = "%>^~!$*+#@&:¦¬§¶•·"
"""Delimiters of some files. A text that is none has them too, so more is asked of a table that is delimited by one."""

ONE_COLUMN = "\x1f"
"""What stands for the delimiter of a table of one column; no text has it."""

_SAMPLE_ENTRIES = 200
_TITLE_CHARACTERS = 400
"""Longest line of a table of one column of titles or DOIs; the longest title of 60,000 real papers has 310 characters."""

_OFTEN_FILLED_RATIO = 0.9
_SEPARATOR_LINE = re.compile(r"sep=([^\w\s\"']|\t)\r?\n?")
_PLAIN_NAME = re.compile(r"[^<>{}\[\]:=\\\"']*")
"""A column's name, where it might be a line of JSON, XML, YAML or a program."""

_MARKDOWN_RULE = re.compile(r"[\s:|+-]*-[\s:|+-]*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file is written.

    `skipped_lines` stand before the header, whose cells are `header`. `found` are the fields that the values of columns tell.
    A row with fewer cells than the header, but `least_cells` or more, lacks empty ones at its end.
    """

    quoting: Quoting
    skipped_lines: int
    header: list[str]
    found: Mapping[str, str] = field(default_factory=dict)
    least_cells: int = 0

    @property
    def name(self) -> str:
        """What the delimiter is called."""
        mark = self.quoting.delimiter
        return "one column" if mark == ONE_COLUMN else DELIMITERS.get(mark, mark if mark.isprintable() else repr(mark)[1:-1])

    def fits(self, cells: Sequence[str]) -> bool:
        """Whether there is a cell for each column; those beyond must be empty: spreadsheets write too many delimiters."""
        return len(cells) >= self.least_cells and not any(cells[len(self.header) :])


_Fit = tuple[Dialect | None, Sniff]
_NO_FIT: _Fit = (None, Sniff(0.0, "no header that names a column for titles, abstracts or identifiers"))


def find_dialect(lines: Sequence[str], limits: ReadLimits) -> _Fit:
    """The dialect by which the lines are most like a table of papers, and how much they are."""
    given = next((match for line in lines[:1] if (match := _SEPARATOR_LINE.fullmatch(line))), None)
    skipped = 1 if given else 0
    marks = [given[1]] if given else list(DELIMITERS)
    best = _best([_fit(lines, skipped, mark, limits) for mark in marks])
    if best[1].confidence < 0.5 and not given:
        best = _best([best, *_other_fits(lines, limits)])
    return best


def _best(fits: Sequence[_Fit]) -> _Fit:
    """The fit with most confidence, the first of equal ones."""
    return max(fits, key=lambda fit: fit[1].confidence, default=_NO_FIT)


def _other_fits(lines: Sequence[str], limits: ReadLimits) -> Iterator[_Fit]:
    """The fits with rarer delimiters, with lines before the header, and as one column."""
    looked_at = [(number, line) for number, line in enumerate(lines[: 2 * HEADER_ROWS]) if line.strip()][:HEADER_ROWS]
    for number, line in looked_at:
        if len(line) > limits.columns:
            continue
        marks = [mark for mark in (*DELIMITERS, *OTHER_DELIMITERS) if mark in line]
        for mark in marks:
            cells = split_cells([Entry(line)], Quoting(mark))[0] or []
            is_plain = all(map(_PLAIN_NAME.fullmatch, cells)) and len(cells) > 1 + (mark == ":")
            if is_plain and len(set(column_map(cells).values())) > 1 and is_header(cells):
                yield _strict_fit(lines, number, mark, limits)
    if looked_at:
        yield _one_column(lines, looked_at[0][0])


def _strict_fit(lines: Sequence[str], skipped: int, mark: str, limits: ReadLimits) -> _Fit:
    """A fit in a text that may be another: two rows or more, and nearly all of them whole."""
    dialect, sniffed = _fit(lines, skipped, mark, limits)
    if dialect is None or sniffed.confidence < 0.9 or len([line for line in lines[skipped:] if line.strip()]) < 3:
        return _NO_FIT
    reason = f"{sniffed.reason}, delimited by {dialect.name}" + (f", after {skipped} other lines" if skipped else "")
    return dialect, Sniff(sniffed.confidence - 0.2, reason)


def _one_column(lines: Sequence[str], skipped: int) -> _Fit:
    """The fit as a table of one column of titles or DOIs: its name, then short lines."""
    name, *body = [line.strip() for line in lines[skipped:] if line.strip()]
    field_name = column_map([name.strip('"')]).get(name.strip('"'))
    is_short = all(len(line) <= _TITLE_CHARACTERS for line in body)
    are_values = all("10." in line for line in body) if field_name == "doi_raw" else field_name == "title_raw"
    if not (body and is_short and are_values) or any(_MARKDOWN_RULE.fullmatch(line) for line in body):
        return _NO_FIT
    header = [name.strip('"')]
    return Dialect(Quoting(ONE_COLUMN), skipped, header, {}, 1), Sniff(0.6, f"one column, {header[0]}, of short lines")


def _fit(lines: Sequence[str], skipped: int, mark: str, limits: ReadLimits) -> _Fit:
    """How well the lines fit a table with this delimiter: 0.5 and more where the header does and most rows do."""
    text = "".join(lines[skipped : skipped + _SAMPLE_ENTRIES])
    quotings = [Quoting(mark)]
    if '\\"' in text:
        quotings.append(Quoting(mark, is_escaped=True))
    if f"'{mark}'" in text:
        quotings.append(Quoting(mark, "'"))
    readings = [(quoting, *_entries(lines[skipped:], quoting, limits)) for quoting in quotings]
    # The way of quoting that leaves most rows whole, the usual one of equal ones.
    best = max(readings, key=lambda reading: _clean_count(reading[1], reading[2]))
    quoting, _, rows = best
    if not rows:
        return _NO_FIT
    dialect = _dialect(rows, quoting, skipped)
    if dialect is None:
        return _NO_FIT
    body = rows[1:]
    known = ", ".join(column_map(dialect.header)) or ", ".join(dialect.found)
    named = f"a header of {len(dialect.header)} columns, known: {known}"
    if not body:
        return dialect, Sniff(0.7 if len(column_map(dialect.header)) > 1 else 0.2, f"{named}; no rows")
    if _MARKDOWN_RULE.fullmatch("".join(body[0])):
        return None, Sniff(0.0, "a Markdown table")
    fitting = sum(map(dialect.fits, body))
    confidence = 0.5 + 0.45 * fitting / len(body) if fitting >= len(body) / 2 else 0.2
    return dialect, Sniff(confidence, f"{named}; {fitting} of {len(body)} sampled rows have as many cells")


def _entries(lines: Sequence[str], quoting: Quoting, limits: ReadLimits) -> tuple[list[Entry], list[list[str]]]:
    """The entries up to the first that is not closed, and their cells."""
    whole = takewhile(lambda entry: entry.is_closed, find_entries(iter(lines), quoting, limits))
    entries = list(islice(whole, _SAMPLE_ENTRIES))
    return entries, [cells or [] for cells in split_cells(entries, quoting)]


def _clean_count(entries: Sequence[Entry], rows: Sequence[Sequence[str]]) -> int:
    """How many rows have as many cells as the first, and quotes that mean one thing only."""
    return sum(not entry.is_lax and len(cells) == len(rows[0]) for entry, cells in zip(entries, rows, strict=True))


def _dialect(rows: list[list[str]], quoting: Quoting, skipped: int) -> Dialect | None:
    """What the header and the rows as a whole say, None where no column tells papers."""
    header, body = rows[0], rows[1:]
    widths = Counter(map(len, body))
    if body and widths[len(header) + 1] >= _OFTEN_FILLED_RATIO * len(body) and all(cells[-1] for cells in body if cells):
        header = ["", *header]  # R's row names, which have no name
    while header and not header[-1].strip() and widths and max(widths) < len(header):
        header = header[:-1]
    names = unique_names(header)
    found = openreview_columns(names, body) if len(body) >= MIN_ID_ROWS and len(header) > 1 else {}
    is_known = is_header(header) or (found and all(len(cell) <= NAME_CHARACTERS for cell in header))
    if not is_known or len(header) < 2:
        return None
    return Dialect(quoting, skipped, names, found, _least_cells(len(header), body))


def _least_cells(width: int, body: Sequence[Sequence[str]]) -> int:
    """How few cells a row may have: where two rows and more lack cells at their end, those of columns that are often empty."""
    whole = [cells for cells in body if len(cells) >= width]
    often = [sum(bool(cells[place]) for cells in whole) >= _OFTEN_FILLED_RATIO * len(whole) for place in range(width)]
    least = max((place + 1 for place in range(width) if often[place]), default=width) if whole else width
    return least if sum(least <= len(cells) < width for cells in body) > 1 else width
