"""This module writes the rows of one file: Parquet with the meanings of its columns, CSV that runs nothing, or JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.row_formats import cell_text, plain_value

if TYPE_CHECKING:
    import pyarrow as pa

Row = Sequence[object]

GUARD = "'"
"""What a spreadsheet takes for the sign of a text: a cell that would run begins with it in CSV."""

_SKIPPED = r"[\s\x00-\x1f\"'`‘’“”«»\u00ad\u200b-\u200f\u2060\ufeff]*"
_RUNS = re.compile(rf"[\t\r\n]|{_SKIPPED}[=+\-@＝＋－＠]")
"""What a spreadsheet may take for a formula (OWASP, CSV injection): the signs, their full-width forms, behind any white space,
quotes and invisible characters; and a tab or line end, which may begin a cell of its own. As quotes are skipped, a guarded cell
is one too: `unguarded` tells it from a cell that began with a quote."""

_QUOTED = re.compile(r"[\",\r\n]|\A\s|\s\Z|\A\Z")


@dataclass(slots=True)
class Counted:
    """What was written into a file: its rows, the cells with a guard before them, and those cut to fit a spreadsheet's cell."""

    rows: int = 0
    guarded_cells: int = 0
    cut_cells: int = 0

    def add(self, other: Counted) -> None:
        """Counts what another file has, too."""
        self.rows += other.rows
        self.guarded_cells += other.guarded_cells
        self.cut_cells += other.cut_cells


def guarded(text: str) -> str:
    """A text as a cell that no spreadsheet runs.

    >>> [guarded(text) for text in ("=1+1", " @sum", "＝1", "A = B", "'=1", "-5 °C", "'quoted'")]
    ["'=1+1", "' @sum", "'＝1", 'A = B', "''=1", "'-5 °C", "'quoted'"]
    """
    return GUARD + text if _RUNS.match(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell that `guarded` made: without the guard, where what is left would run.

    >>> [unguarded(cell) for cell in ("'=1+1", "''=1", "'quoted'", "plain")]
    ['=1+1', "'=1", "'quoted'", 'plain']
    """
    return cell[1:] if cell.startswith(GUARD) and _RUNS.match(cell[1:]) else cell


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """The rows of Arrow batches as Python values."""
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Row], *, has_bom: bool, keeps_raw_cells: bool) -> Counted:
    """Writes CSV as RFC 4180 has it, in UTF-8: a header, CR LF at line ends, quotes where needed.

    Null is an empty field, an empty text a quoted one; lists are JSON. Only texts are guarded: numbers stay numbers.
    """
    counted = Counted()

    def cell(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, str) and not keeps_raw_cells and _RUNS.match(value):
            counted.guarded_cells += 1
            value = GUARD + value
        text = value if isinstance(value, str) else cell_text(plain_value(value))
        return f'"{text.replace(chr(34), chr(34) * 2)}"' if _QUOTED.search(text) else text

    with path.open("w", encoding="utf-8-sig" if has_bom else "utf-8", newline="") as file:
        header = columns if keeps_raw_cells else [guarded(name) for name in columns]
        file.write(",".join(_header_cell(name) for name in header) + "\r\n")
        for row in rows:
            file.write(",".join(map(cell, row)) + "\r\n")
            counted.rows += 1
    return counted


def write_jsonl(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> Counted:
    """Writes a JSON object a line, in UTF-8; null where there is no value, lists as arrays."""
    counted = Counted()
    with path.open("w", encoding="utf-8", newline="") as file:
        for row in rows:
            entry = {name: plain_value(value) for name, value in zip(columns, row, strict=True)}
            file.write(json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n")
            counted.rows += 1
    return counted


def write_parquet(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Counted:
    """Writes Parquet; the bytes do not depend on how the rows come in batches."""
    from warehouse.parquet import ROW_GROUP_ROWS, parquet_writer

    counted = Counted()
    groups = _row_groups(schema, batches, ROW_GROUP_ROWS)
    first = next(groups)
    with path.open("wb") as file, parquet_writer(file, first) as writer:
        for group in chain([first], groups):
            writer.write_table(group, row_group_size=ROW_GROUP_ROWS)
            counted.rows += group.num_rows
    return counted


def _row_groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """The rows in tables of so many, but for the last one; an empty one where there are none."""
    import pyarrow as pa

    waiting = schema.empty_table()
    is_first = True
    for batch in batches:
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch], schema)])
        while waiting.num_rows >= rows:
            # What was combined is let go of before the group is written: it is as large again.
            group, waiting, is_first = waiting.slice(0, rows).combine_chunks(), waiting.slice(rows), False
            yield group
    if waiting.num_rows or is_first:
        yield waiting.combine_chunks()


def _header_cell(name: str) -> str:
    return f'"{name.replace(chr(34), chr(34) * 2)}"' if _QUOTED.search(name) else name
