"""This module is the contract: every column of every table once, with its type, meaning, unit and source.

It imports neither Polars nor PyArrow, so that commands which only describe tables stay fast. `warehouse.parquet` turns a
`Table` into an Arrow schema with these meanings in its field metadata, `transforms.frames` into a Polars schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

SCHEMA_VERSION = 1
"""Raised when a table or column changes its meaning or goes away; a lake with a higher one is refused."""


class PaperlakeError(Exception):
    """An error whose message a person can act on; the command line prints it without a stack trace."""

    exit_code: ClassVar[int] = 1
    """What the command line exits with: 1 data or run failed, 2 usage, 4 the lock was not obtained."""


class SchemaError(PaperlakeError):
    """A table that does not have the columns, types or values its contract in this module promises."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `dtype` is one of string, bool, int16, int32, int64, float64, list<string>, or list<struct<…>>.

    `words` are the only values it may hold, where they are few; `warehouse/sql/checks/known_values.sql` holds it to them.
    """

    name: str
    dtype: str
    meaning: str
    nullable: bool = False
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its grain in a sentence, its columns in order, and the columns its rows are unique and sorted by."""

    name: str
    grain: str
    columns: tuple[Column, ...]
    sort_key: tuple[str, ...]
    unique: bool = True

    def column_names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]


def _column(name: str, dtype: str, meaning: str, *words: str) -> Column:
    """A column; a trailing "?" on the dtype makes it nullable, and its words are added to the meaning."""
    listed = f"{meaning}: {', '.join(words[:-1])} or {words[-1]}" if words else meaning
    return Column(name, dtype.rstrip("?"), listed, nullable=dtype.endswith("?"), words=words)


DECISIONS = ("oral", "spotlight", "poster", "accepted", "rejected", "withdrawn", "desk_rejected")
"""What may become of a submission."""

_PAPER_ID = _column("paper_id", "string", "the paper; derived from its strongest identifier, else from its least record key")
_FILE = _column("file_sha256", "string", "the raw file: SHA-256 of its bytes, in hexadecimal")
_SPAN_START = _column("span_start", "int64?", "first byte of the span in the file; null where the format has no spans")
_SPAN_END = _column("span_end", "int64?", "one past the last byte of the span; null where the format has no spans")
_LOCATOR = _column(
    "locator", "string", "where it stands: `row 7`, `line 4`, `bytes 0-120`, `document`, a JSON pointer (`/papers/3`)"
)

PAPERS = Table(
    "papers",
    "one row a paper: the real-world work in one version that one or more records describe",
    (
        _PAPER_ID,
        _column("work_id", "string", "the work whose versions (preprint, conference, journal) share this id"),
        _column("title", "string?", "cleaned title; null where no record gives one"),
        _column("authors", "list<string>", "cleaned author names in order; the details stand in `authorships`"),
        _column("abstract", "string?", "cleaned abstract; mathematics that has no plain Unicode form stays verbatim in $…$"),
        _column("venue_id", "string?", "the venue's id in config/venues.csv; null where the venue is not known there"),
        _column("venue", "string?", "the venue's name: the curated one where venue_id is set, else as the source gives it"),
        _column("year", "int16?", "year of the venue or of publication"),
        _column("decision", "string?", "what became of the submission", *DECISIONS),
        _column("type", "string?", "kind of publication as the source names it, in lower case"),
        _column("volume", "string?", "volume of the journal or proceedings"),
        _column("number", "string?", "issue within the volume"),
        _column("pages", "string?", "pages as the source gives them (376-383, 221-8), or an article number"),
        _column("publisher", "string?", "publisher"),
        _column("keywords", "list<string>", "keywords and topics, as the source gives them, without venue and decision"),
        _column("url", "string?", "the page of the paper"),
        _column("pdf_url", "string?", "the PDF of the paper"),
        _column("record_count", "int32", "how many appearances in raw files describe this paper"),
        _column("file_count", "int32", "how many raw files those appearances stand in"),
    ),
    ("paper_id",),
)

AUTHORSHIPS = Table(
    "authorships",
    "one row a paper and author, in author order",
    (
        _PAPER_ID,
        _column("position", "int32", "place in the author list, from 1"),
        _column("name", "string", "cleaned full name, given name first"),
        _column("name_raw", "string", "the name as the source gives it"),
        _column("given", "string?", "given names; null for a group author or a single name"),
        _column("family", "string?", "family name with its particles; null for a group author"),
    ),
    ("paper_id", "position"),
)

