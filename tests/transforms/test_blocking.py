"""Blocking: which records are compared at all."""

from __future__ import annotations

import itertools
import random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_series_equal

from transforms.frames import frame_of
from transforms.match.blocking import BLOCKING_RULES, candidate_pairs, count_pairs, is_proposed_by, rule_names
from transforms.match.blocks import NEIGHBOURS, block_pairs, block_sizes, pair_rows
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
    return {
        (left, right): rules for left, right, rules in pairs.with_columns(rule_names(pairs["rules"])).drop("rules").iter_rows()
    }


def test_a_shared_identifier_proposes_a_pair() -> None:
    assert proposed({"identifiers": ["doi:10.1/a"]}, {"identifiers": ["doi:10.1/a"]}, {"identifiers": ["doi:10.1/b"]}) == {
        (0, 1): ["identifier"]
    }


def test_an_identifier_carried_by_four_titles_proposes_nothing() -> None:
    container = ["doi:10.1/issue"]
    titles = ["Warm ice", "Cold fire", "Dry water", "Wet sand"]
    assert proposed(*({"title": title, "identifiers": container} for title in titles)) == {}
    assert len(proposed(*({"title": title, "identifiers": container} for title in titles[:3]))) == 3


def test_an_equal_title_proposes_a_pair_with_author_and_year_and_without() -> None:
    assert proposed({"title": "Warm Ice!"}, {"title": "Warm ice"}) == {(0, 1): ["title"]}
    rows = [{"title": "Warm Ice!", "authors": ["Lee"], "year": 2020}, {"title": "Warm ice", "authors": ["Lee"], "year": 2020}]
    assert proposed(*rows) == {(0, 1): ["rare_words", "title", "title_author", "title_year"]}


def test_generic_and_missing_titles_propose_nothing() -> None:
    same = {"authors": ["Lee"], "year": 2020}
    assert proposed({"title": "Editorial", "year": 2020}, {"title": "Editorial", "year": 2020}) == {}
    assert proposed(same, same) == {}
    assert proposed({"title": "?", **same}, {"title": "!", **same}) == {}


def test_generic_titles_meet_by_author_page_or_issue() -> None:
    editorial = {"title": "Editorial"}
    for evidence, rules in (
        ({"authors": ["Lee"]}, ["title_author"]),
        ({"volume": "3", "pages": "7-9"}, ["title_page"]),
        ({"volume": "3", "number": "2"}, ["title_issue"]),
    ):
        assert proposed({**editorial, **evidence}, {**editorial, **evidence}) == {(0, 1): rules}
    # Every journal has an editorial on page 1, and one in its third volume.
    for evidence in ({"pages": "1-2"}, {"volume": "3"}, {"volume": "3", "year": 2020}):
        assert proposed({**editorial, **evidence}, {**editorial, **evidence}) == {}


def test_five_hundred_editorials_neither_explode_nor_lose_the_copies_of_one() -> None:
    issues = [(volume, number) for volume in range(1, 26) for number in range(1, 11)]
    rows = [
        {
            "title": "Editorial",
            "volume": str(volume),
            "number": str(number),
            "venue": "Annals of Ice",
            "record_key": f"k{copy}{place:04}",
        }
        for copy in range(2)
        for place, (volume, number) in enumerate(issues)
    ]
    pairs = candidate_pairs(features(*rows))
    assert {(row, row + 250) for row in range(250)} <= set(pairs.select("row_l", "row_r").rows())
    assert pairs.height <= 25 * 190


def test_a_record_without_a_title_of_its_own_meets_its_authors_papers_of_that_venue_and_year_or_issue() -> None:
    place = {"authors": ["Lee"], "venue": "Annals of Ice"}
    for when in ({"year": 2020}, {"volume": "3", "number": "2"}):
        whole = {"title": "Warm ice in cold rivers", "authors": ["Ng", "Lee"], "venue": "Annals of Ice", **when}
        assert proposed({**place, **when}, whole) == {(0, 1): ["nameless"]}
        assert proposed({**place, **when, "authors": ["Dow"]}, whole) == {}
        assert proposed({**place, **when, "title": "Dry bones of old"}, whole) == {}


