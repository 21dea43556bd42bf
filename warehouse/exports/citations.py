"""This module makes papers into citations, one after the other: with authors, identifiers, a key and a kind of entry.

The three tables stand sorted by paper_id and are read side by side, so that memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.exports.citation_keys import make_citation_keys
from warehouse.exports.entry_kinds import Kind, entry_kind

if TYPE_CHECKING:
    from warehouse.exports.selection import Selection


@dataclass(frozen=True, slots=True)
class Author:
    """One author: `family` is None for a group, `given` for a group or a single name; `suffix` is what stands behind both.

    `is_in_order` says that the name is the given names, the family name and the suffix, in this order and with spaces.
    """

    name: str
    given: str | None
    family: str | None
    suffix: str | None = None
    is_in_order: bool = True

    def inverted(self) -> str:
        """The name as reference managers sort it; as it is where it has no given and family name in this order.

        >>> author("Sammy Davis Jr.", "Sammy", "Davis").inverted(), author("The Pebble Team", None, None).inverted()
        ('Davis, Jr., Sammy', 'The Pebble Team')
        """
        parts = (self.family, self.suffix, self.given)
        return ", ".join(part for part in parts if part) if self.family and self.is_in_order else self.name


@dataclass(frozen=True, slots=True)
class Citation:
    """One paper as reference managers have it; `identifiers` are the least value of each scheme."""

    key: str
    kind: Kind
    title: str | None
    authors: tuple[Author, ...]
    abstract: str | None
    venue: str | None
    year: int | None
    volume: str | None
    number: str | None
    pages: str | None
    publisher: str | None
    keywords: tuple[str, ...]
    url: str | None
    pdf_url: str | None
    identifiers: Mapping[str, str]

    def further_addresses(self, *told: str) -> list[str]:
        """The pages of identifiers that neither `url` nor `pdf_url` name, but for schemes `told`, which stand elsewhere.

        >>> row = {"url": "https://openreview.net/forum?id=Ab3xY"}
        >>> citation(row, "k", [], {"openreview": "Ab3xY", "ieee": "8100001"}).further_addresses()
        ['https://ieeexplore.ieee.org/document/8100001']
        """
        addresses = [address for address in (self.url, self.pdf_url) if address]
        return [
            page_of(scheme, value)
            for scheme, value in self.identifiers.items()
            if scheme in _PAGES and scheme not in told and not any(_names(address, scheme, value) for address in addresses)
        ]


def author(name: str, given: str | None, family: str | None) -> Author:
    """An author from a row of `authorships`.

    >>> author("Jan van der Berg", "Jan", "van der Berg")
    Author(name='Jan van der Berg', given='Jan', family='van der Berg', suffix=None, is_in_order=True)
    >>> author("Henry Gates III", "Henry", "Gates").suffix, author("张三", "三", "张").is_in_order
    ('III', False)
    """
    bare = " ".join(part for part in (given, family) if part)
    if name == bare or not bare:
        return Author(name, given, family)
    if name.startswith(f"{bare} "):
        return Author(name, given, family, name.removeprefix(bare).strip())
    return Author(name, given, family, is_in_order=False)


def citation(
    paper: Mapping[str, object],
    key: str,
    authors: Sequence[Author],
    identifiers: Mapping[str, str],
    kinds: Mapping[str, str] | None = None,
) -> Citation:
    """A citation from a row of `papers`, those of its authors and its identifiers by scheme."""

    def text(name: str) -> str | None:
        value = paper.get(name)
        return None if value is None else str(value)

    keywords, year = paper.get("keywords"), paper.get("year")
    return Citation(
        key=key,
        kind=entry_kind(paper, kinds or {}),
        authors=tuple(authors),
        year=year if isinstance(year, int) else None,
        keywords=tuple(map(str, keywords)) if isinstance(keywords, list) else (),
        identifiers=identifiers,
        **{name: text(name) for name in _TEXTS},
    )


def page_of(scheme: str, value: str) -> str:
    """The page that an identifier leads to.

    >>> page_of("neurips", "2006/05b8caaf6ba6f4bdb68675ab8b893bda"), page_of("arxiv", "2301.12345")
    ('https://papers.nips.cc/paper_files/paper/2006/hash/05b8caaf6ba6f4bdb68675ab8b893bda-Abstract.html', 'https://arxiv.org/abs/2301.12345')
    """
    first, _, rest = value.partition("/")
    return _PAGES[scheme].format(value=value, first=first, rest=rest)


def citations(selection: Selection, kinds: Mapping[str, str], part: str | None = None) -> Iterator[Citation]:
    """The exported papers of one part as citations, by paper_id. The keys are those of all papers of the release."""
    authorships = _Beside(selection.rows_of_papers("authorships", ("paper_id", "name", "given", "family"), part))
    identifiers = _Beside(selection.rows_of_papers("identifiers", ("paper_id", "scheme", "value"), part))
    keys = _Beside(selection.rows_of(make_citation_keys(selection.connection, selection.part_condition(part))))
    for row in selection.rows_of_papers("papers", ("paper_id", *_COLUMNS), part):
        paper_id, *values = row
        authors = [author(str(name), given, family) for _, name, given, family in authorships.of(str(paper_id))]
        by_scheme: dict[str, str] = {}
        for _, scheme, value in identifiers.of(str(paper_id)):
            by_scheme.setdefault(str(scheme), str(value))
        ((_, key),) = keys.of(str(paper_id))
        yield citation(dict(zip(_COLUMNS, values, strict=True)), str(key), authors, by_scheme, kinds)


class _Beside:
    """The rows of a table sorted by its first column, paper_id, taken paper by paper."""

    def __init__(self, rows: Iterable[Sequence[object]]) -> None:
        self._rows = iter(rows)
        self._next = next(self._rows, None)

    def of(self, paper_id: str) -> list[tuple]:  # type: ignore[type-arg]
        """The rows of a paper; to be asked for in the order of their ids."""
        found = []
        while self._next is not None and str(self._next[0]) <= paper_id:
            if self._next[0] == paper_id:
                found.append(tuple(self._next))
            self._next = next(self._rows, None)
        return found


_TEXTS = ("title", "abstract", "venue", "volume", "number", "pages", "publisher", "url", "pdf_url")
_COLUMNS = (*_TEXTS, "venue_id", "year", "type", "keywords")

_PAGES = {
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{value}/",
    "acl": "https://aclanthology.org/{value}/",
    "pmlr": "https://proceedings.mlr.press/{value}.html",
    "neurips": "https://papers.nips.cc/paper_files/paper/{first}/hash/{rest}-Abstract.html",
    "ijcai": "https://www.ijcai.org/proceedings/{first}/{rest}",
    "ieee": "https://ieeexplore.ieee.org/document/{value}",
    "openreview": "https://openreview.net/forum?id={value}",
    "arxiv": "https://arxiv.org/abs/{value}",
}
"""The page of an identifier by its scheme. The slug of cvf is in small letters, and its page is not."""

_HOSTS = {
    "pmid": "ncbi.nlm.nih.gov/",
    "acl": "acl",
    "pmlr": "ml",  # proceedings.mlr.press, jmlr.org, mlresearch
    "neurips": "/paper",
    "ijcai": "ijcai.org/",
    "ieee": "ieeexplore.ieee.org/",
    "openreview": "openreview.net/",
    "arxiv": "arxiv.org/",
}


def _names(address: str, scheme: str, value: str) -> bool:
    """Whether an address names an identifier: it has the host and all parts of the value.

    OpenReview's are told by `id=`: `/pdf/<id>.pdf` may be another file's name.
    """
    if scheme == "openreview":
        return _HOSTS[scheme] in address and f"id={value}" in address
    return _HOSTS[scheme] in address and all(part in address for part in value.split("/"))
