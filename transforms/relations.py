"""This module tells what papers are to each other, from what matching found their records to be."""

from __future__ import annotations

import polars as pl

from transforms.frames import conform
from transforms.schemas import PAPER_RELATIONS, RELATIONS

_VERSION = "version_of"
"""The relation that says the least: it stands only where two papers have no other."""


def paper_relations(pairs: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """The relations of papers (schema PAPER_RELATIONS), each in both directions.

    `pairs` has record_key_l, record_key_r and relation (what l is to r, null for none); `records` has record_key and
    paper_id. Records of one paper have no relation to each other. Where records of two papers say opposite things (each
    paper has a preprint among its records), all that is left is that they are versions.
    """
    papers = records.select("record_key", "paper_id").unique()
    related = (
        pairs.filter(pl.col("relation").is_not_null())
        .join(papers.rename({"record_key": "record_key_l"}), on="record_key_l")
        .join(papers.rename({"record_key": "record_key_r", "paper_id": "other_paper_id"}), on="record_key_r")
        .filter(pl.col("paper_id") != pl.col("other_paper_id"))
    )
    inverse = pl.col("relation").replace_strict(RELATIONS, return_dtype=pl.String)
    forth = related.select("paper_id", "relation", "other_paper_id")
    back = related.select(paper_id="other_paper_id", relation=inverse, other_paper_id="paper_id")
    said = pl.concat([forth, back]).unique().with_columns(inverse=inverse)
    two, is_telling = ("paper_id", "other_paper_id"), pl.col("relation") != _VERSION
    is_opposed = (pl.col("relation") != pl.col("inverse")) & pl.col("inverse").is_in(pl.col("relation").implode()).over(two)
    agreed = said.with_columns(relation=pl.when(is_opposed).then(pl.lit(_VERSION)).otherwise("relation"))
    kept = agreed.filter(is_telling | ~is_telling.any().over(two))
    return conform(kept.select("paper_id", "relation", "other_paper_id").unique(), PAPER_RELATIONS)
