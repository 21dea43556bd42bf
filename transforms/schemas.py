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


def column(name: str, dtype: str, meaning: str, *words: str) -> Column:
    """A column; a trailing "?" on the dtype makes it nullable, and its words are added to the meaning."""
    listed = f"{meaning}: {', '.join(words[:-1])} or {words[-1]}" if words else meaning
    return Column(name, dtype.rstrip("?"), listed, nullable=dtype.endswith("?"), words=words)


TURNED_DOWN = ("rejected", "withdrawn", "desk_rejected")
DECISIONS = ("oral", "spotlight", "poster", "accepted", *TURNED_DOWN)
"""What may become of a submission."""

_PAPER_ID = column("paper_id", "string", "the paper; derived from its strongest identifier, else from its least record key")
FILE = column("file_sha256", "string", "the raw file: SHA-256 of its bytes, in hexadecimal")
SPAN_START = column("span_start", "int64?", "first byte of the span in the file; null where the format has no spans")
SPAN_END = column("span_end", "int64?", "one past the last byte of the span; null where the format has no spans")
LOCATOR = column(
    "locator", "string", "where it stands: `row 7`, `line 4`, `bytes 0-120`, `document`, a JSON pointer (`/papers/3`)"
)

RELATIONS = {
    "version_of": "version_of",
    "preprint_of": "has_preprint",
    "has_preprint": "preprint_of",
    "correction_of": "has_correction",
    "has_correction": "correction_of",
    "comment_on": "has_comment",
    "has_comment": "comment_on",
    "translation_of": "translation_of",
    "other_part_of": "other_part_of",
}
"""What one paper may be to another, and what the other then is to it."""

PAPERS = Table(
    "papers",
    "one row a paper: the real-world work in one version that one or more records describe",
    (
        _PAPER_ID,
        column("work_id", "string", "the work whose versions (preprint, conference, journal) share this id"),
        column("title", "string?", "cleaned title; null where no record gives one"),
        column("authors", "list<string>", "cleaned author names in order; the details stand in `authorships`"),
        column("abstract", "string?", "cleaned abstract; mathematics that has no plain Unicode form stays verbatim in $…$"),
        column("venue_id", "string?", "the venue's id in config/venues.csv; null where the venue is not known there"),
        column("venue", "string?", "the venue's name: the curated one where venue_id is set, else as the source gives it"),
        column("year", "int16?", "year of the venue or of publication"),
        column("decision", "string?", "what became of the submission", *DECISIONS),
        column("type", "string?", "kind of publication as the source names it, in lower case"),
        column("volume", "string?", "volume of the journal or proceedings"),
        column("number", "string?", "issue within the volume"),
        column("pages", "string?", "pages as the source gives them (376-383, 221-8), or an article number"),
        column("publisher", "string?", "publisher"),
        column("keywords", "list<string>", "keywords and topics, as the source gives them, without venue and decision"),
        column("url", "string?", "the page of the paper"),
        column("pdf_url", "string?", "the PDF of the paper"),
        column("record_count", "int32", "how many appearances in raw files describe this paper"),
        column("file_count", "int32", "how many raw files those appearances stand in"),
    ),
    ("paper_id",),
)

AUTHORSHIPS = Table(
    "authorships",
    "one row a paper and author, in author order",
    (
        _PAPER_ID,
        column("position", "int32", "place in the author list, from 1"),
        column("name", "string", "cleaned full name, given name first"),
        column("name_raw", "string", "the name as the source gives it"),
        column("given", "string?", "given names; null for a group author or a single name"),
        column("family", "string?", "family name with its particles; null for a group author"),
    ),
    ("paper_id", "position"),
)

IDENTIFIERS = Table(
    "identifiers",
    "one row a paper and identifier",
    (
        _PAPER_ID,
        column("scheme", "string", "doi, openreview, arxiv, pmid, acl, …: see transforms/identifiers.py"),
        column("value", "string", "the identifier in its scheme's normal form, without an address around it"),
    ),
    ("paper_id", "scheme", "value"),
)

LINKS = Table(
    "links",
    "one row a paper and address named in its abstract or in a column for code or project pages",
    (
        _PAPER_ID,
        column("url", "string", "the address, without trailing punctuation or mark-up"),
        column("kind", "string", "what it leads to", "code", "project_page", "data", "other"),
    ),
    ("paper_id", "url"),
)

