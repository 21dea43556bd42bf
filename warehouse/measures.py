"""This module measures what reading made of a raw file, for the gate: its size, records, and which columns had values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from warehouse.work import Output


@dataclass(frozen=True, slots=True)
class FileMeasure:
    """What a raw file turned out to be. `content_bytes` is its size, decompressed where reading could do so.

    `encoding` is that of its text; None where it has none.
    """

    content_bytes: int
    records: int
    verdict: str
    message: str | None
    reader: str | None
    encoding: str | None = None

    @property
    def is_read(self) -> bool:
        """Whether it was read as a list of papers."""
        return self.verdict == "read"


@dataclass(frozen=True, slots=True)
class ColumnMeasure:
    """Which columns the records of a file have, and which fields have a value.

    `counts` says of each column how many records have it or the object it stands in, `fields` which field it fills (None:
    none), `filled` of each field how many records have a value there; `ignored` are columns that sources.toml says to ignore.
    """

    records: int
    counts: Mapping[str, int]
    fields: Mapping[str, str | None]
    ignored: frozenset[str]
    filled: Mapping[str, int]

    def feeding(self, field: str) -> list[str]:
        """The columns that fill a field."""
        return [column for column, filled in self.fields.items() if filled == field]


def measure_file(staged: Output) -> FileMeasure:
    """What the facts of a stage output say of its file; neither a raw file nor a frame is opened."""
    facts = staged.facts()
    names = ("content_bytes", "records", "verdict", "message", "reader", "encoding")
    return FileMeasure(*(facts[name] for name in names))


def measure_columns(staged: Output) -> ColumnMeasure:
    """Which columns the records of a stage output have, and which fields have a value."""
    rows = staged.read("column_map").select("column_name", "field", "decided_by", "record_count").rows()
    counts, fields = Counter[str](), dict[str, str | None]()
    for column, field, _, record_count in rows:
        counts[column] += record_count
        fields[column] = field or fields.get(column)
    ignored = frozenset(column for column, field, decided_by, _ in rows if field is None and decided_by == "config")
    records, filled = _filled(staged)
    return ColumnMeasure(records, counts, fields, ignored, filled)


def added(measures: Iterable[ColumnMeasure]) -> ColumnMeasure:
    """The measure of several files taken together."""
    counts, filled, fields, records = Counter[str](), Counter[str](), dict[str, str | None](), 0
    ignored = frozenset[str]()
    for measure in measures:
        records += measure.records
        counts.update(measure.counts)
        filled.update(measure.filled)
        fields |= {column: field or fields.get(column) for column, field in measure.fields.items()}
        ignored |= measure.ignored
    return ColumnMeasure(records, counts, fields, ignored, filled)


def values_of(staged: Output, columns: Iterable[str], *, most: int | None = None) -> dict[str, list[str]]:
    """The values that are not empty of columns, as text, in the order of the records; of the first `most` where given."""
    values: dict[str, list[str]] = {column: [] for column in columns}
    texts = staged.read("records", ["raw"])["raw"].head(most) if most else staged.read("records", ["raw"])["raw"]
    for text in texts:
        record = json.loads(text)
        for column, found in values.items():
            value = _value(record, column)
            if value not in (None, "", [], {}):
                found.append(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True))
    return values


def _filled(staged: Output) -> tuple[int, dict[str, int]]:
    """How many records a stage output has, and how many of them have a value in each field, by the field's name."""
    import polars as pl

    columns = [name for name in pl.read_parquet_schema(staged.path("records")) if name not in _NO_FIELDS]
    frame = staged.read("records", columns)
    has_value = [
        (pl.col(name).list.len() > 0 if isinstance(dtype, pl.List) else pl.col(name).str.len_bytes() > 0).sum().alias(name)
        for name, dtype in frame.schema.items()
    ]
    row = frame.select(has_value).row(0, named=True)
    return frame.height, {name.removesuffix("_raw"): int(count or 0) for name, count in row.items()}


_NO_FIELDS = ("ordinal", "locator", "span_start", "span_end", "raw")
"""Columns of staged records that no column of a source fills."""


def _value(record: object, path: str) -> object:
    """The value in a column: at a name, at names joined by dots, or at the first of two places that make one value."""
    if isinstance(record, Mapping) and path in record:
        return record[path]
    place = path.partition("|")[0]
    return next((value for part in _places(place) if (value := _walked(record, part)) not in (None, "", [], {})), None)


def _places(place: str) -> Iterator[str]:
    for part in place.split(" - "):
        yield from part.split(" + ")


def _walked(value: object, place: str) -> object:
    """What stands at names joined by dots, through lists too; a name that has dots itself is found as it stands."""
    if isinstance(value, list):
        return [found for inner in value if (found := _walked(inner, place)) not in (None, "", [], {})]
    if not isinstance(value, Mapping):
        return None
    if place in value:
        return value[place]
    name, _, rest = place.partition(".")
    return _walked(value[name], rest) if rest and name in value else None
