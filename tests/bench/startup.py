"""This script prints what a command costs beyond importing what it needs: medians of whole processes, side by side.

    python tests/bench/startup.py [--runs 9]

Each command and the import it is compared with run in turn, so that both see the same machine. The goals are those of the
issue on the spine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CLI = Path(sys.executable).parent / "paperlake"
PIPELINE_IMPORTS = "import polars, pyarrow.parquet, duckdb, rapidfuzz, cyclopts, rich"


def seconds(words: list[str]) -> float:
    """Wall seconds of one process, which must succeed."""
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def compare(what: str, command: list[str], imports: str, goal: float, runs: int, fresh: Path | None = None) -> bool:
    """Prints medians of a command and of the imports it needs; whether their difference is within the goal."""
    ours, theirs = [], []
    for _ in range(runs):
        if fresh is not None:
            shutil.rmtree(fresh, ignore_errors=True)
        ours.append(seconds(command))
        theirs.append(seconds([sys.executable, "-c", imports]))
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"{what:36} {a:7.3f} s  {imports[:44]:44} {b:7.3f} s  beyond it {a - b:6.3f} s  goal {goal:.1f} s")
    return a - b <= goal


def main() -> int:
    """Runs the comparisons; 1 if one misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    seeds = PROJECT.parent / "shared" / "seeds"
    raw = sorted(map(str, seeds.glob("*.txt"))) if seeds.is_dir() else [str(PROJECT / "config" / "samples")]
    os.environ.pop("PAPERLAKE_LAKE", None)
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder, "lake")
        run = [str(CLI), "run", *raw, "--lake", str(lake), "--direct"]
        good = compare("paperlake --help", [str(CLI), "--help"], "import cyclopts", 0.3, runs)
        good &= compare(f"run --direct ({len(raw)} files)", run, PIPELINE_IMPORTS, 1.5, runs, fresh=lake)
        good &= compare("run --direct, nothing new", run, "import cyclopts", 1.0, runs)
        sql = [str(CLI), "sql", "select 1", "--lake", str(lake)]
        good &= compare('sql "select 1"', sql, "import duckdb, cyclopts, rich", 0.5, runs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
