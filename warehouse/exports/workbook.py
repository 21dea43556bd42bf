"""This module writes an Excel workbook, one sheet a table; a table of more rows than a sheet holds goes on in further ones."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import xlsxwriter

from warehouse.exports.row_writers import Counted, Row
from warehouse.row_sheets import MOST_ROWS, Sheet, new_book

_LONGEST_NAME = 31
"""Characters of the name of a sheet."""


class Workbook:
    """A workbook to which tables are added one after the other."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        """Wraps a book; use `workbook`."""
        self._book = book

    def add_table(self, name: str, columns: Sequence[str], rows: Iterator[Row]) -> tuple[Counted, tuple[str, ...]]:
        """Adds a table; what was written, and the names of its sheets."""
        counted = Counted()
        names: list[str] = []
        more: Row | None = None
        while not names or more is not None:
            names.append(name[:_LONGEST_NAME] if not names else f"{name[: _LONGEST_NAME - 5]} ({len(names) + 1})")
            sheet = Sheet(self._book, names[-1])
            sheet.write_header(columns)
            first = [] if more is None else [more]
            counted.rows += sheet.write_rows(chain(first, islice(rows, MOST_ROWS - len(first))))
            counted.cut_cells += sheet.cut_cells
            more = next(rows, None)
        return counted, tuple(names)


@contextmanager
def workbook(path: Path) -> Iterator[Workbook]:
    """A workbook that stands at `path` after the block."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".sheets-") as folder:
        book = new_book(path, folder)
        yield Workbook(book)
        book.close()
