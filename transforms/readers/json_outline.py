"""This module tells where the records of a JSON document stand, and which parts of it hold objects but no papers.

[{…}, {…}]                                      an array of records
{"message": {"items": [{…}]}}                   arrays some objects deep
{"2101.00001": {…}, "2101.00002": {…}}          records by key
{"title": ["A", "B"], "year": [2020, 2021]}     columns, as lists or (pandas) as objects by row
[["title", "year"], ["A", 2020]]                rows under a header; or the header in one array, the rows in another
{…}                                             one record
{…} {…}                                         records one after the other
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from transforms.readers.base import ReadError
from transforms.readers.columns import column_map, has_paper_columns
from transforms.readers.field_values import map_fields
from transforms.readers.json_scan import Member, count_values, elements, holds_object, members, value_end
from transforms.readers.json_values import JsonDecoder
from transforms.readers.shapes import find_shape

_LEVELS = 6
"""How many objects deep records are looked for. Lists by conference, year and track are three deep."""

_OTHER_PAPERS = frozenset(
    {"reference", "references", "citations", "citedby", "cited_by", "related", "versions", "bibliography", "relateditems"}
)
"""Arrays in a paper that list other papers; without them a paper with its references would be read as its references."""

_ENTITY = frozenset({"claims", "labels"})
"""Names of an entity of Wikidata, whose title is its own identifier."""

_DESCRIPTIONS = frozenset({"collections", "facets", "features", "fields", "messages", "schema"})
"""Objects that describe a list though they are many: Zotero's folders, the columns of a dataset, messages of a service."""

_TELLING_FIELDS = frozenset(
    {"title_raw", "authors_raw", "abstract_raw", "doi_raw", "arxiv_id_raw", "openreview_id_raw", "pmid_raw", "acl_id_raw"}
)
_MAX_LOOKED_AT = 100
"""How many members of an object are looked at to tell whether it is one of papers by key."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: records, or something that is not read, with what is wrong with it.

    It has its JSON pointer, the name it is the value of, and where it begins and ends; `end` is None where the text ends
    before. `kind` is `array`, `rows`, `keyed`, `columns`, `record`, `sequence`, or not read: `unread`, or `lone`, an object
    that is a paper though no list. `header` are the names of rows.
    """

    pointer: str
    name: str
    start: int
    end: int | None
    kind: str = "array"
    header: tuple[str, ...] = ()
    reason: str = ""
    message: str = ""

    @property
    def is_read(self) -> bool:
        """Whether it holds records."""
        return self.kind not in ("unread", "lone")


@dataclass(frozen=True, slots=True)
class Outline:
    """Where a document begins and ends, its parts, and the fields that it gives for all records in it."""

    start: int
    end: int | None
    parts: tuple[Part, ...]
    context: Mapping[str, object]

    @property
    def read_parts(self) -> list[Part]:
        """The parts that hold records."""
        return [part for part in self.parts if part.is_read]


def outline(text: str, position: int = 0) -> Outline | None:
    """Where the records of the JSON document stand that begins at `position`, None where none begins.

    A JavaScript assignment or call around a document is passed over.

    >>> [(part.pointer, part.kind) for part in outline('{"n": 1, "a": [{"title": "A"}], "b": [{"id": 7}]}').parts]
    [('/a', 'array'), ('/b', 'unread')]
    """
    begin = _BEGIN.match(text, position)
    if begin is None:
        return None
    start = begin.end() - 1
    end = value_end(text, start)
    if text[start] == "[":
        return Outline(start, end, tuple(_array_parts(text, Member("", start, end), "", _LEVELS)), {})
    inner = list(members(text, start))
    parts = tuple(_object_parts(text, Member("", start, end), inner, "", _LEVELS))
    lone = [part for part in parts if part.kind == "lone"]
    if len(lone) == 1 and not any(part.is_read for part in parts):
        # A service's answer about one paper: {"status": "ok", "message": {…}}.
        parts = tuple(replace(part, kind="record", reason="", message="") if part is lone[0] else part for part in parts)
    if parts and parts[0].kind == "record" and end is not None and text[end:].lstrip(SEPARATORS).startswith("{"):
        parts = (Part("", "", start, None, "sequence"),)
    return Outline(start, end, parts, _context(text, inner))


def names_paper(names: list[str]) -> bool:
    """Whether an object with these names is a paper."""
    return has_paper_columns(names) and not _ENTITY.issubset(names)


