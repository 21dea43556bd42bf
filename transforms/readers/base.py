"""This module is what every reader shares: what it is given, what it yields, and how entries become staged rows.

A reader is one module with two functions. `sniff(sample)` says how sure it is that the file is of its format, from the
content alone. `read(raw_file)` yields `Batch`es: records, rejects, furniture and control totals. A bad row is a reject
with a reason, never an exception; `ReadError` is for a file that as a whole cannot be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from transforms.frames import polars_schema
from transforms.schemas import CONTROL_TOTALS, FIELDS, FURNITURE, REJECTS, STAGED_RECORDS, PaperlakeError, Table

SAMPLE_BYTES = 65_536
"""How much of a file `sniff` sees: enough for the head of a page with long abstracts, small enough to read of every file."""

REJECT_TEXT_CHARACTERS = 10_000
"""Longest text kept with a reject; the span still points at all of it."""


class ReadError(PaperlakeError):
    """A file that cannot be read as what it seemed to be; the file becomes one reject with this reason and message."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class RawFile:
    """A landed file: its bytes stand at `path`, decompressed. A reader never looks at the path's name."""

    path: Path
    size_bytes: int


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
    """What a reader yields: four frames with the schemas above, in file order, and what it says of the file.

    `entries_counted` is a count of entries got another way than by reading them (summed over batches), None where spans
    prove the account. `shape`, `encoding` and `note` describe the file; the last one that is not None stands.
    """

    records: pl.DataFrame
    rejects: pl.DataFrame
    furniture: pl.DataFrame
    control_totals: pl.DataFrame
    entries_counted: int | None = None
    shape: str | None = None
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

    `column_map` names for each source column the field of `schemas.FIELDS` (or `source_key`) it fills.
    """

    column_map: Mapping[str, str]
    _records: list[dict[str, object]] = field(default_factory=list)
    _rejects: list[dict[str, object]] = field(default_factory=list)
    _furniture: list[dict[str, object]] = field(default_factory=list)
    _totals: list[dict[str, object]] = field(default_factory=list)

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

        `raw_text` is the JSON text of `raw` where the reader has a truer one than `raw_json(raw)`.
        """
        start, end = span if span else (None, None)
        text = raw_json(raw) if raw_text is None else raw_text
        row: dict[str, object] = {"locator": locator, "span_start": start, "span_end": end, "raw": text}
        row.update(context or {})
        row.update(map_fields(raw, self.column_map))
        self._records.append(row)

    def reject(self, reason: str, message: str, *, text: str, locator: str, span: Span | None = None) -> None:
        """Adds a span that is no record though it should be; `reason` is a short code, `message` a sentence."""
        start, end = span if span else (None, None)
        if len(text) > REJECT_TEXT_CHARACTERS:
            text, message = text[:REJECT_TEXT_CHARACTERS], f"{message} (text cut at {REJECT_TEXT_CHARACTERS} characters)"
        self._rejects.append(
            {
                "reason": reason,
                "message": message,
                "text": without_surrogates(text),
                "locator": locator,
                "span_start": start,
                "span_end": end,
            }
        )

    def furniture(self, kind: str, text: str, span: Span) -> None:
        """Adds a span that is neither record nor reject, found as what `kind` says."""
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
        shape: str | None = None,
        encoding: str | None = None,
        note: str | None = None,
    ) -> Batch:
        """Gives what was collected as a batch, and begins anew."""
        batch = Batch(
            pl.DataFrame(self._records, schema=RECORD_SCHEMA, orient="row"),
            pl.DataFrame(self._rejects, schema=REJECT_SCHEMA, orient="row"),
            pl.DataFrame(self._furniture, schema=FURNITURE_SCHEMA, orient="row"),
            pl.DataFrame(self._totals, schema=TOTAL_SCHEMA, orient="row"),
            entries_counted,
            shape,
            encoding,
            note,
        )
        self._records, self._rejects, self._furniture, self._totals = [], [], [], []
        return batch


