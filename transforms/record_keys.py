"""This module makes record keys: what of a record stays the same when its file is dumped again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import orjson
import polars as pl

_KEY_CHARACTERS = 24
"""Hexadecimal digits of SHA-256 in a key: 96 bits, so that among a thousand million records a collision is one in 10¹¹."""

_LONG_NUMBER = "[0-9]{19}"
"""Where there may be a whole number of more than 64 bits, which orjson would round. What else it lacks, it refuses."""

_written = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


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
    # Row by row: Polars' own hash is not the same in every version. 1.5 s for 100,000 records of 1,800 characters.
    long = pl.col("raw").str.contains(_LONG_NUMBER).alias("has_long_number")
    columns = records.select("file_sha256", pl.col("source_key").cast(pl.String), "raw", long).get_columns()
    seen: dict[tuple[str, str], int] = {}
    keys = []
    for file, source_key, text, has_long_number in zip(*(column.to_list() for column in columns), strict=True):
        if has_keys and source_key:
            key = _hashed({"key": source_key, "source": source})
        else:
            key = _raw_key(text, json.loads if has_long_number else orjson.loads)
        place = seen[file, key] = seen.get((file, key), 0) + 1
        keys.append(f"{key}#{place}" if place > 1 else key)
    return pl.Series("record_key", keys, pl.String)


def _raw_key(raw: str, read: Callable[[str], object]) -> str:
    """A hash of the record's own values. Text that is no JSON object (no reader gives such) is hashed as it stands."""
    try:
        values = read(raw)
    except (ValueError, RecursionError):
        if read is not json.loads:
            return _raw_key(raw, json.loads)
        values = raw
    return _hashed(values) if isinstance(values, dict) else _hash(_text("text", raw))


def _hashed(values: dict[str, object]) -> str:
    """A hash of named values but for null and empty ones, whatever their order.

    Strings, which nearly all are, are written as they are: JSON of the whole would take twice as long.
    """
    written = []
    for name in sorted(values):
        value = values[name]
        if isinstance(value, str):
            if value:
                written.append(_text(name, value))
        elif value is not None and value != []:
            text = str(value) if type(value) is int else _written(value)
            written.append(f"{len(name)}:{name}j{len(text)}:{text}")
    return _hash("".join(written))


def _text(name: str, value: str) -> str:
    """Name and value, each with its length before it so that no two lists of values are written alike."""
    return f"{len(name)}:{name}t{len(value)}:{value}"


def _hash(written: str) -> str:
    return "k" + hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARACTERS]
