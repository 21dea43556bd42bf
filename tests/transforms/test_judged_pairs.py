"""Pairs of records judged by people, in tests/data/judged_pairs: matching finds what they say, kind by kind and all at once."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from transforms.clean import SourceDefaults, clean_records
from transforms.match.blocking import candidate_pairs
from transforms.match.comparison import compare_pairs
from transforms.match.decision import decide_pairs
from transforms.match.features import record_features
from transforms.match.matching import Matched, match_records
from transforms.schemas import RELATIONS

ROOT = Path(__file__).resolve().parents[2]
JUDGED_PAIRS = ROOT / "tests" / "data" / "judged_pairs"
VENUES = ROOT / "config" / "venues.csv"
KINDS = sorted(path.stem for path in JUDGED_PAIRS.glob("*.csv"))

FIELDS = ("title", "authors", "year", "venue", "volume", "number", "pages", "doi", "arxiv_id", "url", "abstract")
COLUMNS = ["pair", "verdict", "relation", *(f"{field}_{side}" for field in FIELDS for side in "lr")]

HOLDS: dict[str, Callable[[str], bool]] = {
    "match": lambda found: found == "match",
    "version": lambda found: found == "version",
    "apart": lambda found: found == "apart",
    "open": lambda found: found != "match",
    "unjudged": lambda found: True,
}
"""The verdicts, and whether what matching found agrees."""


@dataclass(frozen=True)
class JudgedPair:
    """One row of a file of judged pairs; `record_l` and `record_r` name the records, equal ones alike."""

    pair: str
    kind: str
    verdict: str
    relation: str
    record_l: str
    record_r: str
    titles: tuple[str, str]


@dataclass(frozen=True)
class Finding:
    """What matching says of a judged pair, and by which rule."""

    judged: JudgedPair
    found: str
    rule: str
    relation: str | None

    @property
    def holds(self) -> bool:
        return HOLDS[self.judged.verdict](self.found)

    def __str__(self) -> str:
        judged = self.judged
        left, right = judged.titles
        return (
            f"{judged.pair} {judged.kind}: {judged.verdict} expected, {self.found} found ({self.rule})\n    {left}\n    {right}"
        )


@cache
def judged_rows(kind: str) -> tuple[dict[str, str], ...]:
    with (JUDGED_PAIRS / f"{kind}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def side(row: dict[str, str], letter: str) -> dict[str, str]:
    """One side of a row as a source's record: the filled fields, and an id that equal records share."""
    record = {field: row[f"{field}_{letter}"] for field in FIELDS if row[f"{field}_{letter}"]}
    spelled = json.dumps(record, sort_keys=True, ensure_ascii=False)
    return {"id": hashlib.sha256(spelled.encode()).hexdigest()[:16], **record}


def read_kinds(kinds: Iterable[str]) -> tuple[list[JudgedPair], dict[str, dict[str, str]]]:
    """The judged pairs of some kinds, and their records by id."""
    judged, records = [], {}
    for kind in kinds:
        for row in judged_rows(kind):
            left, right = side(row, "l"), side(row, "r")
            records |= {left["id"]: left, right["id"]: right}
            titles = (row["title_l"], row["title_r"])
            judged.append(JudgedPair(row["pair"], kind, row["verdict"], row["relation"], left["id"], right["id"], titles))
    return judged, records


def find_pairs(judged: list[JudgedPair], matched: Matched, key_of: dict[str, str]) -> list[Finding]:
    """What `matched` says of each judged pair; `key_of` gives the record key of a record's id."""
    places = {key: (cluster, work) for key, cluster, work in matched.clusters.rows()}
    said = {(row["record_key_l"], row["record_key_r"]): row for row in matched.pairs.to_dicts()}
    findings = []
    for pair in judged:
        keys = key_of[pair.record_l], key_of[pair.record_r]
        (cluster_l, work_l), (cluster_r, work_r) = (places[key] for key in keys)
        found = "match" if cluster_l == cluster_r else "version" if work_l == work_r else "apart"
        row = said.get(keys) or said.get(keys[::-1]) or {}
        rule = f"{row['status']}: {row['reason']}" if row else "no rule joined or parted these two themselves"
        findings.append(Finding(pair, found, rule, relation_of(row, keys)))
    return findings


def relation_of(row: dict[str, str], keys: tuple[str, str]) -> str | None:
    """What the left record is to the right one, where matching names it of these two themselves."""
    relation = row.get("relation")
    return relation if relation is None or row["record_key_l"] == keys[0] else RELATIONS[relation]


def as_failures(findings: list[Finding]) -> str:
    failing = [finding for finding in findings if not finding.holds]
    return "\n".join([f"{len(failing)} of {len(findings)} judged pairs do not hold:", *map(str, failing)]) if failing else ""


@pytest.fixture(scope="module")
def cleaned(stage) -> pl.DataFrame:
    """All records of the fixture as one source gives them, clean, with their ids as `source_key`."""
    _, records = read_kinds(KINDS)
    staged = stage(json.dumps(list(records.values()), ensure_ascii=False)).records
    staged = staged.with_columns(file_sha256=pl.lit("judged"))
    aliases = pl.read_csv(VENUES, infer_schema=False)
    clean = clean_records(staged, source=SourceDefaults("judged"), venue_aliases=aliases)
    assert clean.rejects.height == 0 and clean.records.height == len(records)
    return clean.records.join(staged.select("ordinal", "source_key"), on="ordinal", maintain_order="left")


