"""This module is what a person expects of a release, as tables that the checks can join with.

It imports nothing slow: the settings hold expectations, and every command reads the settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from transforms.schemas import TABLES
from warehouse.views import sql_name

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class ExpectedPapers:
    """How many papers a venue has, of one year or of all: at least `min`, at most `max`, where they are given."""

    venue_id: str
    year: int | None = None
    min: int | None = None
    max: int | None = None


@dataclass(frozen=True, slots=True)
class ExpectedNulls:
    """Which share of a table's rows may have no value in a column: null, or an empty list."""

    table: str
    column: str
    max_null_ratio: float


@dataclass(frozen=True, slots=True)
class Expectations:
    """What a person expects of every release; nothing at all where they have said nothing."""

    papers: tuple[ExpectedPapers, ...] = ()
    nulls: tuple[ExpectedNulls, ...] = ()


def mount_expectations(connection: duckdb.DuckDBPyConnection, expectations: Expectations) -> None:
    """Makes the tables that the checks of expectations read, in memory.

    - `expected_counts`: venue_id, year (null: all years), least, most; one row an expectation.
    - `expected_nulls`: table_name, column_name, max_null_ratio, and of the release row_count and null_count. They are counted
      here, for a check is one fixed statement and cannot take the name of a column from a row.
    """
    connection.execute("create table expected_counts (venue_id varchar, year smallint, least bigint, most bigint)")
    for papers in expectations.papers:
        connection.execute(
            "insert into expected_counts values (?, ?, ?, ?)", [papers.venue_id, papers.year, papers.min, papers.max]
        )
    connection.execute(
        "create table expected_nulls "
        "(table_name varchar, column_name varchar, max_null_ratio double, row_count bigint, null_count bigint)"
    )
    for nulls in expectations.nulls:
        counts = connection.execute(_null_counts_sql(nulls)).fetchall()[0]
        connection.execute(
            "insert into expected_nulls values (?, ?, ?, ?, ?)", [nulls.table, nulls.column, nulls.max_null_ratio, *counts]
        )


def _null_counts_sql(nulls: ExpectedNulls) -> str:
    """The query for how many rows a table has, and in how many of them the column has no value."""
    column = next(column for column in TABLES[nulls.table].columns if column.name == nulls.column)
    name = sql_name(column.name)
    is_missing = f"{name} is null" + (f" or len({name}) = 0" if column.dtype.startswith("list<") else "")
    return f"select count(*), count(*) filter ({is_missing}) from {sql_name(nulls.table)}"