IDENTIFIERS = Table(
    "identifiers",
    "one row a paper and identifier",
    (
        _PAPER_ID,
        _column("scheme", "string", "doi, openreview, arxiv, pmid, acl, …: see transforms/identifiers.py"),
        _column("value", "string", "the identifier in its scheme's normal form, without an address around it"),
    ),
    ("paper_id", "scheme", "value"),
)

LINKS = Table(
    "links",
    "one row a paper and address named in its abstract or in a column for code or project pages",
    (
        _PAPER_ID,
        _column("url", "string", "the address, without trailing punctuation or mark-up"),
        _column("kind", "string", "what it leads to", "code", "project_page", "data", "other"),
    ),
    ("paper_id", "url"),
)

RECORDS = Table(
    "records",
    "one row an appearance of a clean record in a raw file; each belongs to exactly one paper",
    (
        _column("record_id", "string", "this one appearance: file_sha256, a colon, and the ordinal"),
        _column("record_key", "string", "what stays the same when the file is dumped again; equal keys are one record"),
        _PAPER_ID,
        _FILE,
        _column("ordinal", "int64", "place among the records of its file as read, from 1"),
        _LOCATOR,
        _SPAN_START,
        _SPAN_END,
        _column("source_key", "string?", "the source's own key for the record (its id column), as text"),
        _column(
            "raw", "string", "JSON text of the source's own columns, as given; NaN is null, an infinity text, a bad byte U+FFFD"
        ),
    ),
    ("file_sha256", "ordinal"),
)

FIELD_ORIGINS = Table(
    "field_origins",
    "one row a paper and filled field: the record its value was taken from",
    (
        _PAPER_ID,
        _column("field", "string", "column of `papers`"),
        _column("record_id", "string", "the appearance that the value was taken from"),
    ),
    ("paper_id", "field"),
)

PAPER_MATCHES = Table(
    "paper_matches",
    "one row a compared pair of records worth keeping: matched, version, possible or vetoed",
    (
        _column("record_key_l", "string", "the lesser record key of the pair"),
        _column("record_key_r", "string", "the greater record key of the pair"),
        _column("status", "string", "one paper, one work, not merged, or vetoed", "match", "version", "possible", "no"),
        _column("reason", "string", "the rule or veto by name; kept_apart_…: a match that a veto elsewhere undid"),
        _column("blocking_rules", "list<string>", "the rules that proposed it; component: compared because others join it"),
        _column("title_ratio", "float64?", "likeness of the title keys, 0 to 1; null where a title is missing"),
        _column("abstract_ratio", "float64?", "likeness of the abstract keys over their common length; null if not compared"),
        _column("authors_shared_count", "int32?", "family names the two author lists share; null where a list is missing"),
    ),
    ("record_key_l", "record_key_r"),
)

PAPER_ALIASES = Table(
    "paper_aliases",
    "one row a paper id that was published once and is not a paper now; the one table that depends on history",
    (
        _column("paper_id", "string", "the id that was published"),
        _column("current_paper_id", "string?", "where to look now; null when the paper is gone"),
        _column("reason", "string", "what became of it", "merged", "split", "renamed", "gone"),
        _column("record_key", "string", "its least record key when it was last a paper; a record that returns is found by it"),
    ),
    ("paper_id",),
)

REJECTS = Table(
    "rejects",
    "one row a span, record or whole file that could not become a clean record, kept with its text",
    (
        _FILE,
        _column("record_id", "string?", "the staged record that cleaning refused; null for a span that never was a record"),
        _column("stage", "string", "whether reading or cleaning refused it", "stage", "clean"),
        _column("reason", "string", "why, as a short code"),
        _column("message", "string", "why, as a sentence"),
        _LOCATOR,
        _SPAN_START,
        _SPAN_END,
        _column("text", "string", "the refused text (cut at 10,000 characters if the message says so), or the raw JSON"),
    ),
    ("file_sha256", "span_start", "locator", "reason"),
    unique=False,
)

FURNITURE = Table(
    "furniture",
    "one row a span that is no record and no reject: byte order mark, heading, separator, footer",
    (
        _FILE,
        _column("kind", "string", "byte_order_mark, heading, page_head, page_footer, separator, …"),
        _column("span_start", "int64", "first byte of the span in the file"),
        _column("span_end", "int64", "one past the last byte of the span"),
        _column("text", "string", "the span's text"),
    ),
    ("file_sha256", "span_start"),
)

