"""This module says whether two venues' texts name one venue: agree, differ, or unknown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import polars as pl
from rapidfuzz.distance import Indel

from transforms.iso4 import abbreviates
from transforms.venue_names import VenueName, initials_of, is_meeting_frame, is_periodical, venue_names

AGREEMENTS = ("agree", "differ", "unknown")
"""What `venue_agreement` says of two venues."""

_LEAST_LETTERS = 3
_LEAST_TELLING = 4
_LEAST_CUT = 16
_NEAR_RATIO = 0.75


def venue_agreement(pairs: pl.DataFrame) -> pl.Series:
    """For each row of `pairs` (venue_l, venue_r; optionally venue_id_l, venue_id_r) what is known of its two venues.

    `agree`: one venue, as the same name, its abbreviation, its acronym, or the name with a subtitle, or cut short. `differ`:
    both tell, and of different things; two ids differ where they are not the same. `unknown`: all else, and null.

    >>> texts = [("VLDB", "Very Large Data Bases"), ("J. Slow Sci.", "Journal of Slow Science"), ("Cancer", "Maps and Charts")]
    >>> venue_agreement(pl.DataFrame(texts, schema=["venue_l", "venue_r"], orient="row")).to_list()
    ['agree', 'agree', 'differ']
    """
    rows = pairs.with_columns(VenueAgreements().of(pairs).alias("by_text"), same_id=_same_id(pairs))
    by_id = pl.when("same_id").then(pl.lit("agree")).when(pl.col("same_id").not_()).then(pl.lit("differ"))
    return rows.select(pl.coalesce(by_id, "by_text").alias("venue_agreement")).to_series()


class VenueAgreements:
    """What is said of pairs of venues' texts, each pair and each text looked at once in the life of the object.

    One thread at a time: two would only take turns, as most of it is Python's.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._names: dict[str, VenueName] = {}
        self._said: dict[tuple[str, str], str] = {}
        self._one_thread = threading.Lock()

    def of(self, pairs: pl.DataFrame) -> pl.Series:
        """For each row of `pairs` (venue_l, venue_r) what `venue_agreement` says of the texts."""
        both = pl.col("venue_l").is_not_null() & pl.col("venue_r").is_not_null()
        rows = pairs.select(
            least=pl.when(both).then(pl.min_horizontal("venue_l", "venue_r")),
            most=pl.when(both).then(pl.max_horizontal("venue_l", "venue_r")),
        )
        texts = rows.drop_nulls().unique(maintain_order=True)
        with self._one_thread:
            known = texts.with_columns(said=pl.Series(self._of_distinct(texts), dtype=pl.String))
        joined = rows.join(known, on=["least", "most"], how="left", maintain_order="left")
        return joined["said"].fill_null("unknown")

    def _of_distinct(self, texts: pl.DataFrame) -> list[str]:
        # A Python function for each distinct pair of texts: few, at some 25 µs each.
        pairs = list(zip(texts["least"].to_list(), texts["most"].to_list(), strict=True))
        new = [pair for pair in pairs if pair not in self._said]
        names = {text for pair in new for text in pair if text not in self._names}
        if names:
            self._names.update(venue_names(pl.Series(sorted(names), dtype=pl.String)))
        self._said.update({pair: _agreement(self._names[pair[0]], self._names[pair[1]]) for pair in new})
        return [self._said[pair] for pair in pairs]


def _same_id(pairs: pl.DataFrame) -> pl.Expr:
    if "venue_id_l" not in pairs.columns:
        return pl.lit(None, pl.Boolean)
    return pl.col("venue_id_l") == pl.col("venue_id_r")


def _agreement(left: VenueName, right: VenueName) -> str:
    if not left.words or not right.words:
        return "unknown"
    for rules, said in ((_AGREE, "agree"), (_DIFFER, "differ")):
        for rule in rules:
            if rule(left, right) or rule(right, left):
                return said
    return "unknown"


def _is_same(left: VenueName, right: VenueName) -> bool:
    """The same words, or each an abbreviation or another spelling of the other, in order or not."""
    if left.words == right.words or left.letters == right.letters:
        return True
    if left.unsectioned != left.words or right.unsectioned != right.words:
        return _are_all(left.unsectioned, right.unsectioned)
    if len(left.words) == len(right.words) > 1:
        return left.first_letters == right.first_letters and _are_all(left.words, right.words)
    return _is_with_blank(left.words, right.words)


