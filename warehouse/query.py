"""This module runs one query on a release within limits, and says in plain words why a query cannot run.

It imports DuckDB and nothing else that is slow: `paperlake sql "select 1"` must not wait for a frame library.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import duckdb

from warehouse.query_errors import query_error, time_limit_error
from warehouse.sandbox import QueryError, QueryLimits, admit, open_release, sql_tokens
from warehouse.views import sql_name

__all__ = ["QueryError", "QueryLimits", "QueryResult", "Row", "open_release", "run_query"]

Row = tuple[object, ...]
Parameters = Sequence[object] | Mapping[str, object]

_BATCH_ROWS = 2048
"""DuckDB's own vector size, so that no more is fetched than what stands ready."""

_GRACE_SECONDS = 2.0
"""How long after its interrupt a query may go on before it counts as stuck: joins and sorts stop within 0.1 s, the
planner of 40 joined `with` clauses in 10 s, a function that builds one huge value when it is done."""

_INEXACT_TYPES = ("INTERVAL", "TIMESTAMP_NS", "TIMESTAMPTZ_NS")
"""Python has no exact form for them: a month becomes 30 days, nanoseconds are cut off. They are fetched as text."""


class QueryResult:
    """The answer to one query: its columns, and its rows in batches, read as they are asked for. Close it, or use `with`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, clock: _Clock, limits: QueryLimits, sql: str) -> None:
        """Wraps the open result of `connection`; use `run_query`."""
        description = connection.description or []
        self.columns: list[str] = [str(column[0]) for column in description]
        self.types: list[str] = [str(column[1]) for column in description]
        self._connection = connection
        self._clock = clock
        self._limits = limits
        self._sql = sql

    def batches(self) -> Iterator[list[Row]]:
        """The rows not read yet, some at a time.

        Raises:
            QueryError: the query fails later than at its first row, or reaches a limit.
        """
        while True:
            try:
                with self._clock.running():
                    rows: list[Row] = self._connection.fetchmany(_BATCH_ROWS)
            except (duckdb.Error, MemoryError) as error:
                raise query_error(error, self._limits, timed_out=self._clock.expired, sql=self._sql) from error
            if not rows:
                return
            yield rows

    def rows(self) -> list[Row]:
        """All rows not read yet; for answers known to be small."""
        return [row for batch in self.batches() for row in batch]

    def close(self) -> None:
        """Ends the query and lets go of its memory and spilled files."""
        self._connection.close()

    def __enter__(self) -> QueryResult:
        """The result itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        """Closes the result."""
        self.close()


def run_query(
    release_dir: Path,
    sql: str,
    *,
    spill_dir: Path,
    limits: QueryLimits,
    parameters: Parameters | None = None,
    beside: Mapping[str, Path] | None = None,
    when_stuck: Callable[[QueryError], None] | None = None,
) -> QueryResult:
    """The answer to one untrusted query on the release in `release_dir`; see `warehouse.sandbox` for what is admitted.

    `beside` are other releases whose tables stand in schemas of their own, see `open_release`.

    A query that reaches its time limit is interrupted. Some work inside DuckDB is deaf to that for many seconds:
    `when_stuck` is called from another thread if the query goes on 2 s later, so that a command can end its process.

    Raises:
        QueryError: the query is refused, does not parse, names what is not there, fails, or reaches a limit.
    """
    connection = open_release(release_dir, spill_dir=spill_dir, limits=limits, beside=beside)
    clock = _Clock(connection, limits, when_stuck)
    try:
        with clock.running():
            _start(connection, sql, parameters)
    except (duckdb.Error, MemoryError) as error:
        explained = query_error(error, limits, timed_out=clock.expired, sql=sql)
        connection.close()
        raise explained from error
    except BaseException:
        connection.close()
        raise
    return QueryResult(connection, clock, limits, sql)


def _start(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters | None) -> None:
    """Runs the statement until its first rows stand ready in the connection."""
    statement = admit(connection, sql)
    connection.execute(statement, parameters)
    columns = [(str(column[0]), str(column[1])) for column in connection.description or []]
    if statement.type.name == "SELECT" and any(kind in _INEXACT_TYPES for _, kind in columns):
        connection.abort()
        try:
            connection.execute(_with_exact_text(statement.query, columns), parameters)
        except duckdb.ParserException:  # a query that cannot stand in parentheses; then near enough must do
            connection.execute(statement, parameters)


def _with_exact_text(query: str, columns: Sequence[tuple[str, str]]) -> str:
    """The query, up to its semicolon, with its columns of `_INEXACT_TYPES` as text.

    The closing parenthesis stands on a line of its own, so that a comment at the query's end does not swallow it.
    """
    selected = ", ".join(
        (f"cast(#{place} as varchar)" if kind in _INEXACT_TYPES else f"#{place}") + f" as {sql_name(name)}"
        for place, (name, kind) in enumerate(columns, start=1)
    )
    end = next((start for start, word in sql_tokens(query) if word == ";"), None)
    return f"select {selected} from ({query.encode()[:end].decode()}\n)"


class _Clock:
    """Counts the seconds DuckDB works on one query, and interrupts it when they are used up."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, limits: QueryLimits, when_stuck: Callable[[QueryError], None] | None
    ) -> None:
        self.expired = False
        self._connection = connection
        self._limits = limits
        self._left_seconds = limits.time_seconds
        self._when_stuck = when_stuck

    @contextmanager
    def running(self) -> Iterator[None]:
        """The time within counts."""
        ended = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(ended, self._left_seconds), daemon=True)
        begun = time.monotonic()
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()
            self._left_seconds = max(0.0, self._left_seconds - (time.monotonic() - begun))

    def _watch(self, ended: threading.Event, seconds: float) -> None:
        """Waits for the end or the limit; past it, interrupts again and again, for one may fall between two statements."""
        if ended.wait(seconds):
            return
        self.expired = True
        patience = time.monotonic() + _GRACE_SECONDS
        while not ended.is_set():
            self._connection.interrupt()
            if self._when_stuck is not None and time.monotonic() > patience:
                self._when_stuck(time_limit_error(self._limits))
                return
            ended.wait(0.05)
