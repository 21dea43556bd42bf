"""This module cleans where in a volume a paper stands: pages, volume, number."""

from __future__ import annotations

import polars as pl

from transforms.placeholders import without_placeholder


def pages(text: pl.Expr) -> pl.Expr:
    """Pages with plain hyphens and no spaces around them, as given otherwise; null for a placeholder.

    >>> texts = pl.Series(["376 -- 383", "pp. 221–8", "e1203", "12-15, 20", "N/A"])
    >>> pl.select(pages(pl.lit(texts))).to_series().to_list()
    ['376-383', '221-8', 'e1203', '12-15, 20', None]
    """
    plain = _trimmed(text).str.replace(r"^(?i:pages?|pp?\.?)[\s:]+", "").str.replace_all(r"\s*[-‐‑‒–—−]+\s*", "-")
    return without_placeholder(plain, "na")


def number(text: pl.Expr) -> pl.Expr:
    """A volume or issue number with single spaces and plain hyphens, "12.0" as "12"; null for a placeholder.

    >>> pl.select(number(pl.lit(pl.Series([" 31  (2)", "12.0", "3–4", "-"])))).to_series().to_list()
    ['31 (2)', '12', '3-4', None]
    """
    plain = _trimmed(text).str.replace(r"^(\d+)\.0$", "$1").str.replace_all(r"\s*[-‐‑‒–—−]+\s*", "-")
    return without_placeholder(plain, "na")


def _trimmed(text: pl.Expr) -> pl.Expr:
    # BibTeX of the Web of Science has every value in braces twice.
    return text.str.replace_all(r"\s+", " ").str.strip_chars(" {}")
