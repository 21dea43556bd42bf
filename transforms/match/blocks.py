"""This module turns blocks into pairs: records with one key form a block, and a block's records are paired.

A block above its rule's cap would give pairs by the square. Its records are set in order of author and year instead, and
each is paired with its next neighbours only, which still chains the copies of one paper together; what is paired depends on
the whole set alone, never on the order of its rows.

A pair is one number, `row_l << 28 | row_r`, so that sorting, counting and joining pairs are sorts and sums of integers.
"""

from __future__ import annotations

import polars as pl

ROW_BITS = 28
"""A pair of rows takes twice as many bits of 64, and eight are left for the rule: up to 268 million records a run."""

NEIGHBOURS = 5
"""With how many records after it, in order of author and year, a record in a block above the cap is paired."""

_KEY_BITS = 32
"""Blocks are told apart by half a key, so that (key, row) is one number to sort, which is three times as fast as sorting a
frame. Of the six million keys of a million records 4,000 pairs fall together by chance: so many needless comparisons."""


def block_pairs(keys: pl.DataFrame, features: pl.DataFrame, cap: int, neighbours: int = NEIGHBOURS) -> pl.Series:
    """The pairs of the blocks that `keys`, rows (row, key), form: each pair once, as a number, sorted.

    All pairs of a block of up to `cap` records; of a larger one each record with its next `neighbours` by author and year.
    """
    return number_pairs(key_numbers(keys), features, cap, neighbours)


def number_pairs(numbers: pl.Series, features: pl.DataFrame, cap: int, neighbours: int = NEIGHBOURS) -> pl.Series:
    """The same of keys as `key_numbers` gives them, so that the keys, ten million of a million records, need not be kept."""
    blocks, found = _blocks(numbers), []
    is_large = blocks["size"] > cap
    if is_large.any():
        if neighbours:
            found.append(_neighbours(blocks.filter(is_large), features, neighbours))
        blocks = blocks.filter(~is_large)
    found.append(_small_pairs(blocks["row"], blocks["after"]))
    return distinct(pl.concat(found).sort())


def distinct(numbers: pl.Series) -> pl.Series:
    """Sorted numbers, each once; ten times as fast as `unique`."""
    return numbers.filter(are_new(numbers))


def are_new(values: pl.Series, places: int = 1) -> pl.Series:
    """Whether each value is another than the one so many places before it, as the first ones are; nothing is null.

    Of slices, as `shift` and `fill_null` take half a millisecond each time, however short the series.

    >>> are_new(pl.Series([3, 3, 5])).to_list(), are_new(pl.Series([3, 3, 5]), 2).to_list()
    ([True, False, True], [True, True, True])
    """
    follows = values.slice(places) != values.slice(0, max(values.len() - places, 0))
    return pl.concat([_TRUE.new_from_index(0, min(places, values.len())), follows], rechunk=True)


def are_last(values: pl.Series) -> pl.Series:
    """Whether each value is another than the one behind it, as the last is.

    >>> are_last(pl.Series([3, 3, 5])).to_list()
    [False, True, True]
    """
    follows = values.slice(1) != values.slice(0, max(values.len() - 1, 0))
    return pl.concat([follows, _TRUE.slice(0, values.len())], rechunk=True)


def low_half(numbers: pl.Series) -> pl.Series:
    """The lower half of each number; to cut it off costs a fifth of asking whether anything stands above it.

    >>> low_half(pl.Series([(7 << 32) + 5], dtype=pl.UInt64)).to_list()
    [5]
    """
    return numbers.cast(pl.UInt32, wrap_numerical=True)


_TRUE = pl.Series([True])


def pair_numbers(row_l: pl.Series, row_r: pl.Series) -> pl.Series:
    """Pairs as numbers; `row_l` and `row_r` as `pair_rows` gives them."""
    return ((row_l.cast(pl.UInt64) * (1 << ROW_BITS)) | row_r.cast(pl.UInt64)).alias("pair")


def pair_rows(pairs: pl.Series) -> pl.DataFrame:
    """The rows (row_l, row_r) of pairs given as numbers.

    >>> pair_rows(pair_numbers(pl.Series([3]), pl.Series([8]))).rows()
    [(3, 8)]
    """
    row = (1 << ROW_BITS) - 1
    return pl.DataFrame({"row_l": low_half(pairs // (1 << ROW_BITS)), "row_r": low_half(pairs & row)})


def block_sizes(keys: pl.DataFrame) -> pl.Series:
    """The sizes of the blocks of two records or more that `keys` form."""
    blocks = _blocks(key_numbers(keys))
    return blocks.filter(pl.col("after") == 0)["size"]


def shared_keys(keys: pl.DataFrame) -> pl.DataFrame:
    """`keys` without those that one record alone has; a key may become another number, the same in all its rows."""
    return _blocks(key_numbers(keys)).select("row", key=pl.col("block").cast(pl.UInt64))


def key_numbers(keys: pl.DataFrame) -> pl.Series:
    """Keys and rows as numbers, sorted; rows without a key are left out."""
    # The half of a key above the 64 bits is lost, as is meant.
    number = pl.col("key").cast(pl.UInt64) * (1 << _KEY_BITS) | pl.col("row")
    return keys.select(number.alias("number")).to_series().drop_nulls().sort()


def _blocks(numbers: pl.Series) -> pl.DataFrame:
    """Rows (block, row, size, after), sorted by block and row, of blocks of two or more; after: how many rows follow in it."""
    key = _key(numbers)
    numbers = distinct(numbers.filter(~(are_new(key) & are_last(key))))
    block = _key(numbers)
    starts = are_new(block).arg_true()
    ends = pl.concat([starts.slice(1), pl.Series([block.len()], dtype=starts.dtype).slice(0, starts.len())], rechunk=True)
    run = block.rle_id()
    after = ends.gather(run) - 1 - pl.int_range(block.len(), dtype=pl.UInt32, eager=True)
    blocks = pl.DataFrame({"block": run, "row": low_half(numbers), "size": (ends - starts).gather(run), "after": after})
    return blocks.filter(blocks["size"] > 1)


def _key(numbers: pl.Series) -> pl.Series:
    return low_half(numbers // (1 << _KEY_BITS))


def _small_pairs(rows: pl.Series, after: pl.Series) -> pl.Series:
    """All pairs within blocks: each row with the next of its block, with the next but one, and so on while there are any."""
    found, step = [pl.Series("pair", [], pl.UInt64)], 1
    starts = (after >= step).arg_true()
    while starts.len():
        found.append(pair_numbers(rows.gather(starts), rows.gather(starts + step)))
        step += 1
        starts = starts.filter(after.gather(starts) >= step)
    return pl.concat(found)


def _neighbours(blocks: pl.DataFrame, features: pl.DataFrame, neighbours: int) -> pl.Series:
    placed = blocks.select(
        "block", "row", features["first_family"].gather(blocks["row"]), features["year"].gather(blocks["row"])
    )
    ordered = placed.sort("block", "first_family", "year", "row")
    found = []
    for step in range(1, neighbours + 1):
        ahead = ordered.select("row", row_r=pl.col("row").shift(-step).over("block")).drop_nulls()
        sides = ahead.select(row_l=pl.min_horizontal("row", "row_r"), row_r=pl.max_horizontal("row", "row_r"))
        found.append(pair_numbers(sides["row_l"], sides["row_r"]))
    return pl.concat(found)
