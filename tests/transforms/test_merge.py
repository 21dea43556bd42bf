"""Merge: each field of a paper from the best of its records, and where it came from."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from transforms.frames import frame_of, polars_schema
from transforms.match.matching import match_records
from transforms.merge import Merged, merge_records
from transforms.schemas import AUTHORSHIPS, FIELD_ORIGINS, IDENTIFIERS, LINKS, PAPERS
from transforms.staged_schemas import CLEAN_RECORDS

TABLES = {
    "papers": PAPERS,
    "authorships": AUTHORSHIPS,
    "identifiers": IDENTIFIERS,
    "links": LINKS,
    "field_origins": FIELD_ORIGINS,
}


def author(name: str) -> dict[str, object]:
    given, _, family = name.rpartition(" ")
    return {"name": name, "name_raw": name.upper(), "given": given or None, "family": family}


def records(*rows: dict[str, object]) -> pl.DataFrame:
    return frame_of(
        CLEAN_RECORDS,
        [
            {
                "record_id": f"{row.get('file_sha256', 'f')}:{place + 1}",
                "record_key": f"k{place}",
                "file_sha256": "f",
                "ordinal": place + 1,
                "title_is_cut": False,
                "abstract_is_cut": False,
                "keywords": [],
                **row,
                "authors": [author(name) for name in row.get("authors", [])],
                "identifiers": [dict(zip(("scheme", "value"), i.split(":"), strict=True)) for i in row.get("identifiers", [])],
                "links": [{"url": url, "kind": kind} for url, kind in row.get("links", [])],
            }
            for place, row in enumerate(rows)
        ],
    )


def clusters(frame: pl.DataFrame) -> pl.DataFrame:
    """All records as one paper."""
    keys = frame.select("record_key").unique().sort("record_key")
    return keys.with_columns(cluster=pl.col("record_key").min(), work=pl.col("record_key").min())


def merged(*rows: dict[str, object], precedence: dict[str, int] | None = None) -> Merged:
    frame = records(*rows)
    return merge_records(frame, clusters(frame), precedence=precedence)


def paper(*rows: dict[str, object], precedence: dict[str, int] | None = None) -> dict[str, object]:
    return merged(*rows, precedence=precedence).papers.row(0, named=True)


def origins(found: Merged) -> dict[str, str]:
    return dict(found.field_origins.select("field", "record_id").iter_rows())


def test_no_records_give_empty_tables_of_the_right_schema() -> None:
    found = merged()
    for name, table in TABLES.items():
        frame = getattr(found, name)
        assert frame.height == 0 and frame.schema == polars_schema(table.columns)
    assert found.record_papers.schema == {"record_id": pl.String, "paper_id": pl.String}


def test_a_paper_known_by_its_abstract_alone_has_no_title_and_the_place_of_its_heading() -> None:
    found = merged({"abstract": "We thaw.", "venue_id": "iclr", "venue": "ICLR", "year": 2024})
    row = found.papers.row(0, named=True)
    assert (row["title"], row["authors"], row["abstract"], row["venue_id"], row["year"]) == (None, [], "We thaw.", "iclr", 2024)
    assert origins(found) == dict.fromkeys(("abstract", "venue_id", "venue", "year"), "f:1")


def test_a_full_record_fills_what_an_abstract_alone_lacks() -> None:
    row = paper({"abstract": "We thaw."}, {"title": "Warm ice", "authors": ["Ann Lee"], "decision": "poster"})
    assert (row["title"], row["authors"], row["abstract"], row["decision"]) == ("Warm ice", ["Ann Lee"], "We thaw.", "poster")


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ({"title": "Warm ice in", "title_is_cut": True}, {"title": "Warm ice in cold rivers"}),
        ({"title": "WARM ICE"}, {"title": "Warm ice"}),
        ({"authors": ["A Lee", "B Kim"]}, {"authors": ["Ann Lee", "Bo Kim"]}),
        ({"authors": ["Ann Lee"]}, {"authors": ["Ann Lee", "B Kim"]}),
        ({"abstract": "We thaw ice. We …", "abstract_is_cut": True}, {"abstract": "We thaw ice."}),
        ({"abstract": "We thaw ice."}, {"abstract": "We thaw ice. We freeze."}),
        ({"keywords": ["ice"]}, {"keywords": ["thaw", "melt"]}),
        ({"year": 2020}, {"year": 2021, "volume": "3", "pages": "1-9"}),
        ({"venue": "Ice"}, {"venue": "J Ice", "venue_id": "jice"}),
    ],
)
def test_the_better_value_is_chosen_unless_the_worse_comes_from_a_preferred_source(
    worse: dict[str, object], better: dict[str, object]
) -> None:
    (field,) = set(better) & {"title", "authors", "abstract", "keywords", "year", "venue"}
    first, second = {**worse, "file_sha256": "a"}, {**better, "file_sha256": "b"}
    assert paper(first, second)[field] == better[field]
    assert paper(second, first)[field] == better[field]
    assert paper(first, second, precedence={"b": 5})[field] == worse[field]
    assert paper(first, second, precedence={"a": -1})[field] == worse[field]


def test_titles_go_by_how_many_records_agree_then_by_the_least_record_key() -> None:
    assert paper({"title": "Warm lce"}, {"title": "Warm ice"}, {"title": "Warm ice"})["title"] == "Warm ice"
    assert paper({"title": "Warm ice", "record_key": "z"}, {"title": "Worm ice", "record_key": "a"})["title"] == "Worm ice"


def test_a_record_seen_again_has_one_voice() -> None:
    again = {"title": "Warm lce", "record_key": "z"}
    assert paper(again, again, again, {"title": "Warm ice"}, {"title": "Warm ice"})["title"] == "Warm ice"


def test_year_venue_and_pages_come_from_one_version() -> None:
    preprint = {"year": 2019, "venue": "arXiv", "venue_id": "arxiv", "number": "7"}
    journal = {"year": 2021, "venue": "J Ice", "venue_id": "jice", "volume": "3", "identifiers": ["doi:10.1/a"]}
    other = {"year": 2021, "pages": "10-19"}
    found = merged(preprint, journal, other)
    row = found.papers.row(0, named=True)
    assert {name: row[name] for name in ("year", "venue_id", "venue", "volume", "number", "pages")} == {
        "year": 2021,
        "venue_id": "jice",
        "venue": "J Ice",
        "volume": "3",
        "number": None,
        "pages": "10-19",
    }
    assert origins(found) == {
        "year": "f:2",
        "venue_id": "f:2",
        "venue": "f:2",
        "volume": "f:2",
        "pages": "f:3",
    }


def test_what_no_version_tells_comes_from_any_record_that_has_it() -> None:
    row = paper({"year": 2021, "volume": "3"}, {"year": 2019, "url": "https://a.org/1", "decision": "poster"})
    assert (row["year"], row["url"], row["decision"]) == (2021, "https://a.org/1", "poster")


def test_identifiers_and_links_are_those_of_all_records() -> None:
    found = merged(
        {"identifiers": ["doi:10.1/a"], "links": [("https://a.org", "other"), ("https://b.org", "data")]},
        {"identifiers": ["arxiv:1", "doi:10.1/a"], "links": [("https://a.org", "code")]},
    )
    assert found.identifiers.select("scheme", "value").rows() == [("arxiv", "1"), ("doi", "10.1/a")]
    assert found.links.select("url", "kind").rows() == [("https://a.org", "code"), ("https://b.org", "data")]


def test_authorships_are_numbered_in_author_order() -> None:
    found = merged({"authors": ["Bo Kim", "Ann Lee", "Consortium"]})
    assert found.authorships.drop("paper_id").rows() == [
        (1, "Bo Kim", "BO KIM", "Bo", "Kim"),
        (2, "Ann Lee", "ANN LEE", "Ann", "Lee"),
        (3, "Consortium", "CONSORTIUM", None, "Consortium"),
    ]


def test_every_appearance_belongs_to_its_paper_and_is_counted() -> None:
    seen = {"record_key": "k", "title": "Warm ice"}
    found = merged({**seen, "file_sha256": "a"}, {**seen, "file_sha256": "a"}, {**seen, "file_sha256": "b"})
    row = found.papers.row(0, named=True)
    assert (row["record_count"], row["file_count"]) == (3, 2)
    assert found.record_papers.rows() == [(record_id, row["paper_id"]) for record_id in ("a:1", "a:2", "b:3")]
    assert origins(found) == {"title": "a:1"}


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "record_key": st.sampled_from("abcdef"),
            "file_sha256": st.sampled_from(["f", "g", "h"]),
            "title": st.sampled_from([None, "Warm ice in cold rivers", "WARM ICE IN COLD RIVERS", "Dry bones"]),
            "authors": st.sampled_from([[], ["Ann Lee"], ["A Lee", "B Kim"]]),
            "abstract": st.sampled_from([None, "We thaw.", "We thaw ice."]),
            "year": st.sampled_from([None, 2020, 2021]),
            "venue": st.sampled_from([None, "J Ice"]),
            "pages": st.sampled_from([None, "1-2"]),
            "keywords": st.sampled_from([[], ["ice"], ["thaw"]]),
            "identifiers": st.sampled_from([[], ["doi:10.1/a"], ["doi:10.1/b", "arxiv:1"]]),
            "links": st.sampled_from([[], [("https://a.org", "code")], [("https://a.org", "data")]]),
        }
    ),
    max_size=10,
)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(ROWS, st.randoms(use_true_random=False))
def test_merging_loses_no_record_and_depends_on_no_order(rows: list[dict[str, object]], shuffler: random.Random) -> None:
    frame = records(*rows)
    order = list(range(frame.height))
    shuffler.shuffle(order)
    found = merge_records(frame, match_records(frame).clusters, precedence={"g": 1})
    again = merge_records(frame[order], match_records(frame[order]).clusters.reverse(), precedence={"g": 1})
    for name in (*TABLES, "record_papers"):
        assert_frame_equal(getattr(found, name), getattr(again, name))
    assert found.record_papers["record_id"].to_list() == sorted(frame["record_id"])
    assert set(found.record_papers["paper_id"]) == set(found.papers["paper_id"])
    assert found.papers["record_count"].sum() == frame.height
    assert found.papers["paper_id"].is_unique().all()
    filled = [
        (row["paper_id"], field) for row in found.papers.to_dicts() for field in row if field not in UNCHOSEN and row[field]
    ]
    assert sorted(filled) == found.field_origins.select("paper_id", "field").rows()


UNCHOSEN = {"paper_id", "work_id", "record_count", "file_count"}