def _object_parts(text: str, place: Member, inner: list[Member], pointer: str, levels: int) -> Iterator[Part]:
    """The parts of an object that has the members `inner`."""
    if _is_columns(text, inner):
        yield Part(pointer, place.name, place.start, place.end, "columns")
        return
    if _is_keyed(text, inner):
        yield Part(pointer, place.name, place.start, place.end, "keyed")
        return
    parts = [*_rows_parts(text, inner, pointer)] or [*_member_parts(text, inner, pointer, levels)]
    others = all(part.name.casefold() in _OTHER_PAPERS for part in parts if part.is_read)
    if others and names_paper([member.name for member in inner]):
        yield Part(pointer, place.name, place.start, place.end, "record")
        return
    yield from parts
    last = inner[-1].end if inner else place.start + 1
    if place.end is not None and last is not None and not _CLOSING.match(text, last):
        message = "expected a name and a value, or the end of the object"
        yield Part(pointer, "", last, place.end - 1, "unread", reason="broken_json", message=message)


def _member_parts(text: str, inner: list[Member], pointer: str, levels: int) -> Iterator[Part]:
    for member in inner:
        place = pointer + pointer_step(member.name)
        if text[member.start] == "[":
            yield from _array_parts(text, member, place, levels - 1)
        elif text[member.start] == "{":
            yield from _nested_parts(text, member, place, levels - 1)


def _array_parts(text: str, member: Member, pointer: str, levels: int) -> Iterator[Part]:
    """An array as a part where it holds records, or objects that are none; else what parts the arrays in it have."""
    if header := _header(text, member.start):
        yield Part(pointer, member.name, member.start, member.end, "rows", header)
    elif _has_papers(text, member.start):
        yield Part(pointer, member.name, member.start, member.end)
    elif parts := _page_parts(text, member, pointer, levels):
        yield from parts
    elif pointer and holds_object(text, member.start, len(text) if member.end is None else member.end):
        yield from _unread(pointer, member, "an array of objects without a name for titles, abstracts or identifiers")


def _page_parts(text: str, member: Member, pointer: str, levels: int) -> list[Part]:
    """The parts of an array of arrays of records, such as pages of results; none where it holds anything else."""
    pages = list(elements(text, member.start)) if levels and _ROWS.match(text, member.start) else []
    if any(text[start] != "[" for start, _ in pages):
        return []
    places = (Member(member.name, start, end) for start, end in pages)
    parts = [part for n, page in enumerate(places) for part in _array_parts(text, page, f"{pointer}/{n}", levels - 1)]
    return parts if any(part.is_read for part in parts) else []


def _nested_parts(text: str, member: Member, pointer: str, levels: int) -> Iterator[Part]:
    """The parts of an object in the document where records are among them, else itself where it may hold any."""
    end = len(text) if member.end is None else member.end
    if levels == 0:
        if holds_object(text, member.start, end):
            yield from _unread(pointer, member, f"objects nested more than {_LEVELS} deep")
        return
    inner = list(members(text, member.start))
    parts = list(_object_parts(text, member, inner, pointer, levels))
    if any(part.kind == "record" for part in parts):
        # Beside records it may describe the list, such as the journal that they stand in.
        kind = "lone" if _is_sure([name.name for name in inner]) else "unread"
        yield from _unread(pointer, member, "one object that names a paper", kind)
    elif any(part.is_read for part in parts) or [part.kind for part in parts] == ["lone"]:
        yield from parts
    elif parts or (inner and all(text[value.start] == "{" for value in inner)):
        yield from _unread(pointer, member, "an object of objects, of which none is in an array of records")


def _rows_parts(text: str, inner: list[Member], pointer: str) -> Iterator[Part]:
    """Rows of values, where one array holds their names and another one the rows: pandas' `columns` and `data`."""
    arrays = [member for member in inner if text[member.start] == "["]
    headers = [names for member in arrays if (names := _texts(text, member)) and has_paper_columns(list(names))]
    for member in arrays if headers else ():
        if _ROWS.match(text, member.start):
            place = pointer + pointer_step(member.name)
            yield Part(place, member.name, member.start, member.end, "rows", headers[0])


