"""This module stages one raw file: finds its reader, reads it batch by batch, and tells what it was."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

import polars as pl

from transforms.frames import polars_schema
from transforms.readers.base import (
    FURNITURE_SCHEMA,
    REJECT_SCHEMA,
    SAMPLE_BYTES,
    TOTAL_SCHEMA,
    Batch,
    BatchBuilder,
    RawFile,
    ReadError,
)
from transforms.readers.columns import given_columns
from transforms.readers.field_values import without_surrogates
from transforms.readers.mapping import COLUMN_SCHEMA
from transforms.readers.registry import Choice, sniff
from transforms.regrouping import Regrouping
from transforms.schemas import COLUMN_MAP
from transforms.staged_schemas import STAGED_RECORDS

COLUMN_MAP_SCHEMA = polars_schema(column for column in COLUMN_MAP.columns if column.name != "file_sha256")
_STAGED_SCHEMA = polars_schema(STAGED_RECORDS.columns)

STAGED_SCHEMAS: dict[str, pl.Schema] = {
    "records": _STAGED_SCHEMA,
    "rejects": REJECT_SCHEMA,
    "furniture": FURNITURE_SCHEMA,
    "control_totals": TOTAL_SCHEMA,
    "column_map": COLUMN_MAP_SCHEMA,
}
"""The frames that staging gives, with their schemas."""


class Sink(Protocol):
    """What takes the frames in `STAGED_SCHEMAS` as they are read."""

    def append(self, name: str, rows: pl.DataFrame) -> None:
        """Takes the next rows of a frame, by its name."""

    def clear(self) -> None:
        """Drops every row taken so far."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file turned out to be; the columns of `raw_files` and `ledger` that only its reading can tell.

    `records` is how many were staged, `reasons` the rejects by reason.
    """

    content_bytes: int
    reader: str | None
    form: str | None
    shape: str | None
    encoding: str | None
    sniff_confidence: float | None
    verdict: str
    message: str | None
    has_spans: bool
    entries_counted: int | None
    entries_joined: int
    records: int
    reasons: dict[str, int]


class StagedFrames:
    """A sink that keeps what it takes in memory."""

    def __init__(self) -> None:
        self._rows: dict[str, list[pl.DataFrame]] = {name: [] for name in STAGED_SCHEMAS}

    def append(self, name: str, rows: pl.DataFrame) -> None:
        """Takes the next rows of a frame, by its name."""
        self._rows[name].append(rows)

    def clear(self) -> None:
        """Drops every row taken so far."""
        for rows in self._rows.values():
            rows.clear()

    def frame(self, name: str) -> pl.DataFrame:
        """All rows of a frame."""
        return pl.concat([STAGED_SCHEMAS[name].to_frame(), *self._rows[name]], rechunk=False)


def stage_file(raw_file: RawFile, sink: Sink, choice: Choice | None = None) -> FileFacts:
    """Reads a raw file and hands on, batch by batch, everything that is in it.

    `choice` is what `sniff` says of it, where that is known. A file that no reader takes, or that its reader gives up or
    fails on, is one reject and nothing else.

    Raises:
        OSError: the file cannot be read now.
    """
    choice = choice or sniff(raw_file)
    if choice.reader is None:
        return reject_file(raw_file, sink, choice.reason, choice.message, choice)
    staging = _Staging(sink, None if choice.reader.has_spans else Regrouping(raw_file.limits.document_bytes))
    try:
        with given_columns(raw_file.columns):
            for batch in choice.reader.read(raw_file):
                staging.add(batch)
    except ReadError as error:
        return reject_file(raw_file, sink, error.reason, str(error), choice)
    except (OSError, MemoryError):
        raise  # of this machine, not of the file: no verdict on the file must be kept for it
    except Exception as error:  # noqa: BLE001 - a reader's bug must cost its file, not the night's run; the report shows it
        kind = type(error).__name__
        message = f"the reader {choice.reader.name} failed on this file ({kind}: {error}); please report it with the file"
        return reject_file(raw_file, sink, "reader_failed", message, choice)
    return staging.finish(raw_file, choice)


def reject_file(raw_file: RawFile, sink: Sink, reason: str, message: str, choice: Choice | None = None) -> FileFacts:
    """Makes one reject, which spans all of the file, of whatever was read of it."""
    sink.clear()
    message = without_surrogates(message)  # it may name columns, whose bytes need not be of the file's encoding
    with raw_file.path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
    text = "" if b"\0" in head else head.decode("utf-8", "surrogateescape")
    builder = BatchBuilder()
    span = (0, raw_file.size_bytes)
    builder.reject(reason, message, text=text, locator=f"bytes {span[0]}-{span[1]}", span=span)
    sink.append("rejects", builder.take().rejects)
    reader = choice.reader if choice else None
    return FileFacts(
        content_bytes=raw_file.size_bytes,
        reader=reader.name if reader else None,
        form=None,
        shape=None,
        encoding=None,
        sniff_confidence=choice.confidence if choice and reader else None,
        verdict="not_a_paper_list" if reader is None or reason == "not_a_paper_list" else "unreadable",
        message=message,
        has_spans=True,
        entries_counted=None,
        entries_joined=0,
        records=0,
        reasons={reason: 1},
    )


@dataclass
class _Staging:
    """A file as it is being read: what its batches said of it so far."""

    sink: Sink
    regrouping: Regrouping | None
    records: int = 0
    entries_counted: int = 0
    form: str | None = None
    encoding: str | None = None
    note: str | None = None
    reasons: Counter[str] = field(default_factory=Counter)
    columns: list[pl.DataFrame] = field(default_factory=list)

    def add(self, batch: Batch) -> None:
        """Hands on the rows of a batch."""
        self._add_records(self.regrouping.take(batch.records) if self.regrouping else batch.records)
        self.sink.append("rejects", batch.rejects)
        self.sink.append("furniture", batch.furniture)
        self.sink.append("control_totals", batch.control_totals)
        self.entries_counted += batch.entries_counted or 0
        self.form, self.encoding = batch.form or self.form, batch.encoding or self.encoding
        self.note = batch.note or self.note
        self.reasons.update(batch.rejects["reason"].to_list())
        self.columns.append(batch.columns)

    def _add_records(self, records: pl.DataFrame) -> None:
        ordinal = pl.int_range(1, pl.len() + 1, dtype=pl.Int64) + self.records
        self.sink.append("records", records.with_columns(ordinal=ordinal).match_to_schema(_STAGED_SCHEMA))
        self.records += records.height

    def finish(self, raw_file: RawFile, choice: Choice) -> FileFacts:
        """Hands on the column map; what the file turned out to be."""
        assert choice.reader is not None, "only a file that is read comes here"
        if self.regrouping and (papers := self.regrouping.rest()) is not None:
            self._add_records(papers)
        notes = [note for note in (self.note, self.regrouping.note if self.regrouping else None) if note]
        columns = pl.concat([COLUMN_SCHEMA.to_frame(), *self.columns])
        self.sink.append("column_map", _column_map(columns))
        shapes = columns["shape"].drop_nulls().unique(maintain_order=True).to_list()
        return FileFacts(
            content_bytes=raw_file.size_bytes,
            reader=choice.reader.name,
            form=self.form and without_surrogates(self.form),
            shape=", ".join(shapes) or None,
            encoding=self.encoding,
            sniff_confidence=choice.confidence,
            verdict="read",
            message=without_surrogates("; ".join(notes)) or None,
            has_spans=choice.reader.has_spans,
            entries_counted=None if choice.reader.has_spans else self.entries_counted,
            entries_joined=self.regrouping.entries_joined if self.regrouping else 0,
            records=self.records,
            reasons=dict(self.reasons),
        )


def _column_map(columns: pl.DataFrame) -> pl.DataFrame:
    """The rows of `column_map` for one file, from what the mapper said batch by batch (`mapping.COLUMN_SCHEMA`)."""
    columns = columns.with_columns(pl.col("field").str.strip_suffix("_raw"))
    together = columns.group_by("column_name", "field", "decided_by", maintain_order=True).agg(pl.col("record_count").sum())
    return together.with_row_index("position", offset=1).cast({"position": pl.Int32}).match_to_schema(COLUMN_MAP_SCHEMA)
