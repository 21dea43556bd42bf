"""This module compares where two records of a pair stand: year, volume, number and pages, and by which identifiers."""

from __future__ import annotations

import polars as pl

from transforms.identifiers import SCHEME_ORDER
from transforms.match.sides import agree, likeness_ratios
from transforms.selective import on_rows

PLACE_FEATURES = ("year", "volume_key", "number_key", "first_page", "last_page", "identifiers", "schemes")


def compare_places(sides: pl.DataFrame) -> pl.DataFrame:
    """What year, volume, number and pages of both sides say; see `compare_pairs` for the columns."""
    pages = sides.select("year_l", "year_r", "volume_key_l", "volume_key_r", "number_key_l", "number_key_r").with_columns(
        part.alias(f"{place}_{name}_{side}")
        for place in ("first", "last")
        for side in ("l", "r")
        for name, part in _page_parts(sides[f"{place}_page_{side}"]).items()
    )
    first_equal, last_equal = agree("first_page"), agree("last_page")
    is_range = (pl.col("last_page_l") != pl.col("first_page_l")) & (pl.col("last_page_r") != pl.col("first_page_r"))
    # Pages from 1 on are a count more often than a place. "c37-c42" is 37-42 where one source leaves the letter out.
    one_plain = (pl.col("first_letters_l") == "") | (pl.col("first_letters_r") == "")
    digits_agree = one_plain & agree("first_number") & agree("last_digits")
    return pages.select(
        (pl.col("year_l") - pl.col("year_r")).abs().alias("year_gap"),
        agree("volume_key").alias("volumes_agree"),
        agree("number_key").alias("numbers_agree"),
        first_equal.alias("pages_agree"),
        (pl.col("first_number_l") - pl.col("first_number_r")).abs().alias("page_gap"),
        agree("first_letters").fill_null(False).alias("page_letters_agree"),
        last_equal.alias("last_pages_agree"),
        ((first_equal & last_equal | digits_agree) & is_range & (pl.col("first_number_l") > 1)).alias("page_range_agrees"),
    )


def _page_parts(pages: pl.Series) -> dict[str, pl.Series]:
    """The page, its first digits, those as a number, and the letters before; nine in ten pages are digits alone."""
    is_odd = pages.is_not_null() & ~pages.str.contains(r"^[0-9]+$")
    digits = on_rows(pages, is_odd, lambda odd: odd.str.extract(r"(\d+)"))
    no_letters = pages.str.slice(0, 0)
    return {
        "page": pages,
        "digits": digits,
        "number": digits.cast(pl.Int64, strict=False),
        "letters": on_rows(no_letters, is_odd, lambda _: pages.filter(is_odd).str.extract(r"^([a-z]*)")),
    }


def compare_identifiers(sides: pl.DataFrame) -> pl.DataFrame:
    """Columns identifier_shared, identifier_conflict, identifier_extends and identifier_ratio.

    The least scheme by name where there are several. The known schemes give a paper one identifier, so two are two papers;
    others may give it several.
    """
    counts = (sides[f"identifiers_{side}"].list.len() for side in ("l", "r"))
    listed = sides.select("identifiers_l", "identifiers_r", "schemes_l", "schemes_r").with_columns(
        count.alias(f"count_{side}") for count, side in zip(counts, ("l", "r"), strict=True)
    )
    listed = listed.with_row_index("pair").filter(pl.col("count_l") > 0, pl.col("count_r") > 0)
    is_single = (pl.col("count_l") == 1) & (pl.col("count_r") == 1)
    told = pl.concat([_single(listed.filter(is_single)), _several(listed.filter(~is_single))])
    conflicting = told.filter(pl.col("identifier_conflict").is_not_null())
    told = told.join(_likeness(conflicting), on="pair", how="left").drop("first_l", "first_r")
    pairs = sides.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("pair"))
    return pairs.join(told, on="pair", how="left", maintain_order="left").drop("pair")


def _single(listed: pl.DataFrame) -> pl.DataFrame:
    """Of pairs with one identifier each, which are most: the same as `_several` says, by plain equality."""
    firsts = listed.select(
        "pair",
        *(pl.col(f"identifiers_{side}").list.first().alias(f"first_{side}") for side in ("l", "r")),
        *(pl.col(f"schemes_{side}").list.first().alias(f"scheme_{side}") for side in ("l", "r")),
    )
    scheme = pl.col("scheme_l")
    is_one = agree("first")
    return firsts.select(
        *("pair", "first_l", "first_r"),
        identifier_shared=pl.when(is_one).then(scheme),
        identifier_conflict=pl.when(~is_one & agree("scheme") & scheme.is_in(SCHEME_ORDER)).then(scheme),
    )


def _several(listed: pl.DataFrame) -> pl.DataFrame:
    shared = pl.col("identifiers_l").list.set_intersection("identifiers_r")
    agreeing = shared.list.eval(pl.element().str.extract(r"^([^:]*):", 1).unique())
    both_filled = pl.col("schemes_l").list.set_intersection("schemes_r")
    return listed.select("pair", "identifiers_l", "identifiers_r", agreeing=agreeing, both_filled=both_filled).select(
        "pair",
        *(pl.col(f"identifiers_{side}").list.first().alias(f"first_{side}") for side in ("l", "r")),
        identifier_shared=pl.col("agreeing").list.min(),
        identifier_conflict=pl.col("both_filled")
        .list.set_intersection(list(SCHEME_ORDER))
        .list.set_difference("agreeing")
        .list.min(),
    )


def _likeness(conflicting: pl.DataFrame) -> pl.DataFrame:
    """Rows (pair, identifier_ratio, identifier_extends): how the strongest identifiers in conflict are alike.

    One extends the other if it is the other with a version or a supplement behind it ("…/v1" and "…/v2", "….s001", "…u").
    """
    bare = conflicting.select(
        pl.col(f"first_{side}").str.replace(r"[./](?:v\d+|s\d{3})$", "").alias(side) for side in ("l", "r")
    )
    left, right = pl.col("l"), pl.col("r")
    behind = [longer.str.slice(shorter.str.len_chars()) for longer, shorter in ((left, right), (right, left))]
    starts = [left.str.starts_with(right), right.str.starts_with(left)]
    # "…/ice.1" and "…/ice.10" are two papers.
    extends = pl.any_horizontal(start & ~rest.str.contains(r"^\d") for start, rest in zip(starts, behind, strict=True))
    return conflicting.select(
        "pair",
        likeness_ratios(conflicting["first_l"], conflicting["first_r"]).alias("identifier_ratio"),
        bare.select(extends).to_series().alias("identifier_extends"),
    )
