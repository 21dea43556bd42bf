"""This module is the shapes in which reference managers hand out items."""

from __future__ import annotations

from transforms.readers.columns_known import IGNORED_COLUMN
from transforms.readers.shapes_entry import Shape

MANAGER_SHAPES: tuple[Shape, ...] = (
    Shape(
        "zotero_api_item",
        "an item of Zotero's API",
        ("key", "data", "library|version|meta"),
        inside="data",
        example="""{"key": "ABCD2345", "version": 3, "data": {"key": "ABCD2345", "itemType": "journalArticle",
 "DOI": "10.5555/pebbles.1", "title": "Sorting Pebbles by Sound", "creators": [{"creatorType": "author",
 "firstName": "Ann", "lastName": "Lee"}, {"creatorType": "editor", "firstName": "Cy", "lastName": "Day"}],
 "date": "2024-05-02", "publicationTitle": "Pebble Letters"}}""",
    ),
    Shape(
        "zotero_item",
        "an item of Zotero, also as Better BibTeX writes it",
        ("itemType", "title|creators"),
        {
            "title": "title_raw",
            "creators|creators": "authors_raw",
            "abstractNote": "abstract_raw",
            "date": "date_raw",
            "publicationTitle": "venue_raw",
            "proceedingsTitle": "venue_raw",
            "conferenceName": "venue_raw",
            "bookTitle": "venue_raw",
            "repository": "venue_raw",
            "publisher": "publisher_raw",
            "university": "publisher_raw",
            "institution": "publisher_raw",
            "DOI": "doi_raw",
            "extra|line_doi": "doi_raw",
            "archiveID": "arxiv_id_raw",
            "extra|line_arxiv": "arxiv_id_raw",
            "extra|line_pmid": "pmid_raw",
            "tags": IGNORED_COLUMN,
            "tags.tag": "keywords_raw",
            "citationKey": "source_key",
            "key": "source_key",
            "itemID": "source_key",
        },
        """{"itemType": "journalArticle", "citationKey": "lee_sorting_2024", "title": "Sorting Pebbles by Sound",
 "date": "2024-05", "creators": [{"creatorType": "author", "firstName": "Ann", "lastName": "Lee"},
 {"creatorType": "author", "name": "Pebble Group"}], "publicationTitle": "Pebble Letters",
 "extra": "DOI: 10.5555/pebbles.1", "tags": [{"tag": "pebbles"}]}""",
    ),
    Shape(
        "csl_item",
        "an item of CSL-JSON",
        ("title", "type|DOI", "issued|container-title|accessed|event-title|citation-key"),
        {
            "title|first": "title_raw",
            "author": "authors_raw",
            "issued|date": "date_raw",
            "container-title|first": "venue_raw",
            "event-title": "venue_raw",
            "event.name": "venue_raw",
            "event": "venue_raw",
            "citation-key": "source_key",
            "id": "source_key",
            "custom.arxiv": "arxiv_id_raw",
            "custom.openreview": "openreview_id_raw",
            "custom.urls": "urls_raw",
            "custom.pdf": "pdf_url_raw",
            "accessed": IGNORED_COLUMN,
            "original-title": IGNORED_COLUMN,
        },
        """{"id": "lee2024", "type": "article-journal", "title": "Sorting Pebbles by Sound", "DOI": "10.5555/pebbles.1",
 "author": [{"given": "Ann", "family": "Lee"}, {"literal": "Pebble Group"}], "container-title": "Pebble Letters",
 "issued": {"date-parts": [[2024, 5, 2]]}, "volume": "7", "page": "12-19"}""",
    ),
)
"""The shapes of reference managers, the one that needs more before the one that needs less."""
