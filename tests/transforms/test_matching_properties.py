"""What matching finds depends on the records alone: on no order of rows, no chunks, no number of threads."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.match import remembered
from transforms.match.features import own_features
from transforms.match.judging import judge_pairs
from transforms.match.matching import Matched, match_features, match_records
from transforms.match.remembered import KNOWN_SCHEMA

SCRIPT = """
import sys
import polars as pl
from transforms.match.matching import match_records
assert pl.thread_pool_size() == int(sys.argv[2])
found = match_records(pl.read_parquet(sys.argv[1]))
sys.stdout.write(found.pairs.write_ndjson() + found.clusters.write_ndjson())
"""


@pytest.fixture(scope="module")
def records(project: Path) -> pl.DataFrame:
    """Two thousand synthetic records: copies with slips, versions, parts, editorials."""
    folder = str(project / "tests" / "bench")
    sys.path.insert(0, folder)
    try:
        from synthetic_records import synthetic_records
    finally:
        sys.path.remove(folder)
    return synthetic_records(2_000, seed=5)[0]


def written(records: pl.DataFrame) -> str:
    """Every byte of what matching finds, as text."""
    return as_text(match_records(records))


def as_text(found: Matched) -> str:
    return found.pairs.write_ndjson() + found.clusters.write_ndjson()


@pytest.fixture(scope="module")
def expected(records: pl.DataFrame) -> str:
    text = written(records)
    assert text.count('"status":"match"') > 300 and text.count('"status":"version"') > 20
    return text


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_features_made_of_some_records_at_a_time_are_those_made_of_all(records: pl.DataFrame, expected: str) -> None:
    own = pl.concat([own_features(some) for some in records.iter_slices(333)])
    assert own.equals(own_features(records))
    assert as_text(match_features(own)) == expected


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_rows_in_any_order_give_the_same_bytes(records: pl.DataFrame, expected: str, seed: int) -> None:
    order = random.Random(seed).sample(range(records.height), records.height)
    assert fingerprint(written(records[order])) == fingerprint(expected)


@pytest.mark.parametrize("by", ["title", "year", "record_id"])
def test_rows_sorted_otherwise_give_the_same_bytes(by: str, records: pl.DataFrame, expected: str) -> None:
    assert fingerprint(written(records.sort(by, nulls_last=False))) == fingerprint(expected)
    assert fingerprint(written(records.sort(by, descending=True, nulls_last=True))) == fingerprint(expected)


@pytest.mark.parametrize("size", [7, 100, 1_999])
def test_rows_in_chunks_give_the_same_bytes(size: int, records: pl.DataFrame, expected: str) -> None:
    chunked = pl.concat([records[start : start + size] for start in range(0, records.height, size)], rechunk=False)
    assert chunked.n_chunks() > 1
    assert fingerprint(written(chunked)) == fingerprint(expected)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_any_number_of_threads_gives_the_same_bytes(
    threads: int, records: pl.DataFrame, expected: str, tmp_path: Path, project: Path
) -> None:
    records.write_parquet(tmp_path / "records.parquet")
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "records.parquet"), str(threads)],
        check=True,
        stdout=subprocess.PIPE,
        cwd=project,
        env={**os.environ, "POLARS_MAX_THREADS": str(threads), "PYTHONPATH": str(project)},
    ).stdout.decode()
    assert fingerprint(found) == fingerprint(expected)


def test_records_that_stand_in_several_files_change_nothing(records: pl.DataFrame, expected: str) -> None:
    later = records.sample(500, seed=1).with_columns(record_id=pl.format("z{}", "record_id"))
    assert fingerprint(written(pl.concat([later, records]))) == fingerprint(expected)


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_what_is_published_of_a_pair_agrees_with_the_clusters(records: pl.DataFrame, seed: int) -> None:
    chance = random.Random(seed)
    some = records[sorted(chance.sample(range(records.height), chance.randint(2, 400)))]
    found = match_records(some)
    assert found.clusters["record_key"].to_list() == some["record_key"].sort().to_list()
    cluster, work = (dict(found.clusters.select("record_key", name).iter_rows()) for name in ("cluster", "work"))
    for key_l, key_r, status in found.pairs.select("record_key_l", "record_key_r", "status").iter_rows():
        assert key_l < key_r
        assert (cluster[key_l] == cluster[key_r]) == (status == "match")
        assert status != "version" or work[key_l] == work[key_r]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_what_is_remembered_of_another_set_of_records_makes_no_difference(
    records: pl.DataFrame, expected: str, seed: int, share: float
) -> None:
    chance = random.Random(seed)
    taken = pl.Series([chance.random() < share for _ in range(records.height)])
    # Some records said something else then: their pairs must be judged anew.
    year = pl.col("year") + pl.when(pl.Series([chance.random() < 0.1 for _ in range(records.height)])).then(1).otherwise(0)
    earlier = records.with_columns(year.cast(pl.Int16)).filter(taken)
    before = match_features(own_features(earlier), None, KNOWN_SCHEMA.to_frame())
    assert before.judged is not None
    now = match_features(own_features(records), None, before.judged)
    assert as_text(now) == expected
    assert now.judged is not None and now.judged.select("key_l", "key_r", "rules").is_duplicated().sum() == 0


def test_nothing_is_judged_twice_if_nothing_changed(records: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counting(pairs: pl.DataFrame, *of: object) -> pl.DataFrame:
        asked.append(pairs.height)
        return judge_pairs(pairs, *of)

    monkeypatch.setattr(remembered, "judge_pairs", counting)
    own = own_features(records)
    first = match_features(own, None, KNOWN_SCHEMA.to_frame())
    count, asked[:] = sum(asked), []
    again = match_features(own, None, first.judged)
    assert count > 1_000 and sum(asked) == 0
    # One record more costs its own pairs.
    one_more = records.head(1).with_columns(record_key=pl.lit("kzz"), record_id=pl.lit("zz:1"))
    match_features(own_features(pl.concat([records, one_more])), None, again.judged)
    assert 0 < sum(asked) < count / 10
