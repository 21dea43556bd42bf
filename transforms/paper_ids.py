"""This module names papers and works: ids that follow from a cluster's own records, so that they last."""

from __future__ import annotations

import hashlib

import polars as pl

from transforms.frames import polars_schema
from transforms.match.features import scheme_rank
from transforms.schemas import Column

PAPER_IDS_SCHEMA = polars_schema(Column(name, "string", "") for name in ("record_key", "paper_id", "work_id"))


def paper_ids(clusters: pl.DataFrame, identifiers: pl.DataFrame) -> pl.DataFrame:
    """The ids of papers and works: rows (record_key, paper_id, work_id), one a record key, sorted.

    `clusters` has record_key, cluster and work (see `transforms.match.matching.Matched`); `identifiers` has record_key,
    scheme and value, without those of containers (see `transforms.match.features.evidence_identifiers`).

    A paper is named for its strongest identifier: the first scheme of `SCHEME_ORDER` it has, there the least value. An
    identifier that stands in two clusters names neither. A cluster without one is named for its least record key. A work is
    named for the least paper id of its papers.
    """
    found = clusters.join(identifiers, on="record_key").select("cluster", "scheme", "value").unique()
    own = found.filter(pl.len().over("scheme", "value") == 1).with_columns(rank=scheme_rank(pl.col("scheme")))
    strongest = own.sort("cluster", "rank", "scheme", "value").unique("cluster", keep="first", maintain_order=True)
    names = (
        clusters.group_by("cluster")
        .agg(least_key=pl.col("record_key").min())
        .sort("cluster")
        .join(strongest, on="cluster", how="left", maintain_order="left")
        .select(
            "cluster",
            name=pl.coalesce(pl.concat_str("scheme", pl.lit(":"), "value"), pl.concat_str(pl.lit("record_key:"), "least_key")),
        )
    )
    ids = [paper_id(name) for name in names["name"]]
    papers = names.select("cluster", pl.Series("paper_id", ids, pl.String))
    named = clusters.join(papers, on="cluster").with_columns(least=pl.col("paper_id").min().over("work"))
    work_id = pl.concat_str(pl.lit("w"), pl.col("least").str.slice(1)).alias("work_id")
    return named.select("record_key", "paper_id", work_id).sort("record_key").match_to_schema(PAPER_IDS_SCHEMA)


def paper_id(name: str) -> str:
    """The paper id for what names a paper: "scheme:value" of an identifier, or "record_key:" and a record key.

    Sixty-four bits of SHA-256: among a hundred million papers two share an id with a chance of one in 3,700.

    >>> paper_id("doi:10.1000/182")
    'p1365c7772c1131f9'
    """
    return "p" + hashlib.sha256(name.encode()).hexdigest()[:16]
