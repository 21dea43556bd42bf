"""Shapes of records: each is known by its names, read at its paths, and not seen where its names stand by accident."""

import json

import polars as pl
import pytest

from transforms.clean import SourceDefaults, clean_records
from transforms.readers.columns import has_paper_columns
from transforms.readers.columns_known import IGNORED_COLUMN
from transforms.readers.mapping import Mapper
from transforms.readers.shapes import SHAPES, find_shape
from transforms.readers.shapes_paths import CONVERSIONS, heads
from transforms.staged_schemas import FIELDS

NO_ALIASES = pl.DataFrame(schema=dict.fromkeys(("alias", "venue_id", "name", "kind"), pl.String))
BY_NAME = {shape.name: shape for shape in SHAPES}


def _fields(record):
    return Mapper().fields(record)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_example_of_a_shape_is_staged_as_that_shape_with_title_authors_year_and_identifier(name, stage):
    staged = stage(f"[{json.dumps(json.loads(BY_NAME[name].example))}]")
    assert (staged.facts.verdict, staged.facts.shape, staged.reasons) == ("read", name, [])
    records = staged.records.with_columns(file_sha256=staged.records["locator"])
    (clean,) = clean_records(records, source=SourceDefaults("test"), venue_aliases=NO_ALIASES).records.to_dicts()
    assert clean["title"] == "Sorting Pebbles by Sound"
    assert clean["authors"][0]["name"] in ("Ann Lee", "A Lee")
    assert clean["year"] == 2024
    assert clean["identifiers"]


def test_an_example_fits_its_own_shape_and_at_most_one_that_needs_less():
    found = {
        name: [other.name for other in SHAPES if other.fits(frozenset(json.loads(shape.example)))]
        for name, shape in BY_NAME.items()
    }
    both = {"crossref_work": ["crossref_work", "csl_item"], "paperlists_review": ["paperlists_review", "paperlists"]}
    assert found == {name: both.get(name, [name]) for name in BY_NAME}


def test_every_path_of_a_shape_leads_to_a_field_by_a_known_conversion():
    fields = {column.name for column in FIELDS} | {"source_key", IGNORED_COLUMN}
    for shape in SHAPES:
        assert set(shape.fields.values()) <= fields
        assert {path.partition("|")[2] for path in shape.fields} <= {"", *CONVERSIONS}
        assert all(heads(path) for path in shape.fields)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["id", "content", "title"], id="a text called content is no OpenReview note"),
        pytest.param(["row", "title"], id="a row number is no viewer row"),
        pytest.param(["paper", "title", "authors"], id="a paper's number is no daily paper"),
        pytest.param(["source", "title", "abstract", "pmid"], id="a searched database is no Elasticsearch hit"),
        pytest.param(["name", "authors", "url"], id="a named thing with authors is no event of a virtual site"),
        pytest.param(["title", "status", "author", "id"], id="a status alone is no paperlists"),
        pytest.param(["title", "id", "status", "rating_avg"], id="an average rating is no paperlists with reviews"),
        pytest.param(["title", "url", "authors"], id="title, authors and address are no conference_metadata"),
        pytest.param(["title", "author", "abstract", "page", "doi"], id="a page without a PDF is no Babel"),
        pytest.param(["title", "arxiv_id", "section"], id="a section is no CVF list"),
        pytest.param(["title", "author", "booktitle", "page"], id="a book title is no PMLR"),
        pytest.param(["title", "author", "container-title", "genre"], id="a genre is no PMLR"),
        pytest.param(["title", "author", "booktitle", "bibtex_key"], id="a key of BibTeX is no ACL Anthology"),
        pytest.param(["id", "title", "doi", "publication_year"], id="an id and a title are no OpenAlex work"),
        pytest.param(["DOI", "title", "author"], id="a DOI in capitals is no Crossref work"),
        pytest.param(["paperId", "title", "authors"], id="a paperId is no Semantic Scholar"),
        pytest.param(["corpus_id", "title"], id="a corpus_id is no row of Semantic Scholar"),
        pytest.param(["id", "title", "authors", "categories", "abstract"], id="categories are no arXiv metadata"),
        pytest.param(["info", "title", "id"], id="an info is no DBLP hit"),
        pytest.param(["title", "authors", "key", "url", "year"], id="a key is no DBLP record"),
        pytest.param(["title", "authors", "pmid", "source"], id="a PMID and a source are no Europe PMC"),
        pytest.param(["uid", "title", "authors"], id="a uid is no PubMed summary"),
        pytest.param(["key", "data", "title"], id="a key and data are no Zotero API"),
        pytest.param(["item_type", "title", "creators"], id="an item_type is no Zotero item"),
        pytest.param(["id", "type", "title", "url"], id="a type is no JSON:API resource"),
        pytest.param(["id", "type", "title", "author", "year"], id="a type and an author are no CSL item"),
        pytest.param(["id", "text", "metadata", "created", "added"], id="a text with metadata is no record of an archive"),
        pytest.param(["bibcode", "doi", "year"], id="a bibcode is no ADS paper"),
        pytest.param(["title", "authors", "downloadUrl", "year"], id="a download is no CORE work"),
        pytest.param(["doi", "title", "category", "abstract"], id="a category is no bioRxiv paper"),
        pytest.param(["article_number", "title", "pages"], id="an article's number is no IEEE article"),
        pytest.param(["dc:title", "dc:creator"], id="Dublin Core is no Scopus entry"),
        pytest.param(["paper_url", "title", "tasks"], id="tasks are no Papers with Code"),
    ],
)
def test_names_that_stand_there_by_accident_make_no_shape(names):
    assert find_shape(names) is None