def raw_json(raw: Mapping[str, object]) -> str:
    """JSON text of a record's own columns, in the source's order, every value as given: no padding, case or form is touched.

    What JSON has no form for is all that changes, in the reader: of names that a record holds twice the later ones get a
    number (`title_2`), a column without a name is `column_N`; NaN becomes null, an infinity the text `Infinity`; dates,
    decimals and bytes of Parquet become text. A JSON number keeps its digits (3.10), a CSV cell is a text without the quotes
    around it. A lone surrogate (a byte that is not of the file's encoding) has no UTF-8 form and becomes U+FFFD.

    >>> raw_json({"title": "Über", "year": 2024})
    '{"title": "Über", "year": 2024}'
    """
    return without_surrogates(_ENCODER.encode(raw))


def without_surrogates(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, so that it can be written as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LIST_FIELDS = frozenset(column.name for column in FIELDS if column.dtype.startswith("list<"))


def map_fields(raw: Mapping[str, object], column_map: Mapping[str, str]) -> dict[str, object]:
    """The fields that a record's mapped columns fill, each as text or list of texts; empty values are left out.

    The first column that fills a text field wins; list fields collect. `authors_raw` given as a list goes to
    `author_names_raw`, objects in it as `Family, Given`.

    >>> map_fields({"t": "A", "by": ["Ann Lee", {"given": "Bo", "family": "Li"}]}, {"t": "title_raw", "by": "authors_raw"})
    {'title_raw': 'A', 'author_names_raw': ['Ann Lee', 'Li, Bo']}
    """
    fields: dict[str, object] = {}
    for column, name in column_map.items():
        value = raw.get(column)
        if value is None or value == "" or value == []:
            continue
        if isinstance(value, str) and name not in _LIST_FIELDS:
            if name not in fields:
                fields[name] = without_surrogates(value)
        elif name == "authors_raw" and isinstance(value, list):
            names = [author for author in map(author_text, value) if author]
            if names:
                fields.setdefault("author_names_raw", names)
        elif name in _LIST_FIELDS:
            values = value if isinstance(value, list) else [value]
            known = fields.setdefault(name, [])
            assert isinstance(known, list)
            known.extend(text for text in map(_as_text, values) if text)
        else:
            text = _as_text(value)
            if text:
                fields.setdefault(name, text)
    return fields


def author_text(author: object) -> str:
    """One author of a list as text, an object as `Family, Given`; empty where it names none.

    >>> author_text({"firstName": "Ann", "lastName": "Lee"}), author_text("Bo Li"), author_text({"name": "Cy Day"})
    ('Lee, Ann', 'Bo Li', 'Cy Day')
    """
    if not isinstance(author, Mapping):
        return _as_text(author)
    family, given = (_first_text(author, keys) for keys in (_FAMILY_KEYS, _GIVEN_KEYS))
    return f"{family}, {given}" if family and given else family or given or _first_text(author, _NAME_KEYS)


def _as_text(value: object) -> str:
    if isinstance(value, str):
        text = value
    elif isinstance(value, bool) or value is None:
        return ""
    elif isinstance(value, Sequence):
        text = "; ".join(filter(None, map(_as_text, value)))
    elif isinstance(value, float) and value.is_integer():
        text = str(int(value))
    elif isinstance(value, Mapping):
        return _as_text(value.get("name") or value.get("value") or value.get("title"))
    else:
        text = str(value)
    return without_surrogates(text)


_FAMILY_KEYS = ("family", "family_name", "last_name", "lastname", "lastName")
_GIVEN_KEYS = ("given", "given_name", "first_name", "firstname", "firstName")
_NAME_KEYS = ("name", "fullname", "literal")


def _first_text(values: Mapping[str, object], keys: Sequence[str]) -> str:
    """The first filled value among `keys`, as text."""
    return next(filter(None, (_as_text(values.get(key)) for key in keys)), "")
