"""This module looks into a file without landing it: what it is, what is in it, and where each of its columns would go."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from flows.cleaning import alias_frame, source_defaults
from flows.commands.field_differences import FIELDS
from flows.reading import ReadFile, read_raw_file
from flows.settings import Settings, SourceSettings, load_venue_aliases
from transforms.clean import clean_records
from transforms.readers.shapes_paths import value_at
from transforms.staging import FileFacts, StagedFrames

SAMPLE_RECORDS = 5_000
"""How many records are looked at more closely: enough for what is decided on a column as a whole, such as author separators."""

_SAMPLE_REJECTS = 100
_EXAMPLE_CHARACTERS = 200
_REJECT_COLUMNS = ("reason", "message", "locator", "text")


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file is, and what is in it.

    `columns` has of each column the field it fills and an example. `records` are the first records as cleaning would make
    them, by field, `rejects` the first rejects of reading and of cleaning, which saw the first `SAMPLE_RECORDS` records only.
    """

    name: str
    facts: FileFacts
    compression: str | None
    sniffed: str
    also_considered: tuple[str, ...]
    columns: tuple[dict[str, Any], ...]
    records: tuple[dict[str, Any], ...]
    rejects: tuple[dict[str, Any], ...]
    control_totals: tuple[dict[str, Any], ...]
    clean_reasons: dict[str, int]
    sample_count: int
    span_bytes: int

    @property
    def balances(self) -> bool:
        """Whether every byte, or every entry as counted another way, became part of a record, a reject or furniture."""
        facts = self.facts
        if facts.has_spans:
            return self.span_bytes == facts.content_bytes
        return facts.entries_counted == facts.records + sum(facts.reasons.values()) + facts.entries_joined

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {**dataclasses.asdict(self), "balances": self.balances}


class FirstRows(StagedFrames):
    """A sink that keeps the first rows of each frame, so that the largest file is inspected in bounded memory."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counter[str] = Counter()
        self.span_bytes = 0

    def append(self, name: str, rows: pl.DataFrame) -> None:
        """Takes the next rows of a frame, by its name, and counts the bytes they span."""
        if "span_start" in rows.columns:
            self.span_bytes += rows.select((pl.col("span_end") - pl.col("span_start")).sum()).item()
        room = {"records": SAMPLE_RECORDS, "rejects": _SAMPLE_REJECTS, "furniture": 0}.get(name, rows.height)
        kept = rows.head(max(0, room - self._counts[name]))
        self._counts[name] += kept.height
        if kept.height:
            super().append(name, kept)

    def clear(self) -> None:
        """Drops every row taken so far."""
        self._counts.clear()
        self.span_bytes = 0
        super().clear()


def inspect_file(
    name: str, path: Path, settings: Settings, source: SourceSettings, *, record_count: int, folder: Path
) -> Inspection:
    """What is in the file at `path`, called `name`; nothing is landed.

    It is read as a file of `source`, whose venue, year and columns hold for it. `record_count` is how many of its first records
    to show; what is compressed is taken out into a temporary file in `folder`.

    Raises:
        OSError: the file cannot be read now.
    """
    frames = FirstRows()
    read = read_raw_file(path, settings, source, frames, folder)
    staged = frames.frame("records")
    cleaned = clean_records(
        staged.with_columns(file_sha256=pl.lit(name)),
        source=source_defaults(source),
        venue_aliases=alias_frame(load_venue_aliases(settings)),
    )
    shown = cleaned.records.head(record_count).join(staged.select("ordinal", "locator"), on="ordinal", maintain_order="left")
    unread, refused = (frame.select(_REJECT_COLUMNS).to_dicts() for frame in (frames.frame("rejects"), cleaned.rejects))
    raw = [json.loads(text) for text in staged["raw"].head(200)]
    return Inspection(
        name=name,
        facts=read.facts,
        compression=read.compression,
        sniffed=read.sniffed,
        also_considered=_also_considered(read),
        columns=tuple({**row, "example": _example(raw, row["column_name"])} for row in frames.frame("column_map").to_dicts()),
        records=tuple(_shown(row) for row in shown.to_dicts()),
        rejects=(*unread, *refused),
        control_totals=tuple(frames.frame("control_totals").to_dicts()),
        clean_reasons=dict(Counter(row["reason"] for row in refused)),
        sample_count=staged.height,
        span_bytes=frames.span_bytes,
    )


def _also_considered(read: ReadFile) -> tuple[str, ...]:
    """The readers that saw something of theirs in the file, but the one that reads it."""
    others = [candidate for candidate in read.candidates if candidate.reader_name != read.facts.reader]
    return tuple(f"{other.reader_name} {other.confidence:.2f}: {other.reason}" for other in others if other.confidence >= 0.1)


def _example(records: Sequence[Mapping[str, object]], column_name: str) -> str:
    """The first value of a column that is not empty, as text."""
    for record in records:
        value = record.get(column_name) if column_name in record else value_at(record, column_name)
        if value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            return text[:_EXAMPLE_CHARACTERS]
    return ""


def _shown(record: Mapping[str, Any]) -> dict[str, Any]:
    """The filled fields of a clean record."""
    authors = [author["name"] for author in record["authors"] or []]
    identifiers = [f"{entry['scheme']} {entry['value']}" for entry in record["identifiers"] or []]
    links = [link["url"] for link in record["links"] or []]
    fields = {
        **record,
        "record": f"{record['ordinal']} ({record['locator']})",
        "authors": authors,
        "identifiers": identifiers,
        "links": links,
    }
    return {name: fields[name] for name in _SHOWN if fields[name] not in (None, [], {})}


_SHOWN = ("record", *(name for name in FIELDS if name != "abstract"), "identifiers", "links", "abstract")
"""What is shown of a record, in this order; an abstract is long, so it comes last."""
