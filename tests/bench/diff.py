"""Time and memory of `diff` between two releases of a million papers: `python tests/bench/diff.py [PAPERS] [FOLDER]`.

The releases are fabricated through the product's own writer: 1.2 records a paper with their raw text, three authors, eight
fields with their origin. In the second a file is superseded (a tenth of its records changed, some came, some went), papers
are merged by a decision and by matching, and some are renamed. A third has another rule: every paper has another publisher.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from transforms.frames import frame_of, polars_schema
from transforms.schemas import SCHEMA_VERSION, TABLES
from warehouse.landing import hash_file
from warehouse.layout import Lake
from warehouse.parquet import write_table
from warehouse.release_files import release_id_of

FILES = 100
ORIGINS = ("title", "authors", "abstract", "venue", "venue_id", "year", "url", "decision")


def main() -> None:
    """Makes the releases where they are not there yet, and measures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp())
    lake = Lake(folder)
    if not lake.state_dir.exists():
        make(lake, count)
    from warehouse.diff import open_diff
    from warehouse.sandbox import QueryLimits

    names = (lake.state_dir / "names").read_text().split()
    for after, what in ((1, "a file superseded"), (2, "another rule for all papers")):
        begun, used = time.perf_counter(), time.process_time()
        before_dir, after_dir = (lake.releases_dir / names[place] for place in (0, after))
        with open_diff(before_dir, after_dir, spill_dir=lake.spill_dir, limits=QueryLimits()) as diff:
            rows = diff.summary()
        print(f"{what}: {time.perf_counter() - begun:.2f} s, {time.process_time() - used:.2f} s of the cores")
        for row in rows:
            print("   ", *dataclasses.astuple(row))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory of the process {peak / 1e6:.2f} GB")


def make(lake: Lake, count: int) -> None:
    """Writes the three releases."""
    tables = first_release(count)
    rules = {"reading": "1", "cleaning": "1", "matching": "1", "merging": "1"}
    decided = tables["records"].filter(pl.col("paper_id").is_in([paper_id(1), paper_id(2)]))["record_key"].to_list()
    names = [
        write(lake, tables, rules, []),
        write(lake, second_release(tables), rules, [[*sorted(decided)[:2], "same"]]),
        write(lake, third_release(tables), {**rules, "cleaning": "2"}, []),
    ]
    lake.state_dir.mkdir(parents=True)
    (lake.state_dir / "names").write_text("\n".join(names))


def first_release(count: int) -> dict[str, pl.DataFrame]:
    """A release of `count` papers."""
    sentences = _sentences()
    number = pl.int_range(count, eager=True).alias("n").to_frame()
    pick = [sentences.gather((number["n"].hash(seed) % len(sentences)).cast(pl.UInt32)) for seed in range(7)]
    text = number.with_columns(
        paper_id=_paper_ids("n"),
        title=pick[0].str.slice(0, 60) + number["n"].cast(pl.String),
        abstract=pl.concat_str([pl.Series(each) for each in pick[1:]], separator=" "),
    )
    papers = text.with_columns(
        work_id="w" + pl.col("paper_id").str.slice(1),
        authors=pl.concat_list([_name(seed) for seed in (1, 2, 3)]),
        venue=pl.lit("Proceedings of the Conference on Gravel"),
        venue_id=pl.lit("gravel"),
        year=(2000 + pl.col("n") % 25).cast(pl.Int16),
        decision=pl.lit("poster"),
        keywords=pl.concat_list([pl.lit("gravel"), pl.lit("sand")]),
        url="https://example.org/papers/" + pl.col("n").cast(pl.String),
        record_count=pl.when(pl.col("n") % 5 == 0).then(2).otherwise(1).cast(pl.Int32),
        file_count=pl.lit(1, pl.Int32),
    )
    records = _records(text)
    return {
        "papers": papers,
        "records": records,
        "authorships": pl.concat(
            papers.select(
                "paper_id", position=pl.lit(seed, pl.Int32), name=_name(seed), name_raw=_name(seed), family=pl.lit("Stone")
            )
            for seed in (1, 2, 3)
        ),
        "identifiers": papers.select("paper_id", scheme=pl.lit("doi"), value="10.5555/" + pl.col("n").cast(pl.String)),
        "field_origins": pl.concat(
            records.unique("paper_id", keep="first", maintain_order=True).select("paper_id", "record_id", field=pl.lit(name))
            for name in ORIGINS
        ),
        "raw_files": _files(records),
    }


