"""This module matches records: the order of features, blocking, comparison, decision and clustering, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from transforms.frames import conform, polars_schema
from transforms.match.blocking import candidate_pairs
from transforms.match.clustering import cluster_records, uncompared_pairs
from transforms.match.comparison import compare_pairs
from transforms.match.decision import APART, decide_pairs
from transforms.match.features import record_features
from transforms.match.verdicts import overrule
from transforms.schemas import PAPER_MATCHES, Column

COMPONENT_RULE = "component"
"""Stands in `blocking_rules` for a pair that no blocking rule proposed, compared because other matches would join it."""

COMPONENT_LIMIT = 60
"""The largest component all of whose pairs are compared: 1,770 pairs."""

CLUSTERS_SCHEMA = polars_schema(Column(name, "string", "") for name in ("record_key", "cluster", "work"))


@dataclass(frozen=True, slots=True)
class Matched:
    """What matching found.

    `pairs` has the columns of PAPER_MATCHES. `clusters` has one row a record key, sorted: record_key, cluster (the least
    record key of its paper) and work (the least record key of its work).
    """

    pairs: pl.DataFrame
    clusters: pl.DataFrame


def match_records(records: pl.DataFrame, verdicts: pl.DataFrame | None = None) -> Matched:
    """Which of `records` (schema CLEAN_RECORDS, in any order) describe one paper, and why.

    Rows with one record key are one record seen again: matching sees the one of the least record_id.
    """
    features = record_features(records)
    candidates = candidate_pairs(features)
    decisions = decide_pairs(compare_pairs(candidates, features))
    unseen = uncompared_pairs(features.height, decisions, candidates, COMPONENT_LIMIT)
    if unseen.height:
        named = unseen.with_columns(blocking_rules=pl.lit([COMPONENT_RULE], pl.List(pl.String)))
        decisions = pl.concat([decisions, decide_pairs(compare_pairs(named, features))]).sort("row_l", "row_r")
    if verdicts is None or verdicts.is_empty():
        clusters, works = cluster_records(features.height, decisions)
    else:
        decisions, clusters, works = overrule(decisions, candidates, features, verdicts)
    key = features["record_key"]
    return Matched(
        pairs=conform(_published_pairs(decisions, key, pl.Series(clusters, dtype=pl.UInt32)), PAPER_MATCHES),
        clusters=pl.DataFrame(
            {"record_key": key, "cluster": key.gather(clusters), "work": key.gather(works)}, schema=CLUSTERS_SCHEMA
        ),
    )


def _published_pairs(decisions: pl.DataFrame, key: pl.Series, clusters: pl.Series) -> pl.DataFrame:
    """The pairs by record key, in agreement with the clusters.

    A match that a veto between other records kept apart is `possible`, its reason led by `kept_apart_`; a lesser verdict on
    two records which stronger evidence made one paper says nothing any more, and goes.
    """
    is_match, together = pl.col("status") == "match", pl.col("cluster_l") == pl.col("cluster_r")
    kept_apart = is_match & ~together
    rows_l, rows_r = decisions["row_l"], decisions["row_r"]
    if "relation" not in decisions.columns:
        decisions = decisions.with_columns(relation=pl.lit(None, pl.String))
    return (
        decisions.with_columns(
            key.gather(rows_l).alias("record_key_l"),
            key.gather(rows_r).alias("record_key_r"),
            clusters.gather(rows_l).alias("cluster_l"),
            clusters.gather(rows_r).alias("cluster_r"),
        )
        .filter(is_match | ~together, pl.col("status") != APART)
        .with_columns(
            status=pl.when(kept_apart).then(pl.lit("possible")).otherwise("status"),
            reason=pl.when(kept_apart).then(pl.concat_str(pl.lit("kept_apart_"), "reason")).otherwise("reason"),
        )
    )
