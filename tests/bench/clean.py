"""This script cleans a million staged records (title, authors, abstract): seconds in all, and of each part.

    python tests/bench/clean.py [--records 1000000] [--runs 3] [--parts]

The records are made here (fabricated papers, the same for every run): a tenth of the titles and abstracts have mark-up or
LaTeX, a third letters outside of ASCII; authors come given name first, inverted, with initials, and some in capitals. They are
cleaned in batches, some at a time, as the step does it. Each run is a process of its own; the goal: 20 seconds on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

import polars as pl  # noqa: E402

from flows.cleaning import alias_frame, each_side_by_side  # noqa: E402
from flows.settings import load_settings, load_venue_aliases  # noqa: E402
from flows.steps import _BATCH_RECORDS  # noqa: E402
from transforms.authors import clean_authors  # noqa: E402
from transforms.clean import SourceDefaults, clean_records  # noqa: E402
from transforms.frames import polars_schema  # noqa: E402
from transforms.identifiers import clean_identifiers  # noqa: E402
from transforms.links import clean_links  # noqa: E402
from transforms.record_keys import record_keys  # noqa: E402
from transforms.staged_schemas import STAGED_RECORDS  # noqa: E402
from transforms.text import clean_abstract  # noqa: E402
from transforms.titles import clean_title  # noqa: E402
from transforms.venues import clean_venues  # noqa: E402

GOAL_SECONDS = 20
_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "ri",
    "so",
    "tu",
    "va",
    "we",
    "xi",
    "stra",
    "plin",
)
_MARKED = (r"\emph{{{}}}", "<i>{}</i>", "${}_2$", "{} &amp; sons", "**{}**", r"{}\'e")
_FOREIGN = ("{}ö", "é{}", "{}–{}", "“{}”", "α-{}")


def staged_records(count: int, seed: int = 7) -> pl.DataFrame:
    """`count` staged records of fabricated papers, in one file."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(20_000)]
    people = [(words[chance.randrange(12_000)].title(), words[chance.randrange(12_000, 16_000)].title()) for _ in range(count)]
    rows = [_paper(chance, words, people) for _ in range(count)]
    titles, authors, abstracts = zip(*rows, strict=True)
    ordinals = range(1, count + 1)
    given = {"ordinal": ordinals, "title_raw": titles, "authors_raw": authors, "abstract_raw": abstracts}
    frame = pl.DataFrame(given).with_columns(locator=pl.format("line {}", "ordinal"), raw=pl.lit("{}"), file_sha256=pl.lit("f"))
    missing = [name for name in STAGED_RECORDS.column_names() if name not in frame.columns]
    schema = polars_schema(STAGED_RECORDS.columns)
    return frame.with_columns(pl.lit(None, schema[name]).alias(name) for name in missing).select(*schema, "file_sha256")


def _paper(chance: random.Random, words: list[str], people: list[tuple[str, str]]) -> tuple[str, str, str | None]:
    def text(count: int) -> str:
        picked = chance.choices(words, k=count)
        kind = chance.random()
        signs = _MARKED if kind < 0.1 else _FOREIGN if kind < 0.4 else ()
        if signs:
            place = chance.randrange(count)
            picked[place] = chance.choice(signs).format(*(picked[place],) * 2)
        return " ".join(picked)

    style = chance.random()
    names = [_name(style, *chance.choice(people)) for _ in range(chance.randint(1, 7))]
    abstract = f"{text(chance.randint(80, 200)).capitalize()}." if chance.random() < 0.9 else None
    return text(chance.randint(5, 16)).capitalize(), "; ".join(names), abstract


def _name(style: float, family: str, given: str) -> str:
    if style < 0.6:
        return f"{given} {family}"
    if style < 0.8:
        return f"{family}, {given}"
    if style < 0.98:
        return f"{family}, {given[0]}."
    return f"{given} {family}".upper()


def parts(staged: pl.DataFrame) -> dict[str, float]:
    """The seconds of each part of cleaning, run by itself."""
    title, abstract = pl.col("title_raw"), pl.col("abstract_raw")
    settings = load_settings()
    work: dict[str, Callable[[], object]] = {
        "title": lambda: staged.select(clean_title(title, pl.col("subtitle_raw"))),
        "authors": lambda: clean_authors(staged),
        "abstract": lambda: staged.select(clean_abstract(abstract)),
        "identifiers": lambda: clean_identifiers(staged),
        "links": lambda: clean_links(staged),
        "venues": lambda: clean_venues(staged["venue_raw"], alias_frame(load_venue_aliases(settings))),
        "record keys": lambda: record_keys(staged, source="bench", has_keys=False),
    }
    seconds = {}
    for name, run in work.items():
        start = time.perf_counter()
        run()
        seconds[name] = time.perf_counter() - start
    return seconds


def _batches(staged: pl.DataFrame) -> Iterator[pl.DataFrame]:
    for start in range(0, staged.height, _BATCH_RECORDS):
        yield staged.slice(start, _BATCH_RECORDS)


def work(path: Path, *, in_parts: bool) -> None:
    """What a run does: prints its seconds and the most memory it had."""
    staged = pl.read_parquet(path)
    aliases = alias_frame(load_venue_aliases(load_settings()))
    if in_parts:
        totals: dict[str, float] = {}
        for batch in _batches(staged):
            for name, seconds in parts(batch).items():
                totals[name] = totals.get(name, 0.0) + seconds
        print(json.dumps(totals))
        return
    start, cpu = time.perf_counter(), time.process_time()
    source = SourceDefaults("bench")
    kept = []

    def clean_batch(source: SourceDefaults, batch: pl.DataFrame) -> None:
        kept.append(clean_records(batch, source=source, venue_aliases=aliases).records.height)

    each_side_by_side(clean_batch, ((source, batch) for batch in _batches(staged)))
    assert sum(kept) == staged.height
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 2**30
    print(json.dumps({"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, "gib": gigabytes}))


def main() -> None:
    """Makes the records, and runs each count of runs in processes of their own."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--parts", action="store_true", help="also the seconds of each part, run by itself")
    parser.add_argument("--worker", choices=("all", "parts"), help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(given.path, in_parts=given.worker == "parts")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "staged.parquet"
        staged_records(given.records).write_parquet(path)
        runs = [_run(path, "all") for _ in range(given.runs)]
        middle = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        print(
            f"{given.records:,} records cleaned in {middle['seconds']:.1f} s ({middle['cpu']:.1f} s of processor time, "
            f"{middle['gib']:.1f} GiB); the goal for a million is {GOAL_SECONDS} s"
        )
        if given.parts:
            for name, seconds in _run(path, "parts").items():
                print(f"{name:12} {seconds:6.2f} s")


def _run(path: Path, what: str) -> dict[str, float]:
    words = [sys.executable, __file__, "--worker", what, "--path", str(path)]
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=PROJECT).stdout
    return {name: float(value) for name, value in json.loads(printed).items()}


if __name__ == "__main__":
    main()
