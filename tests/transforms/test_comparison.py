"""Comparison: what two records have in common, and what they lack."""

from __future__ import annotations

import polars as pl
import pytest

from transforms.frames import frame_of
from transforms.match.comparison import compare_pairs
from transforms.match.features import record_features
from transforms.staged_schemas import CLEAN_RECORDS


def compared(left: dict[str, object], right: dict[str, object]) -> dict[str, object]:
    rows = [
        {
            "record_id": f"f:{place}",
            "record_key": f"k{place}",
            "title_is_cut": False,
            "abstract_is_cut": False,
            **row,
            "authors": [
                {"name": name, "family": name.split()[-1], "given": " ".join(name.split()[:-1]) or None}
                for name in row.get("authors", [])
            ],
            "identifiers": [dict(zip(("scheme", "value"), i.split(":"), strict=True)) for i in row.get("identifiers", [])],
        }
        for place, row in enumerate((left, right))
    ]
    pairs = pl.DataFrame({"row_l": [0], "row_r": [1]}, schema={"row_l": pl.UInt32, "row_r": pl.UInt32})
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


@pytest.mark.parametrize(
    ("left", "right", "kinds", "differ"),
    [
        ("Warm ice", "Erratum: Warm ice", (None, "correction"), True),
        ("Reply to: Warm ice", "Warm ice", ("comment", None), True),
        ("Reply to: Warm ice", "Erratum: Warm ice", ("comment", "correction"), True),
        ("Comments on ice", "Comment on ice", ("comment", "comment"), False),
        ("Error correcting codes", "Codes", (None, None), False),
        ("Warm ice", None, (None, None), False),
    ],
)
def test_kinds_of_titles(left: str, right: str | None, kinds: tuple[str | None, str | None], differ: bool) -> None:
    row = compared({"title": left}, {"title": right})
    assert ((row["kind_l"], row["kind_r"]), row["kinds_differ"]) == (kinds, differ)
    assert compared({"title": left}, {"title": left})["titles_equal"]


@pytest.mark.parametrize(
    ("left", "right", "parts", "part_of_either", "editions_differ"),
    [
        ("Soft matter, Part I", "Soft matter, Part II", True, True, False),
        ("Soft matter", "Soft matter, Part II", False, True, False),
        ("Soft matter", "Soft matters", False, False, False),
        ("Salt roads, 2nd edition", "Salt roads, 3rd edition", False, False, True),
        ("Salt roads, 2nd edition", "Salt roads. 2nd edition.", False, False, False),
        ("Salt roads", "Salt roads, 2nd edition", False, False, True),
    ],
)
def test_parts_and_editions(left: str, right: str, parts: bool, part_of_either: bool, editions_differ: bool) -> None:
    row = compared({"title": left}, {"title": right})
    assert (row["parts"], row["part_of_either"], row["editions_differ"]) == (parts, part_of_either, editions_differ)


@pytest.mark.parametrize(
    ("left", "right", "own", "opposed"),
    [
        ("Warm ice in rivers", "Warm ice in rivers.", (0, 0), False),
        ("Warm ice in rivers", "Warm ice in river", (0, 0), False),
        ("Warm ice in rivers", "Warm ice in old rivers", (0, 1), False),
        ("Warm ice in rivers", "Warm ice in lakes", (1, 1), False),
        ("Stable ice in rivers", "Unstable ice in rivers", (1, 1), True),
        ("Warm ice in rivers", "Sheep", (None, None), False),
        ("Warm ice in rivers", None, (None, None), False),
    ],
)
def test_words_that_only_one_title_has(left: str, right: str | None, own: tuple[int | None, int | None], opposed: bool) -> None:
    for one, other in ((left, right), (right, left)):
        row = compared({"title": one}, {"title": other})
        assert ((row["title_own_count"], row["title_own_max"]), row["titles_opposed"]) == (own, opposed)