def test_titles_that_differ_meet_by_their_start_their_end_or_their_rarest_words() -> None:
    title = "Melting glaciers above the Arctic circle"
    long = {"title": f"{title}: evidence out of lakes", "authors": ["Ng", "Lee"], "year": 2020, "pages": "7-9"}
    assert proposed(long, {"title": title, "authors": ["Lee"]})[0, 1] == ["rare_words", "title_author"]
    assert proposed(long, {"title": title, "pages": "7-19"})[0, 1] == ["rare_words", "title_page"]
    assert proposed(long, {"title": title, "year": 2020})[0, 1] == ["rare_words", "title_year"]
    ended = {"title": "Challenges paper: lakes above the Arctic circle", "authors": ["Ng"]}
    assert "title_end" in proposed(ended, {"title": "Lakes above the Arctic circle", "authors": ["Ng"]})[0, 1]
    assert proposed({"title": "Melting above the glaciers of Peru"}, {"title": title}) == {(0, 1): ["rare_words"]}
    two = [{"title": "Glaciers and arctic lakes"}, {"title": "The arctic without its glaciers"}]
    assert proposed(*two) == {}
    assert proposed(*({**row, "authors": ["Ng"]} for row in two)) == {(0, 1): ["rare_words"]}
    assert proposed(*({**row, "pages": "7"} for row in two)) == {(0, 1): ["rare_words"]}


def test_a_first_page_proposes_a_pair_only_with_volume_and_year_or_author_and_year_or_author_and_volume() -> None:
    full = {"authors": ["Lee"], "volume": "3", "year": 2020, "pages": "70-79"}
    for names, rules in (
        (("volume", "year", "pages"), ["volume_page_year"]),
        (("authors", "year", "pages"), ["author_year_page"]),
        (("authors", "volume", "pages"), ["author_volume_page"]),
        (("authors", "volume", "year"), []),
        (("volume", "pages"), []),
    ):
        given = {name: full[name] for name in names}
        found = proposed({"title": "Warm ice", **given}, {"title": "Glace chaude", **given})
        assert found == ({(0, 1): rules} if rules else {})


def test_a_title_with_four_years_in_one_venue_is_a_column_and_proposes_nothing() -> None:
    column = {"title": "Notes from the bench", "venue": "Annals of Ice"}
    assert proposed(*({**column, "year": year} for year in range(2001, 2005))) == {}
    assert len(proposed(*({**column, "year": year} for year in range(2001, 2003)))) == 1


def test_a_cut_title_meets_the_titles_it_starts() -> None:
    whole = {"title": "Expansion networks for sparse retrieval of long documents"}
    cut = {"title": "Expansion networks for sparse retrieval of", "title_is_cut": True}
    assert proposed(whole, cut) == {(0, 1): ["cut_title", "rare_words"]}
    assert proposed(whole, {**cut, "title_is_cut": False}) == {(0, 1): ["rare_words"]}
    assert proposed(whole, {"title": "Expansion net", "title_is_cut": True}) == {}


def test_abstracts_meet_by_their_start_and_those_without_a_title_by_a_piece() -> None:
    assert proposed({"abstract": TEXT}, {"abstract": TEXT}) == {(0, 1): ["abstract", "abstract_piece"]}
    assert "abstract" in proposed({"abstract": TEXT}, {"abstract": TEXT[:260]})[0, 1]
    assert proposed({"abstract": TEXT}, {"abstract": "Abstract: " + TEXT}) == {(0, 1): ["abstract_piece"]}
    assert proposed({"abstract": TEXT}, {"abstract": TEXT[:100]}) == {}
    assert proposed({"abstract": TEXT}, {"title": "Sparse", "abstract": "Abstract: " + TEXT}) == {(0, 1): ["abstract_piece"]}
    assert proposed({"title": "Dense", "abstract": TEXT}, {"title": "Sparse", "abstract": "Abstract: " + TEXT}) == {}


def test_short_abstracts_and_those_of_many_titles_propose_nothing() -> None:
    assert proposed({"abstract": "No abstract is available."}, {"abstract": "No abstract is available."}) == {}
    assert proposed(*({"title": f"Title {letter}", "abstract": TEXT} for letter in "abcd")) == {}


def test_a_block_above_the_cap_pairs_neighbours_only_whatever_the_order_of_rows() -> None:
    count, keys = 40, pl.DataFrame({"row": range(40), "key": [7] * 40}, schema={"row": pl.UInt32, "key": pl.UInt64})
    frame = pl.DataFrame({"row": range(40), "first_family": [None] * 40, "year": [2000] * 40}).cast(
        {"row": pl.UInt32, "first_family": pl.String}
    )
    assert block_pairs(keys, frame, cap=40).len() == count * (count - 1) // 2
    narrow = block_pairs(keys, frame, cap=39)
    assert narrow.len() == sum(count - step for step in range(1, NEIGHBOURS + 1))
    assert_series_equal(narrow, block_pairs(keys.reverse(), frame, cap=39))
    assert block_pairs(keys, frame, cap=39, neighbours=0).is_empty()


