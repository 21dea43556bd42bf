"""This module compares the titles of pairs: as keys, by their numbers and marks, and letter by letter."""

from __future__ import annotations

import polars as pl

from transforms.match.sides import agree, filled, likeness_ratios, scattered

OTHER_TITLE_RATIO = 0.5
"""Below it titles are wholly different: unrelated English titles reach 0.3 to 0.5 by common letters alone."""

SAME_WORDS_RATIO = 0.8
"""From here on titles of the same words are one: "of" and "the", and slips of the pen may differ."""

CLOSE_TITLE_RATIO = 0.75
"""From here on titles may be one, reworded or with another subtitle."""

TITLE_FEATURES = (
    *("title_key", "title_is_cut", "title_numbers", "title_kind", "edition", "is_generic", "is_generic_name"),
    *("is_translation", "is_part", "venue_kind"),
)

_TITLE_CUT_CHARACTERS = 8
"""A cut title shorter than this is a prefix of too much to agree with anything."""


def compare_titles(sides: pl.DataFrame) -> pl.DataFrame:
    """What the titles of both sides say; see `compare_pairs` for the columns."""
    equal = agree("title_key").fill_null(False)
    unequal = sides.select_seq(~equal & pl.col("title_key_l").is_not_null() & pl.col("title_key_r").is_not_null()).to_series()
    texts = sides.select_seq("title_key_l", "title_key_r").filter(unequal)
    ratios = likeness_ratios(texts["title_key_l"], texts["title_key_r"])
    same = sides.select_seq(title_ratio=pl.when(equal).then(1.0)).to_series()
    starts = sides.select_seq("title_key_l", "title_key_r", "title_is_cut_l", "title_is_cut_r", *_starts())
    return pl.concat(
        [
            starts.select_seq(*_keys(equal)),
            _numbers(sides),
            sides.select_seq(*_marks()),
            scattered(same, unequal.arg_true(), ratios).to_frame(),
        ],
        how="horizontal",
    )


def _starts() -> list[pl.Expr]:
    left, right = pl.col("title_key_l"), pl.col("title_key_r")
    return [
        right.str.starts_with(left).alias("l_is_start"),
        left.str.starts_with(right).alias("r_is_start"),
        *(pl.col(f"title_key_{side}").str.len_chars().alias(f"characters_{side}") for side in ("l", "r")),
    ]


def _keys(equal: pl.Expr) -> list[pl.Expr]:
    cut = pl.max_horizontal(
        pl.when(pl.col(f"title_is_cut_{side}") & pl.col(f"{side}_is_start")).then(f"characters_{side}") for side in ("l", "r")
    )
    titled = (pl.col(f"title_key_{side}").is_not_null().cast(pl.UInt8) for side in ("l", "r"))
    return [
        pl.sum_horizontal(titled).cast(pl.UInt8).alias("titled_count"),
        equal.alias("titles_equal"),
        pl.min_horizontal("characters_l", "characters_r").alias("title_characters"),
        cut.alias("cut_title_characters"),
        (cut >= _TITLE_CUT_CHARACTERS).fill_null(False).alias("title_is_start"),
        (pl.col("l_is_start") | pl.col("r_is_start")).fill_null(False).alias("title_extends"),
    ]


def _numbers(sides: pl.DataFrame) -> pl.DataFrame:
    """Columns title_numbers_differ and title_numbers_conflict; lists are compared where at least one side has any."""
    left, right = pl.col("title_numbers_l"), pl.col("title_numbers_r")
    numbered = (sides["title_numbers_l"].list.len() + sides["title_numbers_r"].list.len()) > 0
    own_l, own_r = left.list.set_difference(right).list.len(), right.list.set_difference(left).list.len()
    counts = left.list.len(), right.list.len()
    found = (
        sides.filter(numbered)
        .select_seq("title_key_l", "title_key_r", "title_numbers_l", "title_numbers_r", own_l=own_l, own_r=own_r)
        .select_seq(
            title_numbers_differ=(~agree("title_numbers") & (pl.col("title_key_l") != pl.col("title_key_r"))).fill_null(False),
            title_numbers_conflict=(pl.col("own_l") > 0) & (pl.col("own_r") > 0)
            | (pl.col("own_l") + pl.col("own_r") == 0) & (counts[0] > 1) & ~agree("title_numbers") & (counts[0] == counts[1]),
        )
    )
    nothing = pl.Series([False]).new_from_index(0, sides.height)
    return filled(pl.DataFrame([nothing.alias(name) for name in found.columns]), numbered, found)


def _marks() -> list[pl.Expr]:
    return [
        (pl.col("is_generic_l") | pl.col("is_generic_r")).alias("generic"),
        (pl.col("is_generic_l") & pl.col("is_generic_r")).alias("generic_both"),
        (pl.col("is_generic_name_l") | pl.col("is_generic_name_r")).alias("generic_name"),
        pl.col("edition_l").ne_missing(pl.col("edition_r")).alias("editions_differ"),
        pl.col("title_kind_l").alias("kind_l"),
        pl.col("title_kind_r").alias("kind_r"),
        pl.col("title_kind_l").ne_missing(pl.col("title_kind_r")).alias("kinds_differ"),
        *((pl.col(f"venue_kind_{side}") == "preprint").fill_null(False).alias(f"is_preprint_{side}") for side in ("l", "r")),
        (pl.col("is_translation_l") != pl.col("is_translation_r")).alias("one_is_translation"),
        (pl.col("is_part_l") | pl.col("is_part_r")).alias("part_of_either"),
        (pl.col("is_part_l") & pl.col("is_part_r")).alias("parts"),
    ]
