"""This module reads JSON documents that hold records, in every form that `json_outline` tells.

A part that may hold entries but is not read (objects that name no paper beside arrays that do) is one reject. A file is held
in memory as far as `json_window.WINDOW_BYTES` go; a longer array or object of records is read entry by entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import has_paper_columns
from transforms.readers.json_outline import Outline, outline
from transforms.readers.json_reading import DocumentReading
from transforms.readers.json_scan import members
from transforms.readers.json_window import Window
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import text_encoding

_FORMS = {
    "array": "array",
    "rows": "rows under a header",
    "keyed": "object by key",
    "columns": "columns",
    "record": "one object",
    "sequence": "objects one after the other",
}
"""What the form of a file is called, by the kind of its first part."""


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample begins a JSON document with objects whose names are those of papers."""
    document = None if sample.text is None else outline(sample.text)
    if document is None or sample.text is None:
        return Sniff(0.0, "it does not begin with [ or {")
    parts = document.read_parts
    if not parts:
        return Sniff(0.0, "JSON, but no objects with a name for titles, abstracts or identifiers")
    if sample.text[document.start] == "{" and _may_be_lines(sample.text, document):
        return Sniff(0.1, "one object on the first line, and more after it")
    places = ", ".join(part.pointer or "the document" for part in parts)
    return Sniff(0.9 if parts[0].kind in ("record", "sequence") else 0.95, f"{_FORMS[parts[0].kind]}: papers in {places}")


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The objects as records; what is broken, and what is no object, is a reject.

    The locator is a JSON pointer; of a document that is one record itself it is `document`, as its pointer is empty.

    Raises:
        ReadError: `binary` or `bad_encoding`, where it is no text; `broken_json`, where it is one record and broken;
            `not_a_paper_list`, where no names of papers' columns are found; `document_too_large`.
    """
    encoding = text_encoding(raw_file.path)
    with raw_file.path.open("rb") as file:
        window = Window(file, raw_file, encoding)
        reading = DocumentReading(window, BatchBuilder(Mapper(given=raw_file.columns)))
        number, document = 1, _outline(window, 0)
        if document is None or not document.read_parts:
            raise ReadError(
                "not_a_paper_list",
                f"expected JSON with objects that name a title, an abstract or an identifier; found {window.text[:100]!r}",
            )
        form = _FORMS[document.read_parts[0].kind]
        end = 0
        while document is not None:
            reading.context = document.context
            reading.position = document.start
            for part in document.parts:
                yield from reading.read(part)
            is_open = document.end is None or any(part.end is None for part in document.parts)
            end = reading.position if is_open else max(reading.position, document.end or 0)
            if document.end is None and (more := _MORE_MEMBERS.match(window.text, end)):
                # The document went beyond the window: what follows is read as an object of its own.
                window.text, end = "{" + window.text[more.end() :], 0
            else:
                number += 1
                reading.prefix = f"document {number} "
                end = _next_document(window, end)
            document = _outline(window, end)
            document = document if document and document.read_parts else None
        reading.prefix = ""
        reading.add_rest(end)
    yield reading.take(form=form, encoding=encoding.name)


def _may_be_lines(text: str, document: Outline) -> bool:
    """Whether an object that names a paper stands on one line, and others on the lines after it, or beyond the sample."""
    names = [member.name for member in members(text, document.start)]
    end = len(text) if document.end is None else document.end
    if not has_paper_columns(names) or _LINE_END.search(text, document.start, end):
        return False
    if document.end is None:
        return document.read_parts[0].kind in ("record", "columns")
    return bool(_NEXT_LINE.match(text, end))


def _outline(window: Window, position: int) -> Outline | None:
    """The outline of the document at `position`; where the window cuts it in a part that is not read, of all of it."""
    document = outline(window.text, position)
    if document is None or window.is_whole or document.end is not None:
        return document
    last = document.parts[-1] if document.parts else None
    if last is None or last.end is not None or last.kind in ("unread", "lone", "columns", "record"):
        window.read_all()
        return outline(window.text, position)
    return document


def _next_document(window: Window, end: int) -> int:
    """Where to look for the next document after the one that ends at `end`."""
    if not window.is_whole and len(window.text) - end < window.ahead_characters:
        window.advance(end)
        end = 0
    found = _NEXT.match(window.text, end)
    return found.end() if found else end


_LINE_END = re.compile(r"[\r\n]")
_NEXT_LINE = re.compile(r"[ \t,;]*+[\r\n][\s,;]*+\{")
_NEXT = re.compile(r"[\s,;\])}]*+(?=[\[{])")
_MORE_MEMBERS = re.compile(r'[\s\]}]*+,\s*+(?=")')


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
