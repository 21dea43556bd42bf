"""This module is what every reader shares: what it is given, what it yields, and how entries become staged rows.

A reader is one module with two functions. `sniff(sample)` says how sure it is that the file is of its format, from the
content alone. `read(raw_file)` yields `Batch`es: records, rejects, furniture and control totals. A bad row is a reject
with a reason, never an exception; `ReadError` is for a file that as a whole cannot be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import polars as pl
import pyarrow as pa

from transforms.frames import polars_schema
from transforms.readers.field_values import without_surrogates
from transforms.readers.limits import ReadLimits, more_than
from transforms.readers.mapping import Mapper
from transforms.schemas import CONTROL_TOTALS, FURNITURE, REJECTS, PaperlakeError, Table
from transforms.staged_schemas import STAGED_RECORDS

SAMPLE_BYTES = 65_536
"""How much of a file `sniff` sees: enough for the head of a page with long abstracts, small enough to read of every file."""

BATCH_ROWS = 10_000
BATCH_CHARACTERS = 16 * 2**20
"""How much a batch holds: enough that what a frame costs by itself does not count, some 100 MB of Python's objects."""

REJECT_TEXT_CHARACTERS = 10_000
"""Longest text kept with a reject; the span still points at all of it."""


class ReadError(PaperlakeError):
    """A file that cannot be read as what it seemed to be; the file becomes one reject with this reason and message."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class RawFile:
    """A landed file: its bytes stand at `path`, decompressed. A reader never looks at the path's name.

    `columns` is what `sources.toml` says of its source's columns: the field of `staged_schemas.FIELDS` that each fills.
    """

    path: Path
    size_bytes: int
    limits: ReadLimits = field(default_factory=ReadLimits)
    columns: Mapping[str, str] = field(default_factory=dict)

    def whole_bytes(self) -> bytes:
        """All its bytes, for a format that is read whole.

        Raises:
            ReadError: `document_too_large`.
        """
        if self.size_bytes > self.limits.document_bytes:
            raise ReadError(
                "document_too_large",
                f"{self.size_bytes} bytes, and a format that is read whole: "
                f"{more_than('document_bytes', self.limits.document_bytes)}",
            )
        return self.path.read_bytes()


@dataclass(frozen=True, slots=True)
class Sample:
    """What `sniff` sees: the first `SAMPLE_BYTES` of a file, decoded; `text` is None where they are no text."""

    head: bytes
    text: str | None
    size_bytes: int

    @property
    def is_whole(self) -> bool:
        """Whether the sample is the whole file."""
        return len(self.head) == self.size_bytes


@dataclass(frozen=True, slots=True)
class Sniff:
    """How sure a reader is (0 = not mine, 1 = cannot be anything else), and the reason in words."""

    confidence: float
    reason: str


Span = tuple[int, int]
"""Half-open byte range in the decompressed file."""


def _read_columns(table: Table, *others: str) -> pl.Schema:
    """The columns of a table that its reader fills; the `others` are filled by who called it."""
    return polars_schema(column for column in table.columns if column.name not in others)


RECORD_SCHEMA = _read_columns(STAGED_RECORDS, "ordinal")
REJECT_SCHEMA = _read_columns(REJECTS, "file_sha256", "record_id", "stage")
FURNITURE_SCHEMA = _read_columns(FURNITURE, "file_sha256")
TOTAL_SCHEMA = _read_columns(CONTROL_TOTALS, "file_sha256")


@dataclass(frozen=True, slots=True)
class Batch:
    """What a reader yields: frames with the schemas above, in file order, and what it says of the file.

    `columns` has `mapping.COLUMN_SCHEMA`. `entries_counted` is a count of entries got another way than by reading them
    (summed over batches), None where spans prove the account. `form`, `encoding` and `note` describe the file; the last one
    that is not None stands.
    """

    records: pl.DataFrame
    rejects: pl.DataFrame
    furniture: pl.DataFrame
    control_totals: pl.DataFrame
    columns: pl.DataFrame
    entries_counted: int | None = None
    form: str | None = None
    encoding: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """One format: its name, what it is for, how to know it, how to read it, and an example of it."""

    name: str
    meaning: str
    has_spans: bool
    example: str
    sniff: Callable[[Sample], Sniff]
    read: Callable[[RawFile], Iterator[Batch]]


@dataclass
class BatchBuilder:
    """Collects entries row by row, and gives them as a `Batch`.

    `mapper` says which field of `staged_schemas.FIELDS` (or `source_key`) a source column fills.
    """

    mapper: Mapper = field(default_factory=Mapper)
    _records: list[dict[str, object]] = field(default_factory=list)
    _frames: list[pl.DataFrame] = field(default_factory=list)
    _rejects: list[dict[str, object]] = field(default_factory=list)
    _furniture: list[dict[str, object]] = field(default_factory=list)
    _totals: list[dict[str, object]] = field(default_factory=list)
    _characters: int = 0

    @property
    def is_full(self) -> bool:
        """Whether it holds so much that it should be taken: `BATCH_ROWS` entries, or `BATCH_CHARACTERS` of text."""
        row_count = len(self._records) + len(self._rejects) + len(self._furniture)
        return row_count >= BATCH_ROWS or self._characters >= BATCH_CHARACTERS

    def record(
        self,
        raw: Mapping[str, object],
        *,
        locator: str,
        span: Span | None = None,
        context: Mapping[str, object] | None = None,
        raw_text: str | None = None,
    ) -> None:
        """Adds a record: `raw` is the source's own columns as given, `context` fields that stand elsewhere in the file.

        `raw_text` is the JSON text of `raw` where the reader has a truer one than `raw_json(raw)`. What its shape says is
        no paper, such as a review, is a reject.
        """
        start, end = span if span else (None, None)
        text = raw_json(raw) if raw_text is None else raw_text
        if self.mapper.is_other(raw):
            message = "expected a paper, found something that is said of one, such as a review or a decision"
            self.reject("not_a_paper", message, text=text, locator=locator, span=span)
            return
        row: dict[str, object] = {"locator": locator, "span_start": start, "span_end": end, "raw": text}
        row.update(context or {})
        row.update(self.mapper.fields(raw))
        self._records.append(row)
        self._characters += len(text)

    def record_frame(self, records: pl.DataFrame) -> None:
        """Adds records that a reader has as columns, with `RECORD_SCHEMA`; a batch puts its records in order of their spans.

        The reader says how many there are of each set of columns (`Mapper.count`), in the order in which it meets them.
        """
        self._frames.append(records)

    def reject(self, reason: str, message: str, *, text: str, locator: str, span: Span | None = None) -> None:
        """Adds a span that is no record though it should be; `reason` is a short code, `message` a sentence."""
        start, end = span if span else (None, None)
        if len(text) > REJECT_TEXT_CHARACTERS:
            text, message = text[:REJECT_TEXT_CHARACTERS], f"{message} (text cut at {REJECT_TEXT_CHARACTERS} characters)"
        self._characters += len(text)
        self._rejects.append(
            {
                "reason": reason,
                "message": without_surrogates(message),
                "text": without_surrogates(text),
                "locator": without_surrogates(locator),
                "span_start": start,
                "span_end": end,
            }
        )

    def furniture(self, kind: str, text: str, span: Span) -> None:
        """Adds a span that is neither record nor reject, found as what `kind` says."""
        self._characters += len(text)
        self._furniture.append({"kind": kind, "span_start": span[0], "span_end": span[1], "text": without_surrogates(text)})

    def byte_order_mark(self, mark_bytes: int) -> None:
        """Adds the byte order mark that a file begins with, as furniture; none where it has no bytes."""
        if mark_bytes:
            self.furniture("byte_order_mark", "\ufeff", (0, mark_bytes))

    def control_total(self, **total: object) -> None:
        """Adds a control total; the keywords are the columns of `TOTAL_SCHEMA`."""
        self._totals.append(total)

    def take(
        self,
        *,
        entries_counted: int | None = None,
        form: str | None = None,
        encoding: str | None = None,
        note: str | None = None,
    ) -> Batch:
        """Gives what was collected as a batch, and begins anew."""
        records = rows_frame(self._records, RECORD_SCHEMA)
        if self._frames:
            records = pl.concat([*self._frames, records]).sort("span_start")
        batch = Batch(
            records,
            rows_frame(self._rejects, REJECT_SCHEMA),
            rows_frame(self._furniture, FURNITURE_SCHEMA),
            rows_frame(self._totals, TOTAL_SCHEMA),
            self.mapper.take(),
            entries_counted,
            form,
            encoding,
            note,
        )
        self._records, self._frames, self._rejects, self._furniture, self._totals = [], [], [], [], []
        self._characters = 0
        return batch


def rows_frame(rows: list[dict[str, object]], schema: pl.Schema) -> pl.DataFrame:
    """The rows as a frame of a schema: a column that a row lacks is null there, one that the schema lacks is left out.

    >>> rows_frame([{"kind": "comment"}, {"text": "%"}], pl.Schema({"kind": pl.String, "text": pl.String})).rows()
    [('comment', None), (None, '%')]
    """
    try:
        # Arrow takes rows two to three times as fast as Polars, but wants each value to be of its column's type.
        frame = pl.from_arrow(pa.Table.from_pylist(rows, schema=schema.to_frame().to_arrow().schema))
    except pa.ArrowException:
        return pl.DataFrame(rows, schema=schema, orient="row")
    assert isinstance(frame, pl.DataFrame)
    return frame


def raw_json(raw: Mapping[str, object]) -> str:
    """JSON text of a record's own columns, in the source's order, every value as its reader gives it.

    That is what the format spells: a cell without the quotes around it, a YAML scalar, a BibTeX value with its macros applied,
    the continued lines of a tag, the text and attributes of an XML element. What JSON has no form for changes too: of names
    that a record holds twice the later ones get a number (`title_2`), a column without a name is `column_N`; NaN becomes null,
    an infinity the text `Infinity`; dates, decimals and bytes of Parquet become text. A JSON number keeps its digits (3.10). A
    lone surrogate (a byte that is not of the file's encoding) has no UTF-8 form and becomes U+FFFD.

    >>> raw_json({"title": "Über", "year": 2024})
    '{"title": "Über", "year": 2024}'
    """
    return without_surrogates(_ENCODER.encode(raw))


def texts_json(raw: Mapping[str, object]) -> str:
    """What `raw_json` gives of columns that hold texts only, but for the spaces between them, in a fifth of its time.

    >>> texts_json({"title": "Über", "by": ["Ann", "Bo"]})
    '{"title":"Über","by":["Ann","Bo"]}'
    """
    try:
        return orjson.dumps(raw).decode()
    except orjson.JSONEncodeError:  # a lone surrogate, or nested deeper than it goes
        return raw_json(raw)


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
