"""At once or one by one, the same: files come in any order, in any company, and the tables do not tell."""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path

import polars as pl
import pytest

from flows.cli import call

FILES = 4
HISTORY = "paper_aliases"
"""The one table that may tell in which order files came."""


def tables(lake: Path) -> dict[str, str]:
    """The hash of every file of every table but the one of history."""
    release = (lake / "current").resolve()
    files = sorted(path for path in release.rglob("*.parquet") if HISTORY not in path.parts)
    return {str(path.relative_to(release)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def paper(row: dict) -> dict[str, object]:
    """A record as a list would give it."""
    given = {
        **{name: row[name] for name in ("title", "abstract", "venue", "year", "volume", "number", "pages")},
        **{identifier["scheme"]: identifier["value"] for identifier in row["identifiers"]},
        "authors": [author["name"] for author in row["authors"]],
    }
    return {name: value for name, value in given.items() if value not in (None, [])}


def tricky_papers() -> list[dict[str, object]]:
    """Papers that only several files together tell right: what one file alone would say of them is another thing."""
    issue, column, ice = "10.1234/issue", "Notes from the chair of the society", "Warm ice in cold rivers"
    topics = ("Renal outcomes", "Bone density", "Sleep and memory", "Gene transfer", "Viral load")
    doi, other = "10.1234/ice", "10.1234/other"
    return [
        # An issue's DOI: on two papers it looks like theirs, on five it is none of theirs.
        *({"title": f"{topic} in goats {n}", "authors": [f"Ada Nr{n}"], "doi": issue} for n, topic in enumerate(topics)),
        # A title that recurs each year is a column's.
        *({"title": column, "authors": ["Bo Chair"], "year": year, "venue": "Goat News"} for year in range(2010, 2016)),
        # A~B and B~C, but A and C conflict.
        {"title": ice, "authors": ["Cy Lee", "Di Ng"], "year": 2020, "doi": doi},
        {"title": ice, "authors": ["Cy Lee", "Di Ng"], "year": 2020},
        {"title": ice, "authors": ["C. Lee", "D. Ng"], "year": 2020, "doi": other},
        # The same record in many files.
        *([{"title": "Dry bones of the desert", "authors": ["Ed Sand"], "year": 2019}] * 4),
    ]


@pytest.fixture(scope="module")
def files(project: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Some files with synthetic papers, their copies and neighbours strewn over them, and those above."""
    folder = str(project / "tests" / "bench")
    sys.path.insert(0, folder)
    try:
        from synthetic_records import synthetic_records
    finally:
        sys.path.remove(folder)
    papers = [paper(row) for row in synthetic_records(240, seed=11)[0].iter_rows(named=True)] + tricky_papers()
    random.Random(11).shuffle(papers)
    made = tmp_path_factory.mktemp("lists")
    paths = [made / f"list{number}.jsonl" for number in range(FILES)]
    for number, path in enumerate(paths):
        path.write_text("".join(json.dumps(paper) + "\n" for paper in papers[number::FILES]))
    return paths


@pytest.fixture(scope="module")
def at_once(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    lake = tmp_path_factory.mktemp("at_once") / "lake"
    assert call(["run", *map(str, files), "--lake", str(lake), "--direct"]) == 0
    pairs = pl.read_parquet((lake / "current").resolve() / "paper_matches" / "*.parquet")
    statuses = pairs["status"].value_counts()
    assert statuses.filter(pl.col("status").is_in(["match", "version"]))["count"].min() > 3  # or there is nothing to tell
    return tables(lake)


@pytest.mark.parametrize("seed", range(3))
def test_a_random_split_in_random_order_gives_the_same_tables(
    seed: int, files: list[Path], at_once: dict[str, str], tmp_path: Path
) -> None:
    chance = random.Random(seed)
    order = chance.sample(files, len(files))
    edges = sorted(chance.sample(range(1, len(order)), chance.randint(1, 2)))
    for start, end in zip([0, *edges], [*edges, len(order)], strict=True):
        assert call(["run", *map(str, order[start:end]), "--lake", str(tmp_path / "lake"), "--direct"]) == 0
    assert tables(tmp_path / "lake") == at_once


def test_one_by_one_gives_the_same_tables(files: list[Path], at_once: dict[str, str], tmp_path: Path) -> None:
    for file in reversed(files):
        assert call(["run", str(file), "--lake", str(tmp_path / "lake"), "--direct"]) == 0
    assert tables(tmp_path / "lake") == at_once
