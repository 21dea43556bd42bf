"""This module makes clean records of fabricated papers, and the truth: which record is of which paper.

    python tests/bench/synthetic_records.py 100000 records.parquet truth.parquet [--seed 7]

Three records in ten are copies of another one, as another source would give it: with slips, without subtitle, authors by
initials, the venue's name short, fields missing. The same count and seed give the same frames.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import itertools
import multiprocessing
import random
import sys
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import polars as pl
import pyarrow as pa
from synthetic_papers import Paper, papers

PROJECT = Path(__file__).resolve().parents[2]
COPIES, COPY_WEIGHTS = (0, 1, 2, 3, 4), (72, 18, 6, 3, 1)
"""How many copies a paper has: 0.43 in the mean, so that 30 % of the records are copies."""

PART_RECORDS = 50_000
FILES = 12
_PLAIN = ("title", "abstract", "venue", "venue_kind", "venue_id", "year", "type", "volume", "number", "pages", "url")
_AUTHOR = pa.list_(pa.struct([(name, pa.string()) for name in ("name", "name_raw", "given", "family")]))
_IDENTIFIER = pa.list_(pa.struct([("scheme", pa.string()), ("value", pa.string())]))


def synthetic_records(count: int, seed: int = 7) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`count` records (schema CLEAN_RECORDS), in the order of their record keys, which is none; and the truth.

    The truth has a row a record, in the same order: record_key, paper, work. Ten thousand take two seconds, a million 50.
    """
    starts = range(0, count, PART_RECORDS)
    parts = [(number, min(PART_RECORDS, count - start), seed) for number, start in enumerate(starts)] or [(0, 0, seed)]
    if len(parts) > 2:
        # Not forked: a fork of a process that has used Polars may hang.
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
            frames = list(pool.map(_records_of_part, *zip(*parts, strict=True)))
    else:
        frames = [_records_of_part(*part) for part in parts]
    frame = pl.concat(frames).sort("record_key").with_row_index("place")
    file = hashlib.sha256(f"file {seed}".encode()).hexdigest()
    place = pl.col("place").cast(pl.Int64)
    numbered = frame.with_columns(
        file_sha256=pl.format("{}{}", (place % FILES).cast(pl.String).str.zfill(2), pl.lit(file[2:])),
        ordinal=place // FILES + 1,
    ).with_columns(record_id=pl.format("{}:{}", "file_sha256", "ordinal"))
    return _clean(numbered), frame.select("record_key", "paper", "work")


def _clean(frame: pl.DataFrame) -> pl.DataFrame:
    from transforms.frames import polars_schema
    from transforms.staged_schemas import CLEAN_RECORDS

    empty = {"keywords": [], "links": []}
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(empty.get(name), dtype)).cast(dtype).alias(name)
        for name, dtype in polars_schema(CLEAN_RECORDS.columns).items()
    )


def _records_of_part(part: int, count: int, seed: int) -> pl.DataFrame:
    """Some records as a frame; built by way of Arrow, as Polars takes a minute for a million lists of structs."""
    gc.disable()  # a sixth of the time, for nothing: no row holds itself
    rows = list(itertools.islice(_rows(part, seed), count))
    gc.enable()
    columns = {name: pa.array([row[name] for row in rows], pa.string()) for name in _PLAIN if name != "year"}
    columns["year"] = pa.array([row["year"] for row in rows], pa.int16())
    columns["authors"] = _lists([row["authors"] for row in rows], _AUTHOR)
    columns["identifiers"] = _lists([row["identifiers"] for row in rows], _IDENTIFIER)
    columns["paper"], columns["work"] = (pa.array([row[name] for row in rows], pa.string()) for name in ("paper", "work"))
    keys = [f"k{hashlib.sha256(f'{seed} {part} {place}'.encode()).hexdigest()[:24]}" for place in range(len(rows))]
    frame = pl.DataFrame(pa.table({"record_key": pa.array(keys, pa.string()), **columns}))
    is_cut = [pl.col(name).str.ends_with("…").fill_null(False).alias(f"{name}_is_cut") for name in ("title", "abstract")]
    return frame.with_columns(*is_cut, decision=pl.lit(None, pl.String))


