"""This module maps citation files (CITATION.cff): what is to be cited is the preferred citation where that has a title.

Source of the names: the Citation File Format, versions 1.0 to 1.2. Works under `references` are cited by the work, and not
listed; they stay in `raw`.
"""

from __future__ import annotations

from collections.abc import Mapping

from transforms.readers.field_values import as_text, author_text
from transforms.readers.mapping import Mapper

_FIELDS = {
    "title": "title_raw",
    "authors": "authors_raw",
    "abstract": "abstract_raw",
    "year": "year_raw",
    "date-published": "date_raw",
    "date-released": "date_raw",
    "journal": "venue_raw",
    "collection-title": "venue_raw",
    "conference": "venue_raw",
    "volume": "volume_raw",
    "issue": "number_raw",
    "pages": "pages_raw",
    "start": "pages_raw",
    "publisher": "publisher_raw",
    "type": "type_raw",
    "keywords": "keywords_raw",
    "doi": "doi_raw",
    "url": "url_raw",
    "repository-code": "link_urls_raw",
    "repository": "link_urls_raw",
}
_PREFERRED = "preferred-citation"


class CitationMapper(Mapper):
    """Maps a citation file, its own work or its preferred citation; never some fields of one and some of the other."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__({**_FIELDS, **{f"{_PREFERRED}.{name}": field for name, field in _FIELDS.items()}}, given)

    def fields(self, raw: Mapping[str, object]) -> dict[str, object]:
        """The fields that a citation file fills; the file is counted.

        >>> authors = [{"family-names": "Dow", "given-names": "Cy", "name-particle": "van"}, {"name": "Pebble Group"}]
        >>> CitationMapper({}).fields({"title": "Sorter", "preferred-citation": {"title": "Pebbles", "authors": authors}})
        {'title_raw': 'Pebbles', 'author_names_raw': ['van Dow, Cy', 'Pebble Group']}
        """
        preferred = raw.get(_PREFERRED)
        if isinstance(preferred, Mapping) and preferred.get("title"):
            return super().fields({f"{_PREFERRED}.{name}": value for name, value in _prepared(preferred).items()})
        return super().fields({name: value for name, value in _prepared(raw).items() if name != _PREFERRED})


def _prepared(work: Mapping[str, object]) -> dict[str, object]:
    """A work with its authors as names, a DOI among its identifiers as its own, and its first and last page together."""
    prepared = dict(work)
    authors = work.get("authors")
    if isinstance(authors, list):
        prepared["authors"] = [_author(author) for author in authors]
    if not work.get("doi") and (doi := _listed_doi(work.get("identifiers"))):
        prepared["doi"] = doi
    start, end = as_text(work.get("start")), as_text(work.get("end"))
    if start and end:
        prepared["start"] = f"{start}-{end}"
    return prepared


def _author(author: object) -> str:
    """An author as `particle Family suffix, Given`."""
    if not isinstance(author, Mapping):
        return author_text(author)
    particle, family, suffix, given = (
        as_text(author.get(name)) for name in ("name-particle", "family-names", "name-suffix", "given-names")
    )
    whole = " ".join(filter(None, (particle, family, suffix)))
    return ", ".join(filter(None, (whole, given))) or author_text(author)


def _listed_doi(identifiers: object) -> str:
    """The first DOI of a list of identifiers."""
    for identifier in identifiers if isinstance(identifiers, list) else []:
        if isinstance(identifier, Mapping) and identifier.get("type") == "doi":
            return as_text(identifier.get("value"))
    return ""
