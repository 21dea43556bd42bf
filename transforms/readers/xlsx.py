"""This module reads Excel workbooks (XLSX): every sheet with a header that names columns of papers.

Cells are texts, as Excel would show them without a format: 2024, not 2024.0; dates in ISO 8601; errors as they are called.
fastexcel gives the cells; which rows there are is told by a scan of the sheet's XML, and the two must agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import fastexcel
import polars as pl
from lxml import etree

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import unique_names
from transforms.readers.mapping import Mapper
from transforms.readers.openreview_ids import MIN_ID_ROWS, openreview_columns
from transforms.readers.table_header import header_row, note_before
from transforms.readers.xlsx_package import Cells, Sheet, Workbook, open_workbook, scan_cells

_LOCAL_HEADER = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_OFFICE_PARTS = (b"[Content_Types].xml", b"_rels/.rels", b"docProps/")
_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?")
_SAMPLE_ROWS = 200
_SLICE_ROWS = 1_000

_Row = tuple[int, list[str]]
"""A row with its number, from 1, and its cells."""


def sniff(sample: Sample) -> Sniff:
    """Whether the file begins as a zip file with the parts of a workbook; its sheets are looked at in `read`."""
    if not sample.head.startswith(b"PK\x03\x04"):
        return Sniff(0.0, "it does not begin as a zip file")
    headers = _LOCAL_HEADER.finditer(sample.head)
    names = [sample.head[header.end() : header.end() + int.from_bytes(header[1], "little")] for header in headers]
    if any(name.startswith(b"xl/") for name in names) and any(name.startswith(_OFFICE_PARTS) for name in names):
        return Sniff(0.99, "a zip file with the parts of an Excel workbook")
    # A workbook whose first part is longer than the sample.
    if names and names[0].startswith((b"[Content_Types].xml", b"xl/")) and not any(b"word/" in name for name in names):
        return Sniff(0.6, "a zip file that begins as a workbook does")
    return Sniff(0.0, "a zip file without the parts of a workbook")


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The filled rows below the header of each sheet as records; a sheet that holds no papers or is broken is one reject.

    Raises:
        ReadError: `broken_xlsx`, `document_too_large`, or `not_a_paper_list` where no sheet has a header that tells papers.
    """
    workbook = open_workbook(raw_file)
    rejects, names, notes, broken_count = dict[str, str](), list[str](), list[str](), 0
    for sheet in workbook.sheets:
        try:
            grid = _grid(sheet, workbook, raw_file)
        except _SheetError as error:
            rejects[sheet.name] = str(error)
            broken_count += 1
            continue
        if grid is None:
            continue
        sample = list(islice(grid.rows(), _SAMPLE_ROWS))
        place = _header_place([cells for _, cells in sample])
        if place is None:
            shown = " | ".join(filter(None, sample[0][1]))[:200]
            rejects[sheet.name] = f"no row names a column for titles, abstracts or identifiers; the first is: {shown}"
            continue
        names.append(sheet.name)
        notes += [f"{sheet.name} row {number}: {' | '.join(filter(None, cells))}" for number, cells in sample[:place]]
        yield from _records(raw_file, sheet, grid, place, sample)
    if not names:
        reason = "broken_xlsx" if broken_count else "not_a_paper_list"
        raise ReadError(reason, "; ".join(f"{name}: {problem}" for name, problem in rejects.items())[:1000] or "empty")
    builder = BatchBuilder()
    for name, problem in rejects.items():
        builder.reject("unread_part", f"the sheet {name} holds no papers that can be read: {problem}", text="", locator=name)
    yield builder.take(entries_counted=len(rejects), form=f"sheets: {', '.join(names)}"[:200], note=note_before(notes))


def _header_place(rows: list[list[str]]) -> int | None:
    """The place of the header among the first rows; the first row is one too, where its columns hold ids of OpenReview."""
    place = header_row(rows)
    if place is None and len(rows) > MIN_ID_ROWS and openreview_columns(unique_names(rows[0]), rows[1:]):
        return 0
    return place


class _SheetError(Exception):
    """A sheet that cannot be read."""


