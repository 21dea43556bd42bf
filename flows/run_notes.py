"""This module notes in the lake that a run began, and what came of it, so that a run that was killed can be told later."""

from __future__ import annotations

import dataclasses
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from flows.report import RunReport, save_report
from flows.run_log import log_end, log_fields
from warehouse.layout import Lake
from warehouse.run_reports import RUNNING, new_run_id, remove_old_reports

HELD_BACK = 3
"""The exit code of a run that did its work, and holds a source or its release back."""


@contextmanager
def noted_run(lake: Lake, say: Callable[[str], None], *, reports_kept: int) -> Iterator[RunReport]:
    """The report of a run that is the `with` block, saved as it begins and as it ends. Hold the lake's lock meanwhile.

    What lines of the log are written in it carry the run. The reports of runs long ago go at the end.
    """
    begun = datetime.now(UTC)
    report = RunReport(
        run_id=new_run_id(lake, begun, os.getpid()),
        lake=str(lake.path),
        started_at=begun.isoformat(timespec="seconds"),
        pid=os.getpid(),
        host=socket.gethostname(),
    )
    start = time.monotonic()
    _save(dataclasses.replace(report, outcome=RUNNING), lake, say)
    try:
        with log_fields(run_id=report.run_id, lake=str(lake.path.absolute())):
            yield report
            report.exit_code = HELD_BACK if report.is_held_back else 0
            seconds = round(time.monotonic() - start, 3)
            log_end(
                f"done in {seconds:.1f} s: {report.outcome}, release {report.release_id}",
                event="done",
                outcome=report.outcome,
                release_id=report.release_id,
                seconds=seconds,
                exit_code=report.exit_code,
            )
    except BaseException as error:
        report.outcome, report.error = "failed", _told(error)
        report.exit_code = 130 if isinstance(error, KeyboardInterrupt) else getattr(error, "exit_code", 1)
        raise
    finally:
        report.ended_at = datetime.now(UTC).isoformat(timespec="seconds")
        report.seconds = round(time.monotonic() - start, 3)
        _save(report, lake, say)
        _remove_old(report, lake, reports_kept, say)


def _told(error: BaseException) -> str:
    """The sentence of an error; one that says nothing itself is somebody's wish that the run ends (Ctrl-C, or a signal)."""
    if isinstance(error, Exception):
        return str(error) or type(error).__name__
    return f"it was stopped before it had ended ({type(error).__name__})"


def _save(report: RunReport, lake: Lake, say: Callable[[str], None]) -> None:
    """Saves the report; a disk too full for it does not hide what the run did or why it failed."""
    try:
        save_report(report, lake)
    except OSError as error:
        say(f"the run report could not be saved: {error}")


def _remove_old(report: RunReport, lake: Lake, kept: int, say: Callable[[str], None]) -> None:
    """Removes old reports; one that cannot be is no reason for a run to fail."""
    try:
        remove_old_reports(lake, kept, report.run_id)
    except OSError as error:
        say(f"old run reports could not be removed: {error}")
