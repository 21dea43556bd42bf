"""This module lets people overrule matching: their verdicts on pairs of records win over every rule.

What a verdict does:

- `different` keeps two records out of one paper, by way of third records too, and takes the pair's version link away. It
  forbids what no match can overcome.
- `same` joins the papers of the two records, each whole as the rules (and every `different`) form it. So it wins over a veto
  between the two records, and over vetoes between others of the two papers; two records which are one paper already stay so,
  and nothing else moves. No other paper is touched.
- Where a `different` runs between two papers that `same` joins, their records are clustered anew: the `same` first, then the
  rules' matches strongest first, every veto counting again.

The verdicts must not contradict each other (`warehouse.decisions` sees to that); a verdict on a record that is not there has
no effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from transforms.match.clustering import cluster_records
from transforms.match.comparison import compare_pairs
from transforms.match.decision import VETO

DECISION_RULE = "decision"
"""Stands in `blocking_rules` for a pair that a person decided on."""

DECIDED = VETO + 1
"""The strength of a person's verdict: above that of any rule."""

VERDICTS_SCHEMA = {"record_key_l": pl.String, "record_key_r": pl.String, "verdict": pl.String}
"""Verdicts: the lesser record key, the greater, and `same` or `different`."""

_PAIR = ("row_l", "row_r")


def verdicts_frame(verdicts: Iterable[tuple[str, str, str]]) -> pl.DataFrame:
    """The frame of some verdicts."""
    return pl.DataFrame(list(verdicts), schema=VERDICTS_SCHEMA, orient="row")


def verdicts_in_effect(verdicts: pl.DataFrame, record_keys: pl.Series) -> pl.DataFrame:
    """The verdicts both of whose records are among `record_keys`."""
    return verdicts.filter(pl.col(name).is_in(record_keys.implode()) for name in ("record_key_l", "record_key_r"))


def overrule(
    decisions: pl.DataFrame, proposed: pl.DataFrame, features: pl.DataFrame, verdicts: pl.DataFrame
) -> tuple[pl.DataFrame, Sequence[int], Sequence[int]]:
    """The decisions with people's `verdicts` in them, and the clusters and works that follow (as `cluster_records`).

    `decisions` are what the rules say of compared pairs, `proposed` what blocking proposed (row_l, row_r, blocking_rules).
    """
    decided = _decided_pairs(verdicts, proposed, features).select(decisions.columns)
    same, different = decided.filter(status="match"), decided.filter(status="no")
    ruled = _replaced(decisions, different)
    overruled = _replaced(ruled, same)
    clusters, works = cluster_records(features.height, ruled)
    if same.height:
        clusters, works = _join_papers(pl.Series(clusters, dtype=pl.UInt32), overruled, same, different)
    return overruled, clusters, works


def _decided_pairs(verdicts: pl.DataFrame, proposed: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """The pairs of the verdicts as compared and decided pairs."""
    keys = features.select("record_key", "row")
    pairs = (
        verdicts.join(keys.rename({"record_key": "record_key_l", "row": "row_l"}), on="record_key_l")
        .join(keys.rename({"record_key": "record_key_r", "row": "row_r"}), on="record_key_r")
        .select(*_PAIR, "verdict")
        .unique()
        .sort(*_PAIR)
    )
    rules = proposed.select(*_PAIR, "blocking_rules").join(pairs, on=_PAIR, how="semi")
    named = pairs.join(rules, on=_PAIR, how="left", maintain_order="left").with_columns(
        pl.concat_list(pl.col("blocking_rules").fill_null([]), pl.lit(DECISION_RULE)).list.sort()
    )
    is_same = pl.col("verdict") == "same"
    compared = compare_pairs(named.drop("verdict"), features)
    return pl.concat([compared, named.select("verdict")], how="horizontal").with_columns(
        status=pl.when(is_same).then(pl.lit("match")).otherwise(pl.lit("no")),
        reason=pl.concat_str(pl.lit("decided_"), "verdict"),
        strength=pl.lit(DECIDED, pl.Int8),
    )


def _replaced(decisions: pl.DataFrame, decided: pl.DataFrame) -> pl.DataFrame:
    """The decisions with those of some pairs put in the place of what was said of them."""
    others = decisions.join(decided.select(_PAIR), on=_PAIR, how="anti")
    return pl.concat([others, decided], how="vertical_relaxed").sort(*_PAIR)


def _join_papers(
    cluster: pl.Series, decisions: pl.DataFrame, same: pl.DataFrame, different: pl.DataFrame
) -> tuple[Sequence[int], Sequence[int]]:
    """The clusters, joined by every `same`, and the works that follow."""
    count = len(cluster)
    links = _pairs(cluster.gather(same["row_l"]), cluster.gather(same["row_r"]))
    group = pl.Series(cluster_records(count, links)[0], dtype=pl.UInt32).gather(cluster)
    group_l = group.gather(different["row_l"])
    torn = group_l.filter(group_l == group.gather(different["row_r"])).unique()
    joined = group
    if torn.len():
        is_torn = group.is_in(torn.implode())
        within = is_torn.gather(decisions["row_l"]) & (group.gather(decisions["row_l"]) == group.gather(decisions["row_r"]))
        anew = pl.Series(cluster_records(count, decisions.filter(within))[0], dtype=pl.UInt32)
        joined = anew.zip_with(is_torn, group)
    rows = pl.int_range(count, dtype=pl.UInt32, eager=True)
    versions = decisions.filter(status="version")
    links = pl.concat([_pairs(joined, rows), _pairs(versions["row_l"], versions["row_r"], "version")])
    return cluster_records(count, links)


def _pairs(rows_l: pl.Series, rows_r: pl.Series, status: str = "match") -> pl.DataFrame:
    """Pairs of rows that are joined, or linked as versions, and forbid nothing."""
    pairs = pl.DataFrame({"row_l": rows_l, "row_r": rows_r}).filter(pl.col("row_l") != pl.col("row_r"))
    return pairs.with_columns(
        status=pl.lit(status),
        strength=pl.lit(DECIDED if status == "match" else 0, pl.Int8),
        title_ratio=pl.lit(None, pl.Float64),
        abstract_ratio=pl.lit(None, pl.Float64),
    )
