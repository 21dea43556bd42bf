"""This module runs one query on a release within limits, and says in plain words why a query cannot run.

It imports DuckDB and nothing else that is slow: `paperlake sql "select 1"` must not wait for a frame library.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import duckdb
from duckdb.sqltypes import DuckDBPyType

from warehouse.query_clock import QueryClock, explained_errors
from warehouse.query_parameters import Parameters, check_parameters
from warehouse.sandbox import QueryError, QueryLimits, admit, open_release, sql_tokens
from warehouse.views import add_saved_views, saved_views_in, sql_name

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["QueryError", "QueryLimits", "QueryResult", "Row", "open_release", "run_query"]

Row = tuple[object, ...]

_BATCH_ROWS = 2048
"""DuckDB's own vector size, so that no more is fetched than what stands ready."""

_ARROW_BATCH_ROWS = 32_768
"""A row group of a release's Parquet."""

_INEXACT_TYPES = ("INTERVAL", "TIMESTAMP_NS", "TIMESTAMPTZ_NS")
"""Python has no exact form for them: a month becomes 30 days, nanoseconds are cut off. They are fetched as text."""


class QueryResult:
    """The answer to one query: its columns, and its rows in batches, read as they are asked for. Close it, or use `with`."""

    def __init__(self, query: _Query, clock: QueryClock) -> None:
        """Wraps a query that may run; use `run_query`."""
        self.columns: list[str] = []
        self.types: list[str] = []
        self._query = query
        self._clock = clock
        self._is_started = False

    def start(self) -> None:
        """Runs the query until its first rows stand ready; `columns` and `types` are then set. Once is enough.

        Raises:
            QueryError: the query is refused or fails, or reaches a limit.
        """
        if not self._is_started:
            self._is_started = True
            with self._working():
                self.columns, self.types = self._query.start()

    def batches(self) -> Iterator[list[Row]]:
        """The rows not read yet, some at a time.

        Raises:
            QueryError: the query fails later than at its first row, or reaches a limit.
        """
        self.start()
        while True:
            with self._working():
                rows: list[Row] = self._query.connection.fetchmany(_BATCH_ROWS)
            if not rows:
                return
            yield rows

    def rows(self) -> list[Row]:
        """All rows not read yet; for answers known to be small."""
        return [row for batch in self.batches() for row in batch]

    def arrow_batches(self, *, for_parquet: bool = False) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        """The Arrow schema and all rows, a row group at a time. The query runs for it (again, if it was started).

        Types are DuckDB's own in Arrow: a sum of integers is a decimal of 38 digits. With `for_parquet`, columns that
        Parquet has no form for (intervals, unions, bit strings, integers of any width, …) come as text.

        Raises:
            QueryError: the query is refused or fails, or reaches a limit.
        """
        with self._working():
            self._query.connection.abort()
            reader = self._query.relation(for_parquet=for_parquet).to_arrow_reader(_ARROW_BATCH_ROWS)
        return reader.schema, self._arrow(reader)

    def _arrow(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        while True:
            with self._working():
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    return
            yield batch

    def close(self) -> None:
        """Ends the query and lets go of its memory and spilled files."""
        self._query.connection.close()

    def __enter__(self) -> QueryResult:
        """The result itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        """Closes the result."""
        self.close()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """DuckDB's time within counts, and its errors come as sentences."""
        with explained_errors(self._clock, self._query.sql), self._clock.running():
            yield


def run_query(
    release_dir: Path,
    sql: str,
    *,
    spill_dir: Path,
    limits: QueryLimits,
    parameters: Parameters | None = None,
    beside: Mapping[str, Path] | None = None,
    when_stuck: Callable[[QueryError], None] | None = None,
    is_deferred: bool = False,
) -> QueryResult:
    """The answer to one untrusted query on the release in `release_dir`; see `warehouse.sandbox` for what is admitted.

    The saved views that it names stand beside the tables. `beside` are other releases whose tables stand in schemas of
    their own, see `open_release`. A query that `is_deferred` does not run before its rows are asked for, as Python's values
    or as Arrow.

    A query that reaches its time limit is interrupted. Some work inside DuckDB is deaf to that for many seconds:
    `when_stuck` is called from another thread if the query goes on 2 s later, so that a command can end its process.

    Raises:
        QueryError: the query is refused, does not parse, names what is not there, fails, or reaches a limit.
    """
    connection = open_release(release_dir, spill_dir=spill_dir, limits=limits, beside=beside)
    result = QueryResult(_Query(connection, sql, parameters), QueryClock(connection, limits, when_stuck))
    try:
        add_saved_views(connection, saved_views_in(sql))
        if not is_deferred:
            result.start()
    except BaseException:
        connection.close()
        raise
    return result


@dataclass(frozen=True, slots=True)
class _Query:
    """One untrusted text on a connection to a release, with the values of its parameters."""

    connection: duckdb.DuckDBPyConnection
    sql: str
    parameters: Parameters | None

    def start(self) -> tuple[list[str], list[str]]:
        """Runs the statement until its first rows stand ready in the connection; the names and types of its columns."""
        connection = self.connection
        statement = admit(connection, self.sql)
        check_parameters(statement, self.parameters)
        connection.execute(statement, self.parameters)
        columns = _described(connection.description)
        if statement.type.name == "SELECT" and any(kind in _INEXACT_TYPES for _, kind in columns):
            connection.abort()
            inexact = {place for place, (_, kind) in enumerate(columns) if kind in _INEXACT_TYPES}
            try:
                connection.execute(_with_texts(statement.query, columns, inexact), self.parameters)
            except duckdb.ParserException:  # a query that cannot stand in parentheses; then near enough must do
                connection.execute(statement, self.parameters)
            columns = _described(connection.description)
        return [name for name, _ in columns], [kind for _, kind in columns]

    def relation(self, *, for_parquet: bool) -> duckdb.DuckDBPyRelation:
        """The query bound but not run, for results as Arrow."""
        statement = admit(self.connection, self.sql)
        check_parameters(statement, self.parameters)
        relation = self.connection.sql(statement, params=self.parameters)
        without_form = {place for place, kind in enumerate(relation.types) if _has_no_parquet_form(kind)}
        if for_parquet and without_form and statement.type.name == "SELECT":
            columns = [(name, "") for name in relation.columns]
            return self.connection.sql(_with_texts(statement.query, columns, without_form), params=self.parameters)
        return relation


def _described(description: Sequence[Sequence[object]] | None) -> list[tuple[str, str]]:
    """The names and types of the columns of what a connection holds."""
    return [(str(column[0]), str(column[1])) for column in description or ()]


def _has_no_parquet_form(kind: DuckDBPyType) -> bool:
    """Whether Parquet cannot hold values of this type, or only as bytes that DuckDB alone understands."""
    if kind.id in _NO_PARQUET_FORM:
        return True
    if kind.id in ("list", "array", "struct", "map"):
        members = [member for _, member in kind.children if isinstance(member, DuckDBPyType)]  # an array has its size too
        return not members or any(_has_no_parquet_form(member) for member in members)
    return False


_NO_PARQUET_FORM = frozenset(
    {"interval", "union", "bit", "bignum", "uhugeint", "variant", "geometry", "time with time zone", "timetz"}
)


def _with_texts(query: str, columns: Sequence[tuple[str, str]], places: Collection[int]) -> str:
    """The query, up to its semicolon, with the columns at these places as text.

    The closing parenthesis stands on a line of its own, so that a comment at the query's end does not swallow it.
    """
    selected = ", ".join(
        (f"cast(#{place + 1} as varchar)" if place in places else f"#{place + 1}") + f" as {sql_name(name)}"
        for place, (name, _) in enumerate(columns)
    )
    end = next((start for start, word in sql_tokens(query) if word == ";"), None)
    return f"select {selected} from ({query.encode()[:end].decode()}\n)"
