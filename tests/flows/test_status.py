"""This module tests `paperlake status`: what it tells of a lake that does well, and of one that does not."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.cli import call
from warehouse.layout import Lake
from warehouse.lock import hold_lock

CLI = [sys.executable, "-m", "flows.cli"]
GATE = "[gate]\nsize_change_ratio = 9\n"
HEADER = "id,title,author,year\n"
ROWS = [f'k{n},{title},"Roy, Uma",2001\n' for n, title in enumerate(("Salt of inland seas", "Ice and wind", "Of old whales"))]


class Desk:
    """A lake with one configured source, and commands on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lake, self.list = folder, folder / "lake", folder / "lists" / "list.csv"

    def call(self, *words: object) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setenv("PAPERLAKE_CONFIG", str(self.folder / "config"))
            code = call([*map(str, words), "--lake", str(self.lake)])
        return code, out.getvalue(), err.getvalue()

    def run(self, *words: object) -> int:
        return self.call("run", "--direct", *words)[0]

    def status(self, *words: object, code: int = 0) -> dict[str, Any]:
        found, out, err = self.call("status", "--format", "json", *words)
        assert found == code, err
        return json.loads(out)

    def copy(self, folder: Path) -> Desk:
        shutil.copytree(self.folder, folder, symlinks=True)
        return Desk(folder)

    def report(self, place: int) -> Path:
        """The report of a run, counted from the first."""
        return sorted(self.lake.glob("runs/*/report.json"))[place]

    def edit_report(self, place: int, **fields: object) -> None:
        path = self.report(place)
        path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Desk:
    """A lake that published twice and then found nothing new."""
    desk = Desk(tmp_path_factory.mktemp("status"))
    for name in ("config", "lists"):
        (desk.folder / name).mkdir()
    shutil.copy(project / "config" / "venues.csv", desk.folder / "config")
    (desk.folder / "config" / "sources.toml").write_text('[sources.club]\nlocation = "../lists/*.csv"\nhas_keys = true\n')
    (desk.folder / "config" / "pipeline.toml").write_text(f"[run]\nreports_kept = 4\n{GATE}")
    for rows in (ROWS[:2], ROWS, ROWS):
        desk.list.write_text(HEADER + "".join(rows))
        assert desk.run() == 0
    return desk


@pytest.fixture
def desk(base: Desk, tmp_path: Path) -> Desk:
    return base.copy(tmp_path / "desk")


def test_it_tells_the_release_what_it_holds_and_the_runs(base: Desk) -> None:
    told = base.status()
    release = told["release"]
    assert release["release_id"] == (base.lake / "current").readlink().name
    assert {name: release["rows"][name] for name in ("papers", "records", "raw_files")} == {
        **{"papers": 3, "records": 3, "raw_files": 1}
    }
    assert 0 <= release["age_seconds"] < 600
    assert [(run["outcome"], run["exit_code"]) for run in told["runs"]] == [
        ("nothing new", 0),
        ("published", 0),
        ("published", 0),
    ]
    assert all(run["seconds"] > 0 and run["pid"] == os.getpid() for run in told["runs"])
    assert told["live"] == [{"source": "club", "raw_files": 1, "size_bytes": base.list.stat().st_size}]
    assert (told["problems"], told["pin"], told["lock"]["is_held"]) == ([], None, False)
    assert told["last_success_at"] == told["runs"][0]["ended_at"]
    assert [run["run_id"] for run in base.status("--runs", 1)["runs"]] == [told["runs"][0]["run_id"]]
    assert base.status("--runs", 0)["last_success_at"] == told["last_success_at"]


def test_as_text_it_says_the_same(base: Desk) -> None:
    code, out, err = base.call("status", "--max-age", 1)
    assert (code, err) == (0, "")
    for said in (
        f"release:       {(base.lake / 'current').readlink().name}, current since ",
        "holds:         3 papers, 3 records, 0 rejects, 1 raw file",
        "live:          raw files by source: club 1 (",
        "lock:          free\n",
        "  nothing new ",
        "can be freed:  ",
        "  1 raw file that is not live: `paperlake forget HASH --erase`",
    ):
        assert said in out


def test_disk_is_told_by_area_and_linked_files_once(base: Desk) -> None:
    told = {row["area"]: row for row in base.status()["disk"]}
    files = [path for path in (base.lake / "releases").rglob("*") if path.is_file()]
    once = {path.stat().st_ino: path.stat().st_blocks * 512 for path in files}
    assert told["releases"] == {
        **{"area": "releases", "files": len(files), "apparent_bytes": sum(path.stat().st_size for path in files)},
        "disk_bytes": sum(once.values()),
    }
    assert len(once) < len(files), "some files are shared"
    assert sum(row["files"] for row in told.values()) == sum(
        not path.is_dir() or path.is_symlink() for path in base.lake.rglob("*")
    )


