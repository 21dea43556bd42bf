"""This module makes up papers: their words, people and venues, as skewed as real ones, and the neighbours that are not they.

The share of each kind does not depend on how many papers are made: ten thousand are as hard as a million, but for chance
likenesses, of which more papers have more. Everything is fabricated; only names that very many people bear are real.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

WORDS, TOPICS, TOPIC_WORDS, FAMILIES, GIVENS, VENUES, PHRASES = 120_000, 3_000, 50, 30_000, 2_000, 2_000, 40_000

T = TypeVar("T")
_LISTS = {
    "connecting": "of the in for and with on a to using from by via an based under as between at through toward",
    "families": "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Kim Lee Park Nguyen Singh Kumar Smith Jones Johnson Brown "
    "Miller Müller Schmidt García Rodríguez Martínez López González Silva Santos Rossi Sato Suzuki Tanaka Khan Ali Ahmed Novák",
    "givens": "Wei Jing Li Yan Min Jun Ming Xin Yu Hao John David Michael James Robert Maria Anna José Luis Juan Carlos Peter "
    "Thomas Daniel Hiroshi Kenji Ji-Hoon Min-Jun Mohammed Ahmed Fatima Rajesh Priya Elena Olga Ivan Pedro André Jürgen",
    "onsets": "b c d f g h l m n p r s t v br cl cr dr fl gr pl pr sp st tr th ch ph",
    "vowels": "a e i o u a e i o ea io ou",
    "endings": "ation ity ing al ic ive ism ment ence or ed s er ous ance oid ine ate ology ometry ization ability es y um",
    "family_endings": "ov ski sen er mann a i o ez ić ez sson ton wala oğlu aux ey ne án ström wicz ini",
}
CONNECTING, COMMON_FAMILIES, COMMON_GIVENS, _ONSETS, _VOWELS, _ENDINGS, _FAMILY_ENDINGS = (
    words.split() for words in _LISTS.values()
)
GENERIC = (
    *(
        "Editorial",
        "Preface",
        "Introduction",
        "Front Matter",
        "Book Review",
        "Editor's Comments",
        "Guest Editorial",
        "Foreword",
    ),
    *("Author Index", "In Memoriam", "Introduction to the Special Issue", "Message from the Chairs", "News and Notes"),
)
OPENERS = (
    *("In this paper we", "We present a", "This article describes", "The aim of this study was to", "We propose"),
    *("Experiments on several collections show that", "Recent work has shown that", "Results suggest that", "In contrast to"),
)


@dataclass(frozen=True, slots=True)
class Venue:
    """A journal, conference or workshop under the names that sources give it."""

    name: str
    short: str
    kind: str
    venue_id: str | None
    number: int


class Paper(NamedTuple):
    """What is true of a paper, before sources write it down.

    `tail` is a part of the title that no source drops ("Part II"). `is_strict`: what tells it from a neighbour (its year,
    place and authors) must not be blurred in a copy, else nobody could tell.
    """

    paper: str
    work: str
    title: str
    subtitle: str | None
    tail: str
    authors: tuple[tuple[str, str], ...]
    abstract: str
    venue: Venue
    year: int
    volume: int
    number: int
    first_page: int
    last_page: int
    doi: str
    arxiv: str | None = None
    is_strict: bool = False
    is_generic: bool = False


@dataclass(frozen=True, slots=True)
class World:
    """What papers are made from: lists, the commonest entry first."""

    words: list[str]
    topics: list[list[str]]
    families: list[str]
    givens: list[str]
    venues: list[Venue]
    phrases: list[str]


class Hat:
    """Draws from a world, each list as skewed as it is in life, thousands at a time: one by one takes four times as long."""

    def __init__(self, made: World, chance: random.Random) -> None:
        """`chance` is what all draws come from."""
        self.chance = chance
        self.words = _draws(chance, made.words, 60)
        self.topics = _draws(chance, made.topics, 20)
        self.families = _draws(chance, made.families, 12)
        self.givens = _draws(chance, made.givens, 12)
        self.venues = _draws(chance, made.venues, 20)
        self.phrases = made.phrases
        self.editors = [(made.families[number * 7 % 400], made.givens[number % 90]) for number in range(VENUES)]


ARXIV = Venue("arXiv", "CoRR", "preprint", "arxiv", VENUES)


@functools.cache
def world(seed: int) -> World:
    """The world of a seed. Words are drawn as in titles: the commonest stands in one of fifty, half of them in hardly any."""
    chance = random.Random(f"world {seed}")
    stems = _distinct(9_000, lambda: _stem(chance))
    words = _distinct(WORDS, lambda: stems[int(9_000 * chance.random())] + _ENDINGS[int(len(_ENDINGS) * chance.random())])
    families = COMMON_FAMILIES + _distinct(
        FAMILIES, lambda: (chance.choice(stems) + chance.choice(_FAMILY_ENDINGS)).capitalize()
    )
    givens = COMMON_GIVENS + _distinct(GIVENS, lambda: (chance.choice(stems) + chance.choice("aeioy")).capitalize())
    stream = _draws(chance, words, 60)
    topics = [list(itertools.islice(stream, TOPIC_WORDS)) for _ in range(TOPICS)]
    venues = [_venue(chance, number, *itertools.islice(stream, 3)) for number in range(VENUES)]
    phrases = [_phrase(chance, list(itertools.islice(stream, 8))) for _ in range(PHRASES)]
    return World(words, topics, families, givens, venues, phrases)


def papers(seed: int, part: int) -> Iterator[Paper]:
    """Papers without end, with their neighbours; another `part` of the same seed gives others."""
    chance = random.Random(f"papers {seed} {part}")
    hat = Hat(world(seed), chance)
    kinds, weights = list(KINDS), list(itertools.accumulate(KINDS.values()))
    for number in itertools.count():
        (kind,) = chance.choices(kinds, cum_weights=weights)
        yield from kind(hat, f"{part}-{number}")


def _draws(chance: random.Random, entries: list[T], shift: int) -> Iterator[T]:
    """Entries without end by Zipf's law as Mandelbrot corrected it: the n-th is drawn 1 / (n + shift) as often."""
    weights = list(itertools.accumulate(1 / (rank + shift) for rank in range(1, len(entries) + 1)))
    while True:
        yield from chance.choices(entries, cum_weights=weights, k=4096)


