"""This module reads what runs left of themselves in `runs/`, newest first, and removes the oldest."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from warehouse.layout import Lake

REPORT = "report.json"

RUNNING = "running"
"""The outcome in the report of a run that has not come to its end: it goes on, or it was killed."""

_SUCCEEDED = frozenset(("published", "unchanged", "nothing new", "held"))


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run by its report. `outcome` is that of the report, or `unknown` where the report is missing or damaged.

    `seconds` is null for a run that did not end, and for one of an earlier paperlake.
    """

    run_id: str
    outcome: str
    started_at: datetime | None
    ended_at: datetime | None
    seconds: float | None
    exit_code: int | None
    error: str | None
    release_id: str | None
    pid: int | None
    host: str | None
    held_sources: dict[str, list[str]] = field(default_factory=dict)
    passed_sources: tuple[str, ...] = ()

    @property
    def has_succeeded(self) -> bool:
        """Whether it did its work: built what was to be built, or found nothing to build."""
        return self.outcome in _SUCCEEDED


def new_run_id(lake: Lake, begun: datetime, pid: int) -> str:
    """A name for a run that begins now, which sorts after those of the runs before; hold the lake's lock meanwhile.

    It is the second it began in, or the first that no run has: several may begin in one, and a clock may be turned back.
    One that is more than a day ahead was wrong, and is not followed.
    """
    named = begun.replace(microsecond=0)
    moments = (_named_moment(folder.name) for folder in reversed(_folders(lake)))
    last = next((moment for moment in moments if moment is not None and moment - named < timedelta(days=1)), None)
    if last is not None and last >= named:
        named = last + timedelta(seconds=1)
    return f"{named:%Y%m%dT%H%M%S}-{pid}"


def read_runs(lake: Lake) -> Iterator[PastRun]:
    """The runs of a lake, the last one first, read one by one as they are asked for."""
    for folder in reversed(_folders(lake)):
        yield _read(folder)


def remove_old_reports(lake: Lake, keep: int, own: str) -> int:
    """Removes what all runs but the `keep` last ones and `own` left; returns how many went. Call it while holding the lock."""
    old = [folder for folder in _folders(lake)[: -max(keep, 1)] if folder.name != own]
    for folder in old:
        shutil.rmtree(folder)
    return len(old)


def _folders(lake: Lake) -> list[Path]:
    """The folders of runs, the oldest first: a run is named for the time that it began at."""
    if not lake.runs_dir.is_dir():
        return []
    return sorted(
        path for path in lake.runs_dir.iterdir() if _RUN_ID.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
    )


_RUN_ID = re.compile(r"(\d{8}T\d{6})-(\d+)")


def _read(folder: Path) -> PastRun:
    try:
        path = folder / REPORT
        row = json.loads(path.read_text(encoding="utf-8"))
        return PastRun(
            folder.name,
            str(row["outcome"]),
            _moment(row.get("started_at")) or _named_moment(folder.name),
            # A report of an earlier paperlake is as old as the end of its run.
            _moment(row.get("ended_at")) or (None if row["outcome"] == RUNNING else _modified(path)),
            _of_kind(row, "seconds", int | float),
            _of_kind(row, "exit_code", int),
            _of_kind(row, "error", str),
            _of_kind(row, "release_id", str),
            _of_kind(row, "pid", int),
            _of_kind(row, "host", str),
            _reasons(_of_kind(row, "held_sources", dict) or {}),
            tuple(map(str, _of_kind(row, "passed_sources", list) or ())),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = "it left no report" if isinstance(error, FileNotFoundError) else f"its report is damaged: {error}"
        return PastRun(folder.name, "unknown", _named_moment(folder.name), None, None, None, why, None, None, None)


def _of_kind(row: dict[str, Any], name: str, kind: Any) -> Any:
    """A value of a report, which is of this kind or not there."""
    value = row.get(name)
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r}")
    return value


def _reasons(held: dict[str, Any]) -> dict[str, list[str]]:
    if not all(isinstance(reasons, list) and all(isinstance(reason, str) for reason in reasons) for reasons in held.values()):
        raise TypeError(f"held_sources is {held!r}")
    return held


def _moment(text: Any) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _named_moment(run_id: str) -> datetime | None:
    try:
        return datetime.strptime(run_id.partition("-")[0], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:  # eight digits that are no day
        return None


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
