"""This module puts the tables of a release together from what the stages made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from transforms.aliases import aliases_of_all
from transforms.frames import conform, polars_schema
from transforms.ledger import build_ledger
from transforms.merge import merge_records
from transforms.relations import paper_relations
from transforms.schemas import FURNITURE, RAW_FILES, REJECTS, TABLES


@dataclass(frozen=True, slots=True)
class FileTables:
    """What staging and cleaning made of all raw files: the frames of `staging.StagedFile` and `clean.Cleaned`.

    Each frame holds the rows of all files, told apart by its column `file_sha256`. `facts` has for each file, by its hash, the
    columns of `raw_files`, `content_bytes`, `has_spans`, `entries_counted` and `entries_joined`.
    """

    facts: Mapping[str, Mapping[str, object]]
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
    files: FileTables,
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
    merged = merge_records(files.clean, clusters, precedence=precedence)
    records = _records(files.staged, files.clean, merged.record_papers)
    rejects = _rejects(files)
    aliases = aliases_of_all(
        [(release.records, release.paper_aliases) for release in previous], records.select("record_key", "paper_id")
    )
    of_papers = {name: getattr(merged, name) for name in ("papers", "authorships", "identifiers", "links", "field_origins")}
    others = {
        "records": records,
        "record_notes": files.clean_notes,
        "paper_matches": pairs,
        "paper_relations": paper_relations(pairs, records.select("record_key", "paper_id")),
        "paper_aliases": aliases,
        "rejects": rejects,
        "furniture": files.furniture,
        "raw_files": _raw_files(files.facts),
        "control_totals": files.control_totals,
        "column_map": files.column_map,
        "ledger": build_ledger(_counts(files), records, rejects, files.furniture.select(FURNITURE.column_names())),
    }
    return of_papers | {name: conform(frame, TABLES[name]) for name, frame in others.items()}


def _records(staged: pl.DataFrame, clean: pl.DataFrame, record_papers: pl.DataFrame) -> pl.DataFrame:
    """The table `records`: clean records with their place and raw text from staging, and their paper."""
    places = staged.select("file_sha256", "ordinal", "locator", "span_start", "span_end", "source_key", "raw")
    known = clean.select("record_id", "record_key", "file_sha256", "ordinal").join(record_papers, on="record_id", how="left")
    return known.join(places, on=["file_sha256", "ordinal"], how="left")


def _rejects(files: FileTables) -> pl.DataFrame:
    """The table `rejects`: what could not be read, and what could not be cleaned."""
    columns = [name for name in REJECTS.column_names() if name not in ("record_id", "stage")]
    unread = files.stage_rejects.select(pl.lit(None, pl.String).alias("record_id"), pl.lit("stage").alias("stage"), *columns)
    refused = files.clean_rejects.select("record_id", pl.lit("clean").alias("stage"), *columns)
    return pl.concat([unread, refused]).select(REJECTS.column_names())


def _raw_files(facts: Mapping[str, Mapping[str, object]]) -> pl.DataFrame:
    columns = RAW_FILES.column_names()
    rows = [{name: told.get(name) for name in columns} | {"file_sha256": sha256} for sha256, told in facts.items()]
    return pl.DataFrame(rows, schema=polars_schema(RAW_FILES.columns), orient="row")


def _counts(files: FileTables) -> pl.DataFrame:
    """What the ledger needs of each file: its size, how it is accounted for, and how many records were staged."""
    schema = {
        "file_sha256": pl.String(),
        "size_bytes": pl.Int64(),
        "has_spans": pl.Boolean(),
        "entries_counted": pl.Int64(),
        "entries_joined": pl.Int64(),
        "records_staged": pl.Int64(),
    }
    staged = dict(files.staged.group_by("file_sha256").len().iter_rows())
    rows = [
        {
            "file_sha256": sha256,
            "records_staged": staged.get(sha256, 0),
            "size_bytes": told["content_bytes"],
            **{name: told[name] for name in ("has_spans", "entries_counted", "entries_joined")},
        }
        for sha256, told in files.facts.items()
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
