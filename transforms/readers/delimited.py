"""This module reads tables with a header, delimited by comma, tab, semicolon, pipe or another character (CSV, TSV).

Every value stays the text it is, with the spaces around it. The count of entries is that of a scan for quotes that are still
open at a line's end (`delimited_entries`), which must agree with Python's csv module. Lines before the header are no
entries: they are counted neither as such nor as rejects, and the file's note quotes them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import orjson

from transforms.readers.base import (
    BATCH_CHARACTERS,
    BATCH_ROWS,
    SAMPLE_BYTES,
    Batch,
    BatchBuilder,
    RawFile,
    Reader,
    ReadError,
    Sample,
    Sniff,
)
from transforms.readers.decoding import Encoding
from transforms.readers.delimited_dialect import DELIMITERS, Dialect, find_dialect
from transforms.readers.delimited_entries import Entry, find_entries, split_cells
from transforms.readers.limits import ReadLimits, more_than
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import text_encoding
from transforms.readers.table_header import note_before
from transforms.readers.text_frames import text_records


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample begins with a header that names columns of papers, and that the rows fit it."""
    if sample.text is None:
        return Sniff(0.0, "no text")
    if _is_object(sample.text.lstrip().partition("\n")[0]):
        return Sniff(0.0, "its first line is a JSON object")  # its names would pass for those of columns
    return find_dialect(_lines(sample.text, is_whole=sample.is_whole), ReadLimits())[1]


def _is_object(line: str) -> bool:
    """Whether a line is a whole object of JSON.

    >>> [_is_object('{"title": "A", "year": 2020}\\r'), _is_object('{title}, year'), _is_object('"title"')]
    [True, False, False]
    """
    try:
        return line.startswith("{") and isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The rows as records whose values are texts; a row that does not fit the header is a reject.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text; `not_a_paper_list`, where no header is recognised;
            `too_many_columns`.
    """
    encoding, limits = text_encoding(raw_file.path), raw_file.limits
    dialect = _dialect(raw_file, encoding)
    with _open_text(raw_file.path, encoding) as stream:
        before = [stream.readline(limits.entry_bytes) for _ in range(dialect.skipped_lines)]
        entries = find_entries(iter(lambda: stream.readline(limits.entry_bytes), ""), dialect.quoting, limits)
        next(entries)  # the header
        builder, row_count = BatchBuilder(Mapper(given=raw_file.columns, found=dialect.found)), 0
        for batch in _batches(entries):
            _add(builder, batch, dialect, row_count)
            row_count += len(batch)
            yield builder.take(entries_counted=len(batch))
    filled = [line.strip() for line in before if line.strip() and not line.startswith("sep=")]
    yield builder.take(entries_counted=0, form=dialect.name, encoding=encoding.name, note=note_before(filled))


def _lines(text: str, *, is_whole: bool) -> list[str]:
    """The whole lines of a sample, with their ends."""
    lines = list(io.StringIO(text, newline=""))
    if not is_whole and len(lines) > 1:
        lines.pop()
    return lines


def _open_text(path: Path, encoding: Encoding) -> io.TextIOWrapper:
    """The text of the file without its byte order mark, with its line ends as they are."""
    stream = path.open("r", encoding=encoding.name, errors=encoding.errors, newline="")
    if encoding.mark_bytes:
        stream.read(1)
    return stream


def _dialect(raw_file: RawFile, encoding: Encoding) -> Dialect:
    """How the file is written, by its beginning; if its header is longer than that, by all of the header."""
    limits = raw_file.limits
    with _open_text(raw_file.path, encoding) as stream:
        head = stream.read(SAMPLE_BYTES)
        if not any(end in head for end in "\r\n"):
            head += stream.readline(limits.entry_bytes)
        is_whole = not stream.read(1)
    dialect, _ = find_dialect(_lines(head, is_whole=is_whole), limits)
    if dialect is None:
        raise ReadError(
            "not_a_paper_list",
            f"expected a header that names a column for titles, abstracts or identifiers, delimited by "
            f"{', '.join(DELIMITERS.values())} or another character; found {head[:100]!r}",
        )
    if len(dialect.header) > limits.columns:
        message = f"{len(dialect.header)} columns: {more_than('columns', limits.columns)}"
        raise ReadError("too_many_columns", message)
    return dialect


def _batches(entries: Iterator[Entry]) -> Iterator[list[Entry]]:
    """The entries, as many at a time as a batch holds."""
    batch, characters = list[Entry](), 0
    for entry in entries:
        batch.append(entry)
        characters += len(entry.text)
        if len(batch) == BATCH_ROWS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _add(builder: BatchBuilder, batch: list[Entry], dialect: Dialect, row_count: int) -> None:
    """Adds entries, of which the first comes after `row_count` rows, as records or rejects."""
    rows, locators, width = list[list[str]](), list[str](), len(dialect.header)
    for number, (entry, cells) in enumerate(zip(batch, split_cells(batch, dialect.quoting), strict=True), row_count + 1):
        if cells is None:
            builder.reject(entry.reason, entry.message, text=entry.text, locator=f"row {number}")
        elif dialect.fits(cells):
            rows.append(cells if len(cells) >= width else cells + [""] * (width - len(cells)))
            locators.append(f"row {number}")
        else:
            message = f"the header names {width} columns, but this row has {len(cells)} cells"
            builder.reject("ragged_row", message, text=entry.text, locator=f"row {number}")
    names = tuple(dialect.header)
    records = text_records(names, rows, locators, builder.mapper.mapped(names))
    if records is not None:
        builder.mapper.count(names, records.height)
        builder.record_frame(records)
        return
    for cells, locator in zip(rows, locators, strict=True):
        builder.record(dict(zip(names, cells, strict=False)), locator=locator)


READER = Reader(
    name="delimited",
    meaning="a table with a header, delimited by comma, tab, semicolon, pipe or another character (CSV, TSV)",
    has_spans=False,
    example="""\
title,authors,year,doi
Sorting Pebbles by Sound,Ann Lee; Bo Li,2024,10.5555/pebbles.1
"Tides, Locks and Ferries",Cy Dow,2023,
""",
    sniff=sniff,
    read=read,
)