RECORDS = Table(
    "records",
    "one row an appearance of a clean record in a raw file; each belongs to exactly one paper",
    (
        column("record_id", "string", "this one appearance: file_sha256, a colon, and the ordinal"),
        column("record_key", "string", "what stays the same when the file is dumped again; equal keys are one record"),
        _PAPER_ID,
        FILE,
        column("ordinal", "int64", "place among the records of its file as read, from 1"),
        LOCATOR,
        SPAN_START,
        SPAN_END,
        column("source_key", "string?", "the source's own key for the record (its id column), as text"),
        column(
            "raw",
            "string",
            "JSON text of the source's own columns, each value as its format spells it (a macro is its text, a continued line "
            "part of one); NaN is null, an infinity text, a bad byte U+FFFD; of joined rows a list where they differ",
        ),
    ),
    ("file_sha256", "ordinal"),
)

RECORD_NOTES = Table(
    "record_notes",
    "one row a clean record, field and note: what cleaning has to say of the value as given",
    (
        column("record_id", "string", "the appearance whose value it is"),
        column("field", "string", "the field: a column of `papers`, or doi"),
        column(
            "note",
            "string",
            "says that there is no value and became null, counts records and is no issue, was cut short by its source, or "
            "could not be read",
            "placeholder",
            "serial",
            "cut",
            "unreadable",
        ),
        column("value", "string?", "the value as given, up to 1,000 characters of it"),
    ),
    ("record_id", "field", "note"),
)

FIELD_ORIGINS = Table(
    "field_origins",
    "one row a paper and filled field: the record its value was taken from",
    (
        _PAPER_ID,
        column("field", "string", "column of `papers`"),
        column("record_id", "string", "the appearance that the value was taken from"),
    ),
    ("paper_id", "field"),
)

PAPER_MATCHES = Table(
    "paper_matches",
    "one row a compared pair of records worth keeping: matched, version, possible or vetoed",
    (
        column("record_key_l", "string", "the lesser record key of the pair"),
        column("record_key_r", "string", "the greater record key of the pair"),
        column("status", "string", "one paper, one work, not merged, or vetoed", "match", "version", "possible", "no"),
        column(
            "reason",
            "string",
            "the rule or veto by name; kept_apart_…: a match that a veto elsewhere undid; decided_…: a person's verdict",
        ),
        column(
            "relation", "string?", "what the paper of the lesser key is to the other: the relation of a version", *RELATIONS
        ),
        column(
            "blocking_rules",
            "list<string>",
            "the rules that proposed it; component: compared because others join it; decision: a person decided on it",
        ),
        column("title_ratio", "float64?", "likeness of the title keys, 0 to 1; null where a title is missing"),
        column("abstract_ratio", "float64?", "likeness of the abstract keys over their common length; null if not compared"),
        column("authors_shared_count", "int32?", "family names the two author lists share; null where a list is missing"),
    ),
    ("record_key_l", "record_key_r"),
)

PAPER_RELATIONS = Table(
    "paper_relations",
    "one row two papers and what the one is to the other; each relation stands in both directions",
    (
        _PAPER_ID,
        column("relation", "string", "what this paper is to the other", *RELATIONS),
        column("other_paper_id", "string", "the other paper"),
    ),
    ("paper_id", "relation", "other_paper_id"),
)

PAPER_ALIASES = Table(
    "paper_aliases",
    "one row a paper id that was published once and is not a paper now; the one table that depends on history",
    (
        column("paper_id", "string", "the id that was published"),
        column("current_paper_id", "string?", "where to look now; null when the paper is gone"),
        column("reason", "string", "what became of it", "merged", "split", "renamed", "gone"),
        column("record_key", "string", "its least record key when it was last a paper; a record that returns is found by it"),
    ),
    ("paper_id",),
)

REJECTS = Table(
    "rejects",
    "one row a span, record or whole file that could not become a clean record, kept with its text",
    (
        FILE,
        column("record_id", "string?", "the staged record that cleaning refused; null for a span that never was a record"),
        column("stage", "string", "whether reading or cleaning refused it", "stage", "clean"),
        column("reason", "string", "why, as a short code"),
        column("message", "string", "why, as a sentence"),
        LOCATOR,
        SPAN_START,
        SPAN_END,
        column("text", "string", "the refused text (cut at 10,000 characters if the message says so), or the raw JSON"),
    ),
    ("file_sha256", "span_start", "locator", "reason"),
    unique=False,
)

