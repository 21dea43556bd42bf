"""This module decides on compared pairs: the first rule that holds gives the verdict; a pair that none names is dropped."""

from __future__ import annotations

import polars as pl

from transforms.match.evidence import with_evidence
from transforms.match.rule import KIND, PART, TITLE, VERSION
from transforms.match.rules import RULES
from transforms.match.sides import scattered

_WORK_STRENGTH = {"version": TITLE}
"""How strong the link of a version is whose rule does not say; no other verdict links works, or keeps them apart."""

_SCHEME = "{scheme}"
_OF_CONFLICT = ("conflict", "misspelt", "extending", "other_page")
"""A reason with one of these words names the scheme in conflict, any other the scheme that is shared."""

_VERDICTS = pl.DataFrame(
    [
        (rule.status, name, rule.strength, rule.relation, rule.work_strength or _WORK_STRENGTH.get(rule.status, 0))
        for name, rule in RULES.items()
    ],
    schema={"status": pl.String, "reason": pl.String, "strength": pl.Int8, "relation": pl.String, "work_strength": pl.Int8},
    orient="row",
).with_columns_seq(
    pl.col("reason").str.contains(_SCHEME, literal=True).alias("has_scheme"),
    pl.col("reason").str.contains_any(list(_OF_CONFLICT)).alias("of_conflict"),
)
"""What each rule says, by its place."""


def decide_pairs(compared: pl.DataFrame) -> pl.DataFrame:
    """`compared` (see `compare_pairs`) with status, reason and strength; pairs that no rule names are left out."""
    return with_verdicts(compared, first_rules(compared)["sure"])


def first_rules(compared: pl.DataFrame) -> pl.DataFrame:
    """The places of the first rule that surely holds, and of the first that may hold: null is what is not known yet.

    Where the two are the same the pair is decided, whatever else would be asked of it.
    """
    return with_evidence(compared).select_seq(_HOLDS).select_seq(sure=_FIRST_SURE, may=_FIRST_MAY)


def _first_place(unknown: bool) -> pl.Expr:
    places = (pl.when(pl.col(name).fill_null(unknown)).then(pl.lit(place, pl.UInt8)) for place, name in enumerate(RULES))
    return pl.coalesce(places)


_HOLDS = [rule.holds.alias(name) for name, rule in RULES.items()]
_FIRST_SURE, _FIRST_MAY = _first_place(False), _first_place(True)


SAID_OF = (
    *("identifier_shared", "identifier_conflict", "kind_l", "kind_r"),
    *("is_preprint_l", "is_preprint_r", "one_is_translation"),
)
"""The columns of compared pairs that verdicts speak of."""


def with_verdicts(compared: pl.DataFrame, rule: pl.Series) -> pl.DataFrame:
    """`compared` (at least `SAID_OF`) with the verdicts of rules, given by their places; pairs without one are left out."""
    is_named = rule.is_not_null()
    decided = compared.filter(is_named).hstack(_VERDICTS[rule.filter(is_named).cast(pl.UInt32)])
    scheme = pl.coalesce(pl.when("of_conflict").then("identifier_conflict"), "identifier_shared").fill_null("")
    schemed = decided.filter("has_scheme").select_seq(pl.col("reason").str.replace(_SCHEME, scheme, literal=True))
    related = decided.filter(pl.col("relation").is_not_null()).select_seq(relation=_relation())
    return decided.drop("has_scheme", "of_conflict").with_columns_seq(
        scattered(decided["reason"], decided["has_scheme"].arg_true(), schemed["reason"]),
        scattered(decided["relation"], decided["relation"].is_not_null().arg_true(), related["relation"]),
    )


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
