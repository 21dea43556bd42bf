"""This module reads JSON documents that hold records: an array, an object around arrays, or one object that is a record.

    [{…}, {…}]        {"papers": [{…}, {…}]}        {"year": 2024, "tracks": {"main": [{…}], "short": [{…}]}}        {…}

A part that may hold entries but is not read (objects that name no paper beside arrays that do) is one reject.
Broken JSON costs the entry it stands in: reading goes on where the next entry can be told. The entries are counted by
`json_scan`, which knows only brackets and quotes, over each stretch that was read whole; what is broken counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import has_paper_columns
from transforms.readers.decoding import decode
from transforms.readers.json_outline import Part, outline
from transforms.readers.json_scan import count_values, value_end
from transforms.readers.json_values import JsonDecoder
from transforms.readers.mapping import Mapper

_MAX_BROKEN = 100
"""How many broken entries are read around; each costs a look at up to `_MAX_CANDIDATES` places where the next may begin."""

_MAX_CANDIDATES = 200
_ENTRY_CHARACTERS = 2**20
"""Longest entry that is recognised after a broken one."""


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample begins a JSON document with objects whose names are those of papers."""
    document = None if sample.text is None else outline(sample.text)
    if document is None or sample.text is None:
        return Sniff(0.0, "it does not begin with [ or {")
    end = value_end(sample.text, document.start)
    if end is not None and sample.text[end:].lstrip().startswith("{"):
        return Sniff(0.1, "more objects follow the first")
    if document.is_record:
        if not sample.is_whole and not _LINE_END.search(sample.text, document.start, end or len(sample.text)):
            return Sniff(0.1, "one object on the first line, and perhaps more after the sample")
        return Sniff(0.9, "one object that is a record")
    if document.arrays:
        places = ", ".join(place.pointer or "the document" for place in document.arrays)
        return Sniff(0.95, f"objects with names of papers' columns in {places}")
    return Sniff(0.0, "JSON, but no objects with a name for titles, abstracts or identifiers")


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The objects as records; what is broken, and what is no object, is a reject.

    The locator is a JSON pointer; of a document that is one record itself it is `document`, as its pointer is empty.

    Raises:
        ReadError: `binary` or `bad_encoding`, where it is no text; `broken_json`, where it is one record and broken;
            `not_a_paper_list`, where no names of papers' columns are found.
    """
    decoded = decode(raw_file.whole_bytes())
    text = decoded.text
    document = outline(text)
    if document is None or not (document.is_record or document.arrays):
        raise ReadError(
            "not_a_paper_list",
            f"expected JSON with objects that name a title, an abstract or an identifier; found {text[:100]!r}",
        )
    reading = _Reading(text, document.context, BatchBuilder(Mapper(given=raw_file.columns)))
    if document.is_record:
        end = reading.add_document(document.start)
    else:
        end = document.start
        for part in document.parts:
            if part.is_read:
                yield from reading.read_array(part)
                end = reading.position
            else:
                end = reading.add_unread(part)
        if text[document.start] == "{":
            end = max(value_end(text, document.start) or 0, end)
    reading.add_rest(end)
    form = "one object" if document.is_record else "array"
    yield reading.take(form=form, encoding=decoded.encoding)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of an array: its place in the text, and its value, or what is wrong with it."""

    start: int
    end: int
    value: object = None
    reason: str = ""
    message: str = ""


