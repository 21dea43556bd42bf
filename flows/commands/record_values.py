"""This module tells what a record says of a field, as its source gives it: from its raw JSON text and its file's column map."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transforms.readers.shapes_paths import CONVERSIONS, value_at

Column = tuple[str, str]
"""A column of a file as `column_map` names it, and the field it fills."""

_SHOWN: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "authors": ("authors", "author_names"),
    "venue": ("venue", "tags"),
    "year": ("year", "date", "tags"),
    "volume": ("volume",),
    "number": ("number",),
    "pages": ("pages",),
    "abstract": ("abstract",),
    "decision": ("decision", "tags"),
    "type": ("type",),
    "publisher": ("publisher",),
    "keywords": ("keywords",),
    "url": ("url", "urls"),
    "pdf_url": ("pdf_url",),
}
"""What is told of a record, and the fields it is in, the first that is filled."""

_IDENTIFIERS = {"doi": "doi", "arxiv_id": "arxiv", "openreview_id": "openreview", "pmid": "pmid", "acl_id": "acl", "url": "url"}

_CONDITION = re.compile(r"(.+)\[([\w:-]+)=([^\]]*)\]")
_YEAR = re.compile(r"\b(?:1[6-9]|20)[0-9]{2}\b")
_DATE_CHARACTERS = 10
_JOINTS = (" - ", " + ")


def record_values(raw: str, columns: Sequence[Column]) -> dict[str, str]:
    """What a record says of each field of its paper, and of its identifiers; "" where it says nothing.

    >>> columns = [("content.title|value", "title"), ("content.authors|value", "authors"), ("id", "openreview_id")]
    >>> raw = '{"id": "Xy1", "content": {"title": {"value": "Warm ice"}, "authors": {"value": ["A Lee", "B Ng"]}}}'
    >>> {name: text for name, text in record_values(raw, columns).items() if text}
    {'title': 'Warm ice', 'authors': 'A Lee; B Ng', 'identifiers': 'openreview Xy1'}
    """
    given = json.loads(raw)
    texts: dict[str, list[str]] = {}
    for name, field in columns:
        text = "; ".join(filter(None, map(_text, _values(given, name))))
        if text and text not in texts.setdefault(field, []):
            texts[field].append(text)
    said = {what: next((texts[field][0] for field in fields if texts.get(field)), "") for what, fields in _SHOWN.items()}
    if texts.get("pages"):
        said["pages"] = "-".join(texts["pages"])  # the first and the last page, where a source has a column for each
    if len(said["year"]) > _DATE_CHARACTERS and (year := _YEAR.search(said["year"])):
        said["year"] = year[0]  # it stands in a text, as in "ICLR 2031 poster"
    named = [f"{scheme} {text}" for field, scheme in _IDENTIFIERS.items() for text in texts.get(field, [])]
    return {**said, "identifiers": "; ".join(named)}


def _values(given: Mapping[str, Any], name: str) -> list[object]:
    """What a record has in a column: as reading would convert it, where that is so simple that it is told from the JSON text.

    >>> cell = {"author": "Ann Lee, Bo Li The European Conference on Warm Rivers (WR), 2031, pp. 4-9"}
    >>> _values(cell, "author|before_citation"), _values(cell, "author|citation_pages"), _values({"a": "4"}, "a|address")
    (['Ann Lee, Bo Li'], ['4-9'], [])
    >>> _values({"first": "4", "last": "9"}, "first - last")
    ['4-9']
    """
    place, _, conversion = name.partition("|")
    found = list(_at(given, place))
    if conversion in CONVERSIONS or any(joint in place for joint in _JOINTS):
        converted = value_at(given, name)
        if converted not in (None, "", []):
            return [converted]
        if all(isinstance(value, str) for value in found):
            return []
    return found


def _at(value: object, path: str) -> Iterator[object]:
    """What stands at a path of names with dots between them, of which each may have dots of its own."""
    if isinstance(value, list):
        for member in value:
            yield from _at(member, path)
    elif isinstance(value, Mapping):
        if path in value:
            yield value[path]
            return
        cuts = [place for place, character in enumerate(path) if character == "."]
        for cut in (*cuts, len(path)):
            name, rest = path[:cut], path[cut + 1 :]
            condition = _CONDITION.fullmatch(name)
            members = value.get(condition[1] if condition else name)
            if members is None:
                continue
            if condition:
                listed = members if isinstance(members, list) else [members]
                members = [m for m in listed if isinstance(m, Mapping) and m.get(f"@{condition[2]}") == condition[3]]
            yield from _at(members, rest) if rest else [members]
            return


def _text(value: object) -> str:
    """A value as text: of an object its own text, else its parts in order; lists with semicolons.

    >>> _text([{"given": "Hana", "family": "Sato"}, {"@n": "1", "#text": "Bao Trinh"}])
    'Hana Sato; Bao Trinh'
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value)))
    if isinstance(value, Mapping):
        for name in ("value", "#text", "name", "display_name"):
            if value.get(name):
                return _text(value[name])
        return " ".join(filter(None, (_text(part) for name, part in value.items() if not name.startswith("@"))))
    return str(value)
