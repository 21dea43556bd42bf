"""This module proposes candidate pairs: records that agree on a blocking key, rule by rule.

A rule gives keys, rows (row, key); records with one key form a block, and a block's pairs are candidates (see
`transforms.match.blocks`). Keys are hashes: a collision costs one needless comparison, nothing else. `count_pairs` tells what
each rule would propose before anything is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import polars as pl

from transforms.match.blocks import (
    NEIGHBOURS,
    are_last,
    block_sizes,
    distinct,
    key_numbers,
    number_pairs,
    pair_rows,
    shared_keys,
)
from transforms.match.rarity import rare_word_keys

MIN_ABSTRACT_CHARACTERS = 100
"""Shorter abstract keys are no evidence: "no abstract is available for this article" and its kin have 30 to 80 characters."""

ABSTRACT_PREFIX_CHARACTERS = 200
"""How far two abstracts must agree from their start where one is cut; viewers cut cells at a few hundred characters."""

CUT_TITLE_CHARACTERS = 30
"""How far a cut title must reach to be a key: about five words, beyond "A survey of …" and "On the …"."""

START_CHARACTERS = 20
"""How much of a title key stands for its start: three or four words, what is left when a subtitle goes or the end differs."""

_MOST_RULES = 32
"""A set of rules is 32 bits."""


@dataclass(frozen=True, slots=True)
class BlockingRule:
    """One way to propose pairs: what it looks for, its keys, and the largest block of which all pairs are compared.

    Keys may come in parts that have none in common, so that not all are in memory. In a larger block a record is paired with
    its next `neighbours` only, in order of author and year.
    """

    meaning: str
    keys: Callable[[pl.DataFrame], pl.DataFrame | Iterator[pl.DataFrame]]
    cap: int = 50
    neighbours: int = NEIGHBOURS


def candidate_pairs(features: pl.DataFrame) -> pl.DataFrame:
    """The candidate pairs: rows (row_l, row_r, rules), row_l < row_r, sorted, each pair once.

    `rules` is the set of the rules that propose the pair, one bit each; `rule_names` names them, `is_proposed_by` asks for
    some. `features` as `transforms.match.features.record_features` gives them.
    """
    features = _with_title_starts(features)
    # Two rules at a time, as half of the work on a column is one thread's; the dearest first, in time and in memory.
    order = sorted(BLOCKING_RULES, key=lambda name: (name != "rare_words", name != "title_author"))
    with ThreadPoolExecutor(max_workers=2) as pool:
        proposals = list(pool.map(lambda name: _proposals(name, features), order))
    # A pair and a rule are one number, so that one sort of numbers brings the rules of each pair together.
    proposed = pl.concat(proposals).sort()
    del proposals
    pair = proposed // _MOST_RULES
    is_last = are_last(pair)
    bits = pl.Series([1 << place for place in range(_MOST_RULES)], dtype=pl.UInt64)
    summed = bits.gather(proposed % _MOST_RULES).cum_sum().filter(is_last)
    rules = (summed - summed.shift(1, fill_value=0)).cast(pl.UInt32).alias("rules")
    return pair_rows(pair.filter(is_last)).with_columns(rules)


def count_pairs(features: pl.DataFrame) -> pl.DataFrame:
    """What each rule would propose: rows (rule, meaning, keys, blocks, largest, pairs, alone), in the order of the rules.

    keys: records and keys; blocks: those of two records or more; largest: records in the largest; pairs: distinct;
    alone: pairs that no other rule proposes.
    """
    rules = candidate_pairs(features)["rules"]
    features = _with_title_starts(features)
    counts = []
    for place, (name, rule) in enumerate(BLOCKING_RULES.items()):
        made = rule.keys(features)
        keys = made if isinstance(made, pl.DataFrame) else pl.concat(made)
        sizes = block_sizes(keys)
        proposed, alone = ((rules & (1 << place)) > 0).sum(), (rules == (1 << place)).sum()
        counts.append((name, rule.meaning, keys.drop_nulls().height, sizes.len(), sizes.max() or 0, proposed, alone))
    names = ("keys", "blocks", "largest", "pairs", "alone")
    schema = {"rule": pl.String, "meaning": pl.String} | dict.fromkeys(names, pl.Int64)
    return pl.DataFrame(counts, schema=schema, orient="row")


def is_proposed_by(*names: str) -> pl.Expr:
    """Whether one of the named rules proposes a pair, from its column `rules`."""
    return (pl.col("rules") & sum(1 << list(BLOCKING_RULES).index(name) for name in names)) > 0


def rule_names(rules: pl.Series, without: str | None = None) -> pl.Series:
    """For each set of rules, given as bits, their names, sorted; `without` is what a set without rules is called."""
    names = sorted(BLOCKING_RULES)
    bits = {name: 1 << place for place, name in enumerate(BLOCKING_RULES)}
    sets = rules.unique().sort()
    lists = [[name for name in names if value & bits[name]] or ([without] if without else []) for value in sets]
    place = rules.replace_strict(sets, pl.int_range(sets.len(), eager=True), return_dtype=pl.UInt32) if rules.len() else rules
    return pl.Series("blocking_rules", lists, pl.List(pl.String)).gather(place)


def _proposals(name: str, features: pl.DataFrame) -> pl.Series:
    """The pairs that a rule proposes, each as one number with the rule's place."""
    rule, place = BLOCKING_RULES[name], list(BLOCKING_RULES).index(name)
    keys = rule.keys(features)
    numbers = [key_numbers(keys)] if isinstance(keys, pl.DataFrame) else map(key_numbers, keys)
    del keys
    found = [number_pairs(some, features, rule.cap, rule.neighbours) for some in numbers]
    return (distinct(pl.concat(found).sort()) if len(found) > 1 else found[0]) * _MOST_RULES + place


