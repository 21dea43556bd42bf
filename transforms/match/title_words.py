"""This module compares two titles word by word: what each has of its own, and whether that is but a slip of the pen.

Character ratios alone cannot tell "bandwith" from "bandwidth" and "adult" from "adolescent": words that only one title has are
paired with near ones of the other; what stays unpaired is what the titles really differ by.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl
from rapidfuzz.distance import Indel

from transforms.word_sets import word_set

SLIP_RATIO = 0.75
"""From here on two words are one, misspelled or inflected: "issues" reaches 0.91, "resarch" 0.93; "data" and "date" 0.75."""

_STOP_WORDS = word_set(
    "a an the of in on for and to with by from at as is are its it their this that via using use into or s "
    "der die das und fur von zur zum im des le la les de du et pour en el los las y del un une ein eine"
)
_CONTRASTS = (
    ("male males men man boys boy", "female females women woman girls girl"),
    ("maternal mothers mother", "paternal fathers father"),
    ("increase increased increasing", "decrease decreased decreasing"),
)
_CONTRASTED = {
    word: word_set(other) for left, right in _CONTRASTS for one, other in ((left, right), (right, left)) for word in one.split()
}
"""Of each word in a contrast those that say the opposite."""

_OPPOSING_PREFIXES = (
    ("hyper", "hypo"),
    ("inter", "intra"),
    ("macro", "micro"),
    ("pre", "post"),
    ("over", "under"),
    ("homo", "hetero"),
    ("mono", "poly"),
    ("uni", "multi"),
    ("endo", "exo"),
    ("in", "out"),
    ("", "a"),
    ("", "un"),
    ("", "non"),
    ("", "in"),
    ("", "im"),
    ("", "anti"),
    ("", "dis"),
    ("", "ir"),
    ("", "il"),
)
_OPPOSED = frozenset(pair for first, second in _OPPOSING_PREFIXES for pair in ((first, second), (second, first)))
_LONGEST_PREFIX = max(len(first) for first, _ in _OPPOSED)
_SAYS_NOTHING = _STOP_WORDS | word_set("i ii iii iv v vi vii viii ix")
_GREEK = word_set("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega")
_MIN_STEM = 4
_OPPOSED_RATIO = 0.5
"""Opposites are alike at least so much: "increased" and "decreased" 0.67, "men" and "women" 0.75, "boys" and "girls" less."""


_TURNING = word_set("not no non without never neither nor except lack absence")
"""Words that say the opposite of a title without them."""

_OTHER_WORK = word_set(
    "protocol pilot followup follow preliminary interim update updated revisited reanalysis replication extension addendum "
    "supplement appendix reply response comment commentary rebuttal"
)
"""Words by which a title names another work than the title without them."""


class WordDifference(NamedTuple):
    """How two titles differ: content words that only the left or the right has, and how many were paired as slips.

    opposed: the words that differ say the opposite; other_work: they name another work ("study protocol"); reordered: the words
    that both have stand in another order.
    """

    own_l: int
    own_r: int
    slips: int
    opposed: bool = False
    other_work: bool = False
    reordered: bool = False


class WordDifferences:
    """What is found of pairs of titles' words, each pair looked at once in the life of the object: of three one comes again.

    One thread at a time: two would only take turns, as all of it is Python's.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._found: dict[str, int] = {}
        self._one_thread = threading.Lock()

    def of(self, sides: pl.DataFrame) -> pl.DataFrame:
        """What `word_difference` finds in each row of `sides` (title_words_l, title_words_r): counts of both sides, and flags.

        A function per pair: the nearest of some words is no expression. It is called on unequal titles only.

        >>> sides = pl.DataFrame({"title_words_l": ["warm ice"], "title_words_r": ["ice in rivers"]})
        >>> WordDifferences().of(sides).select("title_own_count", "title_own_max", "titles_opposed").row(0)
        (1, 1, False)
        """
        # A pair is one text of two lines: a tuple each would be the garbage collector's, at a fifth of the time.
        pairs = sides.select_seq(pl.concat_str("title_words_l", "title_words_r", separator="\n")).to_series()
        with self._one_thread:
            numbers = [self._number(pair) for pair in pairs.to_list()]
        found = pl.DataFrame({"found": pl.Series(numbers, dtype=pl.UInt64)})
        return found.select_seq(
            **{name: (pl.col("found") & bit) > 0 for name, bit in _FLAG_BITS.items()},
            title_own_count=(pl.col("found") // _LEAST_OWN % _COUNTS).cast(pl.Int32),
            title_own_max=(pl.col("found") // _MOST_OWN).cast(pl.Int32),
        )

    def _number(self, pair: str) -> int:
        number = self._found.get(pair)
        if number is None:
            left, _, right = pair.partition("\n")
            number = self._found[pair] = _as_number(word_difference(left.split(" "), right.split(" ")))
        return number


_FLAG_BITS = {"titles_opposed": 1, "title_names_other_work": 2, "titles_reordered": 4}
_LEAST_OWN, _COUNTS = 8, 1 << 24
_MOST_OWN = _LEAST_OWN * _COUNTS


def _as_number(words: WordDifference) -> int:
    """What is kept of a pair, in one number: numbers become columns in a tenth of the time that rows of five take."""
    least, most = (words.own_l, words.own_r) if words.own_l < words.own_r else (words.own_r, words.own_l)
    opposed, other_work, reordered = _FLAG_BITS.values()
    flags = words.opposed * opposed + words.other_work * other_work + words.reordered * reordered
    return flags + _LEAST_OWN * least + _MOST_OWN * most


def word_difference(left: Sequence[str], right: Sequence[str]) -> WordDifference:
    """The words of two titles that have no equal, nor near one, in the other; numbers and stop words are left out.

    >>> word_difference("an online video policy on bandwith".split(), "online video policy based on bandwidth".split())
    WordDifference(own_l=0, own_r=1, slips=1, opposed=False, other_work=False, reordered=False)
    >>> word_difference("eculizumab in adult patients".split(), "eculizumab in adolescent patients".split()).own_l
    1
    >>> word_difference("a case of hypothermia".split(), "a case of hyperthermia".split()).opposed
    True
    >>> word_difference("sub group of work flows".split(), "subgroup of workflows".split())
    WordDifference(own_l=0, own_r=0, slips=2, opposed=False, other_work=False, reordered=False)
    >>> word_difference("sparse nets study protocol".split(), "sparse nets".split()).other_work
    True
    """
    # Most titles that are compared begin and end alike: what lies between is looked at.
    start, end = _alike(left, right)
    between_l, between_r = left[start : len(left) - end], right[start : len(right) - end]
    own_l, common_l = _told_apart(between_l, right)
    own_r, common_r = _told_apart(between_r, left)
    slips, opposed = 0, False
    if own_l and own_r:
        joined = _drop_joined(own_l, own_r, left, right)
        own_l, own_r, paired, opposed = _without_slips(own_l, own_r)
        slips = joined + paired
    own = {*own_l, *own_r}
    return WordDifference(
        len(own_l),
        len(own_r),
        slips,
        opposed or not own.isdisjoint(_TURNING),
        not own.isdisjoint(_OTHER_WORK),
        common_l != common_r and sorted(common_l) == sorted(common_r),
    )


def _alike(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """With how many equal words two titles begin, and with how many more they end."""
    most = min(len(left), len(right))
    start = 0
    while start < most and left[start] == right[start]:
        start += 1
    end, most = 0, most - start
    while end < most and left[-1 - end] == right[-1 - end]:
        end += 1
    return start, end


def _told_apart(words: Sequence[str], others: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of some of a title's words those that tell something: the ones that the other title lacks, and the ones that it has."""
    own, common = [], []
    for word in words:
        if word not in _SAYS_NOTHING:
            if word in others:
                common.append(word)
            elif not word.isdigit():
                own.append(word)
    return own, common


def _drop_joined(own_l: list[str], own_r: list[str], left: Sequence[str], right: Sequence[str]) -> int:
    """Drops words that the other title writes as two, "sub group" and "subgroup", and says how many these were."""
    count = 0
    for one, other, whole in ((own_l, own_r, right), (own_r, own_l, left)):
        letters = "".join(whole)
        for word in [word for word in one if word in letters]:
            parts = next((pair for pair in itertools.pairwise(whole) if "".join(pair) == word), None)
            if parts:
                one.remove(word)
                count += 1
                for part in parts:
                    if part in other:
                        other.remove(part)
    return count


def _without_slips(own_l: list[str], own_r: list[str]) -> tuple[list[str], list[str], int, bool]:
    """Pairs each word with the nearest of the other side; opposites are no slips however near they are."""
    left, right, count, opposed = [], list(own_r), 0, False
    for word in own_l:
        # A word with a digit in it is a symbol ("h2o2", "delta9"), and a Greek letter stands for one: they are spelled right.
        best, likeness = ("", 0.0) if _is_symbol(word) else _nearest(word, right)
        if likeness >= _OPPOSED_RATIO and _are_opposed(word, best):
            left.append(word)
            opposed = True
        elif (likeness < SLIP_RATIO and not _abbreviates(word, best)) or _is_symbol(best):
            left.append(word)
        else:
            right.remove(best)
            count += 1
    return left, right, count, opposed


def _nearest(word: str, others: list[str]) -> tuple[str, float]:
    """The first of the most alike, and how alike it is; a loop, as there are two or three: a call for all costs as ten."""
    best, likeness = "", -1.0
    for other in others:
        found = Indel.normalized_similarity(word, other)
        if found > likeness:
            best, likeness = other, found
    return best, likeness


def _is_symbol(word: str) -> bool:
    return word in _GREEK or (not word.isalpha() and any(letter.isdigit() for letter in word))


def _abbreviates(word: str, other: str) -> bool:
    return (word.startswith(other) or other.startswith(word)) and min(len(word), len(other)) >= _MIN_STEM


def _are_opposed(word: str, other: str) -> bool:
    """Whether two near words say the opposite: "men" and "women", "typical" and "atypical", "hyper-" and "hypo-"."""
    if other in _CONTRASTED.get(word, ()):
        return True
    if word[-_MIN_STEM:] != other[-_MIN_STEM:]:
        return False
    stems = range(max(_MIN_STEM, len(word) - _LONGEST_PREFIX, len(other) - _LONGEST_PREFIX), min(len(word), len(other)) + 1)
    return any((word[:-stem], other[:-stem]) in _OPPOSED and word[-stem:] == other[-stem:] for stem in stems)
