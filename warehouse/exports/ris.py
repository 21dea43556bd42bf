"""This module writes RIS: UTF-8, CR LF at line ends, an entry a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from warehouse.exports.citations import Citation
from warehouse.exports.entry_kinds import Kind

_TYPES: Mapping[Kind, str] = {
    "article": "JOUR",
    "paper": "CPAPER",
    "chapter": "CHAP",
    "book": "BOOK",
    "proceedings": "CONF",
    "doctoral_thesis": "THES",
    "masters_thesis": "THES",
    "report": "RPRT",
    "preprint": "UNPB",
    "dataset": "DATA",
    "software": "COMP",
    "other": "GEN",
}
_RANGE = re.compile(r"^([^\s-]+)-([^\s-]+)$")


def ris_lines(citations: Iterable[Citation]) -> Iterator[str]:
    """The entries, a blank line between them."""
    for place, citation in enumerate(citations):
        yield ("\r\n" if place else "") + ris_entry(citation)


def ris_entry(citation: Citation) -> str:
    """One entry. Identifiers that have no tag of their own are addresses (LK), unless UR or L1 names them.

    >>> from warehouse.exports.citations import author, citation
    >>> row = {"title": "Tides", "venue": "Pebble Letters", "year": 2024, "pages": "3-9"}
    >>> paper = citation(row, "lee2024tides", [author("Ann Lee", "Ann", "Lee")], {"arxiv": "2401.00001"})
    >>> print("|".join(line.strip() for line in ris_entry(paper).splitlines()[:5]))
    TY  - JOUR|ID  - lee2024tides|AU  - Lee, Ann|TI  - Tides|T2  - Pebble Letters
    """
    first, last = _pages(citation.pages)
    tags = [
        ("TY", _TYPES[citation.kind]),
        ("ID", citation.key),
        *(("AU", author.inverted()) for author in citation.authors),
        ("TI", citation.title),
        ("T2", citation.venue),
        ("PY", str(citation.year or "")),
        ("VL", citation.volume),
        ("IS", citation.number),
        ("SP", first),
        ("EP", last),
        ("PB", citation.publisher),
        ("DO", citation.identifiers.get("doi")),
        ("UR", citation.url),
        ("L1", citation.pdf_url),
        *(("LK", address) for address in citation.further_addresses()),
        *(("KW", keyword) for keyword in citation.keywords),
        ("AB", citation.abstract),
    ]
    lines = [f"{tag}  - {' '.join(value.split())}\r\n" for tag, value in tags if value]
    return "".join((*lines, "ER  - \r\n"))


def _pages(pages: str | None) -> tuple[str | None, str | None]:
    """The first and the last page; anything but a plain range as the first."""
    found = _RANGE.match(pages or "")
    return (found[1], found[2]) if found and found[1] != found[2] else (pages, None)
