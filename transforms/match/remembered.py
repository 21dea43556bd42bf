"""This module remembers what was said of pairs, so that the next match judges only pairs of which a record is new or changed.

A verdict follows from the features of the two records and the blocking rules that proposed them, and from nothing else; what
depends on all records together (whether a title is generic, an identifier a container's) is among the features. So a pair is
known by hashes of both sides' features: where one is another than last time, the pair is another.
"""

from __future__ import annotations

import polars as pl

from transforms.match.comparison import costly_aspects
from transforms.match.judging import judge_pairs

_PAIR = ("key_l", "key_r", "rules")
_SAID = {
    "title_ratio": pl.Float64,
    "abstract_ratio": pl.Float64,
    "authors_shared_count": pl.Int32,
    "status": pl.String,
    "reason": pl.String,
    "strength": pl.Int8,
    "relation": pl.String,
    "work_strength": pl.Int8,
}

KNOWN_SCHEMA = pl.Schema({"key_l": pl.UInt64, "key_r": pl.UInt64, "rules": pl.UInt32, **_SAID})
"""What is kept of a pair: which it is and what was said of it, nulls if no rule named it."""

_NOTHING_SAID = {name: pl.lit(None, kind) for name, kind in _SAID.items()}
_SEED = 11


class RememberingJudge:
    """Judges pairs of records by their features, as `judge_pairs` does; `known` (`KNOWN_SCHEMA`) it need not judge again."""

    def __init__(self, features: pl.DataFrame, known: pl.DataFrame) -> None:
        self._features, self._known = features, known.with_columns(is_known=pl.lit(True))
        self._keys = features.drop("row").hash_rows(seed=_SEED)
        self._judged: list[pl.DataFrame] = []
        self._aspects = costly_aspects()

    def judge(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """`pairs` (row_l, row_r, rules), sorted, that a rule names, with the verdict and what is published of each."""
        keyed = self._keyed(pairs)
        found = keyed.join(self._known, on=_PAIR, how="left", maintain_order="left")
        is_new = found["is_known"].is_null()
        new = judge_pairs(pairs.filter(is_new), self._features, self._aspects)
        unnamed = keyed.filter(is_new).join(new, on=["row_l", "row_r"], how="anti").with_columns(**_NOTHING_SAID)
        known = found.filter(~is_new)
        self._judged += [frame.select(KNOWN_SCHEMA.names()) for frame in (self._keyed(new), unnamed, known)]
        return pl.concat([new, known.filter(pl.col("status").is_not_null()).select(new.columns)]).sort("row_l", "row_r")

    def _keyed(self, pairs: pl.DataFrame) -> pl.DataFrame:
        return pairs.with_columns(self._keys.gather(pairs[f"row_{side}"]).alias(f"key_{side}") for side in ("l", "r"))

    def judged(self) -> pl.DataFrame:
        """All that was asked so far, to be `known` the next time; each pair once."""
        return pl.concat([KNOWN_SCHEMA.to_frame(), *self._judged]).unique(_PAIR)
