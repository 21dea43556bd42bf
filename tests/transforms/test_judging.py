"""Judging: costly aspects are looked at last and only of open pairs, and the verdicts are as if all were looked at."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from transforms.match import judging
from transforms.match.author_keys import author_keys
from transforms.match.blocking import candidate_pairs
from transforms.match.comparison import compare_pairs, costly_aspects
from transforms.match.decision import decide_pairs, first_rules
from transforms.match.features import record_features
from transforms.match.judging import judge_pairs

PAIR = {"row_l": pl.UInt32, "row_r": pl.UInt32}


@pytest.fixture(scope="module")
def features(project: Path) -> pl.DataFrame:
    """Features of a thousand synthetic records: copies with slips, versions, parts, editorials."""
    folder = str(project / "tests" / "bench")
    sys.path.insert(0, folder)
    try:
        from synthetic_records import synthetic_records
    finally:
        sys.path.remove(folder)
    return record_features(synthetic_records(1_000, seed=11)[0])


@pytest.fixture(scope="module")
def pairs(features: pl.DataFrame) -> pl.DataFrame:
    """The candidates, and as many of any two records as no blocking rule would propose."""
    chance = random.Random(3)
    drawn = [sorted(chance.sample(range(features.height), 2)) for _ in range(5_000)]
    candidates = candidate_pairs(features).select("row_l", "row_r")
    return pl.concat([candidates, pl.DataFrame(drawn, schema=PAIR, orient="row")]).unique().sort("row_l", "row_r")


@pytest.mark.parametrize("size", [7, 1_000, 1 << 20])
def test_verdicts_are_those_of_pairs_compared_in_every_aspect(
    size: int, features: pl.DataFrame, pairs: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "SLICE_PAIRS", size)
    asked = pairs.sample(300, seed=1).sort("row_l", "row_r") if size < 100 else pairs
    judged = judge_pairs(asked, features)
    assert_frame_equal(judged, decide_pairs(compare_pairs(asked, features)).select(judged.columns))
    assert judged["status"].n_unique() == (5 if asked.height > 300 else judged["status"].n_unique())


def test_no_pairs_have_no_verdicts(features: pl.DataFrame, pairs: pl.DataFrame) -> None:
    judged = judge_pairs(pairs.clear(), features)
    assert judged.height == 0 and judged.schema == judge_pairs(pairs.head(9), features).schema


def test_what_is_not_known_leaves_a_pair_open_or_changes_nothing(features: pl.DataFrame, pairs: pl.DataFrame) -> None:
    """The law that judging rests on, of each aspect and of all together: no rule may take null for no."""
    compared = compare_pairs(pairs, features)
    known = first_rules(compared)
    aspects = costly_aspects()
    assert (known["sure"].ne_missing(known["may"])).sum() < pairs.height / 100, "nothing is open where all is known"
    for hidden in (*((aspect,) for aspect in aspects), aspects):
        names = [name for aspect in hidden for name in aspect.otherwise]
        found = first_rules(compared.with_columns(pl.lit(None, compared.schema[name]).alias(name) for name in names))
        is_decided = found["sure"].eq_missing(found["may"])
        assert is_decided.any()
        assert found["sure"].filter(is_decided).equals(known["sure"].filter(is_decided), null_equal=True)


def test_an_aspect_that_no_rule_asks_says_nothing(features: pl.DataFrame, pairs: pl.DataFrame) -> None:
    compared = compare_pairs(pairs, features)
    for aspect in costly_aspects():
        others = compared.filter(~compared.select(aspect.asked).to_series())
        for name, value in aspect.otherwise.items():
            assert others.with_columns(value.alias(name))[name].equals(others[name], null_equal=True)
        assert compared[next(iter(aspect.otherwise))].null_count() == 0


def test_first_authors_agree_by_family_and_initial_if_all_families_are_known() -> None:
    lists = [
        [{"name": "Ana Lee", "family": "Lee", "given": "Ana"}],
        [{"name": "A. Lee", "family": "LEE", "given": "A."}, {"name": "Bo Kim", "family": "Kim", "given": "Bo"}],
        [{"name": "Eva Lee", "family": "Lee", "given": "Eva"}],
        [{"name": "Lee", "family": "Lee", "given": None}],
        [{"name": "Ana Lee", "family": "Lee", "given": "Ana"}, {"name": "-", "family": "-", "given": None}],
        [],
    ]
    names = pl.List(pl.Struct(dict.fromkeys(("name", "family", "given"), pl.String)))
    authors = pl.Series("authors", lists, names)
    key = author_keys(authors)["first_author_key"]
    assert key[0] == key[1] and key[2] not in (None, key[0])
    assert key[3:].null_count() == 3


def test_threads_take_turns_as_before_once_pairs_are_judged(features: pl.DataFrame, pairs: pl.DataFrame) -> None:
    before = sys.getswitchinterval()
    judge_pairs(pairs.head(9), features)
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        judge_pairs(pairs.head(9).drop("row_r"), features)
    assert sys.getswitchinterval() == before


def test_what_was_learned_in_one_call_serves_the_next(features: pl.DataFrame, pairs: pl.DataFrame) -> None:
    aspects = costly_aspects()
    whole = judge_pairs(pairs, features)
    parts = [judge_pairs(part, features, aspects) for part in (pairs.head(700), pairs.slice(700))]
    assert_frame_equal(pl.concat(parts), whole)
