"""All or nothing: killed anywhere, the release before stays current, and the next run gives what an undisturbed one gives."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CLI = [sys.executable, "-m", "flows.cli"]
QUERY = "select (select count(*) from papers) as papers, (select count(*) from ledger where balanced) as files"
RANDOM_KILLS = 20


def paperlake(*words: object, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PAPERLAKE_")}
    return subprocess.run(
        [*CLI, *map(str, words)], env=clean | environment, capture_output=True, text=True, timeout=120, check=check
    )


def tables(lake: Path) -> dict[str, str]:
    """The hash of every table's file in the current release."""
    release = (lake / "current").resolve()
    return {str(p.relative_to(release)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(release.rglob("*.parquet"))}


def answer(lake: Path) -> list[dict[str, int]]:
    return json.loads(paperlake("sql", QUERY, "--lake", lake, "--format", "json").stdout)


class Scene:
    """A lake with a release of one file, and a run that adds two: before, after undisturbed, and how to repeat it."""

    def __init__(self, folder: Path, samples: Path) -> None:
        self.base = folder / "base"
        self.raw = [samples / "viewer_page.txt", samples / "papers.csv"]
        paperlake("run", samples / "papers.json", "--lake", self.base, "--direct")
        self.before = answer(self.base)
        done = self.copy(folder / "undisturbed")
        log = folder / "points"
        paperlake(*self.words(done), PAPERLAKE_CRASH_LOG=str(log))
        self.points = log.read_text().splitlines()
        self.after, self.tables = answer(done), tables(done)
        assert self.before != self.after

    def copy(self, lake: Path) -> Path:
        shutil.copytree(self.base, lake, symlinks=True)
        return lake

    def words(self, lake: Path) -> list[object]:
        return ["run", *self.raw, "--lake", lake, "--direct"]

    def assert_recovers(self, lake: Path) -> None:
        """The lake answers from the release before or, where the kill came late, after; and the next run heals it."""
        assert answer(lake) in (self.before, self.after)
        paperlake(*self.words(lake))
        assert answer(lake) == self.after
        assert tables(lake) == self.tables
        assert not [p for p in lake.rglob(".tmp-*") if "releases" in p.parts or "raw" in p.parts]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Scene:
    return Scene(tmp_path_factory.mktemp("kills"), samples)


def test_every_rename_swap_and_step_has_a_point_before_or_after_it(scene: Scene) -> None:
    steps = [point.removeprefix("after step ") for point in scene.points if point.startswith("after step ")]
    assert steps == ["land", "stage", "clean", "match", "merge", "check", "publish"]
    assert {"before swap of current", "after swap of current", "before rename to releases"} <= set(scene.points)
    assert len(scene.points) > 25


def test_killed_at_every_point_the_next_run_finishes_the_work(scene: Scene, tmp_path: Path) -> None:
    for number, point in enumerate(scene.points, start=1):
        lake = scene.copy(tmp_path / str(number))
        killed = paperlake(*scene.words(lake), check=False, PAPERLAKE_CRASH_AT=str(number))
        assert killed.returncode == -signal.SIGKILL, (point, killed.stderr)
        scene.assert_recovers(lake)
        shutil.rmtree(lake)


def test_killed_at_random_moments_the_next_run_finishes_the_work(scene: Scene, tmp_path: Path) -> None:
    moments = random.Random(2024)
    for number in range(RANDOM_KILLS):
        lake = scene.copy(tmp_path / str(number))
        run = subprocess.Popen([*CLI, *map(str, scene.words(lake))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(timeout=moments.uniform(0.05, 2.5))
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
        scene.assert_recovers(lake)
        shutil.rmtree(lake)
