"""This module counts the seconds that DuckDB works on a query, and stops it when they are used up."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import duckdb

from warehouse.query_errors import query_error, time_limit_error
from warehouse.sandbox import QueryError, QueryLimits

_GRACE_SECONDS = 2.0
"""How long after its interrupt a query may go on before it counts as stuck: joins and sorts stop within 0.1 s, the
planner of 40 joined `with` clauses in 10 s, a function that builds one huge value when it is done."""


class QueryClock:
    """Counts the seconds DuckDB works on one query, and interrupts it when they are used up."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, limits: QueryLimits, when_stuck: Callable[[QueryError], None] | None = None
    ) -> None:
        """`when_stuck` is called, from another thread, where a query goes on although it was interrupted."""
        self.expired = False
        self.limits = limits
        self._connection = connection
        self._left_seconds = limits.time_seconds
        self._when_stuck = when_stuck

    @contextmanager
    def running(self) -> Iterator[None]:
        """The time within counts."""
        if math.isinf(self._left_seconds):
            yield
            return
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
                self._when_stuck(time_limit_error(self.limits))
                return
            ended.wait(0.05)


@contextmanager
def explained_errors(clock: QueryClock, sql: str) -> Iterator[None]:
    """Within it, what DuckDB raises for the query `sql` comes as a sentence.

    Raises:
        QueryError: DuckDB raised an error; one that came through Arrow is an `OSError` without a number.
    """
    try:
        yield
    except (duckdb.Error, MemoryError) as error:
        raise query_error(error, clock.limits, timed_out=clock.expired, sql=sql) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise query_error(_of_arrow(error), clock.limits, timed_out=clock.expired, sql=sql) from error


def _of_arrow(error: OSError) -> duckdb.Error:
    """DuckDB's own error, of one that Arrow has only the text of."""
    kind = next((kind for name, kind in _KINDS.items() if str(error).startswith(name)), duckdb.Error)
    return kind(str(error))


_KINDS: dict[str, type[duckdb.Error]] = {
    "Out of Memory Error": duckdb.OutOfMemoryException,
    "INTERRUPT Error": duckdb.InterruptException,
}
