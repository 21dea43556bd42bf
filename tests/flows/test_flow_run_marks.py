"""Marks tell dead runs from living ones, and only what a schedule made, and long ago, is a late run."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from warehouse.layout import Lake


def test_a_mark_of_a_living_run_or_of_a_copied_lake_is_of_no_dead_run(tmp_path: Path) -> None:
    from flows.orchestration.flow_run_marks import dead_runs, marked

    with marked(Lake(tmp_path / "lake"), "a", "alive"):
        assert dead_runs(Lake(tmp_path / "lake")) == []
        shutil.copytree(tmp_path / "lake", tmp_path / "copy")
        assert dead_runs(Lake(tmp_path / "copy")) == []
        assert list((tmp_path / "lake" / "state" / "flow_runs").iterdir()) != []
    assert list((tmp_path / "lake" / "state" / "flow_runs").iterdir()) == []
    assert list((tmp_path / "copy" / "state" / "flow_runs").iterdir()) == []


def test_only_a_schedule_makes_a_run_late() -> None:
    from prefect.client.schemas.objects import FlowRun

    from flows.orchestration.late_runs import is_late

    now = datetime.now(UTC)
    for hours, by_schedule, late in ((0, True, False), (9, True, True), (9, False, False)):
        due = now - timedelta(hours=hours)
        assert is_late(FlowRun(flow_id=uuid4(), expected_start_time=due, auto_scheduled=by_schedule)) == late
