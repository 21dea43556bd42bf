"""This module merges the records of each paper into one row: survivorship, field by field, with its origin.

Each field is chosen among the appearances of a paper's records by the same ladder: the source's precedence, then validity
(not cut short, not all in capitals), then completeness, then how many records agree, then the least record key. What tells
one version from another (year, venue, volume, issue, pages) is taken from one record, its gaps filled only from records that
name no other year or venue. Keywords come from one record, as given; identifiers and links are those of all records together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from transforms.frames import conform
from transforms.match.features import evidence_identifiers
from transforms.paper_ids import paper_ids
from transforms.schemas import AUTHORSHIPS, FIELD_ORIGINS, IDENTIFIERS, LINKS, PAPERS

_VERSION_FIELDS = ("year", "volume", "number", "pages")
_FREE_FIELDS = ("decision", "type", "publisher", "url", "pdf_url")
_LINK_KINDS = {"code": 0, "project_page": 1, "data": 2}


@dataclass(frozen=True, slots=True)
class Merged:
    """What merging made: tables of the release as `transforms.schemas` has them, and `record_papers` (record_id, paper_id)."""

    papers: pl.DataFrame
    authorships: pl.DataFrame
    identifiers: pl.DataFrame
    links: pl.DataFrame
    field_origins: pl.DataFrame
    record_papers: pl.DataFrame


def merge_records(records: pl.DataFrame, clusters: pl.DataFrame, *, precedence: Mapping[str, int] | None = None) -> Merged:
    """The papers that `clusters` (record_key, cluster, work) make of `records` (schema CLEAN_RECORDS, in any order).

    `precedence` gives for a file_sha256 how its values rank, the lowest first; a file it does not name ranks 0.
    """
    ids = paper_ids(clusters, evidence_identifiers(records))
    members = _ranked_members(records, ids, precedence or {})
    choices = {
        "title": _first(members, pl.col("title").is_not_null(), _title_order(), "title"),
        "authors": _first(members, pl.col("authors").list.len() > 0, _authors_order(), "authors"),
        "abstract": _first(members, pl.col("abstract").is_not_null(), _abstract_order(), "abstract"),
        **_version_choices(members),
    }
    papers = members.group_by("paper_id", "work_id").agg(record_count=pl.len(), file_count=pl.col("file_sha256").n_unique())
    papers = papers.hstack([column for choice in choices.values() for column in _beside(papers["paper_id"], choice)])
    lists = pl.col("authors").list.eval(pl.element().struct.field("name")), pl.col("keywords")
    return Merged(
        papers=conform(papers.with_columns(column.fill_null([]) for column in lists), PAPERS),
        authorships=conform(_authorships(choices["authors"]), AUTHORSHIPS),
        identifiers=conform(_union(members, "identifiers").unique(), IDENTIFIERS),
        links=conform(_links(members), LINKS),
        field_origins=conform(_field_origins(choices.values()), FIELD_ORIGINS),
        record_papers=members.select("record_id", "paper_id").sort("record_id"),
    )


def _ranked_members(records: pl.DataFrame, ids: pl.DataFrame, precedence: Mapping[str, int]) -> pl.DataFrame:
    """The appearances with their paper and their source's precedence, sorted by it and the record key."""
    order = pl.col("file_sha256").replace_strict(dict(precedence), default=0, return_dtype=pl.Int64)
    members = records.join(ids, on="record_key").with_columns(precedence=order, is_single=pl.len().over("paper_id") == 1)
    return members.sort("precedence", "record_key", "record_id")


def _first(members: pl.DataFrame, is_filled: pl.Expr, order: Iterable[pl.Expr], *fields: str) -> pl.DataFrame:
    """Rows (paper_id, *fields, record_id): of each paper's filled appearances the one that `order` puts first.

    Expressions of `order` rank the lower the better, and stand between the precedence and the place in `members`.
    """
    columns = ["paper_id", *fields, "record_id"]
    filled = members.lazy().with_row_index("place").filter(is_filled)
    alone = filled.filter("is_single").select(columns)
    # Sorting narrow ranks and fetching the winners' values beats sorting abstracts.
    named = [rank.alias(f"order_{n}") for n, rank in enumerate(order)]
    ranks = filled.filter(~pl.col("is_single")).select("paper_id", "place", "precedence", *named)
    best = ranks.sort("precedence", *(rank.meta.output_name() for rank in named), "place").unique("paper_id", keep="first")
    winners = best.select(pl.col("place").sort()).collect().to_series()
    return pl.concat([alone.collect(), members.select(columns)[winners]])


