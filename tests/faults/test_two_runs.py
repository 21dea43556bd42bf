"""Two runs at once: one waits, or says who holds the lock; neither harms the other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from warehouse.layout import Lake
from warehouse.lock import hold_lock

CLI = [sys.executable, "-m", "flows.cli"]


def test_a_second_run_gives_up_after_wait_with_exit_code_4(tmp_path: Path, samples: Path) -> None:
    lake = tmp_path / "lake"
    with hold_lock(Lake(lake), wait_seconds=0, on_wait=print, command="paperlake run"):
        words = ["run", str(samples / "papers.csv"), "--lake", str(lake), "--direct", "--wait", "0.3"]
        second = subprocess.run([*CLI, *words], capture_output=True, text=True)
    assert second.returncode == 4
    assert "is locked by process" in second.stderr
    assert "Traceback" not in second.stderr
    assert not (lake / "current").exists()


def test_two_runs_at_once_both_come_through(tmp_path: Path, samples: Path) -> None:
    lake = tmp_path / "lake"

    def start(name: str) -> subprocess.Popen[str]:
        words = ["run", str(samples / name), "--lake", str(lake), "--direct"]
        return subprocess.Popen([*CLI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    runs = [start("papers.csv"), start("viewer_page.txt")]
    for run in runs:
        _, errors = run.communicate(timeout=120)
        assert run.returncode == 0, errors
    query = "select count(*) as n, bool_and(balanced) as balanced from ledger"
    answer = subprocess.run(
        [*CLI, "sql", query, "--lake", lake, "--format", "json"], capture_output=True, text=True, check=True
    )
    assert json.loads(answer.stdout) == [{"n": 2, "balanced": True}]


def test_a_second_run_gives_up_although_the_lock_file_was_removed(pond, unchanged, whole, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    with hold_lock(Lake(other.lake), wait_seconds=0, on_wait=print, command="paperlake run"):
        (other.lake / "state" / "lock").unlink()
        assert "is locked by another process" in other.run("--wait", "0", code=4)
    other.run("--wait", "0")
    other.assert_same(unchanged)


def test_a_lake_that_was_copied_while_a_run_held_it_is_free(pond, unchanged, tmp_path: Path) -> None:
    with hold_lock(Lake(pond.lake), wait_seconds=0, on_wait=print, command="paperlake run"):
        assert (pond.lake / "state" / "lock").read_text() != ""
        other = pond.copy(tmp_path / "pond")
    other.run("--wait", "0")
    other.assert_same(unchanged)
