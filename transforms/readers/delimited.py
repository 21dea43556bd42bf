"""This module reads tables with a header, delimited by comma, tab, semicolon or pipe (CSV, TSV).

Every value stays the text it is, with the spaces around it: Python's csv module splits the cells, as it infers nothing and
tolerates what spreadsheets write. Where entries begin and end is found by another way, a scan for quotes that are still open
at a line's end; the two must agree, and the count of entries is the scan's.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path

from transforms.readers.base import SAMPLE_BYTES, Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import column_map, has_paper_columns, unique_names
from transforms.readers.decoding import Encoding
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import text_encoding

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}

LINE_BYTES = 16 * 2**20
"""Longest line that is held in memory."""

_BATCH_ROWS = 10_000
_ENTRY_CHARACTERS = 2**20
"""Longest entry with line ends in quoted cells. A quote that is open for longer is one that nobody closed."""

_MAX_UNCLOSED = 100
"""How many quotes are looked for beyond their line in vain, at a cost of up to `_ENTRY_CHARACTERS` each; after them none is."""

_HEADER_NAME_CHARACTERS = 80
_SAMPLE_ENTRIES = 200

csv.field_size_limit(2 * LINE_BYTES)


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample begins with a header that names columns of papers, and that the rows fit it."""
    if sample.text is None:
        return Sniff(0.0, "no text")
    lines = list(io.StringIO(sample.text, newline=""))
    if not sample.is_whole and len(lines) > 1:
        lines.pop()
    return _best_fit(lines)[1]


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The rows as records whose values are texts; a row that does not fit the header is a reject.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text; `not_a_paper_list`, where no header is recognised.
    """
    encoding = text_encoding(raw_file.path)
    delimiter = _delimiter(raw_file.path, encoding)
    with _open_text(raw_file.path, encoding) as stream:
        # A line over the limit comes in pieces that do not fit the header: memory stays bounded, and the text is kept.
        entries = _entries(iter(lambda: stream.readline(LINE_BYTES), ""), delimiter)
        header = unique_names(_cells([next(entries)], delimiter)[0] or [])
        builder, row_number = BatchBuilder(Mapper(given=raw_file.columns)), 0
        while batch := list(islice(entries, _BATCH_ROWS)):
            for entry, cells in zip(batch, _cells(batch, delimiter), strict=True):
                row_number += 1
                _add(builder, entry, cells, header, f"row {row_number}")
            yield builder.take(entries_counted=len(batch))
    yield builder.take(entries_counted=0, form=DELIMITERS[delimiter], encoding=encoding.name)


def _open_text(path: Path, encoding: Encoding) -> io.TextIOWrapper:
    """The text of the file with its line ends as they are, from its first line that is no `sep=` of Excel's."""
    stream = path.open("r", encoding=encoding.name, errors=encoding.errors, newline="")
    if encoding.mark_bytes:
        stream.read(1)
    start = stream.tell()
    if not _SEPARATOR_LINE.fullmatch(stream.readline(8)):
        stream.seek(start)
    return stream


def _delimiter(path: Path, encoding: Encoding) -> str:
    with _open_text(path, encoding) as stream:
        head = stream.read(SAMPLE_BYTES)
        is_whole = not stream.read(1)
    lines = list(io.StringIO(head, newline=""))
    if not is_whole and len(lines) > 1:
        lines.pop()
    delimiter, fit = _best_fit(lines)
    if not fit.confidence:
        raise ReadError(
            "not_a_paper_list",
            f"expected a header that names a column for titles, abstracts or identifiers, delimited by "
            f"{', '.join(DELIMITERS.values())}; found {head[:100]!r}",
        )
    return delimiter


def _best_fit(lines: list[str]) -> tuple[str, Sniff]:
    """The delimiter by which the lines are most like a table of papers, and how much they are."""
    if lines and _SEPARATOR_LINE.fullmatch(lines[0]):
        lines = lines[1:]
    fits = [(delimiter, _fit(lines, delimiter)) for delimiter in DELIMITERS]
    return max(fits, key=lambda pair: pair[1].confidence)


def _fit(lines: list[str], delimiter: str) -> Sniff:
    """How well the lines fit a table with this delimiter: 0.5 and more where the header does and most rows do."""
    whole = takewhile(lambda entry: entry.is_closed, _entries(iter(lines), delimiter))
    rows = [cells or [] for cells in _cells(list(islice(whole, _SAMPLE_ENTRIES)), delimiter)]
    if not rows or not _is_header(rows[0]):
        return Sniff(0.0, "no header that names a column for titles, abstracts or identifiers")
    header, body = rows[0], rows[1:]
    named = f"a header of {len(header)} columns, known: {', '.join(column_map(header))}"
    if not body:
        return Sniff(0.7 if len(column_map(header)) > 1 else 0.2, f"{named}; no rows")
    if _MARKDOWN_RULE.fullmatch("".join(body[0])):
        return Sniff(0.0, "a Markdown table")
    fitting = sum(_fits(cells, header) for cells in body)
    confidence = 0.5 + 0.45 * fitting / len(body) if fitting >= len(body) / 2 else 0.2
    return Sniff(confidence, f"{named}; {fitting} of {len(body)} sampled rows have as many cells")


def _is_header(cells: list[str]) -> bool:
    return len(cells) > 1 and all(len(cell) <= _HEADER_NAME_CHARACTERS for cell in cells) and has_paper_columns(cells)


