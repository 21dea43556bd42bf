"""Header names and the fields they fill."""

import pytest

from transforms.readers.columns import column_map, has_paper_columns
from transforms.readers.columns_dialects import DIALECTS
from transforms.readers.columns_known import COLUMN_NAMES, IGNORED_COLUMN, LAST_PAGES
from transforms.readers.mapping import Mapper
from transforms.staged_schemas import FIELDS


def test_every_name_leads_to_a_field_of_the_contract():
    fields = {column.name for column in FIELDS} | {"source_key"}
    assert set(COLUMN_NAMES.values()) <= fields
    assert {field for dialect in DIALECTS for field in dialect.fields.values()} <= fields | {IGNORED_COLUMN}
    assert set(LAST_PAGES) <= {name for name, field in COLUMN_NAMES.items() if field == "pages_raw"}


def test_every_name_is_written_as_it_is_looked_up():
    assert all(column_map([name]) == {name: field} for name, field in COLUMN_NAMES.items())


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("Title", "title_raw"),
        ("paper_title", "title_raw"),
        ("Article Title", "title_raw"),
        ("Author(s)", "authors_raw"),
        ("Author Names", "authors_raw"),
        ("paper-abstract", "abstract_raw"),
        ("PY", "year_raw"),
        ("Publication Year", "year_raw"),
        ("publication_date", "date_raw"),
        ("container-title", "venue_raw"),
        ("Source title", "venue_raw"),
        ("BOOKTITLE", "venue_raw"),
        ("Issue", "number_raw"),
        ("ENTRYTYPE", "type_raw"),
        ("arXiv ID", "arxiv_id_raw"),
        ("forum", "openreview_id_raw"),
        ("PubMed.ID", "pmid_raw"),
        ("detail_url", "urls_raw"),
        ("PDF Link", "pdf_url_raw"),
        ("GitHub", "link_urls_raw"),
        ("status", "decision_raw"),
        ("ID", "source_key"),
        ("\ufefftitle", "title_raw"),
        ("ＤＯＩ", "doi_raw"),
    ],
)
def test_a_header_is_known_in_any_writing(header: str, field: str):
    assert column_map([header]) == {header: field}


@pytest.mark.parametrize(
    "header", ["source", "band", "DE", "gs_citation", "authorids", "rating", "", "title_count", "subtitles_url"]
)
def test_a_column_of_another_meaning_stays_unmapped(header: str):
    assert column_map([header]) == {}


def test_the_preferred_column_of_a_field_comes_first_wherever_it_stands():
    assert list(column_map(["summary", "booktitle", "Abstract", "venue"])) == ["Abstract", "summary", "venue", "booktitle"]


def test_two_writings_of_one_name_keep_the_order_of_the_file():
    assert list(column_map(["TITLE", "title"])) == ["TITLE", "title"]


def test_papers_are_told_by_title_abstract_or_identifier_and_not_by_less():
    assert has_paper_columns(["DOI", "x"])
    assert not has_paper_columns(["id", "author", "year", "url"])


@pytest.mark.parametrize(
    "names", [["AB", "title"], ["IS", "VL", "title"], ["id", "title", "AU"], ["ti", "au", "so", "py", "ut", "pt"]]
)
def test_two_letters_are_no_tags_unless_several_stand_together_in_capitals(names: list[str]):
    assert set(column_map(names)) <= {"title", "id", "py"}


def test_tags_are_known_in_any_order_and_with_a_byte_order_mark():
    assert column_map(["\ufeffPT", "UT", "SO", "TI"])["\ufeffPT"] == "type_raw"


def test_a_tag_that_means_something_else_than_its_letters_is_no_key():
    assert "ID" not in column_map(["PT", "ID", "SO", "TI", "AU"])
    assert column_map(["PT", "ID", "SO", "title"])["ID"] == "source_key"


@pytest.mark.parametrize(
    ("names", "paths"),
    [
        (["Start Page", "End Page"], ["Start Page - End Page"]),
        (["end_page", "start_page"], ["start_page - end_page"]),
        (["Start Page"], ["Start Page"]),
        (["End Page"], []),
        (["Start Page", "Last Page"], ["Start Page"]),
        (["Pages", "Start Page", "End Page", "Article Number"], ["Pages", "Start Page - End Page", "Article Number"]),
    ],
)
def test_first_and_last_page_are_one_range_between_pages_and_article_number(names: list[str], paths: list[str]):
    assert list(column_map(names)) == paths


def test_a_joined_column_is_told_of_once_and_its_parts_not_as_unknown():
    mapper = Mapper()
    mapper.fields({"title": "A", "Page start": "1", "Page end": "9", "Art. No.": "7", "x": 0})
    told = sorted((row["column_name"], row["field"], row["record_count"]) for row in mapper.take().to_dicts())
    assert told == [
        ("Art. No.", "pages_raw", 1),
        ("Page start - Page end", "pages_raw", 1),
        ("title", "title_raw", 1),
        ("x", None, 1),
    ]
