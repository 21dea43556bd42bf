"""This module writes the lake's DuckDB file: views over the current release for any DuckDB client, with their meanings.

The file is derived: it holds no row of a table, only absolute paths, and is rebuilt whenever the release changes.
"""

from __future__ import annotations

import errno
from pathlib import Path

import duckdb

from transforms.schemas import TABLES
from warehouse.atomic import rename, sync, temporary_beside
from warehouse.layout import Lake
from warehouse.saved_queries import read_saved_query, view_paths
from warehouse.views import add_saved_views, comment_sql, parquet_files, saved_comment_sql, sql_text, view_sql

_STORAGE_VERSION = "v1.0.0"
"""The oldest DuckDB that can open the file; by default DuckDB 2.0 writes what only 2.0 reads."""


def build_catalog(lake_dir: Path, release_dir: Path) -> Path:
    """The path of `paperlake.duckdb` in the lake, written anew for one release.

    It has one view a table, the saved views, and the view `current_release(release_id, release_dir)`. It is built aside
    and put in place by a rename: a client that has the old file open keeps it, and no client sees half a file.
    """
    path = Lake(lake_dir.absolute()).catalog_path
    temporary = temporary_beside(path)
    temporary.unlink(missing_ok=True)
    wal = temporary.with_name(f"{temporary.name}.wal")  # DuckDB leaves it where its checkpoint at close fails, and says nothing
    try:
        _write_views(temporary, release_dir.resolve())
        if wal.exists():
            raise OSError(errno.ENOSPC, "the catalog could not be written whole", str(path))
        sync(temporary)
        rename(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
        wal.unlink(missing_ok=True)
    return path


def _write_views(path: Path, release_dir: Path) -> None:
    """Writes a DuckDB file with the views and their comments."""
    with duckdb.connect(str(path), config={"storage_compatibility_version": _STORAGE_VERSION}) as connection:
        connection.execute("begin")
        for table in TABLES.values():
            if files := parquet_files(release_dir, table):
                connection.execute(view_sql(table, files))
                held = {row[0] for row in connection.execute(f"describe {table.name}").fetchall()}
                for statement in comment_sql(table, held):
                    connection.execute(statement)
        connection.execute("commit")
        add_saved_views(connection)  # outside a transaction, which the first view that cannot be bound would end
        connection.execute("begin")
        for path in view_paths().values():
            for statement in saved_comment_sql(read_saved_query(path)):
                connection.execute(statement)
        connection.execute(
            "create view current_release as "
            f"select {sql_text(release_dir.name)} as release_id, {sql_text(str(release_dir))} as release_dir"
        )
        connection.execute("comment on view current_release is 'the one release that all views here read'")
        connection.execute("commit")
        connection.execute("checkpoint")
