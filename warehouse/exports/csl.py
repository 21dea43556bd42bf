"""This module writes CSL-JSON, which Pandoc, Zotero and all other processors of citation styles read: an array of items.

What CSL has no variable for stands in `custom`, as its schema asks (citation-style-language/schema, csl-data.json 1.0.2).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from warehouse.exports.bibtex import joined_keywords
from warehouse.exports.citations import Author, Citation
from warehouse.exports.entry_kinds import Kind

_TYPES: Mapping[Kind, str] = {
    "article": "article-journal",
    "paper": "paper-conference",
    "chapter": "chapter",
    "book": "book",
    "proceedings": "book",
    "doctoral_thesis": "thesis",
    "masters_thesis": "thesis",
    "report": "report",
    "preprint": "article",
    "dataset": "dataset",
    "software": "software",
    "other": "document",
}


def csl_lines(citations: Iterable[Citation]) -> Iterator[str]:
    """The array, an item a line."""
    is_empty = True
    for citation in citations:
        yield ("[\n" if is_empty else ",\n") + json.dumps(csl_item(citation), ensure_ascii=False)
        is_empty = False
    yield "[]\n" if is_empty else "\n]\n"


def csl_item(citation: Citation) -> dict[str, object]:
    """One item.

    >>> from warehouse.exports.citations import author, citation
    >>> row = {"title": "Tides", "venue": "Pebble Letters", "year": 2024, "pages": "3-9"}
    >>> csl_item(citation(row, "lee2024tides", [author("Ann Lee Jr.", "Ann", "Lee")], {"arxiv": "2401.00001"}))["author"]
    [{'family': 'Lee', 'given': 'Ann', 'suffix': 'Jr.'}]
    """
    custom = {
        "arxiv": citation.identifiers.get("arxiv"),
        "openreview": citation.identifiers.get("openreview"),
        "pdf": citation.pdf_url,
        "urls": citation.further_addresses("arxiv", "openreview", "pmid"),
    }
    item: dict[str, object] = {
        "id": citation.key,
        "citation-key": citation.key,
        "type": _TYPES[citation.kind],
        "title": citation.title or "",
        "author": [_person(author) for author in citation.authors],
        "issued": {"date-parts": [[citation.year]]} if citation.year else None,
        "container-title": citation.venue,
        "volume": citation.volume,
        "issue": citation.number,
        "page": citation.pages,
        "publisher": citation.publisher,
        "DOI": citation.identifiers.get("doi"),
        "PMID": citation.identifiers.get("pmid"),
        "URL": citation.url,
        "keyword": joined_keywords(citation.keywords),
        "abstract": citation.abstract,
        "custom": {name: value for name, value in custom.items() if value},
    }
    return {name: value for name, value in item.items() if value or name == "title"}


_HAN = re.compile(r"[\u3400-\u9fff々]+")


def _person(author: Author) -> dict[str, str]:
    """A name; one that is not its given and family name in this order, unless Chinese or Japanese, is literal."""
    is_han = _HAN.fullmatch(author.name) is not None
    if author.family is None or not (author.is_in_order or is_han):
        return {"literal": author.name}
    if not author.given and not author.suffix:
        return {"literal": author.name} if " " in author.name else {"family": author.family}
    parts = {"family": author.family, "given": author.given, "suffix": author.suffix}
    return {name: value for name, value in parts.items() if value}
