"""This module hides from matching what is to have no say in it, to measure what the rest can do."""

from __future__ import annotations

import polars as pl


def without_identifiers(records: pl.DataFrame) -> pl.DataFrame:
    """`records` (or their own features, which have the same column) as if no source had given an identifier."""
    return records.with_columns(pl.lit([], records.schema["identifiers"]).alias("identifiers"))
