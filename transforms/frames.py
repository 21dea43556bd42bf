"""This module gives Polars schemas and empty frames for the tables of `transforms.schemas`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from transforms.schemas import Column, SchemaError, Table

_SCALARS: dict[str, pl.DataType] = {
    "string": pl.String(),
    "bool": pl.Boolean(),
    "int16": pl.Int16(),
    "int32": pl.Int32(),
    "int64": pl.Int64(),
    "float64": pl.Float64(),
}


def polars_dtype(dtype: str) -> pl.DataType:
    """The Polars type of a `Column.dtype`.

    >>> polars_dtype("list<struct<scheme:string,value:string>>")
    List(Struct({'scheme': String, 'value': String}))
    """
    if dtype.startswith("list<") and dtype.endswith(">"):
        return pl.List(polars_dtype(dtype[5:-1]))
    if dtype.startswith("struct<") and dtype.endswith(">"):
        members = (member.split(":", 1) for member in dtype[7:-1].split(","))
        return pl.Struct({name: polars_dtype(inner) for name, inner in members})
    return _SCALARS[dtype]


def polars_schema(columns: Iterable[Column]) -> pl.Schema:
    """The Polars schema of some columns, in order."""
    return pl.Schema({column.name: polars_dtype(column.dtype) for column in columns})


def frame_of(table: Table, rows: Iterable[Mapping[str, object]] = ()) -> pl.DataFrame:
    """A frame of `rows` with exactly the columns of `table`; keys that a row lacks are null."""
    return pl.DataFrame(list(rows), schema=polars_schema(table.columns), orient="row")


def conform(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """`frame` with the columns of `table` in order, cast, sorted by its sort key.

    Raises:
        SchemaError: a column is missing, cannot be cast, or holds null where the contract says it cannot.
    """
    missing = [name for name in table.column_names() if name not in frame.columns]
    if missing:
        raise SchemaError(f"table {table.name}: missing {', '.join(missing)}; it has {', '.join(frame.columns)}")
    try:
        conformed = frame.select(pl.col(c.name).cast(polars_dtype(c.dtype)) for c in table.columns)
    except pl.exceptions.PolarsError as error:
        raise SchemaError(f"table {table.name}: {error}") from error
    for column in table.columns:
        if not column.nullable and conformed[column.name].null_count():
            raise SchemaError(f"table {table.name}: column {column.name} holds null, which its contract rules out")
    return conformed.sort(table.sort_key, nulls_last=True, maintain_order=True)
