"""Runs are named for the second they began in, each by a name of its own, whatever the clock said before."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from warehouse.layout import Lake
from warehouse.run_reports import new_run_id

BEGUN = datetime(2024, 5, 6, 7, 8, 9, 500_000, UTC)


@pytest.mark.parametrize(
    ("there", "named"),
    [
        ([], "20240506T070809"),
        (["20240506T070808"], "20240506T070809"),
        (["20240506T070809"], "20240506T070810"),
        (["20240506T070809", "20240506T070810"], "20240506T070811"),
        (["20240506T090000"], "20240506T090001"),  # the clock was turned back by two hours
        (["20250506T070809"], "20240506T070809"),  # it was wrong by a year
        (["20240506T070809", "20250506T070809"], "20240506T070810"),
        (["20240506T070809", "99999999T999999"], "20240506T070810"),
    ],
)
def test_a_run_is_named_after_those_before_it_but_for_those_of_a_clock_that_was_wrong(
    tmp_path: Path, there: list[str], named: str
) -> None:
    lake = Lake(tmp_path)
    for name in there:
        (lake.runs_dir / f"{name}-7").mkdir(parents=True)
    assert new_run_id(lake, BEGUN, 7) == f"{named}-7"
