"""This module reads SQLite databases: every table with columns of papers, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import has_paper_columns
from transforms.readers.field_values import without_surrogates
from transforms.readers.limits import more_than
from transforms.readers.mapping import Mapper
from transforms.readers.openreview_ids import is_id_name, openreview_columns
from transforms.readers.plain_values import plain_value
from transforms.readers.sqlite_access import BROKEN, Database, quoted, row_characters
from transforms.readers.sqlite_authors import JOINED_COLUMN, author_queries, find_author_tables, names_by_paper

_MAGIC = b"SQLite format 3\0"
_SAMPLE_ROWS = 1_000


def sniff(sample: Sample) -> Sniff:
    """Whether the file begins with SQLite's magic bytes; its tables are looked at in `read`."""
    if sample.head.startswith(_MAGIC):
        return Sniff(0.99, "it begins with SQLite's magic bytes")
    return Sniff(0.0, "it does not begin with SQLite's magic bytes")


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The rows of every table with columns of papers as records; a row that cannot be read is a reject.

    Author names that stand in tables of their own come with their paper, as the column `authors`.

    Raises:
        ReadError: `broken_sqlite`, or `not_a_paper_list` where no table has a column that tells papers.
    """
    try:
        with closing(Database(raw_file)) as database:
            schema = _schema(database, raw_file)
            for table in schema.papers:
                yield from _rows(database, raw_file, table, schema)
    except BROKEN as error:
        raise ReadError("broken_sqlite", f"expected an SQLite database: {error}") from error
    yield _rest(schema)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of papers: its name, its columns, and the fields that their values tell."""

    name: str
    columns: list[str]
    found: Mapping[str, str]


@dataclass(slots=True)
class _Schema:
    """The tables of a file: of papers, others with their columns, broken ones with what is wrong, those joined."""

    papers: list[_Table] = field(default_factory=list)
    others: dict[str, list[str]] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    joined: list[str] = field(default_factory=list)


def _schema(database: Database, raw_file: RawFile) -> _Schema:
    """The tables of a file.

    Raises:
        ReadError: `not_a_paper_list`, or `broken_sqlite` where a table that cannot be read may be one of papers.
    """
    schema = _Schema()
    for name in database.tables():
        try:
            columns = database.columns(name)
            if len(columns) > raw_file.limits.columns:
                raise ValueError(f"{len(columns)} columns: {more_than('columns', raw_file.limits.columns)}")
            found = _found(database, name, columns)
        except BROKEN as error:
            schema.broken[without_surrogates(name)] = without_surrogates(str(error))
            continue
        if found or has_paper_columns(columns):
            schema.papers.append(_Table(name, columns, found))
        else:
            schema.others[name] = columns
    if not schema.papers and schema.broken:
        raise ReadError("broken_sqlite", f"no table can be read: {'; '.join(schema.broken.values())[:500]}")
    if not schema.papers:
        found_tables = ", ".join(f"{name} ({', '.join(columns)[:200]})" for name, columns in schema.others.items()) or "none"
        expected = "expected a table with a column for titles, abstracts or identifiers"
        raise ReadError("not_a_paper_list", f"{expected}; found {found_tables[:500]}")
    return schema


def _found(database: Database, name: str, columns: Sequence[str]) -> dict[str, str]:
    """The fields that the values of columns tell."""
    ids = [column for column in columns if is_id_name(column)]
    if not ids:
        return {}
    rows = database.rows(f"select {', '.join(map(quoted, ids))} from {quoted(name)} limit {_SAMPLE_ROWS}")
    return openreview_columns(ids, rows)


def _rows(database: Database, raw_file: RawFile, table: _Table, schema: _Schema) -> Iterator[Batch]:
    """The rows of one table, and a reject where there are not as many as were counted."""
    builder, read_count, problem = BatchBuilder(Mapper(given=raw_file.columns, found=table.found)), 0, ""
    counted: int | None = None
    try:
        counted = database.count(table.name)
        names_of, position = _author_names(database, raw_file, table, schema)
        for row in database.row_by_row(table.name, table.columns):
            if read_count == counted:
                problem = "there are more"
                break
            read_count += 1
            locator, limit = f"{table.name} row {read_count}", raw_file.limits.entry_bytes
            if isinstance(row, str):
                builder.reject("broken_row", f"this row cannot be read: {row}", text="", locator=locator)
            elif (size := row_characters(row)) > limit:
                message = f"a row of {size} characters: {more_than('entry_bytes', limit)}"
                builder.reject("entry_too_long", message, text=str(row[0]), locator=locator)
            else:
                raw = dict(zip(table.columns, map(plain_value, row), strict=True))
                names = names_of.get(row[position], ())
                builder.record({**raw, JOINED_COLUMN: names} if names else raw, locator=locator)
            if builder.is_full:
                yield builder.take()
    except BROKEN as error:
        problem = str(error)
    if read_count == counted and not problem:
        yield builder.take(entries_counted=counted)
        return
    found = f"{counted} rows were counted" if counted is not None else "its rows cannot be counted"
    message = f"the table {table.name} gave {read_count} rows, but {found}{': ' if problem else ''}{problem}"
    builder.reject("unread_part", message, text="", locator=f"{table.name} row {read_count + 1}")
    yield builder.take(entries_counted=read_count + 1)


def _author_names(database: Database, raw_file: RawFile, table: _Table, schema: _Schema) -> tuple[dict[object, list[str]], int]:
    """The author names of each paper from tables of their own, by its id, and the place of the id among the columns.

    They are held in memory: in a file over `limits.document_bytes` they are not looked for.
    """
    tables = find_author_tables(table.name, table.columns, schema.others)
    if tables is None or raw_file.size_bytes > raw_file.limits.document_bytes:
        return {}, 0
    try:
        names_of = names_by_paper(tables, *map(database.rows, author_queries(tables)))
    except BROKEN as error:
        schema.broken.update(dict.fromkeys(tables.names, str(error)))
        return {}, 0
    schema.joined.extend(tables.names)
    return names_of, tables.key_position


def _rest(schema: _Schema) -> Batch:
    """What the file has beside its tables of papers."""
    builder = BatchBuilder(Mapper())
    for name, problem in schema.broken.items():
        builder.reject("unread_part", f"the table {name} cannot be read: {problem}", text="", locator=f"table {name}")
    notes = []
    if schema.joined:
        notes.append(f"author names are from {', '.join(dict.fromkeys(schema.joined))}")
    if unread := [name for name in schema.others if name not in (*schema.joined, *schema.broken)]:
        notes.append(f"not read, as no column tells papers: {', '.join(unread)}")
    form = ", ".join(f"{table.name}: {len(table.columns)} columns" for table in schema.papers)[:200]
    return builder.take(entries_counted=len(schema.broken), form=form, note="; ".join(notes)[:1000] or None)


READER = Reader(
    name="sqlite",
    meaning="SQLite: every table with recognisable columns",
    has_spans=False,
    example="(binary: begins with the text SQLite format 3)\n",
    sniff=sniff,
    read=read,
)
