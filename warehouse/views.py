"""This module says in SQL what a release's tables are: a view over the Parquet files of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from transforms.schemas import Table

_SCALARS = {
    "string": "varchar",
    "bool": "boolean",
    "int16": "smallint",
    "int32": "integer",
    "int64": "bigint",
    "float64": "double",
}


def sql_text(value: str) -> str:
    """`value` as a SQL string.

    >>> sql_text("Rock 'n' Roll")
    "'Rock ''n'' Roll'"
    """
    return "'" + value.replace("'", "''") + "'"


def sql_name(name: str) -> str:
    """`name` as a quoted SQL identifier.

    >>> sql_name('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def sql_type(dtype: str) -> str:
    """The DuckDB type of a `Column.dtype` that a published table may have.

    >>> sql_type("list<string>")
    'varchar[]'
    """
    return sql_type(dtype[5:-1]) + "[]" if dtype.startswith("list<") else _SCALARS[dtype]


def parquet_files(release_dir: Path, table: Table) -> list[Path]:
    """The Parquet files of one table of a release, in order of their names, with absolute paths."""
    return sorted((release_dir.absolute() / table.name).glob("*.parquet"))


def view_sql(table: Table, files: Iterable[Path], schema: str = "main") -> str:
    """The statement that makes the view `table` over its files, in a schema that is there.

    All columns are taken as the files have them, so that an older release, with fewer columns, can still be queried.
    Hive partitioning is off: a folder called `x=1` above the lake would otherwise add a column `x`.
    """
    paths = ", ".join(sql_text(str(path)) for path in files)
    view = f"{sql_name(schema)}.{sql_name(table.name)}"
    return f"create view {view} as select * from read_parquet([{paths}], hive_partitioning = false)"


def empty_view_sql(table: Table) -> str:
    """The statement that makes the view `table` with the columns of its contract and no row."""
    columns = ", ".join(f"cast(null as {sql_type(column.dtype)}) as {sql_name(column.name)}" for column in table.columns)
    return f"create view {sql_name(table.name)} as select {columns} where false"


def comment_sql(table: Table, columns: Collection[str]) -> list[str]:
    """The statements that put the meanings of the contract on the view `table` and those of its columns it has."""
    name = sql_name(table.name)
    return [
        f"comment on view {name} is {sql_text(table.grain)}",
        *(
            f"comment on column {name}.{sql_name(column.name)} is {sql_text(column.meaning)}"
            for column in table.columns
            if column.name in columns
        ),
    ]
