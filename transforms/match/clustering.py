"""This module clusters records: the components that matches form, cut where two records must not be one paper.

A component without a forbidden pair is one cluster. In any other the matches are taken up one by one, strongest evidence
first, and each joins two clusters unless a pair between them is forbidden at that strength: so a veto holds against all,
while a mere "same abstract, other title" keeps two papers apart only where an abstract alone would join them. Ties go by
likeness, then by record key; the order of rows and pairs is of no account.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import polars as pl


def cluster_records(count: int, decisions: pl.DataFrame) -> tuple[list[int], list[int]]:
    """For each of the rows 0 … count-1 the least row of its cluster (one paper), and the least row of its work.

    `decisions` has row_l, row_r, status, strength, and title_ratio and abstract_ratio for ties. A work holds the clusters
    that a version joins.
    """
    matches = decisions.filter(pl.col("status") == "match")
    components = _Components(count)
    for row_l, row_r in _rows(matches):
        components.join(row_l, row_r)
    component = pl.Series("component", components.roots(), pl.UInt32)
    clusters = _Components(count)
    forbidden = decisions.filter(
        pl.col("status") != "match",
        pl.col("strength") > 0,
        component.gather(decisions["row_l"]) == component.gather(decisions["row_r"]),
    )
    torn = component.gather(forbidden["row_l"]).unique()
    is_torn = component.gather(matches["row_l"]).is_in(torn.implode())
    for row_l, row_r in _rows(matches.filter(~is_torn)):
        clusters.join(row_l, row_r)
    _join_strongest_first(clusters, matches.filter(is_torn), forbidden)
    works = _Components(count, clusters.roots())
    for row_l, row_r in _rows(decisions.filter(pl.col("status") == "version")):
        works.join(row_l, row_r)
    return clusters.roots(), works.roots()


def uncompared_pairs(count: int, decisions: pl.DataFrame, compared: pl.DataFrame, limit: int) -> pl.DataFrame:
    """The pairs (row_l, row_r) within the components of matches that blocking did not propose: vetoes may hide among them.

    Components of more than `limit` records are left as they are: their pairs grow by the square.
    """
    components = _Components(count)
    for row_l, row_r in _rows(decisions.filter(pl.col("status") == "match")):
        components.join(row_l, row_r)
    members = pl.DataFrame({"component": components.roots()}, schema={"component": pl.UInt32}).with_row_index("row")
    sized = members.with_columns(size=pl.len().over("component")).filter(pl.col("size").is_between(3, limit))
    pairs = sized.join(sized, on="component", suffix="_r").filter(pl.col("row") < pl.col("row_r"))
    named = pairs.select(row_l="row", row_r="row_r")
    return named.join(compared.select("row_l", "row_r"), on=["row_l", "row_r"], how="anti").sort("row_l", "row_r")


class _Components:
    """Disjoint sets of rows, each known by its least row."""

    def __init__(self, count: int, roots: Iterable[int] | None = None) -> None:
        self._parent = list(range(count) if roots is None else roots)

    def root(self, row: int) -> int:
        """The least row of the set that `row` is in."""
        parent = self._parent
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    def join(self, row_l: int, row_r: int) -> int:
        """Makes one set of the sets of two rows, and gives its least row."""
        least, other = sorted((self.root(row_l), self.root(row_r)))
        self._parent[other] = least
        return least

    def roots(self) -> list[int]:
        """For each row the least row of its set."""
        return [self.root(row) for row in range(len(self._parent))]


def _rows(pairs: pl.DataFrame) -> Iterator[tuple[int, int]]:
    return zip(pairs["row_l"].to_list(), pairs["row_r"].to_list(), strict=True)


def _join_strongest_first(clusters: _Components, matches: pl.DataFrame, forbidden: pl.DataFrame) -> None:
    """Joins clusters match by match where nothing forbids it; `forbids` is kept per cluster, under its least row."""
    forbids: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for row_l, row_r, strength in forbidden.select("row_l", "row_r", "strength").iter_rows():
        forbids[row_l][row_r] = forbids[row_r][row_l] = strength
    likeness = (pl.col("title_ratio").fill_null(0) + pl.col("abstract_ratio").fill_null(0)).alias("likeness")
    ordered = matches.select("row_l", "row_r", "strength", likeness).sort(
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
