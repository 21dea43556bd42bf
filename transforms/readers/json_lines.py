"""This module reads JSON lines: one object a line, each line a span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from transforms.readers.base import RECORD_SCHEMA, Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff, Span
from transforms.readers.columns import has_paper_columns
from transforms.readers.decoding import LINE, Encoding
from transforms.readers.json_blocks import Block, ahead, blocks
from transforms.readers.json_plain import Pattern, learn_pattern
from transforms.readers.json_scan import members
from transforms.readers.json_values import JsonDecoder
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import CUT_LINE_BYTES, Line, TextLine, text_encoding, text_lines

_SPACE = " \t\r\n"
_SAMPLE_LINES = 50

_MAX_PATTERNS = 32
"""How many ways of writing a line are known at once; each costs a look at the lines that the ones before do not match."""

_MAX_REFUSED = 200
"""After so many lines that no pattern was learned from, no more are; trying costs as much as reading the line."""


def sniff(sample: Sample) -> Sniff:
    """How sure it is that each line of the sample is an object of its own, and that their names are those of papers."""
    if sample.text is None or not sample.text.lstrip(_SPACE).startswith("{"):
        return Sniff(0.0, "it does not begin with {")
    lines = [line for line in LINE.findall(sample.text) if line.strip(_SPACE)]
    cut_line = "" if sample.is_whole or sample.text.endswith(("\r", "\n")) else lines.pop()
    if not lines:
        return _cut_first_line(cut_line)
    # A single line is an object of its own document, unless there is more after the sample.
    if len(lines) < 2 and (sample.is_whole or (cut_line and not cut_line.lstrip(_SPACE).startswith("{"))):
        return Sniff(0.0, "it has not two whole lines")
    decoder, names, object_count = JsonDecoder(), dict[str, None](), 0
    for line in lines[:_SAMPLE_LINES]:
        record = _record(decoder, line)
        if isinstance(record, dict):
            names.update(dict.fromkeys(record))
            object_count += 1
    line_count = len(lines[:_SAMPLE_LINES])
    reason = f"{object_count} of {line_count} sampled lines are objects"
    if object_count < line_count / 2 or not has_paper_columns(list(names)):
        return Sniff(0.1 if object_count else 0.0, f"{reason}, without a name for titles, abstracts or identifiers")
    return Sniff(0.5 + 0.49 * object_count / line_count, reason)


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The lines as records; a broken line is a reject, an empty one furniture.

    Memory is bounded, but in UTF-16 and UTF-32.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text.
    """
    encoding = text_encoding(raw_file.path)
    reading = _Reading(raw_file, BatchBuilder(Mapper(given=raw_file.columns)))
    reading.builder.byte_order_mark(encoding.mark_bytes)
    yield from ahead(reading.blocks(encoding) if encoding.name == "utf-8" else reading.lines(encoding))
    yield reading.builder.take(form="lines", encoding=encoding.name)


