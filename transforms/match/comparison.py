"""This module compares candidate pairs: one column an aspect, null where a side has nothing to compare."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from rapidfuzz import fuzz

from transforms.identifiers import SCHEME_ORDER

OTHER_TITLE_RATIO = 0.5
"""Below it titles are wholly different: unrelated English titles reach 0.3 to 0.5 by common letters alone."""

_TITLE_CUT_CHARACTERS = 8
"""A cut title shorter than this is a prefix of too much to agree with anything."""


def compare_pairs(pairs: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """`pairs` (row_l, row_r, …) with what their records have in common or against each other, in the same order.

    Added columns; those marked ? are null where a side lacks what is compared, the others are never null:

    - titled_count, generic: how many of the two have a title; whether either title is generic or missing
    - titles_equal, title_is_start (a cut title is the start of the other), title_characters? (of the shorter),
      cut_title_characters?, title_ratio?
    - title_extends: one title is the start of the other, cut short or not
    - title_numbers_differ, title_numbers_conflict: the numbers in the titles; in conflict where each has one of its own
    - marker_differs: erratum, reply, comment and the like on one side only
    - abstract_ratio? (null also for other titles at one place), abstract_characters (of the shorter), abstracts_equal,
      abstract_is_boilerplate (of either)
    - authors_shared_count?, authors_equal?, authors_missing_count
    - identifier_shared?, identifier_conflict?: a scheme in which they agree; one of `SCHEME_ORDER` in which
      both are filled and disjoint
    - year_gap?, venues_agree, venues_differ (both known and not the same), volumes_agree?, numbers_agree?, pages_agree?
      (the first), last_pages_agree? ("221-8" ends as "221-228" does), same_place (venue, volume and first page)
    """
    columns = [name for name in features.columns if name not in ("row", "record_key", "abstract")]
    left = features.select(columns)[pairs["row_l"]].rename(lambda name: f"{name}_l")
    right = features.select(columns)[pairs["row_r"]].rename(lambda name: f"{name}_r")
    sides = pl.concat([left, right], how="horizontal")
    aspects = sides.select(*_titles(), *_abstracts(), *_authors(), *_places())
    compared = pl.concat([pairs, aspects, _title_ratios(sides).to_frame(), _identifiers(sides)], how="horizontal")
    # Two long texts cost more to compare than all else: not for records that have but their place in common.
    by_place_alone = (pl.col("title_ratio") < OTHER_TITLE_RATIO).fill_null(False) & (
        pl.col("identifier_shared").is_null() & (pl.col("blocking_rules") == pl.lit(["place"], pl.List(pl.String)))
    )
    is_compared = compared.select(~by_place_alone).to_series()
    return compared.with_columns(_abstract_ratios(sides, is_compared))


def likeness_ratios(left: Sequence[str], right: Sequence[str]) -> list[float]:
    """How alike two texts are, pair by pair, 0 to 1: twice their longest common subsequence over their joint length.

    A function per pair: no Polars expression does it. It is called on unequal texts only.

    >>> likeness_ratios(["abcd"], ["abce"])
    [0.75]
    """
    return [fuzz.ratio(text_l, text_r) / 100 for text_l, text_r in zip(left, right, strict=True)]


def _agree(name: str) -> pl.Expr:
    return pl.col(f"{name}_l") == pl.col(f"{name}_r")


def _titles() -> list[pl.Expr]:
    left, right = pl.col("title_key_l"), pl.col("title_key_r")
    cut_l = pl.when(pl.col("title_is_cut_l") & right.str.starts_with(left)).then(left.str.len_chars())
    cut_r = pl.when(pl.col("title_is_cut_r") & left.str.starts_with(right)).then(right.str.len_chars())
    cut = pl.max_horizontal(cut_l, cut_r)
    own_l = pl.col("title_numbers_l").list.set_difference("title_numbers_r")
    own_r = pl.col("title_numbers_r").list.set_difference("title_numbers_l")
    return [
        (left.is_not_null().cast(pl.UInt8) + right.is_not_null().cast(pl.UInt8)).alias("titled_count"),
        (pl.col("is_generic_l") | pl.col("is_generic_r")).alias("generic"),
        (left == right).fill_null(False).alias("titles_equal"),
        pl.min_horizontal(left.str.len_chars(), right.str.len_chars()).alias("title_characters"),
        cut.alias("cut_title_characters"),
        (cut >= _TITLE_CUT_CHARACTERS).fill_null(False).alias("title_is_start"),
        (left.str.starts_with(right) | right.str.starts_with(left)).fill_null(False).alias("title_extends"),
        (_agree("title_numbers").not_() & (left != right)).fill_null(False).alias("title_numbers_differ"),
        ((own_l.list.len() > 0) & (own_r.list.len() > 0)).fill_null(False).alias("title_numbers_conflict"),
        (pl.col("has_marker_l") != pl.col("has_marker_r")).alias("marker_differs"),
    ]


def _abstracts() -> list[pl.Expr]:
    shorter = pl.min_horizontal(pl.col("abstract_key_l").str.len_chars(), pl.col("abstract_key_r").str.len_chars())
    both = pl.col("abstract_key_l").is_not_null() & pl.col("abstract_key_r").is_not_null()
    return [
        pl.when(both).then(shorter).otherwise(0).alias("abstract_characters"),
        _agree("abstract_key").fill_null(False).alias("abstracts_equal"),
        (pl.col("abstract_is_boilerplate_l") | pl.col("abstract_is_boilerplate_r")).alias("abstract_is_boilerplate"),
    ]


def _authors() -> list[pl.Expr]:
    count_l, count_r = pl.col("families_l").list.len(), pl.col("families_r").list.len()
    missing = (count_l == 0).cast(pl.UInt8) + (count_r == 0).cast(pl.UInt8)
    shared = pl.col("families_l").list.set_intersection(pl.col("families_r")).list.len()
    return [
        missing.alias("authors_missing_count"),
        pl.when(missing == 0).then(shared).cast(pl.Int32).alias("authors_shared_count"),
        pl.when(missing == 0).then((shared == count_l) & (shared == count_r)).alias("authors_equal"),
    ]


def _places() -> list[pl.Expr]:
    last_l, last_r = pl.col("last_page_l"), pl.col("last_page_r")
    venues_agree = (_agree("venue_id") | _agree("venue_key")).fill_null(False)
    return [
        (pl.col("year_l") - pl.col("year_r")).abs().alias("year_gap"),
        venues_agree.alias("venues_agree"),
        _agree("venue_id").not_().fill_null(False).alias("venues_differ"),
        _agree("volume_key").alias("volumes_agree"),
        _agree("number_key").alias("numbers_agree"),
        _agree("first_page").alias("pages_agree"),
        (last_l.str.ends_with(last_r) | last_r.str.ends_with(last_l)).alias("last_pages_agree"),
        (venues_agree & _agree("volume_key") & _agree("first_page")).fill_null(False).alias("same_place"),
    ]


def _title_ratios(sides: pl.DataFrame) -> pl.Series:
    equal = _agree("title_key").fill_null(False)
    titles = sides.select("title_key_l", "title_key_r", title_ratio=pl.when(equal).then(1.0)).with_row_index("pair")
    return _filled_ratios(titles, "title_ratio")


def _abstract_ratios(sides: pl.DataFrame, is_compared: pl.Series) -> pl.Series:
    """Likeness over the common length, as one abstract may be cut short, with or without saying so."""
    characters = pl.min_horizontal(pl.col("abstract_key_l").str.len_chars(), pl.col("abstract_key_r").str.len_chars())
    starts = pl.col("abstract_key_l", "abstract_key_r").str.slice(0, pl.col("characters"))
    equal = _agree("abstract_key").fill_null(False)
    abstracts = (
        sides.select("abstract_key_l", "abstract_key_r", characters=characters)
        .with_columns(pl.when(is_compared).then(starts).name.keep())
        .select("abstract_key_l", "abstract_key_r", abstract_ratio=pl.when(equal).then(1.0))
    )
    return _filled_ratios(abstracts.with_row_index("pair"), "abstract_ratio")


def _filled_ratios(texts: pl.DataFrame, name: str) -> pl.Series:
    """The column `name` with likenesses where it is null and both texts are there; `texts` is (pair, left, right, name)."""
    left, right = texts.columns[1:3]
    unknown = texts.filter(pl.col(name).is_null(), pl.col(left).is_not_null(), pl.col(right).is_not_null())
    ratios = pl.Series("ratio", likeness_ratios(unknown[left].to_list(), unknown[right].to_list()), pl.Float64)
    filled = texts.select("pair", name).join(unknown.select("pair", ratios), on="pair", how="left", maintain_order="left")
    return filled.select(pl.coalesce(name, "ratio").alias(name))[name]


def _identifiers(sides: pl.DataFrame) -> pl.DataFrame:
    """Columns identifier_shared and identifier_conflict: the least scheme by name where there are several."""
    with_both = sides.select("identifiers_l", "identifiers_r", "schemes_l", "schemes_r").with_row_index("pair")
    with_both = with_both.filter(pl.col("identifiers_l").list.len() > 0, pl.col("identifiers_r").list.len() > 0)
    shared = pl.col("identifiers_l").list.set_intersection("identifiers_r")
    agreeing = shared.list.eval(pl.element().str.extract(r"^([^:]*):", 1).unique())
    both_filled = pl.col("schemes_l").list.set_intersection("schemes_r")
    # The known schemes give a paper one identifier, so two are two papers; others may give it several.
    schemes = with_both.select("pair", agreeing=agreeing, both_filled=both_filled).select(
        "pair",
        identifier_shared=pl.col("agreeing").list.sort().list.first(),
        identifier_conflict=pl.col("both_filled")
        .list.set_intersection(list(SCHEME_ORDER))
        .list.set_difference("agreeing")
        .list.sort()
        .list.first(),
    )
    pairs = sides.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("pair"))
    return pairs.join(schemes, on="pair", how="left", maintain_order="left").drop("pair")
