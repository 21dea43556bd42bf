"""Killed between landing and the end of the gate: what is held back is held by the next run, and opens nothing."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

CONFIG = '[sources.club]\nlocation = "../lists"\nsize_change_ratio = 0.25\n[sources.zoo]\nlocation = "../zoo"\n'
ZOO = "title,author,year\nNine ways to fold a map,Vera Kust,1999\n"


@pytest.fixture
def evening(pond, tmp_path: Path):
    """A lake of two sources before anything changed."""
    evening = pond.copy(tmp_path / "evening")
    (evening.folder / "config" / "sources.toml").write_text(CONFIG)
    (evening.folder / "zoo").mkdir()
    (evening.folder / "zoo" / "list.csv").write_text(ZOO)
    assert evening.run("--accept", "club")["outcome"] == "published"
    return evening


@pytest.mark.parametrize(("words", "code", "held"), [([], 3, {"club"}), (["--accept", "club"], 0, set())])
def test_killed_anywhere_about_the_gate_the_next_run_gives_what_an_undisturbed_one_gives(
    evening, forks, whole, tmp_path: Path, words: list[str], code: int, held: set[str]
) -> None:
    evening.write("list.csv", "title,author,year\nDust,,1998\n")
    (evening.folder / "zoo" / "list.csv").write_text(ZOO.replace("Nine", "Nineteen"))
    undisturbed, log = evening.copy(tmp_path / "undisturbed"), tmp_path / "points"
    found, output, _ = forks(*undisturbed.words(*words), **undisturbed.environment, PAPERLAKE_CRASH_LOG=str(log))
    assert found == code, output
    tables, points = whole.tables(undisturbed.lake), log.read_text().splitlines()
    steps = [points.index(f"after step {step}") for step in ("land", "stage", "gate")]
    written = [number for number in range(*steps[1:]) if points[number] == "after rename to state"]
    assert len(written) >= 2  # the live set, and what the gate keeps
    for number in [*steps[: None if held else 0], *written]:
        other = evening.copy(tmp_path / str(number))
        found, output, _ = forks(*other.words(*words), **other.environment, PAPERLAKE_CRASH_AT=str(number + 1))
        assert found == -signal.SIGKILL, (points[number], output)
        assert set(other.run(*words, code=code)["held_sources"]) == held, points[number]
        other.assert_same(tables)
        shutil.rmtree(other.folder)
