"""This module reads YAML: lists of papers, pages whose front matter names a paper, and citation files (CITATION.cff).

    - title: Sorting Pebbles by Sound
      authors: [Ann Lee, Bo Li]

Each entry is parsed by itself; scalars stay the text that was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice

from transforms.readers.base import SAMPLE_BYTES, Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import has_paper_columns
from transforms.readers.decoding import LINE
from transforms.readers.headings import heading_context
from transforms.readers.limits import more_than
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import TextLine, text_encoding, text_lines
from transforms.readers.yaml_citation import CitationMapper
from transforms.readers.yaml_layout import (
    MAX_ENTRY_LINES,
    Layout,
    Piece,
    entry_text,
    find_layout,
    list_indents,
    pieces,
    top_key,
)
from transforms.readers.yaml_values import yaml_value

_EVIDENCE = frozenset(
    {"abstract_raw", "doi_raw", "venue_raw", "pages_raw", "arxiv_id_raw", "pmid_raw", "openreview_id_raw", "acl_id_raw"}
)
"""What tells a paper from a page of a website, which has a title, an author and a date too."""

_LIST_EVIDENCE = _EVIDENCE | {"authors_raw", "author_names_raw", "year_raw", "pdf_url_raw"}
_MANY = ("list", "objects under keys")
_SAMPLED_ENTRIES = 20
_READER_NAMES = {"front matter": "front_matter", "citation file": "citation_file"}


def sniff(sample: Sample, name: str) -> Sniff:
    """How sure it is that the sample is YAML that the reader of this name is for, and that its entries name papers."""
    if sample.text is None:
        return Sniff(0.0, "no text")
    lines = [line[0] for line in LINE.finditer(sample.text)]
    if lines and not sample.is_whole:
        lines.pop()
    layout, reason = _layout(lines)
    if layout is None or _READER_NAMES.get(layout.form, "yaml") != name:
        return Sniff(0.0, reason)
    return Sniff(0.9, reason)


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The entries as records, in bounded memory; a broken one is a reject, what stands around them furniture.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text; `not_a_paper_list`.
    """
    encoding = text_encoding(raw_file.path)
    head = (line for line in text_lines(raw_file, encoding) if line.span[0] < SAMPLE_BYTES)
    layout, reason = _layout([line.text for line in islice(head, SAMPLE_BYTES) if line.span[1] <= SAMPLE_BYTES])
    if layout is None:
        raise ReadError("not_a_paper_list", reason)
    is_citation = layout.form == "citation file"
    builder = BatchBuilder(CitationMapper(raw_file.columns) if is_citation else Mapper(given=raw_file.columns))
    builder.byte_order_mark(encoding.mark_bytes)
    entries = _Entries(layout, builder, raw_file.limits.entry_bytes)
    for piece in pieces(layout, text_lines(raw_file, encoding), raw_file.limits.entry_bytes):
        if piece.kind == "entry":
            entries.add(piece)
        else:
            builder.furniture(piece.kind, piece.text, (piece.start, piece.end))
        if builder.is_full:
            yield builder.take()
    yield builder.take(form=layout.form, encoding=encoding.name)


class _Entries:
    """Adds entries as records or rejects; the items of a list of something else, such as editors, as furniture."""

    def __init__(self, layout: Layout, builder: BatchBuilder, limit_bytes: int) -> None:
        self._layout, self._builder, self._limit_bytes = layout, builder, limit_bytes
        self._key: str | None = None
        self._is_of_papers = True

    def add(self, piece: Piece) -> None:
        """Adds an entry."""
        span, locator = (piece.start, piece.end), f"line {piece.line_number}"
        try:
            value = self._value(piece)
        except ReadError as error:
            self._builder.reject(error.reason, str(error), text=piece.text, locator=locator, span=span)
            return
        if self._layout.form == "list" and piece.key != self._key:
            # The first item of a list under a key says what the list is of; a list at the top is why the file is read.
            self._key = piece.key
            self._is_of_papers = not piece.key or (isinstance(value, dict) and has_paper_columns(list(value)))
        if not self._is_of_papers:
            self._builder.furniture("other_list", piece.text, span)
        elif isinstance(value, dict):
            context = heading_context(piece.key) if piece.key else self._context(piece)
            self._builder.record(value, locator=locator, span=span, context=context)
        elif self._layout.form == "objects under keys":
            self._builder.furniture("other_key", piece.text, span)
        else:
            message = f"expected an entry of names with values, found {_kind(value)}"
            self._builder.reject("not_an_object", message, text=piece.text, locator=locator, span=span)

    def _context(self, piece: Piece) -> dict[str, object] | None:
        """The key that an object stands under, as the source's key for it."""
        if self._layout.form != "objects under keys":
            return None
        return {"source_key": top_key(piece.texts[0])}

    def _value(self, piece: Piece) -> object:
        if piece.is_too_large:
            raise ReadError(
                "entry_too_long",
                f"an entry of {piece.end - piece.start} bytes: {more_than('entry_bytes', self._limit_bytes)}, "
                f"or than {MAX_ENTRY_LINES} lines",
            )
        return _entry_value(self._layout, piece.text)


