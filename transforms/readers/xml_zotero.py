"""This module gives the items of Zotero RDF what stands elsewhere in the file: the journal that several of them may share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transforms.readers.xml_entries import Vocabulary
from transforms.readers.xml_paths import Fields, find_fields

PARENTS = Vocabulary(("Journal", "Book", "Series"))
"""The elements that are read before the items; an item names the one it is part of by its address."""

_FIELDS: Fields = (
    ("title", "venue_raw"),
    ("volume", "volume_raw"),
    ("number", "number_raw"),
    ("identifier|doi", "doi_raw"),
)


def zotero_parents(elements: Iterable[tuple[str, object]]) -> dict[str, object]:
    """The fields that each journal or book gives to its items, by its address.

    >>> zotero_parents([("Journal", {"@about": "urn:issn:1", "title": "Sea", "identifier": ["ISSN 1", "DOI 10.5555/a"]})])
    {'urn:issn:1': {'venue_raw': 'Sea', 'doi_raw': 'DOI 10.5555/a'}}
    """
    parents = ((value.get("@about"), value) for _, value in elements if isinstance(value, Mapping))
    return {about: find_fields(value, _FIELDS) for about, value in parents if isinstance(about, str)}


def zotero_fields(raw: Mapping[str, object], context: Mapping[str, object]) -> dict[str, object]:
    """What the journals and books that an item is part of say, the first before the others."""
    names, parts = context.get("names"), raw.get("isPartOf")
    found: dict[str, object] = {}
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(names, Mapping) and isinstance(part, Mapping):
            parent = names.get(part.get("@resource"))
            found = (dict(parent) | found) if isinstance(parent, Mapping) else found
    return found
