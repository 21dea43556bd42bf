"""This script lets readers query a lake in a loop, each in a process of its own, while run after run adds to it.

    python tests/bench/readers_during_run.py [--seconds 120] [--readers 10] [--papers 2000] [--pause 0.1]

None may fail, and each answer must be that of one whole release: the counts of rows of several tables, asked for in one
query, must be those that one release states of itself. Readers are of four kinds: a DuckDB client that opens
`paperlake.duckdb` each time, one that keeps it open, `warehouse.open`, and `paperlake sql`; all stand in another folder.
Prints how long answers took, at rest and during the runs: waiting for a run would show as a pause as long as a run.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TABLES = ("papers", "records", "authorships", "raw_files", "ledger")
QUERY = f"select {', '.join(f'(select count(*) from {table}) as {table}' for table in TABLES)}"
COMMAND = [sys.executable, "-m", "flows.cli"]


def read_in_loop(kind: str, lake: Path, stop: Path, pause: float) -> None:
    """Asks, with pauses, until the file `stop` is there; prints a line an answer: its kind, seconds, rows or error."""
    ask = _READERS[kind](lake)
    while True:
        begun = time.monotonic()
        try:
            said: dict[str, object] = {"counts": ask()}
        except Exception as error:  # noqa: BLE001 - whatever it is, it counts as a failure
            said = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"kind": kind, "seconds": time.monotonic() - begun} | said), flush=True)
        if stop.exists():
            return
        time.sleep(pause)


def _file(lake: Path) -> Callable[[], list[int]]:
    import duckdb

    def ask() -> list[int]:
        with duckdb.connect(str(lake / "paperlake.duckdb"), read_only=True) as connection:
            return list(connection.execute(QUERY).fetchall()[0])

    return ask


def _held_file(lake: Path) -> Callable[[], list[int]]:
    import duckdb

    connection = duckdb.connect(str(lake / "paperlake.duckdb"), read_only=True)
    return lambda: list(connection.execute(QUERY).fetchall()[0])


def _python(lake: Path) -> Callable[[], list[int]]:
    import warehouse

    def ask() -> list[int]:
        with warehouse.open(lake) as connection:
            return list(connection.sql(QUERY).fetchall()[0])

    return ask


def _command(lake: Path) -> Callable[[], list[int]]:
    def ask() -> list[int]:
        words = [*COMMAND, "sql", QUERY, "--lake", str(lake), "--format", "json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return list(json.loads(done.stdout)[0].values())

    return ask


_READERS: dict[str, Callable[[Path], Callable[[], list[int]]]] = {
    "client": _file,
    "held client": _held_file,
    "warehouse.open": _python,
    "paperlake sql": _command,
}


def write_list(path: Path, count: int, part: int) -> None:
    """Writes a list of made-up papers as CSV."""
    from synthetic_papers import papers

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["title", "authors", "abstract", "venue", "year", "doi"])
        for paper in itertools.islice(papers(7, part), count):
            authors = "; ".join(f"{given} {family}" for family, given in paper.authors)
            writer.writerow([paper.title, authors, paper.abstract, paper.venue.name, paper.year, paper.doi])


def run(lake: Path, *lists: Path) -> float:
    """The seconds of a run that adds lists to the lake."""
    begun = time.monotonic()
    words = [*COMMAND, "run", *map(str, lists), "--lake", str(lake), "--direct"]
    subprocess.run(words, check=True, capture_output=True, cwd=PROJECT)
    return time.monotonic() - begun


@contextmanager
def reading(lake: Path, readers: int, folder: Path, pause: float) -> Iterator[list[dict[str, object]]]:
    """Within it, readers ask; afterwards the list holds what all were told."""
    stop, answers = folder / f"stop{time.monotonic_ns()}", list[dict[str, object]]()
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    logs = [folder / f"reader{number}.jsonl" for number in range(readers)]
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, "--read", kind, "--lake", str(lake), "--stop", str(stop), "--pause", str(pause)],
            stdout=log.open("w"),
            cwd=folder,
            env=environment,
        )
        for log, kind in zip(logs, itertools.cycle(_READERS), strict=False)
    ]
    try:
        yield answers
    finally:
        stop.touch()
        failed = [process.args for process in processes if process.wait(timeout=120)]
        answers += [json.loads(line) for log in logs for line in log.read_text().splitlines()]
        answers += [{"kind": "reader", "error": str(words)} for words in failed]


def stated_counts(lake: Path) -> set[tuple[int, ...]]:
    """The counts of rows that each release states of itself."""
    releases = [json.loads(path.read_text())["tables"] for path in (lake / "releases").glob("r*/release.json")]
    return {tuple(release[table]["rows"] for table in TABLES) for release in releases}


def report(what: str, answers: list[dict[str, object]], whole: set[tuple[int, ...]]) -> bool:
    """Prints figures of each kind of reader; whether none failed or saw what no release is."""
    good = True
    for kind in dict.fromkeys(str(answer["kind"]) for answer in answers):
        own = [answer for answer in answers if answer["kind"] == kind]
        seconds = sorted(float(str(answer.get("seconds", 0))) for answer in own)
        errors = [answer["error"] for answer in own if "error" in answer]
        seen = [tuple(answer["counts"]) for answer in own if "counts" in answer]  # type: ignore[arg-type]
        mixed = [counts for counts in seen if counts not in whole]
        print(
            f"{what:8} {kind:15} {len(own):6,} answers of {len(set(seen))} releases, {len(errors)} failed, {len(mixed)} mixed;"
            f" seconds p50 {statistics.median(seconds):.3f}, p99 {seconds[int(0.99 * (len(seconds) - 1))]:.3f},"
            f" most {seconds[-1]:.3f}"
        )
        for problem in (*errors, *mixed)[:3]:
            print(f"         {problem}")
        good &= not errors and not mixed and bool(seen)
    return good


def main() -> int:
    """Runs readers beside runs; 1 if one failed or saw a mixture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--readers", type=int, default=10)
    parser.add_argument("--papers", type=int, default=2_000, help="papers that each run adds")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds a reader rests after an answer")
    for name in ("read", "lake", "stop"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        read_in_loop(given.read, Path(given.lake), Path(given.stop), given.pause)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder, lake = Path(name), Path(name, "lake")
        write_list(folder / "list0.csv", given.papers, 0)
        run(lake, folder / "list0.csv")
        with reading(lake, given.readers, folder, given.pause) as at_rest:
            time.sleep(min(10.0, given.seconds / 4))
        runs: list[float] = []
        with reading(lake, given.readers, folder, given.pause) as during:
            end = time.monotonic() + given.seconds
            while time.monotonic() < end or len(runs) < 2:
                write_list(folder / f"list{len(runs) + 1}.csv", given.papers, len(runs) + 1)
                runs.append(run(lake, folder / f"list{len(runs) + 1}.csv"))
        whole = stated_counts(lake)
        print(f"{given.readers} readers, {len(runs)} runs of {min(runs):.1f} to {max(runs):.1f} s, {len(whole)} releases")
        return 0 if report("at rest", at_rest, whole) & report("runs", during, whole) and len(whole) == len(runs) + 1 else 1


if __name__ == "__main__":
    sys.exit(main())