def _layout(lines: list[str]) -> tuple[Layout | None, str]:
    """The layout of a file that begins with these lines, and what speaks for it; None and why not, where none names papers."""
    layout = find_layout(lines)
    if layout is None:
        return None, "it begins like no YAML"
    if layout.form == "citation file":
        return layout, "it has the names cff-version and title"
    if layout.form != "document":
        return _judged(layout, lines)
    found, reason = _judged(layout, lines)
    others = [*(Layout("list", indent) for indent in list_indents(lines)), Layout("objects under keys")]
    for other in others if found is None else ():
        found, other_reason = _judged(other, lines)
        if found is not None:
            return found, other_reason
    return found, reason


def _judged(layout: Layout, lines: list[str]) -> tuple[Layout | None, str]:
    """The layout, if half of its first entries or more name papers, and the finding in words."""
    needed = _LIST_EVIDENCE if layout.form in _MANY else _EVIDENCE
    entries = list(islice((piece for piece in pieces(layout, _text_lines(lines), SAMPLE_BYTES) if piece.kind == "entry"), 400))
    if layout.form == "front matter":
        entries = entries[:1]
    named = counted = 0
    for entry in entries if layout.form in _MANY else entries[:_SAMPLED_ENTRIES]:
        try:
            value = _entry_value(layout, entry.text)
        except ReadError:
            continue
        if not isinstance(value, dict) or not has_paper_columns(list(value)):
            continue
        counted += 1
        fields = set(Mapper().fields(value))
        named += "title_raw" in fields and not needed.isdisjoint(fields)
        if counted == _SAMPLED_ENTRIES:
            break
    reason = f"{named} of {counted} sampled entries of its {layout.form} name a paper"
    return (layout if named and 2 * named >= counted else None), reason


def _entry_value(layout: Layout, text: str) -> object:
    """The value of an entry's text.

    Raises:
        ReadError: as `yaml_value`.
    """
    value = yaml_value(entry_text(layout, text))
    if layout.form == "list" and isinstance(value, list) and len(value) == 1:
        return value[0]
    if layout.form == "objects under keys" and isinstance(value, dict) and len(value) == 1:
        return next(iter(value.values()))
    return value


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else "nothing" if value is None else "a text"


def _text_lines(lines: Iterable[str]) -> Iterator[TextLine]:
    start = 0
    for line in lines:
        yield TextLine(line, (start, start + len(line)))
        start += len(line)


def _reader(name: str, meaning: str, example: str) -> Reader:
    return Reader(name=name, meaning=meaning, has_spans=True, example=example, sniff=partial(sniff, name=name), read=read)


READERS: tuple[Reader, ...] = (
    _reader(
        "yaml",
        "YAML: a list of papers, also under keys; papers that each stand under a key, or are a document",
        """\
- title: Sorting Pebbles by Sound
  authors: [Ann Lee, Bo Li]
  year: 2024
- title: Tides, Locks and Ferries
  authors: [Cy Dow]
  year: 2023
""",
    ),
    _reader(
        "front_matter",
        "a page whose YAML front matter names a paper, such as a post of PMLR",
        """\
---
title: Sorting Pebbles by Sound
author:
- given: Ann
  family: Lee
container-title: Proceedings of the 7th Conference on Pebbles
date: 2024-05-02
---
""",
    ),
    _reader(
        "citation_file",
        "a citation file (CITATION.cff): the work it is about, or its preferred citation",
        """\
cff-version: 1.2.0
title: Pebble Sorter
authors:
- family-names: Lee
  given-names: Ann
doi: 10.5555/pebbles.1
""",
    ),
)
"""The readers of YAML, by what a file is; they share all but the sniffing."""
