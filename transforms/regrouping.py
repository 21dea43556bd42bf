"""This module joins the rows of a table that has one row an author into one record a paper.

Whether a table is such is decided on its first batch as a whole: most rows then share their title, and whatever else tells the
paper, with another row, and differ from it in their author, who is a single person. A list with doubles, whose rows repeat
the authors too, is none, nor is a list of one author a paper.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache

import polars as pl

from transforms.author_lists import split_author_lists
from transforms.frames import polars_schema
from transforms.readers.base import raw_json
from transforms.readers.field_values import as_text
from transforms.readers.limits import more_than
from transforms.staged_schemas import FIELDS

MIN_SHARED_RATIO = 0.5
"""Share of rows that must share their paper with another. A paper has four authors on average, so that of rows of one author
each nine in ten do (of ICML's, NeurIPS' and ICLR's 2006 to 2017 99 %); in lists with doubles a tenth or less."""

MIN_DISTINCT_RATIO = 0.95
"""Share of papers whose rows must all name another author; the rest are authors whom the source lists twice."""

MIN_SINGLE_RATIO = 0.95
"""Share of author cells that must name one person only."""

_OF_AN_AUTHOR = ("authors_raw", "author_names_raw", "source_key", "url_raw", "urls_raw", "link_urls_raw")
"""Fields that may differ among the rows of a paper: an address may be the author's."""

_PAPER_FIELDS = [column.name for column in FIELDS if column.name not in _OF_AN_AUTHOR]
_FIELD_SCHEMA = polars_schema(FIELDS)

_PLACES = frozenset(
    {
        "position", "order", "rank", "seq", "sequence", "authorposition", "authororder", "authorrank", "authorindex",
        "authorsequence", "authornumber", "authorno", "authorseq", "authorpos",
    }
)  # fmt: skip
"""Columns that tell an author's place in the list, without case and punctuation."""


class Regrouping:
    """Regroups the staged records of one file as they come; all but files of one row an author pass through at once.

    `entries_joined` is how many rows went into the record of an earlier one. Rows of one author each are held until the file
    ends, up to `limit_bytes` of memory; a file with more is handed on row by row, and `note` says so.
    """

    def __init__(self, limit_bytes: int) -> None:
        self.entries_joined, self.note = 0, ""
        self._limit_bytes = limit_bytes
        self._columns: list[str] | None = None
        self._held: list[pl.DataFrame] = []

    def take(self, records: pl.DataFrame) -> pl.DataFrame:
        """The records to hand on after these were read."""
        if self._columns is None and records.height:
            self._columns = paper_columns(records)
        if not self._columns:
            return records
        self._held.append(records)
        if sum(held.estimated_size() for held in self._held) <= self._limit_bytes:
            return records.clear()
        limit = more_than("document_bytes", self._limit_bytes)
        self.note = f"its rows are of one author each, and stay so: to join them takes {limit}"
        self._columns = []
        return self._release()

    def rest(self) -> pl.DataFrame | None:
        """The records to hand on after the last were read, None where none were held."""
        if not self._held or not self._columns:
            return None
        rows = self._release()
        papers = regroup(rows, self._columns)
        self.entries_joined = rows.height - papers.height
        return papers

    def _release(self) -> pl.DataFrame:
        rows, self._held = pl.concat(self._held), []
        return rows


def paper_columns(records: pl.DataFrame) -> list[str]:
    """The columns of staged records that tell their paper, where the rows are of one author each; else none."""
    if records.height < 2:
        return []
    named = records.select("source_key", *_FIELD_SCHEMA).filter(pl.col("title_raw").is_not_null()).with_columns(_author())
    named = named.filter(pl.col("author").is_not_null())
    # What it costs every other file: most have no title twice.
    if named["title_raw"].n_unique() > (1 - MIN_SHARED_RATIO / 2) * records.height or named.height < 2:
        return []
    has_row_ids = named["source_key"].null_count() == 0 and named["source_key"].is_unique().all()
    columns = [*([] if has_row_ids else ["source_key"]), *_PAPER_FIELDS]
    papers = named.group_by(columns).agg(rows=pl.len(), distinct=pl.col("author").n_unique()).filter(pl.col("rows") > 1)
    is_shared = (papers["rows"].sum() or 0) >= MIN_SHARED_RATIO * records.height
    is_distinct = (papers["rows"] == papers["distinct"]).sum() >= MIN_DISTINCT_RATIO * papers.height
    return columns if is_shared and is_distinct and _are_single(named["author"]) else []


def regroup(records: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """One record a paper, at the place of its first row; `columns` are those that tell the paper (`paper_columns`).

    Of the raw columns, those with the same value in all rows keep it, the others become the list of their values in the order
    of the rows. The author names are in this order too, or in that of a column that tells an author's position. A row
    without a title stays a record of its own.
    """
    rows = records.with_row_index("row").with_columns(_author())
    own = pl.when(pl.col("title_raw").is_null()).then("row").alias("own")
    first = rows.with_columns(own).with_columns(first=pl.col("row").min().over("own", *columns))
    groups = first.group_by("first", maintain_order=True).agg("row", "raw", "author", pl.len().alias("row_count"))
    joined = groups.filter(pl.col("row_count") > 1)
    merged = [_merged(raws, authors) for raws, authors in joined.select("raw", "author").iter_rows()]
    values = joined.select(pl.col("first").alias("row")).with_columns(
        pl.Series("joined_raw", [raw for raw, _ in merged], pl.String),
        pl.Series("joined_names", [names for _, names in merged], pl.List(pl.String)),
    )
    kept = rows.join(groups.select(pl.col("first").alias("row")), on="row", how="semi")
    kept = kept.join(values, on="row", how="left", maintain_order="left")
    is_joined = pl.col("joined_raw").is_not_null()
    kept = kept.with_columns(
        raw=pl.coalesce("joined_raw", "raw"),
        author_names_raw=pl.when(is_joined).then("joined_names").otherwise("author_names_raw"),
        authors_raw=pl.when(is_joined).then(None).otherwise("authors_raw"),
    )
    return kept.sort("row").select(records.columns)  # a semi join promises no order


def _author() -> pl.Expr:
    """The author of a row: a text, or a list of one name."""
    names = pl.col("author_names_raw")
    return pl.coalesce("authors_raw", pl.when(names.list.len() == 1).then(names.list.first())).alias("author")


def _are_single(authors: pl.Series) -> bool:
    """Whether nearly each author cell names one person only."""
    return (split_author_lists(authors).list.len() == 1).sum() >= MIN_SINGLE_RATIO * len(authors)


@lru_cache(maxsize=1_000)
def _is_place(name: str) -> bool:
    return re.sub(r"[\W_]", "", name).casefold() in _PLACES


def _merged(raws: Sequence[str], authors: Sequence[str | None]) -> tuple[str, list[str]]:
    """The raw columns of a paper as JSON text, and its author names."""
    rows = [json.loads(raw) for raw in raws]
    names = dict.fromkeys(name for row in rows for name in row)
    values = {name: [row.get(name) for row in rows] for name in names}
    merged = {name: cells[0] if all(cell == cells[0] for cell in cells) else cells for name, cells in values.items()}
    for name, cells in values.items():
        if _is_place(name):
            places = [as_text(cell) for cell in cells]
            if all(place.isdecimal() and len(place) < 10 for place in places) and len(set(places)) == len(places):
                authors = [author for _, author in sorted(zip(map(int, places), authors, strict=True))]
                break
    return raw_json(merged), [author for author in authors if author]
