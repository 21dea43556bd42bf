"""This package keeps the lake: its layout, landing, Parquet writing, releases, and DuckDB on top of them.

From Python, `warehouse.open` reads a release:

    import warehouse

    with warehouse.open("lake") as con:
        con.sql("select title from papers where year = $year", {"year": 2024}).pl()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from warehouse.connection import Connection
    from warehouse.sandbox import QueryLimits

__all__ = ["open"]


def open(lake: str | Path, at: str | None = None, *, limits: QueryLimits | None = None) -> Connection:
    """A read-only connection to a release of the lake in the folder `lake`; close it, or use `with`.

    `at` is a release: its id or the id's start, `previous`, or a date or time in UTC; by default the current one. The
    connection stays on it, whatever runs or is pruned meanwhile. It is as closed as `paperlake sql`: it reads the tables of
    the release, no other file, no network and no Python variable, so that it may be given a query somebody else wrote. To
    join with frames of your own, take the rows out, or read the Parquet files, which lie in `con.release_dir`.

    `limits` are by default 2 GB of memory, all processors and as much time as it takes.

        con = warehouse.open("lake")
        con.sql("select * from papers where paper_id = ?", ["p0123456789abcdef"]).fetchall()
        con.sql("select venue, year, count(*) as papers from papers group by all order by all").pl()   # Polars
        con.sql("select title, year from papers where venue = $venue", {"venue": "ICLR"}).df()          # pandas
        con.sql("from authorships").arrow()                                                             # PyArrow

    Raises:
        LakeError: there is no lake, no release in it, or none that `at` means.
        QueryError: the release cannot be read.
    """
    from warehouse.connection import open_connection

    return open_connection(lake, at, limits)
