"""Numbers of titles: what counts the parts of a series, and what only holds a digit."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.match.title_numbers import is_part, may_have_numbers, numbers_as_digits, title_numbers


def asked(expression, text: str | None) -> object:
    found = pl.DataFrame({"text": [text]}, {"text": pl.String}).select(expression(pl.col("text"))).to_series()
    return found.to_list()[0]


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("the second workshop", "the 2 workshop"),
        ("the twenty first workshop", "the 21 workshop"),
        ("ninety nine rivers", "99 rivers"),
        ("twentieth century", "20 century"),
        ("thirteen days", "13 days"),
        ("twelfth night", "12 night"),
        ("the 3rd of the 21st", "the 3 of the 21"),
        ("one two three", "1 2 3"),
        ("10 000 women", "10000 women"),
        ("pt 3 vol two", "part 3 volume 2"),
        # Words that only hold a number word, and numbers that are none.
        ("someone often attends", "someone often attends"),
        ("tenth of tension", "10 of tension"),
        ("weight of the sixties", "weight of the sixties"),
        ("1000 000", "1000 000"),
        ("b1st", "b1st"),
        ("", ""),
        (None, None),
    ],
)
def test_number_words_become_digits(words: str | None, digits: str | None) -> None:
    assert asked(numbers_as_digits, words) == digits


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(["twenty", "first", "one", "ten", "000", "10", "3rd", "part", "pt", "ice", "of"]), max_size=6))
def test_digits_stay_digits(words: list[str]) -> None:
    once = asked(numbers_as_digits, " ".join(words))
    if "000" not in words:
        assert asked(numbers_as_digits, once) == once
    assert not {"first", "one", "ten", "pt"} & set(once.split())


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("soft matter part ii", ["2"]),
        ("soft matter part 2", ["2"]),
        ("soft matter part b", ["part b"]),
        ("ice 2019 and 2020", ["2019", "2020"]),
        ("ice vi to viii", ["6", "8"]),
        ("group a of rivers", ["group a"]),
        ("a case of ice", []),
        ("case c", ["case c"]),
        ("part of the whole", []),
        ("ice x", []),
        ("vitamin c", []),
        ("vivid ice", []),
        ("h2o2 in rivers", []),
        ("", []),
    ],
)
def test_numbers_of_titles(words: str, numbers: list[str]) -> None:
    assert asked(title_numbers, words) == numbers


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Soft matter, Part II", True),
        ("Soft matter. Part 2: Scales", True),
        ("Soft matter (Part B)", True),
        ("Soft matter, pt. 3", True),
        ("The second part of soft matter", True),
        ("Soft matter, vol. 2", True),
        ("Soft matter. Chapter 4", True),
        ("Soft matter II", True),
        ("Soft matter III: scales", True),
        ("Soft matter. 2. Scales", True),
        ("Soft matter (2)", True),
        ("Soft matter", False),
        ("A phase II trial", False),
        ("Ice of type II", False),
        ("Factor V", False),
        ("A part of the whole", False),
        ("Party 3", False),
        ("Ice in 2 rivers", False),
        ("Ice of World War II rivers", False),
        (None, None),
    ],
)
def test_parts_of_a_series(title: str | None, expected: bool | None) -> None:
    assert asked(is_part, title) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("part b", True), ("ice part c", True), ("ice part b of rivers", True), ("ice 2", True), ("ice iii", True),
        ("ice volume a of rivers", True), ("the ice iv of rivers", True),
        ("warm ice", False), ("party", False), ("vivid ice", False),
    ],
)  # fmt: skip
def test_what_may_hold_a_number_is_looked_at(words: str, expected: bool) -> None:
    assert may_have_numbers(pl.Series([words])).item() == expected


@pytest.mark.parametrize("word", ["phase", "group", "case", "type", "appendix", "chapter"])
def test_what_is_counted_by_letter_is_looked_at(word: str) -> None:
    assert may_have_numbers(pl.Series([f"ice {word} a of rivers"])).item()
