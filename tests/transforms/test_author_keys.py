"""Keys of lists of authors: what is one name however it is spelled, and what is another."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.match.author_keys import author_keys, author_texts, author_words, family_initials, name_count

AUTHORS = pl.List(pl.Struct({"name": pl.String, "family": pl.String, "given": pl.String}))


def person(name: str) -> dict[str, str | None]:
    """ "Ana Lee" has a given name, "Lee" none; "=ICE Group" is a group without a family name."""
    if name.startswith("="):
        return {"name": name[1:], "family": None, "given": None}
    given, _, family = name.rpartition(" ")
    return {"name": name, "family": family, "given": given or None}


def lists(*names: list[str] | None) -> pl.Series:
    return pl.Series([one if one is None else [person(name) for name in one] for one in names], dtype=AUTHORS)


def names_of(*names: list[str] | None) -> pl.Series:
    return author_keys(lists(*names))["author_names"]


def keys(*names: str) -> tuple[list[int], list[int]]:
    found = author_keys(lists(list(names)))
    return found["families"][0].to_list(), author_words(found["author_names"])[0].to_list()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Müller", "Muller"), ("Groß", "Gross"), ("Łukasz", "Lukasz"), ("Bjørn", "Bjorn"), ("Næss", "Naess"), ("LEE", "Lee"),
        ("O’Neil", "ONeil"), ("O'Neil", "ONeil"), ("Smith-Jones", "SmithJones"),
        ("Nguyễn", "Nguyen"), ("=ICE Group", "=ICE-GROUP"),
    ],
)  # fmt: skip
def test_one_family_name_however_it_is_spelled(left: str, right: str) -> None:
    assert keys(left)[0] == keys(right)[0] != []


@pytest.mark.parametrize(
    ("left", "right"), [("Lee", "Li"), ("Müller", "Mueller"), ("李", "王"), ("=ICE Group", "Group"), ("Lee", "Leeds")]
)
def test_other_family_names_have_other_keys(left: str, right: str) -> None:
    assert keys(left)[0] != keys(right)[0]


def test_families_stand_in_order_and_the_first_is_named() -> None:
    found = author_keys(lists(["Ana Lee", "Bo Kim"], ["Bo Kim", "Ana Lee"]))
    assert found["families"][0].to_list() == found["families"][1].to_list()[::-1]
    assert found["first_family"].to_list() == ["lee", "kim"]


def test_names_glued_together_or_split_otherwise_share_their_words() -> None:
    glued, apart = keys("Ana Lee Bo Kim")[1], keys("Ana Lee", "Bo Kim")[1]
    assert sorted(glued) == sorted(apart) and len(apart) == 4
    assert len(keys("A. B. Lee")[1]) == 1, "initials are no words"


@pytest.mark.parametrize("names", [[], None, ["..."], ["="]])
def test_lists_without_names_have_no_keys(names: list[str] | None) -> None:
    found = author_keys(lists(names, ["Lee"]))
    assert not found["families"].list.len().fill_null(0)[0]
    assert not author_words(names_of(names)).list.len().fill_null(0)[0]
    assert found["first_family"][0] is None and found["first_family"][1] is not None
    assert not author_texts(names_of(names))[0]


def test_initials_tell_people_of_one_family_name_apart() -> None:
    people = author_keys(lists(["Ana Lee"], ["Eva Lee"], ["A. Lee"], ["Lee"], ["=Lee Group"]))
    ana, eva, a, lee, group = family_initials(people["author_initials"]).to_list()
    assert ana == a and ana != eva
    assert (lee, group) == ([], [])


def test_texts_of_names_are_for_comparing_letter_by_letter() -> None:
    assert author_texts(names_of(["Daniel Barbará", "Bo Kim"], ["D. Kim"])).to_list() == ["daniel barbara bo kim", "kim"]


def test_names_are_counted() -> None:
    assert name_count(names_of(["Ana Lee", "Bo Kim", "=ICE Group"], ["Ana Lee"], [], None)).to_list() == [3, 1, 0, None]


NAMES = st.lists(
    st.lists(st.sampled_from(["Ana Lee", "Bo Kim", "Müller", "Ö. Ng", "=ICE Group", "李 明", "A-B C", "..."]), max_size=3),
    max_size=6,
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(NAMES)
def test_a_list_has_the_keys_it_has_alone_and_stays_as_it_is(names: list[list[str]]) -> None:
    authors = lists(*names)
    before = authors.to_list()

    def initials(series: pl.Series) -> pl.DataFrame:
        return family_initials(author_keys(series)["author_initials"]).to_frame()

    def texts(series: pl.Series) -> pl.DataFrame:
        return author_texts(author_keys(series)["author_names"]).to_frame()

    for key in (author_keys, initials, texts):
        among = key(authors)
        assert among.height == len(names)
        assert [row for one in names for row in key(lists(one)).rows()] == among.rows()
    assert authors.to_list() == before
