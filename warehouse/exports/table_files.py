"""This module writes what is exported into its files: tables, the answer to a query, or papers as references."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from transforms.schemas import TABLES, Column, Table
from warehouse.exports.contents import ExportedColumn, ExportedFile, ExportedTable
from warehouse.exports.places import file_place
from warehouse.exports.request import ENDINGS, ExportRequest
from warehouse.exports.row_writers import Counted, Row, rows_of, write_csv, write_jsonl, write_parquet
from warehouse.landing import hash_file

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.exports.selection import Selection
    from warehouse.query import QueryResult


def write_tables(building: Path, request: ExportRequest, selection: Selection) -> list[ExportedTable]:
    """Writes the tables asked for into the folder `building`."""
    tables = [TABLES[name] for name in request.table_names() if selection.has(TABLES[name])]
    if request.format == "xlsx":
        return _write_workbook(building, tables, selection)
    return [_write_table(building, table, request, selection) for table in tables]


def write_query(building: Path, request: ExportRequest, result: QueryResult, meaning: str) -> ExportedTable:
    """Writes the answer to a query into the folder `building`."""
    from warehouse.row_formats import distinct_names

    assert request.query is not None, "asked of an export of a query"
    result.start()
    names = distinct_names(result.columns)
    columns = tuple(ExportedColumn(name, _query_type(kind)) for name, kind in zip(names, result.types, strict=True))
    rows = (row for batch in result.batches() for row in batch)
    if request.format == "xlsx":
        from warehouse.exports.workbook import workbook

        place = PurePosixPath(f"{request.query.name}.xlsx")
        with workbook(building / place) as book:
            counted, sheets = book.add_table(request.query.name, names, rows)
        return ExportedTable(request.query.name, meaning, columns, (_file(building, place),), counted, sheets=sheets)
    place = PurePosixPath(f"{request.query.name}{ENDINGS[request.format]}")
    if request.format == "parquet":
        import pyarrow as pa

        schema, batches = result.arrow_batches(for_parquet=True)
        schema = pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])
        counted = write_parquet(building / place, schema, (batch.rename_columns(names) for batch in batches))
    else:
        counted = _write_rows(building / place, request, names, rows)
    return ExportedTable(request.query.name, meaning, columns, (_file(building, place),), counted)


def write_citations(building: Path, request: ExportRequest, selection: Selection) -> ExportedTable:
    """Writes the papers as references into the folder `building`, a file for each part of the split."""
    from warehouse.exports.bibtex import bibtex_lines
    from warehouse.exports.citations import Citation, citations
    from warehouse.exports.csl import csl_lines
    from warehouse.exports.ris import ris_lines

    writers: dict[str, Callable[[Iterable[Citation]], Iterator[str]]] = {
        "bibtex": bibtex_lines,
        "ris": ris_lines,
        "csl-json": csl_lines,
    }
    table = TABLES["papers"]
    files, counted = [], Counted()
    for group in selection.groups(table):
        place = file_place(table, group, (), request.format)
        path = building / place
        path.parent.mkdir(exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as out:
            out.writelines(writers[request.format](citations(selection, request.kinds, group.part)))
        files.append(_file(building, place))
        counted.rows += group.rows
    return ExportedTable("papers", table.grain, (), tuple(files), counted, is_split=bool(request.split))


def exported_column(column: Column) -> ExportedColumn:
    """A column of the contract as it is described.

    >>> exported_column(Column("authors", "list<string>", "names")).type
    'array'
    """
    kind = "array" if column.dtype.startswith("list<") else _TYPES[column.dtype]
    return ExportedColumn(column.name, kind, column.meaning, column.nullable, column.words)


# ---------------------------------------------------------------------------------------------------------------------

_TYPES = {
    "string": "string",
    "bool": "boolean",
    "int16": "integer",
    "int32": "integer",
    "int64": "integer",
    "float64": "number",
}
_QUERY_TYPES = (
    (r".*\]", "array"),
    (r"(?:STRUCT|MAP|UNION).*", "object"),
    (r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|BIGNUM", "integer"),
    (r"DOUBLE|FLOAT|DECIMAL.*", "number"),
    (r"BOOLEAN", "boolean"),
    (r"DATE", "date"),
    (r"TIMESTAMP.*", "datetime"),
    (r"TIME", "time"),
)
"""Types of Frictionless for DuckDB's; all others are texts."""