@dataclass
class _Reading:
    """A document being read: what was collected, how many entries were counted, and up to where."""

    text: str
    context: Mapping[str, object]
    builder: BatchBuilder
    position: int = 0
    counted: int = 0
    decoder: JsonDecoder = field(default_factory=JsonDecoder)

    def take(self, *, form: str | None = None, encoding: str | None = None) -> Batch:
        """What was collected since the last time."""
        counted, self.counted = self.counted, 0
        return self.builder.take(entries_counted=counted, form=form, encoding=encoding)

    def add_document(self, start: int) -> int:
        """Adds the whole document as one record, and gives where it ends.

        Raises:
            ReadError: `broken_json` or `too_deep`.
        """
        value, end = self.decoder.decode(self.text, start)
        self._add(_Entry(start, end, value), "document")
        self.counted += count_values(self.text, start, end)
        return end

    def read_array(self, place: Part) -> Iterator[Batch]:
        """Adds the entries of an array, and leaves `position` at its end."""
        stretch: tuple[int, int] | None = None
        for index, entry in enumerate(self._entries(place.start + 1)):
            self._add(entry, f"{place.pointer}/{index}")
            if entry.reason:
                self._count(stretch)
                stretch, self.counted = None, self.counted + 1
            else:
                stretch = (stretch[0] if stretch else entry.start, entry.end)
            if self.builder.is_full:
                self._count(stretch)
                stretch = None
                yield self.take()
        self._count(stretch)

    def add_unread(self, part: Part) -> int:
        """Adds a part that is not read as one reject, and gives where it ends."""
        end = len(self.text) if part.end is None else part.end
        self.builder.reject(part.reason, part.message, text=self.text[part.start : end], locator=part.pointer or "document")
        self.counted += 1
        return end

    def add_rest(self, end: int) -> None:
        """Adds what follows the document as a reject."""
        rest = self.text[end:]
        if rest.strip(" \t\r\n]}\ufeff"):
            self.builder.reject("broken_json", "text after the end of the document", text=rest, locator=f"character {end + 1}")
            self.counted += 1

    def _count(self, stretch: tuple[int, int] | None) -> None:
        if stretch:
            self.counted += count_values(self.text, *stretch)

    def _add(self, entry: _Entry, locator: str) -> None:
        if isinstance(entry.value, dict):
            raw_text = self.decoder.text_of(entry.value)
            self.builder.record(entry.value, locator=locator, context=self.context, raw_text=raw_text)
            return
        reason = entry.reason or "not_an_object"
        message = entry.message or f"expected an object, found {type(entry.value).__name__}"
        self.builder.reject(reason, message, text=self.text[entry.start : entry.end], locator=locator)

    def _entries(self, start: int) -> Iterator[_Entry]:
        """The entries of the array whose first entry begins at or after `start`; those that are broken too."""
        names: frozenset[str] = frozenset()
        self.position, broken_count = start, 0
        while (begin := _next_entry(self.text, self.position)) is not None:
            entry = self._decoded(begin)
            if entry.reason:
                broken_count += 1
                entry = self._recovered(entry, names) if broken_count <= _MAX_BROKEN else _broken(entry, len(self.text))
            elif isinstance(entry.value, dict):
                names = names or frozenset(entry.value)
            self.position = entry.end
            yield entry

    def _decoded(self, start: int) -> _Entry:
        try:
            value, end = self.decoder.decode(self.text, start)
        except ReadError as error:
            return _Entry(start, start, None, error.reason, str(error))
        if not isinstance(value, (dict, list, str)) and _WORD.match(self.text, end):
            return _Entry(start, start, None, "broken_json", "a word that is no JSON value")
        return _Entry(start, end, value)

    def _recovered(self, broken: _Entry, names: frozenset[str]) -> _Entry:
        """The entry read more leniently, or else the broken entry up to where the next one begins."""
        is_container = self.text[broken.start] in "[{"
        end = value_end(self.text, broken.start) if is_container else None
        if end is not None and broken.reason == "broken_json":
            lenient = JsonDecoder(is_strict=False)
            try:
                value, lenient_end = lenient.decode(self.text, broken.start)
            except ReadError:
                lenient_end = -1
            if lenient_end == end:
                # Control characters in strings: a file that has them once has them often.
                self.decoder = lenient
                return _Entry(broken.start, end, value)
        following = self._following(broken.start + 1, end or len(self.text), names)
        return _broken(broken, following or end or len(self.text))

    def _following(self, start: int, end: int, names: frozenset[str]) -> int | None:
        """Where, before `end`, an object begins that is like the entries before; what is nested in them is not."""
        for count, candidate in enumerate(_CANDIDATE.finditer(self.text, start, end)):
            if count == _MAX_CANDIDATES:
                break
            begin = candidate.end() - 1
            try:
                value, _ = self.decoder.decode(self.text[begin : begin + _ENTRY_CHARACTERS])
            except ReadError:
                continue
            if isinstance(value, dict) and _is_alike(frozenset(value), names):
                return begin
        return None


_LINE_END = re.compile(r"[\r\n]")
_WORD = re.compile(r'[^\s{}\[\]",:]')
_CANDIDATE = re.compile(r"[,\n\]}]\s*+\{")
_BETWEEN = re.compile(r"[\s,]*+")


def _next_entry(text: str, position: int) -> int | None:
    """Where the next entry of an array begins, None at the end of the array or of the text."""
    between = _BETWEEN.match(text, position)
    start = between.end() if between else position
    return None if start == len(text) or text[start] == "]" else start


def _broken(entry: _Entry, end: int) -> _Entry:
    return _Entry(entry.start, end, None, entry.reason, entry.message)


def _is_alike(found: frozenset[str], names: frozenset[str]) -> bool:
    """Whether an object is like an entry: half of the names are shared, or it names a paper where no entry is known."""
    if not names:
        return has_paper_columns(list(found))
    return 2 * len(found & names) >= len(found | names)


READER = Reader(
    name="json_records",
    meaning="JSON: an array of objects, an object around such arrays, or one object",
    has_spans=False,
    example="""\
{"conference": "ICLR", "year": 2024, "papers": [
  {"id": "p1", "title": "Sorting Pebbles by Sound", "authors": ["Ann Lee", "Bo Li"]},
  {"id": "p2", "title": "Tides, Locks and Ferries", "authors": ["Cy Dow"]}
]}
""",
    sniff=sniff,
    read=read,
)
