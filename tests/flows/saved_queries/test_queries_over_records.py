"""Saved queries over records, matches, words and releases, beside the same answers worked out in plain Python."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from warehouse.saved_queries import find_saved_query, saved_queries

Row = dict[str, Any]
Tables = dict[str, list[Row]]

FIELDS = [
    "title",
    "authors",
    "abstract",
    "venue_id",
    "venue",
    "year",
    "decision",
    "type",
    "volume",
    "number",
    "pages",
    "publisher",
    "keywords",
    "url",
    "pdf_url",
]
COMPARED = {
    "title",
    "authors",
    "abstract",
    "venue",
    "year",
    "decision",
    "type",
    "volume",
    "number",
    "pages",
    "publisher",
    "doi",
}


def appearances(tables: Tables) -> list[Row]:
    """Each record with its source."""
    sources = {file["file_sha256"]: file["source"] for file in tables["raw_files"]}
    return [record | {"source": sources[record["file_sha256"]]} for record in tables["records"]]


def papers_by(tables: Tables, column: str) -> dict[str, set[str]]:
    groups = defaultdict(set)
    for record in appearances(tables):
        groups[record[column]].add(record["paper_id"])
    return groups


def papers_by_source_count(tables: Tables) -> list[Row]:
    places = defaultdict(set)
    for record in appearances(tables):
        places[record["paper_id"]].add((record["source"], record["file_sha256"]))
    counts = Counter((len({source for source, _ in files}), len(files)) for files in places.values())
    return [{"source_count": s, "file_count": f, "paper_count": count} for (s, f), count in counts.items()]


def source_overlap(tables: Tables) -> list[Row]:
    papers = papers_by(tables, "source")
    return [
        {"source_l": left, "source_r": right, "paper_count": count, "paper_ratio": count / len(papers[left])}
        for left, right in product(papers, repeat=2)
        if (count := len(papers[left] & papers[right]))
    ]


def file_overlap(tables: Tables) -> list[Row]:
    papers, names = papers_by(tables, "file_sha256"), {file["file_sha256"]: file["file_name"] for file in tables["raw_files"]}
    return [
        {"file_l": names[left], "file_r": names[right], "paper_count": count, "paper_ratio": count / len(papers[left])}
        | {"file_sha256_l": left, "file_sha256_r": right}
        for left, right in product(papers, repeat=2)
        if (count := len(papers[left] & papers[right]))
    ]


def completeness_by_source(tables: Tables) -> list[Row]:
    by_id = {paper["paper_id"]: paper for paper in tables["papers"]}
    sources = {record["record_id"]: record["source"] for record in appearances(tables)}
    taken = Counter((sources[origin["record_id"]], origin["field"]) for origin in tables["field_origins"])
    rows = []
    for source, papers in sorted(papers_by(tables, "source").items()):
        for field in FIELDS:
            filled = sum(by_id[paper][field] not in (None, []) for paper in papers)
            rows.append(
                {"source": source, "field": field, "paper_count": len(papers), "filled_count": filled}
                | {"filled_ratio": filled / len(papers), "taken_count": taken[source, field]}
            )
    return rows


def match_reasons(tables: Tables) -> list[Row]:
    groups = defaultdict(list)
    for pair in tables["paper_matches"]:
        groups[pair["status"], pair["reason"]].append(pair["title_ratio"])
    return [
        {"status": status, "reason": reason, "pair_count": len(ratios)}
        | {
            "title_ratio_mean": round(sum(known) / len(known), 6) if known else None,
            "title_ratio_min": min(known, default=None),
        }
        for (status, reason), ratios in groups.items()
        for known in [[ratio for ratio in ratios if ratio is not None]]
    ]


def rejects_by_reason(tables: Tables) -> list[Row]:
    groups = defaultdict(list)
    for reject in tables["rejects"]:
        groups[reject["stage"], reject["reason"]].append(reject)
    return [
        {"stage": stage, "reason": reason, "reject_count": len(rejects)}
        | {"file_count": len({r["file_sha256"] for r in rejects}), "message": min(r["message"] for r in rejects)}
        for (stage, reason), rejects in groups.items()
    ]


def field_agreement(tables: Tables) -> list[Row]:
    given: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for record in tables["records"]:
        for column in tables["column_map"]:
            if (
                column["file_sha256"] == record["file_sha256"]
                and column["field"] in COMPARED
                and "|" not in column["column_name"]
            ):
                text = value_at(json.loads(record["raw"]), column["column_name"].split("."))
                if value_key(text) and not text.startswith("[{"):
                    given[record["paper_id"], column["field"]][record["file_sha256"]].add(value_key(text))
    agreements = defaultdict(list)
    for (_, field), files in given.items():
        if len(files) > 1:
            agreements[field].append(len(set().union(*files.values())) == 1)
    return [
        {"field": field, "paper_count": len(each), "agree_count": sum(each), "agree_ratio": sum(each) / len(each)}
        for field, each in agreements.items()
    ]


def value_at(value: Any, path: list[str]) -> str:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return (
        value
        if isinstance(value, str)
        else ""
        if value is None
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )


def value_key(text: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "", bare.lower())


def rising_terms(tables: Tables, from_year: int = 0, to_year: int = 0, min_papers: int = 5, top: int = 20) -> list[Row]:
    dated = [p for p in tables["papers"] if p["year"] is not None and (p["title"] is not None or p["abstract"] is not None)]
    sizes = Counter(paper["year"] for paper in dated)
    usual = [year for year, count in sizes.items() if count >= 0.01 * len(dated)]
    first, last = from_year or min(usual, default=0), to_year or max(usual, default=0)
    counts = {year: Counter(term for p in dated if p["year"] == year for term in terms(p)) for year in (first, last)}
    rows = []
    for term in counts[first] | counts[last] if sizes[first] and sizes[last] and first != last else ():
        before, after = counts[first][term], counts[last][term]
        growth = ((after + 0.5) / (sizes[last] + 1)) / ((before + 0.5) / (sizes[first] + 1))
        if before + after >= min_papers and growth != 1:
            rows.append(
                {
                    "direction": "rising" if growth > 1 else "falling",
                    "term": term,
                    "growth": growth,
                    "growth_log2": math.log2(growth),
                }
                | {
                    "from_count": before,
                    "to_count": after,
                    "from_ratio": before / sizes[first],
                    "to_ratio": after / sizes[last],
                }
                | {"from_year": first, "to_year": last}
            )
    rows.sort(key=lambda row: (-abs(row["growth_log2"]), -row["from_count"] - row["to_count"], row["term"]))
    rising, falling = ([row for row in rows if row["direction"] == each][:top] for each in ("rising", "falling"))
    return rising + falling[::-1]


def terms(paper: Row) -> set[str]:
    text = re.sub(r"(?:https?://|www\.)\S+|\$[^$]*\$", " ", " ".join(filter(None, (paper["title"], paper["abstract"])))).lower()
    sql = find_saved_query("rising_terms").sql
    stop_words = " ".join(re.findall(r"'([a-z ]{40,})'", sql)).split()
    assert {"about", "your"} <= set(stop_words)
    found = re.findall(r"[^\W\d_][^\W_]*(?:-[^\W_]+)*", text)
    return {term for term in found if len(term) >= 3} - set(stop_words)


def changed_since(now: Tables, then: Tables) -> list[Row]:
    moved = {alias["paper_id"]: alias["current_paper_id"] for alias in now["paper_aliases"] if alias["current_paper_id"]}
    past = defaultdict(list)
    for paper in then["papers"]:
        past[moved.get(paper["paper_id"], paper["paper_id"])].append(paper)
    rows = []
    for paper in now["papers"]:
        paper_id = paper["paper_id"]
        other = min(past[paper_id], key=lambda each: (each["paper_id"] != paper_id, each["paper_id"]), default=None)
        fields = sorted(f for f in [*FIELDS, "work_id", "paper_id"] if other and paper[f] != other[f])
        if other is None or fields:
            rows.append(
                {
                    "change": "changed" if other else "new",
                    "paper_id": paper_id,
                    "title": paper["title"],
                    "venue": paper["venue"],
                }
                | {"year": paper["year"], "fields": fields, "since_paper_id": other["paper_id"] if other else None}
            )
    return sorted(rows, key=lambda row: (row["change"] != "new", row["paper_id"]))


ORACLES: dict[Callable[..., list[Row]], str] = {
    papers_by_source_count: "source_count file_count",
    source_overlap: "source_l source_r",
    file_overlap: "file_l file_sha256_l file_r file_sha256_r",
    completeness_by_source: "source",
    match_reasons: "status -pair_count reason",
    rejects_by_reason: "-reject_count stage reason",
    field_agreement: "field",
}


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.__name__)
def test_a_saved_query_says_what_python_counts(oracle: Callable[..., list[Row]], scene: Any, assert_answer: Any) -> None:
    assert_answer(oracle.__name__, oracle(scene.tables()), ORACLES[oracle])


@pytest.mark.parametrize("parameters", [{}, {"min_papers": 1, "top": 7}, {"from_year": 2031, "to_year": 2030, "min_papers": 2}])
def test_terms_rise_and_fall_as_python_counts_them(parameters: dict[str, int], scene: Any, assert_answer: Any) -> None:
    assert_answer("rising_terms", rising_terms(scene.tables(), **parameters), "", **parameters)


def test_a_word_that_more_papers_have_rises(invented: Any) -> None:
    directions = {row["term"]: row["direction"] for row in rising_terms(invented.tables(), 2030, 2031)}
    assert directions["gravel"] == "rising"
    assert directions["sand"] == "falling"
    assert not directions.keys() & {"the", "www", "https", "gamma"}


def test_new_and_changed_papers_since_the_first_release(scene: Any, assert_answer: Any) -> None:
    expected = changed_since(scene.tables(), scene.tables(scene.first))
    rows = assert_answer("changed_since", expected, "", since=scene.first)
    assert {row["change"] for row in rows} >= {"new"}
    assert_answer("changed_since", [], "", since="current")


def test_a_changed_paper_names_its_fields(invented: Any) -> None:
    rows = changed_since(invented.tables(), invented.tables(invented.first))
    assert [row["fields"] for row in rows if {"abstract", "decision", "year"} <= set(row["fields"])]


def test_every_saved_query_is_compared_with_python() -> None:
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    for saved in saved_queries():
        assert f"\n    {saved.name}: " in tests or f'assert_answer("{saved.name}", ' in tests, saved.name
