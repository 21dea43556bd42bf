"""This module reads Excel workbooks (XLSX): every sheet with a header that names columns of papers.

Cells are texts, as Excel would show them without a format: 2024, not 2024.0; dates in ISO 8601; errors as they are called.
fastexcel gives the cells; which rows there are is told by a scan of the sheet's XML, and the two must agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import fastexcel
from lxml import etree

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import unique_names
from transforms.readers.mapping import Mapper
from transforms.readers.openreview_ids import openreview_columns
from transforms.readers.table_header import header_row
from transforms.readers.xlsx_package import Cells, Sheet, Workbook, open_workbook, scan_cells

_LOCAL_HEADER = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_OFFICE_PARTS = (b"[Content_Types].xml", b"_rels/.rels", b"docProps/")
_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?")
_NOTE_CHARACTERS = 500
_SAMPLE_ROWS = 200
_MIN_ID_ROWS = 3

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
    rejects, names, notes = dict[str, str](), list[str](), list[str]()
    for sheet in workbook.sheets:
        try:
            rows, excess = _rows(sheet, workbook, raw_file)
        except _SheetError as error:
            rejects[sheet.name] = str(error)
            continue
        if not rows:
            continue
        place = _header_place([cells for _, cells in rows[:_SAMPLE_ROWS]])
        if place is None:
            shown = " | ".join(filter(None, rows[0][1]))[:200]
            rejects[sheet.name] = f"no row names a column for titles, abstracts or identifiers; the first is: {shown}"
            continue
        names.append(sheet.name)
        notes += [f"{sheet.name} row {number}: {' | '.join(filter(None, cells))}" for number, cells in rows[:place]]
        yield from _records(raw_file, sheet, rows[place], rows[place + 1 :], excess)
    if not names:
        raise ReadError(
            "not_a_paper_list", "; ".join(f"{name}: {problem}" for name, problem in rejects.items())[:1000] or "empty"
        )
    builder = BatchBuilder()
    for name, problem in rejects.items():
        builder.reject("unread_part", f"the sheet {name} holds no papers that can be read: {problem}", text="", locator=name)
    note = f"before the header: {'; '.join(notes)}"[:_NOTE_CHARACTERS] if notes else None
    yield builder.take(entries_counted=len(rejects), form=f"sheets: {', '.join(names)}"[:200], note=note)


def _header_place(rows: list[list[str]]) -> int | None:
    """The place of the header among the first rows; the first row is one too, where its columns hold ids of OpenReview."""
    place = header_row(rows)
    if place is None and len(rows) > _MIN_ID_ROWS and openreview_columns(unique_names(rows[0]), rows[1:]):
        return 0
    return place


class _SheetError(Exception):
    """A sheet that cannot be read."""


def _records(raw_file: RawFile, sheet: Sheet, header: _Row, rows: list[_Row], excess: Counter[int]) -> Iterator[Batch]:
    """The rows below the header as records, and as rejects those whose number another row has had."""
    width = max((place for _, cells in [header, *rows] for place, cell in enumerate(cells, 1) if cell), default=0)
    names = unique_names([cell.strip() for cell in header[1][:width]])
    found = openreview_columns(names, [cells for _, cells in rows[:_SAMPLE_ROWS]])
    builder = BatchBuilder(Mapper(given=raw_file.columns, found=found))
    for number, cells in rows:
        builder.record(dict(zip(names, cells, strict=False)), locator=f"{sheet.name} row {number}")
        if builder.is_full:
            yield builder.take()
    repeated = [number for number in excess.elements() if number > header[0]]
    for number in repeated:
        message = f"the sheet has more than one row {number}; this one was written over"
        builder.reject("repeated_row", message, text="", locator=f"{sheet.name} row {number}")
    yield builder.take(entries_counted=len(rows) + len(repeated))


def _rows(sheet: Sheet, workbook: Workbook, raw_file: RawFile) -> tuple[list[_Row], Counter[int]]:
    """The filled rows of a sheet, in order, and the numbers of rows that stand there too often.

    Raises:
        _SheetError: it cannot be read, or is read otherwise than its XML says.
    """
    try:
        found = scan_cells(sheet, workbook, raw_file)
    except (ValueError, etree.XMLSyntaxError) as error:
        raise _SheetError(str(error)) from error
    if not found.filled_rows:
        return [], Counter()
    rows = [(number, cells) for number, cells in _cells(sheet, workbook, found) if any(cells)]
    counted = Counter(found.filled_rows)
    read = [number for number, _ in rows]
    if read != sorted(counted):
        other = sorted(set(read) ^ set(counted))[:5]
        raise _SheetError(f"its XML has {len(counted)} filled rows, but {len(read)} were read; rows that differ: {other}")
    return rows, counted - Counter(read)


def _cells(sheet: Sheet, workbook: Workbook, found: Cells) -> Iterator[_Row]:
    """The rows of a sheet as fastexcel gives them, dates and errors as they are shown."""
    try:
        table = fastexcel.read_excel(workbook.repacked).load_sheet(sheet.name, header_row=None, dtypes="string", eager=True)
        columns = [column.to_pylist() for column in table.columns]
    except BaseException as error:
        # What is broken in an unforeseen way makes Rust panic, which Python has no Exception for.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if isinstance(error, MemoryError):
            raise
        raise _SheetError(" ".join(str(error).split())[:300]) from error
    for number, values in enumerate(zip(*columns, strict=True), found.first_row):
        places = range(found.first_column, found.first_column + len(values))
        yield (
            number,
            [found.as_given.get((number, place)) or _shown(value or "") for place, value in zip(places, values, strict=True)],
        )


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
