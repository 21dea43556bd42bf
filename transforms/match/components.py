"""This module finds the components of a graph of rows: which rows a chain of pairs joins.

Columns, not rows: a million records' matches take a tenth of a second, where a loop over pairs takes four.
"""

from __future__ import annotations

import polars as pl


def components(count: int, row_l: pl.Series, row_r: pl.Series) -> pl.Series:
    """For each of the rows 0 … count-1 the least row of its component; the order of the pairs is of no account.

    >>> components(5, pl.Series([3, 1]), pl.Series([4, 3])).to_list()
    [0, 1, 2, 1, 1]
    """
    least = pl.int_range(count, dtype=pl.UInt32, eager=True).alias("least")
    pairs = _ordered(row_l.cast(pl.UInt32), row_r.cast(pl.UInt32))
    while pairs.height:
        # Each row that stands for a component hangs itself on the least one that a pair leads to: to a lesser row always,
        # so that no circle arises; the least row of all never moves, so that every round joins some.
        hung = pairs.group_by("greater").agg(pl.col("lesser").min())
        least = _hung(least, hung)
        pairs = _ordered(least.gather(pairs["lesser"]), least.gather(pairs["greater"]))
    return least


def _ordered(left: pl.Series, right: pl.Series) -> pl.DataFrame:
    """Distinct pairs (lesser, greater) of different rows."""
    sides = pl.DataFrame({"left": left, "right": right}).filter(pl.col("left") != pl.col("right"))
    return sides.select(lesser=pl.min_horizontal("left", "right"), greater=pl.max_horizontal("left", "right")).unique()


def _hung(least: pl.Series, hung: pl.DataFrame) -> pl.Series:
    """`least` with each row `greater` hung on its `lesser`, and every row set to what it hangs on in the end."""
    moved = pl.DataFrame({"greater": pl.int_range(least.len(), dtype=pl.UInt32, eager=True), "least": least}).join(
        hung, on="greater", how="left", maintain_order="left"
    )
    least = moved.select(pl.coalesce("lesser", "least").alias("least"))["least"]
    while True:
        further = least.gather(least)
        if further.equals(least):
            return least
        least = further
