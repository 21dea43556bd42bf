"""This module notes what cleaning has to say of single values: placeholders and serial numbers taken out, texts cut short."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from transforms.authors import is_cut_list
from transforms.dates import year
from transforms.frames import polars_schema
from transforms.numbering import number
from transforms.placeholders import without_placeholder
from transforms.schemas import RECORD_NOTES

_VALUE_CHARACTERS = 1_000
"""How much of a value is kept: a placeholder is short, and the whole value stands in `raw`."""


def record_notes(staged: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """What there is to say of the fields of clean records: the columns of `schemas.RECORD_NOTES` and file_sha256, sorted.

    `staged` and `records` are the same records in the same order, before and after cleaning.
    """
    columns = [name for name in records.columns if name not in staged.columns]
    both = pl.concat([staged.with_columns(is_cut_list=is_cut_list(staged)), records.select(columns)], how="horizontal")
    schema = {"file_sha256": pl.String(), **polars_schema(RECORD_NOTES.columns)}
    notes = [
        both.filter(is_so).select(
            "file_sha256",
            "record_id",
            pl.lit(field).alias("field"),
            pl.lit(note).alias("note"),
            value.str.slice(0, _VALUE_CHARACTERS).alias("value"),
        )
        for field, note, value, is_so in _notes()
        # There is nothing to say of what no record has, and it is asked of most columns of most files.
        if any(staged[name].null_count() < staged.height for name in value.meta.root_names())
    ]
    return pl.concat([pl.Schema(schema).to_frame(), *notes]).sort("file_sha256", *RECORD_NOTES.sort_key)


def _notes() -> Iterator[tuple[str, str, pl.Expr, pl.Expr]]:
    """Field, note, the value as given, and whether there is such a note, of each kind of note."""
    for field in ("title", "abstract", "type", "volume", "pages", "publisher"):
        given = pl.col(f"{field}_raw")
        yield field, "placeholder", given, pl.col(field).is_null() & _is_filled(given)
    # What stands in these columns may come from elsewhere.
    for field, clean in (("number", number(pl.col("number_raw"))), ("venue", without_placeholder(pl.col("venue_raw"), "na"))):
        given = pl.col(f"{field}_raw")
        yield field, "placeholder", given, clean.is_null() & _is_filled(given)
    yield (
        "number",
        "serial",
        pl.col("number_raw"),
        pl.col("number").ne_missing(number(pl.col("number_raw"))) & number(pl.col("number_raw")).is_not_null(),
    )
    names = pl.coalesce(pl.col("author_names_raw").list.join("; "), "authors_raw")
    yield "authors", "placeholder", names, (pl.col("authors").list.len() == 0) & _is_filled(names)
    yield "authors", "cut", names, pl.col("is_cut_list")
    for field in ("title", "abstract"):
        yield field, "cut", pl.col(f"{field}_raw"), pl.col(f"{field}_is_cut") & pl.col(field).is_not_null()
    for field, is_read in (("year", year(pl.col("year_raw")).is_not_null()), ("doi", _has_identifier())):
        given = pl.col(f"{field}_raw")
        is_placeholder = without_placeholder(given, "na", r"n\.? ?d\.?", "in press", "forthcoming").is_null()
        yield field, "placeholder", given, ~is_read & _is_filled(given) & is_placeholder
        yield field, "unreadable", given, ~is_read & _is_filled(given) & ~is_placeholder


def _is_filled(given: pl.Expr) -> pl.Expr:
    return given.is_not_null() & (given.str.strip_chars() != "")


def _has_identifier() -> pl.Expr:
    """Whether a record has an identifier that stands in the column of the DOI: a DOI, or an arXiv id it names."""
    schemes = pl.col("identifiers").list.eval(pl.element().struct.field("scheme"))
    return schemes.list.contains("doi") | schemes.list.contains("arxiv")
