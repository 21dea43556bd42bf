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

from collections.abc import Iterable

import polars as pl

from transforms.match.clustering import cluster_records
from transforms.match.comparison import compare_pairs
from transforms.match.rule import VETO

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
) -> tuple[pl.DataFrame, pl.Series, pl.Series]:
    """The decisions with people's `verdicts` in them, and the clusters and works that follow (as `cluster_records`).

    `decisions` are what the rules say of compared pairs, `proposed` what blocking proposed (row_l, row_r, blocking_rules).
    """
    decided = _decided_pairs(verdicts, proposed, features)
    same, different = decided.filter(status="match"), decided.filter(status="no")
    ruled = _replaced(decisions, different)
    overruled = _replaced(ruled, same)
    clusters, works = cluster_records(features.height, ruled)
    if same.height:
        held = _lifted(overruled, clusters, same, different)
        clusters, works = cluster_records(features.height, held)
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
        work_strength=pl.lit(0, pl.Int8),
    )


def _replaced(decisions: pl.DataFrame, decided: pl.DataFrame) -> pl.DataFrame:
    """The decisions with those of some pairs put in the place of what was said of them."""
    others = decisions.join(decided.select(_PAIR), on=_PAIR, how="anti")
    both = pl.concat([others, decided], how="diagonal_relaxed")  # a rule may say more than a person: what relation it is
    return both.select(decisions.columns).sort(*_PAIR)


def _lifted(decisions: pl.DataFrame, cluster: pl.Series, same: pl.DataFrame, different: pl.DataFrame) -> pl.DataFrame:
    """The decisions without what rules hold against papers that `same` joins, where no `different` runs between them.

    `cluster` is the paper of each row before any `same`.
    """
    papers = pl.DataFrame({"row_l": cluster.gather(same["row_l"]), "row_r": cluster.gather(same["row_r"])})
    links = papers.with_columns(same.select("status", "strength", "work_strength", "title_ratio", "abstract_ratio"))
    joined = cluster_records(len(cluster), links)[0].gather(cluster)
    different_l, different_r = joined.gather(different["row_l"]), joined.gather(different["row_r"])
    torn = different_l.filter(different_l == different_r)
    rows_l, rows_r = joined.gather(decisions["row_l"]), joined.gather(decisions["row_r"])
    is_inside = (rows_l == rows_r) & ~rows_l.is_in(torn.implode())
    return decisions.filter(~is_inside | (pl.col("status") == "match"))
