"""This module blocks records by the rarest words of their titles, which slips of the pen and other subtitles leave alone.

How rare a word is, is counted over the whole set; of equally rare words the one of the lesser hash counts as the rarer, so
that neither history nor the order of rows is of account.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from transforms.match.blocks import are_new, distinct, low_half, shared_keys

RAREST_WORDS = 4
"""Words kept of a title: six pairs and four triples of them."""

_SHORTEST_BYTES = 2
"""A Latin letter alone is a variable or an initial; a Chinese character alone has three bytes."""

_SLICE = 100_000
"""Titles whose words are spread out at a time: ten words each, of sixteen bytes and more."""

_PLACES = ("first_family", "first_page")

_HALF = 1 << 32


def rare_word_keys(features: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Keys (row, key) of titles by their rarest words: three of them; then two, and the first author or the first page.

    Two words alone are shared by titles on one subject: of a million records they would propose some twelve million pairs.
    Generic titles are left out. `features` has row (0, 1, …), is_generic, title_words, first_family and first_page.
    """
    own = features.select("row", "is_generic", "title_words").filter(~pl.col("is_generic"))
    words = rarest_words(own.select("row", "title_words"))
    yield pl.concat([_combined(words["row"], words["rank"], steps) for steps in ((1, 2), (1, 3), (2, 3))])
    for seed, name in enumerate(_PLACES):
        yield _placed(words, features[name], seed)


def rarest_words(titles: pl.DataFrame) -> pl.DataFrame:
    """Rows (row, rank), sorted, at most `RAREST_WORDS` a row: of the words that stand in titles twice or more, the rarest.

    `titles` has row and title_words; a word's rank is its place among all words, the rarest first.
    """
    # (word, row) is one number, by half the word's hash: two of a million words falling together costs some comparisons.
    spread = pl.concat([_spread(titles.clear()), *map(_spread, titles.iter_slices(_SLICE))]).sort()
    words = low_half(spread // _HALF)
    counts = words.rle().struct.unnest()
    rarest_first = (counts["len"].cast(pl.UInt64) * _HALF + counts["value"]).arg_sort()
    ranks = pl.int_range(counts.height, dtype=pl.UInt32, eager=True)
    ranks = ranks.clone().scatter(rarest_first, ranks).set(counts["len"] < 2, None)
    rank = ranks.gather(words.rle_id())
    is_shared = rank.is_not_null()
    # One after the other, each freed when the next is made: there are ten million of a million titles.
    rank, rows = rank.filter(is_shared), spread.filter(is_shared)
    del spread, words, is_shared
    rows = rows % _HALF * _HALF
    rows = (rows + rank).sort()
    del rank
    numbers = distinct(rows)
    row = low_half(numbers // _HALF)
    is_rarest = are_new(row, RAREST_WORDS)
    return pl.DataFrame({"row": row.filter(is_rarest), "rank": low_half(numbers.filter(is_rarest))})


def _spread(titles: pl.DataFrame) -> pl.Series:
    """Each word of each title as a number: half its hash, and the row."""
    words = titles.select("row", word=pl.col("title_words").str.split(" ")).explode("word")
    words = words.filter(pl.col("word").str.len_bytes() >= _SHORTEST_BYTES)
    return words.select((pl.col("word").hash(1) // _HALF * _HALF + pl.col("row")).alias("spread")).to_series()


def _combined(row: pl.Series, word: pl.Series, steps: Sequence[int]) -> pl.DataFrame:
    """Keys of each word of a row with those so many places after it."""
    count = max(row.len() - max(steps), 0)
    row, is_within = row.slice(0, count), row.slice(0, count) == row.slice(max(steps))
    key = word.slice(0, count).cast(pl.UInt64)
    for step in steps:
        key = (key * _HALF + word.slice(step, count)).hash(len(steps))
    return pl.DataFrame({"row": row.filter(is_within), "key": key.filter(is_within)})


def _placed(words: pl.DataFrame, place: pl.Series, seed: int) -> pl.DataFrame:
    """Keys of two words of a row together with what stands in the column `place` of it; none where nothing does."""
    is_placed = place.is_not_null().gather(words["row"])
    row, rank = words["row"].filter(is_placed), words["rank"].filter(is_placed)
    # Two words and a place are shared only where each of the words and the place are.
    word_there = (rank.cast(pl.UInt64) * _HALF ^ place.hash(seed).gather(row)).hash(seed)
    shared = shared_keys(pl.DataFrame({"row": row, "key": word_there}))
    numbers = (shared["row"].cast(pl.UInt64) * _HALF | shared["key"]).sort()
    row, word = low_half(numbers // _HALF), numbers % _HALF
    return pl.concat([_combined(row, word, (step,)) for step in range(1, RAREST_WORDS)])
