"""This module makes a lake with one release of very many made-up papers, through the product's own writer."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
from synthetic_papers import Paper, papers

from transforms.frames import conform
from transforms.schemas import PAPERS, SCHEMA_VERSION
from warehouse.atomic import point_link
from warehouse.layout import Lake
from warehouse.parquet import write_table

_DISTINCT = 30_000
"""So many papers are made up one by one; a million are these with their parts mixed: making each would take minutes."""


def make_release(folder: Path, count: int, seed: int = 5) -> Lake:
    """A lake whose current release holds the table `papers`, with `count` rows."""
    lake = Lake(folder)
    release = lake.releases_dir / f"r{seed:016x}"
    lake.state_dir.mkdir(parents=True)
    path = write_table(make_papers(count, seed), PAPERS, release)
    description = {
        "schema_version": SCHEMA_VERSION,
        "release_id": release.name,
        "previous_release_id": None,
        "published_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "tables": {"papers": {"rows": count}},
        "files": [{"path": "papers/papers.parquet", "sha256": "", "size_bytes": path.stat().st_size}],
    }
    (release / "release.json").write_text(json.dumps(description))
    point_link(lake.current_link, f"{lake.releases_dir.name}/{release.name}")
    return lake


def make_papers(count: int, seed: int = 5) -> pl.DataFrame:
    """Rows of `papers`: titles with their authors, places with their years, and abstracts, each drawn on its own."""
    chance = np.random.default_rng(seed)
    made = pl.DataFrame([_row(paper) for paper in itertools.islice(papers(seed, 0), _DISTINCT)], infer_schema_length=None)
    about = ["title", "authors", "keywords"]
    where = ["venue_id", "venue", "year", "volume", "number", "pages", "url", "type", "publisher", "decision", "pdf_url"]
    ids = [f"{number:016x}" for number in chance.integers(0, 1 << 63, count, dtype=np.uint64)]
    parts = [made.select(columns)[chance.integers(0, made.height, count)] for columns in (about, where, ["abstract"])]
    own = pl.DataFrame({"paper_id": [f"p{each}" for each in ids], "work_id": [f"w{each}" for each in ids]})
    counts = pl.DataFrame({"record_count": chance.geometric(0.7, count), "file_count": chance.geometric(0.8, count)})
    return conform(pl.concat([own, *parts, counts], how="horizontal"), PAPERS)


def _row(paper: Paper) -> dict[str, object]:
    return {
        "title": f"{paper.title}: {paper.subtitle}" if paper.subtitle else paper.title,
        "authors": [f"{given} {family}" for family, given in paper.authors],
        "keywords": paper.title.split()[:3] if paper.number % 3 == 0 else [],
        "abstract": paper.abstract or None,
        "venue_id": paper.venue.venue_id,
        "venue": paper.venue.name,
        "year": paper.year,
        "volume": str(paper.volume),
        "number": str(paper.number),
        "pages": f"{paper.first_page}-{paper.last_page}",
        "url": f"https://doi.org/{paper.doi}",
        "type": {"journal": "article", "preprint": "preprint"}.get(paper.venue.kind, "inproceedings"),
        "publisher": f"{paper.venue.name.split()[-1]} Press" if paper.venue.number % 2 else None,
        "decision": "poster" if paper.venue.kind == "conference" and paper.number % 4 == 0 else None,
        "pdf_url": f"https://papers.example/{paper.doi}.pdf" if paper.number % 2 else None,
    }
