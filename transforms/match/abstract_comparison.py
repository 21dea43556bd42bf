"""This module compares the abstracts of pairs where a rule may ask for them."""

from __future__ import annotations

import polars as pl

from transforms.match.sides import agree, at_both, likeness_ratios, scattered, values_of
from transforms.match.title_comparison import OTHER_TITLE_RATIO
from transforms.text import abstract_key

ABSTRACT_FEATURES = ("abstract_key", "abstract_is_boilerplate")


def may_ask_abstracts(sides: pl.DataFrame, compared: pl.DataFrame) -> pl.Series:
    """Whether a rule may depend on the abstracts of a pair, or the pair be published with their likeness.

    Not of one title under one identifier, and of wholly other titles at one place only where the abstracts begin alike: that
    is every second pair of abstracts, and one record in six.
    """
    is_shared = pl.col("identifier_shared").is_not_null()
    is_one = pl.col("titles_equal") & ~pl.col("editions_differ") & is_shared & pl.col("identifier_conflict").is_null()
    has_support = (pl.col("title_ratio") >= OTHER_TITLE_RATIO).fill_null(True) | is_shared | pl.col("page_range_agrees")
    starts = sides.select(
        both=pl.col("abstract_key_l").is_not_null() & pl.col("abstract_key_r").is_not_null(), alike=agree("abstract_key")
    )
    asked = compared.select((has_support | starts["alike"]) & ~is_one).to_series()
    return starts["both"] & asked.fill_null(False)


def compare_abstracts(compared: pl.DataFrame, asked: pl.Series, features: pl.DataFrame) -> pl.DataFrame:
    """Columns abstract_ratio, abstract_characters and abstracts_equal, of as much as features keep of abstracts."""
    places, abstracts = values_of(compared.select("row_l", "row_r").filter(asked), features["abstract"])
    both = at_both(places, _keys(abstracts)).with_columns(
        characters=pl.min_horizontal(pl.col("key_l", "key_r").str.len_chars())
    )
    # Over the common length, as one abstract may be cut short, with or without saying so.
    cut = both.select("characters", pl.col("key_l", "key_r").str.slice(0, pl.col("characters")), equal=agree("key"))
    is_open = cut.select((pl.col("key_l") != pl.col("key_r")).fill_null(False)).to_series()
    same = cut.select(pl.when(agree("key")).then(1.0)).to_series()
    texts = cut.filter(is_open)
    ratios = scattered(same, is_open.arg_true(), likeness_ratios(texts["key_l"], texts["key_r"]))
    nothing = pl.DataFrame(
        {"abstract_ratio": [None], "abstract_characters": [0], "abstracts_equal": [False]},
        schema={"abstract_ratio": pl.Float64, "abstract_characters": pl.UInt32, "abstracts_equal": pl.Boolean},
    )
    rows, found = asked.arg_true(), (ratios, cut["characters"].fill_null(0), cut["equal"].fill_null(False))
    return pl.DataFrame(
        [scattered(column.new_from_index(0, asked.len()), rows, values) for column, values in zip(nothing, found, strict=True)]
    )


def _keys(abstracts: pl.Series) -> pl.Series:
    return abstracts.alias("abstract").to_frame().select(abstract_key(pl.col("abstract"))).to_series()
