"""This module tells a scheduled run that comes too late whether another run has done its work already.

A machine that slept for a week wakes up to seven nightly runs. One is to run; for the others there is nothing left to do, as
a run reads what its sources hold when it runs, not what they held when it was due.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun

LATE_MINUTES = 10
"""A run that starts this long after it was due is late; a busy machine, or another run in its slot, takes less."""

SKIPPED = "Skipped"
"""The name of the state of a run that left its work to another."""


def is_late(run: FlowRun) -> bool:
    """Whether a schedule made this run, and it was due a good while ago."""
    due = run.expected_start_time
    return run.auto_scheduled and due is not None and datetime.now(UTC) - due > timedelta(minutes=LATE_MINUTES)


def done_instead(client: SyncPrefectClient, run: FlowRun) -> FlowRun | None:
    """A run of the same deployment that began after this one was due, and completed; None if there is none."""
    from prefect.client.schemas.filters import (
        FlowRunFilter,
        FlowRunFilterDeploymentId,
        FlowRunFilterStartTime,
        FlowRunFilterState,
        FlowRunFilterStateType,
    )
    from prefect.client.schemas.objects import StateType
    from prefect.client.schemas.sorting import FlowRunSort

    if run.deployment_id is None or run.expected_start_time is None:
        return None
    wanted = FlowRunFilter(
        deployment_id=FlowRunFilterDeploymentId(any_=[run.deployment_id]),
        state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.COMPLETED])),
        start_time=FlowRunFilterStartTime(after_=run.expected_start_time),
    )
    found = client.read_flow_runs(flow_run_filter=wanted, sort=FlowRunSort.START_TIME_DESC, limit=20)
    same = (each for each in found if each.state_name != SKIPPED and each.parameters == run.parameters and each.id != run.id)
    return next(same, None)
