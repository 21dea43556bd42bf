"""Saved queries over papers and authors, beside the same answers worked out in plain Python from the release's Parquet."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any
from urllib.parse import urlsplit

import pytest

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def grouped(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return groups


def known(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def least(values: Iterable[Any]) -> Any:
    return min(known(values), default=None)


def greatest(values: Iterable[Any]) -> Any:
    return max(known(values), default=None)


def papers_by_venue_year(tables: Tables) -> list[Row]:
    return [
        {"venue": venue, "year": year, "paper_count": len(papers), "abstract_count": len(known(p["abstract"] for p in papers))}
        for (venue, year), papers in grouped(tables["papers"], "venue", "year").items()
    ]


def decisions_by_venue_year(tables: Tables) -> list[Row]:
    decided = [paper for paper in tables["papers"] if paper["decision"]]
    sizes = Counter((paper["venue"], paper["year"]) for paper in decided)
    return [
        {"venue": venue, "year": year, "decision": decision, "paper_count": len(papers)}
        | {"paper_ratio": len(papers) / sizes[venue, year]}
        for (venue, year, decision), papers in grouped(decided, "venue", "year", "decision").items()
    ]


def years(papers: Iterable[Row]) -> Row:
    papers = list(papers)
    return {"first_year": least(p["year"] for p in papers), "last_year": greatest(p["year"] for p in papers)}


def papers_of_authors(tables: Tables) -> dict[str, list[Row]]:
    groups = defaultdict(list)
    for paper in tables["papers"]:
        for name in dict.fromkeys(paper["authors"]):
            groups[name].append(paper)
    return groups


def authors_by_paper_count(tables: Tables) -> list[Row]:
    return [
        {"author": author, "paper_count": len(papers), "first_author_count": sum(p["authors"][0] == author for p in papers)}
        | {"venue_count": len({p["venue"] for p in papers} - {None})}
        | years(papers)
        for author, papers in papers_of_authors(tables).items()
    ]


def authors_by_venue(tables: Tables) -> list[Row]:
    return [
        {"author": author, "venue": venue, "paper_count": len(at_venue)} | years(at_venue)
        for author, papers in papers_of_authors(tables).items()
        for (venue,), at_venue in grouped(papers, "venue").items()
    ]


def first_authors(tables: Tables) -> list[Row]:
    groups = defaultdict(list)
    for paper in tables["papers"]:
        if paper["authors"]:
            groups[paper["authors"][0]].append(paper)
    return [
        {"author": author, "paper_count": len(papers), "single_author_count": sum(len(p["authors"]) == 1 for p in papers)}
        | years(papers)
        for author, papers in groups.items()
    ]


def coauthor_pairs(tables: Tables, min_papers: int = 1) -> list[Row]:
    pairs = defaultdict(list)
    for paper in tables["papers"]:
        for pair in combinations(sorted(set(paper["authors"])), 2):
            pairs[pair].append(paper)
    return [
        {"author_l": left, "author_r": right, "paper_count": len(papers)} | years(papers)
        for (left, right), papers in pairs.items()
        if len(papers) >= min_papers
    ]


def coauthor_degree(tables: Tables) -> list[Row]:
    return [
        {"author": author, "coauthor_count": len({name for p in papers for name in p["authors"]} - {author})}
        | {"paper_count": len(papers)}
        for author, papers in papers_of_authors(tables).items()
    ]


def team_size_by_year(tables: Tables) -> list[Row]:
    rows = []
    for (year,), papers in grouped((p for p in tables["papers"] if p["authors"]), "year").items():
        sizes = [len(paper["authors"]) for paper in papers]
        rows.append(
            {"year": year, "paper_count": len(sizes), "author_count_mean": statistics.mean(sizes)}
            | {"author_count_median": statistics.median(sizes), "author_count_max": max(sizes)}
            | {"single_author_ratio": sizes.count(1) / len(sizes)}
        )
    return rows


def papers_with_code_by_venue_year(tables: Tables) -> list[Row]:
    coded = {link["paper_id"] for link in tables["links"] if link["kind"] == "code"}
    return [
        {
            "venue": venue,
            "year": year,
            "paper_count": len(papers),
            "code_count": (count := len({p["paper_id"] for p in papers} & coded)),
        }
        | {"code_ratio": count / len(papers)}
        for (venue, year), papers in grouped(tables["papers"], "venue", "year").items()
    ]


def link_hosts(tables: Tables) -> list[Row]:
    links = [link | {"host": (urlsplit(link["url"]).hostname or "").removeprefix("www.") or None} for link in tables["links"]]
    return [
        {"host": host, "kind": kind, "link_count": len(rows), "paper_count": len({row["paper_id"] for row in rows})}
        for (host, kind), rows in grouped(links, "host", "kind").items()
    ]


def abstract_lengths_by_venue_year(tables: Tables) -> list[Row]:
    rows = []
    for (venue, year), papers in grouped((p for p in tables["papers"] if p["abstract"]), "venue", "year").items():
        lengths = [len(paper["abstract"]) for paper in papers]
        rows.append(
            {"venue": venue, "year": year, "abstract_count": len(lengths), "length_min": min(lengths)}
            | {"length_median": statistics.median(lengths), "length_mean": statistics.mean(lengths), "length_max": max(lengths)}
        )
    return rows


def abstract_lengths(tables: Tables, bin_characters: int = 250) -> list[Row]:
    bins = Counter(len(paper["abstract"]) // bin_characters for paper in tables["papers"] if paper["abstract"])
    return [
        {"length_from": each * bin_characters, "length_to": (each + 1) * bin_characters - 1, "paper_count": count}
        for each, count in bins.items()
    ]


ORACLES: dict[Callable[..., list[Row]], str] = {
    papers_by_venue_year: "venue year",
    decisions_by_venue_year: "venue year decision",
    authors_by_paper_count: "-paper_count author",
    authors_by_venue: "-paper_count author venue",
    first_authors: "-paper_count author",
    coauthor_pairs: "-paper_count author_l author_r",
    coauthor_degree: "-coauthor_count -paper_count author",
    team_size_by_year: "year",
    papers_with_code_by_venue_year: "venue year",
    link_hosts: "-paper_count -link_count host kind",
    abstract_lengths_by_venue_year: "venue year",
    abstract_lengths: "length_from",
}
"""Each with the order of its rows. The name is that of the saved query."""


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.__name__)
def test_a_saved_query_says_what_python_counts(oracle: Callable[..., list[Row]], scene: Any, assert_answer: Any) -> None:
    assert_answer(oracle.__name__, oracle(scene.tables()), ORACLES[oracle])


@pytest.mark.parametrize(
    ("oracle", "parameters"), [(coauthor_pairs, {"min_papers": 2}), (abstract_lengths, {"bin_characters": 77})]
)
def test_parameters_change_the_answer(
    oracle: Callable[..., list[Row]], parameters: dict[str, int], scene: Any, assert_answer: Any
) -> None:
    tables = scene.tables()
    assert_answer(oracle.__name__, oracle(tables, **parameters), ORACLES[oracle], **parameters)
    assert oracle(tables, **parameters) != oracle(tables)


def test_pairs_of_one_author_and_papers_of_too_many_authors(scene: Any, assert_answer: Any) -> None:
    tables = scene.tables()
    pairs = coauthor_pairs(tables)
    author = pairs[0]["author_r"] if pairs else "Nobody"
    mine = [pair for pair in pairs if author in (pair["author_l"], pair["author_r"])]
    for given in (author, author.upper()):
        assert_answer("coauthor_pairs", mine, "-paper_count author_l author_r", author=given)
    small = tables | {"papers": [paper for paper in tables["papers"] if len(paper["authors"]) <= 2]}
    assert_answer("coauthor_pairs", coauthor_pairs(small), "-paper_count author_l author_r", max_authors=2)
    assert_answer("coauthor_degree", coauthor_degree(small), "-coauthor_count -paper_count author", max_authors=2)


def test_abstract_lengths_of_one_venue_by_name_or_id(scene: Any, assert_answer: Any) -> None:
    tables = scene.tables()
    for column in ("venue", "venue_id"):
        value = next((paper[column] for paper in tables["papers"] if paper[column] and paper["abstract"]), "none")
        mine = tables | {"papers": [paper for paper in tables["papers"] if paper[column] == value]}
        for given in (value, value.upper()):
            assert_answer("abstract_lengths", abstract_lengths(mine), "length_from", venue=given)
