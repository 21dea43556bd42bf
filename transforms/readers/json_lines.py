"""This module reads JSON lines: one object a line, each line a span."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff, Span
from transforms.readers.columns import has_paper_columns
from transforms.readers.decoding import LINE
from transforms.readers.json_scan import members
from transforms.readers.json_values import JsonDecoder
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import text_encoding, text_lines

_SPACE = " \t\r\n"
_SAMPLE_LINES = 50


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
    decoder, builder = JsonDecoder(), BatchBuilder(Mapper(given=raw_file.columns))
    builder.byte_order_mark(encoding.mark_bytes)
    for number, line in enumerate(text_lines(raw_file, encoding), 1):
        if line.is_cut:
            builder.reject(
                "line_too_long", line.too_long(raw_file.limits), text=line.text, locator=f"line {number}", span=line.span
            )
        elif line.text.strip(_SPACE):
            _add(builder, decoder, line.text, line.span, number)
        else:
            builder.furniture("separator", line.text, line.span)
        if builder.is_full:
            yield builder.take()
    yield builder.take(form="lines", encoding=encoding.name)


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