def test_what_can_be_freed_is_what_prune_and_forget_free(desk: Desk) -> None:
    (desk.folder / "config" / "pipeline.toml").write_text(f"[run]\nprune_grace_seconds = 0\n{GATE}")
    told = {row["what"]: row for row in desk.status()["freeable"]}
    (superseded,) = told["raw files that are not live"]["names"]
    (old,) = told["old releases"]["names"]
    code, out, _ = desk.call("prune", "--keep", 1, "--format", "json")
    assert [(row["release_id"], row["freed_bytes"]) for row in json.loads(out) if row["what"] == "removed"] == [
        (old, told["old releases"]["disk_bytes"])
    ]
    assert desk.call("forget", superseded, "--erase")[0] == code == 0
    assert desk.status()["freeable"] == []


def test_a_raw_file_that_is_held_back_is_not_told_to_be_freed_until_it_is_superseded(desk: Desk) -> None:
    told = desk.status()["freeable"]
    before = set((desk.lake / "raw").iterdir())
    desk.list.write_text("this is no list of papers\n")
    assert desk.run() == desk.run() == 3
    assert len(set((desk.lake / "raw").iterdir()) - before) == 1
    assert desk.status()["freeable"] == told
    desk.list.write_text(HEADER + "".join(ROWS))
    assert desk.run() == 0
    assert len(next(row["names"] for row in desk.status()["freeable"] if row["what"] == "raw files that are not live")) == 2


def test_a_run_that_failed_is_told_with_its_sentence_and_is_no_success(desk: Desk) -> None:
    before = desk.status()["last_success_at"]
    (desk.folder / "lists" / "notes.csv").write_text("this is no list of papers\n")
    code, _, err = desk.call("run", "--direct", "--strict")
    assert code == 1
    told = desk.status()
    failed = told["runs"][0]
    assert (failed["outcome"], failed["exit_code"]) == ("failed", 1)
    assert err.rstrip().endswith(failed["error"].splitlines()[-1])
    assert told["last_success_at"] == before
    assert "--strict wants every file read and 1 is not" in desk.call("status")[1]


def test_a_run_that_was_killed_is_told_to_be_and_the_next_one_is_not(desk: Desk) -> None:
    desk.list.write_text(HEADER + "".join(ROWS).replace("Ice", "Snow"))
    environment = {"PAPERLAKE_CONFIG": str(desk.folder / "config"), "PAPERLAKE_CRASH_AT": "6"}
    words = ["run", "--direct", "--lake", str(desk.lake)]
    done = subprocess.run([*CLI, *words], env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == -9
    told = desk.status()
    assert (told["runs"][0]["outcome"], told["runs"][0]["exit_code"], told["runs"][0]["seconds"]) == ("killed", None, None)
    assert (told["lock"]["is_held"], told["lock"]["is_alive"], told["lock"]["pid"]) == (False, False, told["runs"][0]["pid"])
    assert "was killed: the next run tidies up after it" in desk.call("status")[1]
    assert desk.run() == 0
    assert [run["outcome"] for run in desk.status()["runs"]][:2] == ["published", "killed"]
    assert desk.status()["lock"]["pid"] is None


def test_a_run_that_goes_on_holds_the_lock_and_asking_is_not_in_its_way(desk: Desk) -> None:
    lake = Lake(desk.lake)
    desk.edit_report(-1, outcome="running", pid=os.getpid(), ended_at=None)
    assert desk.status()["runs"][0]["outcome"] == "killed"
    with hold_lock(lake, wait_seconds=0, on_wait=print, command="paperlake run"):
        told = desk.status()
        assert told["runs"][0]["outcome"] == "running"
        lock = told["lock"]
        assert (lock["is_held"], lock["is_alive"], lock["pid"], lock["command"]) == (True, True, os.getpid(), "paperlake run")
    asked = threading.Event()

    def ask() -> None:
        while not asked.is_set():
            Desk(desk.folder).lake.stat()
            from warehouse.lock_state import lock_state

            lock_state(lake)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(300):
            with hold_lock(lake, wait_seconds=0, on_wait=print, command="paperlake forget"):
                pass
    finally:
        asked.set()
        asking.join()


@pytest.mark.parametrize(
    ("hours", "code", "says"),
    [
        (30, 1, "the last run that succeeded ended 30.0 h ago, longer than the 24 h of --max-age"),
        (23, 0, ""),
        (-2.5, 1, "the last run that succeeded is dated 2 h ahead"),
        (-0.01, 0, ""),
    ],
)
def test_a_success_that_is_too_old_or_of_no_known_age_is_the_exit_code(desk: Desk, hours: float, code: int, says: str) -> None:
    at = datetime.now(UTC) - timedelta(hours=hours)
    for place in range(3):
        desk.edit_report(place, ended_at=at.isoformat())
    found, out, err = desk.call("status", "--max-age", 24)
    assert found == code
    assert says in err and bool(says) == bool(err)
    assert out.startswith("lake:")
    assert ("PROBLEM:" in out) == (hours == -2.5)


def test_a_lake_without_a_release_has_its_failures_told(desk: Desk) -> None:
    desk.list.write_text("no list at all\n")
    shutil.rmtree(desk.lake)
    code, _, err = desk.call("status")
    assert (code, "there is no lake at" in err) == (1, True)
    assert not desk.lake.exists()
    assert desk.run("--strict") == 1
    told = desk.status()
    assert (told["release"], told["last_success_at"], told["runs"][0]["outcome"]) == (None, None, "failed")
    out = desk.call("status")[1]
    assert "release:       none yet" in out
    assert out.count("expected a list of papers") == 1, "what failed the run is not told again as what was held back"
    assert "has succeeded yet" in desk.call("status", "--max-age", 24)[2]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("state/pin.json", "pin.json is damaged"),
        ("state/live.json", "live.json is damaged"),
        ("state/publications.jsonl", "publications.jsonl is damaged"),
        ("current/release.json", "is no release description"),
    ],
)
def test_what_is_damaged_is_named_and_the_rest_is_told_all_the_same(desk: Desk, path: str, says: str) -> None:
    damaged = desk.lake / path
    damaged.unlink(missing_ok=True)
    damaged.write_text("\x1b[31m{")
    told = desk.status(code=1)
    assert any(says in problem for problem in told["problems"])
    assert len(told["runs"]) == 3
    assert sum(row["disk_bytes"] for row in told["disk"]) > 0
    code, out, _ = desk.call("status")
    assert code == 1
    assert "PROBLEM:" in out and "\x1b" not in out


