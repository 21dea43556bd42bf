"""This module puts what two records of a pair have side by side, for the comparisons that follow."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from rapidfuzz import fuzz


def both_sides(pairs: pl.DataFrame, features: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The columns of both records of each pair (row_l, row_r, …), as …_l and …_r.

    >>> pairs, features = pl.DataFrame({"row_l": [0], "row_r": [1]}), pl.DataFrame({"year": [1999, 2001]})
    >>> both_sides(pairs, features, ["year"]).row(0)
    (1999, 2001)
    """
    chosen = features.select_seq(columns)
    sides = (chosen.select_seq(pl.all().gather(pairs[f"row_{side}"]).name.suffix(f"_{side}")) for side in ("l", "r"))
    # Polars 2.1 panics where set operations meet columns in several chunks, one of them empty.
    return pl.concat(sides, how="horizontal").rechunk()


def values_of(pairs: pl.DataFrame, values: pl.Series) -> tuple[pl.DataFrame, pl.Series]:
    """Where in the second, the values of all records of some pairs, those of each pair are: place_l and place_r."""
    rows = pl.concat([pairs["row_l"], pairs["row_r"]]).unique().sort()
    # Not gathered: Polars copies all of a column of lists in several chunks, a fifth of a second for a million lists.
    is_asked = pl.Series([False]).new_from_index(0, len(values)).scatter(rows, True)
    places = {f"place_{side}": rows.search_sorted(pairs[f"row_{side}"]) for side in ("l", "r")}
    return pl.DataFrame(places), values.filter(is_asked).rechunk()


def at_both(places: pl.DataFrame, keys: pl.Series) -> pl.DataFrame:
    """Columns key_l and key_r: the keys at place_l and place_r."""
    return pl.DataFrame({f"key_{side}": keys.rechunk().gather(places[f"place_{side}"]).rechunk() for side in ("l", "r")})


def agree(name: str) -> pl.Expr:
    """Whether both sides have the same in a column; null where one of them has nothing."""
    return pl.col(f"{name}_l") == pl.col(f"{name}_r")


def likeness_ratios(left: pl.Series, right: pl.Series) -> pl.Series:
    """How alike two texts are, pair by pair, 0 to 1: twice their longest common subsequence over their joint length.

    A function per pair: no Polars expression does it. It is called on unequal texts only.

    >>> likeness_ratios(pl.Series(["abcd"]), pl.Series(["abce"])).to_list()
    [0.75]
    """
    ratios = map(fuzz.ratio, left.to_list(), right.to_list())
    return pl.Series("ratio", [ratio / 100 for ratio in ratios], pl.Float64)


def filled(columns: pl.DataFrame, asked: pl.Series, found: pl.DataFrame) -> pl.DataFrame:
    """`columns` with what was found of the rows that were asked."""
    rows = asked.arg_true()
    return columns.with_columns_seq(scattered(columns[column.name], rows, column) for column in found)


def scattered(nothing: pl.Series, rows: pl.Series, found: pl.Series) -> pl.Series:
    """`nothing` with what was found in some of its rows; a copy, as `scatter` writes into the series it is called on."""
    return nothing.clone().scatter(rows, found) if len(rows) else nothing
