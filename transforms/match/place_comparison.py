"""This module compares where two records of a pair stand: year, volume, number and pages, and by which identifiers."""

from __future__ import annotations

import polars as pl

from transforms.identifiers import SCHEME_ORDER
from transforms.match.sides import agree, filled, likeness_ratios
from transforms.match.title_comparison import SAME_WORDS_RATIO
from transforms.selective import on_rows

PLACE_FEATURES = ("year", "volume_key", "number_key", "first_page", "last_page", "identifiers", "schemes")


def compare_places(sides: pl.DataFrame) -> pl.DataFrame:
    """What year, volume, number and pages of both sides say; see `compare_pairs` for the columns."""
    pages = sides.select_seq(
        "year_l", "year_r", "volume_key_l", "volume_key_r", "number_key_l", "number_key_r"
    ).with_columns_seq(
        part.alias(f"{place}_{name}_{side}")
        for place in ("first", "last")
        for side in ("l", "r")
        for name, part in _page_parts(sides[f"{place}_page_{side}"]).items()
    )
    first_equal, last_equal = agree("first_page"), agree("last_page")
    range_l, range_r = (pl.col(f"last_page_{side}") != pl.col(f"first_page_{side}") for side in ("l", "r"))
    # Pages from 1 on are a count more often than a place: of a paper with an article number, or with no volume yet.
    one_volume = agree("volume_key").fill_null(False)
    count_l, count_r = (
        (pl.col(f"first_number_{side}") == 1) & is_range & (one_volume & ~other_is_range.fill_null(False) | not_yet)
        for side, is_range, other_is_range, not_yet in (
            ("l", range_l, range_r, pl.col("volume_key_l").is_null() & pl.col("volume_key_r").is_not_null()),
            ("r", range_r, range_l, pl.col("volume_key_r").is_null() & pl.col("volume_key_l").is_not_null()),
        )
    )
    # "c37-c42" is 37-42 where one source leaves the letter out.
    one_plain = (pl.col("first_letters_l") == "") | (pl.col("first_letters_r") == "")
    digits_agree = one_plain & agree("first_number") & agree("last_digits")
    return pages.select_seq(
        (pl.col("year_l") - pl.col("year_r")).abs().alias("year_gap"),
        agree("volume_key").alias("volumes_agree"),
        agree("number_key").alias("numbers_agree"),
        first_equal.alias("pages_agree"),
        (first_equal & (pl.col("first_number_l") > 1)).alias("later_pages_agree"),
        (pl.col("first_number_l") - pl.col("first_number_r")).abs().alias("page_gap"),
        agree("first_letters").fill_null(False).alias("page_letters_agree"),
        last_equal.alias("last_pages_agree"),
        (count_l | count_r).fill_null(False).alias("pages_counted"),
        ((first_equal & last_equal | digits_agree) & range_l & range_r & (pl.col("first_number_l") > 1)).alias(
            "page_range_agrees"
        ),
    )


def _page_parts(pages: pl.Series) -> dict[str, pl.Series]:
    """The page, its first digits, those as a number, and the letters before; nine in ten pages are digits alone."""
    plain = pages.cast(pl.Int64, strict=False)
    is_odd = pages.is_not_null() & plain.is_null()
    digits = on_rows(pages, is_odd, lambda odd: odd.str.extract(r"(\d+)"))
    return {
        "page": pages,
        "digits": digits,
        "number": on_rows(plain, is_odd, lambda _: digits.filter(is_odd).cast(pl.Int64, strict=False)),
        "letters": on_rows(pages.str.slice(0, 0), is_odd, lambda _: pages.filter(is_odd).str.extract(r"^([a-z]*)")),
    }


def compare_identifiers(sides: pl.DataFrame, titles: pl.DataFrame) -> pl.DataFrame:
    """Columns identifier_shared, identifier_conflict, identifier_extends and identifier_ratio.

    The least scheme by name where there are several. The known schemes give a paper one identifier, so two are two papers;
    others may give it several. How alike those in conflict are is asked where `titles`, compared, may be one.
    """
    counts = [sides[f"identifiers_{side}"].list.len() for side in ("l", "r")]
    is_listed = (counts[0] > 0) & (counts[1] > 0)
    is_single = is_listed & (counts[0] + counts[1] == 2)
    told = pl.DataFrame([pl.Series(name, [None], kind).new_from_index(0, sides.height) for name, kind in _IDENTIFIERS.items()])
    lists = sides.select_seq("identifiers_l", "identifiers_r", "schemes_l", "schemes_r")
    for rows, compare in ((is_single, _single), (is_listed & ~is_single, _several)):
        told = filled(told, rows, compare(lists.filter(rows)))
    may_be_one = titles["titles_equal"] | (titles["title_ratio"] >= SAME_WORDS_RATIO).fill_null(False)
    is_asked = told["identifier_conflict"].is_not_null() & may_be_one
    return filled(told, is_asked, _likeness(lists.filter(is_asked)))


_IDENTIFIERS = {
    "identifier_shared": pl.String,
    "identifier_conflict": pl.String,
    "identifier_ratio": pl.Float64,
    "identifier_extends": pl.Boolean,
}


def _single(lists: pl.DataFrame) -> pl.DataFrame:
    """Of pairs with one identifier each, which are most: the same as `_several` says, by plain equality."""
    firsts = lists.select_seq(pl.all().list.first())
    scheme = pl.col("schemes_l")
    is_one = agree("identifiers")
    return firsts.select_seq(
        identifier_shared=pl.when(is_one).then(scheme),
        identifier_conflict=pl.when(~is_one & agree("schemes") & scheme.is_in(SCHEME_ORDER)).then(scheme),
    )


def _several(lists: pl.DataFrame) -> pl.DataFrame:
    shared = pl.col("identifiers_l").list.set_intersection("identifiers_r")
    agreeing = shared.list.eval(pl.element().str.extract(r"^([^:]*):", 1).unique())
    both_filled = pl.col("schemes_l").list.set_intersection("schemes_r")
    return lists.select_seq(agreeing=agreeing, both_filled=both_filled).select_seq(
        identifier_shared=pl.col("agreeing").list.min(),
        identifier_conflict=pl.col("both_filled")
        .list.set_intersection(list(SCHEME_ORDER))
        .list.set_difference("agreeing")
        .list.min(),
    )


def _likeness(lists: pl.DataFrame) -> pl.DataFrame:
    """Columns identifier_ratio and identifier_extends: how the strongest identifiers in conflict are alike.

    One extends the other if it is the other with a version or a supplement behind it ("…/v1" and "…/v2", "….s001", "…u").
    """
    firsts = lists.select_seq(pl.col("identifiers_l", "identifiers_r").list.first())
    bare = firsts.select_seq(pl.all().str.replace(r"[./](?:v\d+|s\d{3})$", ""))
    left, right = pl.col("identifiers_l"), pl.col("identifiers_r")
    behind = [longer.str.slice(shorter.str.len_chars()) for longer, shorter in ((left, right), (right, left))]
    starts = [left.str.starts_with(right), right.str.starts_with(left)]
    # "…/ice.1" and "…/ice.10" are two papers.
    extends = pl.any_horizontal(start & ~rest.str.contains(r"^\d") for start, rest in zip(starts, behind, strict=True))
    ratios = likeness_ratios(firsts["identifiers_l"], firsts["identifiers_r"])
    return bare.select_seq(ratios.alias("identifier_ratio"), extends.alias("identifier_extends"))
