"""Features of titles: what is asked only of titles that may need it is what asking all of them gives."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from transforms.match.title_features import title_features
from transforms.match.title_marks import core_title, may_have_marks, title_edition, title_kind
from transforms.match.title_numbers import is_part, may_have_numbers, numbers_as_digits, title_numbers
from transforms.text import words_key

JUDGED_PAIRS = Path(__file__).resolve().parents[2] / "tests" / "data" / "judged_pairs"


@cache
def judged_titles() -> pl.Series:
    """All titles of the judged pairs, as they stand, in capitals and in small letters; and null."""
    titles = set()
    for path in JUDGED_PAIRS.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            titles |= {row[name] for row in csv.DictReader(file) for name in ("title_l", "title_r")}
    spelled = titles | {title.upper() for title in titles} | {title.lower() for title in titles}
    return pl.Series("title", [*sorted(spelled), None])


def asked_of_all(titles: pl.Series) -> pl.DataFrame:
    """The features as asking every pattern of every title gives them."""
    title, words = pl.col("title"), numbers_as_digits(words_key(pl.col("core")))
    frame = titles.alias("title").to_frame()
    frame = frame.select(title, core=core_title(title), title_kind=title_kind(title), edition=title_edition(title))
    frame = frame.with_columns(title_words=words)
    return frame.with_columns(
        title_key=pl.col("title_words").str.replace_all(" ", "", literal=True),
        title_numbers=title_numbers(pl.col("title_words")).fill_null([]),
        is_part=is_part(title).fill_null(False),
    )


def differing(name: str) -> list[str]:
    titles = judged_titles()
    found, wanted = title_features(titles)[name], asked_of_all(titles)[name]
    return titles.filter(found.ne_missing(wanted)).to_list()


@pytest.mark.parametrize("name", ["title_words", "title_key", "title_kind", "edition", "title_numbers"])
def test_features_are_those_of_asking_every_pattern_of_every_title(name: str) -> None:
    assert judged_titles().len() > 1500
    assert differing(name) == []


def test_only_the_reference_of_an_erratum_is_no_part_that_all_would_make_one() -> None:
    """The volume in "… (vol 71, art no 035101, 2005)" is not of the title, and goes before its numbers are looked for."""
    assert [title for title in differing("is_part") if "(vol" not in title.lower()] == []


def test_words_that_call_for_a_look_are_in_every_title_with_a_mark() -> None:
    titles = judged_titles().drop_nulls()
    wanted = asked_of_all(titles)
    has_mark = wanted.select(pl.col("title_kind").is_not_null() | pl.col("edition").is_not_null()).to_series()
    assert has_mark.sum() > 50
    assert titles.filter(has_mark & ~may_have_marks(titles)).to_list() == []
    assert 0 < may_have_marks(titles).sum() < titles.len()


def test_what_calls_for_a_look_is_in_every_title_with_a_number() -> None:
    wanted = asked_of_all(judged_titles())
    has_number = wanted["title_numbers"].list.len() > 0
    assert has_number.sum() > 50
    assert wanted.filter(has_number & ~may_have_numbers(wanted["title_words"]).fill_null(False))["title"].to_list() == []


@pytest.mark.parametrize(
    ("title", "key", "kind", "edition", "numbers", "part", "generic"),
    [
        ("Erratum: Warm ice, part II", "warmicepartii", "correction", None, ["2"], True, False),
        ("Warm ice, second edition", "warmice", None, "second edition", [], False, False),
        ("Warm ice (vol 3, pg 4, 2010)", "warmice", "correction", None, [], False, False),
        ("Tutorial: Warm ice of the twenty first century", "warmiceofthe21century", None, None, ["21"], False, False),
        ("Editorial", "editorial", None, None, [], False, True),
        ("Editorial: the warm ice of old rivers", "thewarmiceofoldrivers", None, None, [], False, False),
        ("Erratum", "erratum", "correction", None, [], False, True),
        ("Editor's comments", "editorscomments", None, None, [], False, True),
        ("Editorial decisions in science", "editorialdecisionsinscience", None, None, [], False, False),
        ("冰", "冰", None, None, [], False, False),
        ("?!", None, None, None, [], False, True),
        (None, None, None, None, [], False, True),
    ],
)  # fmt: skip
def test_features_of_a_title(
    title: str | None, key: str | None, kind: str | None, edition: str | None, numbers: list[str], part: bool, generic: bool
) -> None:
    names = ("title_key", "title_kind", "edition", "title_numbers", "is_part", "is_generic_name")
    found = title_features(pl.Series([title], dtype=pl.String)).select(names).row(0)
    assert found == (key, kind, edition, numbers, part, generic)


def test_a_title_is_read_alone_as_among_others_and_the_titles_stay_as_they_are() -> None:
    titles = judged_titles()
    before = titles.to_list()
    among = title_features(titles)
    assert titles.to_list() == before
    for place in range(0, titles.len(), 97):
        assert title_features(titles[place : place + 1]).rows() == among[place : place + 1].rows()


def test_no_titles_give_an_empty_frame() -> None:
    among = title_features(judged_titles())
    assert title_features(pl.Series([], dtype=pl.String)).schema == among.schema