def _alone(hat: Hat, name: str) -> Iterator[Paper]:
    """A paper like no other."""
    chance, venue = hat.chance, next(hat.venues)
    title = _title(hat)
    subtitle = None
    if chance.random() < 0.2:
        cut = len(title) // 2
        title, subtitle = title[:cut], title[cut:]
    year = 2025 - int(55 * chance.random() ** 2)
    first = 1 + int(1500 * chance.random())
    count = (1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8)[int(11 * chance.random())]
    authors = dict.fromkeys(_person(hat) for _ in range(count))
    volume, number = year - 1950 - venue.number % 20, 1 + int(12 * chance.random())
    yield Paper(
        *(name, name, " ".join(title), " ".join(subtitle) if subtitle else None, "", tuple(authors)),
        *(_abstract(hat), venue, year, volume, number, first, first + 3 + int(27 * chance.random())),
        doi=f"10.{1000 + venue.number}/{venue.name.split()[-1].lower()}.{year}.{int(10**7 * chance.random())}",
    )


def _parts(hat: Hat, name: str) -> Iterator[Paper]:
    """Part I and Part II."""
    chance = hat.chance
    (first,) = _alone(hat, name)
    tails = chance.choice(((": Part I", ": Part II"), (" 1", " 2"), (" I", " II"), (", Part 1", ", Part 2")))
    yield first._replace(tail=tails[0], is_strict=True)
    yield _next(hat, first, "b", tail=tails[1], is_strict=True)


