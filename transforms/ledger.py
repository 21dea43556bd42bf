"""This module proves that nothing was lost: one row a raw file, with what went in and what became of it."""

from __future__ import annotations

import polars as pl


def build_ledger(files: pl.DataFrame, records: pl.DataFrame, rejects: pl.DataFrame, furniture: pl.DataFrame) -> pl.DataFrame:
    """The table `ledger`.

    Args:
        files: One row a raw file: file_sha256, size_bytes, has_spans, entries_counted, entries_joined, records_staged.
        records: The table `records` (clean records, each with its paper).
        rejects: The table `rejects`.
        furniture: The table `furniture`.

    A file balances if every staged record is clean or rejected, and either its spans are disjoint and cover it (bytes
    add up to its size, and no two overlap), or the entries counted another way are its staged records, rejected spans and
    entries joined to a record.
    """
    is_record = pl.col("record_id").is_not_null()
    size = (pl.col("span_end") - pl.col("span_start")).sum()
    clean = records.group_by("file_sha256").agg(pl.len().alias("records_clean"), size.alias("bytes_records"))
    refused = rejects.group_by("file_sha256").agg(
        is_record.sum().alias("records_rejected"), (~is_record).sum().alias("spans_rejected"), size.alias("bytes_rejects")
    )
    other = furniture.group_by("file_sha256").agg(size.alias("bytes_furniture"))
    counts = files.select("file_sha256", "size_bytes", "has_spans", "entries_counted", "entries_joined", "records_staged")
    for part in (clean, refused, other, _overlaps(records, rejects, furniture)):
        counts = counts.join(part, on="file_sha256", how="left")
    byte_columns = ["bytes_records", "bytes_rejects", "bytes_furniture"]
    counted = ["records_clean", "records_rejected", "spans_rejected", "overlap_count", *byte_columns]
    counts = counts.with_columns(pl.col(counted).fill_null(0).cast(pl.Int64))
    bytes_add_up = (pl.sum_horizontal(byte_columns) == pl.col("size_bytes")) & (pl.col("overlap_count") == 0)
    accounted_entries = pl.col("records_staged") + pl.col("spans_rejected") + pl.col("entries_joined")
    entries_add_up = pl.col("entries_counted") == accounted_entries
    accounted = pl.when("has_spans").then(bytes_add_up).otherwise(entries_add_up.fill_null(False))
    return counts.with_columns(
        ((pl.col("records_staged") == pl.col("records_clean") + pl.col("records_rejected")) & accounted).alias("balanced"),
        *(pl.when("has_spans").then(column).alias(column) for column in byte_columns),
    ).drop("has_spans", "overlap_count")


def _overlaps(*tables: pl.DataFrame) -> pl.DataFrame:
    """How many spans of each file begin before the span before them ends: file_sha256, overlap_count."""
    spans = pl.concat([table.select("file_sha256", "span_start", "span_end") for table in tables]).drop_nulls()
    ordered = spans.sort("file_sha256", "span_start", "span_end")
    overlaps = pl.col("span_start") < pl.col("span_end").shift(1).over("file_sha256")
    return ordered.filter(overlaps).group_by("file_sha256").agg(pl.len().alias("overlap_count"))