def test_abstracts_are_compared_over_their_common_length() -> None:
    text = "abcdefghij" * 30
    assert compared({"abstract": text}, {"abstract": text[:120]})["abstract_ratio"] == 1.0
    assert compared({"abstract": text}, {"abstract": text[:120]})["abstract_characters"] == 120
    assert not compared({"abstract": text}, {"abstract": text[:120]})["abstracts_equal"]
    assert compared({"abstract": text}, {})["abstract_ratio"] is None
    assert compared({"abstract": text}, {"abstract": "k" * 300})["abstract_ratio"] == 0.0


def test_abstracts_of_other_titles_are_compared_only_under_one_identifier() -> None:
    left, right = {"title": "Warm ice", "abstract": "abc" * 50}, {"title": "Dry bones", "abstract": "abd" * 50}
    assert compared(left, right)["abstract_ratio"] is None
    assert compared(left, {**right, "title": "Worm ice"})["abstract_ratio"] > 0.5
    assert compared(left, {**right, "title": None})["abstract_ratio"] > 0.5
    doi = {"identifiers": ["doi:10.1/a"]}
    assert compared({**left, **doi}, {**right, **doi})["abstract_ratio"] > 0.5


@pytest.mark.parametrize(
    ("left", "right", "words", "fuzzy", "initials_differ"),
    [
        (["Ana Lee", "Bo Kim"], ["Kim Bo", "Lee Ana"], 1.0, None, False),
        (["Ana Lee Bo Kim"], ["Ana Lee", "Bo Kim"], 1.0, None, False),
        # Family names taken for given ones, and one family name twice: a word counts once.
        (["Lee, A.", "Lee, B.", "Kim, C."], ["Lee Ana", "Lee Bo", "Kim Cy"], 1.0, None, False),
        (["Daniel Barbar"], ["Daniel Barbara"], 0.0, 0.96, False),
        (["Ana Lee"], ["Eva Lee"], 0.0, 0.71, True),
        # One first author: no rule asks for more of families that agree.
        (["Ana Lee"], ["A. Lee"], None, None, False),
        (["Ana Lee"], ["Lee"], 1.0, None, False),
        (["Ana Lee"], [], None, None, False),
        (["Ana Lee"], ["Cy Ng"], 0.0, 0.17, False),
    ],
)
def test_names_are_compared_by_words_letters_and_initials(
    left: list[str], right: list[str], words: float | None, fuzzy: float | None, initials_differ: bool
) -> None:
    row = compared({"title": "Warm ice", "authors": left}, {"title": "Warm ice", "authors": right})
    assert row["authors_ratio"] == words and row["initials_differ"] == initials_differ
    assert row["authors_fuzzy"] == (None if fuzzy is None else pytest.approx(fuzzy, abs=0.01))


def test_names_are_looked_at_letter_by_letter_only_where_titles_are_near() -> None:
    row = compared({"title": "Warm ice", "authors": ["Ana Lee"]}, {"title": "Sheep", "authors": ["Eva Lee"]})
    assert row["authors_fuzzy"] is None and not row["initials_differ"]


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


@pytest.mark.parametrize(
    ("left", "right", "extends", "near"),
    [
        ("10.5281/ice.1.v1", "10.5281/ice.1.v2", True, True),
        ("10.5281/ice.1/v1", "10.5281/ice.1", True, True),
        ("10.5281/ice.1", "10.5281/ice.1.s001", True, False),
        ("10.5281/ice.1", "10.5281/ice.2", False, True),
        ("10.5281/ice.1", "10.1109/tx.88", False, False),
    ],
)
def test_identifiers_in_conflict_may_be_versions_or_mistyped(left: str, right: str, extends: bool, near: bool) -> None:
    ice = {"title": "Warm ice", "identifiers": [f"doi:{left}"]}
    row = compared(ice, {**ice, "identifiers": [f"doi:{right}"]})
    assert row["identifier_extends"] == extends and (row["identifier_ratio"] >= 0.9) == near
    for other in ({"identifiers": []}, {"title": "Dry bones", "identifiers": [f"doi:{right}"]}):
        assert compared(ice, {**ice, **other})["identifier_ratio"] is None