def _twins(hat: Hat, name: str) -> Iterator[Paper]:
    """Two studies of the same people whose titles differ in a word or two."""
    chance = hat.chance
    (first,) = _alone(hat, name)
    words = first.title.split()
    for place in chance.sample(range(len(words)), min(len(words), chance.randint(1, 3))):
        words[place] = next(hat.words)
    yield first
    if words != first.title.split():
        yield _next(hat, first, "b", title=" ".join(words), year=first.year + chance.choice((0, 0, 1, 2)))


def _series(hat: Hat, name: str) -> Iterator[Paper]:
    """A group's later paper on the subject: some of its words, some of its people."""
    chance = hat.chance
    (first,) = _alone(hat, name)
    (other,) = _alone(hat, name + "b")
    kept = first.title.split()[: chance.randint(2, 4)]
    authors = tuple(dict.fromkeys((*first.authors[: chance.randint(1, 4)], *other.authors[:1])))
    yield first
    yield other._replace(title=" ".join([*kept, *other.title.split()[len(kept) :]]), authors=authors, venue=first.venue)


def _corrected(hat: Hat, name: str) -> Iterator[Paper]:
    """A paper and its erratum, or a comment on it."""
    chance = hat.chance
    (first,) = _alone(hat, name)
    yield first
    mark = chance.choice(("Erratum to: ", "Correction to: ", "Corrigendum: ", "Comment on: ", "Erratum: "))
    page = first.last_page + 200
    change = {"title": mark + first.title, "abstract": "", "first_page": page, "last_page": page}
    yield _next(hat, first, "b", **change, work=first.work)


def _versions(hat: Hat, name: str) -> Iterator[Paper]:
    """A conference paper and its journal version: two papers, one work."""
    chance = hat.chance
    (first,) = _alone(hat, name)
    venue = next(venue for venue in hat.venues if venue.kind != first.venue.kind)
    abstract = first.abstract if chance.random() < 0.3 else _abstract(hat)
    yield first._replace(is_strict=True)
    change = {"venue": venue, "year": first.year + chance.randint(1, 3), "abstract": abstract, "work": first.work}
    yield _next(hat, first, "b", **change, is_strict=True)


def _preprints(hat: Hat, name: str) -> Iterator[Paper]:
    """A preprint and what became of it: two papers, one work."""
    chance = hat.chance
    (first,) = _alone(hat, name)
    if first.year <= 1991:
        yield first
        return
    year = first.year - chance.randint(0, 1)
    number = f"{year % 100:02}{chance.randint(1, 12):02}.{chance.randrange(10**5):05}"
    yield first._replace(is_strict=True)
    yield first._replace(paper=name + "b", venue=ARXIV, year=year, arxiv=number, doi=f"10.48550/arxiv.{number}", is_strict=True)


def _generic(hat: Hat, name: str) -> Iterator[Paper]:
    """An editorial or the like: the venue's editor signs a good many of them."""
    (first,) = _alone(hat, name)
    authors = (hat.editors[first.venue.number],) if hat.chance.random() < 0.7 else ()
    title = GENERIC[int(len(GENERIC) * hat.chance.random() ** 2)]
    page = hat.chance.randint(1, 5)
    change = {"title": title, "subtitle": None, "abstract": "", "authors": authors, "first_page": page, "last_page": page + 1}
    yield first._replace(**change, is_strict=True, is_generic=True)


def _meeting(hat: Hat, name: str) -> Iterator[Paper]:
    """Abstracts of a meeting that share a page and the DOI of their issue."""
    papers = [paper for letter in "abcdef" for paper in _alone(hat, name + letter)]
    one = papers[0]
    place = {"venue": one.venue, "year": one.year, "volume": one.volume, "number": one.number, "doi": one.doi}
    for paper in papers:
        yield paper._replace(**place, first_page=one.first_page, last_page=one.first_page)


