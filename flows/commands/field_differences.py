"""This module finds where the records of a paper say something else of a field than the record it was taken from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.commands.record_values import record_values
from warehouse.paper_pages import PaperPage

FIELDS = (
    "title",
    "authors",
    "venue",
    "year",
    "decision",
    "type",
    "volume",
    "number",
    "pages",
    "publisher",
    "keywords",
    "url",
    "pdf_url",
    "abstract",
)
"""The fields of a paper that its records give, in the order in which they are shown."""

_ADDRESS_BEGINS = re.compile(r"https?://(?:www\.)?")
_WORD = re.compile(r"\w+")
_LISTS = ("authors", "keywords")
_IN_A_TEXT = ("year", "decision")
"""Fields that sources also give within a text that says more: "ICLR 2031,Poster"."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value as some records give it, which differs from that of the paper; `records` are their places in the page, from 0."""

    given: str
    records: tuple[int, ...]


def field_differences(page: PaperPage) -> dict[str, list[Difference]]:
    """For each field of the paper what the other records say where they differ, as they give it; fields without are left out.

    What differs only in letter case, accents, punctuation, or the order of a list's words, is the same. A field that the
    paper has no value for can have values too: those that cleaning did not take.
    """
    given = [record_values(record["raw"], page.columns.get(record["file_sha256"], ())) for record in page.records]
    places = {record["record_id"]: place for place, record in enumerate(page.records)}
    found: dict[str, list[Difference]] = {}
    for field in FIELDS:
        origin = places.get(page.origins.get(field, ""))
        taken = [_text(page.paper[field]), "" if origin is None else given[origin][field]]
        others = [(place, values[field]) for place, values in enumerate(given) if place != origin and values[field]]
        if differences := _differences(field, taken, others):
            found[field] = differences
    return found


def _differences(field: str, taken: Sequence[str], others: Sequence[tuple[int, str]]) -> list[Difference]:
    """The values that are none of those taken, each once, in the form in which it comes first."""
    known = {_same_key(field, text) for text in taken if text}
    by_key: dict[str, tuple[str, list[int]]] = {}
    for place, text in others:
        key = _same_key(field, text)
        if key in known or (field in _IN_A_TEXT and taken[0] and _words(taken[0]) <= _words(text)):
            continue
        by_key.setdefault(key, (text, []))[1].append(place)
    return [Difference(text, tuple(records)) for text, records in by_key.values()]


def _same_key(field: str, text: str) -> str:
    """What is equal for values that count as the same.

    >>> _same_key("authors", "Åse Berg; Li Wei") == _same_key("authors", "Berg, Ase and Wei, Li")
    True
    >>> _same_key("title", "Warm ice") == _same_key("title", "Ice, warm")
    False
    >>> _same_key("url", "https://www.example.org/a/") == _same_key("url", "http://example.org/a")
    True
    """
    if field in _LISTS:
        return " ".join(sorted(_word_list(text.replace(" and ", " "))))
    return " ".join(_word_list(_ADDRESS_BEGINS.sub("", text)))


def _words(text: str) -> set[str]:
    return set(_word_list(text))


def _word_list(text: str) -> list[str]:
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return _WORD.findall(plain.casefold())


def _text(value: object) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return "" if value is None else str(value)


def page_values(page: PaperPage) -> Mapping[str, str]:
    """The filled fields of the paper as text."""
    return {field: text for field in FIELDS if (text := _text(page.paper[field]))}
