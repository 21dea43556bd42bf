"""All or nothing: killed anywhere, the release before stays current, and the next run gives what an undisturbed one gives."""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

SEED, RANDOM_KILLS, OTHER_POINTS = 2024, 8, 12


@pytest.fixture(scope="module")
def points(pond, forks, added, whole, tmp_path_factory) -> list[str]:
    """The points that a run which lands two lists passes."""
    other = pond.copy(tmp_path_factory.mktemp("points"))
    other.add()
    log = other.folder / "points"
    code, output, _ = forks(*other.words(), **other.environment, PAPERLAKE_CRASH_LOG=str(log))
    assert code == 0, output
    assert whole.tables(other.lake) == added
    return log.read_text().splitlines()


def assert_recovers(pond, whole, before: str, added: dict[str, str]) -> None:
    """The lake is that of before or, where the kill came late, after; and the next run finishes the work, once."""
    first = whole.current(pond.lake)
    whole.assert_whole(pond.lake)
    assert first == before or whole.tables(pond.lake) == added
    pond.run()
    pond.assert_same(added)
    told = [row["release_id"] for row in whole.rows("releases", "--lake", pond.lake)]
    assert told[:2] == [whole.current(pond.lake), before]
    assert pond.run()["outcome"] == "nothing new"


def test_every_rename_swap_and_step_has_a_point_before_or_after_it(points) -> None:
    steps = [point.removeprefix("after step ") for point in points if point.startswith("after step ")]
    assert {"land", "stage", "clean", "match", "merge", "check", "publish"} <= set(steps)
    assert {"before swap of current", "after swap of current", "before rename to releases"} <= set(points)
    assert len(points) > 25


def chosen(points: list[str]) -> list[tuple[int, str]]:
    """The points to be killed at, with their numbers: every boundary of a step, what makes a release current, some others.

    With PAPERLAKE_ALL_KILLS in the environment all of them, which takes some eight minutes.
    """
    numbered = list(enumerate(points, start=1))
    if os.environ.get("PAPERLAKE_ALL_KILLS"):
        return numbered
    always = [each for each in numbered if each[1].startswith("after step ") or "current" in each[1] or "releases" in each[1]]
    others = [each for each in numbered if each not in always]
    return sorted([*always, *random.Random(SEED).sample(others, min(OTHER_POINTS, len(others)))])


def test_killed_at_a_point_the_next_run_finishes_the_work(points, pond, forks, added, whole, tmp_path: Path) -> None:
    before = whole.current(pond.lake)
    for number, point in chosen(points):
        other = pond.copy(tmp_path / str(number))
        other.add()
        code, output, _ = forks(*other.words(), **other.environment, PAPERLAKE_CRASH_AT=str(number))
        assert code == -signal.SIGKILL, (point, output)
        assert_recovers(other, whole, before, added)
        shutil.rmtree(other.folder)


def test_killed_at_random_moments_the_next_run_finishes_the_work(points, pond, forks, added, whole, tmp_path: Path) -> None:
    moments, before = random.Random(SEED), whole.current(pond.lake)
    for number in range(RANDOM_KILLS):
        other = pond.copy(tmp_path / str(number))
        other.add()
        forks(*other.words(), kill_after=moments.uniform(0.02, 1.5), **other.environment)
        assert_recovers(other, whole, before, added)
        shutil.rmtree(other.folder)


def test_a_loop_of_killed_runs_does_not_fill_the_disk(points, pond, forks, added, whole, tmp_path: Path) -> None:
    def names(lake: Path) -> dict[str, list[str]]:
        areas = ("work", "releases", "state", "raw")
        return {area: sorted(str(path.relative_to(lake)) for path in (lake / area).rglob("*")) for area in areas}

    undisturbed, other = pond.copy(tmp_path / "undisturbed"), pond.copy(tmp_path / "killed")
    for each in (undisturbed, other):
        each.add()
    undisturbed.run()
    killed = 0
    for number in random.Random(SEED).sample(range(6, 24), 6):
        code, output, _ = forks(*other.words(), **other.environment, PAPERLAKE_CRASH_AT=str(number))
        assert code in (0, -signal.SIGKILL), output  # what a killed run made is not made again, so a later one may get through
        killed += code != 0
    assert killed > 2
    other.run()
    other.assert_same(added)
    assert names(other.lake) == names(undisturbed.lake)