RAW_FILES = Table(
    "raw_files",
    "one row a live raw file",
    (
        _FILE,
        _column("source", "string", "a block of sources.toml, or command_line"),
        _column("file_name", "string", "its base name; the least where it came under several"),
        _column("source_path", "string", "its path below its source's folder; on the command line its base name"),
        _column("size_bytes", "int64", "its size as landed"),
        _column("compression", "string?", "how it is compressed; spans count the bytes within", "gzip", "bzip2", "xz", "zstd"),
        _column("reader", "string?", "the reader that read it; null where none would"),
        _column("form", "string?", "what form of its format it has, such as `array`, `comma` or `one token a line`"),
        _column("shape", "string?", "the known shapes of its records (`paperlake formats`); null: columns known by name"),
        _column("encoding", "string?", "character encoding its text was decoded with"),
        _column("sniff_confidence", "float64?", "how sure the reader was, 0 to 1"),
        _column("verdict", "string", "read, taken by no reader, or given up", "read", "not_a_paper_list", "unreadable"),
        _column("message", "string?", "what there is to say of it: why no reader took it, or that a page is partial"),
    ),
    ("file_sha256",),
)

CONTROL_TOTALS = Table(
    "control_totals",
    "one row a figure that a raw file states about itself",
    (
        _FILE,
        _column("page", "int32", "which page of the file states it, from 1"),
        _column("column_name", "string", "the column it is about"),
        _column("statistic", "string", "min_length, max_length, classes, min_value, max_value, min_items, max_items, …"),
        _column("declared", "float64?", "the stated figure; null where it is no number (a date)"),
        _column("declared_text", "string", "the stated figure as printed, such as 3.09k"),
        _column("observed", "float64?", "the same figure over the records read; null where none were"),
        _column("verdict", "string", "equal as printed, inside it, or outside it", "met", "partial", "contradicted"),
    ),
    ("file_sha256", "page", "column_name", "statistic"),
)

COLUMN_MAP = Table(
    "column_map",
    "one row a raw file and column of its records: the field that the column fills",
    (
        _FILE,
        _column("position", "int32", "place among the file's columns as they are met, from 1"),
        _column("column_name", "string", "the column as its file names it; `a.b` for b in an object a; `|word`: converted"),
        _column("field", "string?", "the field it fills, by its name in sources.toml; null where it stays in `raw` only"),
        _column("decided_by", "string", "what says so; unknown: nothing", "config", "format", "shape", "name", "unknown"),
        _column("record_count", "int64", "how many records have the column or the object it stands in"),
    ),
    ("file_sha256", "position"),
)

LEDGER = Table(
    "ledger",
    "one row a live raw file: what went in, and what became of it",
    (
        _FILE,
        _column("size_bytes", "int64", "bytes of the file, decompressed"),
        _column("bytes_records", "int64?", "bytes in spans of records; null where the format has no spans"),
        _column("bytes_rejects", "int64?", "bytes in spans of rejects; null where the format has no spans"),
        _column("bytes_furniture", "int64?", "bytes in spans of furniture; null where the format has no spans"),
        _column("entries_counted", "int64?", "entries counted another way than by reading them; null where spans prove it"),
        _column("entries_joined", "int64", "entries that went into the record of an earlier one: rows of one author each"),
        _column("records_staged", "int64", "records read from the file"),
        _column("records_clean", "int64", "of these, records that became clean and belong to a paper"),
        _column("records_rejected", "int64", "of these, records that cleaning refused"),
        _column("spans_rejected", "int64", "rejects that never were a record: unreadable spans, or the whole file"),
        _column("balanced", "bool", "staged = clean + rejected, and every byte or entry is accounted for"),
    ),
    ("file_sha256",),
)

CHECKS = Table(
    "checks",
    "one row a check that ran before this release was published",
    (
        _column("check_name", "string", "the check: its file name in warehouse/sql/checks"),
        _column("severity", "string", "whether a failing row stops publication", "error", "warn"),
        _column("meaning", "string", "what a failing row means"),
        _column("failing_rows", "int64", "how many rows failed"),
        _column("passed", "bool", "whether none failed"),
    ),
    ("check_name",),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        PAPERS,
        AUTHORSHIPS,
        IDENTIFIERS,
        LINKS,
        RECORDS,
        FIELD_ORIGINS,
        PAPER_MATCHES,
        PAPER_ALIASES,
        REJECTS,
        FURNITURE,
        RAW_FILES,
        CONTROL_TOTALS,
        COLUMN_MAP,
        LEDGER,
        CHECKS,
    )
}
"""The tables of a release, by name, in the order they are listed to people."""

