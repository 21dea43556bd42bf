"""This module runs checks on a release: those of `warehouse/sql/checks`, and those a person keeps in a folder of their own.

A check is one SELECT that returns the rows that fail it, with its severity and meaning in its first lines. The name of a
check is that of its file. Every check runs in the sandbox of `paperlake sql`: a person's own is trusted no more than a query.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import duckdb

from transforms.schemas import SchemaError
from warehouse.expectations import Expectations, mount_expectations
from warehouse.row_formats import write_rows
from warehouse.sandbox import QueryError, QueryLimits, admit, open_release
from warehouse.sql_files import header_fields, own_sql_files
from warehouse.views import add_absent_tables

CHECKS_DIR = Path(__file__).parent / "sql" / "checks"

SAMPLE_ROWS = 5
_KEPT_ROWS = 100_000
"""Most failing rows kept a check; a check that fails for all of a million papers is understood from fewer."""

_BATCH_ROWS = 2048

_FILE_KEYS = {
    "file_sha256": "r.file_sha256",
    "record_id": "r.record_id",
    "record_key": "r.record_key",
    "paper_id": "r.paper_id",
}
"""Columns of failing rows that lead to raw files, the surest first, and what each is in `records` (or `raw_files`)."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule over finished tables: `severity` error stops publication, warn is reported. `is_own`: a person's, not ours."""

    name: str
    severity: str
    meaning: str
    sql: str
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found: how many rows failed, the first of them, and the file that holds them, if they were kept.

    `files` are the raw files that the failing rows come from, where their columns tell, with how many of what fails each has:
    of one paper every file that lists it. Those with most stand first. `error` says why the check could not run.
    """

    name: str
    severity: str
    meaning: str
    failing_rows: int
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    sample: tuple[tuple[object, ...], ...] = ()
    kept_in: Path | None = None
    files: tuple[tuple[str, int], ...] = ()
    error: str | None = None

    @property
    def passed(self) -> bool:
        """Whether it ran and no row failed."""
        return self.failing_rows == 0 and self.error is None


@cache
def all_checks() -> tuple[Check, ...]:
    """The checks that come with paperlake, by name.

    Raises:
        SchemaError: a file does not begin with `-- severity: error|warn` and `-- meaning: …`.
    """
    return tuple(_read_check(path) for path in sorted(CHECKS_DIR.glob("*.sql")))


def read_checks(own_dir: Path | None) -> tuple[Check, ...]:
    """The checks that come with paperlake and those in a person's own folder, by name.

    Raises:
        SchemaError: one of theirs has no header, is no file of UTF-8 text, or has the name of one of ours.
    """
    ours = {check.name: check for check in all_checks()}
    own = [] if own_dir is None else [replace(_read_check(path), is_own=True) for path in own_sql_files(own_dir)]
    for check in own:
        if check.name in ours:
            raise SchemaError(f"{own_dir}/{check.name}.sql: paperlake has a check of this name; give yours another")
    return tuple(sorted([*ours.values(), *own], key=lambda check: check.name))


def run_checks(
    release_dir: Path,
    *,
    keep_failing_in: Path | None,
    checks: Sequence[Check] | None = None,
    spill_dir: Path | None = None,
    expectations: Expectations | None = None,
    limits: QueryLimits | None = None,
) -> list[CheckResult]:
    """The result of every check on the tables in `release_dir`, in the order of the checks.

    The failing rows of a failed check are written to `<keep_failing_in>/<check>.jsonl`.

    Raises:
        SchemaError: a check cannot run on these tables.
        QueryError: the folder holds no table.
    """
    limits = limits or QueryLimits()
    with open_for_checks(release_dir, expectations, spill_dir=spill_dir, limits=limits) as connection:
        chosen = all_checks() if checks is None else checks
        return [run_check(connection, check, limits, keep_failing_in) for check in chosen]


@contextmanager
def open_for_checks(
    release_dir: Path, expectations: Expectations | None = None, *, spill_dir: Path | None = None, limits: QueryLimits
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A locked connection with the tables of a release and what a person expects of it.

    A table that is not there (such as `checks`, which is written after them) counts as empty. What does not fit in memory is
    spilled to `spill_dir`, by default in the system's folder for temporary files.

    Raises:
        QueryError: the folder holds no table, or one that cannot be read.
    """
    spill_dir = spill_dir or Path(tempfile.gettempdir()) / "paperlake-checks"
    with open_release(release_dir, spill_dir=spill_dir, limits=limits) as connection:
        add_absent_tables(connection)
        mount_expectations(connection, expectations or Expectations())
        yield connection


