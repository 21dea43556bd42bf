"""This module reads tagged text, in which a line begins with the tag of what it gives: RIS, EndNote, ISI, Medline and others.

    TY  - JOUR
    AU  - Lee, Ann
    TI  - Sorting Pebbles by Sound
    ER  -

One mechanism reads all dialects (`tagged_managers.py`, `tagged_databases.py`); each is a reader of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, Sample, Sniff, texts_json
from transforms.readers.decoding import LINE
from transforms.readers.limits import more_than
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import TextLine, text_encoding, text_lines
from transforms.readers.tagged_databases import COPAC, INSPEC, ISI, MEDLINE, OVID
from transforms.readers.tagged_dialect import Dialect
from transforms.readers.tagged_entries import MAX_ENTRY_LINES, SPACE, Entry, pieces
from transforms.readers.tagged_managers import BIBLIOSCAPE, ENDNOTE, NOTEEXPRESS, REFWORKS, RIS

_MIN_INSIDE_RATIO = 0.5
"""Least share of a sample's filled lines that stand in entries. Exports put a few lines between entries (`2.`,
`Record #2 of 2`); a page that shows an entry as an example is mostly other text."""

_JOINED_BY = {"keywords_raw": "; ", "abstract_raw": "\n"}
"""Fields of one text that all values of a repeated tag make up; of others the first filled one is taken."""

_MAX_HEAD_LINES = 1_000
_NUMBERING = re.compile(r"[\W\d_]*\Z")
_DIGITS = re.compile(r"\d+")


def sniff(sample: Sample, dialect: Dialect) -> Sniff:
    """How sure it is that the sample is a text of a dialect: its entries make up most of it."""
    # To a pattern a line begins after a \n alone, to old Macs after a \r.
    if sample.text is None or not dialect.hint.search(sample.text.replace("\r\n", "\n").replace("\r", "\n")):
        return Sniff(0.0, f"no line begins as one of {dialect.name} does")
    filled = inside = 0
    known: set[str] = set()
    for piece in pieces(dialect, _sample_lines(sample.text), 4 * len(sample.text)):
        if isinstance(piece, Entry):
            known |= {tag for tag, _ in piece.parts if dialect.knows(tag)}
            count = sum(len(lines) for _, lines in piece.parts)
            filled, inside = filled + count, inside + count
        elif piece.text.strip(SPACE) and not _NUMBERING.match(piece.text) and not _is_part(dialect, piece.text):
            filled += 1
    reason = f"{inside} of {filled} lines stand in entries of {dialect.name}"
    if not inside or inside < _MIN_INSIDE_RATIO * filled:
        return Sniff(0.1, reason)
    if dialect.opens.isdisjoint(known) and len(known & dialect.fields.keys()) < 2:
        return Sniff(0.2, f"{reason}, without the tags it needs")
    return Sniff(0.8 + 0.19 * inside / filled, reason)


def read(raw_file: RawFile, dialect: Dialect) -> Iterator[Batch]:
    """The entries as records, in bounded memory; what stands before and between them is furniture, or a reject.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text.
    """
    encoding = text_encoding(raw_file.path)
    builder = BatchBuilder(TaggedMapper(dialect, raw_file.columns))
    builder.byte_order_mark(encoding.mark_bytes)
    outside = _Outside(dialect, builder)
    for piece in pieces(dialect, text_lines(raw_file, encoding), raw_file.limits.entry_bytes):
        if isinstance(piece, TextLine):
            outside.add(piece)
        else:
            outside.is_before_entries = False
            locator, span = f"line {piece.line_number}", (piece.start, piece.end)
            if piece.is_too_large:
                message = (
                    f"an entry of {piece.end - piece.start} bytes in {piece.line_count} lines: "
                    f"{more_than('entry_bytes', raw_file.limits.entry_bytes)}, or than {MAX_ENTRY_LINES} lines"
                )
                builder.reject("entry_too_long", message, text="".join(piece.head), locator=locator, span=span)
            else:
                raw = piece.raw(dialect)
                builder.record(raw, locator=locator, span=span, raw_text=texts_json(raw))
        if builder.is_full:
            yield builder.take()
    yield builder.take(form=dialect.name, encoding=encoding.name)


class TaggedMapper(Mapper):
    """Maps the tags of a dialect: of a repeated tag a list, or its first value; first and last page as one text."""

    def __init__(self, dialect: Dialect, given: Mapping[str, str]) -> None:
        super().__init__(dialect.fields, given)
        self._tags = dialect

    def fields(self, raw: Mapping[str, object]) -> dict[str, object]:
        """The fields that an entry fills; the entry is counted.

        >>> TaggedMapper(RIS, {}).fields({"AU": ["Lee, Ann", "Li, Bo"], "T1": ["Tides", "Tides II"], "SP": "3", "EP": "9"})
        {'title_raw': 'Tides', 'author_names_raw': ['Lee, Ann', 'Li, Bo'], 'pages_raw': '3-9'}
        """
        paths = self.mapped(tuple(raw)).paths
        prepared = dict(raw)
        for tag, field in paths.items():
            values = prepared.get(tag)
            if isinstance(values, list):
                prepared[tag] = self._prepared(tag, field, values)
            elif isinstance(values, str) and (field in ("authors_raw", "keywords_raw") or tag in self._tags.picks):
                prepared[tag] = self._prepared(tag, field, [values])
        fields = super().fields(prepared)
        self._add_pages(raw, paths, fields)
        self._add_others(raw, fields)
        return fields

    def _prepared(self, tag: str, field: str, values: list[object]) -> object:
        """The values of a tag as its field takes them."""
        filled = [str(value) for value in values if value]
        if pick := self._tags.picks.get(tag):
            filled = [value for value in filled if pick.search(value)]
        if field == "authors_raw":
            if mark := self._tags.author_mark:
                filled = [mark.sub("", value) for value in filled]
            # Some exports put all authors behind one tag.
            return "; ".join(value.strip("; ") for value in filled) if any(";" in value for value in filled) else filled
        if field == "keywords_raw":
            # EndNote's RIS has each in a line of its own below the first.
            filled = [value.replace("\n", "; ") for value in filled]
        if field in _JOINED_BY:
            return _JOINED_BY[field].join(filled)
        return filled if field in ("urls_raw", "link_urls_raw") else next(iter(filled), None)

    def _add_pages(self, raw: Mapping[str, object], paths: Mapping[str, str], fields: dict[str, object]) -> None:
        """Joins the first and the last page, where both are given apart and no other tag gives them together."""
        if self._tags.pages is None or fields.get("pages_raw") is None:
            return
        start, end = self._tags.pages
        if end not in raw or paths.get(start) != "pages_raw" or paths.get(end) != "pages_raw":
            return
        first, last = _first(raw.get(start)), _first(raw[end])
        if first and last and first == fields["pages_raw"] and first != last and "-" not in first:
            fields["pages_raw"] = f"{first}-{last}"

    def _add_others(self, raw: Mapping[str, object], fields: dict[str, object]) -> None:
        """Fills what a tag gives beside its own field: the key, the title of a book, further addresses."""
        if self._tags.key is not None and (key := _first(raw.get(self._tags.key))):
            fields.setdefault("source_key", key)
        if self._tags.source is not None:
            self._take_apart(raw, fields)
        book_title = self._tags.book_title
        if book_title is not None and "title_raw" not in fields and (title := _first(raw.get(book_title))):
            fields["title_raw"] = title
            if fields.get("venue_raw") == title:
                del fields["venue_raw"]

    def _take_apart(self, raw: Mapping[str, object], fields: dict[str, object]) -> None:
        """Fills what a tag gives in one text: venue, volume, issue, pages and date."""
        assert self._tags.source is not None, "asked of dialects that have one"
        tag, pattern = self._tags.source
        if found := pattern.match(_first(raw.get(tag))):
            given = {f"{name}_raw": value.strip(SPACE) for name, value in found.groupdict().items() if value}
            if fields.get("venue_raw") == _first(raw.get(tag)):
                fields["venue_raw"] = given["venue_raw"]
            fields.update({name: value for name, value in given.items() if name not in fields})


def _first(values: object) -> str:
    """The first filled value of a tag."""
    return next((str(value) for value in values if value), "") if isinstance(values, list) else str(values or "")


class _Outside:
    """Adds lines outside of entries, as furniture where they are known as such: anything before the first entry; after it
    blank lines, numbering, the dialect's own lines, and lines that but for digits stood before the first entry too."""

    def __init__(self, dialect: Dialect, builder: BatchBuilder) -> None:
        self._dialect, self._builder = dialect, builder
        self._head: set[str] = set()
        self.is_before_entries = True

    def add(self, line: TextLine) -> None:
        """Adds a line."""
        kind = self._kind(line)
        if kind:
            self._builder.furniture(kind, line.text, line.span)
            return
        message = (
            f"expected an entry of {self._dialect.name}, found text after the end of one that is neither blank nor numbering "
            "nor stands before the first entry too"
        )
        locator = f"bytes {line.span[0]}-{line.span[1]}"
        self._builder.reject("text_between_entries", message, text=line.text, locator=locator, span=line.span)

    def _kind(self, line: TextLine) -> str | None:
        if not line.text.strip(SPACE):
            return "separator"
        if _is_part(self._dialect, line.text):
            return "entry_mark"
        if _NUMBERING.match(line.text):
            return "numbering"
        plain = _DIGITS.sub("0", line.text.strip(SPACE))[:1000]
        if self.is_before_entries:
            if len(self._head) < _MAX_HEAD_LINES:
                self._head.add(plain)
            return "text"
        return "entry_head" if plain in self._head else None


def _is_part(dialect: Dialect, text: str) -> bool:
    """Whether a line is one that stands between entries: the dialect's own, or the end of an entry that is none."""
    if dialect.parts is not None and dialect.parts.match(text):
        return True
    found = dialect.tag.match(text)
    return found is not None and found[1] in dialect.closes


def _sample_lines(text: str) -> Iterator[TextLine]:
    return (TextLine(line[0], line.span()) for line in LINE.finditer(text))


READERS: tuple[Reader, ...] = tuple(
    Reader(
        name=dialect.name,
        meaning=dialect.meaning,
        has_spans=True,
        example=dialect.example,
        sniff=partial(sniff, dialect=dialect),
        read=partial(read, dialect=dialect),
    )
    for dialect in (RIS, ENDNOTE, ISI, MEDLINE, REFWORKS, NOTEEXPRESS, OVID, BIBLIOSCAPE, COPAC, INSPEC)
)
"""A reader for each dialect. A new one is one entry in the modules of the dialects and one name here."""
