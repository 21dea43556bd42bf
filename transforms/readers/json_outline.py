"""This module tells where the records of a JSON document stand, and which parts of it hold objects but no papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from transforms.readers.base import ReadError
from transforms.readers.columns import column_map, has_paper_columns
from transforms.readers.field_values import map_fields
from transforms.readers.json_scan import Member, holds_object, members, object_starts, value_end
from transforms.readers.json_values import JsonDecoder

_LEVELS = 2
"""How many objects deep an array is looked for. Lists by track or by year are two deep."""

_OTHER_PAPERS = frozenset({"references", "citations", "citedby", "cited_by", "related", "versions", "bibliography"})
"""Arrays in a paper that list other papers; without them a paper with its references would be read as its references."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document: an array of records, or one that is not read, with what is wrong with it.

    It has its JSON pointer, the name it is the value of, and where it begins and ends; `end` is None where the text ends
    before.
    """

    pointer: str
    name: str
    start: int
    end: int | None
    reason: str = ""
    message: str = ""

    @property
    def is_read(self) -> bool:
        """Whether it is an array of records."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Outline:
    """Where the records of a document stand: in parts of it, or (`is_record`) it is one itself."""

    start: int
    parts: tuple[Part, ...]
    is_record: bool
    context: Mapping[str, object]

    @property
    def arrays(self) -> list[Part]:
        """The parts that are arrays of records."""
        return [part for part in self.parts if part.is_read]


def outline(text: str) -> Outline | None:
    """Where the records of a JSON text stand, None where it does not begin as JSON.

    >>> [(part.pointer, part.reason) for part in outline('{"n": 1, "a": [{"title": "A"}], "b": [{"id": 7}]}').parts]
    [('/a', ''), ('/b', 'unread_part')]
    """
    begin = _BEGIN.match(text)
    if begin is None:
        return None
    start = begin.end() - 1
    if text[start] == "[":
        return Outline(start, (Part("", "", start, None),) if _has_papers(text, start) else (), False, {})
    inner = list(members(text, start))
    parts = tuple(_parts(text, start, value_end(text, start), "", inner, _LEVELS))
    if _is_paper(inner, parts):
        return Outline(start, (), True, {})
    return Outline(start, parts, False, _context(text, inner))


def _parts(text: str, start: int, end: int | None, pointer: str, inner: list[Member], levels: int) -> Iterator[Part]:
    """The parts of the object that begins at `start`, which has the members `inner`."""
    for member in inner:
        place = f"{pointer}/{member.name.replace('~', '~0').replace('/', '~1')}"
        if text[member.start] == "[":
            yield from _array_part(text, member, place)
        elif text[member.start] == "{":
            yield from _object_parts(text, member, place, levels - 1)
    last = inner[-1].end if inner else start + 1
    if end is not None and last is not None and not _CLOSING.match(text, last):
        yield Part(pointer, "", last, end - 1, "broken_json", "expected a name and a value, or the end of the object")


def _array_part(text: str, member: Member, pointer: str) -> Iterator[Part]:
    if _has_papers(text, member.start):
        yield Part(pointer, member.name, member.start, member.end)
    elif holds_object(text, member.start, len(text) if member.end is None else member.end):
        yield _unread(pointer, member, "an array of objects without a name for titles, abstracts or identifiers")


def _object_parts(text: str, member: Member, pointer: str, levels: int) -> Iterator[Part]:
    """The parts of an object in the document where arrays of records are among them, else itself where it may hold any."""
    if levels == 0:
        if holds_object(text, member.start + 1, len(text) if member.end is None else member.end):
            yield _unread(pointer, member, f"objects nested more than {_LEVELS} deep")
        elif has_paper_columns([inner.name for inner in members(text, member.start)]):
            yield _unread(pointer, member, _LONE_RECORD)
        return
    inner = list(members(text, member.start))
    parts = list(_parts(text, member.start, member.end, pointer, inner, levels))
    if _is_paper(inner, parts):
        yield _unread(pointer, member, _LONE_RECORD)
    elif any(part.is_read for part in parts):
        yield from parts
    elif parts or (inner and all(text[value.start] == "{" for value in inner)):
        yield _unread(pointer, member, "an object of objects, of which none is in an array of records")


def _unread(pointer: str, member: Member, found: str) -> Part:
    message = f"expected arrays of records beside the ones that were read, found {found}"
    return Part(pointer, member.name, member.start, member.end, "unread_part", message)


def _is_paper(inner: list[Member], parts: tuple[Part, ...] | list[Part]) -> bool:
    """Whether an object with these members is a paper itself, whatever papers it refers to."""
    others = all(part.name.casefold() in _OTHER_PAPERS for part in parts if part.is_read)
    return others and has_paper_columns([member.name for member in inner])


def _has_papers(text: str, start: int) -> bool:
    """Whether any object in the array that begins at `start` names what tells a paper."""
    seen: set[str] = set()
    for begin in object_starts(text, start):
        new = {member.name for member in members(text, begin)} - seen
        if new and has_paper_columns(sorted(new)):
            return True
        seen |= new
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


_BEGIN = re.compile(r"[\s\ufeff]*+[\[{]")
_CLOSING = re.compile(r"[\s,]*+\}")
_LONE_RECORD = "one object that names a paper"
