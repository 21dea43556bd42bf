"""What the tests of kills share: a lake, a run that adds to it, and how it must recover."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLI = [sys.executable, "-m", "flows.cli"]
QUERY = "select (select count(*) from papers) as papers, (select count(*) from ledger where balanced) as files"


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

    def run(self, lake: Path, *, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        """The run that adds two files."""
        return paperlake(*self.words(lake), check=check, **environment)

    def start(self, lake: Path) -> subprocess.Popen[bytes]:
        """The same, not waited for."""
        return subprocess.Popen([*CLI, *map(str, self.words(lake))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def assert_recovers(self, lake: Path) -> None:
        """The lake answers from the release before or, where the kill came late, after; and the next run heals it."""
        assert answer(lake) in (self.before, self.after)
        self.run(lake)
        assert answer(lake) == self.after
        assert tables(lake) == self.tables
        assert not [p for p in lake.rglob(".tmp-*") if "releases" in p.parts or "raw" in p.parts]


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Scene:
    return Scene(tmp_path_factory.mktemp("kills"), samples)
