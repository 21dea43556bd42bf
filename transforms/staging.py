"""This module stages one raw file: finds its reader, reads it, and gives its records, rejects and furniture as frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from transforms.frames import polars_schema
from transforms.readers.base import (
    FURNITURE_SCHEMA,
    RECORD_SCHEMA,
    REJECT_SCHEMA,
    SAMPLE_BYTES,
    TOTAL_SCHEMA,
    Batch,
    BatchBuilder,
    RawFile,
    ReadError,
)
from transforms.readers.registry import Choice, sniff
from transforms.schemas import STAGED_RECORDS

_STAGED_SCHEMA = polars_schema(STAGED_RECORDS.columns)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file turned out to be; the columns of `raw_files` and `ledger` that only its reading can tell."""

    size_bytes: int
    reader: str | None
    shape: str | None
    encoding: str | None
    sniff_confidence: float | None
    verdict: str
    message: str | None
    has_spans: bool
    entries_counted: int | None


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file as staged: `records` has the schema STAGED_RECORDS, the others those of `readers.base`."""

    records: pl.DataFrame
    rejects: pl.DataFrame
    furniture: pl.DataFrame
    control_totals: pl.DataFrame
    facts: FileFacts


def stage_file(raw_file: RawFile) -> StagedFile:
    """Everything that is in a raw file. A file that no reader takes, or that its reader gives up or fails on, is one reject.

    Raises:
        OSError: the file cannot be read now.
    """
    choice = sniff(raw_file)
    if choice.reader is None:
        return _rejected(raw_file, choice, choice.reason, choice.message)
    try:
        batches = list(choice.reader.read(raw_file))
    except ReadError as error:
        return _rejected(raw_file, choice, error.reason, str(error))
    except (OSError, MemoryError):
        raise  # of this machine, not of the file: no verdict on the file must be kept for it
    except Exception as error:  # noqa: BLE001 - a reader's bug must cost its file, not the night's run; the report shows it
        kind = type(error).__name__
        message = f"the reader {choice.reader.name} failed on this file ({kind}: {error}); please report it with the file"
        return _rejected(raw_file, choice, "reader_failed", message)
    facts = FileFacts(
        size_bytes=raw_file.size_bytes,
        reader=choice.reader.name,
        shape=_last(batch.shape for batch in batches),
        encoding=_last(batch.encoding for batch in batches),
        sniff_confidence=choice.confidence,
        verdict="read",
        message=_last(batch.note for batch in batches),
        has_spans=choice.reader.has_spans,
        entries_counted=None if choice.reader.has_spans else sum(batch.entries_counted or 0 for batch in batches),
    )
    return _staged(batches, facts)


def _rejected(raw_file: RawFile, choice: Choice, reason: str, message: str) -> StagedFile:
    """A file as one reject, which spans all of it."""
    with raw_file.path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
    text = "" if b"\0" in head else head.decode("utf-8", "surrogateescape")
    builder = BatchBuilder({})
    span = (0, raw_file.size_bytes)
    builder.reject(reason, message, text=text, locator=f"bytes {span[0]}-{span[1]}", span=span)
    facts = FileFacts(
        size_bytes=raw_file.size_bytes,
        reader=choice.reader.name if choice.reader else None,
        shape=None,
        encoding=None,
        sniff_confidence=choice.confidence if choice.reader else None,
        verdict="not_a_paper_list" if choice.reader is None or reason == "not_a_paper_list" else "unreadable",
        message=message,
        has_spans=True,
        entries_counted=None,
    )
    return _staged([builder.take()], facts)


def _staged(batches: list[Batch], facts: FileFacts) -> StagedFile:
    records = _concat((batch.records for batch in batches), RECORD_SCHEMA)
    return StagedFile(
        records.with_row_index("ordinal", offset=1)
        .with_columns(pl.col("ordinal").cast(pl.Int64))
        .match_to_schema(_STAGED_SCHEMA),
        _concat((batch.rejects for batch in batches), REJECT_SCHEMA),
        _concat((batch.furniture for batch in batches), FURNITURE_SCHEMA),
        _concat((batch.control_totals for batch in batches), TOTAL_SCHEMA),
        facts,
    )


def _concat(frames: Iterable[pl.DataFrame], schema: pl.Schema) -> pl.DataFrame:
    """The rows of all frames; an empty frame of the schema where there are none."""
    return pl.concat([schema.to_frame(), *frames], how="vertical", rechunk=False)


def _last(values: Iterator[str | None]) -> str | None:
    found = [value for value in values if value is not None]
    return found[-1] if found else None
