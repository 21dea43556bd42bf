"""This module is `paperlake check`: the checks on any release, with what fails and where it comes from."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from flows.commands.cli_options import AtOption, FormatOption, LakeOption
from warehouse.names import did_you_mean

if TYPE_CHECKING:
    from flows.settings import Settings
    from warehouse.checks import Check, CheckResult
    from warehouse.layout import Lake
    from warehouse.row_formats import Format

_COLUMNS = ("release_id", "check_name", "severity", "result", "failing_rows", "files", "meaning", "sample")
_TYPES = ("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "BIGINT", "STRUCT[]", "VARCHAR", "STRUCT[]")
_FILES_SHOWN = 3


def check(
    *names: Annotated[str, Parameter(help="checks, by the names of their files; none: all")],
    lake: LakeOption = None,
    at: AtOption = None,
    all: Annotated[bool, Parameter(negative=(), help="check every release of the lake, the newest first")] = False,
    rows: Annotated[int, Parameter(help="how many failing rows of a check to show")] = 5,
    format: FormatOption = "table",
) -> int:
    """Run the checks on a release: what they mean, how many rows fail, which, and from which files; exit code 1 for an error.

    A check is a file in warehouse/sql/checks, or in a folder of your own that pipeline.toml names under [checks]: a SELECT of
    the rows that fail, after the lines `-- severity: error|warn` and `-- meaning: …`. What you expect of counts and nulls
    stands in config/expected.toml.

    Example: paperlake check expected_counts --at previous
    """
    from flows.settings import ConfigError, load_settings
    from warehouse.checks import read_checks
    from warehouse.layout import Lake

    if all and at is not None:
        raise ConfigError("--all and --at exclude each other")
    if rows < 0:
        raise ConfigError(f"--rows {rows}: expected a number of rows")
    settings = load_settings()
    chosen = _chosen(names, read_checks(settings.own_checks_dir))
    found = Lake(settings.lake_path(lake))
    results = [
        (release.name, result)
        for release in _releases(found, at, is_all=all)
        for result in _results(release, chosen, found, settings, rows)
    ]
    if format == "table":
        _print_page(results)
    else:
        _print_rows(results, format)
    return 1 if any(_word(result) in ("failed", "cannot run") for _, result in results) else 0


def _chosen(names: Sequence[str], checks: Sequence[Check]) -> list[Check]:
    """The checks that are named, each once; all where none is."""
    from transforms.schemas import PaperlakeError

    known = {each.name: each for each in checks}
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, f"checks are: {', '.join(known)}")
            raise PaperlakeError(f"there is no check '{name}'; {hint}")
    return [known[name] for name in dict.fromkeys(names)] if names else list(known.values())


def _releases(lake: Lake, at: str | None, *, is_all: bool) -> list[Path]:
    from warehouse.history import find_release
    from warehouse.release import list_releases

    if not is_all:
        return [find_release(lake, at)]
    lake.require_release()
    return [lake.releases_dir / str(row["release_id"]) for row in list_releases(lake)]


def _results(release: Path, checks: Sequence[Check], lake: Lake, settings: Settings, rows: int) -> Iterator[CheckResult]:
    """What each check finds; one that cannot run, as its columns are not in an old release, does not stop the others."""
    from dataclasses import replace

    from transforms.schemas import SchemaError
    from warehouse.checks import CheckResult, open_for_checks, run_check

    limits = settings.query_limits()
    with open_for_checks(release, settings.expectations, spill_dir=lake.spill_dir, limits=limits) as connection:
        for each in checks:
            try:
                yield run_check(connection, each, limits, sample_rows=rows)
            except SchemaError as error:
                failed = CheckResult(each.name, each.severity, each.meaning, 0)
                yield replace(failed, error=str(error))


def _word(result: CheckResult) -> str:
    """What came of a check, in a word."""
    if result.error is not None:
        return "cannot run"
    if result.passed:
        return "passed"
    return "failed" if result.severity == "error" else "warning"


def _print_rows(results: Sequence[tuple[str, CheckResult]], format: Format) -> None:
    from warehouse.row_formats import write_rows

    lines = [
        (
            release_id,
            result.name,
            result.severity,
            _word(result),
            None if result.error else result.failing_rows,
            [{"file_name": name, "count": count} for name, count in result.files],
            result.error or result.meaning,
            [dict(zip(result.columns, row, strict=True)) for row in result.sample],
        )
        for release_id, result in results
    ]
    write_rows(_COLUMNS, _TYPES, [lines], format, sys.stdout)


def _print_page(results: Sequence[tuple[str, CheckResult]]) -> None:
    """Prints the checks of each release in a table, and under it what fails."""
    from rich.text import Text

    from warehouse.row_formats import terminal_width, write_rows
    from warehouse.row_tables import plain_console, printable, write_table

    for release_id in dict.fromkeys(release_id for release_id, _ in results):
        of_release = [result for each, result in results if each == release_id]
        lines = [
            (result.name, result.severity, _word(result), None if result.error else result.failing_rows, result.meaning)
            for result in of_release
        ]
        print(f"release {release_id}")
        columns = ("check", "severity", "result", "failing_rows", "meaning")
        types = ("VARCHAR", "VARCHAR", "VARCHAR", "BIGINT", "VARCHAR")
        write_rows(columns, types, [lines], "table", sys.stdout)
        for result in of_release:
            if _word(result) == "passed":
                continue
            console = plain_console(sys.stdout)
            with console.capture() as capture:
                console.print(Text(f"\n{_word(result)}: {result.name}", style="bold"))
                for line in _told(result):
                    console.print(Text(printable(line)))
            sys.stdout.write(capture.get())
            if result.sample:
                shown = len(result.sample)
                rows = [*result.sample, *result.sample[: result.failing_rows - shown]]  # so that it is said if there are more
                width = terminal_width(sys.stdout)
                write_table(result.columns, result.types, [rows], sys.stdout, width, shown, hint="--rows N shows N of them")


def _told(result: CheckResult) -> Iterator[str]:
    """What there is to say of a check that did not pass, above its rows."""
    if result.error is not None:
        yield result.error
        return
    yield f"{result.meaning}: {result.failing_rows:,} row{'' if result.failing_rows == 1 else 's'}"
    if result.files:
        named = ", ".join(f"{name} ({count:,})" for name, count in result.files[:_FILES_SHOWN])
        more = len(result.files) - _FILES_SHOWN
        yield f"from {named}" + (f" and {more:,} more files" if more > 0 else "")
