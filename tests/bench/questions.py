"""This script measures questions to a lake of a million papers in process, beside plain DuckDB on the same Parquet.

    python tests/bench/questions.py [--papers 1000000] [--lake FOLDER] [--runs 60]

Both see the same machine in turn. Besides wall-clock time it prints the CPU time of the process, which says more where the
machine has other work. The goals are those of the issue on the warehouse: a lookup by id 10 ms, a group by venue and year
100 ms, at the median. `--lake` keeps the lake that was made, or takes the one that is there.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from synthetic_release import make_release

from warehouse.connection import open_connection
from warehouse.layout import Lake

LOOKUP = "select * from {papers} where paper_id = $id"
NARROW = "select title, authors, venue, year from {papers} where paper_id = $id"
GROUP = "select venue, year, count(*) as papers from {papers} group by all order by all"
QUESTIONS = {
    "all columns of a paper by its id": (LOOKUP, 0.010),
    "four columns of a paper by its id": (NARROW, 0.010),
    "papers by venue and year": (GROUP, 0.100),
}

Ask = Callable[[], object]


def measured(asks: dict[str, Ask], runs: int) -> dict[str, tuple[float, float, float]]:
    """By name: the median and the least of wall seconds, and the median of CPU seconds, of each called in turn."""
    wall: dict[str, list[float]] = {name: [] for name in asks}
    cpu: dict[str, list[float]] = {name: [] for name in asks}
    for _ in range(runs):
        for name, ask in asks.items():
            begun, worked = time.perf_counter(), time.process_time()
            ask()
            wall[name].append(time.perf_counter() - begun)
            cpu[name].append(time.process_time() - worked)
    return {name: (statistics.median(wall[name]), min(wall[name]), statistics.median(cpu[name])) for name in asks}


def main() -> int:
    """Prints the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=1_000_000)
    parser.add_argument("--lake", type=Path)
    parser.add_argument("--runs", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lake = given.lake or Path(folder, "lake")
        if Lake(lake).current_release() is None:
            make_release(lake, given.papers)
        return _compare(lake, given.runs)


def _compare(lake: Path, runs: int) -> int:
    con, plain = open_connection(lake), duckdb.connect()
    path = con.release_dir / "papers" / "papers.parquet"
    ids = [str(row[0]) for row in con.sql("select paper_id from papers using sample 1000 (reservoir, 1)").fetchall()]
    chance = random.Random(1)
    print(f"{con.sql('select count(*) from papers').fetchall()[0][0]:,} papers, {path.stat().st_size / 1e6:.0f} MB")
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; milliseconds")
    good = True
    for what, (query, goal) in QUESTIONS.items():

        def ours(query: str) -> object:
            values = {"id": chance.choice(ids)} if "$id" in query else None
            return con.sql(query.format(papers="papers"), values).fetchall()

        def theirs(query: str) -> object:
            values = {"id": chance.choice(ids)} if "$id" in query else None
            return plain.execute(query.format(papers=f"read_parquet('{path}')"), values).fetchall()

        asks: dict[str, Ask] = {
            "warehouse.open": functools.partial(ours, query),
            "plain DuckDB": functools.partial(theirs, query),
        }
        for name, (median, least, cpu) in measured(asks, runs if "$id" in query else max(10, runs // 4)).items():
            print(f"{what:34} {name:15} p50 {median * 1e3:7.1f}  least {least * 1e3:7.1f}  CPU p50 {cpu * 1e3:7.1f}", end="")
            print(f"  goal {goal * 1e3:.0f}" if name == "warehouse.open" else "")
            good &= name != "warehouse.open" or median <= goal
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
