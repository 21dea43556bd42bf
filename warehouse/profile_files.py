"""This module opens a file of rows, of any origin, so that it can be profiled: Parquet, CSV or JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from warehouse.sandbox import QueryLimits

FILE_TABLE = "file"
"""What the rows of the file are called in the connection."""

_READERS = {
    ".parquet": "create view file as select * from read_parquet({path}, hive_partitioning = false)",
    ".csv": "create table file as select * from read_csv({path}, sample_size = -1, hive_partitioning = false)",
    ".jsonl": "create table file as select * from read_json({path}, format = 'newline_delimited', sample_size = -1, "
    "maximum_depth = 3, map_inference_threshold = -1, maximum_object_size = 300000000, hive_partitioning = false)",
}
_READERS |= {".tsv": _READERS[".csv"], ".ndjson": _READERS[".jsonl"]}


def is_read_directly(path: Path) -> bool:
    """Whether the rows of a file can be told without a reader, by what its name ends in."""
    return path.suffix.lower() in _READERS


@contextmanager
def open_file(path: Path, *, spill_dir: Path, limits: QueryLimits) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in which the rows of a file are the table `FILE_TABLE`; nothing else is read or written.

    Of CSV and JSON lines all rows are looked at for the types of their columns, then kept in memory or spilled.

    Raises:
        duckdb.Error: the file is not what its name says.
    """
    config = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
        "threads": str(max(1, limits.threads)),
        "memory_limit": f"{limits.memory_bytes}B",
        "temp_directory": str(spill_dir.absolute()),
        "max_temp_directory_size": f"{limits.spill_bytes}B",
    }
    with duckdb.connect(":memory:", config=dict(config)) as connection:
        connection.execute("set enable_progress_bar = false")
        if path.suffix.lower() in (".csv", ".tsv"):
            _check_first_lines(connection, path)
        connection.execute(_READERS[path.suffix.lower()].format(path=_path_sql(path)))
        yield connection


def _check_first_lines(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Raises a `duckdb.Error` where DuckDB takes a CSV file otherwise than it is meant, as some of its rows are ragged.

    It would leave out the first lines, with the header, or take each line for one cell, and say nothing of it.
    """
    query = f"select SkipRows, list_transform(Columns, lambda c: c.name) from sniff_csv({_path_sql(path)}, sample_size = -1)"
    skipped, names = connection.execute(query).fetchall()[0]
    if skipped or (len(names) == 1 and re.search("[,;\t|]", names[0])):
        raise duckdb.InvalidInputException("some of its rows have more cells than its first line, or fewer")


def _path_sql(path: Path) -> str:
    """The path of one file in SQL; DuckDB would take `*`, `?` and `[` in it for a pattern.

    >>> _path_sql(Path("/a/b [1]'s.csv"))
    "'/a/b [[]1]''s.csv'"
    """
    pattern = re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))
    return "'" + pattern.replace("'", "''") + "'"
