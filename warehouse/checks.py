"""This module runs the checks of `warehouse/sql/checks` on a release that is built but not published yet.

A check is one SELECT that returns the rows that fail it, with its severity and meaning in its first lines. The name of a
check is that of its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb

from transforms.schemas import TABLES, SchemaError
from warehouse.row_formats import write_rows
from warehouse.sql_files import header_fields
from warehouse.views import empty_view_sql, parquet_files, view_sql

CHECKS_DIR = Path(__file__).parent / "sql" / "checks"

_SAMPLE_ROWS = 5
_KEPT_ROWS = 100_000
"""Most failing rows kept a check; a check that fails for all of a million papers is understood from fewer."""

_BATCH_ROWS = 2048


@dataclass(frozen=True, slots=True)
class Check:
    """One rule over finished tables: `severity` error stops publication, warn is reported."""

    name: str
    severity: str
    meaning: str
    sql: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found: how many rows failed, the first of them, and the file that holds them, if they were kept."""

    name: str
    severity: str
    meaning: str
    failing_rows: int
    columns: tuple[str, ...] = ()
    sample: tuple[tuple[object, ...], ...] = ()
    kept_in: Path | None = None

    @property
    def passed(self) -> bool:
        """Whether no row failed."""
        return self.failing_rows == 0


@cache
def all_checks() -> tuple[Check, ...]:
    """The checks, by name.

    Raises:
        SchemaError: a file does not begin with `-- severity: error|warn` and `-- meaning: …`.
    """
    return tuple(_read_check(path) for path in sorted(CHECKS_DIR.glob("*.sql")))


def run_checks(
    release_dir: Path,
    *,
    keep_failing_in: Path | None,
    checks: Sequence[Check] | None = None,
    spill_dir: Path | None = None,
) -> list[CheckResult]:
    """The result of every check on the tables in `release_dir`, by name of the check.

    A table that is not there (such as `checks`, which is written after them) counts as empty. The failing rows of a
    failed check are written to `<keep_failing_in>/<check>.jsonl`. What does not fit in memory is spilled to
    `spill_dir`, if there is one.
    """
    config = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": "" if spill_dir is None else str(spill_dir.absolute()),
    }
    with duckdb.connect(":memory:", config=dict(config)) as connection:
        for table in TABLES.values():
            files = parquet_files(release_dir, table)
            connection.execute(view_sql(table, files) if files else empty_view_sql(table))
        return [_run_check(connection, check, keep_failing_in) for check in (all_checks() if checks is None else checks)]


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
    sql = path.read_text(encoding="utf-8")
    header = header_fields(sql, path, ("severity", "meaning"))
    severity, meaning = header["severity"][0], header["meaning"][0]
    if severity not in {"error", "warn"}:
        raise SchemaError(f"{path}: expected the severity error or warn, found '{severity}'")
    return Check(path.stem, severity, meaning, sql)


def _run_check(connection: duckdb.DuckDBPyConnection, check: Check, keep_failing_in: Path | None) -> CheckResult:
    """The result of one check."""
    try:
        connection.execute(check.sql)
        columns = [(str(column[0]), str(column[1])) for column in connection.description or []]
        first: list[tuple[object, ...]] = connection.fetchmany(_BATCH_ROWS)
        passed = CheckResult(check.name, check.severity, check.meaning, 0)
        return _failed(connection, passed, columns, first, keep_failing_in) if first else passed
    except duckdb.Error as error:
        raise SchemaError(f"the check {check.name} cannot run on these tables: {error}") from error


def _failed(
    connection: duckdb.DuckDBPyConnection,
    passed: CheckResult,
    columns: Sequence[tuple[str, str]],
    first: list[tuple[object, ...]],
    keep_failing_in: Path | None,
) -> CheckResult:
    """The result of a check whose first failing rows are `first`, the others standing ready in the connection."""
    failing_rows = 0

    def batches() -> Iterator[list[tuple[object, ...]]]:
        nonlocal failing_rows
        batch = first
        while batch:
            room = max(0, _KEPT_ROWS - failing_rows)
            failing_rows += len(batch)
            yield batch[:room]
            batch = connection.fetchmany(_BATCH_ROWS)

    names, types = tuple(name for name, _ in columns), tuple(kind for _, kind in columns)
    kept_in = None
    if keep_failing_in is None:
        for _ in batches():
            continue
    else:
        keep_failing_in.mkdir(parents=True, exist_ok=True)
        kept_in = keep_failing_in / f"{passed.name}.jsonl"
        with kept_in.open("w", encoding="utf-8") as out:
            write_rows(names, types, batches(), "jsonl", out)
    return CheckResult(passed.name, passed.severity, passed.meaning, failing_rows, names, tuple(first[:_SAMPLE_ROWS]), kept_in)
