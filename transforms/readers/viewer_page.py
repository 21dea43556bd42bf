"""This module reads saved pages of the Hugging Face dataset viewer, as text.

    title
    stringlengths 15
    138
    | year
    int64 1.99k
    2.02k
    |
    |---|---|
    Pebbles sorted by sound | 2023 |
    Subsets and Splits
    No community queries yet

A head names the columns with the viewer's own statistics; rows follow, at most 100 to a page; a footer ends the page. The
same page also comes with one token a line. A file may hold several pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff, Span
from transforms.readers.control_totals import control_totals, page_note
from transforms.readers.decoding import DecodedText, decode
from transforms.readers.mapping import Mapper
from transforms.readers.viewer_chrome import chrome_start, footers
from transforms.readers.viewer_head import Head, find_heads
from transforms.readers.viewer_pieces import Piece, cell_text
from transforms.readers.viewer_rows import is_row_end, read_rows

_SHOWN_CHARACTERS = 40
_MAX_NOTES = 20
_MAX_BATCHES = 200
"""Pages, each of them a batch, from which pages alike share one: a batch costs 2 ms, and 1 MB may hold 25,000 heads."""


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample is a viewer's page: it has a head whose columns bear the viewer's statistics."""
    if sample.text is None:
        return Sniff(0.0, "no text")
    heads = find_heads(sample.text)
    if not heads:
        return Sniff(0.0, "no head of a dataset viewer's page")
    head = heads[0]
    if len(_FENCE.findall(sample.text, 0, head.start)) % 2:
        return Sniff(0.1, "the head of a dataset viewer's page, quoted in a fenced block of Markdown")
    stated = sum(bool(column.statistics()) for column in head.columns)
    reason = f"the head of a dataset viewer's page: {len(head.columns)} columns, {stated} with the viewer's statistics"
    if not stated:
        return Sniff(0.6, reason)
    return Sniff(0.98 if head.form == "table" else 0.95, reason)


_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The pages of the file, a batch each, or up to 200 alike where they are very many; the last one's note speaks of all.

    Raises:
        ReadError: `binary` or `bad_encoding` where the bytes are no text, `no_viewer_page` where no head is in it.
    """
    decoded = decode(raw_file.whole_bytes())
    heads = find_heads(decoded.text)
    if not heads:
        raise ReadError(
            "no_viewer_page", "expected the head of a dataset viewer's page, with its columns' statistics; found none"
        )
    notes: list[str] = []
    row_number, offset = 0, decoded.mark_bytes
    builder = None
    for number, head in enumerate(heads, start=1):
        following = heads[number] if number < len(heads) else None
        segments = [] if number > 1 else _above(decoded.text, 0, head.start)
        segments.append(_Segment("page_head", head.start, head.end))
        segments += _below(decoded.text, head, following)
        builder = builder or BatchBuilder(Mapper(given=raw_file.columns))
        if number == 1 and decoded.mark_bytes:
            builder.furniture("byte_order_mark", "\ufeff", (0, decoded.mark_bytes))
        spans = _spans(decoded, segments, offset)
        offset = spans[-1][1]
        rows, row_number = _add(builder, decoded.text, head, list(zip(segments, spans, strict=True)), row_number)
        totals = control_totals(head.columns, rows)
        for total in totals:
            builder.control_total(page=number, **total)
        if number <= _MAX_NOTES:
            notes.append(page_note(number, len(rows), head.columns, totals))
        if following and number > _MAX_BATCHES and number % _MAX_BATCHES and _is_alike(head, following):
            continue
        note = ". ".join([*notes, f"and {number - _MAX_NOTES} pages more"] if number > _MAX_NOTES else notes)
        yield builder.take(form=head.form, encoding=decoded.encoding, note=None if following else note)
        builder = None


def _is_alike(head: Head, following: Head) -> bool:
    """Whether two pages can share a batch."""
    return head.form == following.form and [c.name for c in head.columns] == [c.name for c in following.columns]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A part of the file in characters: `kind` is that of a furniture span or of a piece; blank text is a separator."""

    kind: str
    start: int
    end: int
    piece: Piece | None = field(default=None)


def _above(text: str, start: int, end: int) -> list[_Segment]:
    """What stands above a head: the page's own lines, or text that nobody knows."""
    offset = chrome_start(text[start:end])
    if offset is None:
        return _text_segments(text, "unrecognised_text", start, end)
    unknown = _text_segments(text, "unrecognised_text", start, start + offset)
    return [*unknown, *_text_segments(text, "page_preamble", start + offset, end)]