def _keys(features: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Keys of some columns together; a record that lacks one of them has no key."""
    known = features.select_seq("row", *columns).drop_nulls()
    return pl.DataFrame([known["row"], known.select_seq(*columns).hash_rows(seed=0).alias("key")])


def _titled(features: pl.DataFrame, *columns: str) -> pl.DataFrame:
    return features.select_seq("row", "title_start", *columns).filter(~features["is_generic"])


def _equal_title_keys(titled: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Keys of the title and some columns, of titles that another begins like."""
    alike = titled.select_seq("row", "title_start", "title_key", *columns).drop_nulls("title_start")
    return _keys(alike, "title_key", *columns)


def _identifier_keys(features: pl.DataFrame) -> pl.DataFrame:
    return features.select("row", key="identifiers").explode("key").drop_nulls().with_columns(pl.col("key").hash(0))


def _with_title_starts(features: pl.DataFrame) -> pl.DataFrame:
    """`features` with title_start: the same in all titles that begin alike, null where no other begins so, as most do.

    A shorter title is its own start, so that equal titles meet here too, generic ones among them.
    """
    start = pl.col("title_key").str.slice(0, START_CHARACTERS).hash(0)
    shared = shared_keys(features.select("row", "title_key").drop_nulls().select("row", key=start))
    nothing = pl.Series("title_start", [None], pl.UInt32).new_from_index(0, features.height)
    return features.with_columns(nothing.scatter(shared["row"], shared["key"].cast(pl.UInt32)))


def _title_start_keys(features: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Keys of how a title begins and some columns; a list gives a key for each of its members."""
    beside = features.select("row", "title_start", *columns).drop_nulls("title_start")
    for column in columns:
        beside = beside.explode(column) if beside.schema[column] == pl.List else beside
    return _keys(beside, "title_start", *columns)


def _title_year_keys(features: pl.DataFrame) -> pl.DataFrame:
    """Where the authors are missing or misread. Generic titles have many papers a year."""
    return _title_start_keys(_titled(features, "year"), "year")


def _title_page_keys(features: pl.DataFrame) -> pl.DataFrame:
    """Every journal has editorials on its first pages: of generic titles the volume must agree, too."""
    own = _title_start_keys(_titled(features, "first_page"), "first_page")
    return pl.concat([own, _title_start_keys(features, "first_page", "volume_key")])


def _title_end_keys(features: pl.DataFrame) -> pl.DataFrame:
    """Where a label stands before the title: "Tutorial: …"."""
    end = pl.col("title_key").str.tail(START_CHARACTERS).alias("end")
    is_long = pl.col("title_key").str.len_bytes() > START_CHARACTERS
    titled = _titled(features, "title_key", "first_family").filter(is_long)
    return _keys(titled.select_seq("row", end, "first_family"), "end", "first_family")


def _nameless_keys(features: pl.DataFrame) -> pl.DataFrame:
    """Keys of records without a title of their own, and of those that they may be: one author, venue, and year or issue."""
    venue = pl.coalesce("venue_id", "venue_key").alias("venue")
    placed = features.select("row", "is_generic", "families", "year", "volume_key", "number_key", venue)
    return pl.concat([_joined_keys(placed, "year"), _joined_keys(placed, "volume_key", "number_key")])


def _joined_keys(placed: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Keys of venue, `columns` and author that a generic record has; authors are spread out where the rest is shared only."""
    where = ("venue", *columns)
    places = placed.select("row", "is_generic", *where).drop_nulls(where)
    shared = _with_generic_ones(places.select("row", "is_generic", key=places.select(where).hash_rows(seed=0)))
    authors = shared.with_columns(placed["families"].gather(shared["row"])).explode("families").drop_nulls("families")
    keys = authors.select("row", "is_generic", key=authors.select("key", "families").hash_rows(seed=0))
    return _with_generic_ones(keys).select("row", "key")


def _with_generic_ones(keys: pl.DataFrame) -> pl.DataFrame:
    """The rows of keys that a generic record has."""
    generic = keys.filter("is_generic")["key"].unique()
    return keys.filter(pl.col("key").is_in(generic.implode()))


def _cut_title_keys(features: pl.DataFrame) -> pl.DataFrame:
    is_long = pl.col("title_key").str.len_bytes() >= CUT_TITLE_CHARACTERS
    alike = features.select("row", "title_start", "title_key", "title_is_cut").drop_nulls("title_start")
    long = alike.filter(is_long)
    keys = long.select("row", "title_is_cut", key=pl.col("title_key").str.slice(0, CUT_TITLE_CHARACTERS).hash(0))
    return keys.filter(keys["key"].is_in(keys.filter("title_is_cut")["key"].unique().implode())).select("row", "key")


def _abstract_start_keys(features: pl.DataFrame) -> pl.DataFrame:
    """The feature `abstract_key` is of a fixed number of characters, so how many letters it has depends on the mark-up."""
    is_evidence = (pl.col("abstract_key").str.len_chars() >= MIN_ABSTRACT_CHARACTERS) & ~pl.col("abstract_is_boilerplate")
    start = pl.col("abstract_key").str.slice(0, MIN_ABSTRACT_CHARACTERS)
    abstracts = features.select("row", "abstract_key", "abstract_is_boilerplate").filter(is_evidence)
    return abstracts.select("row", key=start.hash(0))


def _abstract_piece_keys(features: pl.DataFrame) -> pl.DataFrame:
    """The pieces that an abstract without a title shares with others.

    With two titles an abstract decides nothing alone, and the pieces of all abstracts are dear.
    """
    is_evidence = ~pl.col("abstract_is_boilerplate") & (pl.col("key").list.len() > 0)
    lists = features.select("row", "title_key", "abstract_is_boilerplate", key="abstract_pieces").filter(is_evidence)
    untitled = lists.filter(pl.col("title_key").is_null()).select(pl.col("key").explode().unique())
    if untitled.is_empty():
        return lists.select("row", "key").clear().explode("key")
    return lists.select("row", "key").explode("key").join(untitled, on="key", how="semi")


BLOCKING_RULES: dict[str, BlockingRule] = {
    "identifier": BlockingRule("one identifier of both, not a container's", _identifier_keys),
    # The title key alone, and with what tells papers of one title apart: "Editorial" forms a block of thousands, in which
    # only those of one author, page or issue are looked at.
    "title": BlockingRule("the title key, not a generic one", lambda f: _equal_title_keys(_titled(f, "title_key"))),
    "title_author": BlockingRule(
        "the start of the title key and an author's family name", lambda f: _title_start_keys(f, "families")
    ),
    "title_year": BlockingRule("the start of the title key and the year", _title_year_keys, cap=20, neighbours=0),
    "title_page": BlockingRule(
        "the start of the title key and the first page, and of a generic title the volume", _title_page_keys
    ),
    "title_issue": BlockingRule("the title key, volume and issue", lambda f: _equal_title_keys(f, "volume_key", "number_key")),
    # Titles that are not equal.
    "title_end": BlockingRule("the end of the title key and the first author", _title_end_keys, cap=40, neighbours=0),
    "cut_title": BlockingRule("the start of the title key, where a title is cut short", _cut_title_keys),
    "rare_words": BlockingRule(
        "three of the title's rarest words; or two, and the first author or page", rare_word_keys, cap=40, neighbours=0
    ),
    # Titles that have nothing in common, or are missing.
    "place": BlockingRule("venue, volume and first page", lambda f: _keys(f, "venue_key", "volume_key", "first_page"), cap=20),
    "author_year_page": BlockingRule(
        "first author, year and first page", lambda f: _keys(f, "first_family", "year", "first_page")
    ),
    "author_volume_page": BlockingRule(
        "first author, volume and first page", lambda f: _keys(f, "first_family", "volume_key", "first_page")
    ),
    "volume_page_year": BlockingRule(
        "volume, first page and year", lambda f: _keys(f, "volume_key", "first_page", "year"), cap=20, neighbours=0
    ),
    "nameless": BlockingRule(
        "an author's family name, venue, and year or issue, of a record without a title of its own", _nameless_keys, cap=20
    ),
    "abstract": BlockingRule("the first hundred letters of the abstract", _abstract_start_keys),
    "abstract_piece": BlockingRule(
        "a piece of the abstract of a record without a title", _abstract_piece_keys, cap=20, neighbours=0
    ),
}
"""The blocking rules, by the name that `paper_matches.blocking_rules` gives."""
