"""This script stages a file of JSON lines and copies it to Parquet with DuckDB, side by side: records a second, and memory.

    python tests/bench/json_lines.py [--bytes 1000000000] [--runs 5] [--kind plain]

The file is made here (fabricated papers, the same for every run) in a temporary folder, and removed. Each run is a process of
its own; the two take turns, so that both see the same machine. The goals: half of DuckDB's records a second, under 1 GiB.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
GOAL_RATIO, GOAL_BYTES = 0.5, 2**30


def make_file(path: Path, size_bytes: int, kind: str) -> None:
    """Writes papers, one a line, until the file has the size."""
    with path.open("wb") as file:
        written = 0
        for line in KINDS[kind](random.Random(7)):
            written += file.write(line.encode())
            if written >= size_bytes:
                return


def plain_papers(chance: random.Random) -> Iterator[str]:
    """Papers as many lists have them: names of authors as a list, half of the lines in ASCII only."""
    words = [_word(chance) for _ in range(20_000)]

    def text(count: int) -> str:
        return " ".join(chance.choices(words, k=count))

    number = 0
    while True:
        number += 1
        paper = {
            "id": f"p{number}",
            "title": text(chance.randint(5, 16)).capitalize(),
            "authors": [text(2).title() for _ in range(chance.randint(1, 8))],
            "abstract": text(chance.randint(100, 210)),
            "year": chance.randint(1990, 2025),
            "venue": chance.choice(("Journal of Pebbles", "Bonn Tide Days", "Zürich Lake Meeting")),
            "keywords": [text(2) for _ in range(4)],
            "url": f"https://pebbles.example/p/{number}",
            "doi": None if number % 3 else f"10.1234/pebbles.{number}",
            "score": round(chance.random(), 4),
            "citations": chance.randint(0, 400),
        }
        yield json.dumps(paper, ensure_ascii=number % 2 == 0) + "\n"


def varied_papers(chance: random.Random) -> Iterator[str]:
    """The same with names left out, reviews as objects, authors as objects in every twentieth, and some broken lines."""
    for number, line in enumerate(plain_papers(chance)):
        paper = json.loads(line)
        for name in chance.sample(("venue", "keywords", "doi", "score"), chance.randint(0, 2)):
            del paper[name]
        paper["reviews"] = [{"by": f"R{n}", "rating": chance.randint(1, 10)} for n in range(chance.randint(0, 4))]
        if number % 20 == 0:
            paper["authors"] = [{"family": name} for name in paper["authors"]]
        yield json.dumps(paper)[: -1 if number % 1000 == 999 else None] + "\n"


KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {"plain": plain_papers, "varied": varied_papers}


def stage(path: Path, folder: Path) -> int:
    """Stages the file as the step does; gives the number of records."""
    from transforms.readers.base import RawFile
    from transforms.staging import STAGED_SCHEMAS, stage_file
    from warehouse.work import Output
    from warehouse.work_writer import writing_output

    facts: dict[str, object] = {}
    with writing_output(Output(folder / "staged"), STAGED_SCHEMAS, facts) as sink:
        found = stage_file(RawFile(path, path.stat().st_size), sink)
        facts.update(dataclasses.asdict(found))
    assert found.reader == "json_lines", found.message
    return found.records


def copy(path: Path, folder: Path) -> int:
    """Copies the file to Parquet with DuckDB; gives the number of records."""
    import duckdb
    import pyarrow.parquet as pq

    # A line that is broken is left out, as DuckDB would else refuse the file.
    target, ignores = folder / "copied.parquet", "varied" in path.name
    with duckdb.connect() as connection:
        connection.execute(f"copy (from read_json('{path}', ignore_errors = {ignores})) to '{target}'")
    return int(pq.read_metadata(target).num_rows)


def timed(what: str, path: Path) -> dict[str, float]:
    """One run in a process of its own."""
    words = [sys.executable, __file__, "--worker", what, "--path", str(path)]
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=PROJECT).stdout
    return {name: float(value) for name, value in json.loads(printed).items()}


def work(what: str, path: Path) -> None:
    """What a run does: prints its records a second and the most memory it had."""
    # What a process pays once for its imports is told by startup.py.
    for name in ("transforms.staging", "warehouse.work_writer") if what == "stage" else ("duckdb", "pyarrow.parquet"):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        start = time.perf_counter()
        count = {"stage": stage, "copy": copy}[what](path, Path(folder))
        seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"records": count, "rate": count / seconds, "seconds": seconds, "memory": memory}))


def main() -> int:
    """Runs both in turn; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=10**9)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--kind", choices=sorted(KINDS), default="plain")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker, options.path)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{options.kind}.jsonl")
        make_file(path, options.bytes, options.kind)
        runs: dict[str, list[dict[str, float]]] = {"stage": [], "copy": []}
        for _ in range(options.runs):
            for what, results in runs.items():
                results.append(timed(what, path))
    rates = {what: statistics.median(run["rate"] for run in results) for what, results in runs.items()}
    memory = max(run["memory"] for run in runs["stage"])
    for what, results in runs.items():
        seconds = statistics.median(run["seconds"] for run in results)
        print(f"{what:6} {results[0]['records']:9,.0f} records  {seconds:6.2f} s  {rates[what]:9,.0f} records/s")
    ratio = rates["stage"] / rates["copy"]
    print(f"ratio {ratio:.2f} (goal {GOAL_RATIO})  memory of staging {memory / 2**20:,.0f} MiB (goal {GOAL_BYTES >> 20})")
    return 0 if ratio >= GOAL_RATIO and memory < GOAL_BYTES else 1


def _word(chance: random.Random) -> str:
    return "".join(chance.choice("bcdfglmnprstv" if place % 2 else "aeiou") for place in range(chance.randint(2, 11)))


if __name__ == "__main__":
    sys.exit(main())