def _below(text: str, head: Head, following: Head | None) -> list[_Segment]:
    """What stands below a head, up to the next one: rows, footers, and what is neither."""
    end = following.start if following else len(text)

    def may_follow(position: int) -> bool | None:
        return is_row_end(text, head, position, end)

    found = footers(text, head.end, end, may_follow)
    body_end = found[0][0] if found else end
    segments = [_Segment(piece.kind, piece.start, piece.end, piece) for piece in read_rows(text, head, head.end, body_end)]
    if following and not found and segments and segments[-1].kind == "cut":
        offset = chrome_start(text[segments[-1].start : end])
        if offset is not None:
            last = segments.pop()
            segments += _above(text, last.start, end)
    for place, (footer_start, footer_end) in enumerate(found):
        segments.append(_Segment("page_footer", footer_start, footer_end))
        if place + 1 < len(found):
            segments += _text_segments(text, "unrecognised_text", footer_end, found[place + 1][0])
        elif following:
            segments += _above(text, footer_end, end)
        else:
            segments += _text_segments(text, "unrecognised_text", footer_end, end)
    return segments


def _text_segments(text: str, kind: str, start: int, end: int) -> list[_Segment]:
    if start == end:
        return []
    return [_Segment(kind if text[start:end].strip() else "blank", start, end)]


def _add(
    builder: BatchBuilder, text: str, head: Head, segments: list[tuple[_Segment, Span]], row_number: int
) -> tuple[list[dict[str, str]], int]:
    """Adds the segments to the builder; gives the page's records and the number of the file's last row so far."""
    rows: list[dict[str, str]] = []
    for segment, span in segments:
        content = text[segment.start : segment.end]
        match segment.kind:
            case "row" if segment.piece:
                row_number += 1
                rows.append(_raw(text, head, segment.piece.cells))
                builder.record(rows[-1], locator=f"row {row_number}", span=span)
            case "page_head" | "page_footer" | "page_preamble":
                builder.furniture(segment.kind, content, span)
            case "blank":
                builder.furniture("separator", content, span)
            case _:
                reason, message, count = _fault(text, head, segment)
                locator = f"row {row_number + 1}" if count else f"bytes {span[0]}-{span[1]}"
                row_number += count
                builder.reject(reason, message, text=content, locator=locator, span=span)
    return rows, row_number


def _spans(decoded: DecodedText, segments: list[_Segment], offset: int) -> list[Span]:
    """The byte spans of segments that stand one after the other, from byte `offset` on."""
    sizes = (decoded.byte_length(decoded.text[segment.start : segment.end]) for segment in segments)
    return list(pairwise(accumulate(sizes, initial=offset)))


def _raw(text: str, head: Head, cells: tuple[tuple[int, int], ...]) -> dict[str, str]:
    return {column.name: cell_text(text, cell) for column, cell in zip(head.columns, cells, strict=True)}


def _fault(text: str, head: Head, segment: _Segment) -> tuple[str, str, int]:
    """Why a segment is a reject: reason, message, and how many rows it stands for."""
    count = len(head.columns)
    piece = segment.piece
    if segment.kind == "ambiguous" and piece:
        first, second = (_shown(text, head, reading) for reading in piece.readings)
        row_count = max(len(piece.readings[0]), 1)
        return "ambiguous_row", f"the page's figures allow more than one reading: {first}; or {second}", row_count
    if segment.kind == "too_many":
        return "too_many_readings", f"no row of {count} cells found here within the number of readings that are tried", 0
    is_row_like = segment.kind == "cut" and (head.form != "table" or "|" in text[segment.start : segment.end])
    if is_row_like:
        return "cut_row", f"expected a row of {count} cells; this one ends before its last cell does", 1
    return "unrecognised_text", "neither a row of the page nor a text known to stand around its table", 0


def _shown(text: str, head: Head, reading: tuple[tuple[tuple[int, int], ...], ...]) -> str:
    """A reading's first row in short, or what it leaves out."""
    if not reading:
        return "no row"
    values = _raw(text, head, reading[0]).items()
    shown = (f"{name}={_short(value)!r}" for name, value in values)
    return f"{len(reading)} row{'s' * (len(reading) != 1)}, {', '.join(shown)}"


def _short(value: str) -> str:
    half = _SHOWN_CHARACTERS // 2
    return value if len(value) <= _SHOWN_CHARACTERS else f"{value[:half]}…{value[-half:]}"


READER = Reader(
    name="viewer_page",
    meaning="a saved page of the Hugging Face dataset viewer, as a table or with one token a line",
    has_spans=True,
    example="title\nstringlengths 15\n138\n| year\nint64 1.99k\n2.02k\n|\n|---|---|\nPebbles sorted by sound | 2023 |\n",
    sniff=sniff,
    read=read,
)
