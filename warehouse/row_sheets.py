"""This module writes rows as an Excel sheet in which nothing runs: every text is a text, whatever it begins with."""

from __future__ import annotations

import datetime
import math
import tempfile
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import chain
from pathlib import Path

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from warehouse.row_formats import Batches, Row, cell_text, plain_value

MOST_ROWS = 1_048_575
"""Rows of a sheet below its header (Microsoft: Excel specifications and limits)."""

MOST_COLUMNS = 16_384
LONGEST_TEXT = 32_767
"""Units of UTF-16 that a cell holds."""

_EXACT_DIGITS = 15
"""Excel keeps this many digits of a number."""

_FIRST_DAY = datetime.date(1900, 3, 1)
"""Excel counts days from 1900 and takes that for a leap year: an earlier day would come back as another."""

_WRITTEN_AT = datetime.datetime(2000, 1, 1)
"""Stands in every file as the time it was made, so that the same rows give the same bytes."""

_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "use_zip64": True,
}


class SheetFullError(Exception):
    """More rows or columns than a sheet holds."""


def write_sheet(columns: Sequence[str], batches: Batches, path: Path) -> tuple[int, int]:
    """Writes one sheet with a header; the count of its rows, and of texts that were too long for a cell and were cut.

    Numbers, booleans, dates and times are cells of their kind where Excel keeps them exactly, else texts; lists and objects
    are JSON; null is an empty cell. A cut text ends in "…".

    Raises:
        SheetFullError: there are more rows or columns than a sheet holds.
    """
    if len(columns) > MOST_COLUMNS:
        raise SheetFullError(f"an Excel sheet holds {MOST_COLUMNS:,} columns, and these are {len(columns):,}; write .csv")
    with tempfile.TemporaryDirectory() as folder:  # where the sheet grows; an error leaves nothing behind
        book = new_book(path, folder)
        sheet = Sheet(book)
        sheet.write_header(columns)
        rows = sheet.write_rows(chain.from_iterable(batches))
        book.close()
    return rows, sheet.cut_cells


def new_book(path: Path, folder: str) -> xlsxwriter.Workbook:
    """A book that the same sheets give the same bytes; it grows in `folder`, and stands at `path` once it is closed."""
    book = xlsxwriter.Workbook(str(path), _OPTIONS | {"tmpdir": folder})
    book.set_properties({"created": _WRITTEN_AT})
    return book


class Sheet:
    """A sheet that is written from its top to its bottom; `cut_cells` are the texts that a cell could not hold whole."""

    def __init__(self, book: xlsxwriter.Workbook, name: str = "rows") -> None:
        """Adds a sheet to a book made with `new_book`."""
        self.cut_cells = 0
        self._sheet: Worksheet = book.add_worksheet(name)
        self._bold: Format = book.add_format({"bold": True})
        self._formats: dict[type, Format] = {
            datetime.datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            datetime.date: book.add_format({"num_format": "yyyy-mm-dd"}),
            datetime.time: book.add_format({"num_format": "hh:mm:ss"}),
        }

    def write_header(self, columns: Sequence[str]) -> None:
        """Writes the names of the columns, which stay in sight."""
        self._sheet.freeze_panes(1, 0)
        for place, name in enumerate(columns):
            self._sheet.write_string(0, place, self._fitting(name), self._bold)

    def write_rows(self, rows: Iterable[Row]) -> int:
        """Writes the rows below it; how many."""
        count = 0
        for row in rows:
            count += 1
            if count > MOST_ROWS:
                raise SheetFullError(
                    f"an Excel sheet holds {MOST_ROWS:,} rows below its header, and there are more; "
                    f"write .csv or .parquet, or take fewer rows with --limit"
                )
            for place, value in enumerate(row):
                self._write(count, place, value)
        return count

    def _write(self, row: int, place: int, value: object) -> None:
        if value is None:
            return
        if isinstance(value, bool):
            self._sheet.write_boolean(row, place, value)
        elif isinstance(value, int | float | Decimal) and _is_kept(value):
            self._sheet.write_number(row, place, float(value))
        elif isinstance(value, datetime.datetime | datetime.date | datetime.time) and _is_kept_time(value):
            self._sheet.write_datetime(row, place, value, self._formats[type(value)])
        else:
            text = str(value) if isinstance(value, float) else cell_text(plain_value(value))
            self._sheet.write_string(row, place, self._fitting(text))

    def _fitting(self, text: str) -> str:
        """The text, or as much of it as a cell holds; characters beyond the first plane take two units each."""
        if len(text) <= LONGEST_TEXT // 2:
            return text
        units = text.encode("utf-16-le")
        if len(units) <= 2 * LONGEST_TEXT:
            return text
        self.cut_cells += 1
        return units[: 2 * (LONGEST_TEXT - 1)].decode("utf-16-le", "ignore") + "…"


def _is_kept(number: float | Decimal) -> bool:
    """Whether Excel, which keeps 15 digits, gives the number back as it is.

    >>> [_is_kept(n) for n in (2024, 10**15 - 1, 10**16 + 1, 0.1, float("inf"), Decimal("1.50"), Decimal("NaN"))]
    [True, True, False, True, False, True, False]
    """
    if isinstance(number, Decimal):
        return number.is_finite() and len(number.as_tuple().digits) <= _EXACT_DIGITS
    if isinstance(number, int):
        return len(str(abs(number))) <= _EXACT_DIGITS
    return math.isfinite(number)


def _is_kept_time(value: datetime.date | datetime.time) -> bool:
    """Whether Excel, which knows no time zone, no day before March 1900 and nothing finer than a millisecond, keeps it."""
    if isinstance(value, datetime.datetime | datetime.time) and (value.tzinfo or value.microsecond % 1000):
        return False
    return isinstance(value, datetime.time) or datetime.date(value.year, value.month, value.day) >= _FIRST_DAY
