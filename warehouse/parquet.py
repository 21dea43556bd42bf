"""This module writes the tables of a release as Parquet: the same rows give the same bytes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from transforms.schemas import SCHEMA_VERSION, SchemaError, Table

if TYPE_CHECKING:
    import polars as pl

ROW_GROUP_ROWS = 16_384

_SCALARS = {
    "string": pa.string(),
    "bool": pa.bool_(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
}


def arrow_type(dtype: str) -> pa.DataType:
    """The Arrow type of a `Column.dtype` that a published table may have.

    >>> arrow_type("list<string>")
    ListType(list<item: string>)
    """
    return pa.list_(arrow_type(dtype[5:-1])) if dtype.startswith("list<") else _SCALARS[dtype]


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a table, each column's meaning in its field's metadata and the grain in the schema's."""
    fields = [
        pa.field(column.name, arrow_type(column.dtype), nullable=column.nullable, metadata={"description": column.meaning})
        for column in table.columns
    ]
    return pa.schema(fields, metadata={"table": table.name, "grain": table.grain, "schema_version": str(SCHEMA_VERSION)})


def write_table(frame: pl.DataFrame, table: Table, folder: Path) -> Path:
    """Writes `frame`, sorted by the table's sort key, as `<folder>/<table>/<table>.parquet`, synced to disk.

    Raises:
        SchemaError: columns or types are not those of the table, or a column that must be filled holds null.
    """
    schema = arrow_schema(table)
    path = folder / table.name / f"{table.name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        rows = (
            frame.sort(table.sort_key, nulls_last=True, maintain_order=True)
            .select(table.column_names())
            .to_arrow()
            .cast(schema)
        )
    except (pa.ArrowInvalid, ValueError) as error:
        raise SchemaError(f"table {table.name} does not fit its contract: {error}") from error
    for column in table.columns:
        if not column.nullable and rows.column(column.name).null_count:
            raise SchemaError(f"table {table.name}: column {column.name} holds null, which its contract rules out")
    with path.open("wb") as file:
        with parquet_writer(file, rows, table.sort_key[0]) as writer:
            writer.write_table(rows, row_group_size=ROW_GROUP_ROWS)
        file.flush()
        os.fsync(file.fileno())
    return path


def parquet_writer(file: BinaryIO, first: pa.Table | pa.RecordBatch, sorted_by: str | None = None) -> pq.ParquetWriter:
    """A writer of Parquet as all of ours is, be it a release's table or the answer to a query, of which `first` comes first.

    `sorted_by` is the column that rows are in order of, else the first. One row among a million is found by its id in half of
    the time that groups of 32,768 rows and statistics of all columns take (DuckDB 2.0, `select *`, in one run of
    tests/bench/questions.py: 7 ms against 14). Of its group only the pages that hold it are unpacked: they are small, have an
    index, and no dictionaries of values that hardly come again; lists of texts have lengths before the letters, as DuckDB
    cannot skip their members. And before it answers DuckDB reads the statistics of all columns of all groups, so that
    smaller groups cost more than they won. So texts have none, but for what rows are in order of: the least and the greatest
    title of some thousand help nobody. A group by venue and year takes half as long again, as it reads more pages.
    """
    repeating = _repeating_columns(first)
    return pq.ParquetWriter(
        file,
        first.schema,
        version="2.6",
        data_page_version="1.0",
        data_page_size=_PAGE_BYTES,
        max_rows_per_page=_PAGE_ROWS,
        use_dictionary=repeating,
        column_encoding={path: "DELTA_LENGTH_BYTE_ARRAY" for path in _lists_of_texts(first) if path not in repeating},
        compression="zstd",
        write_statistics=_compared_columns(first.schema, sorted_by),
        write_page_index=True,
    )


def _compared_columns(schema: pa.Schema, sorted_by: str | None) -> list[str]:
    """The column that rows are in order of, and those of numbers, flags and dates.

    >>> _compared_columns(pa.schema({"id": pa.string(), "title": pa.string(), "year": pa.int16()}), None)
    ['id', 'year']
    """
    is_small = {name: pa.types.is_primitive(kind) for name, kind in zip(schema.names, schema.types, strict=True)}
    return [name for name in schema.names if is_small[name] or name == (sorted_by or schema.names[0])]


_PAGE_BYTES, _PAGE_ROWS = 16_384, 512

_LEAST_REPEATS = 4
"""How often a value comes on average in a column that gets a dictionary."""


_SAMPLE_ROWS = 8_192
"""Rows looked at for that; a whole row group judges one column in a hundred otherwise, at four times the cost."""


def _repeating_columns(first: pa.Table | pa.RecordBatch) -> list[str]:
    """The paths of columns, or lists' members, whose values come again and again, as the first rows have them.

    >>> _repeating_columns(pa.table({"id": ["a", "b", "c", "d"], "year": [1, 1, 1, 1], "tags": [["x"] * 9, [], [], []]}))
    ['year', 'tags.list.element']
    """
    paths = []
    for name, column in zip(first.schema.names, first.slice(0, _SAMPLE_ROWS).columns, strict=True):
        is_list = pa.types.is_list(column.type)
        values = pc.list_flatten(column) if is_list else column
        if not pa.types.is_nested(values.type) and _repeats(values):
            paths.append(f"{name}.list.element" if is_list else name)
    return paths


def _lists_of_texts(first: pa.Table | pa.RecordBatch) -> list[str]:
    """The paths of the members of lists of texts.

    >>> _lists_of_texts(pa.table({"id": ["a"], "tags": [["x"]], "pages": [[1]]}))
    ['tags.list.element']
    """
    return [
        f"{field.name}.list.element"
        for field in first.schema
        if pa.types.is_list(field.type) and pa.types.is_string(field.type.value_type)
    ]


def _repeats(values: pa.Array | pa.ChunkedArray) -> bool:
    """Whether the values are few for their number."""
    if pa.types.is_dictionary(values.type):
        return True
    try:
        distinct: int = pc.count_distinct(values).as_py()
    except pa.ArrowNotImplementedError:  # a type that nothing counts, such as null
        return False
    filled_count: int = len(values) - values.null_count
    return distinct * _LEAST_REPEATS <= filled_count