@pytest.mark.parametrize(
    "damage",
    ['{"outcome": ', "[" * 100_000, "[]"]
    + [
        f'{{"outcome": "published", {value}}}' for value in ('"seconds": "1"', '"exit_code": "0"', '"held_sources": {"a": [1]}')
    ],
    ids=range(6),
)
def test_a_damaged_report_hides_no_other(desk: Desk, damage: str) -> None:
    (desk.lake / "runs" / "20991231T235959-1").write_text("a file where a run's folder would be")
    desk.report(-1).write_text(damage)
    desk.report(-2).unlink()
    told = desk.status()["runs"]
    assert [run["outcome"] for run in told] == ["unknown", "unknown", "published"]
    assert told[0]["error"].startswith("its report is damaged") and told[1]["error"] == "it left no report"


def test_of_reports_the_last_ones_are_kept_as_many_as_the_settings_say(desk: Desk) -> None:
    before = sorted(path.name for path in (desk.lake / "runs").iterdir())
    assert desk.run() == desk.run() == 0
    kept = sorted(path.name for path in (desk.lake / "runs").iterdir())
    assert kept[:2] == before[1:]
    assert (len(kept), kept[-1]) == (4, desk.status()["runs"][0]["run_id"])


@pytest.mark.parametrize(("ahead", "is_last"), [(timedelta(hours=3), True), (timedelta(days=400), False)])
def test_runs_are_told_in_the_order_they_were_in_though_the_clock_was_turned_back(
    desk: Desk, ahead: timedelta, is_last: bool
) -> None:
    first, *_, last = sorted((desk.lake / "runs").iterdir())
    last.rename(last.with_name(f"{datetime.now(UTC) + ahead:%Y%m%dT%H%M%S}-1"))
    desk.edit_report(-1, error="of then")
    for _ in range(2):
        assert desk.run() == 0
    told = [run["error"] for run in desk.status()["runs"]]
    assert told == ([None, None, "of then", None] if is_last else ["of then", None, None, None])
    assert not first.exists()


def test_a_source_that_is_held_back_is_told_with_the_run(desk: Desk) -> None:
    desk.list.write_text(HEADER)
    code, _, err = desk.call("run", "--direct", "--log-format", "json")
    (warning,) = (line for line in map(json.loads, err.splitlines()) if line.get("event") == "held_back")
    assert (code, warning["level"], warning["source"]) == (3, "warning", "club")
    run = desk.status()["runs"][0]
    assert (run["exit_code"], run["held_sources"]) == (3, {"club": warning["reasons"]})
    assert f"source club held back: {'; '.join(warning['reasons'])}" in desk.call("status")[1]
    assert desk.status()["last_success_at"] == run["ended_at"]


@pytest.mark.parametrize("words", [["--max-age", "0"], ["--max-age", "-1"], ["--max-age", "nan"], ["--runs", "-1"]])
def test_a_number_that_makes_no_sense_is_refused(base: Desk, words: list[str]) -> None:
    code, out, err = base.call("status", *words)
    assert (code, out) == (2, "")
    assert "expected" in err


def test_it_imports_nothing_heavy(base: Desk) -> None:
    code = "import sys; from flows.cli import call; code = call(sys.argv[1:]); print(code, sorted(HEAVY & sys.modules.keys()))"
    heavy = "HEAVY = {'prefect', 'polars', 'duckdb', 'pyarrow', 'rich.table', 'httpx'}; "
    words = ["status", "--lake", str(base.lake)]
    done = subprocess.run([sys.executable, "-c", heavy + code, *words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].startswith("0 [")
    assert not {"prefect", "polars", "duckdb", "pyarrow", "httpx"} & set(done.stdout.splitlines()[-1].split("'"))