def _query_type(kind: str) -> str:
    """What a column of an answer is in Frictionless.

    >>> [_query_type(kind) for kind in ("VARCHAR", "UBIGINT", "DECIMAL(18,3)", "VARCHAR[]", "TIMESTAMP WITH TIME ZONE", "UUID")]
    ['string', 'integer', 'number', 'array', 'datetime', 'string']
    """
    return next((name for pattern, name in _QUERY_TYPES if re.fullmatch(pattern, kind, re.DOTALL)), "string")


def _write_table(building: Path, table: Table, request: ExportRequest, selection: Selection) -> ExportedTable:
    columns = selection.columns(table)
    partition_by = selection.partition_by(table)
    stream = _Stream(selection.batches(table))
    schema = selection.schema(columns)
    files, counted = [], Counted()
    for group in selection.groups(table):
        place = file_place(table, group, partition_by, request.format)
        path = building / place
        path.parent.mkdir(parents=True, exist_ok=True)
        batches = stream.take(group.rows)
        if request.format == "parquet" and (published := selection.published_file(table)):
            shutil.copyfile(published, path)
            counted.rows += group.rows
        elif request.format == "parquet":
            counted.add(write_parquet(path, schema, batches))
        else:
            counted.add(_write_rows(path, request, [column.name for column in columns], rows_of(batches)))
        files.append(_file(building, place))
    by_name = {column.name: column for each in (TABLES["papers"], table) for column in each.columns}
    return ExportedTable(
        table.name,
        table.grain,
        tuple(map(exported_column, columns)),
        tuple(files),
        counted,
        in_folders=tuple(exported_column(by_name[name]) for name in partition_by),
        is_split=selection.is_split(table),
        key=table.sort_key if table.unique else (),
    )


def _write_rows(path: Path, request: ExportRequest, names: Sequence[str], rows: Iterable[Row]) -> Counted:
    if request.format == "jsonl":
        return write_jsonl(path, names, rows)
    return write_csv(path, names, rows, has_bom=request.has_bom, keeps_raw_cells=request.keeps_raw_cells)


def _write_workbook(building: Path, tables: Sequence[Table], selection: Selection) -> list[ExportedTable]:
    """Writes all tables into one workbook, called for its table where it has but one."""
    from warehouse.exports.workbook import workbook

    place = PurePosixPath(f"{tables[0].name if len(tables) == 1 else 'tables'}.xlsx")
    written = []
    with workbook(building / place) as book:
        for table in tables:
            columns = selection.columns(table)
            rows = rows_of(selection.batches(table))
            counted, sheets = book.add_table(table.name, [column.name for column in columns], rows)
            written.append((table, columns, counted, sheets))
    file = _file(building, place)
    return [
        ExportedTable(
            table.name,
            table.grain,
            tuple(map(exported_column, columns)),
            (file,),
            counted,
            sheets=sheets,
            key=table.sort_key if table.unique else (),
        )
        for table, columns, counted, sheets in written
    ]


def _file(building: Path, place: PurePosixPath) -> ExportedFile:
    path = building / place
    return ExportedFile(place, hash_file(path), path.stat().st_size)


class _Stream:
    """Batches of rows, taken some rows at a time."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._rest: pa.RecordBatch | None = None

    def take(self, rows: int) -> Iterator[pa.RecordBatch]:
        """The next batches, of so many rows together."""
        while rows:
            batch = self._rest if self._rest is not None else next(self._batches)
            self._rest = None
            if batch.num_rows > rows:
                batch, self._rest = batch.slice(0, rows), batch.slice(rows)
            rows -= batch.num_rows
            yield batch
