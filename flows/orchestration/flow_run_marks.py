"""This module marks in the lake which flow runs are at work, so that those whose process was killed are found out.

Prefect hears of a run's end from the run itself, or from what started it. Where both are killed, or the machine loses its
power, the run stays `Running` for ever, and may keep its slot of a concurrency limit. A mark is a file in
`state/flow_runs/` that its process holds locked for as long as it lives: as with the lake's own lock, the system releases
it, however the process ends. So a mark that can be locked is of a process that is gone. Nothing here knows Prefect.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from warehouse.layout import Lake

_YOUNG_SECONDS = 60.0
"""An empty mark that is younger may just be about to be written."""


@dataclass(frozen=True, slots=True)
class DeadRun:
    """A flow run that began and never ended, as its mark tells."""

    flow_run_id: str
    name: str
    began_at: str
    mark: Path

    def described(self) -> str:
        """What there is to say of it."""
        return f"the run '{self.name}' began {self.began_at} and never ended: its process is gone"


@contextmanager
def marked(lake: Lake, flow_run_id: str, name: str) -> Iterator[None]:
    """Marks a flow run as at work in the lake for a `with` block."""
    folder = _folder(lake)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / flow_run_id
    with path.open("w", encoding="utf-8") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        began_at = datetime.now(UTC).isoformat(timespec="seconds")
        # The file's own number tells the mark from its copy in a copied lake, whose run may well be alive in the other.
        json.dump({"name": name, "began_at": began_at, "inode": os.fstat(file.fileno()).st_ino}, file)
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def dead_runs(lake: Lake) -> list[DeadRun]:
    """The flow runs that were at work in the lake and whose process is gone, the oldest first. `forget` each when told."""
    found = [_dead_run(path) for path in _folder(lake).glob("*")]
    return sorted((run for run in found if run is not None), key=lambda run: run.began_at)


def forget(run: DeadRun) -> None:
    """Takes the mark away."""
    run.mark.unlink(missing_ok=True)


def _dead_run(path: Path) -> DeadRun | None:
    """The run that left this mark, if its process is gone; a mark that says nothing, or is a copy, is taken away."""
    with suppress(FileNotFoundError), path.open("r+", encoding="utf-8") as file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        try:
            told = json.load(file)
            if told["inode"] == os.fstat(file.fileno()).st_ino:
                return DeadRun(path.name, str(told["name"]), str(told["began_at"]), path)
        except (ValueError, KeyError, TypeError):
            if time.time() - path.stat().st_mtime < _YOUNG_SECONDS:
                return None
        path.unlink(missing_ok=True)
    return None


def _folder(lake: Lake) -> Path:
    return lake.state_dir / "flow_runs"
