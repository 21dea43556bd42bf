"""This module applies a costly step only where it can matter: to some rows of a column, or once to each distinct value."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

Step = Callable[[pl.Series], pl.Series]


def on_rows(values: pl.Series, mask: pl.Series, change: Step) -> pl.Series:
    """`values` with the rows that `mask` holds for changed; null in the mask is no.

    >>> words = pl.Series(["a", "B", None])
    >>> on_rows(words, words.str.contains(r"[A-Z]"), lambda rows: rows.str.to_lowercase()).to_list()
    ['a', 'b', None]
    """
    rows = mask.arg_true()
    # A copy: `scatter` writes into the series it is called on.
    return values.clone().scatter(rows, change(values.gather(rows))) if len(rows) else values


def on_distinct(values: pl.Series, change: Step) -> pl.Series:
    """What `change` gives for each value, asked once for each distinct one; null stays null.

    >>> on_distinct(pl.Series(["A", "B", "A", None]), lambda distinct: distinct.str.to_lowercase()).to_list()
    ['a', 'b', 'a', None]
    """
    distinct = values.drop_nulls().unique().alias("value")
    changed = pl.DataFrame([distinct, change(distinct).alias("changed")])
    return values.alias("value").to_frame().join(changed, on="value", how="left", maintain_order="left")["changed"]