KINDS: dict[Callable[[Hat, str], Iterator[Paper]], float] = {
    _alone: 0.86,
    _parts: 0.015,
    _twins: 0.02,
    _series: 0.04,
    _corrected: 0.01,
    _versions: 0.025,
    _preprints: 0.012,
    _generic: 0.015,
    _meeting: 0.003,
}
"""What papers come as, and how often."""


def _next(hat: Hat, first: Paper, letter: str, **change: object) -> Paper:
    """A paper by the same people some pages on, with an abstract and a DOI of its own."""
    name, page = first.paper + letter, first.last_page + hat.chance.randint(1, 60)
    own = {"paper": name, "work": name, "first_page": page, "last_page": page + hat.chance.randint(3, 20)}
    doi = f"{first.doi.rsplit('.', 1)[0]}.{hat.chance.randrange(10**7)}"
    return first._replace(**{**own, "doi": doi, "abstract": _abstract(hat), **change})


def _title(hat: Hat) -> list[str]:
    """6 to 14 words, a third of them connecting ones; half of the others are of the topic."""
    chance, topic = hat.chance, next(hat.topics)
    content = list(itertools.islice(hat.words, 4 + int(6 * chance.random())))
    words: list[str] = []
    for place, word in enumerate(content):
        if words and (chance.random() < 0.5 or len(content) < 5):
            words.append(CONNECTING[int(len(CONNECTING) * chance.random() ** 2)])
        words.append(word if place % 2 else topic[int(TOPIC_WORDS * chance.random())])
    return words[:14]


def _abstract(hat: Hat) -> str:
    """80 to 190 words; three papers in ten have none.

    Its beginning is its own: of 4,866 pairs of real records whose abstracts begin alike, 21 are of papers that nothing else
    brings together.
    """
    count = hat.chance.random()
    if count < 0.3:
        return ""
    first = _phrase(hat.chance, list(itertools.islice(hat.words, 8)))
    rest = hat.chance.choices(hat.phrases, k=int(4 + 10 * count))
    return f"{hat.chance.choice(OPENERS)} {first} {' '.join(rest)}"


def _person(hat: Hat) -> tuple[str, str]:
    """A family name and a given name, one in five with a middle initial."""
    family, given = next(hat.families), next(hat.givens)
    return family, given if hat.chance.random() < 0.8 else f"{given} {hat.chance.choice('ABCDEFGHJKLMNPRSTW')}."


def _venue(chance: random.Random, number: int, *words: str) -> Venue:
    kind = chance.choices(("journal", "conference", "workshop"), (50, 42, 8))[0]
    first, second, third = (word.capitalize() for word in words)
    names = {
        "journal": (f"Journal of {first} and {second}", f"{first} Letters", f"Annals of {first} {second}"),
        "conference": (f"International Conference on {first} {second}", f"{first} and {second} {third} Conference"),
        "workshop": (f"Workshop on {first} {second}", f"International Workshop on {first}, {second} and {third}"),
    }
    name = chance.choice(names[kind])
    own = [word for word in re.findall(r"\w+", name) if word not in ("of", "on", "and")]
    # As sources shorten them: journals word by word, conferences to their initials.
    journal = " ".join(word if len(word) < 6 else f"{word[:5]}." for word in own).replace("Journ.", "J.")
    short = journal if kind == "journal" else "".join(word[0] for word in own)
    return Venue(name, short, kind, f"venue{number}" if number < 60 else None, number)


def _phrase(chance: random.Random, words: list[str]) -> str:
    for place in (1, 4, 6, 9):
        words.insert(place, chance.choice(CONNECTING))
    return " ".join(words) + ("." if chance.random() < 0.6 else "")


def _stem(chance: random.Random) -> str:
    syllables = chance.choice((1, 1, 2))
    return "".join(chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(syllables)) + chance.choice("bdglmnrst")


def _distinct(count: int, make: Callable[[], str]) -> list[str]:
    made: dict[str, None] = {}
    while len(made) < count:
        made[make()] = None
    return list(made)
