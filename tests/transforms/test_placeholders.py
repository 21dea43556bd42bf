"""Tests of transforms.placeholders, in each column that uses it, and of the checks that know the same words and years."""

import re
from pathlib import Path

import duckdb
import polars as pl
import pytest

from transforms.authors import clean_authors
from transforms.dates import FIRST_YEAR, LAST_YEAR
from transforms.identifiers import openreview_id
from transforms.numbering import number, pages
from transforms.placeholders import without_placeholder
from transforms.tags import keywords
from transforms.text import clean_abstract
from transforms.titles import clean_title, is_generic_title, title_key

CHECKS = Path(__file__).resolve().parents[2] / "warehouse" / "sql" / "checks"

PLACEHOLDERS = [
    "N/A", "n / a", "n.a.", "None", "NULL", "nil", "nan", "undefined", "Unknown", "(unknown)", "[none]", "#N/A", "<null>",
    "TBA", "tbd.", "Unspecified", "Unavailable", "Not available", "Not Specified", "to be determined", "-",
    "--", "—", ".", "***", "{}",
]  # fmt: skip
VALUES = [
    "None of the above",
    "Unknown unknowns",
    "Nile",
    "Null models",
    "Nanotubes",
    "3",
    "TBAs",
    "None?",
    "Not available yet",
]


def column(expression, texts):
    return pl.select(expression(pl.lit(pl.Series(texts, dtype=pl.String)))).to_series().to_list()


def keywords_of(text):
    return keywords(text, pl.lit([], dtype=pl.List(pl.String)))


@pytest.mark.parametrize("text", [*PLACEHOLDERS, " ", ""])
def test_a_placeholder_is_null_in_every_column(text):
    for expression in (
        without_placeholder,
        number,
        pages,
        clean_abstract,
        lambda text: clean_title(text, pl.lit(None, pl.String)),
    ):
        assert column(expression, [text]) == [None]
    assert column(lambda text: openreview_id(text, pl.lit(None, pl.String)), [text]) == [None]
    assert column(keywords_of, [f"maps; {text}; trees"]) == [["maps", "trees"]]
    staged = pl.DataFrame(
        {"file_sha256": ["f"], "authors_raw": [f"{text}; Ann Lee"], "author_names_raw": [None]},
        schema_overrides={"author_names_raw": pl.List(pl.String)},
    )
    assert [author["name"] for author in clean_authors(staged)[0].to_list()] == ["Ann Lee"]


@pytest.mark.parametrize("text", VALUES)
def test_what_only_begins_like_a_placeholder_stays(text):
    assert column(without_placeholder, [text]) == [text]
    assert column(number, [text]) == [text] and column(clean_abstract, [text]) == [text]


def test_na_is_a_name_and_a_keyword_but_no_number():
    assert column(without_placeholder, ["Na", "NA"]) == ["Na", "NA"]
    assert column(number, ["NA"]) == column(pages, ["na"]) == [None]
    assert column(keywords_of, ["Na, K"]) == [["Na", "K"]]


@pytest.mark.parametrize(
    "text", ["Anonymous Author", "Unknown Author", "No Author Listed", "Not Available", "To Be Determined"]
)
def test_a_placeholder_that_looks_like_a_simple_name_is_no_author(text):
    staged = pl.DataFrame(
        {"file_sha256": ["f"], "authors_raw": [text], "author_names_raw": [None]},
        schema_overrides={"author_names_raw": pl.List(pl.String)},
    )
    assert clean_authors(staged).to_list() == [[]]


def failing(check, titles):
    """The titles that a check on the table papers finds."""
    papers = pl.DataFrame({"paper_id": titles, "title": titles, "year": [None] * len(titles)})
    with duckdb.connect() as connection:
        connection.register("papers", papers.to_arrow())
        return {row[0] for row in connection.execute((CHECKS / f"{check}.sql").read_text()).fetchall()}


def test_the_check_of_titles_knows_every_placeholder_and_no_title():
    assert failing("placeholder_titles", [*PLACEHOLDERS, " ", "Untitled", "[Withdrawn]"]) == {
        *PLACEHOLDERS, " ", "Untitled", "[Withdrawn]",
    }  # fmt: skip
    assert failing("placeholder_titles", [*VALUES, "Editorial", "Preface", "Foreword", "It"]) == set()


@pytest.mark.parametrize("title", ["Editorial", "Preface", "Foreword"])
def test_a_generic_title_is_a_title(title):
    assert column(lambda text: clean_title(text, pl.lit(None, pl.String)), [title]) == [title]
    assert column(lambda text: is_generic_title(title_key(text)), [title]) == [True]


def test_the_check_of_years_has_the_range_in_which_years_are_read():
    sql = (CHECKS / "years_are_plausible.sql").read_text()
    assert re.findall(r"\d{4}", sql) == [str(FIRST_YEAR), str(LAST_YEAR)] * 2