@pytest.fixture(scope="module")
def find(cleaned: pl.DataFrame) -> Callable[[list[str]], list[Finding]]:
    """`find(kinds)`: what one run over all records of these kinds says of each judged pair."""

    @cache
    def find_kinds(*kinds: str) -> list[Finding]:
        judged, records = read_kinds(kinds)
        given = cleaned.filter(pl.col("source_key").is_in(list(records)))
        key_of = dict(given.select("source_key", "record_key").rows())
        return find_pairs(judged, match_records(given.drop("source_key")), key_of)

    return lambda kinds: find_kinds(*kinds)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_well_formed(kind: str) -> None:
    rows = judged_rows(kind)
    assert list(rows[0]) == COLUMNS
    wrong_ids = [row["pair"] for row in rows if not row["pair"].startswith(f"{kind[:2]}-")]
    wrong_verdicts = [row["pair"] for row in rows if row["verdict"] not in HOLDS]
    wrong_relations = [row["pair"] for row in rows if bool(row["relation"]) != (row["verdict"] == "version")]
    unknown_relations = {row["relation"] for row in rows} - {"", *RELATIONS}
    same_twice = [row["pair"] for row in rows if side(row, "l") == side(row, "r")]
    assert not (wrong_ids or wrong_verdicts or wrong_relations or unknown_relations or same_twice)
    assert {row["verdict"] for row in rows} & {"apart", "version", "open"}, "a kind has pairs that should not match"


def test_each_pair_is_judged_once() -> None:
    judged, _ = read_kinds(KINDS)
    assert [pair for pair, count in Counter(pair.pair for pair in judged).items() if count > 1] == []
    sides = Counter(frozenset((pair.record_l, pair.record_r)) for pair in judged)
    assert [pair.pair for pair in judged if sides[frozenset((pair.record_l, pair.record_r))] > 1] == []


def joined(judged: list[JudgedPair], *verdicts: str) -> dict[str, str]:
    """For each record one that stands for all that pairs of these verdicts join it with."""
    place = {record: record for pair in judged for record in (pair.record_l, pair.record_r)}
    for pair in judged:
        if pair.verdict in verdicts:
            old, new = place[pair.record_r], place[pair.record_l]
            place = {record: new if at == old else at for record, at in place.items()}
    return place


def test_verdicts_do_not_contradict_each_other() -> None:
    """What is one paper, or one work, by way of a third record is not said to be two."""
    judged, _ = read_kinds(KINDS)
    papers, works = joined(judged, "match"), joined(judged, "match", "version")
    two_papers = [pair for pair in judged if pair.verdict in ("version", "apart", "open")]
    assert [pair.pair for pair in two_papers if papers[pair.record_l] == papers[pair.record_r]] == []
    two_works = [pair for pair in judged if pair.verdict == "apart"]
    assert [pair.pair for pair in two_works if works[pair.record_l] == works[pair.record_r]] == []


def test_there_are_enough_pairs_of_each_verdict() -> None:
    counts = Counter(pair.verdict for pair in read_kinds(KINDS)[0])
    assert sum(counts.values()) - counts["unjudged"] >= 600
    assert min(counts["match"], counts["version"], counts["apart"]) >= 100


@pytest.mark.parametrize("kind", KINDS)
def test_the_pairs_of_a_kind_are_found_as_judged(find, kind: str) -> None:
    assert not (failures := as_failures(find([kind]))), failures


def test_all_pairs_are_found_as_judged_in_one_run(find) -> None:
    assert not (failures := as_failures(find(KINDS))), failures


def test_one_run_finds_of_each_pair_what_a_run_of_its_kind_finds(find) -> None:
    alone = [finding for kind in KINDS for finding in find([kind])]
    differing = [
        f"{one.judged.pair}: {one.found} ({one.rule}) in its kind, {other.found} ({other.rule}) among all"
        for one, other in zip(alone, find(KINDS), strict=True)
        if one.found != other.found
    ]
    assert not differing, "\n".join(differing)


def test_verdicts_are_the_same_from_both_sides(cleaned: pl.DataFrame) -> None:
    """Which record is the left one is chance: of the lesser key."""
    features = record_features(cleaned.drop("source_key"))
    pairs = candidate_pairs(features)
    swapped = pairs.rename({"row_l": "row_r", "row_r": "row_l"}).select(pairs.columns)
    names = ["row_l", "row_r", "status", "reason", "relation"]
    one = decide_pairs(compare_pairs(pairs, features)).select(names)
    other = decide_pairs(compare_pairs(swapped, features)).rename({"row_l": "row_r", "row_r": "row_l"}).select(names)
    assert one.height > 1000
    assert_frame_equal(one, other.with_columns(pl.col("relation").replace(RELATIONS)))


def test_relations_of_versions_are_named_as_judged(find) -> None:
    """Where two records are versions by a rule on themselves; of two joined by way of a third nothing is said."""
    differing = [
        f"{finding.judged.pair}: {finding.judged.relation} expected, {finding.relation} found\n    "
        + "\n    ".join(finding.judged.titles)
        for finding in find(KINDS)
        if finding.judged.verdict == "version" == finding.found
        and finding.rule.startswith("version")
        and finding.relation != finding.judged.relation
    ]
    assert not differing, "\n".join(differing)