def _lists(lists: list[list[tuple[str | None, ...]]], dtype: pa.DataType) -> pa.Array:
    flat = list(itertools.chain.from_iterable(lists))
    members = [pa.array([entry[place] for entry in flat], pa.string()) for place in range(dtype.value_type.num_fields)]
    offsets = pa.array(itertools.accumulate((len(entries) for entries in lists), initial=0), pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(members, fields=list(dtype.value_type)))


def _rows(part: int, seed: int) -> Iterator[dict[str, object]]:
    chance = random.Random(f"records {seed} {part}")
    for paper in papers(seed, part):
        yield _record(chance, paper, is_copy=False)
        for _ in range(chance.choices(COPIES, COPY_WEIGHTS)[0]):
            yield _record(chance, paper, is_copy=True)


def _record(chance: random.Random, paper: Paper, *, is_copy: bool) -> dict[str, object]:
    """How one source writes the paper down. A source that is not the first has the vices of its kind."""
    has_vices = is_copy and chance.random() < 0.8
    is_strict, is_journal = paper.is_strict, paper.venue.kind == "journal"
    lacks = 0.25 if has_vices and not paper.is_generic else 0.08
    has_venue = is_strict or chance.random() > lacks / 2
    has_pages = paper.is_generic or (not paper.arxiv and chance.random() > lacks + 0.15)
    has_place = paper.is_generic or (is_journal and chance.random() > lacks)
    name = paper.venue.short if chance.random() < (0.4 if has_vices else 0.1) else paper.venue.name
    year = paper.year
    if has_vices and not is_strict and chance.random() < (0.05 if is_journal else 0.015):
        year += chance.choice((-1, 1))
    return {
        "paper": paper.paper,
        "work": paper.work,
        "title": _title(chance, paper, has_vices),
        "authors": _authors(chance, paper, has_vices),
        "abstract": _abstract(chance, paper.abstract, has_vices),
        "venue": name if has_venue else None,
        "venue_id": paper.venue.venue_id if has_venue else None,
        "venue_kind": paper.venue.kind if has_venue else None,
        "year": year if is_strict or chance.random() > lacks / 4 else None,
        "type": "article" if is_journal else "inproceedings" if chance.random() < 0.7 else None,
        "volume": _volume(chance, paper, has_vices) if has_place else None,
        "number": str(paper.number) if has_place and (paper.is_generic or chance.random() > 0.2) else None,
        "pages": _pages(chance, paper, has_vices) if has_pages else None,
        "url": f"https://papers.example/{paper.paper}" if chance.random() < 0.1 else None,
        "identifiers": _identifiers(chance, paper),
    }


def _title(chance: random.Random, paper: Paper, has_vices: bool) -> str | None:
    keeps_subtitle = paper.subtitle and not (has_vices and not paper.is_strict and chance.random() < 0.25)
    title = paper.title + (f": {paper.subtitle}" if keeps_subtitle else "")
    if has_vices and not paper.is_generic:
        if chance.random() < 0.008:
            return None
        if chance.random() < 0.12:
            title = _with_slip(chance, title)
            title = _with_slip(chance, title) if chance.random() < 0.3 else title
        if chance.random() < 0.02 and not paper.is_strict and len(title) > 70:
            return title[: chance.randint(50, 65)].rstrip() + "…"
        if chance.random() < 0.02:
            title = chance.choice(("Tutorial: {}", "{} (extended abstract)", "{} (panel session)")).format(title)
    title += paper.tail
    style = chance.random()
    if has_vices and style < 0.08:
        return title.upper()
    return title.title() if style < 0.4 else title[:1].upper() + title[1:]


