"""Comparison: what two records have in common, and what they lack."""

from __future__ import annotations

import polars as pl
import pytest

from transforms.frames import frame_of
from transforms.match.comparison import compare_pairs
from transforms.match.features import record_features
from transforms.staged_schemas import CLEAN_RECORDS


def compared(left: dict[str, object], right: dict[str, object], rules: tuple[str, ...] = ("title",)) -> dict[str, object]:
    rows = [
        {
            "record_id": f"f:{place}",
            "record_key": f"k{place}",
            "title_is_cut": False,
            "abstract_is_cut": False,
            **row,
            "authors": [{"name": name, "family": name} for name in row.get("authors", [])],
            "identifiers": [dict(zip(("scheme", "value"), i.split(":"), strict=True)) for i in row.get("identifiers", [])],
        }
        for place, row in enumerate((left, right))
    ]
    pairs = pl.DataFrame(
        {"row_l": [0], "row_r": [1], "blocking_rules": [list(rules)]},
        schema={"row_l": pl.UInt32, "row_r": pl.UInt32, "blocking_rules": pl.List(pl.String)},
    )
    return compare_pairs(pairs, record_features(frame_of(CLEAN_RECORDS, rows))).row(0, named=True)


def test_titles_are_compared_by_their_keys() -> None:
    row = compared({"title": "Naïve Bayes"}, {"title": "NAIVE  BAYES."})
    assert row["titles_equal"] and row["title_ratio"] == 1.0
    row = compared({"title": "Naive Bayes"}, {"title": "Naive Boyes"})
    assert not row["titles_equal"] and row["title_ratio"] == pytest.approx(0.9)


def test_a_missing_title_has_no_ratio_and_equals_nothing() -> None:
    for right in ({}, {"title": "Warm ice"}):
        row = compared({}, right)
        assert row["title_ratio"] is None and not row["titles_equal"] and row["generic"] and not row["title_extends"]
    assert compared({}, {})["titled_count"] == 0


def test_a_cut_title_is_a_start_but_an_uncut_one_only_extends() -> None:
    cut = compared({"title": "Warm ice and", "title_is_cut": True}, {"title": "Warm ice and cold fire"})
    assert cut["title_is_start"] and cut["title_extends"] and cut["cut_title_characters"] == len("warmiceand")
    uncut = compared({"title": "Warm ice and"}, {"title": "Warm ice and cold fire"})
    assert not uncut["title_is_start"] and uncut["title_extends"]
    assert not compared({"title": "Warm", "title_is_cut": True}, {"title": "Warm ice"})["title_is_start"]


@pytest.mark.parametrize(
    ("left", "right", "differ", "conflict"),
    [
        ("Soft matter, Part I", "Soft matter, Part II", True, True),
        ("Soft matter, Part 2", "Soft matter, Part II.", False, False),
        ("Soft matter", "Soft matter 2", True, False),
        ("Soft matter 2019", "Soft Matter (2019)", False, False),
        ("FOCUS 1: aims", "FOCUS 2: aims", True, True),
    ],
)
def test_numbers_in_titles(left: str, right: str, differ: bool, conflict: bool) -> None:
    row = compared({"title": left}, {"title": right})
    assert (row["title_numbers_differ"], row["title_numbers_conflict"]) == (differ, conflict)


def test_a_marker_counts_where_one_side_has_it() -> None:
    assert compared({"title": "Warm ice"}, {"title": "Erratum: Warm ice"})["marker_differs"]
    assert compared({"title": "Warm ice"}, {"title": "Reply to: Warm ice"})["marker_differs"]
    assert not compared({"title": "Comments on ice"}, {"title": "Comment on ice"})["marker_differs"]
    assert not compared({"title": "Error correcting codes"}, {"title": "Codes"})["marker_differs"]


def test_abstracts_are_compared_over_their_common_length() -> None:
    text = "abcdefghij" * 30
    assert compared({"abstract": text}, {"abstract": text[:120]})["abstract_ratio"] == 1.0
    assert compared({"abstract": text}, {"abstract": text[:120]})["abstract_characters"] == 120
    assert not compared({"abstract": text}, {"abstract": text[:120]})["abstracts_equal"]
    assert compared({"abstract": text}, {})["abstract_ratio"] is None
    assert compared({"abstract": text}, {"abstract": "k" * 300})["abstract_ratio"] == 0.0


