"""All or nothing: killed anywhere, the release before stays current, and the next run gives what an undisturbed one gives."""

from __future__ import annotations

import shutil
import signal


def test_every_rename_swap_and_step_has_a_point_before_or_after_it(scene) -> None:
    steps = [point.removeprefix("after step ") for point in scene.points if point.startswith("after step ")]
    assert steps == ["land", "stage", "clean", "match", "merge", "check", "publish"]
    assert {"before swap of current", "after swap of current", "before rename to releases"} <= set(scene.points)
    assert len(scene.points) > 25


def test_killed_at_every_point_the_next_run_finishes_the_work(scene, tmp_path) -> None:
    for number, point in enumerate(scene.points, start=1):
        lake = scene.copy(tmp_path / str(number))
        killed = scene.run(lake, check=False, PAPERLAKE_CRASH_AT=str(number))
        assert killed.returncode == -signal.SIGKILL, (point, killed.stderr)
        scene.assert_recovers(lake)
        shutil.rmtree(lake)
