"""This script measures what a run costs by what has changed: all, nothing, one new file, a venue alias.

    python tests/bench/incremental.py LISTS… [--records 2000] [--runs 3]

LISTS are files and folders for a lake, such as ../shared/corpus ../shared/seeds, which have some 100,000 records. The goals are
those of the issue on nightly runs: with nothing new a second beyond `paperlake --help`, with one new file of 2,000 records a
quarter of the run that read everything. Each run is a process of its own; medians.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CLI = [sys.executable, "-m", "flows.cli"]
GOAL_NOTHING_SECONDS, GOAL_SHARE = 1.0, 0.25
WORDS = [
    "adaptive",
    "bounds",
    "causal",
    "convex",
    "graph",
    "kernel",
    "memory",
    "neural",
    "planning",
    "robust",
    "sparse",
    "vision",
]


@dataclass
class Spent:
    """What a process took: wall seconds, its processor time, and the report of the run, if it was one."""

    wall: float
    cpu: float
    report: dict[str, object]


def spent(words: list[str], config: Path) -> Spent:
    """Runs `paperlake` with these words; it must succeed."""
    environment = {**os.environ, "PAPERLAKE_CONFIG": str(config), "PYTHONPATH": str(PROJECT)}
    begun, before = time.perf_counter(), os.times()
    done = subprocess.run([*CLI, *words], check=True, capture_output=True, cwd=PROJECT, env=environment)
    wall, after = time.perf_counter() - begun, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent(wall, cpu, json.loads(done.stdout) if "json" in words else {})


def write_list(path: Path, count: int) -> None:
    """A list of `count` invented papers that are in no other list."""
    chance = random.Random(5)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["title", "authors", "year", "venue", "abstract"])
        for number in range(count):
            title = f"{' '.join(chance.sample(WORDS, 7)).capitalize()} {number}"
            rows.writerow([title, "Ann Lee; Bo Chan", 2023, "ICLR", " ".join(chance.choices(WORDS, k=120))])


def median(runs: list[Spent]) -> Spent:
    """The run of the median wall time."""
    return sorted(runs, key=lambda run: run.wall)[len(runs) // 2]


def told(what: str, run: Spent) -> None:
    """Prints a line of figures."""
    steps = run.report.get("seconds_by_step")
    print(f"{what:34} {run.wall:7.2f} s wall {run.cpu:7.2f} s cpu", f"  {steps}" if steps else "", flush=True)


def main() -> int:
    """Prints the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", type=Path)
    parser.add_argument("--records", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(PROJECT / "config", folder / "config", ignore=shutil.ignore_patterns("samples"))
        return _measured(folder, [str(path.resolve()) for path in given.lists], given.records, given.runs)


def _measured(folder: Path, lists: list[str], records: int, runs: int) -> int:
    config, lake, copy, more = folder / "config", folder / "lake", folder / "copy", folder / "more.csv"
    write_list(more, records)

    def run(place: Path, *words: str) -> Spent:
        return spent(["run", *words, "--direct", "--format", "json", "--lake", str(place)], config)

    def on_copies(*words: str) -> Spent:
        found = []
        for _ in range(runs):
            shutil.rmtree(copy, ignore_errors=True)
            subprocess.run(["cp", "-a", str(lake), str(copy)], check=True)
            found.append(run(copy, *words))
        return median(found)

    help_seconds = statistics.median(spent(["--help"], config).wall for _ in range(2 * runs + 1))
    whole = run(lake, *lists)
    print(
        f"{whole.report['records_staged']:,} records in {whole.report['files_live']} files; --help takes {help_seconds:.2f} s"
    )
    told("everything", whole)
    nothing = median([run(lake) for _ in range(2 * runs + 1)])
    told("nothing new", nothing)
    one = on_copies(str(more))
    told(f"one new file of {records:,} records", one)
    linked = [path for path in copy.glob("current/*/*.parquet") if path.stat().st_nlink > 1]
    print(
        f"  {one.wall / whole.wall:.1%} of the whole run (goal {GOAL_SHARE:.0%}); hard-linked from the release before:", end=" "
    )
    print(", ".join(sorted(path.parent.name for path in linked)))
    with (config / "venues.csv").open("a", encoding="utf-8") as file:
        file.write("journal of invented bench results,invented-bench,Journal of Invented Bench Results,journal\n")
    alias = on_copies()
    told("a venue alias more: cleaned again", alias)
    assert alias.report["files_read"] == 0, "raw files were read for a change of cleaning"
    good = nothing.wall - help_seconds <= GOAL_NOTHING_SECONDS and one.wall <= GOAL_SHARE * whole.wall
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
