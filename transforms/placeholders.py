"""This module knows what forms and exports write where they have no value, such as "N/A": it is no evidence of anything."""

from __future__ import annotations

import polars as pl

PLACEHOLDER_WORDS = (
    r"n\s*/\s*a|n\.\s*a|none|null|nil|nan|undefined|unknown|unspecified|unavailable|"
    r"not (?:available|applicable|specified|known)|tb[ad]|to be (?:announced|determined|added)"
)
"""What says in any column that there is no value. "NA" is not here, as it is a name (Na, sodium); columns add it."""

_AROUND = r"[\s.,;:\-‐‑–—_*#\"'()\[\]<>{}/]*"
"""What may stand around a placeholder: "(none)", "#N/A", "<NA>"; neither "?" nor "!", which make a title of it."""


def without_placeholder(text: pl.Expr, *more: str) -> pl.Expr:
    """`text`, but null where it is a placeholder as a whole, or has no letter and no digit; `more` are further patterns.

    >>> texts = pl.Series(["N/A", " (none) ", "--", "Unknown", "NA", "Unknown Pleasures", "None?", None])
    >>> pl.select(without_placeholder(pl.lit(texts))).to_series().to_list()
    [None, None, None, None, 'NA', 'Unknown Pleasures', 'None?', None]
    >>> pl.select(without_placeholder(pl.lit("NA"), "na")).item() is None
    True
    """
    placeholder = "|".join((PLACEHOLDER_WORDS, *more))
    return pl.when(~text.str.contains(rf"(?i)^(?:[^\p{{L}}\p{{N}}]*|{_AROUND}(?:{placeholder}){_AROUND})$")).then(text)
