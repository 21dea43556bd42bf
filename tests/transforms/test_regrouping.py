"""Rows of one author each become papers; lists with doubles, and lists of one author a paper, stay as they are."""

import csv
import io
import json

import pytest

from transforms.readers.limits import ReadLimits


def table(header: str, *rows: str) -> str:
    """A table of which each row is written with `|` between its cells."""
    text = io.StringIO()
    csv.writer(text).writerows(row.split("|") for row in (header, *rows))
    return text.getvalue()


ROWS = (
    "ICML|2017|Sorting Pebbles|Ann Lee|Mill",
    "ICML|2017|Sorting Pebbles|Bo Li|Quarry",
    "ICML|2017|Tides|Cy Day|Mill",
    "ICML|2017|Tides|Ann Lee|Quarry",
    "ICML|2017|Locks|Ed Fox|Mill",
)
HEADER = "Conference|Year|Title|Author|Affiliation"


def test_rows_of_one_author_each_become_one_record_a_paper(stage):
    staged = stage(table(HEADER, *ROWS))
    assert staged.records.select("locator", "title_raw", "author_names_raw", "authors_raw").rows() == [
        ("row 1", "Sorting Pebbles", ["Ann Lee", "Bo Li"], None),
        ("row 3", "Tides", ["Cy Day", "Ann Lee"], None),
        ("row 5", "Locks", None, "Ed Fox"),
    ]
    assert staged.raw[0] == {
        "Conference": "ICML", "Year": "2017", "Title": "Sorting Pebbles",
        "Author": ["Ann Lee", "Bo Li"], "Affiliation": ["Mill", "Quarry"],
    }  # fmt: skip
    assert staged.records["ordinal"].to_list() == [1, 2, 3]
    assert (staged.facts.entries_joined, staged.facts.entries_counted) == (2, 5)


def test_scattered_rows_are_joined_at_the_place_of_the_first(stage):
    staged = stage(table(HEADER, ROWS[0], ROWS[2], ROWS[4], ROWS[3], ROWS[1]))
    assert staged.records["locator"].to_list() == ["row 1", "row 2", "row 3"]
    assert staged.records["author_names_raw"].to_list() == [["Ann Lee", "Bo Li"], ["Cy Day", "Ann Lee"], None]


def test_a_column_of_positions_orders_the_authors(stage):
    rows = ("p1|Pebbles|Bo Li|10", "p1|Pebbles|Ann Lee|9", "p2|Tides|Cy Day|2", "p2|Tides|Ed Fox|1")
    staged = stage(table("paper_id|title|author|author_position", *rows))
    assert staged.records.select("source_key", "author_names_raw").rows() == [
        ("p1", ["Ann Lee", "Bo Li"]), ("p2", ["Ed Fox", "Cy Day"]),
    ]  # fmt: skip
    assert staged.raw[0]["author"] == ["Bo Li", "Ann Lee"], "the raw columns stay in the order of the rows"


def test_inverted_names_are_single_persons(stage):
    rows = ("Pebbles|Li, Bo", "Pebbles|Lee, Ann", "Tides|Day, Cy", "Tides|Fox, Ed")
    assert stage(table("title|author", *rows)).records["author_names_raw"].to_list()[1] == ["Day, Cy", "Fox, Ed"]


def test_rows_that_are_numbered_are_still_of_one_author_each(stage):
    rows = ("1|Pebbles|Bo Li", "2|Pebbles|Ann Lee", "3|Tides|Cy Day", "4|Tides|Ed Fox")
    staged = stage(table("id|title|author", *rows))
    assert staged.records["author_names_raw"].to_list() == [["Bo Li", "Ann Lee"], ["Cy Day", "Ed Fox"]]
    assert staged.raw[0]["id"] == ["1", "2"]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("title|authors", ["Pebbles|Ann Lee; Bo Li", "Pebbles|Ann Lee; Bo Li", "Tides|Cy Day", "Tides|Cy Day"]),
        ("title|authors", ["Pebbles|Ann Lee; Bo Li", "Pebbles|A. Lee; B. Li", "Tides|Cy Day; Ed Fox", "Tides|C. Day; E. Fox"]),
        ("title|author", ["Pebbles|Ann Lee", "Tides|Bo Li", "Locks|Cy Day", "Ferries|Ann Lee"]),
        ("title|author|year", ["Editorial|Ann Lee|2001", "Editorial|Bo Li|2002", "Editorial|Cy Day|2003"]),
        ("title|author|doi", ["Reply|Ann Lee|10.5555/1", "Reply|Bo Li|10.5555/2"]),
        ("id|title|author", ["7|Reply|Ann Lee", "7|Reply|Bo Li", "8|Reply|Cy Day", "9|Reply|Di Eck", "9|Reply|Di Eck"]),
        ("title|year", ["Pebbles|2001", "Pebbles|2001"]),
    ],
    ids=["doubles", "two spellings", "one author a paper", "other years", "other dois", "doubles by id", "no authors"],
)
def test_other_lists_stay_as_they_are(stage, header, rows):
    staged = stage(table(header, *rows))
    assert (staged.records.height, staged.facts.entries_joined) == (len(rows), 0)


def test_papers_of_one_title_with_ids_of_their_own_stay_apart(stage):
    rows = ("7|Reply|Ann Lee", "7|Reply|Bo Li", "8|Reply|Cy Day", "8|Reply|Di Eck")
    assert stage(table("id|title|author", *rows)).records["author_names_raw"].to_list() == [
        ["Ann Lee", "Bo Li"], ["Cy Day", "Di Eck"],
    ]  # fmt: skip


def test_a_row_without_an_author_is_joined_and_one_without_a_title_stays(stage):
    rows = ("Pebbles|Ann Lee", "Pebbles|", "Pebbles|Bo Li", "|Ann Lee", "|Bo Li", "Tides|Cy Day", "Tides|Ed Fox")
    staged = stage(table("title|author", *rows))
    assert staged.records["author_names_raw"].to_list() == [["Ann Lee", "Bo Li"], None, None, ["Cy Day", "Ed Fox"]]
    assert staged.raw[0]["author"] == ["Ann Lee", "", "Bo Li"]


def test_what_is_too_large_to_hold_is_handed_on_row_by_row_and_says_so(stage):
    staged = stage(table(HEADER, *ROWS), limits=ReadLimits(document_bytes=100))
    assert (staged.records.height, staged.facts.entries_joined) == (5, 0)
    assert "limits.document_bytes = 100" in staged.facts.message


def test_json_rows_of_one_author_each_are_joined_too(stage):
    rows = [dict(zip(HEADER.split("|"), row.split("|"), strict=True)) for row in ROWS]
    assert stage(json.dumps(rows)).facts.entries_joined == 2


def test_a_real_table_of_one_row_an_author(stage, shared):
    staged = stage((shared / "fixtures/icml_nips_iclr/papers.csv").read_bytes())
    assert staged.facts.entries_joined + staged.records.height == staged.facts.entries_counted == 27_897
    assert staged.records.select("title_raw", "year_raw", "venue_raw").is_unique().all()