def _with_slip(chance: random.Random, text: str) -> str:
    """The text with a letter changed, left out, doubled or swapped with the next one."""
    place = chance.randrange(1, max(2, len(text) - 1))
    before, letter, after = text[:place], text[place : place + 1], text[place + 1 :]
    slip = chance.randrange(4)
    if slip == 0:
        return before + chance.choice("abcdefghijklmnoprstuvwyz") + after
    if slip == 1:
        return before + after
    return before + letter + letter + after if slip == 2 else before + after[:1] + letter + after[1:]


def _authors(chance: random.Random, paper: Paper, has_vices: bool) -> list[tuple[str | None, ...]]:
    people, form, loses_accents = paper.authors, "full", False
    if has_vices:
        form = chance.choices(("full", "initials", "swapped", "reversed"), (50, 40, 2, 8))[0]
        loses_accents = chance.random() < 0.3
        if not paper.is_strict and chance.random() < 0.03:
            return []
        if chance.random() < 0.05:
            people = people[: chance.choice((1, 3))]
        if chance.random() < 0.04 and people:
            people = ((_with_slip(chance, people[0][0]), people[0][1]), *people[1:])
    elif chance.random() < 0.1:
        form = "initials"
    return [_author(family, given, form, loses_accents) for family, given in people]


def _author(family: str, given: str, form: str, loses_accents: bool) -> tuple[str | None, ...]:
    if loses_accents and not (family.isascii() and given.isascii()):
        family, given = (unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() for name in (family, given))
    if form == "initials":
        given = " ".join(f"{name[0]}." for name in given.split())
    if form == "swapped":  # a family name that stood first without a comma
        family, given = given, family
    return f"{given} {family}", f"{family}, {given}" if form != "full" else f"{given} {family}", given, family


def _abstract(chance: random.Random, abstract: str, has_vices: bool) -> str | None:
    if not abstract or chance.random() < 0.36:
        return None
    if not has_vices:
        return abstract
    vice = chance.random()
    if vice < 0.12:
        return abstract[: chance.randint(250, 500)].rstrip() + "…"
    if vice < 0.2:
        return f"Abstract: {abstract}"
    if vice < 0.3:
        return f"{abstract} © {chance.randint(1990, 2025)} Pebble Press. All rights reserved."
    if vice < 0.45:
        return _with_slip(chance, _with_slip(chance, abstract))
    return abstract


def _volume(chance: random.Random, paper: Paper, has_vices: bool) -> str:
    if has_vices and chance.random() < 0.08:
        return f"{paper.volume} ({paper.number})"
    return str(paper.volume)


def _pages(chance: random.Random, paper: Paper, has_vices: bool) -> str:
    first, last = str(paper.first_page), str(paper.last_page)
    form = chance.random() if has_vices else 1.0
    if form < 0.15 and len(first) == len(last):
        shared = len(first) - len(first[:-1] if first[:-1] == last[:-1] else "")
        return f"{first}-{last[-shared:]}"
    if form < 0.25:
        return first
    if form < 0.28:
        return f"{paper.first_page + 1}-{last}"
    return first if first == last else f"{first}-{last}"


def _identifiers(chance: random.Random, paper: Paper) -> list[tuple[str | None, ...]]:
    """Identifiers that the source gives: a DOI in a good half, one in 400 of them wrong by a digit."""
    found = []
    if paper.arxiv and chance.random() < 0.9:
        found.append(("arxiv", paper.arxiv))
    if chance.random() < (0.3 if paper.arxiv else 0.55):
        wrong = chance.random() < 0.0025
        found.append(("doi", paper.doi[:-1] + str(9 - int(paper.doi[-1])) if wrong else paper.doi))
    if not paper.arxiv and chance.random() < 0.06:
        found.append(("pmid", str(10_000_000 + int(hashlib.sha256(paper.paper.encode()).hexdigest()[:6], 16))))
    return sorted(found)


def main() -> int:
    """Writes records and truth as Parquet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("records", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    records, truth = synthetic_records(options.count, options.seed)
    records.write_parquet(options.records)
    truth.write_parquet(options.truth)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(PROJECT))
    sys.exit(main())
