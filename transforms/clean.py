"""This module is the order in which staged records become clean records; what each step does stands in its own module."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import polars as pl

from transforms.authors import clean_authors
from transforms.dates import year, year_in_address
from transforms.frames import polars_schema
from transforms.identifiers import clean_identifiers, paper_addresses
from transforms.links import clean_links, page_url
from transforms.numbering import is_serial, number, pages, volume
from transforms.placeholders import without_placeholder
from transforms.record_keys import record_keys
from transforms.record_notes import record_notes
from transforms.staged_schemas import CLEAN_RECORDS, STAGED_RECORDS
from transforms.tags import decision, keywords, split_tags, venue_decision, without_venue_decision
from transforms.text import clean_abstract, is_cut, plain_text
from transforms.titles import clean_title
from transforms.venues import clean_venues, venue_in_address

REJECTS_SCHEMA = pl.Schema(
    {
        "file_sha256": pl.String,
        "ordinal": pl.Int64,
        "record_id": pl.String,
        "reason": pl.String,
        "message": pl.String,
        "locator": pl.String,
        "span_start": pl.Int64,
        "span_end": pl.Int64,
        "text": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class SourceDefaults:
    """What a configured source says of its records: venue and year for those that lack them, and whether its keys last."""

    name: str
    venue: str | None = None
    year: int | None = None
    has_keys: bool = False


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The clean records (`staged_schemas.CLEAN_RECORDS`) and the refused ones (`REJECTS_SCHEMA`), by file, in file order.

    `notes` is what there is to say of the clean ones (`record_notes.record_notes`).
    """

    records: pl.DataFrame
    rejects: pl.DataFrame
    notes: pl.DataFrame


def clean_files(
    staged: Mapping[str, pl.DataFrame], *, source: SourceDefaults, venue_aliases: pl.DataFrame
) -> dict[str, Cleaned]:
    """What becomes of the staged records of some files of one source, by the files' hashes; see `clean_records`."""
    together = pl.concat([frame.with_columns(file_sha256=pl.lit(sha256)) for sha256, frame in staged.items()])
    cleaned = clean_records(together, source=source, venue_aliases=venue_aliases)
    frames = (cleaned.records, cleaned.rejects, cleaned.notes)
    parts = [(frame.partition_by("file_sha256", as_dict=True), frame.clear()) for frame in frames]
    return {sha256: Cleaned(*(by_file.get((sha256,), none) for by_file, none in parts)) for sha256 in staged}


def clean_records(staged: pl.DataFrame, *, source: SourceDefaults, venue_aliases: pl.DataFrame) -> Cleaned:
    """The staged records of some files of one source, typed and cleaned; each is in `records` or in `rejects`, never in both.

    `staged` has the columns of `staged_schemas.STAGED_RECORDS` and `file_sha256`, `venue_aliases` alias, venue_id and name.
    What becomes of a record depends on its own file alone. The one reason to refuse a record is `empty_record`: no title, no
    authors, no abstract and no identifier.
    """
    # Files come together because the expressions cost a tenth of a second however few the rows are.
    # Polars 2.1 forgets the inner type of a list column that is null in every row when rows are moved.
    staged = staged.sort("file_sha256", "ordinal", maintain_order=True).cast(polars_schema(STAGED_RECORDS.columns))
    records = _clean_columns(staged, source, venue_aliases).with_columns(
        record_id=_record_ids(staged),
        file_sha256=staged["file_sha256"],
        ordinal=staged["ordinal"],
    )
    is_empty = (
        pl.col("title").is_null()
        & pl.col("abstract").is_null()
        & (pl.col("identifiers").list.len() == 0)
        & (pl.col("authors").list.len() == 0)
    )
    schema = polars_schema(CLEAN_RECORDS.columns)
    empty = records.select(is_empty).to_series()
    return Cleaned(
        records.filter(~empty).select(pl.col(name).cast(dtype) for name, dtype in schema.items()),
        _rejects(staged.filter(empty)),
        record_notes(staged.filter(~empty), records.filter(~empty)),
    )


