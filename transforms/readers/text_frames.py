"""This module turns rows of texts into staged records column by column, exactly as `BatchBuilder.record` does one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring

import polars as pl

from transforms.readers.base import RECORD_SCHEMA
from transforms.readers.mapping import Mapped


def text_records(
    names: Sequence[str], rows: Sequence[Sequence[str]], locators: Iterable[str], mapped: Mapped
) -> pl.DataFrame | None:
    """The records of rows that have a text for each name (`RECORD_SCHEMA`).

    None where a text is not of the file's encoding (a lone surrogate), or a field stands elsewhere than in a column of its own.
    """
    if not mapped.is_flat or not rows:
        return None
    try:
        columns = dict(zip(names, zip(*rows, strict=False), strict=False))
        cells = pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String))
        template = "{" + ", ".join(f"{encode_basestring(name).replace('%', '%%')}: %s" for name in names) + "}"
        encoded = zip(*(map(encode_basestring, column) for column in columns.values()), strict=True)
        raw = pl.Series("raw", [template % row for row in encoded], pl.String)
    except UnicodeEncodeError:
        return None
    records = cells.select(_fields(mapped)) if mapped.paths else pl.DataFrame(height=len(rows))
    records = records.with_columns(raw, pl.Series("locator", list(locators), pl.String))
    return records.match_to_schema(RECORD_SCHEMA, missing_columns="insert")


def _fields(mapped: Mapped) -> list[pl.Expr]:
    """The fields that the columns fill: of a text the first that is not empty, of a list all that are not."""
    by_field: dict[str, list[pl.Expr]] = {}
    for name, field in mapped.paths.items():
        filled = pl.when(pl.col(name) != "").then(pl.col(name))
        by_field.setdefault(field, []).append(filled)
    expressions = []
    for field, columns in by_field.items():
        if isinstance(RECORD_SCHEMA[field], pl.List):
            texts = pl.concat_list(columns).list.drop_nulls()
            expressions.append(pl.when(texts.list.len() > 0).then(texts).alias(field))
        else:
            expressions.append(pl.coalesce(columns).alias(field))
    return expressions
