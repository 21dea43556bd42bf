"""This module puts the tables of a release together from what the stages made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from transforms.aliases import aliases_of_all
from transforms.frames import conform, polars_schema
from transforms.ledger import build_ledger
from transforms.merge import merge_records
from transforms.relations import paper_relations
from transforms.schemas import COLUMN_MAP, CONTROL_TOTALS, FURNITURE, RAW_FILES, RECORD_NOTES, RECORDS, REJECTS, TABLES, Table
from transforms.staged_schemas import CLEAN_RECORDS


@dataclass(frozen=True, slots=True)
class FileFrames:
    """What staging and cleaning made of one raw file; the frames are those of `staging.StagedFile` and `clean.Cleaned`.

    `facts` holds the file's columns of `raw_files`, `content_bytes`, `has_spans`, `entries_counted` and `entries_joined`.
    """

    file_sha256: str
    facts: Mapping[str, object]
    staged: pl.DataFrame
    stage_rejects: pl.DataFrame
    furniture: pl.DataFrame
    control_totals: pl.DataFrame
    column_map: pl.DataFrame
    clean: pl.DataFrame
    clean_rejects: pl.DataFrame
    clean_notes: pl.DataFrame


@dataclass(frozen=True, slots=True)
class PreviousRelease:
    """What an earlier release says of ids: its `records` with record_key and paper_id, and its `paper_aliases`."""

    records: pl.DataFrame
    paper_aliases: pl.DataFrame


def build_tables(
    files: Sequence[FileFrames],
    pairs: pl.DataFrame,
    clusters: pl.DataFrame,
    *,
    precedence: Mapping[str, int],
    previous: Sequence[PreviousRelease],
) -> dict[str, pl.DataFrame]:
    """Every table of a release but `checks`, by name, each as its contract says.

    `pairs` and `clusters` are what matching found over the clean records of all files; `precedence` is a number by
    file_sha256, the lesser one winning where records disagree. `previous` are the releases whose ids are to resolve, the
    current one first.

    Raises:
        SchemaError: a table breaks its contract.
    """
    clean = concat_clean([file.clean for file in files])
    merged = merge_records(clean, clusters, precedence=precedence)
    records = _records(files, clean, merged.record_papers)
    rejects = _of_each(files, REJECTS, _rejects)
    furniture = _of_each(files, FURNITURE, lambda file: file.furniture)
    aliases = aliases_of_all(
        [(release.records, release.paper_aliases) for release in previous], records.select("record_key", "paper_id")
    )
    tables = {
        "papers": merged.papers,
        "authorships": merged.authorships,
        "identifiers": merged.identifiers,
        "links": merged.links,
        "records": records,
        "record_notes": _of_each(files, RECORD_NOTES, lambda file: file.clean_notes),
        "field_origins": merged.field_origins,
        "paper_matches": pairs,
        "paper_relations": paper_relations(pairs, records.select("record_key", "paper_id")),
        "paper_aliases": aliases,
        "rejects": rejects,
        "furniture": furniture,
        "raw_files": _raw_files(files),
        "control_totals": _of_each(files, CONTROL_TOTALS, lambda file: file.control_totals),
        "column_map": _of_each(files, COLUMN_MAP, lambda file: file.column_map),
        "ledger": build_ledger(_counts(files), records, rejects, furniture),
    }
    return {name: conform(frame, TABLES[name]) for name, frame in tables.items()}


def concat_clean(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The clean records of several files as one frame, in the order of their hash and their place in the file."""
    empty = polars_schema(CLEAN_RECORDS.columns).to_frame()
    return pl.concat([empty, *frames]).sort("file_sha256", "ordinal")


def _records(files: Sequence[FileFrames], clean: pl.DataFrame, record_papers: pl.DataFrame) -> pl.DataFrame:
    """The table `records`: clean records with their place and raw text from staging, and their paper."""
    places = ["ordinal", "locator", "span_start", "span_end", "source_key", "raw"]
    as_given = [file.staged.select(pl.lit(file.file_sha256).alias("file_sha256"), *places) for file in files]
    known = clean.select("record_id", "record_key", "file_sha256", "ordinal").join(record_papers, on="record_id", how="left")
    if not as_given:
        return polars_schema(RECORDS.columns).to_frame()
    return known.join(pl.concat(as_given), on=["file_sha256", "ordinal"], how="left")


def _rejects(file: FileFrames) -> pl.DataFrame:
    columns = [name for name in REJECTS.column_names() if name not in ("file_sha256", "record_id", "stage")]
    unread = file.stage_rejects.select(pl.lit(None, pl.String).alias("record_id"), pl.lit("stage").alias("stage"), *columns)
    refused = file.clean_rejects.select("record_id", pl.lit("clean").alias("stage"), *columns)
    return pl.concat([unread, refused])


def _of_each(files: Sequence[FileFrames], table: Table, frame_of_file: Callable[[FileFrames], pl.DataFrame]) -> pl.DataFrame:
    """A table of the rows that `frame_of_file` gives for each file, with the file's hash beside them."""
    frames = [
        frame_of_file(file).with_columns(pl.lit(file.file_sha256).alias("file_sha256")).select(table.column_names())
        for file in files
    ]
    return pl.concat([polars_schema(table.columns).to_frame(), *frames])


def _raw_files(files: Sequence[FileFrames]) -> pl.DataFrame:
    rows = [
        {name: file.facts.get(name) for name in RAW_FILES.column_names()} | {"file_sha256": file.file_sha256} for file in files
    ]
    return pl.DataFrame(rows, schema=polars_schema(RAW_FILES.columns), orient="row")


def _counts(files: Sequence[FileFrames]) -> pl.DataFrame:
    """What the ledger needs of each file: its size, how it is accounted for, and how many records were staged."""
    schema = {
        "file_sha256": pl.String(),
        "size_bytes": pl.Int64(),
        "has_spans": pl.Boolean(),
        "entries_counted": pl.Int64(),
        "entries_joined": pl.Int64(),
        "records_staged": pl.Int64(),
    }
    rows = [
        {
            "file_sha256": file.file_sha256,
            "records_staged": file.staged.height,
            "size_bytes": file.facts["content_bytes"],
            **{name: file.facts[name] for name in ("has_spans", "entries_counted", "entries_joined")},
        }
        for file in files
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