def _is_with_blank(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether the left words are the right ones with one of them written as two: "Neuro Endocrinol Lett", "Cardio-Thoracic"."""
    if len(left) != len(right) + 1 or len(right) < 2:
        return False
    for at, whole in enumerate(right):
        joined = left[at] + left[at + 1]
        reaches_second = len(whole) >= len(left[at]) + _LEAST_LETTERS and abbreviates(whole, joined)
        if joined[0] != whole[0] or not (joined == whole or abbreviates(joined, whole) or reaches_second):
            continue
        if all(map(_is_one, left[:at], right[:at])) and all(map(_is_one, left[at + 2 :], right[at + 1 :])):
            return True
    return False


def _is_its_acronym(left: VenueName, right: VenueName) -> bool:
    """The left text gives an acronym that is the right one's: its initials, the one it gives, or its one telling word."""
    if left.acronym is None:
        return False
    if left.acronym in initials_of(right.words):
        return True
    framed = left.acronym in right.words and all(word == left.acronym or is_meeting_frame(word) for word in right.words)
    return left.is_acronym and (left.acronym == right.acronym or framed)


def _has_it_as_part(left: VenueName, right: VenueName) -> bool:
    """The right text is the left name with a subtitle, a theme or a translation: "Haematologica-the Hematology Journal"."""
    if len(right.parts) < 2:
        return False
    is_journal = any(map(_says_journal, right.parts[1:]))
    subtitled = bool(right.meetings) or is_journal or len(right.parts[0]) >= _LEAST_TELLING
    if subtitled and _are_all(left.words, right.parts[0]):
        return True
    if is_journal and any(map(_says_journal, left.parts[1:])) and _are_all(left.parts[0], right.parts[0]):
        return True
    return any(is_periodical(part) and _are_all(left.words, part) for part in right.titles)


def _says_journal(words: Sequence[str]) -> bool:
    return any(word in ("journal", "j", "magazine") for word in words)


def _is_its_start(left: VenueName, right: VenueName) -> bool:
    """The left text is cut short: it ends in an ellipsis, a stop word, or within a word of the right."""
    if not 1 < len(left.words) <= len(right.words):
        return False
    *whole, last = left.words
    is_start = right.words[: len(whole)] == tuple(whole)
    next_word = right.words[len(whole)]
    within_word = is_start and len(last) > 1 and next_word.startswith(last) and next_word not in (last, f"{last}s")
    after_mark = left.is_cut and len(left.words) < len(right.words) and all(map(_is_one, left.words, right.words))
    return (within_word and len(left.letters) >= _LEAST_CUT) or after_mark


def _is_same_meeting(left: VenueName, right: VenueName) -> bool:
    """A meeting with and without its organisers, "International" and the word for a meeting."""
    if not left.meetings or (right.meetings and not left.meetings & right.meetings) or left.periodicals or right.periodicals:
        return False
    return (len(left.core) > 1 or (bool(left.core) and bool(right.meetings))) and _are_all(left.core, right.core)


def _are_other_forms(left: VenueName, right: VenueName) -> bool:
    """A conference and a periodical, or a workshop and another meeting; a society's meeting may be in its journal."""
    is_workshop = "workshop" in left.meetings and bool(right.meetings) and "workshop" not in right.meetings
    is_conference = not left.meetings.isdisjoint(("conference", "symposium", "workshop")) and not left.periodicals
    return is_workshop or (is_conference and bool(right.periodicals) and not right.meetings)


def _are_other_acronyms(left: VenueName, right: VenueName) -> bool:
    """Two acronyms without likeness, or an acronym whose letters do not stand in the other's words in order."""
    if left.is_acronym and right.is_acronym:
        one, other = left.words[0], right.words[0]
        return one not in other and other not in one and Indel.normalized_similarity(one, other) < _NEAR_RATIO
    return left.is_acronym and right.acronym is None and not _has_letters(left.words[0], right.words)


def _have_other_words(left: VenueName, right: VenueName) -> bool:
    """Each has a word of its own of which the other has nothing like, or they are of other lands or circles."""
    if left.is_acronym or right.is_acronym:
        return False
    if left.scopes and right.scopes and not left.scopes & right.scopes and len(left.parts) == len(right.parts) == 1:
        return True
    return _has_own_word(left.own, right.all_words) and _has_own_word(right.own, left.all_words)


_AGREE: tuple[Callable[[VenueName, VenueName], bool], ...] = (
    _is_same,
    _is_its_acronym,
    _has_it_as_part,
    _is_its_start,
    _is_same_meeting,
)
_DIFFER: tuple[Callable[[VenueName, VenueName], bool], ...] = (_are_other_forms, _are_other_acronyms, _have_other_words)


def _has_own_word(own: Iterable[str], others: Iterable[str]) -> bool:
    return any(not any(_may_be_one(word, other) for other in others) for word in own)


def _are_all(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether each word of one side has its own counterpart on the other, in order or not."""
    if len(left) != len(right) or not left:
        return False
    if all(map(_is_one, left, right)):
        return True
    free = list(right)
    for word in left:
        found = word if word in free else next((other for other in free if _is_one(word, other)), None)
        if found is None:
            return False
        free.remove(found)
    return True


@lru_cache(maxsize=1 << 16)
def _is_one(left: str, right: str) -> bool:
    """Whether two words are one: equal, an abbreviation, a plural, or spelled with one letter more, or with z for s."""
    if left == right or abbreviates(left, right) or abbreviates(right, left):
        return True
    if min(len(left), len(right)) < _LEAST_LETTERS + 1 or left[0] != right[0]:
        return False
    return left + "s" == right or right + "s" == left or _is_spelled_near(left.replace("z", "s"), right.replace("z", "s"))


def _is_spelled_near(left: str, right: str) -> bool:
    # Not a letter for another: "Oncology" is not "Ontology".
    return left == right or (min(len(left), len(right)) >= 7 and Indel.distance(left, right) <= 1)


@lru_cache(maxsize=1 << 16)
def _may_be_one(left: str, right: str) -> bool:
    length = min(len(left), len(right))
    if _is_one(left, right) or left[:length] == right[:length]:
        return True
    return left[0] == right[0] and length > 3 and Indel.normalized_similarity(left[:length], right[:length]) >= _NEAR_RATIO


def _has_letters(acronym: str, words: Sequence[str]) -> bool:
    letters = iter("".join(words))
    return all(letter in letters for letter in acronym)
