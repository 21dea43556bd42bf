"""This module makes record keys: what of a record stays the same when its file is dumped again."""

from __future__ import annotations

import hashlib
import json

import polars as pl

_KEY_CHARACTERS = 24
"""Hexadecimal digits of SHA-256 in a key: 96 bits, so that among a thousand million records a collision is one in 10¹¹."""


def record_keys(records: pl.DataFrame, *, source: str, has_keys: bool) -> pl.Series:
    """The key of each record, in the order of the rows; `records` has ordinal, source_key and raw, and is one file.

    Where the source has keys of its own and the record has one: a hash of source and key; else a hash of the raw values,
    whatever their order, those that are null or empty left out. `#2`, `#3`, … for the n-th record with an equal key, in
    order of ordinal.

    >>> raw = ['{"title": "A", "year": 2024}', '{"year": 2024, "title": "A", "doi": ""}', '{"title": "B"}']
    >>> rows = pl.DataFrame({"ordinal": [1, 2, 3], "source_key": [None, None, None], "raw": raw})
    >>> record_keys(rows, source="command_line", has_keys=False).to_list()
    ['k72bbb2bbeb0fa76c9b7663ea', 'k72bbb2bbeb0fa76c9b7663ea#2', 'ka1a06dd13348c8b021ec36ab']
    """
    keys = [
        _key(["key", source, source_key]) if has_keys and source_key else _raw_key(raw)
        for source_key, raw in records.select(pl.col("source_key").cast(pl.String), "raw").iter_rows()
    ]
    appearance = pl.int_range(1, pl.len() + 1).over("key", order_by="ordinal")
    return (
        records.select("ordinal", pl.Series("key", keys, pl.String))
        .select(pl.when(appearance > 1).then(pl.format("{}#{}", "key", appearance)).otherwise("key").alias("record_key"))
        .to_series()
    )


def _raw_key(raw: str) -> str:
    """A hash of the record's own values. Text that is no JSON object (no reader gives such) is hashed as it stands."""
    try:
        values = json.loads(raw)
    except ValueError:
        return _key(["text", raw])
    if isinstance(values, dict):
        values = {name: value for name, value in values.items() if value is not None and value != "" and value != []}
    return _key(values)


def _key(values: object) -> str:
    canonical = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "k" + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARACTERS]
