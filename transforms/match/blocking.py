"""This module proposes candidate pairs: records that agree on a blocking key, rule by rule.

A rule gives keys, rows (row, key); records with one key form a block, and a block's pairs are candidates. A block above its
rule's cap would give pairs by the square: its records are then set in order of author and year, and each is paired with its
next neighbours only, which still chains copies of one paper together; what is paired depends on the whole set alone, never on
the order of its rows. Keys are 64-bit hashes: a collision costs one needless comparison, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

MIN_ABSTRACT_CHARACTERS = 100
"""Shorter abstract keys are no evidence: "no abstract is available for this article" and its kin have 30 to 80 characters."""

ABSTRACT_PREFIX_CHARACTERS = 200
"""How far two abstracts must agree from their start where one is cut; viewers cut cells at a few hundred characters."""

CUT_TITLE_CHARACTERS = 30
"""How far a cut title must reach to be a key: about five words, beyond "A survey of …" and "On the …"."""

NEIGHBOURS = 5
"""With how many records after it, in order of author and year, a record in a block above the cap is paired."""

_SHINGLE_WORDS = 8
"""Eight words in a row: shorter runs are common phrases ("the aim of this study was to", seven words, is in thousands)."""

_SHINGLES = 4
"""Shingles kept of an abstract. If a share s of all its shingles is in the other abstract too, about 1 - (1 - s)^4 of such
pairs meet in a block: 0.998 at s = 0.8, a sentence changed out of eight."""

_SAMPLING = 16
"""Only shingles whose first word hashes to 0 modulo this are looked at: an abstract of 150 words has some nine of them."""


@dataclass(frozen=True, slots=True)
class BlockingRule:
    """One way to propose pairs: what it looks for, its keys, and the largest block of which all pairs are compared."""

    meaning: str
    keys: Callable[[pl.DataFrame], pl.DataFrame]
    cap: int = 50


def candidate_pairs(features: pl.DataFrame) -> pl.DataFrame:
    """The candidate pairs: rows (row_l, row_r, blocking_rules), row_l < row_r, sorted, each pair once.

    `features` as `transforms.match.features.record_features` gives them.
    """
    proposals = [
        block_pairs(rule.keys(features), features, rule.cap).with_columns(rules=pl.lit(1 << bit, pl.UInt32))
        for bit, rule in enumerate(BLOCKING_RULES.values())
    ]
    pairs = pl.concat(proposals).group_by("row_l", "row_r").agg(pl.col("rules").sum()).sort("row_l", "row_r")
    return pairs.select("row_l", "row_r", blocking_rules=_rule_names(pairs["rules"]))


def block_pairs(keys: pl.DataFrame, features: pl.DataFrame, cap: int) -> pl.DataFrame:
    """The pairs of the blocks that `keys` form: distinct rows (row_l, row_r) with row_l < row_r.

    All pairs of a block of up to `cap` records; of a larger one each record with its next `NEIGHBOURS` by author and year.
    """
    sized = keys.drop_nulls().unique().with_columns(size=pl.len().over("key")).filter(pl.col("size") > 1)
    small = sized.filter(pl.col("size") <= cap).select("key", "row")
    pairs = small.join(small, on="key", suffix="_r").filter(pl.col("row") < pl.col("row_r")).select("row", "row_r")
    large = sized.filter(pl.col("size") > cap).select("key", "row")
    if large.height:
        pairs = pl.concat([pairs, _neighbours(large, features)])
    return pairs.select(row_l=pl.min_horizontal("row", "row_r"), row_r=pl.max_horizontal("row", "row_r")).unique()


def _neighbours(blocks: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Rows (row, row_r): each record of a block with its next ones by author and year."""
    placed = blocks.join(features.select("row", "first_family", "year"), on="row")
    ordered = placed.sort("key", "first_family", "year", "row")
    steps = [pl.col("row").shift(-step).over("key").alias(f"step_{step}") for step in range(1, NEIGHBOURS + 1)]
    ahead = ordered.select("row", *steps).unpivot(index="row", value_name="row_r")
    return ahead.drop_nulls("row_r").select("row", "row_r")