def _fits(cells: list[str], header: list[str]) -> bool:
    """Whether there is a cell for each column; cells beyond them must be empty, as spreadsheets write delimiters too many."""
    return len(cells) >= len(header) and not any(cells[len(header) :])


def _add(builder: BatchBuilder, entry: _Entry, cells: list[str] | None, header: list[str], locator: str) -> None:
    if cells is None:
        builder.reject(entry.reason, entry.message, text=entry.text, locator=locator)
    elif _fits(cells, header):
        builder.record(dict(zip(header, cells, strict=False)), locator=locator)
    else:
        message = f"the header names {len(header)} columns, but this row has {len(cells)} cells"
        builder.reject("ragged_row", message, text=entry.text, locator=locator)


def _cells(entries: list[_Entry], delimiter: str) -> list[list[str] | None]:
    """The cells of each entry, None where its quotes are not closed.

    Raises:
        ValueError: the csv module and the scan for open quotes do not agree on where entries end.
    """
    texts = [entry.text for entry in entries if entry.is_closed]
    rows = list(csv.reader(texts, delimiter=delimiter))
    if len(rows) != len(texts):
        raise ValueError(f"{len(texts)} entries were read as {len(rows)} rows")
    cells = iter(rows)
    return [_as_given(entry, next(cells), delimiter) if entry.is_closed else None for entry in entries]


def _as_given(entry: _Entry, cells: list[str], delimiter: str) -> list[str]:
    """The cells, with their quotes where these are part of the text, as in `"Smart" pebbles`, which csv would drop."""
    if not entry.is_lax:
        return cells
    literal = next(csv.reader([entry.text], delimiter=delimiter, quoting=csv.QUOTE_NONE))
    return literal if len(literal) == len(cells) else cells


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry as it stands in the file; `reason` and `message` say what is wrong where it is no row of cells.

    It is lax where text follows a closing quote, which RFC 4180 has no meaning for.
    """

    text: str
    is_lax: bool = False
    reason: str = ""
    message: str = ""

    @property
    def is_closed(self) -> bool:
        """Whether it is a row of cells."""
        return not self.reason


class _Quotes:
    """Tells where a quoted cell ends, by the rules of the csv module: a quote counts only at the beginning of a cell."""

    def __init__(self, delimiter: str) -> None:
        mark = re.escape(delimiter)
        rest = r'(?:[^"]++|"")*+"'
        plain = rf'(?!")[^{mark}\r\n]*+'
        strict, lax = rf'(?:"{rest}(?=[{mark}\r\n]|\Z)|{plain})', rf'(?:"{rest}[^{mark}\r\n]*+|{plain})'
        strict_cells, lax_cells = (rf"{cell}(?:{mark}{cell})*+[\r\n]*+" for cell in (strict, lax))
        self.is_strict = re.compile(strict_cells).fullmatch
        self.is_lax = re.compile(lax_cells).fullmatch
        self.is_closing = re.compile(rf"{rest}(?:{mark}{lax_cells}|[\r\n]*+)").fullmatch
        self.is_astray = re.compile(rf"{rest}[^{mark}\r\n]").match


def _entries(lines: Iterator[str], delimiter: str) -> Iterator[_Entry]:
    """The entries, each one or more lines; empty lines are none.

    Where a quote is never closed, or is closed by a quote that stands inside another cell, only its first line is lost, and
    the lines after it are looked at again.
    """
    quotes, waiting, unclosed_count = _Quotes(delimiter), deque[str](), 0

    def upcoming() -> str:
        return waiting.popleft() if waiting else next(lines, "")

    while line := upcoming():
        if not line.strip("\r\n"):
            continue
        if len(line) >= LINE_BYTES:
            yield _Entry(
                line, False, "line_too_long", f"a line of more than {LINE_BYTES} characters is read in pieces; this is one"
            )
            continue
        if '"' not in line or quotes.is_strict(line):
            yield _Entry(line)
            continue
        if quotes.is_lax(line):
            yield _Entry(line, is_lax=True)
            continue
        taken, is_closed = _quoted(line, upcoming, quotes) if unclosed_count < _MAX_UNCLOSED else ([line], False)
        if is_closed:
            yield _Entry("".join(taken))
            continue
        unclosed_count += 1
        yield _Entry(line, False, "unclosed_quote", "a quote is opened in this line and not closed")
        waiting.extendleft(reversed(taken[1:]))


def _quoted(line: str, upcoming: Callable[[], str], quotes: _Quotes) -> tuple[list[str], bool]:
    """The lines of an entry whose first line leaves a quote open, and whether it is closed in the end."""
    taken, size = [line], len(line)
    while size <= _ENTRY_CHARACTERS and (more := upcoming()):
        taken.append(more)
        size += len(more)
        if '"' in more:
            if quotes.is_closing(more):
                return taken, True
            if quotes.is_astray(more):
                break
    return taken, False


_SEPARATOR_LINE = re.compile(r"sep=.\r?\n?")
_MARKDOWN_RULE = re.compile(r"[\s:|+-]*-[\s:|+-]*")

READER = Reader(
    name="delimited",
    meaning="a table with a header, delimited by comma, tab, semicolon or pipe (CSV, TSV)",
    has_spans=False,
    example="""\
title,authors,year,doi
Sorting Pebbles by Sound,Ann Lee; Bo Li,2024,10.5555/pebbles.1
"Tides, Locks and Ferries",Cy Dow,2023,
""",
    sniff=sniff,
    read=read,
)
