"""This module is the commands that only read: they import neither Prefect nor, but for `formats`, a reader."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.settings import ConfigError, Settings, load_settings
from transforms.schemas import TABLES, PaperlakeError
from warehouse.history import find_release
from warehouse.layout import Lake
from warehouse.names import did_you_mean

if TYPE_CHECKING:
    from warehouse.query import QueryLimits, QueryResult
    from warehouse.row_formats import Format

owns_process = False
"""Whether this process does nothing but answer one command; then a query's memory is capped for the whole of it."""


def print_tables(table: str | None, lake_path: Path | None, format: Format, *, at: str | None = None) -> int:
    """Prints the tables with their grain and rows, or the columns of one table with their meaning.

    Raises:
        PaperlakeError: there is no such table; the message has the near name.
    """
    from warehouse.dictionary import COLUMNS, TABLE_COLUMNS, column_rows, table_rows

    if table is not None and table not in TABLES:
        hint = did_you_mean(table, TABLES, f"tables are: {', '.join(TABLES)}")
        raise PaperlakeError(f"there is no table '{table}'; {hint}")
    if table is not None:
        print_rows(COLUMNS, column_rows(table), format)
        return 0
    lake = Lake(load_settings().lake_path(lake_path))
    release = lake.current_release() if at is None else find_release(lake, at)
    print_rows(TABLE_COLUMNS, table_rows(_row_counts(release) if release else None), format)
    return 0


def print_rejects(reason: str | None, lake_path: Path | None, format: Format, *, at: str | None = None) -> int:
    """Prints the rejects of a release, or those with one reason."""
    query = """
        select f.file_name, r.locator, r.stage, r.reason, r.message, r.text
        from rejects r
        join raw_files f using (file_sha256)
        where $reason is null or r.reason = $reason
        order by f.file_name, r.file_sha256, r.span_start, r.locator, r.reason
    """
    _print_answer(query, lake_path, format, at=at, parameters={"reason": reason})
    return 0


def print_ledger(lake_path: Path | None, format: Format, *, at: str | None = None) -> int:
    """Prints the ledger with the names of the files; 1 if a file does not balance. A table leaves out what would not fit."""
    fitting = "l.size_bytes, l.records_staged, l.records_clean, l.records_rejected, l.spans_rejected, l.balanced"
    query = f"""
        select f.file_name, {fitting if format == "table" else "l.*"}
        from ledger l
        join raw_files f using (file_sha256)
        order by f.file_name, l.file_sha256
    """
    _print_answer(query, lake_path, format, at=at)
    with answer("select count(*) from ledger where not balanced", lake_path, at=at) as unbalanced:
        return 1 if unbalanced.rows() != [(0,)] else 0


def print_rows(columns: Sequence[str], rows: Sequence[tuple[object, ...]], format: Format) -> None:
    """Prints rows that are no query's answer; the types are told from the first row's values."""
    from warehouse.row_formats import write_rows

    types = [_SQL_TYPES.get(type(value), "VARCHAR") for value in rows[0]] if rows else ["VARCHAR"] * len(columns)
    write_rows(columns, types, [rows], format, sys.stdout, wraps=True)


def answer(
    query: str,
    lake_path: Path | None,
    *,
    at: str | None = None,
    timeout_seconds: float | None = None,
    parameters: Mapping[str, object] | None = None,
    beside: Mapping[str, str] | None = None,
    is_deferred: bool = False,
    caps_memory: bool = True,
) -> QueryResult:
    """The answer to a query of the release that `at` means (see `find_release`); close it.

    `beside` are other releases, meant in the same way, by the schema that their tables are to stand in. A query that
    `is_deferred` runs when its rows are asked for. A command that does more than answer leaves its process without a ceiling
    of memory: not `caps_memory`.

    Raises:
        LakeError: nothing is published, or there is no such release.
        QueryError: the query fails, or reaches a limit.
    """
    from warehouse.query import run_query
    from warehouse.sandbox import cap_process_memory

    settings = load_settings()
    lake = Lake(settings.lake_path(lake_path))
    limits = query_limits(settings, timeout_seconds)
    release = find_release(lake, at)
    others = {schema: find_release(lake, other) for schema, other in (beside or {}).items()}
    if owns_process and caps_memory:
        cap_process_memory(limits)
    return run_query(
        release,
        query,
        spill_dir=lake.spill_dir,
        limits=limits,
        parameters=parameters,
        beside=others,
        when_stuck=_end_process,
        is_deferred=is_deferred,
    )


def query_limits(settings: Settings, timeout_seconds: float | None) -> QueryLimits:
    """What a query may take: as in `[query]` of pipeline.toml, with the seconds that were given instead, if any.

    Raises:
        ConfigError: the seconds given are not above 0.
    """
    import dataclasses

    if timeout_seconds is not None and not timeout_seconds > 0:
        raise ConfigError(f"--timeout {timeout_seconds:g}: expected seconds above 0")
    limits = settings.query_limits()
    return limits if timeout_seconds is None else dataclasses.replace(limits, time_seconds=timeout_seconds)


def _print_answer(
    query: str,
    lake_path: Path | None,
    format: Format,
    *,
    at: str | None = None,
    parameters: Mapping[str, object] | None = None,
) -> None:
    from warehouse.row_formats import write_rows

    with answer(query, lake_path, at=at, parameters=parameters) as result:
        write_rows(result.columns, result.types, result.batches(), format, sys.stdout)


_SQL_TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}


def _row_counts(release: Path) -> dict[str, int]:
    from warehouse.layout import read_release

    return {name: table["rows"] for name, table in read_release(release)["tables"].items()}


def _end_process(error: PaperlakeError) -> None:
    """Ends the process with the error's sentence: for a query that is deaf to its interrupt."""
    print(f"paperlake: {error}", file=sys.stderr, flush=True)
    os._exit(error.exit_code)
