"""Tests of transforms.record_notes: what became null or was cut is said, with the value as given."""

import polars as pl
import pytest

from transforms.clean import SourceDefaults, clean_files
from transforms.frames import polars_schema
from transforms.schemas import RECORD_NOTES
from transforms.staged_schemas import STAGED_RECORDS

ALIASES = pl.DataFrame({"alias": ["Rocks"], "venue_id": ["rocks"], "name": ["Rocks"], "kind": ["journal"]})


def staged(*records):
    rows = [{"locator": "row", "raw": "{}", "ordinal": place, **record} for place, record in enumerate(records, 1)]
    return pl.DataFrame(rows, schema=polars_schema(STAGED_RECORDS.columns), orient="row")


def notes_of(*records, **source):
    cleaned = clean_files({"f": staged(*records)}, source=SourceDefaults("demo", **source), venue_aliases=ALIASES)
    return cleaned["f"].notes.select("record_id", "field", "note", "value").rows()


@pytest.mark.parametrize(
    ("column", "value", "field", "note"),
    [
        ("abstract_raw", "No abstract available.", "abstract", "placeholder"),
        ("abstract_raw", "N/A", "abstract", "placeholder"),
        ("authors_raw", "Anonymous", "authors", "placeholder"),
        ("authors_raw", "Paper withdrawn by authors", "authors", "placeholder"),
        ("authors_raw", "[]", "authors", "placeholder"),
        ("authors_raw", "-", "authors", "placeholder"),
        ("authors_raw", "Anon.", "authors", "placeholder"),
        ("authors_raw", "unknown author", "authors", "placeholder"),
        ("authors_raw", "Ann Lee et al.", "authors", "cut"),
        ("author_names_raw", ["Ann Lee", "others"], "authors", "cut"),
        ("abstract_raw", "We sum gravel and ...", "abstract", "cut"),
        ("venue_raw", "n/a", "venue", "placeholder"),
        ("volume_raw", "N/A", "volume", "placeholder"),
        ("number_raw", "no pagination", "number", "placeholder"),
        ("pages_raw", "N.PAG", "pages", "placeholder"),
        ("type_raw", "unknown", "type", "placeholder"),
        ("publisher_raw", "None", "publisher", "placeholder"),
        ("year_raw", "n.d.", "year", "placeholder"),
        ("year_raw", "MMXX", "year", "unreadable"),
        ("doi_raw", "none", "doi", "placeholder"),
        ("doi_raw", "doi pending", "doi", "unreadable"),
    ],
)
def test_what_a_field_lost_is_noted_with_the_value_as_given(column, value, field, note):
    given = "; ".join(value) if isinstance(value, list) else value
    assert notes_of({"title_raw": "On Gravel", column: value}) == [("f:1", field, note, given)]


@pytest.mark.parametrize(
    ("title", "note"),
    [("Untitled", "placeholder"), ("[No title]", "placeholder"), ("Untitled.", "placeholder"), ("On the Sums of …", "cut")],
)
def test_a_title_that_is_none_or_cut_is_noted(title, note):
    assert notes_of({"title_raw": title, "doi_raw": "10.5555/gravel"}) == [("f:1", "title", note, title)]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("abstract_raw", "We sum gravel."),
        ("abstract_raw", "  "),
        ("abstract_raw", None),
        ("authors_raw", "Ann Lee"),
        ("authors_raw", ""),
        ("venue_raw", "Rocks"),
        ("doi_raw", "10.5555/gravel"),
        ("doi_raw", "10.48550/arXiv.2301.12345"),
        ("year_raw", "2020"),
        ("number_raw", "3"),
    ],
)
def test_of_values_that_were_kept_or_never_given_there_is_nothing_to_say(column, value):
    assert notes_of({"title_raw": "On Gravel", column: value}) == []


def test_notes_are_of_clean_records_alone_sorted_and_their_values_short():
    long = "We sum gravel " * 100 + "..."
    rows = notes_of(
        {"title_raw": "n/a"},
        {"title_raw": "B", "abstract_raw": long},
        {"title_raw": "A", "pages_raw": "n/a", "volume_raw": "-"},
    )
    assert [row[:3] for row in rows] == [
        ("f:2", "abstract", "cut"),
        ("f:3", "pages", "placeholder"),
        ("f:3", "volume", "placeholder"),
    ]
    assert rows[0][3] == long[:1000]


def test_numbers_that_count_records_are_noted_and_the_issue_is_taken_from_the_volume():
    records = [
        {"title_raw": f"Paper {place}", "number_raw": str(place), "venue_raw": f"Journal {place}"} for place in range(40)
    ]
    records[7]["volume_raw"] = "12(3)"
    frames = clean_files({"f": staged(*records)}, source=SourceDefaults("demo"), venue_aliases=ALIASES)["f"]
    assert frames.records["number"].to_list() == [None] * 7 + ["3"] + [None] * 32
    assert set(frames.notes["note"]) == {"serial"} and frames.notes.height == 40
    assert frames.notes["value"].sort().to_list() == sorted(map(str, range(40)))


def test_a_venue_from_elsewhere_does_not_hide_the_placeholder():
    assert notes_of({"title_raw": "A", "venue_raw": "none"}, venue="Rocks") == [("f:1", "venue", "placeholder", "none")]


def test_notes_have_the_columns_of_their_table():
    frame = clean_files({"f": staged()}, source=SourceDefaults("demo"), venue_aliases=ALIASES)["f"].notes
    assert frame.drop("file_sha256").schema == polars_schema(RECORD_NOTES.columns)
