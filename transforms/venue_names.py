"""This module takes apart what is compared of venues' names: their words, forms, circles, parts and acronyms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import polars as pl

from transforms.venue_words import venue_words, without_additions, written_acronym

_MEETING_WORDS = {
    **dict.fromkeys(("conference", "conferences", "conf"), "conference"),
    **dict.fromkeys(("symposium", "symposia", "symp"), "symposium"),
    **dict.fromkeys(("workshop", "workshops", "wksp", "wkshp"), "workshop"),
    **dict.fromkeys(("congress", "cong", "kongress"), "congress"),
    **dict.fromkeys(("meeting", "meetings", "mtg", "tagung"), "meeting"),
    **dict.fromkeys(("colloquium", "colloq"), "colloquium"),
    "convention": "convention",
}
_PERIODICAL_WORDS = {
    **dict.fromkeys(("journal", "journals", "j", "jl", "jnl", "jrnl"), "journal"),
    **dict.fromkeys(("transactions", "transaction", "trans"), "transactions"),
    **dict.fromkeys(("annals", "annales", "ann"), "annals"),
    **dict.fromkeys(("archives", "archive", "arch", "archiv"), "archives"),
    **dict.fromkeys(("letters", "lett"), "letters"),
    **dict.fromkeys(("bulletin", "bull"), "bulletin"),
    **dict.fromkeys(("magazine", "mag"), "magazine"),
    **dict.fromkeys(("reviews", "review", "rev"), "review"),
    **dict.fromkeys(("record", "records", "rec"), "record"),
    **dict.fromkeys(("quarterly", "quart", "q"), "quarterly"),
    **dict.fromkeys(("reports", "report", "rep"), "reports"),
    **dict.fromkeys(("communications", "communication", "commun"), "communications"),
    **dict.fromkeys(("zeitschrift", "z"), "zeitschrift"),
    **{word: word for word in ("newsletter", "notices", "revista", "revue", "giornale", "zhurnal", "zasshi", "zazhi")},
}
_SCOPE_WORDS = {
    **dict.fromkeys(("international", "int", "intl"), "international"),
    **dict.fromkeys(("national", "natl"), "national"),
    **dict.fromkeys(("european", "europe", "eur"), "european"),
    **dict.fromkeys(("american", "america", "americas", "am", "amer"), "american"),
    **dict.fromkeys(("british", "br", "brit"), "british"),
    **dict.fromkeys(("canadian", "canada", "can"), "canadian"),
    **dict.fromkeys(("japanese", "japan", "jpn"), "japanese"),
    **dict.fromkeys(("chinese", "china", "chin"), "chinese"),
    **dict.fromkeys(("indian", "india"), "indian"),
    **dict.fromkeys(("australian", "australasian", "aust"), "australian"),
    **dict.fromkeys(("scandinavian", "nordic", "scand"), "scandinavian"),
    **dict.fromkeys(("asian", "asia"), "asian"),
    **dict.fromkeys(("african", "afr"), "african"),
    **{word: word for word in ("pacific", "mediterranean", "hawaii", "german", "french", "italian", "spanish", "korean")},
    **{word: word for word in ("brazilian", "turkish", "polish", "iranian", "swiss", "scottish", "irish", "saudi")},
}
_ORGANISERS = frozenset(
    ("ieee", "acm", "cvf", "rsj", "siam", "usenix", "ifip", "aaai", "iapr", "ais", "sponsored", "joint", "biennial")
)
# Words that so many venues share that they tell nothing of a venue alone.
_COMMON = frozenset(
    (
        *("research", "science", "sciences", "computer", "computers", "computing", "technology", "technologies", "engineering"),
        *("society", "association", "academy", "university", "institute", "advances", "studies", "proceedings", "new", "world"),
        *("online", "section", "part", "series", "supplement", "medical", "medicine"),
    )
)
_SECTION_WORDS = frozenset(("part", "pt", "section", "sect", "series", "ser"))
# Two spellings of one word, for transliterations.
_SAME = {"nippon": "nihon"}
_LEAST_LETTERS = 3
_SEPARATORS = r"(?i)\s*(?:[:=/–—|]|\s-|-\s|\.\s*conference:)\s*"


@dataclass(frozen=True)
class VenueName:
    """What is compared of a venue's text; most pairs are told by letters, words and acronym, the rest is made when asked."""

    letters: str
    words: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]  # between colons and dashes
    # Those parts behind the first that may be a name, not a description ("An international …").
    titles: frozenset[tuple[str, ...]]
    acronym: str | None
    is_acronym: bool
    is_cut: bool

    @cached_property
    def first_letters(self) -> str:
        """The first letters of the words, sorted: two names of the same words have the same, abbreviated or not."""
        return "".join(sorted(word[0] for word in self.words))

    @cached_property
    def unsectioned(self) -> tuple[str, ...]:
        """The words without the one before the letter of a section, which abbreviations leave out: "Part A", "Sect. B"."""
        is_section = len(self.words) > 2 and len(self.words[-1]) == 1 and self.words[-2] in _SECTION_WORDS
        return (*self.words[:-2], self.words[-1]) if is_section else self.words

    @cached_property
    def meetings(self) -> frozenset[str]:
        """The forms of meeting that it names."""
        return _kinds(self.words, _MEETING_WORDS)

    @cached_property
    def periodicals(self) -> frozenset[str]:
        """The forms of periodical that it names."""
        return _kinds(self.words, _PERIODICAL_WORDS)

    @cached_property
    def scopes(self) -> frozenset[str]:
        """The lands and circles that it names."""
        return _kinds(self.words, _SCOPE_WORDS)

    @cached_property
    def core(self) -> tuple[str, ...]:
        """The words without what frames a meeting."""
        return _core(self.words)

    @cached_property
    def own(self) -> tuple[str, ...]:
        """The words that tell one venue from another."""
        telling = (word for word in self.words if len(word) >= _LEAST_LETTERS and word not in _COMMON)
        return tuple(word for word in telling if not _is_framing(word))

    @cached_property
    def all_words(self) -> frozenset[str]:
        """The words of all parts."""
        return frozenset((*self.words, *(word for part in self.parts for word in part)))


