"""Real lists of papers in ../shared/corpus: every entry is staged, and what their columns give is filled."""

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from transforms.clean import SourceDefaults, clean_records

# Of the 196 files a spread: every source, flat and nested records, from 40 entries to 3,000, with reviews, with BibTeX, with
# nothing but titles. Run over all of them by hand after a change of shapes; the figures are in the closing note of the issue.
FILES = {
    "babel/data/json/cvpr2020_papers.json": "babel",
    "babel/data/json/eccv2018_papers.json": "babel",
    "ch3njust1n/api/iclr/iclr_2014.json": None,
    "ch3njust1n/api/mlsys/mlsys_2022.json": None,
    "ch3njust1n/api/neurips/neurips_1988.json": "conference_metadata",
    "ch3njust1n/api/wacv/wacv_2020.json": None,
    "paperlists/acl/acl2022.json": "paperlists",
    "paperlists/acml/acml2024.json": "paperlists",
    "paperlists/cvpr/cvpr2014.json": "paperlists",
    "paperlists/iclr/iclr2018.json": "paperlists_review",
    "paperlists/icml/icml2016.json": "paperlists",
    "paperlists/kdd/kdd2024.json": "paperlists",
    "paperlists/nips/nips1990.json": "paperlists",
    "paperlists/rss/rss2024.json": "paperlists",
    "paperlists/siggraphasia/siggraphasia2024.json": "paperlists",
    "paperlists/www/www2024.json": "paperlists_review",
}

# The columns that give a field, in any of the three sources.
GIVEN_BY = {
    "title": ("title", "title_site"),
    "authors": ("author", "authors", "author_site"),
    "abstract": ("abstract",),
    "keywords": ("keywords", "primary_area"),
}

# Values that say that there is none, however a person writes them.
PLACEHOLDERS = {"", "title", "authors", "abstract", "anonymous", "withdrawn", "paper was withdrawn", "abstract unavailable"}


@pytest.fixture(scope="module")
def venue_aliases(project: Path) -> pl.DataFrame:
    return pl.read_csv(project / "config" / "venues.csv")


@pytest.mark.parametrize("name", FILES)
def test_every_entry_of_a_real_list_is_staged_and_what_it_gives_is_filled(name, shared, stage, venue_aliases):
    with pa.input_stream(str(shared / "corpus" / f"{name}.zst"), compression="zstd") as file:
        content = file.read()
    entries = json.loads(content)
    staged = stage(content)
    assert staged.facts.shape == FILES[name]
    assert staged.records.height + staged.rejects.height == len(entries)
    objects = [entry for entry in entries if isinstance(entry, dict)]
    assert staged.raw == objects
    assert set(staged.reasons) <= {"not_an_object"}

    records = staged.records.with_columns(file_sha256=pl.lit("0" * 64))
    cleaned = clean_records(records, source=SourceDefaults("test"), venue_aliases=venue_aliases)
    assert cleaned.rejects.is_empty()
    filled = _filled(cleaned.records)
    assert {field: filled[field] for field in GIVEN_BY} == {
        field: sum(_gives(entry, columns) for entry in objects) for field, columns in GIVEN_BY.items()
    }


@pytest.mark.parametrize(
    ("name", "least"),
    [
        (
            "babel/data/json/cvpr2020_papers.json",
            {"year": 1.0, "venue_id": 1.0, "pdf_url": 1.0, "url": 1.0, "identifiers": 1.0},
        ),
        ("babel/data/json/eccv2018_papers.json", {"year": 1.0, "venue_id": 1.0, "pages": 0.99}),
        ("ch3njust1n/api/neurips/neurips_1988.json", {"year": 1.0, "venue_id": 1.0, "pdf_url": 1.0, "identifiers": 1.0}),
        ("paperlists/acl/acl2022.json", {"year": 1.0, "venue_id": 1.0, "pages": 1.0, "publisher": 1.0, "identifiers": 1.0}),
        ("paperlists/acml/acml2024.json", {"year": 1.0, "pages": 0.9, "volume": 0.9, "identifiers": 1.0}),
        ("paperlists/iclr/iclr2018.json", {"decision": 0.9, "identifiers": 1.0}),
        ("paperlists/siggraphasia/siggraphasia2024.json", {"url": 1.0}),
        ("paperlists/www/www2024.json", {"decision": 1.0, "identifiers": 1.0}),
    ],
)
def test_what_stands_in_addresses_and_bibtex_columns_is_filled(name, least, shared, stage, venue_aliases):
    with pa.input_stream(str(shared / "corpus" / f"{name}.zst"), compression="zstd") as file:
        staged = stage(file.read())
    records = staged.records.with_columns(file_sha256=pl.lit("0" * 64))
    cleaned = clean_records(records, source=SourceDefaults("test"), venue_aliases=venue_aliases).records
    filled = _filled(cleaned)
    shares = {field: filled[field] / cleaned.height for field in least}
    assert all(shares[field] >= least[field] for field in least), shares


def _gives(entry: dict, columns: tuple[str, ...]) -> bool:
    return any(str(entry.get(column) or "").strip(" .").casefold() not in PLACEHOLDERS for column in columns)


def _filled(records: pl.DataFrame) -> Counter[str]:
    """How many records have a value, by field."""
    counts: Counter[str] = Counter()
    for name, dtype in records.schema.items():
        column = records[name]
        counts[name] = int((column.list.len() > 0).sum()) if isinstance(dtype, pl.List) else column.len() - column.null_count()
    return counts
