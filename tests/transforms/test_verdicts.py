"""People's verdicts: they win over every rule, hold through third records, and move nothing they do not name."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from transforms.frames import frame_of
from transforms.match.features import record_features
from transforms.match.hidden import without_identifiers
from transforms.match.matching import Matched, match_records
from transforms.match.verdicts import overrule, verdicts_frame, verdicts_in_effect
from transforms.staged_schemas import CLEAN_RECORDS

Verdict = tuple[str, str, str]


def records(*rows: dict[str, object]) -> pl.DataFrame:
    return frame_of(
        CLEAN_RECORDS,
        [
            {
                "record_id": f"f:{place}",
                "record_key": f"k{place}",
                "title_is_cut": False,
                "abstract_is_cut": False,
                **row,
                "authors": [{"name": name, "family": name} for name in row.get("authors", [])],
                "identifiers": [dict(zip(("scheme", "value"), i.split(":"), strict=True)) for i in row.get("identifiers", [])],
            }
            for place, row in enumerate(rows)
        ],
    )


ICE = {"title": "Warm ice in cold rivers", "authors": ["Lee"], "year": 2020}
OTHER = {"title": "The dry bones of old whales", "authors": ["Okri"], "year": 2011}
DOI_A, DOI_B = {"identifiers": ["doi:10.5555/a"]}, {"identifiers": ["doi:10.5555/b"]}
TWO_ICES = records({**ICE, **DOI_A}, ICE, {**ICE, **DOI_B}, OTHER)
"""k0 and k1 are one paper; k2 has another DOI than k0, so k1 is kept apart from it; k3 is another paper."""


def decide(frame: pl.DataFrame, *verdicts: str) -> Matched:
    return match_records(frame, verdicts_frame(tuple(verdict.split()) for verdict in verdicts))


def clusters(found: Matched) -> str:
    """The papers, as `k0 k1 | k2`."""
    papers = found.clusters.group_by("cluster").agg(pl.col("record_key").sort()).sort("cluster")
    return " | ".join(" ".join(keys) for keys in papers["record_key"])


def pairs(found: Matched) -> dict[str, tuple[str, str]]:
    rows = found.pairs.select("record_key_l", "record_key_r", "status", "reason").iter_rows()
    return {f"{left} {right}": (status, reason) for left, right, status, reason in rows}


@pytest.mark.parametrize(
    ("verdicts", "papers"),
    [
        ([], "k0 k1 | k2 | k3"),
        (["k0 k2 same"], "k0 k1 k2 | k3"),  # against the veto between the two
        (["k1 k2 same"], "k0 k1 k2 | k3"),  # against the veto between another record of the paper and the second
        (["k2 k3 same"], "k0 k1 | k2 k3"),  # that no blocking rule proposed
        (["k0 k1 same"], "k0 k1 | k2 | k3"),  # what the rules say too changes nothing
        (["k0 k1 different"], "k0 | k1 k2 | k3"),  # against a match; k1 is free for its other match
        (["k0 k1 different", "k1 k2 different"], "k0 | k1 | k2 | k3"),
        (["k1 k2 same", "k0 k1 different"], "k0 | k1 k2 | k3"),  # moves k1 from one paper to the other
        (["k1 k2 same", "k0 k2 different"], "k0 | k1 k2 | k3"),  # a veto of a person through a third record
        (["k1 k3 same", "k0 k3 different"], "k0 | k1 k2 k3"),  # k1, out of its paper, is free for its other match
        (["k0 k3 same", "k1 k3 different"], "k0 k3 | k1 k2"),  # k1, driven out, joins what it matches
        (["k0 k2 different"], "k0 k1 | k2 | k3"),
        (["k0 k9 same", "k8 k9 different"], "k0 k1 | k2 | k3"),  # of records that are not there
        (["k0 k3 same", "k3 k2 same"], "k0 k1 k2 k3"),
    ],
)
def test_verdicts_win_over_every_rule(verdicts: list[str], papers: str) -> None:
    ordered = [" ".join((*sorted(verdict.split()[:2]), verdict.split()[2])) for verdict in verdicts]
    assert clusters(decide(TWO_ICES, *ordered)) == papers


def test_same_joins_both_papers_whole_although_others_of_them_are_vetoed() -> None:
    frame = records({**ICE, **DOI_A}, ICE, {**OTHER, **DOI_B}, OTHER)
    assert clusters(decide(frame)) == "k0 k1 | k2 k3"
    found = decide(frame, "k1 k3 same")
    assert clusters(found) == "k0 k1 k2 k3"
    assert pairs(found)["k1 k3"] == ("match", "decided_same")


def test_a_different_between_two_joined_papers_takes_one_side_apart_and_keeps_its_copies_together() -> None:
    frame = records({**ICE, **DOI_A}, ICE, {**OTHER, **DOI_B}, {**OTHER, **DOI_B}, OTHER)
    found = decide(frame, "k1 k4 same", "k0 k2 different")
    assert clusters(found) == "k0 k1 k4 | k2 k3"
    assert pairs(found)["k2 k4"] == ("possible", "kept_apart_same_title_authors")


def test_a_different_holds_through_third_records() -> None:
    frame = records(ICE, ICE, ICE, ICE)
    assert clusters(decide(frame)) == "k0 k1 k2 k3"
    found = decide(frame, "k0 k3 different")
    assert clusters(found).count("|") == 1
    assert pairs(found)["k0 k3"] == ("no", "decided_different")


def test_decided_pairs_are_published_with_what_they_were_compared_by() -> None:
    found = decide(TWO_ICES, "k0 k1 different", "k2 k3 same")
    rows = {row["record_key_l"] + row["record_key_r"]: row for row in found.pairs.iter_rows(named=True)}
    assert rows["k0k1"]["blocking_rules"][0] == "decision" and "title_author" in rows["k0k1"]["blocking_rules"]
    assert rows["k0k1"]["title_ratio"] == 1.0
    assert rows["k2k3"]["blocking_rules"] == ["decision"]
    assert rows["k2k3"]["authors_shared_count"] == 0
    assert {row["relation"] for row in (rows["k0k1"], rows["k2k3"])} == {None}


def test_a_different_takes_the_version_link_of_its_pair_away_and_a_same_joins_works() -> None:
    frame = records({**ICE, "year": 2018}, {**ICE, "year": 2021}, OTHER)
    assert decide(frame).clusters["work"].to_list() == ["k0", "k0", "k2"]
    assert decide(frame, "k0 k1 different").clusters["work"].to_list() == ["k0", "k1", "k2"]
    assert decide(frame, "k1 k2 same").clusters["work"].to_list() == ["k0", "k0", "k0"]


def test_verdicts_in_effect_are_those_whose_records_are_there() -> None:
    verdicts = verdicts_frame([("k0", "k1", "same"), ("k0", "k9", "same"), ("k8", "k9", "different")])
    assert verdicts_in_effect(verdicts, pl.Series(["k0", "k1", "k1"])).rows() == [("k0", "k1", "same")]


def test_without_identifiers_neither_one_id_nor_a_conflict_of_two_counts() -> None:
    shared = records({**ICE, **DOI_A}, {**OTHER, "title": "Warm ice, cold rivers: a thaw", "authors": ["Lee"], **DOI_A})
    assert clusters(match_records(shared)) == "k0 k1"
    assert "same_doi" not in str(pairs(match_records(without_identifiers(shared))))
    conflict = records({**ICE, **DOI_A}, {**ICE, **DOI_B})
    assert clusters(match_records(conflict)) == "k0 | k1"
    assert clusters(match_records(without_identifiers(conflict))) == "k0 k1"


# -- any rules' verdicts and any people's verdicts ------------------------------------------------------------------------

COUNT = 7
ROWS = st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)).filter(lambda pair: pair[0] < pair[1])
RULED = st.dictionaries(
    ROWS,
    st.sampled_from([("match", 1), ("match", 4), ("match", 5), ("no", 9), ("possible", 2), ("version", 4)]),
    max_size=16,
)
DECIDED = st.dictionaries(ROWS, st.sampled_from(["same", "different"]), max_size=5)
FEATURES = record_features(records(*({"title": f"Number {word}"} for word in "abcdefg")))
PAIR_SCHEMA = {"row_l": pl.UInt32, "row_r": pl.UInt32}


def ruled_frame(ruled: dict[tuple[int, int], tuple[str, int]]) -> pl.DataFrame:
    rows = [(*pair, status, strength, "rule", ["title"], 0.9, None, 0) for pair, (status, strength) in sorted(ruled.items())]
    said = {"status": pl.String, "strength": pl.Int8, "reason": pl.String, "blocking_rules": pl.List(pl.String)}
    ratios = {"title_ratio": pl.Float64, "abstract_ratio": pl.Float64, "authors_shared_count": pl.Int32}
    frame = pl.DataFrame(rows, schema=PAIR_SCHEMA | said | ratios, orient="row")
    return frame.with_columns(work_strength=pl.when(status="version").then("strength").otherwise(0).cast(pl.Int8))


def overruled(ruled: dict[tuple[int, int], tuple[str, int]], decided: dict[tuple[int, int], str]) -> list[int]:
    verdicts = verdicts_frame((f"k{left}", f"k{right}", verdict) for (left, right), verdict in decided.items())
    frame = ruled_frame(ruled)
    proposed = frame.select("row_l", "row_r", "blocking_rules")
    return list(overrule(frame, proposed, FEATURES, verdicts)[1])


def joined_by(pairs: list[tuple[int, int]], roots: list[int]) -> list[int]:
    """The sets `roots`, joined by some pairs, each known by its least row."""
    roots = list(roots)
    for left, right in pairs:
        least, other = sorted((roots[left], roots[right]))
        roots = [least if root == other else root for root in roots]
    return roots


@settings(max_examples=60, deadline=None, derandomize=True)
@given(RULED, DECIDED, st.randoms(use_true_random=False))
@example(  # a rule's veto within a chain of `same`, where a `different` keeps every veto in force
    {(0, 2): ("no", 9), (0, 3): ("match", 4)}, {(0, 1): "same", (1, 2): "same", (1, 3): "different"}, random.Random(7)
)
def test_any_verdicts_that_agree_hold_whatever_the_rules_say(
    ruled: dict[tuple[int, int], tuple[str, int]], decided: dict[tuple[int, int], str], shuffler: random.Random
) -> None:
    same = [pair for pair, verdict in decided.items() if verdict == "same"]
    different = [pair for pair, verdict in decided.items() if verdict == "different"]
    chains = joined_by(same, list(range(COUNT)))
    assume(all(chains[left] != chains[right] for left, right in different))
    found = overruled(ruled, decided)
    assert all(found[left] == found[right] for left, right in same)
    assert all(found[left] != found[right] for left, right in different)
    shuffled = list(decided.items())
    shuffler.shuffle(shuffled)
    assert overruled(ruled, dict(shuffled)) == found
    without_same = overruled(ruled, dict.fromkeys(different, "different"))
    whole = joined_by(same, without_same)
    if all(whole[left] != whole[right] for left, right in different):
        assert found == whole  # `same` joins the papers as they are, and touches no other
