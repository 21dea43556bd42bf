"""This module knows the shapes of records that well-known services and projects hand out, and where each field stands in them.

A shape is one entry of `SHAPES`. It is for records that a reader gives as objects with objects in them, or whose names mean
something else than they say; everything else is mapped by the names of its columns (`columns.COLUMN_NAMES`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape of records.

    `needs` are names that a record has at its top level, each one name or several of which one will do (`id|forum`).
    `fields` maps a path to the field it fills, the preferred path of a field first. A path is names joined by dots, through
    lists too (`authorships.author.display_name`); `|name` behind it is a conversion in `CONVERSIONS`.
    `example` is a record of it, as JSON text.
    """

    name: str
    meaning: str
    needs: tuple[str, ...]
    fields: Mapping[str, str]
    example: str

    def fits(self, names: frozenset[str]) -> bool:
        """Whether a record with these names at its top level is of this shape."""
        return all(any(name in names for name in need.split("|")) for need in self.needs)


def value_at(record: Mapping[str, object], path: str) -> object:
    """The value at a path in a record; of a list on the way the list of what its objects have there.

    >>> value_at({"by": [{"author": {"name": "Ann Lee"}}, {"author": {"name": "Bo Li"}}]}, "by.author.name")
    ['Ann Lee', 'Bo Li']
    >>> value_at({"index": {"A": [0, 2], "rose": [1]}}, "index|inverted_index")
    'A rose A'
    """
    names, _, conversion = path.partition("|")
    value: object = record
    for name in names.split("."):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list):
            value = [inner.get(name) for inner in value if isinstance(inner, Mapping)]
        else:
            return None
    return CONVERSIONS[conversion](value) if conversion else value


def find_shape(names: Sequence[str]) -> Shape | None:
    """The first shape that a record with these names at its top level is of.

    >>> found = find_shape(["id", "display_name", "abstract_inverted_index", "authorships"])
    >>> found and found.name
    'openalex_work'
    """
    known = frozenset(names)
    return next((shape for shape in SHAPES if shape.fits(known)), None)


def _inverted_index(value: object) -> object:
    """A text from the places of each of its words; the places are from 0, and a list of lists is none."""
    if not isinstance(value, Mapping):
        return None
    words = sorted((place, word) for word, places in value.items() if isinstance(places, list) for place in _places(places))
    return " ".join(word for _, word in words)


def _places(places: list[object]) -> Iterator[int]:
    return (place for place in places if isinstance(place, int))


def _value(value: object) -> object:
    """The value of an OpenReview note, which version 2 of its API wraps in an object."""
    return value.get("value") if isinstance(value, Mapping) and "value" in value else value


CONVERSIONS: dict[str, Callable[[object], object]] = {
    "inverted_index": _inverted_index,
    "value": _value,
}
"""What may stand behind a path: how the value there becomes one that a field holds."""

SHAPES: tuple[Shape, ...] = (
    Shape(
        "openalex_work",
        "a work of OpenAlex",
        ("authorships|abstract_inverted_index", "display_name|title", "id"),
        {
            "title": "title_raw",
            "display_name": "title_raw",
            "authorships.author.display_name": "authors_raw",
            "abstract_inverted_index|inverted_index": "abstract_raw",
            "publication_year": "year_raw",
            "publication_date": "date_raw",
            "primary_location.source.display_name": "venue_raw",
            "doi": "doi_raw",
            "id": "source_key",
        },
        json.dumps({"id": "https://openalex.org/W1", "display_name": "Sorting Pebbles by Sound", "authorships": []}),
    ),
)
"""The shapes, the one that needs more before the one that needs less. A new shape is one entry here."""
