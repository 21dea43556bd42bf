"""This module is the lake for Python: a connection to one release, whose answers become frames in one call."""

from __future__ import annotations

import functools
import io
import math
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import duckdb

from transforms.schemas import PaperlakeError
from warehouse.history import find_release
from warehouse.layout import Lake, read_release
from warehouse.query_clock import QueryClock, explained_errors
from warehouse.query_parameters import Parameters, check_parameters
from warehouse.row_formats import terminal_width
from warehouse.sandbox import QueryError, QueryLimits, admit, open_release
from warehouse.views import add_saved_views, saved_views_in

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_SHOWN_ROWS = 10

_REMEMBERED_TEXTS = 1_000
"""Texts of queries that a connection remembers having admitted, as looking at one takes 1 ms of the 9 of a lookup by id."""


class MissingPackageError(PaperlakeError, ImportError):
    """A package that an answer was to be turned into the frames of, and that is not installed."""


def open_connection(lake: str | Path, at: str | None = None, limits: QueryLimits | None = None) -> Connection:
    """See `warehouse.open`."""
    lake_dir = Lake(Path(lake))
    limits = limits or QueryLimits(time_seconds=math.inf, threads=os.cpu_count() or 1)
    release_dir = find_release(lake_dir, at)
    return Connection(release_dir, open_release(release_dir, spill_dir=lake_dir.spill_dir, limits=limits), limits)


class Connection:
    """A read-only connection to one release, which stays what it is whatever runs meanwhile; close it, or use `with`.

    Several answers may be open at a time, and several threads may ask.
    """

    def __init__(self, release_dir: Path, connection: duckdb.DuckDBPyConnection, limits: QueryLimits) -> None:
        """Wraps a connection of `open_release`; use `warehouse.open`."""
        self.release_dir = release_dir
        self._connection: duckdb.DuckDBPyConnection | None = connection
        self._limits = limits
        self._saved_views: set[str] = set()
        self._adding_views = threading.Lock()
        self._bound: dict[str, duckdb.Statement] = {}

    @property
    def release_id(self) -> str:
        """The id of the release."""
        return self.release_dir.name

    def sql(self, query: str, parameters: Parameters | None = None) -> Answer:
        """The answer to one SELECT (or VALUES, PIVOT, DESCRIBE, SHOW, SUMMARIZE, EXPLAIN) in DuckDB's SQL.

        The query is looked at now (a text that was asked before is remembered) and runs when its rows are asked for, each time
        anew. Values for `$name` are given by
        name, for `?` in their order; they are bound, never pasted.

            con.sql("select title from papers where venue = $venue and year = $year", {"venue": "ICLR", "year": 2024}).pl()
            con.sql("select * from papers where paper_id = ?", [paper_id]).fetchall()

        Raises:
            QueryError: the query is refused, does not parse, names what is not there, or its parameters are others.
        """
        if self._connection is None:
            raise QueryError("the connection is closed; open another with warehouse.open(lake)")
        statement = self._bound.get(query)
        if statement is None:
            with self._adding_views:
                named = set(saved_views_in(query)) - self._saved_views
                add_saved_views(self._connection, sorted(named))
                self._saved_views |= named
        answer = Answer(self._connection, query, parameters, self._limits, statement)
        if statement is None:
            if len(self._bound) >= _REMEMBERED_TEXTS:
                self._bound.clear()
            self._bound[query] = answer.statement
        return answer

    def tables(self) -> list[str]:
        """The names of the tables and views.

        con.tables()  # [..., 'papers', 'papers_by_venue_year', ...]
        """
        return [
            str(row[0]) for row in self.sql("select view_name from duckdb_views() where not internal order by all").fetchall()
        ]

    def close(self) -> None:
        """Ends it: nothing more can be asked. Answers that are still about keep the release until they are gone."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Connection:
        """The connection itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        """Closes the connection."""
        self.close()

    def __repr__(self) -> str:
        """Which release it reads, when that was published, and whether the connection is closed."""
        published = str(read_release(self.release_dir)["published_at"])[:10]
        return f"<paperlake release {self.release_id} of {published}{'' if self._connection else ', closed'}>"


