"""The acceptance scripts beside the project, run on what this checkout's command line gives."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def run_script(shared: Path, name: str, *words: str) -> subprocess.CompletedProcess[str]:
    cli = Path(sys.executable).with_name("paperlake")
    return subprocess.run(
        [sys.executable, shared / "accept" / name, "--cli", cli, *words], capture_output=True, text=True, timeout=600
    )


def test_all_that_is_asked_of_the_seeds_holds(shared: Path) -> None:
    done = run_script(shared, "seeds.py")
    assert [line for line in done.stdout.splitlines() if line.startswith("SHORT")] == []
    assert done.stdout.endswith("all hold\n"), done.stderr
    assert done.returncode == 0


def test_a_labelled_set_is_read_whole_and_scored(shared: Path) -> None:
    """Its F1 is the matter of the script's own goals; here it must not fall below plain equality of title and year (.926)."""
    done = run_script(shared, "match.py", "cytology_screening")
    found = re.search(r"^cytology_screening +([\d.]+) +([\d.]+) +(?P<f1>[\d.]+) ", done.stdout, re.MULTILINE)
    assert found, done.stdout + done.stderr
    assert float(found["f1"]) >= 0.926