def _beside(paper_id: pl.Series, choice: pl.DataFrame) -> list[pl.Series]:
    """The chosen fields for each of these papers; joining whole rows, one choice after the other, would copy all each time."""
    joined = paper_id.to_frame().join(choice.drop("record_id"), on="paper_id", how="left", maintain_order="left")
    return joined.drop("paper_id").get_columns()


def _agreement(*fields: str) -> pl.Expr:
    """How many of the paper's records have the same value, negated: the more the better. A record seen twice counts once."""
    return -pl.col("record_key").n_unique().over("paper_id", *fields).cast(pl.Int64)


def _title_order() -> list[pl.Expr]:
    title = pl.col("title")
    is_shouted = title.str.contains(r"\p{Lu}{2}") & ~title.str.contains(r"\p{Ll}")
    return [pl.col("title_is_cut").cast(pl.Int64) + is_shouted.cast(pl.Int64), _agreement("title")]


def _authors_order() -> list[pl.Expr]:
    given = pl.col("authors").list.eval(pl.element().struct.field("given").str.contains(r"\p{L}\p{L}"))
    return [-given.list.sum().cast(pl.Int64), -pl.col("authors").list.len().cast(pl.Int64)]


def _abstract_order() -> list[pl.Expr]:
    length = pl.col("abstract").str.len_chars().cast(pl.Int64)
    return [pl.col("abstract_is_cut").cast(pl.Int64), -length, _agreement("abstract")]


def _version_choices(members: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The fields that tell of one version, and those that any record may fill once that version's have been asked."""
    has_doi = pl.col("identifiers").list.eval(pl.element().struct.field("scheme") == "doi").list.any().fill_null(False)
    described = [pl.col(name).is_not_null() for name in ("venue_id", "venue", *_VERSION_FIELDS)]
    fullness = -pl.sum_horizontal(flag.cast(pl.Int64) for flag in (*described, has_doi))
    ranks = {"fullness": fullness, "agreement": _agreement("venue_id", "venue", "year")}
    kept = members.with_columns(**ranks).drop("title", "authors", "abstract", "identifiers", "links")  # not sorted for nothing
    best_first = kept.sort("precedence", "fullness", "agreement", maintain_order=True)
    version = best_first.group_by("paper_id").agg(
        version_year=pl.col("year").drop_nulls().first(), version_venue_id=pl.col("venue_id").drop_nulls().first()
    )
    is_other = (pl.col("year") != pl.col("version_year")).fill_null(False) | (
        pl.col("venue_id") != pl.col("version_venue_id")
    ).fill_null(False)
    ranked = best_first.join(version, on="paper_id", how="left", maintain_order="left").with_columns(is_other=is_other)
    own, first_own = ranked.filter(~pl.col("is_other")), [pl.col("is_other").cast(pl.Int64)]
    named = pl.col("venue").is_not_null() | pl.col("venue_id").is_not_null()
    return {
        "venue": _first(own, named, (), "venue_id", "venue"),
        **{name: _first(own, pl.col(name).is_not_null(), (), name) for name in _VERSION_FIELDS},
        **{name: _first(ranked, pl.col(name).is_not_null(), first_own, name) for name in _FREE_FIELDS},
        "keywords": _first(
            ranked,
            pl.col("keywords").list.len() > 0,
            [*first_own, -pl.col("keywords").list.len().cast(pl.Int64)],
            "keywords",
        ),
    }


def _authorships(authors: pl.DataFrame) -> pl.DataFrame:
    listed = authors.select("paper_id", author="authors").explode("author")
    return listed.with_columns(position=pl.int_range(1, pl.len() + 1).over("paper_id")).unnest("author")


def _union(members: pl.DataFrame, column: str) -> pl.DataFrame:
    """Rows (paper_id, members of the structs listed in `column`), of all appearances."""
    return members.select("paper_id", column).explode(column).drop_nulls().unnest(column)


def _links(members: pl.DataFrame) -> pl.DataFrame:
    """Links distinct by address; where records call one address differently, the most telling kind stays."""
    kind_rank = pl.col("kind").replace_strict(_LINK_KINDS, default=len(_LINK_KINDS), return_dtype=pl.UInt32)
    ranked = _union(members, "links").with_columns(kind_rank=kind_rank)
    return ranked.sort("paper_id", "url", "kind_rank", "kind").unique(["paper_id", "url"], keep="first")


def _field_origins(choices: Iterable[pl.DataFrame]) -> pl.DataFrame:
    origins = [
        choice.filter(pl.col(field).is_not_null()).select("paper_id", "record_id", field=pl.lit(field))
        for choice in choices
        for field in choice.columns
        if field not in ("paper_id", "record_id")
    ]
    return pl.concat(origins)
