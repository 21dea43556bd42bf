"""This module decides on compared pairs: the first rule that holds gives the verdict; a pair that none names is dropped."""

from __future__ import annotations

import polars as pl

from transforms.match.rules import KIND, PART, RULES, TITLE, VERSION

_WORK_STRENGTH = {"version": TITLE}
"""How strong the link of a version is whose rule does not say; no other verdict links works, or keeps them apart."""


def decide_pairs(compared: pl.DataFrame) -> pl.DataFrame:
    """`compared` (see `compare_pairs`) with status, reason and strength; pairs that no rule names are left out."""
    order = list(RULES.items())
    first = pl.coalesce(pl.when(rule.holds.fill_null(False)).then(pl.lit(place)) for place, (_, rule) in enumerate(order))
    decided = compared.with_columns(rule=first.cast(pl.UInt32)).filter(pl.col("rule").is_not_null())
    verdicts = pl.DataFrame(
        [
            (place, rule.status, name, rule.strength, rule.relation, rule.work_strength or _WORK_STRENGTH.get(rule.status, 0))
            for place, (name, rule) in enumerate(order)
        ],
        schema={"rule": pl.UInt32, "status": pl.String, "reason": pl.String, "strength": pl.Int8}
        | {"relation": pl.String, "work_strength": pl.Int8},
        orient="row",
    )
    scheme = pl.coalesce(
        pl.when(pl.col("reason").str.contains("conflict|misspelt|extending|other_page")).then("identifier_conflict"),
        "identifier_shared",
    )
    named = pl.col("reason").str.replace("{scheme}", scheme.fill_null(""), literal=True)
    joined = decided.join(verdicts, on="rule", how="left", maintain_order="left")
    return joined.with_columns(reason=named, relation=_relation()).drop("rule")


def _relation() -> pl.Expr:
    """What record l is to record r, in the words of `paper_relations`."""
    kinds = {"correction": ("correction_of", "has_correction"), "comment": ("comment_on", "has_comment")}
    spoken = [
        pl.when(pl.col(f"kind_{side}") == kind).then(pl.lit(words[place]))
        for kind, words in kinds.items()
        for place, side in enumerate(("l", "r"))
    ]
    preprint_l, preprint_r = (pl.col(f"is_preprint_{side}") for side in ("l", "r"))
    version = (
        pl.when(preprint_l & ~preprint_r)
        .then(pl.lit("preprint_of"))
        .when(preprint_r & ~preprint_l)
        .then(pl.lit("has_preprint"))
        .when(pl.col("one_is_translation"))
        .then(pl.lit("translation_of"))
        .otherwise(pl.lit("version_of"))
    )
    return (
        pl.when(pl.col("relation") == KIND)
        .then(pl.coalesce(*spoken, pl.lit("version_of")))
        .when(pl.col("relation") == PART)
        .then(pl.lit("other_part_of"))
        .when(pl.col("relation") == VERSION)
        .then(version)
    )