def venue_names(texts: pl.Series) -> dict[str, VenueName]:
    """What is compared of each of the texts, which are distinct.

    >>> name = venue_names(pl.Series(["Int. Conf. on Slow Maps"]))["Int. Conf. on Slow Maps"]
    >>> name.words, name.core, name.meetings
    (('int', 'conf', 'slow', 'maps'), ('slow', 'maps'), frozenset({'conference'}))
    """
    text = pl.col("text")
    spaced = text.str.replace_all(r"(?i)[-.;]\s*(the|an?) ", " : $1 ").str.replace_all(r"(?i)\.\s*(journal) ", " : $1 ")
    rows = texts.alias("text").to_frame()
    # One part is the text itself, and so are its words.
    split = rows.select("text", part=spaced.str.replace_all(_SEPARATORS, " : ").str.split(" : "))
    parts = (
        split.filter(pl.col("part").list.len() > 1)
        .explode("part")
        .select("text", words=venue_words(pl.col("part")), is_title=~pl.col("part").str.contains(r"(?i)^\s*an? "))
        .filter(pl.col("words").list.len() > 0)
        .group_by("text", maintain_order=True)
        .agg("words", "is_title")
    )
    features = rows.select(
        text,
        venue_words(text).alias("words"),
        written_acronym(text).alias("acronym"),
        (written_acronym(text).is_not_null() & ~text.str.contains(r"[A-Za-z]\W+[A-Za-z]")).alias("is_acronym"),
        text.str.contains(r"(?i)(?:\.\.\.|…|\b(?:of|and|on|in|for|the)|&|,)\W*$").alias("is_cut"),
        without_additions(text).str.replace_all(r"[^\p{L}]+", "").alias("letters"),
    ).join(parts, on="text", how="left", maintain_order="left", suffix="_parts")
    columns = ("words", "words_parts", "is_title", "acronym", "is_acronym", "is_cut", "letters")
    compared = zip(*(features[name].to_list() for name in columns), strict=True)
    return {text: _name(*values) for text, values in zip(features["text"].to_list(), compared, strict=True)}


def _name(
    words: Sequence[str],
    words_parts: Sequence[Sequence[str]] | None,
    is_title: Sequence[bool] | None,
    acronym: str | None,
    is_acronym: bool,
    is_cut: bool,
    letters: str,
) -> VenueName:
    parts = tuple(map(tuple, words_parts)) if words_parts else (tuple(words),) * bool(words)
    words = without_own_acronym(tuple(_SAME.get(word, word) for word in words))
    titles = frozenset(part for part, may_be in zip(parts[1:], (is_title or ())[1:], strict=True) if may_be and len(part) > 1)
    return VenueName(letters, words, parts, titles, acronym, is_acronym and len(words) == 1, is_cut)


def is_periodical(words: Iterable[str]) -> bool:
    """Whether one of the words is one for a periodical, such as "Journal" or "Lett"."""
    return not _PERIODICAL_WORDS.keys().isdisjoint(words)


def is_meeting_frame(word: str) -> bool:
    """Whether a word of a meeting's name may as well be missing: its organiser, "International", "Conference"."""
    return word in _ORGANISERS or word in _MEETING_WORDS or word in ("international", "int", "intl", "proceedings")


def without_own_acronym(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without an acronym of themselves before or behind them.

    >>> without_own_acronym(("jncn", "journal", "national", "cancer", "network"))
    ('journal', 'national', 'cancer', 'network')
    """
    for acronym, rest in ((words[:1], words[1:]), (words[-1:], words[:-1])):
        if 1 < len(rest) >= len(acronym[0]) and acronym[0] in initials_of(rest):
            return rest
    return words


def _kinds(words: Iterable[str], kinds: Mapping[str, str]) -> frozenset[str]:
    return frozenset(kinds[word] for word in words if word in kinds)


def _is_framing(word: str) -> bool:
    """Whether a word only says of which form or circle a venue is."""
    return word in _ORGANISERS or any(word in kinds for kinds in (_MEETING_WORDS, _PERIODICAL_WORDS, _SCOPE_WORDS))


def _core(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if not is_meeting_frame(word))


@lru_cache(maxsize=1 << 14)
def initials_of(words: tuple[str, ...]) -> frozenset[str]:
    """The acronyms that words may have: their initials, with and without organisers and words for a meeting."""
    bare = [word for word in words if word not in _ORGANISERS]
    found = ("".join(word[0] for word in some) for some in (words, bare, _core(words)))
    return frozenset(acronym for acronym in found if len(acronym) > 2)