def _clean_columns(staged: pl.DataFrame, source: SourceDefaults, venue_aliases: pl.DataFrame) -> pl.DataFrame:
    """The columns of the clean records but for their ids, row by row; those that cost most side by side, for two cores."""
    with ThreadPoolExecutor() as threads:
        texts = threads.submit(_texts, staged)
        authors = threads.submit(clean_authors, staged)
        keys = threads.submit(record_keys, staged, source=source.name, has_keys=source.has_keys)
        links = threads.submit(clean_links, staged)
        columns = _short_columns(staged, source, venue_aliases)
        return columns.with_columns(
            *texts.result().get_columns(),
            authors=authors.result(),
            identifiers=clean_identifiers(staged),
            links=links.result(),
            record_key=keys.result(),
        )


def _texts(staged: pl.DataFrame) -> pl.DataFrame:
    return staged.select(
        clean_title(pl.col("title_raw"), pl.col("subtitle_raw")).alias("title"),
        clean_abstract(pl.col("abstract_raw")).alias("abstract"),
        is_cut(pl.col("abstract_raw")).alias("abstract_is_cut"),
        is_cut(pl.col("title_raw")).alias("title_is_cut"),
    )


def _short_columns(staged: pl.DataFrame, source: SourceDefaults, venue_aliases: pl.DataFrame) -> pl.DataFrame:
    """The columns of which each value is a few words or a number."""
    tags = split_tags(staged["tags_raw"]).rename(lambda name: f"{name}_tag")
    marked = pl.concat([staged, tags], how="horizontal")
    empty = {name for name in marked.columns if marked[name].null_count() == marked.height}

    def given(clean: pl.Expr, dtype: type[pl.DataType] = pl.String) -> pl.Expr:
        """What is cleaned, unless no record has it: to make the patterns ready takes 0.1 s of each batch."""
        return pl.lit(None, dtype) if empty.issuperset(clean.meta.root_names()) else clean

    venue_text = pl.coalesce(
        given(without_venue_decision(without_placeholder(pl.col("venue_raw"), "na"))),
        "venue_tag",
        pl.lit(source.venue, pl.String),
        given(venue_in_address(paper_addresses())),
    )
    venues = clean_venues(marked.select(venue_text).to_series(), venue_aliases)
    years = [given(year(pl.col(name)), pl.Int16) for name in ("year_raw", "date_raw", "year_tag", "venue_raw")]
    in_address = given(year_in_address(paper_addresses()), pl.Int16)
    issue = pl.col("number_raw")
    if "number_raw" not in empty:
        issue = pl.when(~is_serial(issue, pl.col("venue_raw"), of="file_sha256")).then(issue)
    columns = marked.select(
        pl.coalesce(*years, pl.lit(source.year, pl.Int16), in_address).alias("year"),
        pl.coalesce(given(decision(pl.col("decision_raw"))), "decision_tag", given(venue_decision(pl.col("venue_raw")))).alias(
            "decision"
        ),
        given(without_placeholder(plain_text(pl.col("type_raw")).str.to_lowercase(), "na")).alias("type"),
        given(volume(pl.col("volume_raw"))).alias("volume"),
        given(number(issue, pl.col("volume_raw"))).alias("number"),
        given(pages(pl.col("pages_raw"))).alias("pages"),
        given(without_placeholder(plain_text(pl.col("publisher_raw")), "na")).alias("publisher"),
        keywords(given(plain_text(pl.col("keywords_raw"))), "keywords_tag").alias("keywords"),
        pl.coalesce(given(page_url(pl.col("url_raw"))), given(page_url(pl.col("urls_raw").list.join("\n")))).alias("url"),
        given(page_url(pl.col("pdf_url_raw"))).alias("pdf_url"),
    )
    return columns.with_columns(*venues.get_columns())


def _record_ids(staged: pl.DataFrame) -> pl.Series:
    return staged.select(pl.format("{}:{}", "file_sha256", "ordinal").alias("record_id")).to_series()


def _rejects(empty: pl.DataFrame) -> pl.DataFrame:
    return empty.select(
        "file_sha256",
        "ordinal",
        _record_ids(empty),
        pl.lit("empty_record").alias("reason"),
        pl.lit("the record has no title, no authors, no abstract and no identifier").alias("message"),
        "locator",
        "span_start",
        "span_end",
        pl.col("raw").alias("text"),
    ).cast(REJECTS_SCHEMA)
