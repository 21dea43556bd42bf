"""Clustering: components of matches that honour what must stay apart."""

from __future__ import annotations

import itertools
import random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.match.clustering import cluster_records, uncompared_pairs
from transforms.match.components import components
from transforms.match.rule import ABSTRACT, IDENTIFIER, TITLE, VETO

SCHEMA = {
    "row_l": pl.UInt32,
    "row_r": pl.UInt32,
    "status": pl.String,
    "strength": pl.Int8,
    "title_ratio": pl.Float64,
    "abstract_ratio": pl.Float64,
}


def decisions(*pairs: tuple[int, int, str, int]) -> pl.DataFrame:
    frame = pl.DataFrame([(*pair, 1.0, None) for pair in pairs], schema=SCHEMA, orient="row")
    is_version = pl.col("status") == "version"
    return frame.with_columns(work_strength=pl.when(is_version).then("strength").otherwise(0).cast(pl.Int8))


def clusters(count: int, *pairs: tuple[int, int, str, int]) -> list[int]:
    return cluster_records(count, decisions(*pairs))[0].to_list()


def test_a_chain_of_matches_is_one_cluster_known_by_its_least_row() -> None:
    assert clusters(5, (1, 2, "match", TITLE), (2, 4, "match", TITLE)) == [0, 1, 1, 3, 1]


def test_a_chain_over_a_vetoed_pair_is_cut_at_its_weaker_match() -> None:
    veto = (0, 2, "no", VETO)
    assert clusters(3, (0, 1, "match", TITLE), (1, 2, "match", IDENTIFIER), veto) == [0, 1, 1]
    assert clusters(3, (0, 1, "match", IDENTIFIER), (1, 2, "match", TITLE), veto) == [0, 0, 2]
    assert clusters(3, (0, 1, "match", TITLE), (1, 2, "match", TITLE), veto) == [0, 0, 2]


def test_a_veto_holds_over_a_long_chain() -> None:
    chain = [(row, row + 1, "match", IDENTIFIER) for row in range(5)]
    found = clusters(6, *chain, (0, 5, "no", VETO))
    assert found[0] != found[5]


def test_a_weak_verdict_gives_way_to_a_stronger_match() -> None:
    possible = (0, 2, "possible", ABSTRACT)
    assert clusters(3, (0, 1, "match", TITLE), (1, 2, "match", IDENTIFIER), possible) == [0, 0, 0]
    assert clusters(3, (0, 1, "match", ABSTRACT), (1, 2, "match", ABSTRACT), possible) == [0, 0, 2]


def test_two_works_are_not_joined_by_a_version_that_each_may_be_of() -> None:
    chain = decisions((0, 1, "version", ABSTRACT), (1, 2, "version", TITLE), (0, 2, "possible", TITLE))
    assert cluster_records(3, chain)[1].to_list() == [0, 0, 0]
    kept_apart = chain.with_columns(work_strength=pl.Series([ABSTRACT, TITLE, ABSTRACT], dtype=pl.Int8))
    assert cluster_records(3, kept_apart)[1].to_list() == [0, 1, 1]


def test_versions_share_a_work_but_no_cluster() -> None:
    found = cluster_records(4, decisions((0, 1, "match", TITLE), (1, 3, "version", TITLE)))
    assert [rows.to_list() for rows in found] == [[0, 0, 2, 3], [0, 0, 2, 0]]


def test_the_pairs_of_a_component_that_were_not_compared_are_named() -> None:
    chain = decisions((0, 1, "match", TITLE), (1, 2, "match", TITLE), (3, 4, "match", TITLE))
    assert uncompared_pairs(5, chain, chain, limit=10).rows() == [(0, 2)]
    assert uncompared_pairs(5, chain, chain, limit=2).rows() == []


PAIRS = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.integers(0, 9),
        st.sampled_from([("match", 1), ("match", 4), ("match", 5), ("no", 9), ("possible", 1), ("version", 4)]),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(PAIRS, st.randoms(use_true_random=False))
def test_clusters_honour_vetoes_and_do_not_depend_on_the_order_of_pairs(
    raw: list[tuple[int, int, tuple[str, int]]], shuffler: random.Random
) -> None:
    pairs = {(min(left, right), max(left, right)): verdict for left, right, verdict in raw if left != right}
    rows = [(left, right, status, strength) for (left, right), (status, strength) in pairs.items()]
    found = clusters(10, *rows)
    shuffler.shuffle(rows)
    assert clusters(10, *rows) == found
    for left, right, _, strength in rows:
        assert strength != VETO or found[left] != found[right]
    assert all(found[root] == root <= row for row, root in enumerate(found))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(PAIRS, st.permutations(range(10)))
def test_without_forbidden_pairs_clusters_are_plain_components(
    raw: list[tuple[int, int, tuple[str, int]]], names: list[int]
) -> None:
    matches = [(min(left, right), max(left, right), "match", TITLE) for left, right, _ in raw if left != right]
    renamed = [
        (min(names[left], names[right]), max(names[left], names[right]), "match", TITLE) for left, right, _, _ in matches
    ]
    found, found_renamed = clusters(10, *matches), clusters(10, *renamed)
    for left in range(10):
        for right in range(10):
            assert (found[left] == found[right]) == (found_renamed[names[left]] == found_renamed[names[right]])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(1, 30), st.data())
def test_components_are_what_a_walk_from_each_row_reaches(count: int, data: st.DataObject) -> None:
    rows = st.integers(0, count - 1)
    pairs = data.draw(st.lists(st.tuples(rows, rows), max_size=40))
    reached = []
    for start in range(count):
        seen, ahead = {start}, [start]
        while ahead:
            row = ahead.pop()
            near = {right for left, right in pairs if left == row} | {left for left, right in pairs if right == row}
            ahead.extend(near - seen)
            seen |= near
        reached.append(min(seen))
    found = components(count, *(pl.Series([pair[side] for pair in pairs], dtype=pl.UInt32) for side in (0, 1)))
    assert found.to_list() == reached


def test_a_long_chain_and_a_star_are_one_component_each_whatever_the_order_of_their_rows() -> None:
    names = list(range(3000))
    random.Random(5).shuffle(names)
    for pairs in (list(itertools.pairwise(names)), [(names[0], name) for name in names[1:]]):
        left, right = (pl.Series([pair[side] for pair in pairs], dtype=pl.UInt32) for side in (0, 1))
        assert components(3000, left, right).unique().to_list() == [0]
