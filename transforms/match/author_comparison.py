"""This module compares the authors of pairs: family names of all, and all words and initials of names where a rule may ask."""

from __future__ import annotations

import polars as pl
from rapidfuzz import fuzz

from transforms.match.author_keys import author_texts, author_words, family_initials, name_count
from transforms.match.sides import agree, at_both, both_sides, scattered, values_of
from transforms.match.title_comparison import CLOSE_TITLE_RATIO

TELLING_WORDS, TELLING_WORDS_RATIO = 4, 0.8
"""So many words of names in common tell of a list, or so large a share of fewer."""

ALIKE_AUTHORS_RATIO = 0.6
"""From here on two lists of authors are one, whatever is missing or misread of it."""

SAME_FAMILIES_RATIO = 0.5
"""From here on two lists of family names are one."""

AUTHOR_FEATURES = ("families", "first_author_key")


def compare_families(sides: pl.DataFrame) -> pl.DataFrame:
    """What the family names of both sides say; see `compare_pairs` for the columns."""
    left, right = pl.col("families_l"), pl.col("families_r")
    counts = sides.select_seq(
        "first_author_key_l",
        "first_author_key_r",
        count_l=left.list.len(),
        count_r=right.list.len(),
        shared=left.list.set_intersection(right).list.len(),
    )
    count_l, count_r, shared = pl.col("count_l"), pl.col("count_r"), pl.col("shared")
    missing = (count_l == 0).cast(pl.UInt8) + (count_r == 0).cast(pl.UInt8)
    return counts.select_seq(
        missing.alias("authors_missing_count"),
        pl.when(missing == 0).then(shared).cast(pl.Int32).alias("authors_shared_count"),
        pl.when(missing == 0).then((shared == count_l) & (shared == count_r)).alias("authors_equal"),
        pl.when(missing == 0).then(shared / pl.min_horizontal(count_l, count_r)).alias("families_ratio"),
        agree("first_author_key").fill_null(False).alias("first_authors_agree"),
    )


def compare_names(pairs: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Columns authors_ratio, families_only, authors_fuzzy and initials_differ, from the names as they are.

    families_only: no more words in common than family names. authors_fuzzy: likeness of the words of the names, where titles
    are near and too few words are shared. initials_differ: no given name or initial agrees where family names do: other
    people of one family name. `pairs` have row_l, row_r, authors_shared_count and title_ratio.
    """
    places, names = values_of(pairs, features["author_names"])
    common = pl.col("key_l").list.set_intersection("key_r").list.len()
    least = pl.min_horizontal(pl.col("key_l", "key_r").list.n_unique())
    counts = at_both(places, author_words(names)).select_seq(pairs["authors_shared_count"], common=common, least=least)
    ratio = (pl.col("common") / pl.col("least")).fill_nan(0)
    shared = pl.col("authors_shared_count")
    found = counts.select_seq(
        # "Wei Wang" and "Wei Zhang", the British and the European Thoracic Society share most of few words.
        authors_ratio=pl.when((pl.col("common") >= TELLING_WORDS) | (ratio >= TELLING_WORDS_RATIO)).then(ratio).otherwise(0.0),
        families_only=(shared > 0) & (pl.col("common") <= shared),
    )
    is_near = (pairs["title_ratio"] >= CLOSE_TITLE_RATIO).fill_null(False)
    doubtful, alone = is_near & (found["authors_ratio"] < ALIKE_AUTHORS_RATIO), is_near & found["families_only"]
    fuzzy = pl.Series("authors_fuzzy", [None], dtype=pl.Float64).new_from_index(0, pairs.height)
    differ = pl.Series("initials_differ", [False], dtype=pl.Boolean).new_from_index(0, pairs.height)
    return found.with_columns_seq(
        scattered(fuzzy, doubtful.arg_true(), _fuzzy_ratios(places.filter(doubtful), names)),
        scattered(differ, alone.arg_true(), _initials_differ(pairs.filter(alone), features)),
    )


def _fuzzy_ratios(places: pl.DataFrame, names: pl.Series) -> pl.Series:
    texts = (author_texts(names.gather(places[name])).to_list() for name in places.columns)
    return pl.Series([ratio / 100 for ratio in map(fuzz.token_sort_ratio, *texts)], dtype=pl.Float64)


def _initials_differ(pairs: pl.DataFrame, features: pl.DataFrame) -> pl.Series:
    sides = both_sides(pairs, features, ["author_names", "author_initials"])
    initials = pl.DataFrame({side: family_initials(sides[f"author_initials_{side}"]) for side in ("l", "r")})
    others = initials.select_seq(pl.col("l").list.set_intersection("r").list.len() == 0).to_series()
    for side in ("l", "r"):  # known of all of them
        others &= initials[side].list.len() == name_count(sides[f"author_names_{side}"])
    return others
