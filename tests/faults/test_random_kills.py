"""All or nothing, as in `test_kills`, at moments that no code names."""

from __future__ import annotations

import random
import shutil
from subprocess import TimeoutExpired

RANDOM_KILLS = 20


def test_killed_at_random_moments_the_next_run_finishes_the_work(scene, tmp_path) -> None:
    moments = random.Random(2024)
    for number in range(RANDOM_KILLS):
        lake = scene.copy(tmp_path / str(number))
        run = scene.start(lake)
        try:
            run.wait(timeout=moments.uniform(0.05, 2.5))
        except TimeoutExpired:
            run.kill()
            run.wait()
        scene.assert_recovers(lake)
        shutil.rmtree(lake)
