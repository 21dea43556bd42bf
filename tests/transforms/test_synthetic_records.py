"""The generator of the benchmarks: the same records for the same seed, shaped as cleaning shapes them, as hard as it says."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from transforms.frames import conform, polars_schema
from transforms.staged_schemas import CLEAN_RECORDS


@pytest.fixture(scope="module")
def generator(project: Path) -> Iterator[ModuleType]:
    sys.path.insert(0, str(project / "tests" / "bench"))
    import synthetic_records

    yield synthetic_records
    sys.path.remove(str(project / "tests" / "bench"))


@pytest.fixture(scope="module")
def made(generator: ModuleType) -> tuple[pl.DataFrame, pl.DataFrame]:
    return generator.synthetic_records(4_000, seed=3)


def test_records_have_the_shape_of_clean_records(made: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    records, truth = made
    assert records.schema == polars_schema(CLEAN_RECORDS.columns) and records.height == 4_000
    conform(records, CLEAN_RECORDS)
    assert records["record_id"].is_unique().all() and records["record_key"].is_unique().all()
    assert truth["record_key"].equals(records["record_key"])


def test_the_same_seed_gives_the_same_records_and_another_seed_others(
    generator: ModuleType, made: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    again, truth = generator.synthetic_records(4_000, seed=3)
    assert_frame_equal(again, made[0])
    assert_frame_equal(truth, made[1])
    assert not generator.synthetic_records(10, seed=4)[0]["title"].equals(generator.synthetic_records(10, seed=3)[0]["title"])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_records_can_be_made(generator: ModuleType, count: int) -> None:
    records, truth = generator.synthetic_records(count)
    assert records.height == truth.height == count and records.schema == polars_schema(CLEAN_RECORDS.columns)


def test_three_records_in_ten_are_copies(made: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    truth = made[1]
    assert 0.26 < 1 - truth["paper"].n_unique() / truth.height < 0.34
    assert truth.group_by("paper").agg(pl.col("work").n_unique())["work"].max() == 1


def test_titles_are_as_long_and_words_as_skewed_as_real_ones(made: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    records = made[0]
    words = records.select(pl.col("title").drop_nulls().str.to_lowercase().str.extract_all(r"\p{L}{5,}").alias("word"))
    counts = words.explode("word")["word"].value_counts(sort=True)
    lengths = records["title"].drop_nulls().str.count_matches(r"\S+")
    assert 6 <= lengths.median() <= 12 and lengths.quantile(0.95) <= 16
    assert 0.005 < counts["count"][20] / records.height < 0.05  # the first ones are connecting words
    assert counts.filter(pl.col("count") <= 2).height > counts.height / 2


def test_what_makes_matching_hard_is_there(made: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    records = made[0].join(made[1], on="record_key")
    pairs = records.join(records, on="paper").filter(pl.col("record_key") < pl.col("record_key_right"))
    doi, doi_right = (
        pl.col(name)
        .list.eval(pl.element().struct.field("value").filter(pl.element().struct.field("scheme") == "doi"))
        .list.first()
        for name in ("identifiers", "identifiers_right")
    )
    shares = pairs.select(
        titles_differ=(pl.col("title") != pl.col("title_right")).mean(),
        years_differ=(pl.col("year") != pl.col("year_right")).mean(),
        venues_differ=(pl.col("venue") != pl.col("venue_right")).mean(),
        authors_differ=(pl.col("authors") != pl.col("authors_right")).mean(),
        no_doi_shared=(doi != doi_right).fill_null(True).mean(),
    ).row(0, named=True)
    assert shares["titles_differ"] > 0.2 and shares["years_differ"] > 0.01 and shares["venues_differ"] > 0.2
    assert shares["authors_differ"] > 0.3 and shares["no_doi_shared"] > 0.4
    title = pl.col("title").str.to_lowercase()
    kinds = (r"part i\b", "^(?:erratum|corr)", "^(?:editorial|preface|front matter|book review)", "…$")
    assert records.select(title.str.contains(kind).sum().alias(kind) for kind in kinds).min_horizontal().item() > 3
    works = made[1].group_by("work").agg(pl.col("paper").n_unique())
    assert works.filter(pl.col("paper") > 1).height > 50
