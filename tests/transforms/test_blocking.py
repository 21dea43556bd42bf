"""Blocking: which records are compared at all."""

from __future__ import annotations

import polars as pl
from polars.testing import assert_frame_equal

from transforms.frames import frame_of
from transforms.match.blocking import BLOCKING_RULES, NEIGHBOURS, block_pairs, candidate_pairs
from transforms.match.features import record_features
from transforms.staged_schemas import CLEAN_RECORDS

TEXT = (
    "Sparse retrieval of long documents suffers from vocabulary mismatch. We train an expansion network that predicts missing "
    "terms per passage and prunes them with a learned budget. Over six public collections the index shrinks by half while "
    "early precision rises. An ablation attributes most of the gain to pruning, and error analysis shows that rare entities "
    "remain hard. Code and indexes are released for every collection that we used in this study of expansion."
)


def features(*rows: dict[str, object]) -> pl.DataFrame:
    filled = [
        {
            "record_id": f"f:{place}",
            "record_key": f"k{place}",
            "title_is_cut": False,
            "abstract_is_cut": False,
            **row,
            "authors": [{"name": name, "family": name} for name in row.get("authors", [])],
            "identifiers": [dict(zip(("scheme", "value"), i.split(":"), strict=True)) for i in row.get("identifiers", [])],
        }
        for place, row in enumerate(rows)
    ]
    return record_features(frame_of(CLEAN_RECORDS, filled))


def proposed(*rows: dict[str, object]) -> dict[tuple[int, int], list[str]]:
    pairs = candidate_pairs(features(*rows))
    return {(left, right): rules for left, right, rules in pairs.iter_rows()}


def test_a_shared_identifier_proposes_a_pair() -> None:
    assert proposed({"identifiers": ["doi:10.1/a"]}, {"identifiers": ["doi:10.1/a"]}, {"identifiers": ["doi:10.1/b"]}) == {
        (0, 1): ["identifier"]
    }


def test_an_identifier_carried_by_four_titles_proposes_nothing() -> None:
    container = ["doi:10.1/issue"]
    titles = ["Warm ice", "Cold fire", "Dry water", "Wet sand"]
    assert proposed(*({"title": title, "identifiers": container} for title in titles)) == {}
    assert len(proposed(*({"title": title, "identifiers": container} for title in titles[:3]))) == 3


def test_an_equal_title_proposes_a_pair_by_title_author_and_year() -> None:
    rows = [{"title": "Warm Ice!", "authors": ["Lee"], "year": 2020}, {"title": "Warm ice", "authors": ["Lee"], "year": 2020}]
    assert proposed(*rows) == {(0, 1): ["title", "title_author", "title_year"]}


def test_generic_and_missing_titles_propose_nothing() -> None:
    same = {"authors": ["Lee"], "year": 2020}
    assert proposed({"title": "Editorial", **same}, {"title": "Editorial", **same}) == {}
    assert proposed(same, same) == {}
    assert proposed({"title": "?", **same}, {"title": "!", **same}) == {}


def test_a_title_with_four_years_is_a_column_and_proposes_nothing() -> None:
    assert proposed(*({"title": "Notes from the bench", "year": year} for year in range(2001, 2005))) == {}
    assert len(proposed(*({"title": "Notes from the bench", "year": year} for year in range(2001, 2004)))) == 3


def test_a_cut_title_meets_the_titles_it_starts() -> None:
    whole = {"title": "Expansion networks for sparse retrieval of long documents"}
    cut = {"title": "Expansion networks for sparse retrieval of", "title_is_cut": True}
    assert proposed(whole, cut) == {(0, 1): ["cut_title"]}
    assert proposed(whole, {**cut, "title_is_cut": False}) == {}
    assert proposed(whole, {"title": "Expansion net", "title_is_cut": True}) == {}


def test_abstracts_meet_whole_by_their_start_and_by_a_run_of_words() -> None:
    assert proposed({"abstract": TEXT}, {"abstract": TEXT}) == {(0, 1): ["abstract", "abstract_prefix", "abstract_shingle"]}
    assert proposed({"abstract": TEXT}, {"abstract": TEXT[:260]})[0, 1][0] == "abstract_prefix"
    assert proposed({"abstract": TEXT}, {"abstract": "Abstract: " + TEXT}) == {(0, 1): ["abstract_shingle"]}
    assert proposed({"abstract": TEXT}, {"abstract": TEXT[:100]}) == {}
    assert proposed({"abstract": TEXT}, {"title": "Sparse", "abstract": "Abstract: " + TEXT}) == {(0, 1): ["abstract_shingle"]}
    assert proposed({"title": "Dense", "abstract": TEXT}, {"title": "Sparse", "abstract": "Abstract: " + TEXT}) == {}


def test_short_abstracts_and_those_of_many_titles_propose_nothing() -> None:
    assert proposed({"abstract": "No abstract is available."}, {"abstract": "No abstract is available."}) == {}
    assert proposed(*({"title": f"Title {letter}", "abstract": TEXT} for letter in "abcd")) == {}


def test_a_block_above_the_cap_pairs_neighbours_only_whatever_the_order_of_rows() -> None:
    count, keys = 40, pl.DataFrame({"row": range(40), "key": [7] * 40}, schema={"row": pl.UInt32, "key": pl.UInt64})
    frame = pl.DataFrame({"row": range(40), "first_family": [None] * 40, "year": [2000] * 40}).cast(
        {"row": pl.UInt32, "first_family": pl.String}
    )
    assert block_pairs(keys, frame, cap=40).height == count * (count - 1) // 2
    narrow = block_pairs(keys, frame, cap=39)
    assert narrow.height == sum(count - step for step in range(1, NEIGHBOURS + 1))
    assert_frame_equal(narrow, block_pairs(keys.reverse(), frame.reverse(), cap=39), check_row_order=False)


def test_a_thousand_copies_of_one_title_still_hang_together() -> None:
    pairs = candidate_pairs(features(*({"title": "Warm ice", "authors": ["Lee"], "year": 2020} for _ in range(1000))))
    assert set(range(1, 1000)) <= set(pairs["row_r"]) and pairs.height < 10_000


def test_no_records_give_no_pairs() -> None:
    assert candidate_pairs(features()).schema == candidate_pairs(features({"title": "a"}, {"title": "a"})).schema


def test_every_rule_says_what_it_looks_for() -> None:
    assert all(rule.meaning for rule in BLOCKING_RULES.values()) and len(BLOCKING_RULES) <= 32
