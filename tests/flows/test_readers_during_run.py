"""This module tests that readers of every kind go on, and see one whole release, while runs publish others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_readers_neither_fail_nor_see_a_mixture_while_runs_publish(project: Path) -> None:
    script = project / "tests" / "bench" / "readers_during_run.py"
    words = [sys.executable, str(script), "--seconds", "1", "--readers", "4", "--papers", "40", "--pause", "0.5"]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("0 failed, 0 mixed") == 8, done.stdout
