"""This module is `paperlake status`: how a lake does, for a person in the morning and for what watches it at night."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from flows.commands.amounts import ago, moment_in_words, size_in_words
from flows.commands.cli_options import LakeOption

if TYPE_CHECKING:
    from warehouse.disk_use import Freeable
    from warehouse.run_reports import PastRun
    from warehouse.status import LakeStatus


def status(
    *,
    max_age: Annotated[
        float | None,
        Parameter(help="hours: exit code 1 if the last run that succeeded ended longer ago, or none ever did"),
    ] = None,
    runs: Annotated[int, Parameter(help="how many of the last runs to tell of")] = 10,
    lake: LakeOption = None,
    format: Annotated[Literal["text", "json"], Parameter(help="how it is printed")] = "text",
) -> int:
    """Tell how a lake does: its release and the age of it, the lock, the last runs and what failed, and the disk.

    A run has succeeded if it published, or found nothing to publish, or what it built is held back by a pin; sources that
    the gate held back are listed with it. A run that began and never ended was killed. Nothing is locked, opened or
    changed. Exit code 1 if something in the lake is damaged, or --max-age is exceeded.

    Example: paperlake status --max-age 26
    """
    import json

    from flows.settings import ConfigError, load_settings
    from transforms.schemas import PaperlakeError
    from warehouse.layout import Lake
    from warehouse.status import lake_status

    if max_age is not None and not max_age > 0:
        raise ConfigError(f"--max-age {max_age:g}: expected hours, more than 0")
    if runs < 0:
        raise ConfigError(f"--runs {runs}: expected a number of runs, 0 or more")
    settings = load_settings()
    told = lake_status(Lake(settings.lake_path(lake)), runs_shown=runs, grace_seconds=settings.run.prune_grace_seconds)
    if format == "json":
        print(json.dumps(told.as_dict(), indent=2))
    else:
        for line in _lines(told):
            print(line)
    if max_age is not None and (late := _too_old(told, max_age)):
        raise PaperlakeError(late)
    return 1 if told.problems else 0


def _too_old(told: LakeStatus, max_age: float) -> str | None:
    """Why the last success is older than it may be, or of no known age; None where it is not."""
    from warehouse.status import CLOCK_SKEW_SECONDS

    age = told.last_success_age_seconds
    if age is None:
        return f"no run of the lake {told.lake} has succeeded yet, and --max-age wants one within {max_age:g} h"
    if age < -CLOCK_SKEW_SECONDS:
        return f"the last run that succeeded is dated {ago(age)}: what age it has, --max-age cannot tell; set the clock"
    if age > max_age * 3600:
        return f"the last run that succeeded ended {age / 3600:.1f} h ago, longer than the {max_age:g} h of --max-age"
    return None


def _lines(told: LakeStatus) -> Iterator[str]:
    """The status as lines; what is quoted from the lake has nothing in it that a terminal would obey."""
    from flows.run_log import shown

    for what, text in _rows(told):
        yield f"{what + ':' if what else '':14} {shown(text)}".rstrip()


def _rows(told: LakeStatus) -> Iterator[tuple[str, str]]:
    yield "lake", told.lake
    for problem in told.problems:
        yield "PROBLEM", problem
    if told.release is None:
        yield "release", "none yet"
    else:
        release = told.release
        since = f"current since {moment_in_words(release.current_since)} UTC ({ago(release.age_seconds)})"
        yield "release", f"{release.release_id}, {since}" + (f" (because: {release.because})" if release.because else "")
        yield "holds", ", ".join(_counted(name, release.rows[name]) for name in _COUNTED if name in release.rows)
    live = ", ".join(f"{each.source} {each.raw_files:,} ({size_in_words(each.size_bytes)})" for each in told.live)
    yield "live", f"raw files by source: {live}" if live else "no raw file"
    if told.pin is not None:
        held = f"; it holds back release {told.pin.held}" if told.pin.held else ""
        yield "pin", told.pin.described() + held
    yield "lock", told.lock.described()
    if told.last_success_age_seconds is None:
        yield "last success", "none yet"
    else:
        yield "last success", f"{moment_in_words(told.last_success_at)} UTC ({ago(told.last_success_age_seconds)})"
    yield from _run_rows(told.runs)
    yield from _disk_rows(told)


_COUNTED = ("papers", "records", "rejects", "raw_files")


def _counted(table: str, rows: int) -> str:
    """How many there are, in words; tables have names in the plural."""
    return f"{rows:,} {(table if rows != 1 else table.removesuffix('s')).replace('_', ' ')}"


def _run_rows(runs: list[PastRun]) -> Iterator[tuple[str, str]]:
    what = "last runs"
    for run in runs:
        took = f"{run.seconds:.1f} s" if run.seconds is not None else ""
        code = f"exit {run.exit_code}" if run.exit_code else ""
        yield (
            what,
            f"{moment_in_words(run.started_at)}  {run.outcome:11}  {took:>9}  {run.release_id or '':17}  {code}".rstrip(),
        )
        what = ""
        error = run.error or ""
        for line in error.splitlines():
            yield "", f"  {line.strip()}"
        for source, reasons in run.held_sources.items():
            if (why := "; ".join(reasons)) not in error:  # a run that had nothing else failed by it, and says so
                yield "", f"  source {source} held back: {why}"


def _disk_rows(told: LakeStatus) -> Iterator[tuple[str, str]]:
    what = "disk"
    for area in told.disk:
        if area.files:
            linked = ""
            if area.area == "releases" and area.apparent_bytes > area.disk_bytes:
                linked = f"  ({size_in_words(area.apparent_bytes)} if no file were shared)"
            yield what, f"{area.area:9} {size_in_words(area.disk_bytes):>10}  {area.files:>7,} files{linked}"
            what = ""
    what = "can be freed"
    for freed in told.freeable:
        yield what, _freed(freed)
        what = ""


def _freed(freed: Freeable) -> str:
    count = len(freed.names)
    what = freed.what if count != 1 else _ONE_OF.get(freed.what, freed.what)
    return f"{size_in_words(freed.disk_bytes):>10}  {count:,} {what}: {freed.how}"


_ONE_OF = {
    "old releases": "old release",
    "raw files that are not live": "raw file that is not live",
    "unfinished files": "unfinished file",
}