def test_a_thousand_copies_of_one_title_still_hang_together() -> None:
    pairs = candidate_pairs(features(*({"title": "Warm ice", "authors": ["Lee"], "year": 2020} for _ in range(1000))))
    assert set(range(1, 1000)) <= set(pairs["row_r"]) and pairs.height < 10_000


def test_no_records_give_no_pairs() -> None:
    assert candidate_pairs(features()).schema == candidate_pairs(features({"title": "a"}, {"title": "a"})).schema


def test_every_rule_says_what_it_looks_for() -> None:
    assert all(rule.meaning for rule in BLOCKING_RULES.values()) and len(BLOCKING_RULES) <= 32


def test_the_pairs_of_each_rule_can_be_counted_before_any_is_compared() -> None:
    ice = {"title": "Warm ice", "authors": ["Lee"], "volume": "3"}
    counts = count_pairs(features(ice, ice, {**ice, "title": "Dry bones"}, {"title": "Warm ice"}))
    assert counts["rule"].to_list() == list(BLOCKING_RULES)
    given = {row["rule"]: row for row in counts.iter_rows(named=True)}
    expected = {"keys": 3, "blocks": 1, "largest": 3, "pairs": 3, "alone": 2}  # no other title begins like "Dry bones"
    assert {name: given["title"][name] for name in expected} == expected
    assert given["title_author"]["pairs"] == 1 and given["identifier"]["keys"] == 0


def test_rules_are_named_and_asked_for_by_their_bits() -> None:
    frame = pl.DataFrame({"rules": pl.Series([0, 1, 3], dtype=pl.UInt32)})
    first, second = list(BLOCKING_RULES)[:2]
    assert rule_names(frame["rules"]).to_list() == [[], [first], sorted([first, second])]
    assert frame.select(is_proposed_by(second)).to_series().to_list() == [False, False, True]


PLACES = st.fixed_dictionaries(
    {
        "title": st.sampled_from([None, "Editorial", "Warm ice in cold rivers", "Warm ice in rivers", "Dry bones of old"]),
        "authors": st.sampled_from([[], ["Lee"], ["Ng", "Lee"]]),
        "year": st.sampled_from([None, 2020, 2021]),
        "venue": st.sampled_from([None, "Annals of Ice"]),
        "volume": st.sampled_from([None, "3"]),
        "pages": st.sampled_from([None, "7-9"]),
        "abstract": st.sampled_from([None, TEXT, "Abstract: " + TEXT]),
    }
)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(PLACES, min_size=2, max_size=14), st.randoms(use_true_random=False))
def test_candidates_do_not_depend_on_the_names_of_records(rows: list[dict[str, object]], shuffler: random.Random) -> None:
    order = list(range(len(rows)))
    shuffler.shuffle(order)
    renamed = [{**row, "record_key": f"k{place:02}"} for row, place in zip(rows, order, strict=True)]
    plain = [{**row, "record_key": f"k{place:02}"} for place, row in enumerate(rows)]
    found = {(order[left], order[right]): rules for (left, right), rules in proposed(*plain).items()}
    assert {(min(pair), max(pair)): rules for pair, rules in found.items()} == proposed(*renamed)


def all_pairs(rows_by_key: dict[int, set[int]]) -> set[tuple[int, int]]:
    return {pair for rows in rows_by_key.values() for pair in itertools.combinations(sorted(rows), 2)}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5) | st.none()), max_size=60))
def test_the_pairs_of_small_blocks_are_all_pairs_of_rows_with_a_common_key(drawn: list[tuple[int, int | None]]) -> None:
    by_key: dict[int, set[int]] = {}
    for row, key in drawn:
        if key is not None:
            by_key.setdefault(key, set()).add(row)
    keys = pl.DataFrame(drawn, schema={"row": pl.UInt32, "key": pl.UInt64}, orient="row")
    assert set(pair_rows(block_pairs(keys, pl.DataFrame(), cap=13)).rows()) == all_pairs(by_key)
    assert sorted(block_sizes(keys)) == sorted(len(rows) for rows in by_key.values() if len(rows) > 1)