# ---------------------------------------------------------------------------------------------------------------------
# Between the steps (in lake/work, never published).

FIELDS: tuple[Column, ...] = (
    _column("title_raw", "string?", "title as given"),
    _column("subtitle_raw", "string?", "subtitle as given"),
    _column("authors_raw", "string?", "author list as one text"),
    _column("author_names_raw", "list<string>?", "author names where the source lists them (objects as `Family, Given`)"),
    _column("abstract_raw", "string?", "abstract as given"),
    _column("year_raw", "string?", "year as given"),
    _column("date_raw", "string?", "date of publication as given"),
    _column("venue_raw", "string?", "venue, journal or book title as given"),
    _column("volume_raw", "string?", "volume as given"),
    _column("number_raw", "string?", "issue as given"),
    _column("pages_raw", "string?", "pages as given"),
    _column("publisher_raw", "string?", "publisher as given"),
    _column("type_raw", "string?", "kind of publication as given"),
    _column("tags_raw", "string?", "tags as one text: may hold venue, year, decision and topics"),
    _column("keywords_raw", "string?", "keywords as one text"),
    _column("decision_raw", "string?", "decision or status as given"),
    _column("doi_raw", "string?", "DOI as given"),
    _column("arxiv_id_raw", "string?", "arXiv id as given"),
    _column("openreview_id_raw", "string?", "OpenReview id as given"),
    _column("pmid_raw", "string?", "PubMed id as given"),
    _column("acl_id_raw", "string?", "ACL Anthology id as given"),
    _column("url_raw", "string?", "address of the paper's page as given"),
    _column("urls_raw", "list<string>?", "further addresses that name the paper (detail pages), as given"),
    _column("pdf_url_raw", "string?", "address of the PDF as given"),
    _column("link_urls_raw", "list<string>?", "addresses of code, data or project pages, as given"),
)
"""What a reader's mapped columns are called, whatever the format; every one as the source gives it."""

STAGED_RECORDS = Table(
    "staged_records",
    "one row a record as its file gives it, in file order",
    (
        _column("ordinal", "int64", "place among the records of its file, from 1"),
        _LOCATOR,
        _SPAN_START,
        _SPAN_END,
        _column("source_key", "string?", "the source's own key for the record, as text"),
        _column("raw", "string", "JSON text of the source's own columns, exactly as given"),
        *FIELDS,
    ),
    ("ordinal",),
)

CLEAN_RECORDS = Table(
    "clean_records",
    "one row a record that is typed and cleaned, in file order",
    (
        _column("record_id", "string", "file_sha256, a colon, and the ordinal"),
        _column("record_key", "string", "what stays the same when the file is dumped again"),
        _FILE,
        _column("ordinal", "int64", "place among the records of its file, from 1"),
        _column("title", "string?", "cleaned title, with its subtitle; a placeholder is null"),
        _column(
            "authors",
            "list<struct<name:string,name_raw:string,given:string,family:string>>",
            "authors in order, as in `authorships`",
        ),
        _column("abstract", "string?", "cleaned abstract"),
        _column("abstract_is_cut", "bool", "whether the source cut the abstract short (it ends in an ellipsis)"),
        _column("title_is_cut", "bool", "whether the source cut the title short"),
        _column("venue_id", "string?", "as in `papers`"),
        _column("venue", "string?", "as in `papers`"),
        _column("year", "int16?", "as in `papers`"),
        _column("decision", "string?", "as in `papers`"),
        _column("type", "string?", "as in `papers`"),
        _column("volume", "string?", "as in `papers`"),
        _column("number", "string?", "as in `papers`"),
        _column("pages", "string?", "as in `papers`"),
        _column("publisher", "string?", "as in `papers`"),
        _column("keywords", "list<string>", "as in `papers`"),
        _column("url", "string?", "as in `papers`"),
        _column("pdf_url", "string?", "as in `papers`"),
        _column("identifiers", "list<struct<scheme:string,value:string>>", "identifiers, distinct, sorted"),
        _column("links", "list<struct<url:string,kind:string>>", "links, distinct by url, sorted"),
    ),
    ("ordinal",),
)
