"""This module gives the references of a Citavi project the names that stand elsewhere in it: people, groups and journals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from transforms.readers.xml_entries import Vocabulary
from transforms.readers.xml_paths import CONVERSIONS, text_of

NAMES = Vocabulary(
    ("Person", "Periodical", "OnetoN"),
    (),
    ("ReferenceAuthors", "ReferenceOrganizations", "ReferenceEditors", "ReferenceCollaborators", "ReferencePublishers"),
)
"""The elements that are read before the references: `OnetoN` is the key of a reference and those of its people."""

_OF_AUTHORS = ("ReferenceAuthors", "ReferenceOrganizations")


def citavi_names(elements: Iterable[tuple[str, object]]) -> dict[str, object]:
    """The journals by key, and the authors by the key of their reference: groups only where there are no people.

    >>> ann = ("Person", {"@id": "p", "LastName": "Lee", "FirstName": "Ann"})
    >>> citavi_names([ann, ("ReferenceAuthors", {}), ("OnetoN", "r;p")])["r"]
    ['Lee, Ann']
    """
    names: dict[str, object] = {}
    authors: dict[str, dict[str, list[str]]] = {part: {} for part in _OF_AUTHORS}
    part = ""
    for element, value in elements:
        if element in NAMES.marks:
            part = element
        elif element == "OnetoN" and part in authors:
            reference, *keys = text_of(value).strip().split(";")
            authors[part].setdefault(reference, []).extend(name for key in keys if isinstance(name := names.get(key), str))
        elif isinstance(value, Mapping) and element != "OnetoN":
            given = {"given": value.get("FirstName"), "family": value.get("LastName"), "Middle": value.get("MiddleName")}
            name = CONVERSIONS["person"](given) if element == "Person" else text_of(value.get("Name"))
            names[str(value.get("@id", ""))] = name
    for part in reversed(_OF_AUTHORS):
        names |= {reference: found for reference, found in authors[part].items() if found}
    return names


def citavi_fields(raw: Mapping[str, object], context: Mapping[str, object]) -> dict[str, object]:
    """The authors and the journal of a reference."""
    names = context.get("names")
    if not isinstance(names, Mapping):
        return {}
    found = {"author_names_raw": names.get(raw.get("@id")), "venue_raw": names.get(text_of(raw.get("PeriodicalID")))}
    return {field: value for field, value in found.items() if value}