def test_objects_of_a_shape_are_papers_though_no_name_of_theirs_says_so():
    assert has_paper_columns(["row_idx", "row"])
    assert has_paper_columns(["name", "authors", "paper_url"])
    assert not has_paper_columns(["row", "name"])


# OpenReview

NOTE_V1 = {
    "id": "n0te1",
    "original": None,
    "number": 17,
    "cdate": 1569438912345,
    "forum": "f0rum1",
    "invitation": "ICLR.cc/2020/Conference/-/Blind_Submission",
    "content": {
        "title": "Sorting Pebbles by Sound",
        "authors": ["Anonymous"],
        "authorids": ["ICLR.cc/2020/Conference/Paper17/Authors"],
        "abstract": "Pebbles sort.",
        "keywords": ["pebbles", "sound"],
        "pdf": "/pdf/0a1b.pdf",
    },
    "details": {"directReplies": [{"content": {"review": "good"}}, {"content": {"decision": "Accept (Spotlight)"}}]},
}


def test_a_note_of_version_1_gives_its_forum_the_year_of_its_venue_and_the_decision_among_its_replies():
    assert _fields(NOTE_V1) == {
        "title_raw": "Sorting Pebbles by Sound",
        "author_names_raw": ["Anonymous"],
        "abstract_raw": "Pebbles sort.",
        "year_raw": "2020",
        "date_raw": "1569438912345",
        "venue_raw": "ICLR.cc/2020/Conference/-/Blind_Submission",
        "decision_raw": "Accept (Spotlight)",
        "keywords_raw": "pebbles; sound",
        "pdf_url_raw": "https://openreview.net/pdf/0a1b.pdf",
        "openreview_id_raw": "f0rum1",
        "source_key": "n0te1",
    }


def test_a_withdrawn_note_of_version_2_is_known_by_its_venue_id():
    note = {
        "id": "n0te2",
        "forum": "n0te2",
        "invitations": ["ICLR.cc/2024/Conference/-/Submission", "ICLR.cc/2024/Conference/-/Edit"],
        "content": {
            "title": {"value": "Sorting Pebbles by Sound"},
            "venue": {"value": "ICLR 2024 Conference Withdrawn Submission"},
            "venueid": {"value": "ICLR.cc/2024/Conference/Withdrawn_Submission"},
        },
    }
    fields = _fields(note)
    assert (fields["year_raw"], fields["decision_raw"]) == ("2024", "ICLR.cc/2024/Conference/Withdrawn_Submission")
    assert fields["venue_raw"] == "ICLR 2024 Conference Withdrawn Submission"


# Services


def test_crossref_takes_the_first_title_and_the_date_of_issue():
    work = {
        "DOI": "10.5555/a",
        "title": ["Sorting Pebbles", "Le tri des galets"],
        "subtitle": [],
        "author": [{"given": "Ann", "family": "Lee", "sequence": "first"}, {"name": "Pebble Group"}],
        "issued": {"date-parts": [[2024, 5]]},
        "container-title": ["Pebble Letters", "Pebble Lett."],
        "indexed": {"date-parts": [[2025, 1, 1]]},
        "link": [{"URL": "https://pebbles.example/x.pdf"}],
        "publisher": "Shore Press",
    }
    assert _fields(work) == {
        "title_raw": "Sorting Pebbles",
        "author_names_raw": ["Lee, Ann", "Pebble Group"],
        "date_raw": "2024-05",
        "venue_raw": "Pebble Letters",
        "doi_raw": "10.5555/a",
        "publisher_raw": "Shore Press",
    }


