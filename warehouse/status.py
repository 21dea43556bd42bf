"""This module tells how a lake does: its current release, the runs of late, the lock, the disk. It opens no table.

Whatever of it is damaged is named among the problems, and the rest is told all the same.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar

from transforms.schemas import PaperlakeError
from warehouse.disk_use import AreaUse, Freeable, disk_use, freeable
from warehouse.layout import Lake, LakeError, read_release
from warehouse.live import read_live
from warehouse.lock_state import LockState, lock_state
from warehouse.pins import Pin, read_pin
from warehouse.publications import read_publications
from warehouse.run_reports import RUNNING, PastRun, read_runs

CLOCK_SKEW_SECONDS = 300
"""By how much a time in the lake may lie ahead: clocks of machines that share one differ by less, if they are set at all."""


@dataclass(frozen=True, slots=True)
class ReleaseState:
    """The current release: since when it is, how long ago that was, what made it, and the rows of its tables."""

    release_id: str
    current_since: datetime
    age_seconds: float
    published_at: datetime
    made_by: str | None
    because: str | None
    rows: dict[str, int]


@dataclass(frozen=True, slots=True)
class LiveSource:
    """What is live of one source."""

    source: str
    raw_files: int
    size_bytes: int


@dataclass(slots=True)
class LakeStatus:
    """How a lake does at one moment."""

    lake: str
    at: datetime
    lock: LockState
    release: ReleaseState | None = None
    pin: Pin | None = None
    live: list[LiveSource] = field(default_factory=list)
    runs: list[PastRun] = field(default_factory=list)
    last_success_at: datetime | None = None
    last_success_age_seconds: float | None = None
    disk: list[AreaUse] = field(default_factory=list)
    freeable: list[Freeable] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values, times in ISO 8601."""
        return _plain(dataclasses.asdict(self))  # type: ignore[no-any-return]


_T = TypeVar("_T")


def lake_status(lake: Lake, *, runs_shown: int, grace_seconds: float, now: datetime | None = None) -> LakeStatus:
    """How the lake does now; `grace_seconds` is what pruning leaves to readers.

    Raises:
        LakeError: there is no lake.
    """
    lake.require_lake()
    status = LakeStatus(str(lake.path.absolute()), now or datetime.now(UTC), lock_state(lake))

    def told(ask: Callable[[], _T], otherwise: _T) -> _T:
        try:
            return ask()
        except (PaperlakeError, OSError, ValueError, KeyError, TypeError) as error:
            known = str(error) if isinstance(error, PaperlakeError) else f"{type(error).__name__}: {error}"
            if known not in status.problems:
                status.problems.append(known)
            return otherwise

    status.release = told(lambda: _release(lake, status.at), None)
    status.pin = told(lambda: read_pin(lake), None)
    status.live = told(lambda: _live(lake), [])
    _add_runs(status, lake, runs_shown)
    status.disk = told(lambda: disk_use(lake), [])
    status.freeable = told(lambda: freeable(lake, grace_seconds=grace_seconds), [])
    if ahead := _ahead(status):
        status.problems.append(ahead)
    return status


def _release(lake: Lake, now: datetime) -> ReleaseState | None:
    folder = lake.current_release()
    if folder is None:
        if any(lake.releases_dir.glob("r*")):
            raise LakeError(
                f"{lake.releases_dir} has releases, and none is current: `paperlake verify --all` looks them through"
            )
        return None
    release = read_release(folder)
    publications = [each for each in read_publications(lake) if each.release_id == folder.name]
    published_at = datetime.fromisoformat(release["published_at"])
    since = publications[-1].moment if publications else published_at
    return ReleaseState(
        folder.name,
        since,
        (now - since).total_seconds(),
        published_at,
        release.get("run_id"),
        release.get("because"),
        {name: int(table["rows"]) for name, table in release["tables"].items()},
    )


def _live(lake: Lake) -> list[LiveSource]:
    files, sizes = Counter[str](), Counter[str]()
    for name in read_live(lake):
        files[name.source] += 1
        sizes[name.source] += name.size_bytes
    return [LiveSource(source, count, sizes[source]) for source, count in sorted(files.items())]


def _add_runs(status: LakeStatus, lake: Lake, shown: int) -> None:
    """The last runs, and when one succeeded last; of the reports no more are read than that takes."""
    runs = (_judged(run, status.lock) for run in read_runs(lake))
    status.runs = list(islice(runs, shown))
    success = next((run for run in (*status.runs, *runs) if run.has_succeeded), None)
    status.last_success_at = success.ended_at if success else None
    if status.last_success_at is None and status.release is not None:
        status.last_success_at = status.release.published_at  # the reports of the time are gone
    if status.last_success_at is not None:
        status.last_success_age_seconds = (status.at - status.last_success_at).total_seconds()


def _judged(run: PastRun, lock: LockState) -> PastRun:
    """The run, told to be killed if it has not ended and nothing of it holds the lock."""
    if run.outcome != RUNNING or (lock.is_held and lock.pid == run.pid and lock.host == run.host):
        return run
    return dataclasses.replace(run, outcome="killed", error="it began and did not end: killed, or the machine went down")


def _ahead(status: LakeStatus) -> str | None:
    """What lies in the future, in words."""
    times = {
        "the current release": status.release.current_since if status.release else None,
        "the last success": status.last_success_at,
        "the last run": status.runs[0].started_at if status.runs else None,
    }
    for what, at in times.items():
        if at is not None and (ahead := (at - status.at).total_seconds()) > CLOCK_SKEW_SECONDS:
            return (
                f"{what} is dated {at:%Y-%m-%d %H:%M} UTC, {ahead / 3600:.1f} h from now: this machine's clock is behind, or "
                "was ahead then; ages and --max-age cannot be trusted until the clock is set"
            )
    return None


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value