@pytest.mark.parametrize(
    ("left", "right", "first", "gap", "last", "whole"),
    [
        ("10-19", "10-19", True, 0, True, True),
        ("10-19", "10-9", True, 0, True, True),
        ("10-19", "10-18", True, 0, False, False),
        ("121-8", "121-128", True, 0, True, True),
        ("10-19", "12-19", False, 2, True, False),
        ("10", "10", True, 0, None, None),
        ("10", "10-19", True, 0, None, None),
        ("S12-S14", "12-14", False, 0, False, True),
        ("10-19", None, None, None, None, None),
    ],
)
def test_pages(left: str, right: str | None, first: object, gap: object, last: object, whole: object) -> None:
    for one, other in ((left, right), (right, left)):
        row = compared({"pages": one}, {"pages": other})
        assert (row["pages_agree"], row["page_gap"], row["last_pages_agree"], row["page_range_agrees"]) == (
            first,
            gap,
            last,
            whole,
        )


@pytest.mark.parametrize(
    ("left", "right", "counted"),
    [
        ({"pages": "1-12", "volume": "8"}, {"pages": "15193", "volume": "8"}, True),
        ({"pages": "01-Dec", "volume": "8"}, {"pages": "15193", "volume": "8"}, True),
        ({"pages": "1-6"}, {"pages": "2422-2427", "volume": "27"}, True),
        ({"pages": "1-6", "volume": "27"}, {"pages": "2422-2427"}, False),
        ({"pages": "1-6"}, {"pages": "2422-2427"}, False),
        ({"pages": "1-12", "volume": "8"}, {"pages": "15193", "volume": "9"}, False),
        ({"pages": "1-6", "volume": "27"}, {"pages": "2422-2427", "volume": "27"}, False),
        ({"pages": "1", "volume": "27"}, {"pages": "2422", "volume": "27"}, False),
        ({"pages": "2-12", "volume": "8"}, {"pages": "15193", "volume": "8"}, False),
        ({}, {"pages": "15193"}, False),
    ],
)
def test_pages_from_one_on_are_counted_beside_an_article_number_or_without_a_volume(left, right, counted) -> None:
    assert compared(left, right)["pages_counted"] is compared(right, left)["pages_counted"] is counted


def test_places_agree_differ_or_are_unknown() -> None:
    left = {"venue": "J. Ice", "volume": "31 (2)", "pages": "221-8", "year": 2001}
    row = compared(left, {"venue": "J Ice", "volume": "31", "pages": "221-228", "year": 2002})
    assert row["venues_agree"] and row["volumes_agree"] and row["pages_agree"] and row["year_gap"] == 1
    assert row["last_pages_agree"] and not compared({"pages": "221-228"}, {"pages": "221-9"})["last_pages_agree"]
    row = compared(left, {"venue": "J Ice", "volume": "32"})
    assert row["volumes_agree"] is False and row["pages_agree"] is None and row["year_gap"] is None
    assert compared({"pages": "221-228"}, {"pages": "221"})["last_pages_agree"] is None
    assert not compared({}, {})["venues_agree"]
    row = compared({"venue": "Proceedings of the 3rd Annual Ice Meeting, 2001"}, {"venue": "Ice Meeting"})
    assert row["venues_agree"] and row["volumes_agree"] is None
    assert not compared({"venue": "Ice Meeting"}, {"venue": "Fire Meeting"})["venues_agree"]
    assert not compared({"venue": "2001"}, {"venue": "2001"})["venues_agree"]
    assert compared({"venue_id": "iclr"}, {"venue_id": "icml"})["venues_differ"]
    assert not compared({"venue_id": "iclr"}, {"venue": "ICML"})["venues_differ"]
