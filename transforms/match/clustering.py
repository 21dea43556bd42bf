"""This module clusters records: the components that matches form, cut where two records must not be one paper.

A component without a forbidden pair is one cluster. In any other the matches are taken up one by one, strongest evidence
first, and each joins two clusters unless a pair between them is forbidden at that strength: so a veto holds against all,
while a mere "same abstract, other title" keeps two papers apart only where an abstract alone would join them. Ties go by
likeness, then by record key; the order of rows and pairs is of no account.
"""

from __future__ import annotations

from collections import defaultdict

import polars as pl

from transforms.match.blocks import block_pairs, pair_numbers, pair_rows
from transforms.match.components import components
from transforms.match.sides import scattered


def cluster_records(count: int, decisions: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """For each of the rows 0 … count-1 the least row of its cluster (one paper), and the least row of its work.

    `decisions` has row_l, row_r, status, strength, work_strength, and title_ratio and abstract_ratio for ties. A work holds
    the clusters that versions join, cut in the same way where two of them must not be one work ("Top 10" and "Top 100").
    """
    cluster = _cut_components(count, decisions, decisions["status"] == "match")
    between = decisions.select(
        *(cluster.gather(decisions[name]).alias(name) for name in ("row_l", "row_r")),
        pl.col("work_strength").alias("strength"),
        "status",
        "title_ratio",
        "abstract_ratio",
    ).filter(pl.col("row_l") != pl.col("row_r"))
    work = _cut_components(count, between, between["status"] == "version")
    return cluster.alias("cluster"), work.gather(cluster).alias("work")


def _cut_components(count: int, pairs: pl.DataFrame, joins: pl.Series) -> pl.Series:
    """For each row the least one of its component by the pairs that `joins` holds for, cut where others forbid it."""
    component = _components_of(count, pairs, joins)
    component_l = component.gather(pairs["row_l"])
    is_forbidden = ~joins & (pairs["strength"] > 0) & (component_l == component.gather(pairs["row_r"]))
    torn = component_l.filter(is_forbidden).unique()
    is_torn_link = joins & component_l.is_in(torn.implode())
    clusters = _Clusters(component.is_in(torn.implode()).arg_true().to_list())
    _join_strongest_first(clusters, pairs.filter(is_torn_link), pairs.filter(is_forbidden))
    return _replaced(component, clusters.roots())


def uncompared_pairs(count: int, decisions: pl.DataFrame, compared: pl.DataFrame, limit: int) -> pl.DataFrame:
    """The pairs (row_l, row_r) within the components of matches that blocking did not propose: vetoes may hide among them.

    Components of more than `limit` records are left as they are: their pairs grow by the square.
    """
    component = _components_of(count, decisions, decisions["status"] == "match")
    members = pl.DataFrame({"key": component}).with_row_index("row").with_columns(size=pl.len().over("key"))
    within = block_pairs(members.filter(pl.col("size").is_between(3, limit)), pl.DataFrame(), limit)
    is_within = component.gather(compared["row_l"]) == component.gather(compared["row_r"])
    known = compared.select("row_l", "row_r").filter(is_within)
    return pair_rows(within.filter(~within.is_in(pair_numbers(known["row_l"], known["row_r"]).implode())))


def _components_of(count: int, pairs: pl.DataFrame, is_taken: pl.Series) -> pl.Series:
    taken = pairs.select("row_l", "row_r").filter(is_taken)
    return components(count, taken["row_l"], taken["row_r"])


def _replaced(component: pl.Series, roots: dict[int, int]) -> pl.Series:
    """`component` with the rows of torn components set to what they hang on now."""
    rows, values = (pl.Series(list(some), dtype=pl.UInt32) for some in (roots.keys(), roots.values()))
    return scattered(component, rows, values).alias("cluster")


class _Clusters:
    """Disjoint sets of the rows of torn components, each known by its least row."""

    def __init__(self, rows: list[int]) -> None:
        self._parent = {row: row for row in rows}

    def root(self, row: int) -> int:
        """The least row of the set that `row` is in."""
        parent = self._parent
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    def join(self, root_l: int, root_r: int) -> int:
        """Makes one set of two, given by their least rows, and gives the least of it."""
        least, other = sorted((root_l, root_r))
        self._parent[other] = least
        return least

    def roots(self) -> dict[int, int]:
        """For each row the least row of its set."""
        return {row: self.root(row) for row in self._parent}


def _join_strongest_first(clusters: _Clusters, links: pl.DataFrame, forbidden: pl.DataFrame) -> None:
    """Joins clusters link by link where nothing forbids it; `forbids` is kept per cluster, under its least row."""
    forbids: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for row_l, row_r, strength in forbidden.select("row_l", "row_r", "strength").iter_rows():
        forbids[row_l][row_r] = forbids[row_r][row_l] = max(strength, forbids[row_l].get(row_r, 0))
    likeness = (pl.col("title_ratio").fill_null(0) + pl.col("abstract_ratio").fill_null(0)).alias("likeness")
    ordered = links.select("row_l", "row_r", "strength", likeness).sort(
        "strength", "likeness", "row_l", "row_r", descending=[True, True, False, False]
    )
    for row_l, row_r, strength, _ in ordered.iter_rows():
        root_l, root_r = clusters.root(row_l), clusters.root(row_r)
        if root_l == root_r or forbids[root_l].get(root_r, 0) >= strength:
            continue
        least = clusters.join(root_l, root_r)
        other = root_r if least == root_l else root_l
        forbids[least].pop(other, None)
        for third, against in forbids.pop(other, {}).items():
            if third == least:
                continue
            strongest = max(against, forbids[least].get(third, 0), forbids[third].get(least, 0))
            forbids[least][third] = forbids[third][least] = strongest
            forbids[third].pop(other, None)
