"""Words of two titles: slips of the pen, joined words, opposites, and words that one title has of its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.match.title_words import WordDifference, word_difference


def difference(left: str, right: str) -> WordDifference:
    return word_difference(left.split(), right.split())


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("policy on bandwith", "policy on bandwidth"),
        ("resarch in ice", "research in ice"),
        ("issue of ice", "issues of ice"),
        ("the colour of ice", "the color of ice"),
        ("int j of ice", "the j ice int"),
        ("sub group of rivers", "subgroup of rivers"),
        ("workflows in ice", "work flows in ice"),
        ("manag of ice", "management of ice"),
        ("ice of rivers", "rivers of ice"),
        ("ice ii in 3 rivers", "ice in rivers"),
        ("", ""),
    ],
)
def test_slips_and_joined_words_leave_nothing_of_their_own(left: str, right: str) -> None:
    found = difference(left, right)
    assert (found.own_l, found.own_r, found.opposed) == (0, 0, False)


@pytest.mark.parametrize(
    ("left", "right", "own_l", "own_r"),
    [
        ("ice in adults", "ice in adolescents", 1, 1),
        ("ice in children", "ice in adults", 1, 1),
        ("ice", "warm ice", 0, 1),
        ("ice in rivers", "ice in lakes of asia", 1, 2),
        ("alpha ice", "beta ice", 1, 1),
        ("eta ice", "zeta ice", 1, 1),
        ("cd4 cells", "cd8 cells", 1, 1),
        ("h2o2 in ice", "h2o in ice", 1, 1),
        ("rat ice", "cat ice", 1, 1),
        ("ice before storms", "ice after storms", 1, 1),
        ("", "warm ice", 0, 2),
    ],
)
def test_other_words_are_each_titles_own(left: str, right: str, own_l: int, own_r: int) -> None:
    found = difference(left, right)
    assert (found.own_l, found.own_r, found.slips, found.opposed) == (own_l, own_r, 0, False)


@pytest.mark.parametrize(
    ("left", "right", "opposed"),
    [
        ("hypothermia", "hyperthermia", True),
        ("intercellular ice", "intracellular ice", True),
        ("microscopic ice", "macroscopic ice", True),
        ("preoperative care", "postoperative care", True),
        ("underestimated ice", "overestimated ice", True),
        ("homogeneous ice", "heterogeneous ice", True),
        ("typical ice", "atypical ice", True),
        ("stable ice", "unstable ice", True),
        ("direct ice", "indirect ice", True),
        ("possible ice", "impossible ice", True),
        ("bacterial ice", "antibacterial ice", True),
        ("continued ice", "discontinued ice", True),
        ("linear ice", "nonlinear ice", True),
        ("male rats", "female rats", True),
        ("increased ice", "decreased ice", True),
        ("paternal care", "maternal care", True),
        # Near words that say no opposite.
        ("bandwith", "bandwidth", False),
        ("inform", "informs", False),
        ("inside rivers", "insides rivers", False),
        ("prefix", "prefixes", False),
        ("overview", "overviews", False),
        ("a bout of ice", "about ice", False),
    ],
)
def test_opposites_are_no_slips(left: str, right: str, opposed: bool) -> None:
    assert difference(left, right).opposed == opposed
    assert difference(right, left).opposed == opposed


VOCABULARY = (
    *("ice", "iced", "warm", "worm", "male", "female", "sub", "group", "subgroup", "river", "rivers", "stable", "unstable"),
    *("of", "the", "ii", "3", "alpha"),
)
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=6)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(WORDS)
def test_a_title_does_not_differ_from_itself_nor_by_stop_words_and_numbers(words: list[str]) -> None:
    assert word_difference(words, words) == WordDifference(0, 0, 0, False)
    assert word_difference(words, [*words, "of", "the", "7", "iv"]) == WordDifference(0, 0, 0, False)
    assert not word_difference(words, words).reordered
    assert word_difference(words, words[::-1]).own_l == 0


@settings(max_examples=300, deadline=None, derandomize=True)
@given(WORDS, WORDS)
def test_a_difference_is_no_larger_than_the_titles(left: list[str], right: list[str]) -> None:
    found = word_difference(left, right)
    assert 0 <= found.own_l <= len(left) and 0 <= found.own_r <= len(right)
    assert 0 <= found.slips <= len(left) + len(right)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(WORDS, WORDS)
def test_a_difference_is_the_same_from_both_sides(left: list[str], right: list[str]) -> None:
    one, other = word_difference(left, right), word_difference(right, left)
    assert (one.own_l, one.own_r, one.opposed) == (other.own_r, other.own_l, other.opposed)