def _keys(features: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Keys of some columns together; a record that lacks one of them has no key."""
    return features.select("row", *columns).drop_nulls().select("row", key=pl.struct(*columns).hash(0))


def _titled(features: pl.DataFrame) -> pl.DataFrame:
    return features.filter(~pl.col("is_generic"))


def _with_abstract(features: pl.DataFrame, characters: int) -> pl.DataFrame:
    """The records whose abstract is long enough to be evidence, and their own."""
    is_evidence = (pl.col("abstract_key").str.len_chars() >= characters) & ~pl.col("abstract_is_boilerplate")
    return features.filter(is_evidence)


def _identifier_keys(features: pl.DataFrame) -> pl.DataFrame:
    return features.select("row", key="identifiers").explode("key").drop_nulls().with_columns(pl.col("key").hash(0))


def _title_author_keys(features: pl.DataFrame) -> pl.DataFrame:
    return _keys(_titled(features).select("row", "title_key", "families").explode("families"), "title_key", "families")


def _cut_title_keys(features: pl.DataFrame) -> pl.DataFrame:
    prefix = pl.col("title_key").str.slice(0, CUT_TITLE_CHARACTERS)
    keys = features.filter(pl.col("title_key").str.len_chars() >= CUT_TITLE_CHARACTERS).select(
        "row", "title_is_cut", key=prefix.hash(0)
    )
    return keys.join(keys.filter("title_is_cut").select("key"), on="key", how="semi").select("row", "key")


def _abstract_prefix_keys(features: pl.DataFrame) -> pl.DataFrame:
    prefix = pl.col("abstract_key").str.slice(0, ABSTRACT_PREFIX_CHARACTERS)
    return _keys(_with_abstract(features, ABSTRACT_PREFIX_CHARACTERS).with_columns(prefix=prefix), "prefix")


def _abstract_shingle_keys(features: pl.DataFrame) -> pl.DataFrame:
    """The least hashes of an abstract's word shingles: abstracts that share most of their text share some of them.

    For records without a title and those they may belong to: with two titles an abstract decides nothing alone, and the
    words of all abstracts are dear (1.5 s for 100,000).
    """
    abstracts = _with_abstract(features, ABSTRACT_PREFIX_CHARACTERS)
    untitled = abstracts.filter(pl.col("title_key").is_null())
    # A slice at a time: the words of a million abstracts take 4 GB.
    slices = abstracts.select("row", "abstract").iter_slices(50_000) if untitled.height else ()
    keys = pl.concat([_shingle_keys(abstracts.select("row", "abstract").clear()), *map(_shingle_keys, slices)])
    return keys.join(keys.join(untitled, on="row", how="semi").select("key"), on="key", how="semi")


def _shingle_keys(abstracts: pl.DataFrame) -> pl.DataFrame:
    # The words as they stand, punctuation and all: a regular expression would take four times as long.
    words = pl.col("abstract").str.to_lowercase().str.split(" ")
    spread = abstracts.select("row", word=words).explode("word").with_columns(pl.col("word").hash(1))
    row, word = spread["row"], spread["word"]
    starts = (word.head(max(spread.height - _SHINGLE_WORDS + 1, 0)) % _SAMPLING == 0).arg_true()
    starts = starts.filter(row.gather(starts) == row.gather(starts + (_SHINGLE_WORDS - 1)))
    runs = pl.DataFrame([word.gather(starts + step).alias(f"word_{step}") for step in range(_SHINGLE_WORDS)])
    hashed = runs.select(row.gather(starts), key=pl.struct(pl.all()).hash(2)).sort("row", "key")
    return hashed.group_by("row", maintain_order=True).head(_SHINGLES).select("row", "key")


BLOCKING_RULES: dict[str, BlockingRule] = {
    "identifier": BlockingRule("one identifier of both, not a container's", _identifier_keys),
    "title_author": BlockingRule("the title key and an author's family name", _title_author_keys),
    "title_year": BlockingRule("the title key and the year", lambda f: _keys(_titled(f), "title_key", "year")),
    "title": BlockingRule("the title key, for records that lack authors or year", lambda f: _keys(_titled(f), "title_key")),
    "cut_title": BlockingRule("the start of the title key, where a title is cut short", _cut_title_keys),
    "place": BlockingRule("venue, volume and first page", lambda f: _keys(f, "venue_key", "volume_key", "first_page"), cap=20),
    "abstract": BlockingRule("the abstract key", lambda f: _keys(_with_abstract(f, MIN_ABSTRACT_CHARACTERS), "abstract_key")),
    "abstract_prefix": BlockingRule("the start of the abstract key", _abstract_prefix_keys),
    "abstract_shingle": BlockingRule(
        "a run of words of the abstract of a record without a title", _abstract_shingle_keys, cap=20
    ),
}
"""The blocking rules, by the name that `paper_matches.blocking_rules` gives."""


def _rule_names(rules: pl.Series) -> pl.Series:
    """For each set of rules, given as bits, their names, sorted."""
    names = sorted(BLOCKING_RULES)
    bits = {name: 1 << bit for bit, name in enumerate(BLOCKING_RULES)}
    sets = pl.DataFrame({"rules": rules.unique().sort()}, schema={"rules": pl.UInt32})
    lists = [[name for name in names if value & bits[name]] for value in sets["rules"]]
    named = sets.with_columns(pl.Series("blocking_rules", lists, pl.List(pl.String)))
    return pl.DataFrame({"rules": rules}).join(named, on="rules", how="left", maintain_order="left")["blocking_rules"]
