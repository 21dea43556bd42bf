"""This module is the contract between the steps: the tables that lie in lake/work and are never published.

As `transforms.schemas`, it imports neither Polars nor PyArrow.
"""

from __future__ import annotations

from transforms.schemas import FILE, LOCATOR, SPAN_END, SPAN_START, Column, Table, column

FIELDS: tuple[Column, ...] = (
    column("title_raw", "string?", "title as given"),
    column("subtitle_raw", "string?", "subtitle as given"),
    column("authors_raw", "string?", "author list as one text"),
    column("author_names_raw", "list<string>?", "author names where the source lists them (objects as `Family, Given`)"),
    column("abstract_raw", "string?", "abstract as given"),
    column("year_raw", "string?", "year as given"),
    column("date_raw", "string?", "date of publication as given"),
    column("venue_raw", "string?", "venue, journal or book title as given"),
    column("volume_raw", "string?", "volume as given"),
    column("number_raw", "string?", "issue as given"),
    column("pages_raw", "string?", "pages as given"),
    column("publisher_raw", "string?", "publisher as given"),
    column("type_raw", "string?", "kind of publication as given"),
    column("tags_raw", "string?", "tags as one text: may hold venue, year, decision and topics"),
    column("keywords_raw", "string?", "keywords as one text"),
    column("decision_raw", "string?", "decision or status as given"),
    column("doi_raw", "string?", "DOI as given"),
    column("arxiv_id_raw", "string?", "arXiv id as given"),
    column("openreview_id_raw", "string?", "OpenReview id as given"),
    column("pmid_raw", "string?", "PubMed id as given"),
    column("acl_id_raw", "string?", "ACL Anthology id as given"),
    column("url_raw", "string?", "address of the paper's page as given"),
    column("urls_raw", "list<string>?", "further addresses that name the paper (detail pages), as given"),
    column("pdf_url_raw", "string?", "address of the PDF as given"),
    column("link_urls_raw", "list<string>?", "addresses of code, data or project pages, as given"),
)
"""What a reader's mapped columns are called, whatever the format; every one as the source gives it."""

STAGED_RECORDS = Table(
    "staged_records",
    "one row a record as its file gives it, in file order",
    (
        column("ordinal", "int64", "place among the records of its file, from 1"),
        LOCATOR,
        SPAN_START,
        SPAN_END,
        column("source_key", "string?", "the source's own key for the record, as text"),
        column("raw", "string", "JSON text of the source's own columns, as in `records`"),
        *FIELDS,
    ),
    ("ordinal",),
)

VENUE_KINDS = ("conference", "journal", "workshop", "preprint", "book")
"""What a venue may be, in config/venues.csv and in `venue_kind`."""

CLEAN_RECORDS = Table(
    "clean_records",
    "one row a record that is typed and cleaned, in file order",
    (
        column("record_id", "string", "file_sha256, a colon, and the ordinal"),
        column("record_key", "string", "what stays the same when the file is dumped again"),
        FILE,
        column("ordinal", "int64", "place among the records of its file, from 1"),
        column("title", "string?", "cleaned title, with its subtitle; a placeholder is null"),
        column(
            "authors",
            "list<struct<name:string,name_raw:string,given:string,family:string>>",
            "authors in order, as in `authorships`",
        ),
        column("abstract", "string?", "cleaned abstract"),
        column("abstract_is_cut", "bool", "whether the source cut the abstract short (it ends in an ellipsis)"),
        column("title_is_cut", "bool", "whether the source cut the title short"),
        column("venue_id", "string?", "as in `papers`"),
        column("venue", "string?", "as in `papers`"),
        column("venue_kind", "string?", "what the venue is; null where nothing tells", *VENUE_KINDS),
        column("year", "int16?", "as in `papers`"),
        column("decision", "string?", "as in `papers`"),
        column("type", "string?", "as in `papers`"),
        column("volume", "string?", "as in `papers`"),
        column("number", "string?", "as in `papers`"),
        column("pages", "string?", "as in `papers`"),
        column("publisher", "string?", "as in `papers`"),
        column("keywords", "list<string>", "as in `papers`"),
        column("url", "string?", "as in `papers`"),
        column("pdf_url", "string?", "as in `papers`"),
        column("identifiers", "list<struct<scheme:string,value:string>>", "identifiers, distinct, sorted"),
        column("links", "list<struct<url:string,kind:string>>", "links, distinct by url, sorted"),
    ),
    ("ordinal",),
)