@dataclass
class _Reading:
    """A file being read: what was collected, and how the lines so far were written.

    `refused_count` is how many lines no pattern was learned from.
    """

    raw_file: RawFile
    builder: BatchBuilder
    decoder: JsonDecoder = field(default_factory=JsonDecoder)
    patterns: list[Pattern] = field(default_factory=list)
    refused_count: int = 0

    def lines(self, encoding: Encoding) -> Iterator[Batch]:
        """The file line by line."""
        for number, line in enumerate(text_lines(self.raw_file, encoding), 1):
            self._add(line, number)
            if self.builder.is_full:
                yield self.builder.take()

    def blocks(self, encoding: Encoding) -> Iterator[Batch]:
        """The file block by block: what is plain in columns, the rest of a block line by line."""
        number = 1
        for block in blocks(self.raw_file, encoding.mark_bytes):
            if isinstance(block, Line):
                self._add(self._text_line(block, encoding), number)
                number += 1
            elif (table := block.line_table(number)) is not None:
                self._add_table(block, table, encoding)
                number += table.height
            else:
                for line in block.lines():
                    self._add(self._text_line(line, encoding), number)
                    number += 1
            if self.builder.is_full or isinstance(block, Block):
                yield self.builder.take()

    def _add_table(self, block: Block, table: pl.DataFrame, encoding: Encoding) -> None:
        """Adds the lines of a block, those that are plain by the patterns known, and by what can be learned from the rest."""
        first_number, matches = table["number"][0], list[tuple[int, Pattern, int]]()
        is_odd = (pl.col("line") == "") | (pl.col("span_end") - pl.col("span_start") > self.raw_file.limits.entry_bytes)
        rest, odd = table.filter(~is_odd), [table.filter(is_odd)]
        for pattern in self.patterns:
            rest = self._match(pattern, rest, matches)
        while rest.height and len(self.patterns) < _MAX_PATTERNS and self.refused_count < _MAX_REFUSED:
            learned = self._learn(rest["line"][0])
            if learned:
                self.patterns.append(learned)
                rest = self._match(learned, rest, matches)
            else:
                self.refused_count += 1
                odd.append(rest[:1])
                rest = rest[1:]
        for row_number, start, end in pl.concat([*odd, rest]).sort("number").select("number", "span_start", "span_end").rows():
            self._count(matches, row_number)
            line = Line(block.content[start - block.start : end - block.start], start, end - start)
            self._add(self._text_line(line, encoding), row_number)
        self._count(matches, first_number + table.height)

    def _match(self, pattern: Pattern, lines: pl.DataFrame, matches: list[tuple[int, Pattern, int]]) -> pl.DataFrame:
        """Adds the lines that match as records, notes how many there are from which number on, and gives the others."""
        is_match = lines["line"].str.contains(pattern.expression)
        found = lines.filter(is_match)
        if found.is_empty():
            return lines
        try:
            fields = pattern.fields(found["line"])
        except pl.exceptions.PolarsError:
            return lines
        places = found.select("span_start", "span_end", raw="line", locator=pl.format("line {}", "number"))
        records = pl.concat([places, fields], how="horizontal")
        self.builder.record_frame(records.match_to_schema(RECORD_SCHEMA, missing_columns="insert"))
        matches.append((found["number"][0], pattern, found.height))
        return lines.filter(~is_match)

    def _learn(self, line: str) -> Pattern | None:
        """How a line is written, where it is plain."""
        record = _record(self.decoder, line)
        if not isinstance(record, dict):
            return None
        return learn_pattern(line, record, self.builder.mapper.mapped(tuple(record)))

    def _count(self, matches: list[tuple[int, Pattern, int]], before: int) -> None:
        """Tells the mapper of the matches whose first line stands before line `before`, so that it meets columns in order."""
        for match in sorted((match for match in matches if match[0] < before), key=lambda match: match[0]):
            self.builder.mapper.count(match[1].names, match[2])
            matches.remove(match)

    def _text_line(self, line: Line, encoding: Encoding) -> TextLine:
        """A line as text, cut where it is longer than the limit."""
        limit, size_bytes = self.raw_file.limits.entry_bytes, line.size_bytes
        content = line.content[: min(limit, CUT_LINE_BYTES)] if size_bytes > limit else line.content
        is_cut = len(content) < size_bytes
        # A cut may go through a character.
        text = content.decode(encoding.name, "replace" if is_cut else encoding.errors)
        return TextLine(text, (line.start, line.start + size_bytes), is_cut)

    def _add(self, line: TextLine, number: int) -> None:
        """Adds one line as a record, as a separator, or as a reject that says what is wrong with it."""
        if line.is_cut:
            message = line.too_long(self.raw_file.limits)
            self.builder.reject("entry_too_long", message, text=line.text, locator=f"line {number}", span=line.span)
        elif line.text.strip(_SPACE):
            _add(self.builder, self.decoder, line.text, line.span, number)
        else:
            self.builder.furniture("separator", line.text, line.span)


def _cut_first_line(line: str) -> Sniff:
    """How sure it is of a sample that ends within its first line; an object around arrays may be as long."""
    start = len(line) - len(line.lstrip(_SPACE + "\ufeff"))
    if has_paper_columns([member.name for member in members(line, start)]):
        return Sniff(
            0.6, "the first line is longer than the sample, an object with a name for titles, abstracts or identifiers"
        )
    return Sniff(0.0, "the first line is longer than the sample, without a name for titles, abstracts or identifiers")


def _record(decoder: JsonDecoder, line: str) -> object:
    """The value of a line, None where the line is broken."""
    try:
        return decoder.decode(line.strip(_SPACE))[0]
    except ReadError:
        return None


def _add(builder: BatchBuilder, decoder: JsonDecoder, line: str, span: Span, number: int) -> None:
    """Adds the line as a record, or as a reject that says what is wrong with it."""
    text, locator = line.strip(_SPACE), f"line {number}"
    try:
        record, end = decoder.decode(text)
    except ReadError as error:
        builder.reject(error.reason, f"expected an object: {error}", text=line, locator=locator, span=span)
        return
    if end < len(text):
        message = f"expected one object, found more from character {end + 1} on"
        builder.reject("broken_json", message, text=line, locator=locator, span=span)
    elif not isinstance(record, dict):
        message = f"expected an object, found {type(record).__name__}"
        builder.reject("not_an_object", message, text=line, locator=locator, span=span)
    else:
        builder.record(record, locator=locator, span=span, raw_text=decoder.text_of(record))


READER = Reader(
    name="json_lines",
    meaning="JSON lines: one object a line",
    has_spans=True,
    example="""\
{"id": "p1", "title": "Sorting Pebbles by Sound", "authors": ["Ann Lee", "Bo Li"], "year": 2024}
{"id": "p2", "title": "Tides, Locks and Ferries", "authors": ["Cy Dow"], "year": 2023}
""",
    sniff=sniff,
    read=read,
)
