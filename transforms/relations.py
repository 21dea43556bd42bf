"""This module tells what papers are to each other, from what matching found their records to be."""

from __future__ import annotations

import polars as pl

from transforms.frames import conform
from transforms.schemas import PAPER_RELATIONS, RELATIONS


def paper_relations(pairs: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """The relations of papers (schema PAPER_RELATIONS), each in both directions.

    `pairs` has record_key_l, record_key_r and relation (what l is to r, null for none); `records` has record_key and
    paper_id. Records of one paper have no relation to each other.
    """
    papers = records.select("record_key", "paper_id").unique()
    related = (
        pairs.filter(pl.col("relation").is_not_null())
        .join(papers.rename({"record_key": "record_key_l"}), on="record_key_l")
        .join(papers.rename({"record_key": "record_key_r", "paper_id": "other_paper_id"}), on="record_key_r")
        .filter(pl.col("paper_id") != pl.col("other_paper_id"))
    )
    forth = related.select("paper_id", "relation", "other_paper_id")
    inverse = pl.col("relation").replace_strict(RELATIONS, return_dtype=pl.String)
    back = related.select(paper_id="other_paper_id", relation=inverse, other_paper_id="paper_id")
    return conform(pl.concat([forth, back]).unique(), PAPER_RELATIONS)