@pytest.mark.parametrize(
    ("issued", "date"),
    [
        ({"date-parts": [[2024, 5, 2]]}, "2024-05-02"),
        ({"date-parts": [["2024", "5"]]}, "2024-05"),
        ({"date-parts": [2024, 5]}, "2024-05"),
        ({"raw": "May 2024"}, "May 2024"),
        ({"date-parts": [[None]], "literal": "spring 2024"}, "spring 2024"),
        ("2024-05-02", "2024-05-02"),
        ({"date-parts": []}, None),
    ],
)
def test_a_date_of_csl_is_read_in_each_of_its_forms(issued, date):
    item = {"type": "article-journal", "title": "Sorting", "issued": issued}
    assert _fields(item).get("date_raw") == date


def test_openalex_gives_pages_as_a_range_and_the_first_open_pdf():
    work = {
        "id": "https://openalex.org/W1",
        "title": "Sorting Pebbles",
        "authorships": [{"raw_author_name": "A. Lee", "author": {"display_name": "Ann Lee"}}],
        "biblio": {"volume": "7", "issue": None, "first_page": "12", "last_page": "12"},
        "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/38000001"},
        "best_oa_location": None,
        "locations": [{"landing_page_url": "https://a.example", "pdf_url": None}, {"pdf_url": "https://b.example/x.pdf"}],
        "primary_location": {"source": None, "landing_page_url": "https://a.example"},
        "type": "article",
        "language": "en",
    }
    assert _fields(work) == {
        "title_raw": "Sorting Pebbles",
        "author_names_raw": ["Ann Lee"],
        "volume_raw": "7",
        "pages_raw": "12",
        "pmid_raw": "https://pubmed.ncbi.nlm.nih.gov/38000001",
        "url_raw": "https://a.example",
        "urls_raw": ["https://a.example"],
        "pdf_url_raw": "https://b.example/x.pdf",
        "type_raw": "article",
        "source_key": "https://openalex.org/W1",
    }