@dataclass(frozen=True, slots=True)
class _Grid:
    """The filled rows of a sheet, with their numbers as column `number`; `excess` are those that stand there too often."""

    table: pl.DataFrame
    found: Cells
    excess: Counter[int]

    @property
    def width(self) -> int:
        """How many columns there are up to the last that has a filled cell."""
        is_filled = self.table.select((pl.exclude("number") != "").any()).row(0) if self.table.width > 1 else ()
        given = max((column - self.found.first_column + 1 for _, column in self.found.as_given), default=0)
        return max([given, *(place for place, filled in enumerate(is_filled, 1) if filled)])

    def rows(self) -> Iterator[_Row]:
        """The rows in order, dates and errors as they are shown."""
        places, as_given = range(self.found.first_column, self.found.first_column + self.table.width - 1), self.found.as_given
        for part in self.table.iter_slices(_SLICE_ROWS):
            for number, *values in part.iter_rows():
                cells = [_shown(value) if value else "" for value in values]
                if as_given:
                    cells = [as_given.get((number, place)) or cell for place, cell in zip(places, cells, strict=True)]
                yield number, cells


def _records(raw_file: RawFile, sheet: Sheet, grid: _Grid, place: int, sample: list[_Row]) -> Iterator[Batch]:
    """The rows below the header, the row at `place`, as records, and as rejects those whose number another row has had."""
    header_number, header = sample[place]
    names = unique_names([cell.strip() for cell in header[: grid.width]])
    found = openreview_columns(names, [cells for _, cells in sample[place + 1 :]])
    builder = BatchBuilder(Mapper(given=raw_file.columns, found=found))
    for number, cells in islice(grid.rows(), place + 1, None):
        builder.record(dict(zip(names, cells, strict=False)), locator=f"{sheet.name} row {number}")
        if builder.is_full:
            yield builder.take()
    repeated = [number for number in grid.excess.elements() if number > header_number]
    for number in repeated:
        message = f"the sheet has more than one row {number}; this one was written over"
        builder.reject("repeated_row", message, text="", locator=f"{sheet.name} row {number}")
    yield builder.take(entries_counted=sum(number > header_number for number in grid.found.filled_rows))


def _grid(sheet: Sheet, workbook: Workbook, raw_file: RawFile) -> _Grid | None:
    """The filled rows of a sheet, None where there are none.

    Raises:
        _SheetError: it cannot be read, or is read otherwise than its XML says.
    """
    try:
        found = scan_cells(sheet, workbook, raw_file)
    except (ValueError, etree.XMLSyntaxError) as error:
        raise _SheetError(str(error)) from error
    if not found.filled_rows:
        return None
    table = _table(sheet, workbook).with_row_index("number", offset=found.first_row).cast({"number": pl.Int64})
    is_given = pl.col("number").is_in(sorted({number for number, _ in found.as_given}))
    table = table.filter(is_given | pl.any_horizontal(pl.exclude("number") != "").fill_null(False))
    counted, read = Counter(found.filled_rows), table["number"].to_list()
    if read != sorted(counted):
        other = sorted(set(read) ^ set(counted))[:5]
        raise _SheetError(f"its XML has {len(counted)} filled rows, but {len(read)} were read; rows that differ: {other}")
    return _Grid(table, found, counted - Counter(read))


def _table(sheet: Sheet, workbook: Workbook) -> pl.DataFrame:
    """The cells of a sheet as texts, from the first row and column that has one."""
    try:
        cells = fastexcel.read_excel(workbook.repacked).load_sheet(sheet.name, header_row=None, dtypes="string", eager=True)
        table = pl.from_arrow(cells)
    except BaseException as error:
        # What is broken in an unforeseen way makes Rust panic, which Python has no Exception for.
        if isinstance(error, MemoryError) or not (isinstance(error, Exception) or type(error).__name__ == "PanicException"):
            raise
        raise _SheetError(" ".join(str(error).split())[:300]) from error
    assert isinstance(table, pl.DataFrame), "a record batch is a frame"
    return table


def _shown(text: str) -> str:
    """A date without a time that it has not, a time without its date."""
    if text[4:5] != "-" or not _DATE.fullmatch(text):
        return text
    date, time = text.split(" ")
    if date in ("1899-12-30", "1899-12-31"):
        return time
    return date if time == "00:00:00" else f"{date}T{time}"


READER = Reader(
    name="xlsx",
    meaning="an Excel workbook (XLSX): every sheet with recognisable columns",
    has_spans=False,
    example="(binary: a zip file with xl/workbook.xml)\n",
    sniff=sniff,
    read=read,
)