def test_abstracts_of_other_titles_at_one_place_are_not_compared() -> None:
    left, right = {"title": "Warm ice", "abstract": "abc" * 50}, {"title": "Dry bones", "abstract": "abd" * 50}
    assert compared(left, right, ("place",))["abstract_ratio"] is None
    assert compared(left, right, ("abstract_shingle", "place"))["abstract_ratio"] is not None


def test_authors_are_counted_by_folded_family_name() -> None:
    row = compared({"authors": ["Ruszczyński", "Lee"]}, {"authors": ["Ruszczynski", "Kim"]})
    assert (row["authors_shared_count"], row["authors_equal"], row["authors_missing_count"]) == (1, False, 0)
    assert compared({"authors": ["Lee", "Kim"]}, {"authors": ["Kim", "Lee"]})["authors_equal"]
    row = compared({"authors": ["Lee"]}, {})
    assert (row["authors_shared_count"], row["authors_equal"], row["authors_missing_count"]) == (None, None, 1)


@pytest.mark.parametrize(
    ("left", "right"),
    [("Bjørn", "Bjorn"), ("Groß", "Gross"), ("Łukasz", "Lukasz"), ("Đorđe", "Dorde"), ("Işık", "Isik"), ("Næss", "Naess")],
)
def test_letters_without_a_decomposition_are_folded_in_family_names_too(left: str, right: str) -> None:
    assert compared({"authors": [left]}, {"authors": [right]})["authors_equal"]
    assert not compared({"authors": [left]}, {"authors": [right + "a"]})["authors_equal"]


def test_identifiers_agree_or_are_in_conflict_or_have_no_scheme_in_common() -> None:
    def verdict(left: list[str], right: list[str]) -> tuple[object, object]:
        row = compared({"identifiers": left}, {"identifiers": right})
        return row["identifier_shared"], row["identifier_conflict"]

    assert verdict(["doi:10.1/a"], ["doi:10.1/a"]) == ("doi", None)
    assert verdict(["doi:10.1/a"], ["doi:10.1/b"]) == (None, "doi")
    assert verdict(["doi:10.1/a"], ["doi:10.1/a", "doi:10.1/b"]) == ("doi", None)
    assert verdict(["doi:10.1/a"], ["arxiv:2001.00001"]) == (None, None)
    assert verdict(["arxiv:1", "doi:10.1/a"], ["arxiv:1", "doi:10.1/b"]) == ("arxiv", "doi")
    assert verdict(["somesite:1"], ["somesite:2"]) == (None, None)
    assert verdict([], ["doi:10.1/a"]) == (None, None)


def test_places_agree_differ_or_are_unknown() -> None:
    left = {"venue": "J. Ice", "volume": "31 (2)", "pages": "221-8", "year": 2001}
    row = compared(left, {"venue": "J Ice", "volume": "31", "pages": "221-228", "year": 2002})
    assert row["same_place"] and row["volumes_agree"] and row["pages_agree"] and row["year_gap"] == 1
    assert row["last_pages_agree"] and not compared({"pages": "221-228"}, {"pages": "221-9"})["last_pages_agree"]
    row = compared(left, {"venue": "J Ice", "volume": "32"})
    assert not row["same_place"] and row["volumes_agree"] is False and row["pages_agree"] is None and row["year_gap"] is None
    assert compared({"pages": "221-228"}, {"pages": "221"})["last_pages_agree"] is None
    assert not compared({}, {})["same_place"]
    row = compared({"venue": "Proceedings of the 3rd Annual Ice Meeting, 2001"}, {"venue": "Ice Meeting"})
    assert row["venues_agree"] and not row["same_place"]
    assert not compared({"venue": "Ice Meeting"}, {"venue": "Fire Meeting"})["venues_agree"]
    assert not compared({"venue": "2001"}, {"venue": "2001"})["venues_agree"]
    assert compared({"venue_id": "iclr"}, {"venue_id": "icml"})["venues_differ"]
    assert not compared({"venue_id": "iclr"}, {"venue": "ICML"})["venues_differ"]
