"""This module matches records: the order of features, blocking, comparison, decision and clustering, and nothing else."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import polars as pl

from transforms.frames import conform, polars_schema
from transforms.match.blocking import candidate_pairs, rule_names
from transforms.match.clustering import cluster_records, uncompared_pairs
from transforms.match.comparison import costly_aspects
from transforms.match.features import in_one_piece, joint_features, own_features
from transforms.match.judging import judge_pairs
from transforms.match.remembered import RememberingJudge
from transforms.match.rule import APART
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
    record key of its paper) and work (the least record key of its work). `judged` are the verdicts to remember, if any are.
    """

    pairs: pl.DataFrame
    clusters: pl.DataFrame
    judged: pl.DataFrame | None = None


def match_records(records: pl.DataFrame, verdicts: pl.DataFrame | None = None) -> Matched:
    """Which of `records` (schema CLEAN_RECORDS, in any order) describe one paper, and why.

    Rows with one record key are one record seen again: matching sees the one of the least record_id. `verdicts` are people's,
    and win: see `transforms.match.verdicts`.
    """
    return match_features(own_features(records), verdicts)


def match_features(own: pl.DataFrame, verdicts: pl.DataFrame | None = None, known: pl.DataFrame | None = None) -> Matched:
    """The same, from the own features of the records (`own_features`), which may be made of some records at a time.

    `known` are the pairs judged by an earlier match (`Matched.judged`, maybe none): they are not judged again, and what was
    judged is given. Without it nothing is remembered. It makes no difference to what is found.
    """
    features = joint_features(own)
    del own  # its caller, too, had better not keep it: it is half of the memory
    candidates = candidate_pairs(features)
    columns = features.get_columns()
    del features
    features = in_one_piece(columns)
    remembering = RememberingJudge(features, known) if known is not None else None
    judge = remembering.judge if remembering else functools.partial(judge_pairs, features=features, aspects=costly_aspects())
    decisions = judge(candidates)
    unseen = uncompared_pairs(features.height, decisions, candidates, COMPONENT_LIMIT)
    if unseen.height:
        by_component = unseen.with_columns(rules=pl.lit(0, pl.UInt32))
        decisions = pl.concat([decisions, judge(by_component)]).sort("row_l", "row_r")
    if verdicts is None or verdicts.is_empty():
        cluster, work = cluster_records(features.height, decisions)
    else:
        decisions, cluster, work = overrule(_named(decisions), _named(candidates), features, verdicts)
    key = features["record_key"]
    return Matched(
        pairs=conform(_published_pairs(decisions, key, cluster), PAPER_MATCHES),
        clusters=pl.DataFrame(
            {"record_key": key, "cluster": key.gather(cluster), "work": key.gather(work)}, schema=CLUSTERS_SCHEMA
        ),
        judged=remembering.judged() if remembering else None,
    )


def _published_pairs(decisions: pl.DataFrame, key: pl.Series, cluster: pl.Series) -> pl.DataFrame:
    """The pairs by record key, in agreement with the clusters.

    A match that a veto between other records kept apart is `possible`, its reason led by `kept_apart_`; a lesser verdict on
    two records which stronger evidence made one paper says nothing any more, and goes.
    """
    together = cluster.gather(decisions["row_l"]) == cluster.gather(decisions["row_r"])
    is_match = decisions["status"] == "match"
    is_kept = (is_match | ~together) & (decisions["status"] != APART)
    kept_apart = (is_match & ~together).filter(is_kept)
    kept = _named(decisions.filter(is_kept))
    return kept.with_columns(
        key.gather(kept["row_l"]).alias("record_key_l"),
        key.gather(kept["row_r"]).alias("record_key_r"),
        status=pl.when(kept_apart).then(pl.lit("possible")).otherwise("status"),
        reason=pl.when(kept_apart).then(pl.concat_str(pl.lit("kept_apart_"), "reason")).otherwise("reason"),
    )


def _named(pairs: pl.DataFrame) -> pl.DataFrame:
    """`pairs` with the names of the rules that proposed them, where those are still bits."""
    if "rules" not in pairs.columns:
        return pairs
    names = rule_names(pairs["rules"], COMPONENT_RULE)
    return pairs.drop("rules").with_columns(names)