def test_an_arxiv_paper_has_the_date_of_its_first_version_and_names_with_their_suffix():
    paper = {
        "id": "0704.0001",
        "submitter": "Ann Lee",
        "authors": "Ann Lee, C. Day Jr.",
        "authors_parsed": [["Lee", "Ann", ""], ["Day", "C.", "Jr."]],
        "title": "Sorting\n  Pebbles",
        "categories": "cs.SD stat.ML",
        "journal-ref": None,
        "versions": [
            {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
            {"version": "v2", "created": "Tue, 3 Nov 2009"},
        ],
        "update_date": "2011-01-01",
    }
    fields = _fields(paper)
    assert fields["author_names_raw"] == ["Lee, Ann", "Day, Jr., C."]
    assert (fields["date_raw"], fields["keywords_raw"]) == ("Mon, 2 Apr 2007 19:18:42 GMT", "cs.SD; stat.ML")
    assert fields["arxiv_id_raw"] == fields["source_key"] == "0704.0001"
    assert "date_raw" not in _fields(paper | {"versions": []}), "the day of an update is none of publication"


def test_of_zoteros_creators_only_those_who_wrote_it_are_authors():
    item = {
        "itemType": "book",
        "title": "Pebbles",
        "creators": [
            {"creatorType": "editor", "firstName": "Cy", "lastName": "Day"},
            {"creatorType": "author", "name": "Pebble Group"},
        ],
        "extra": "Citation Key: day\nDOI: 10.5555/b\narXiv: 2405.01234 [cs]",
    }
    fields = _fields(item)
    assert (fields["author_names_raw"], fields["doi_raw"], fields["arxiv_id_raw"]) == (
        ["Pebble Group"],
        "10.5555/b",
        "2405.01234 [cs]",
    )
    assert "author_names_raw" not in _fields(item | {"creators": item["creators"][:1]})


# Lists


def test_what_a_bibtex_column_says_fills_what_no_other_column_does():
    entry = """@inproceedings{lee,
    title = "Years of 1999",
    year = "2024",
    booktitle = {Proceedings of {Pebbles}},
    pages = "12--19"
}"""
    paper = {"title": "Sorting", "track": "main", "status": "Poster", "author": "Ann Lee", "doi": "10.5555/a", "bibtex": entry}
    fields = _fields(paper)
    assert (fields["year_raw"], fields["venue_raw"], fields["pages_raw"]) == ("2024", "Proceedings of {Pebbles}", "12--19")
    assert "year_raw" not in _fields(paper | {"bibtex": "see\nyear = {1999}"})


def test_a_page_that_is_an_address_is_one_and_other_pages_stay_pages():
    paper = {"title": "Sorting", "author": "Ann Lee", "abstract": "", "page": "https://pebbles.example/7", "pdf": ""}
    assert _fields(paper)["url_raw"] == "https://pebbles.example/7"
    pages = _fields(paper | {"page": "12-19"})
    assert pages["pages_raw"] == "12-19"
    assert "url_raw" not in pages


def test_a_conference_behind_the_authors_is_no_author():
    author = "Ann Lee, Bo Li The European Conference on Computer Vision (ECCV), 2018, pp. 484-500"
    fields = _fields({"title": "Sorting", "author": author, "abstract": "", "page": "", "pdf": ""})
    assert fields["authors_raw"] == "Ann Lee, Bo Li"
    assert fields["venue_raw"] == "The European Conference on Computer Vision (ECCV), 2018"
    assert fields["pages_raw"] == "484-500"


# Wrappers and names beside a shape


def test_a_wrapped_record_is_known_by_its_own_shape_and_names_in_any_writing():
    row = {"row_idx": 3, "row": {"Paper Title": "Sorting", "Art. No.": "7", "people": ["x"]}}
    mapper = Mapper()
    assert mapper.fields(row) == {"title_raw": "Sorting", "pages_raw": "7"}
    columns = {(column["column_name"], column["field"], column["decided_by"]) for column in mapper.take().to_dicts()}
    assert columns == {
        ("row.Paper Title", "title_raw", "name"),
        ("row.Art. No.", "pages_raw", "name"),
        ("row.people", None, "unknown"),
        ("row_idx", None, "unknown"),
    }
    hit = {"_id": "7", "_source": json.loads(BY_NAME["openalex_work"].example)}
    assert _fields(hit)["abstract_raw"] == "Pebbles sort."
    assert _fields({"row_idx": 3, "row": None}) == {}


def test_names_that_a_shape_says_nothing_of_are_known_by_name_and_those_it_ignores_are_not():
    fields = _fields(NOTE_V1 | {"pmid": "38000001"})
    assert fields["pmid_raw"] == "38000001"
    assert "number_raw" not in fields


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("value", [None, "", "a text", 7, [], {}, [None], [{}], {"a": [{"b": 1}]}, [[1], "x"]])
def test_a_shape_whose_values_are_of_another_kind_is_read_without_fault(name, value):
    record = json.loads(BY_NAME[name].example)
    for own in (record, *(inner for inner in record.values() if isinstance(inner, dict))):
        for key in own:
            changed = json.loads(json.dumps(record))
            (changed if own is record else next(changed[k] for k, v in record.items() if v is own))[key] = value
            assert all(isinstance(text, (str, list)) for text in _fields(changed).values())


def test_a_record_of_zenodo_gives_its_creators_journal_and_doi():
    assert _fields(
        {
            "id": 7,
            "created": "2024-05-03T00:00:00+00:00",
            "doi": "10.5281/zenodo.7",
            "links": {"html": "https://zenodo.org/records/7"},
            "metadata": {
                "title": "Sorting Pebbles by Sound",
                "creators": [{"name": "Lee, Ann", "affiliation": "Pebble Lab"}],
                "description": "<p>Pebbles sort.</p>",
                "publication_date": "2024-05-02",
                "journal": {"title": "Pebble Letters", "volume": "7", "pages": "12-19"},
                "resource_type": {"title": "Preprint", "type": "publication"},
            },
        }
    ) == {
        "title_raw": "Sorting Pebbles by Sound",
        "author_names_raw": ["Lee, Ann"],
        "abstract_raw": "<p>Pebbles sort.</p>",
        "date_raw": "2024-05-02",
        "venue_raw": "Pebble Letters",
        "volume_raw": "7",
        "pages_raw": "12-19",
        "type_raw": "Preprint",
        "doi_raw": "10.5281/zenodo.7",
        "url_raw": "https://zenodo.org/records/7",
        "source_key": "7",
    }


def test_a_preprint_that_became_an_article_keeps_its_own_doi_and_date():
    row = {
        "doi": "10.1101/1",
        "title": "A",
        "category": "maps",
        "server": "bioRxiv",
        "date": "2024-05-02",
        "published": "10.5/2",
    }
    fields = _fields(row)
    assert (fields["doi_raw"], fields["date_raw"], fields["venue_raw"]) == ("10.1101/1", "2024-05-02", "bioRxiv")