class Answer:
    """The answer to one query: its columns and DuckDB types, and its rows as whatever one call asks for."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        query: str,
        parameters: Parameters | None,
        limits: QueryLimits,
        statement: duckdb.Statement | None = None,
    ) -> None:
        """Looks at the query, unless its `statement` is given, which was looked at and bound before; use `Connection.sql`."""
        self._query = query
        self._parameters = parameters
        self._limits = limits
        self._parent = connection  # holds the release for as long as this answer may be read
        self._cursor = connection.cursor()
        self._clock = QueryClock(self._cursor, limits)
        with self._working():
            self.statement = statement or admit(self._cursor, query)
            check_parameters(self.statement, parameters)
        if statement is None:
            self._relation  # noqa: B018 - binds it, which is 0.4 ms of a lookup by id

    @functools.cached_property
    def _relation(self) -> duckdb.DuckDBPyRelation:
        """The query bound, not run."""
        with self._working():
            return self._cursor.sql(self.statement, params=self._parameters)

    @functools.cached_property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._relation.columns)

    @functools.cached_property
    def types(self) -> list[str]:
        """The DuckDB types of the columns."""
        return [str(kind) for kind in self._relation.types]

    def fetchall(self) -> list[tuple[object, ...]]:
        """All rows as tuples of Python values.

            con.sql("select count(*) from papers").fetchall()  # [(1234,)]

        Raises:
            QueryError: the query fails, or reaches a limit; so for all that follow.
        """
        with self._working():  # not of the relation, which takes 2 ms longer
            return list(self._cursor.execute(self.statement, self._parameters).fetchall())

    def arrow(self) -> pa.Table:
        """All rows as a PyArrow table; a sum of integers is a decimal of 38 digits, `sum(…)::bigint` an integer."""
        _need("pyarrow", "fetchall()")
        relation = self._relation
        with self._working():
            return relation.to_arrow_table()

    def arrow_batches(self, batch_rows: int = 32_768) -> Iterator[pa.RecordBatch]:
        """The rows as PyArrow batches, read as they are asked for: for answers that do not fit in memory."""
        _need("pyarrow", "fetchall()")
        # Another, as this one may be asked for more meanwhile.
        twin = Answer(self._parent, self._query, self._parameters, self._limits, self.statement)
        relation = twin._relation
        with twin._working():
            batches = iter(relation.to_arrow_reader(batch_rows))
        while True:
            with twin._working():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def pl(self) -> pl.DataFrame:
        """All rows as a Polars frame; types as for `arrow`.

        con.sql("select venue, year, count(*) as papers from papers group by all order by all").pl()
        """
        _need("polars", "arrow()")
        import polars as pl

        return pl.DataFrame(pl.from_arrow(self.arrow()))

    def df(self) -> pd.DataFrame:
        """All rows as a pandas frame; lists are NumPy arrays.

        con.sql("select title, authors from papers limit 5").df()
        """
        _need("pandas", "pl() or arrow()")
        relation = self._relation
        with self._working():
            frame: pd.DataFrame = relation.df()
            return frame

    pandas = df
    """The same as `df`."""

    def __iter__(self) -> Iterator[tuple[object, ...]]:
        """The rows, as `fetchall` has them."""
        return iter(self.fetchall())

    def __repr__(self) -> str:
        """The first rows, as `paperlake sql` prints them."""
        from warehouse.row_tables import write_table  # rich: 0.1 s

        out = io.StringIO()
        relation = self._relation
        with self._working():
            rows = relation.limit(_SHOWN_ROWS + 1).fetchall()
        write_table(self.columns, self.types, [rows], out, terminal_width(sys.stdout), _SHOWN_ROWS, hint="pl() gives all")
        return out.getvalue()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """DuckDB's time within counts, and its errors come as sentences."""
        with explained_errors(self._clock, self._query), self._clock.running():
            yield


def _need(package: str, instead: str) -> None:
    """Raises `MissingPackageError` where a package is not installed."""
    import importlib.util

    if importlib.util.find_spec(package) is None:
        raise MissingPackageError(f"{package} is not installed: install it (pip install {package}), or take {instead}")
