"""This module says in SQL what stands in a release: a view over the Parquet files of each table, and the saved views."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from transforms.schemas import TABLES, Table
from warehouse.saved_queries import SavedQuery, read_saved_query, view_paths

if TYPE_CHECKING:
    import duckdb

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


def add_absent_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes the tables of the contract that a release lacks, such as one from before they were there, without a row."""
    rows = connection.execute("select view_name from duckdb_views() where not internal and schema_name = 'main'").fetchall()
    there = {str(row[0]) for row in rows}
    for table in TABLES.values():
        if table.name not in there:
            connection.execute(empty_view_sql(table))


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


def saved_views_in(sql: str) -> list[str]:
    """The saved views that a query may read, by the words in its text; all of them where it asks what there is.

    Each view takes 3 to 5 ms to make, as DuckDB binds it: 25 would double the time of `paperlake sql "select 1"`.

    >>> saved_views_in("select * from Link_Hosts"), saved_views_in("select title from papers")
    (['link_hosts'], [])
    """
    words = set(re.findall(r"\w+", sql.lower()))
    return [name for name in view_paths() if name in words or words & _WORDS_FOR_ALL]


_WORDS_FOR_ALL = {
    *("show", "describe", "desc", "summarize", "information_schema", "pg_catalog", "sqlite_master", "pragma_table_info"),
    *("duckdb_views", "duckdb_tables", "duckdb_columns"),
}


def add_saved_views(connection: duckdb.DuckDBPyConnection, names: Iterable[str] | None = None) -> dict[str, str]:
    """Makes the saved views of these names, or all, beside the tables; by name of those it cannot have what a release lacks.

    An older release may lack a table or column that a view reads. The view then stands all the same, with the columns
    of its header, and says why as soon as it is read: neither `paperlake sql` nor another client breaks for it.
    """
    import duckdb

    lacks: dict[str, str] = {}
    for name in view_paths() if names is None else names:
        saved = read_saved_query(view_paths()[name])
        try:
            connection.execute(f"create view main.{sql_name(name)} as\n{saved.sql}")
        except (duckdb.BinderException, duckdb.CatalogException) as error:
            lacks[name] = _lack(error)
            connection.execute(_absent_view_sql(saved, lacks[name]))
    return lacks


def saved_comment_sql(saved: SavedQuery) -> list[str]:
    """The statements that put the meanings of a saved view's header on it and its columns."""
    name = sql_name(saved.name)
    return [
        f"comment on view {name} is {sql_text(f'{saved.meaning}; {saved.grain}')}",
        *(f"comment on column {name}.{sql_name(column)} is {sql_text(meaning)}" for column, meaning in saved.columns.items()),
    ]


def _lack(error: duckdb.Error) -> str:
    """What a release lacks, of DuckDB's message that a view cannot be bound."""
    message = str(error)
    if found := re.search(r'Table with name "?([^"\s]+)"? does not exist', message):
        return f"the table {found[1]}"
    if found := re.search(r'column (?:named )?"([^"]+)"', message):
        return f"the column {found[1]}"
    return f"what it reads ({message.splitlines()[0]})"


def _absent_view_sql(saved: SavedQuery, lack: str) -> str:
    """The statement that makes a view which fails with its reason when it is read."""
    message = f"the view {saved.name} cannot be had of this release, which lacks {lack}"
    columns = ", ".join(f"cast(null as varchar) as {sql_name(column)}" for column in saved.columns)
    return f"create view main.{sql_name(saved.name)} as select {columns} where error({sql_text(message)}) is null"
