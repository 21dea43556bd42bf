"""This module reads years out of year columns, dates and running text."""

from __future__ import annotations

import polars as pl

FIRST_YEAR, LAST_YEAR = 1665, 2100
"""A number outside of these is no year of publication: the first journals are of 1665. The check `years_are_plausible` has
the same range; a test holds the two together."""

_YEAR = rf"(?:^|\D)({'|'.join(map(str, range(FIRST_YEAR, LAST_YEAR + 1)))})(?:\D|$)"
# What venues' own sites write into the addresses of their papers, and no other number there.
_IN_ADDRESS = (
    r"(?i:thecvf\.com/content[_/][a-z]+_?|(?:nips\.cc|neurips\.cc|mlsys\.org)/paper(?:_files/paper)?/|ijcai\.org/proceedings/|"
    r"(?:iclr|icml|nips|neurips|mlsys)\.cc/virtual/|ecva\.net/papers/[a-z]+_|aclanthology\.org/|openreview\.net/group\?id=[\w.]+/)"
    r"((?:19|20)\d\d)(?:\D|$)"
)
_PMLR_NAME = (
    r"(?:proceedings\.mlr\.press|jmlr\.org/proceedings/papers|mlresearch)/v\d+/(?:(?:raw/)?main/assets/)?"
    r"[a-z][a-z_-]*(\d\d)[a-z]*\b"
)
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


def year_in_address(addresses: pl.Expr) -> pl.Expr:
    """The year that a venue's own site writes into the address of a paper; null where none does.

    The two digits in a paper's name in the Proceedings of Machine Learning Research are its year; volume 1 is of 2007, and
    volume 63 numbers its papers there.

    >>> addresses = pl.Series(
    ...     [
    ...         "https://openaccess.thecvf.com/content_CVPR_2020/papers/Li_Two_Nets_CVPR_2020_paper.pdf",
    ...         "https://papers.nips.cc/paper/1988/file/02522a2b2726fb0a03bb19f2d8d9524d-Paper.pdf",
    ...         "http://proceedings.mlr.press/v32/samdani14.pdf",
    ...         "http://proceedings.mlr.press/v63/nguyen93.html",
    ...         "https://example.org/2020/a.pdf",
    ...     ]
    ... )
    >>> pl.select(year_in_address(pl.lit(addresses))).to_series().to_list()
    [2020, 1988, 2014, None, None]
    """
    names = pl.when(~addresses.str.contains("/v63/", literal=True)).then(addresses)
    two_digits = pl.concat_str(pl.lit("20"), names.str.extract(_PMLR_NAME))
    return pl.coalesce(addresses.str.extract(_IN_ADDRESS), two_digits).cast(pl.Int16)
