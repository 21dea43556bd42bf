"""This module judges candidate pairs: compares them, costly aspects last and only while the rules leave a pair open.

Two slices are judged at a time, each by one thread: comparisons use `select_seq` and `with_columns_seq`, as Polars takes
0.2 ms to share out a frame among threads, and the other slice has the other core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import polars as pl

from transforms.match.comparison import (
    SLICE_PAIRS,
    CostlyAspect,
    costly_aspects,
    outlined,
)
from transforms.match.decision import SAID_OF, first_rules, with_verdicts
from transforms.match.sides import filled, scattered

_THREADS = 2
"""Slices judged at a time: while Python has one slice's words and letters, Polars has the other's columns."""

_LEAST_SLICE = 1 << 14
"""Pairs that are worth a slice: what is to be done for each costs 0.05 s, as 5,000 pairs do."""

_PUBLISHED = ("title_ratio", "abstract_ratio", "authors_shared_count")
_VERDICT = ("status", "reason", "strength", "relation", "work_strength")


def judge_pairs(pairs: pl.DataFrame, features: pl.DataFrame, aspects: tuple[CostlyAspect, ...] | None = None) -> pl.DataFrame:
    """`pairs` (row_l, row_r, …) that a rule names, in the same order, with the verdict and what is published of each.

    The verdicts are those of `decide_pairs(compare_pairs(pairs, features))`; of a million pairs three quarters are decided
    without a look at words of titles, venues or names. `aspects` (`costly_aspects`) are those of an earlier call, for what
    was learned of words and venues in it.
    """
    aspects = aspects or costly_aspects()
    with _short_turns(), ThreadPoolExecutor(_THREADS) as pool:
        size = max(_LEAST_SLICE, min(SLICE_PAIRS, -(-pairs.height // _THREADS)))
        judged = pool.map(lambda part: _judged(part, features, aspects), pairs.iter_slices(size))
        return pl.concat([*judged] or [_judged(pairs, features, aspects)], rechunk=True)


_TURN_SECONDS = 1e-4
"""While one thread has words and venues, the other comes back from Polars some two hundred times a slice, and waits for its
turn each time: by default 5 ms."""


@contextmanager
def _short_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _TURN_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _judged(pairs: pl.DataFrame, features: pl.DataFrame, aspects: tuple[CostlyAspect, ...]) -> pl.DataFrame:
    outlines = outlined(pairs, features)
    outlines = outlines.with_columns_seq(
        pl.when(~aspect.asked).then(value).alias(name) for aspect in aspects for name, value in aspect.otherwise.items()
    )
    found = first_rules(outlines)
    is_open = found["sure"].ne_missing(found["may"])
    opened = outlines.filter(is_open)
    for aspect in aspects:
        opened = _compared_in(opened, aspect, features)
    rule = scattered(found["sure"], is_open.arg_true(), first_rules(opened)["sure"])
    told = outlines.select_seq(*pairs.columns, *_PUBLISHED, *SAID_OF)
    return with_verdicts(told, rule).select_seq(*pairs.columns, *_PUBLISHED, *_VERDICT)


def _compared_in(opened: pl.DataFrame, aspect: CostlyAspect, features: pl.DataFrame) -> pl.DataFrame:
    """`opened` with the columns of an aspect filled in where they are not known yet."""
    unknown = opened[next(iter(aspect.otherwise))].is_null()
    return filled(opened, unknown, aspect.compare(opened.filter(unknown), features))