FURNITURE = Table(
    "furniture",
    "one row a span that is no record and no reject: byte order mark, heading, separator, footer",
    (
        FILE,
        column("kind", "string", "byte_order_mark, heading, page_head, page_footer, separator, …"),
        column("span_start", "int64", "first byte of the span in the file"),
        column("span_end", "int64", "one past the last byte of the span"),
        column("text", "string", "the span's text"),
    ),
    ("file_sha256", "span_start"),
)

RAW_FILES = Table(
    "raw_files",
    "one row a live raw file",
    (
        FILE,
        column("source", "string", "a block of sources.toml, or command_line"),
        column("file_name", "string", "its base name; the least where it came under several"),
        column("source_path", "string", "its path below its source's folder; on the command line its base name"),
        column("size_bytes", "int64", "its size as landed"),
        column("compression", "string?", "how it is compressed; spans count the bytes within", "gzip", "bzip2", "xz", "zstd"),
        column("reader", "string?", "the reader that read it; null where none would"),
        column("form", "string?", "what form of its format it has, such as `array`, `comma` or `one token a line`"),
        column("shape", "string?", "the known shapes of its records (`paperlake formats`); null where none is known"),
        column("encoding", "string?", "character encoding its text was decoded with"),
        column("sniff_confidence", "float64?", "how sure the reader was, 0 to 1"),
        column("verdict", "string", "read, taken by no reader, or given up", "read", "not_a_paper_list", "unreadable"),
        column("message", "string?", "what there is to say of it: why no reader took it, or that a page is partial"),
    ),
    ("file_sha256",),
)

CONTROL_TOTALS = Table(
    "control_totals",
    "one row a figure that a raw file states about itself",
    (
        FILE,
        column("page", "int32", "which page of the file states it, from 1"),
        column("column_name", "string", "the column it is about"),
        column("statistic", "string", "min_length, max_length, classes, min_value, max_value, min_items, max_items, …"),
        column("declared", "float64?", "the stated figure; null where it is no number (a date)"),
        column("declared_text", "string", "the stated figure as printed, such as 3.09k"),
        column("observed", "float64?", "the same figure over the records read; null where none were"),
        column("verdict", "string", "equal as printed, inside it, or outside it", "met", "partial", "contradicted"),
    ),
    ("file_sha256", "page", "column_name", "statistic"),
)

COLUMN_MAP = Table(
    "column_map",
    "one row a raw file and column of its records: the field that the column fills",
    (
        FILE,
        column("position", "int32", "place among the file's columns as they are met, from 1"),
        column("column_name", "string", "the column as its file names it; `a.b` for b in an object a; `|word`: converted"),
        column("field", "string?", "the field it fills, by its name in sources.toml; null where it stays in `raw` only"),
        column("decided_by", "string", "what says so; unknown: nothing", "config", "format", "shape", "name", "unknown"),
        column("record_count", "int64", "how many records have the column or the object it stands in"),
    ),
    ("file_sha256", "position"),
)

LEDGER = Table(
    "ledger",
    "one row a live raw file: what went in, and what became of it",
    (
        FILE,
        column("size_bytes", "int64", "bytes of the file, decompressed"),
        column("bytes_records", "int64?", "bytes in spans of records; null where the format has no spans"),
        column("bytes_rejects", "int64?", "bytes in spans of rejects; null where the format has no spans"),
        column("bytes_furniture", "int64?", "bytes in spans of furniture; null where the format has no spans"),
        column("entries_counted", "int64?", "entries counted another way than by reading them; null where spans prove it"),
        column("entries_joined", "int64", "entries that went into the record of an earlier one: rows of one author each"),
        column("records_staged", "int64", "records read from the file"),
        column("records_clean", "int64", "of these, records that became clean and belong to a paper"),
        column("records_rejected", "int64", "of these, records that cleaning refused"),
        column("spans_rejected", "int64", "rejects that never were a record: unreadable spans, or the whole file"),
        column("balanced", "bool", "staged = clean + rejected, and every byte or entry is accounted for"),
    ),
    ("file_sha256",),
)

CHECKS = Table(
    "checks",
    "one row a check that ran before this release was published",
    (
        column("check_name", "string", "the check: its file name in warehouse/sql/checks"),
        column("severity", "string", "whether a failing row stops publication", "error", "warn"),
        column("meaning", "string", "what a failing row means"),
        column("failing_rows", "int64", "how many rows failed"),
        column("passed", "bool", "whether none failed"),
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
        RECORD_NOTES,
        FIELD_ORIGINS,
        PAPER_MATCHES,
        PAPER_RELATIONS,
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
