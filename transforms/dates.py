"""This module reads years out of year columns, dates and running text."""

from __future__ import annotations

import polars as pl

FIRST_YEAR, LAST_YEAR = 1665, 2100
"""A number outside of these is no year of publication: the first journals are of 1665. The check `years_are_plausible` has
the same range; a test holds the two together."""

_YEAR = rf"(?:^|\D)({'|'.join(map(str, range(FIRST_YEAR, LAST_YEAR + 1)))})(?:\D|$)"
_EPOCH = r"^\s*(\d{10}|\d{13})(?:\.0+)?\s*$"


def year(text: pl.Expr) -> pl.Expr:
    """The first number in a text that can be a year, also from a time in (milli)seconds since 1970; null where none is.

    OpenReview gives dates as milliseconds.

    >>> texts = pl.Series(["2024", "2024.0", "Jan 5, 1999", "1700000000000", "v12, 31", "20245", "9999999999", None])
    >>> pl.select(year(pl.lit(texts))).to_series().to_list()
    [2024, 2024, 1999, 2023, None, None, None, None]
    """
    epoch = text.str.extract(_EPOCH)
    seconds = epoch.cast(pl.Int64, strict=False) // pl.when(epoch.str.len_bytes() == 13).then(1000).otherwise(1)
    from_epoch = pl.from_epoch(seconds, time_unit="s").dt.year()
    in_range = pl.when(from_epoch.is_between(FIRST_YEAR, LAST_YEAR)).then(from_epoch)
    return pl.coalesce(text.str.extract(_YEAR).cast(pl.Int32), in_range).cast(pl.Int16)
