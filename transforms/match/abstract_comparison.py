"""This module compares the abstracts of pairs where a rule may ask for them."""

from __future__ import annotations

import polars as pl

from transforms.match.blocking import MIN_ABSTRACT_CHARACTERS
from transforms.match.sides import agree, at_both, both_sides, filled, likeness_ratios, scattered, values_of
from transforms.match.title_comparison import OTHER_TITLE_RATIO
from transforms.text import abstract_key

ABSTRACT_FEATURES = ("abstract_key", "abstract_is_boilerplate")

_NOTHING = pl.DataFrame(
    {"abstract_ratio": [None], "abstract_characters": [0], "abstracts_equal": [False]},
    schema={"abstract_ratio": pl.Float64, "abstract_characters": pl.UInt32, "abstracts_equal": pl.Boolean},
)


def may_ask_abstracts(sides: pl.DataFrame, compared: pl.DataFrame) -> pl.Series:
    """Whether a rule may depend on the abstracts of a pair, or the pair be published with their likeness.

    Not of one title under one identifier, and of wholly other titles at one place only where the abstracts begin alike: that
    is every second pair of abstracts, and one record in six.
    """
    is_shared = pl.col("identifier_shared").is_not_null()
    is_one = pl.col("titles_equal") & ~pl.col("editions_differ") & is_shared & pl.col("identifier_conflict").is_null()
    has_support = (pl.col("title_ratio") >= OTHER_TITLE_RATIO).fill_null(True) | is_shared | pl.col("page_range_agrees")
    starts = sides.select_seq(
        both=pl.col("abstract_key_l").is_not_null() & pl.col("abstract_key_r").is_not_null(), alike=agree("abstract_key")
    )
    asked = compared.select_seq((has_support | starts["alike"]) & ~is_one).to_series()
    return starts["both"] & asked.fill_null(False)


def compare_abstracts(compared: pl.DataFrame, asked: pl.Series, features: pl.DataFrame) -> pl.DataFrame:
    """Columns abstract_ratio, abstract_characters and abstracts_equal, of as much as features keep of abstracts."""
    pairs = compared.filter(asked)
    texts = both_sides(pairs, features, ["abstract", "abstract_key"])
    # One text twice is half of them; its letters need not be counted where its start has enough.
    has_enough = texts["abstract_key_l"].str.len_chars() >= MIN_ABSTRACT_CHARACTERS
    is_one = (texts["abstract_l"] == texts["abstract_r"]) & has_enough
    one = texts.select_seq(
        abstract_ratio=pl.lit(1.0),
        abstract_characters=pl.col("abstract_key_l").str.len_chars(),
        abstracts_equal=pl.lit(True),
    )
    found = filled(one, ~is_one, _likeness(pairs.filter(~is_one), features["abstract"]))
    nothing = pl.DataFrame([column.new_from_index(0, asked.len()) for column in _NOTHING])
    return filled(nothing, asked, found)


def _likeness(pairs: pl.DataFrame, abstracts: pl.Series) -> pl.DataFrame:
    places, texts = values_of(pairs, abstracts)
    both = at_both(places, _keys(texts)).with_columns_seq(
        characters=pl.min_horizontal(pl.col("key_l", "key_r").str.len_chars())
    )
    # Over the common length, as one abstract may be cut short, with or without saying so.
    cut = both.select_seq("characters", pl.col("key_l", "key_r").str.slice(0, pl.col("characters")), equal=agree("key"))
    is_open = cut.select_seq((pl.col("key_l") != pl.col("key_r")).fill_null(False)).to_series()
    same = cut.select_seq(pl.when(agree("key")).then(1.0)).to_series()
    unequal = cut.filter(is_open)
    return pl.DataFrame(
        {
            "abstract_ratio": scattered(same, is_open.arg_true(), likeness_ratios(unequal["key_l"], unequal["key_r"])),
            "abstract_characters": cut["characters"].fill_null(0),
            "abstracts_equal": cut["equal"].fill_null(False),
        },
        schema=_NOTHING.schema,
    )


def _keys(abstracts: pl.Series) -> pl.Series:
    return abstracts.alias("abstract").to_frame().select_seq(abstract_key(pl.col("abstract"))).to_series()