def run_check(
    connection: duckdb.DuckDBPyConnection,
    check: Check,
    limits: QueryLimits,
    keep_failing_in: Path | None = None,
    *,
    sample_rows: int = SAMPLE_ROWS,
) -> CheckResult:
    """The result of one check on a connection of `open_for_checks`; a person's own check has the time of a query.

    Raises:
        SchemaError: the check does more than read, cannot run on these tables, or takes too long.
    """
    passed = CheckResult(check.name, check.severity, check.meaning, 0)
    watch = threading.Timer(limits.time_seconds, connection.interrupt)
    try:
        if check.is_own:
            watch.start()
        connection.execute(admit(connection, check.sql))
        columns = [(str(column[0]), str(column[1])) for column in connection.description or []]
        first: list[tuple[object, ...]] = connection.fetchmany(_BATCH_ROWS)
        return _failed(connection, passed, columns, first, keep_failing_in, sample_rows) if first else passed
    except (duckdb.Error, QueryError) as error:
        reason = f"it took more than {limits.time_seconds:g} s" if isinstance(error, duckdb.InterruptException) else error
        raise SchemaError(f"the check {check.name} cannot run on these tables: {reason}") from error
    finally:
        watch.cancel()


def check_rows(results: Sequence[CheckResult]) -> list[dict[str, object]]:
    """The rows of the table `checks` for these results."""
    return [
        {
            "check_name": result.name,
            "severity": result.severity,
            "meaning": result.meaning,
            "failing_rows": result.failing_rows,
            "passed": result.passed,
        }
        for result in results
    ]


def _read_check(path: Path) -> Check:
    """The check in one file."""
    try:
        sql = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SchemaError(f"{path}: expected a check in UTF-8: {error}") from error
    header = header_fields(sql, path, ("severity", "meaning"))
    severity, meaning = header["severity"][0], header["meaning"][0]
    if severity not in {"error", "warn"}:
        raise SchemaError(f"{path}: expected the severity error or warn, found '{severity}'")
    return Check(path.stem, severity, meaning, sql)


def _failed(
    connection: duckdb.DuckDBPyConnection,
    passed: CheckResult,
    columns: Sequence[tuple[str, str]],
    first: list[tuple[object, ...]],
    keep_failing_in: Path | None,
    sample_rows: int,
) -> CheckResult:
    """The result of a check whose first failing rows are `first`, the others standing ready in the connection."""
    failing_rows = 0
    names, types = tuple(name for name, _ in columns), tuple(kind for _, kind in columns)
    key_column = next((name for name in _FILE_KEYS if name in names), None)
    keys: set[str] = set()

    def batches() -> Iterator[list[tuple[object, ...]]]:
        nonlocal failing_rows
        batch = first
        while batch:
            kept = batch[: max(0, _KEPT_ROWS - failing_rows)]
            failing_rows += len(batch)
            if key_column is not None:
                keys.update(str(row[names.index(key_column)]) for row in kept)
            yield kept
            batch = connection.fetchmany(_BATCH_ROWS)

    kept_in = None if keep_failing_in is None else keep_failing_in / f"{passed.name}.jsonl"
    if kept_in is None:
        for _ in batches():
            continue
    else:
        kept_in.parent.mkdir(parents=True, exist_ok=True)
        with kept_in.open("w", encoding="utf-8") as out:
            write_rows(names, types, batches(), "jsonl", out)
    files = _files_of(connection, key_column, keys) if key_column else ()
    sample = tuple(first[:sample_rows])
    return replace(passed, failing_rows=failing_rows, columns=names, types=types, sample=sample, kept_in=kept_in, files=files)


def _files_of(connection: duckdb.DuckDBPyConnection, key_column: str, keys: set[str]) -> tuple[tuple[str, int], ...]:
    """The names of the raw files that rows with these keys come from, and how many of the keys each has."""
    table = "raw_files" if key_column == "file_sha256" else "records"
    query = f"""
        select
            coalesce(f.file_name, r.file_sha256) as file_name,
            count(distinct k.key) as key_count
        from (select unnest($keys) as key) as k
        join {table} as r on {_FILE_KEYS[key_column]} = k.key
        left join raw_files as f on f.file_sha256 = r.file_sha256
        group by
            r.file_sha256,
            f.file_name
        order by
            key_count desc,
            file_name,
            r.file_sha256
    """
    return tuple((str(name), int(count)) for name, count in connection.execute(query, {"keys": sorted(keys)}).fetchall())
