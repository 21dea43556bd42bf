"""This module makes record keys: what of a record stays the same when its file is dumped again."""

from __future__ import annotations

import hashlib
import json

import polars as pl

_KEY_CHARACTERS = 24
"""Hexadecimal digits of SHA-256 in a key: 96 bits, so that among a thousand million records a collision is one in 10¹¹."""


def record_keys(records: pl.DataFrame, *, source: str, has_keys: bool) -> pl.Series:
    """The key of each record; `records` has file_sha256, source_key and raw, and stands in the order of each file.

    Where the source has keys of its own and the record has one: a hash of source and key; else a hash of the raw values,
    whatever their order, those that are null or empty left out. `#2`, `#3`, … for the n-th record with an equal key in
    its file.

    >>> raw = ['{"title": "A", "year": 2024}', '{"year": 2024, "title": "A", "doi": ""}', '{"title": "B"}']
    >>> rows = pl.DataFrame({"file_sha256": ["f"] * 3, "source_key": [None] * 3, "raw": raw})
    >>> record_keys(rows, source="command_line", has_keys=False).to_list()
    ['k4baa1fddc522073a7a01976e', 'k4baa1fddc522073a7a01976e#2', 'k7b61e38856508033df4cb0f2']
    """
    # Row by row: Polars' own hash is not the same in every version. 0.7 s for 100,000 records with abstracts.
    seen: dict[tuple[str, str], int] = {}
    keys = []
    for file, source_key, raw in records.select("file_sha256", pl.col("source_key").cast(pl.String), "raw").iter_rows():
        key = _hashed([("key", source_key), ("source", source)]) if has_keys and source_key else _raw_key(raw)
        place = seen[file, key] = seen.get((file, key), 0) + 1
        keys.append(f"{key}#{place}" if place > 1 else key)
    return pl.Series("record_key", keys, pl.String)


def _raw_key(raw: str) -> str:
    """A hash of the record's own values. Text that is no JSON object (no reader gives such) is hashed as it stands."""
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError):
        values = raw
    if not isinstance(values, dict):
        return _hashed([("text", raw)])
    return _hashed(sorted((name, value) for name, value in values.items() if value is not None and value != "" and value != []))


def _hashed(values: list[tuple[str, object]]) -> str:
    """A hash of named values, each written with its length before it so that no two lists of values are written alike.

    Strings, which nearly all are, are written as they are: JSON of the whole would take twice as long.
    """
    written = []
    for name, value in values:
        if isinstance(value, str):
            written.append(f"{len(name)}:{name}t{len(value)}:{value}")
        else:
            text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
            written.append(f"{len(name)}:{name}j{len(text)}:{text}")
    return "k" + hashlib.sha256("".join(written).encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARACTERS]