def _is_columns(text: str, inner: list[Member]) -> bool:
    """Whether an object's members are the columns of a table: lists of one length, or objects with the same row names."""
    if not inner or not has_paper_columns([member.name for member in inner]):
        return False
    if all(text[member.start] == "[" for member in inner):
        if not any(_SCALARS.match(text, member.start) for member in inner if has_paper_columns([member.name])):
            return False
        return len({count_values(text, member.start + 1, member.end - 1) for member in inner if member.end}) == 1
    if not all(text[member.start] == "{" for member in inner):
        return False
    rows = {tuple(row.name for row in members(text, member.start)) for member in inner if member.end}
    return len(rows) == 1 and all(name.isdecimal() for name in next(iter(rows)) or ("",))


def _is_keyed(text: str, inner: list[Member]) -> bool:
    """Whether an object's members are papers by their keys; a single one must be a paper beyond doubt."""
    if not inner or any(text[member.start] == "[" for member in inner):
        return False
    objects = [member for member in inner if text[member.start] == "{"]
    if len(objects) < len(inner) and has_paper_columns([member.name for member in inner]):
        return False
    if 4 * len(objects) < 3 * len(inner):
        return False
    looked_at = [[name.name for name in members(text, member.start)] for member in objects[:_MAX_LOOKED_AT]]
    papers = [names for names in looked_at if names_paper(names)]
    if 2 * len(papers) < len(looked_at) or not papers:
        return False
    return len(papers) > 1 or (_is_sure(papers[0]) and len(inner) == 1)


def _is_sure(names: list[str]) -> bool:
    """Whether an object with these names is a paper beyond doubt: it has two of what tells one, or a known shape."""
    fields = {field for field in column_map(names).values() if field in _TELLING_FIELDS}
    return len(fields) > 1 or find_shape(names) is not None


def _header(text: str, start: int) -> tuple[str, ...]:
    """The names that the first row of an array of rows gives; none where it is no such array."""
    if not _ROWS.match(text, start):
        return ()
    first = text.index("[", start + 1)
    names = _texts(text, Member("", first, value_end(text, first)))
    return names if has_paper_columns(list(names)) else ()


def _texts(text: str, member: Member) -> tuple[str, ...]:
    """The texts in an array of nothing else."""
    if member.end is None or member.end - member.start > _MAX_HEADER_CHARACTERS or not _TEXTS.match(text, member.start):
        return ()
    try:
        value, _ = JsonDecoder().decode(text, member.start)
    except ReadError:
        return ()
    return tuple(map(str, value)) if isinstance(value, list) and all(isinstance(name, str) for name in value) else ()


def _unread(pointer: str, member: Member, found: str, kind: str = "unread") -> Iterator[Part]:
    if member.name in _DESCRIPTIONS:
        return
    message = f"expected arrays of records beside the ones that were read, found {found}"
    yield Part(pointer, member.name, member.start, member.end, kind, reason="unread_part", message=message)


def pointer_step(name: str) -> str:
    """One step of a JSON pointer.

    >>> pointer_step("by/track")
    '/by~1track'
    """
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def _has_papers(text: str, start: int) -> bool:
    """Whether any object in the array that begins at `start` names what tells a paper."""
    seen: set[str] = set()
    for begin, _ in elements(text, start):
        if text[begin] != "{":
            continue
        names = [member.name for member in members(text, begin)]
        if not seen.issuperset(names):
            if names_paper(names):
                return True
            seen.update(names)
    return False


def _context(text: str, inner: list[Member]) -> dict[str, object]:
    """The venue and year that an object around the arrays gives for all of them."""
    own = {member.name: text[member.start : member.end] for member in inner if text[member.start] not in "[{"}
    columns = {name: field for name, field in column_map(list(own)).items() if field in ("venue_raw", "year_raw")}
    values: dict[str, object] = {}
    for name in columns:
        try:
            values[name] = JsonDecoder().decode(own[name])[0]
        except ReadError:
            continue
    return map_fields(values, columns)


SEPARATORS = " \t\r\n\x1e,;"
"""What may stand between documents: white space, the record separator of JSON text sequences, a comma or semicolon."""

_MAX_HEADER_CHARACTERS = 100_000
_BEGIN = re.compile(
    r"[\s\ufeff\x1e]*+"
    r"(?:export\s++default\s++|(?:(?:var|let|const)\s++)?[\w$]++(?:\.[\w$]++)*+\s*+(?:=\s*+\(?+|\()\s*+)?"
    r"[\[{]"
)
_CLOSING = re.compile(r"[\s,]*+\}")
_ROWS = re.compile(r"\[\s*+\[")
_TEXTS = re.compile(r'\[\s*+"')
_SCALARS = re.compile(r'\[\s*+(?:"|null|\])')