def second_release(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The same with a superseded file, papers joined, and papers renamed."""
    records, papers = tables["records"], tables["papers"]
    old = records["file_sha256"][0]
    ordinal = pl.col("ordinal")
    is_old = pl.col("file_sha256") == old
    records = records.filter(~is_old | (ordinal % 100 != 3)).with_columns(
        file_sha256=pl.when(is_old).then(pl.lit("f" * 64)).otherwise("file_sha256"),
        raw=pl.when(is_old & (ordinal % 10 == 0)).then(pl.col("raw").str.replace('"title"', '"Title"')).otherwise("raw"),
    )
    records = records.with_columns(record_id=pl.col("file_sha256") + ":" + ordinal.cast(pl.String))
    moved = {paper_id(n): paper_id(n + 1) for n in (1, *range(1001, 3001, 4))}
    moved |= {paper_id(n): f"pffff{n:012x}" for n in range(4001, 6001, 4)}
    records = records.with_columns(paper_id=pl.col("paper_id").replace(moved))
    renamed = {old_id: new_id for old_id, new_id in moved.items() if new_id.startswith("pffff")}
    left = records["paper_id"].unique().implode()
    changed = papers.with_columns(paper_id=pl.col("paper_id").replace(renamed)).filter(pl.col("paper_id").is_in(left))
    touched = records.filter((pl.col("file_sha256") == "f" * 64) & (ordinal % 10 == 0))["paper_id"].unique().implode()
    changed = changed.with_columns(
        abstract=pl.when(pl.col("paper_id").is_in(touched)).then(pl.col("abstract") + " Revised.").otherwise("abstract")
    )
    rest = {
        name: tables[name].with_columns(paper_id=pl.col("paper_id").replace(renamed)).filter(pl.col("paper_id").is_in(left))
        for name in ("authorships", "identifiers", "field_origins")
    }
    aliases = frame_of(
        TABLES["paper_aliases"],
        [
            {"paper_id": a, "current_paper_id": b, "reason": "renamed" if a in renamed else "merged", "record_key": "k"}
            for a, b in moved.items()
        ],
    )
    return {**tables, **rest, "papers": changed, "records": records, "raw_files": _files(records), "paper_aliases": aliases}


def third_release(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The first one with another value in every paper."""
    return {**tables, "papers": tables["papers"].with_columns(publisher=pl.lit("Quarry Press"))}


def write(lake: Lake, tables: dict[str, pl.DataFrame], rules: dict[str, str], decisions: list[list[str]]) -> str:
    """Writes a release with its description; gives its id."""
    folder = lake.releases_dir / "building"
    for table in TABLES.values():
        frame = tables.get(table.name, frame_of(table))
        nulls = [
            pl.lit(None, dtype).alias(name) for name, dtype in polars_schema(table.columns).items() if name not in frame.columns
        ]
        write_table(frame.with_columns(nulls), table, folder)
    files = {path.relative_to(folder).as_posix(): hash_file(path) for path in folder.glob("*/*.parquet")}
    release_id = release_id_of(files)
    description = {
        "schema_version": SCHEMA_VERSION,
        "release_id": release_id,
        "published_at": "2031-05-07T10:00:00+00:00",
        "rules": rules,
        "settings_key": "",
        "without_identifiers": False,
        "decisions": decisions,
        "tables": {name: {"rows": tables[name].height if name in tables else 0} for name in TABLES},
        "files": [
            {"path": path, "sha256": sha256, "size_bytes": (folder / path).stat().st_size}
            for path, sha256 in sorted(files.items())
        ],
    }
    (folder / "release.json").write_text(json.dumps(description))
    folder.rename(lake.releases_dir / release_id)
    return release_id


def paper_id(number: int) -> str:
    """The id of a paper by its number."""
    # The product's ids are hashes: in order of their number they would compress, and join, better.
    return "p" + hashlib.sha256(str(number).encode()).hexdigest()[:16]


def _paper_ids(column: str) -> pl.Expr:
    return pl.col(column).map_elements(paper_id, return_dtype=pl.String)


def _name(seed: int) -> pl.Expr:
    return "Ada " + (pl.col("n").hash(seed) % 100_000).cast(pl.String) + " Stone"


def _records(text: pl.DataFrame) -> pl.DataFrame:
    again = text.filter(pl.col("n") % 5 == 0).with_columns(n=pl.col("n") + text.height)
    both = pl.concat([text, again]).sort("n")
    in_file = -(-both.height // FILES)
    both = both.with_columns(place=pl.int_range(pl.len()))
    both = both.with_columns(
        file_sha256=(pl.col("place") // in_file).cast(pl.String).str.zfill(64),
        ordinal=(pl.col("place") % in_file + 1).cast(pl.Int64),
    )
    return both.select(
        "paper_id",
        "file_sha256",
        "ordinal",
        record_id=pl.col("file_sha256") + ":" + pl.col("ordinal").cast(pl.String),
        record_key="k" + pl.col("n").map_elements(lambda n: f"{n:024x}", return_dtype=pl.String),
        locator="row " + pl.col("ordinal").cast(pl.String),
        source_key=pl.col("n").cast(pl.String),
        raw=pl.concat_str(pl.lit('{"title":"'), "title", pl.lit('","abstract":"'), "abstract", pl.lit('"}')),
    )


def _files(records: pl.DataFrame) -> pl.DataFrame:
    names = records.select("file_sha256").unique().sort("file_sha256")
    return names.with_columns(
        source=pl.lit("gravel"),
        file_name=pl.when(pl.col("file_sha256") == "f" * 64).then(pl.lit("0")).otherwise(pl.col("file_sha256").str.slice(60)),
        source_path=pl.when(pl.col("file_sha256") == "f" * 64)
        .then(pl.lit("0" * 4))
        .otherwise(pl.col("file_sha256").str.slice(60)),
        size_bytes=pl.lit(1, pl.Int64),
        verdict=pl.lit("read"),
    )


def _sentences() -> pl.Series:
    choose = random.Random(5)
    words = ["".join(choose.choices("abcdefghijklmnoprstuvw", k=choose.randint(3, 11))) for _ in range(20_000)]
    return pl.Series([" ".join(choose.choices(words, k=20)) + "." for _ in range(100_000)])


if __name__ == "__main__":
    main()
