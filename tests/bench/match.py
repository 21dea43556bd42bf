"""This script matches synthetic records, and Splink does beside it: time, memory, pairs, and F1 against the truth.

    python tests/bench/match.py [--records 10000 100000] [--runs 3] [--peers] [--added 10000] [--stages] [--folder FOLDER]

The records are made here (see synthetic_records.py; the same for every run) in a temporary folder, or kept in FOLDER and
used again. Each run is a process of its own; where there are peers they take turns, so that both see the same machine.
Matching alone is timed: the records are in memory when the clock starts, in batches, of which matching keeps no more than it
needs, as the step does it. `--added` tells what so many new records cost on top of the others, which were matched before:
what was derived of these and said of their pairs is at hand, as a lake keeps it. `--stages` tells where the time goes.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

PROJECT = Path(__file__).resolve().parents[2]
GOAL_SECONDS = {100_000: 1.2, 1_000_000: 15.0}
GOAL_BYTES, GOAL_DRIFT = 2 * 2**30, 0.003
PATIENCE_SECONDS = 1800
"""A peer that has not finished by then is said not to finish."""

SEED = 7


def match(batches: list[pl.DataFrame]) -> tuple[object, int]:
    """Clusters and number of matched pairs; `batches` is emptied."""
    from transforms.match import matching

    own = []
    while batches:
        own.append(matching.own_features(batches.pop(0)))
    found = matching.match_features(pl.concat([own.pop(0) for _ in list(own)]))
    return found.clusters, found.pairs.filter(pl.col("status") == "match").height


def match_added(batches: list[pl.DataFrame], added: int) -> Callable[[list[pl.DataFrame]], tuple[object, int]]:
    """What matches `batches` when the clock starts, all but the last `added` records of which are matched here."""
    from transforms.match.matching import match_features, own_features
    from transforms.match.remembered import KNOWN_SCHEMA

    records = pl.concat(batches)
    batches[:] = [records.tail(added)]
    earlier = pl.concat(
        [own_features(some) for some in records.head(records.height - added).iter_slices(batches[0].height * 10)]
    )
    del records
    known = match_features(earlier, None, KNOWN_SCHEMA.to_frame()).judged

    def matched(batches: list[pl.DataFrame]) -> tuple[object, int]:
        found = match_features(pl.concat([earlier, own_features(batches.pop())]), None, known)
        return found.clusters, found.pairs.filter(pl.col("status") == "match").height

    return matched


def match_with_splink(batches: list[pl.DataFrame]) -> tuple[object, int]:
    """The same with Splink."""
    from splink_peer import splink_clusters

    return splink_clusters(pl.concat(batches))


PROGRAMS: dict[str, Callable[[list[pl.DataFrame]], tuple[object, int]]] = {"match": match, "splink": match_with_splink}


def pairwise_f1(clusters: pl.DataFrame, truth: pl.DataFrame) -> dict[str, float]:
    """Precision, recall and F1 over pairs of records, after clustering: of papers, and F1 of works.

    What finds no works is measured by its clusters: Splink does not tell the versions of a work apart.
    """
    of_works = clusters.select("record_key", cluster="work" if "work" in clusters.columns else "cluster")
    of_papers = _pairwise(clusters.select("record_key", "cluster"), truth.select("record_key", truth="paper"))
    return of_papers | {"work_f1": _pairwise(of_works, truth.select("record_key", truth="work"))["f1"]}


def _pairwise(clusters: pl.DataFrame, truth: pl.DataFrame) -> dict[str, float]:
    joined = truth.join(clusters, on="record_key", how="left")
    assert joined["cluster"].null_count() == 0

    def pair_count(*names: str) -> int:
        sizes = joined.group_by(*names).len()["len"].cast(pl.Int64)
        return int((sizes * (sizes - 1) // 2).sum())

    both, found, true = pair_count("truth", "cluster"), pair_count("cluster"), pair_count("truth")
    return {"precision": both / max(found, 1), "recall": both / max(true, 1), "f1": 2 * both / max(found + true, 1)}


def timed(program: str, records: Path, truth: Path, added: int, stages: bool) -> dict[str, float]:
    """One run in a process of its own."""
    words = [sys.executable, __file__, "--worker", program, str(records), str(truth), "--added", str(added)]
    words += ["--stages"] if stages else []
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=PROJECT, timeout=PATIENCE_SECONDS).stdout
    return dict(json.loads(printed.splitlines()[-1]))


def work(program: str, records_path: Path, truth_path: Path, added: int, stages: bool) -> None:
    """What a run does: prints its seconds, memory, pairs and F1."""
    # What a process pays once for its imports is told by startup.py.
    import transforms.match.matching as matching
    from flows.paper_steps import _MATCHED_RECORDS
    from transforms.match.features import RECORD_COLUMNS

    columns = RECORD_COLUMNS if program == "match" else pl.read_parquet_schema(records_path).names()
    rows = pl.scan_parquet(records_path).select(columns)
    count = rows.select(pl.len()).collect().item()
    batches = [rows.slice(start, _MATCHED_RECORDS).collect() for start in range(0, count, _MATCHED_RECORDS)]
    size = sum(batch.estimated_size() for batch in batches)
    if program == "match":
        match([batches[0].head(50)])
    else:
        import splink  # noqa: F401
        import splink_peer  # noqa: F401
    run = match_added(batches, added) if added else PROGRAMS[program]
    spent = _watched(matching) if stages else {}
    loaded = _peak_bytes()
    start, start_cpu = time.perf_counter(), time.process_time()
    found, matched = run(batches)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    measured = {"seconds": seconds, "cpu": cpu, "loaded": loaded, "memory": _peak_bytes(), "pairs": matched}
    measured["frame"] = size
    truth = pl.read_parquet(truth_path)
    if isinstance(found, dict):  # Splink: quoted at its best threshold too
        from splink_peer import OTHER_THRESHOLDS, THRESHOLD, clusters_at

        scores = {at: pairwise_f1(clusters_at(found["linker"], found["predicted"], at), truth) for at in OTHER_THRESHOLDS}
        scores[THRESHOLD] = pairwise_f1(found["clusters"], truth)
        best = max(scores, key=lambda at: scores[at]["f1"])
        measured |= {**scores[THRESHOLD], "best_f1": scores[best]["f1"], "best_threshold": best}
    else:
        measured |= pairwise_f1(found, truth)
    print(json.dumps({**measured, "stages": spent}))


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _watched(matching: object) -> dict[str, list[float]]:
    """Wraps each function that the stages of matching are, so that wall and processor seconds of each add up by name."""
    spent: dict[str, list[float]] = {}

    def watch(name: str, function: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(function)
        def timed_call(*values: object, **named: object) -> object:
            start, start_cpu = time.perf_counter(), time.process_time()
            found = function(*values, **named)
            used = spent.setdefault(name, [0.0, 0.0])
            used[0], used[1] = used[0] + time.perf_counter() - start, used[1] + time.process_time() - start_cpu
            return found

        return timed_call

    for name, function in list(vars(matching).items()):
        is_own = callable(function) and not isinstance(function, type) and name not in ("match_records", "match_features")
        if is_own and getattr(function, "__module__", "").startswith("transforms."):
            setattr(matching, name, watch(name, function))
    return spent


def made(folder: Path, count: int) -> tuple[Path, Path]:
    """The files of records and truth, made if they are not there."""
    records, truth = folder / f"records{count}.parquet", folder / f"truth{count}.parquet"
    if not truth.exists():
        script = Path(__file__).with_name("synthetic_records.py")
        words = [sys.executable, str(script), str(count), str(records), str(truth), "--seed", str(SEED)]
        subprocess.run(words, check=True, cwd=PROJECT)
    return records, truth


def show(program: str, count: int, runs: list[dict[str, float]]) -> dict[str, float]:
    """Prints one line, medians over the runs; gives the medians."""
    numbers = {name: statistics.median(run[name] for run in runs) for name in runs[0] if name != "stages"}
    line = f"{program:7}{count:>10,} {numbers['seconds']:8.2f} s {numbers['cpu']:8.2f} cpu s"
    line += f"  memory {numbers['loaded'] / 2**20:6,.0f} before, {numbers['memory'] / 2**20:6,.0f} MiB at most"
    line += f"  {numbers['pairs']:9,.0f} pairs  P {numbers['precision']:.4f} R {numbers['recall']:.4f} F1 {numbers['f1']:.4f}"
    line += f", of works {numbers['work_f1']:.4f}"
    if "best_f1" in numbers:
        line += f" (best {numbers['best_f1']:.4f} at {numbers['best_threshold']})"
    print(line, flush=True)
    for name in runs[0]["stages"]:
        wall, cpu = (statistics.median(run["stages"][name][place] for run in runs) for place in (0, 1))
        print(f"    {name:24} {wall:8.2f} s {cpu:8.2f} cpu s")
    return numbers


def compare(options: argparse.Namespace, folder: Path) -> list[str]:
    """Runs everything in turn, prints it, and gives the goals that were missed."""
    programs = ["match", "splink"] if options.peers else ["match"]
    medians: dict[tuple[str, int], dict[str, float]] = {}
    for count in options.records:
        files = made(folder, count)
        runs: dict[str, list[dict[str, float]]] = {program: [] for program in programs}
        for _, program in itertools.product(range(options.runs), programs):
            try:
                runs[program].append(timed(program, *files, 0, options.stages and program == "match"))
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                if program == "match":
                    raise
                print(f"{program:7}{count:>10,} did not finish: {str(error)[-60:]}", flush=True)
        medians |= {(program, count): show(program, count, runs[program]) for program in programs if runs[program]}
        if runs.get("splink"):
            wall, cpu = (medians["splink", count][name] / medians["match", count][name] for name in ("seconds", "cpu"))
            print(f"        Splink takes {wall:.1f} times the time of matching, {cpu:.1f} times its CPU time", flush=True)
    least, most = min(options.records), max(options.records)
    drift = medians["match", least]["f1"] - medians["match", most]["f1"]
    print(f"F1 drifts by {drift:+.4f} from {least:,} to {most:,} records (goal {GOAL_DRIFT})")
    if options.added:
        total = most + options.added
        files = made(folder, total)
        show("added", options.added, [timed("match", *files, options.added, options.stages) for _ in range(options.runs)])
    missed = [] if drift <= GOAL_DRIFT else ["drift"]
    for (program, count), numbers in medians.items():
        if program == "match" and numbers["seconds"] > GOAL_SECONDS.get(count, 1e9):
            missed.append(f"{count:,} records in {GOAL_SECONDS[count]} s")
        if program == "match" and numbers["memory"] > GOAL_BYTES:
            missed.append(f"{count:,} records in {GOAL_BYTES >> 20} MiB")
    return missed


def main() -> int:
    """Measures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peers", action="store_true", help="run Splink too")
    parser.add_argument("--added", type=int, default=0, help="also so many new records on the most of the others")
    parser.add_argument("--stages", action="store_true", help="print the time of each stage")
    parser.add_argument("--folder", type=Path, help="where the records are kept")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        program, records, truth = options.worker
        work(program, Path(records), Path(truth), options.added, options.stages)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        missed = compare(options, folder)
    print("goals missed: " + "; ".join(missed) if missed else "all goals reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
