"""This module reads papers from pages of HTML: the rows of tables with a header, and the lists of `html_lists`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import column_map, has_paper_columns, unique_names
from transforms.readers.decoding import decode
from transforms.readers.field_values import without_surrogates
from transforms.readers.html_attributes import with_few_attributes
from transforms.readers.html_cells import Row, cell_text, rows_of_tables, table_rows
from transforms.readers.html_count import row_counts
from transforms.readers.html_lists import find_list, list_records
from transforms.readers.limits import more_than
from transforms.readers.mapping import Mapper

_PAGE = re.compile(r"(?:<\?xml[^>]{0,200}>|<!--[^>]{0,2000}>|\s)*+<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_BARE_TABLE = re.compile(r"(?:<!--[^>]{0,2000}>|\s)*+<table\b", re.IGNORECASE)
_LIST_SIGNS = re.compile(r"<table\b|ptitle|class=.paper\b|paper title", re.IGNORECASE)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{1,200})", re.IGNORECASE)
_HEADER_ROWS = 5
"""In how many of its rows a table's header is looked for; before it there may be a caption or the names of groups."""
_HEADER_CHARACTERS = 1_000
"""How much of a cell is looked at to see whether it is the name of a column."""
_HEADER_COLUMNS = 100
_ADDRESS_FIELDS = ("url_raw", "urls_raw", "pdf_url_raw", "link_urls_raw", "doi_raw", "arxiv_id_raw", "openreview_id_raw")


def sniff(sample: Sample) -> Sniff:
    """Whether the sample begins as a page of HTML; whether its tables are of papers, only `read` sees."""
    text = (sample.text or "").lstrip("\ufeff \t\r\n")
    if _PAGE.match(text):
        if sample.is_whole and not _LIST_SIGNS.search(text):
            title = _TITLE.search(text)
            named = f"titled {' '.join(title[1].split())!r} " if title else ""
            return Sniff(0.2, f"a page of HTML {named}without a table")
        return Sniff(0.7, "a page of HTML")
    if _BARE_TABLE.match(text) and (page := _parsed(text)) is not None and _paper_tables(page):
        return Sniff(0.7, "a table in HTML with a column for titles, abstracts or identifiers")
    return Sniff(0.0, "it does not begin as a page of HTML")


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The rows of each table of papers, or the entries of a list that is known, as records; counted by their tags.

    Raises:
        ReadError: `not_a_paper_list`, with what the page's title says; `binary`, `bad_encoding` or `document_too_large`.
    """
    decoded = decode(raw_file.whole_bytes())
    page = _parsed(decoded.text)
    if page is None:
        raise ReadError("not_a_paper_list", "expected a page of HTML with a table of papers, found one without a sound element")
    if found := find_list(page):
        dialect, entries = found
        builder = BatchBuilder(Mapper(dialect.fields, raw_file.columns))
        for number, raw in enumerate(list_records(dialect, entries, raw_file.limits.entry_bytes), 1):
            builder.record(raw, locator=f"entry {number}")
            if builder.is_full:
                yield builder.take()
        counted = sum(1 for _ in dialect.counts.finditer(_without_comments(decoded.text)))
        lost = _reject_lost(builder, counted - len(entries), "the list")
        yield builder.take(entries_counted=len(entries) + lost, form=dialect.name, encoding=decoded.encoding)
        return
    tables = _paper_tables(page)
    if not tables:
        raise ReadError("not_a_paper_list", _refusal(page))
    counts = row_counts(decoded.text)
    for table in tables:
        counted = counts[table.number - 1] if table.number <= len(counts) else 0
        yield from table.read(raw_file, counted)
    builder = BatchBuilder()
    yield builder.take(
        entries_counted=0, form="table" if len(tables) == 1 else f"{len(tables)} tables", encoding=decoded.encoding
    )


class _Table:
    """One table of papers: its rows, which of them is the header, and the names there."""

    def __init__(self, number: int, rows: list[etree._Element], header_place: int, header: Row) -> None:
        self.number, self._rows, self._header_place, self._header = number, rows, header_place, header
        width = max(column + cell.columns for column, cell in header.items())
        labels = [""] * width
        for column, cell in header.items():
            labels[column : column + cell.columns] = [cell.text.replace("\n", " ")] * cell.columns
        self._names = unique_names(labels)

    def read(self, raw_file: RawFile, counted: int) -> Iterator[Batch]:
        """Its rows as records, and a reject where the tags tell of more rows than there are."""
        builder = BatchBuilder(Mapper(self._fields(), raw_file.columns))
        entry_count = 0
        for place, row in enumerate(table_rows(self._rows, raw_file.limits.entry_bytes, len(self._names))):
            if place <= self._header_place or self._is_heading(row):
                continue
            entry_count += 1
            locator = f"table {self.number} row {place + 1}"
            raw = self._raw(row)
            size = sum(len(cell.text) for cell in row.values())
            if size > raw_file.limits.entry_bytes:
                message = f"a row of {size} characters: {more_than('entry_bytes', raw_file.limits.entry_bytes)}"
                builder.reject("entry_too_long", message, text=next(iter(row.values())).text, locator=locator)
            elif len(raw) > raw_file.limits.columns:
                message = f"a row of {len(raw)} columns: {more_than('columns', raw_file.limits.columns)}"
                builder.reject("too_many_columns", message, text="", locator=locator)
            else:
                builder.record(raw, locator=locator)
            if builder.is_full:
                yield builder.take()
        entry_count += _reject_lost(builder, counted - len(self._rows), f"table {self.number}")
        yield builder.take(entries_counted=entry_count)

    def _fields(self) -> dict[str, str]:
        """The field of each column; where a column is of addresses, what its cells link to comes before their text."""
        fields: dict[str, str] = {}
        known = column_map(self._names)
        for name, field in known.items():
            if field in _ADDRESS_FIELDS:
                fields[f"{name}_href"] = field
            fields[name] = field
        title = next((name for name, field in known.items() if field == "title_raw"), None)
        if title is not None and "url_raw" not in known.values():
            fields[f"{title}_href"] = "url_raw"
        return fields

    def _is_heading(self, row: Row) -> bool:
        """Whether a row is none of papers: empty, one cell across the table, or the header once more."""
        filled = {column: cell for column, cell in row.items() if cell.text or cell.links}
        if not filled:
            return True
        if len(row) == 1 and len(self._names) > 1:
            (cell,) = row.values()
            return cell.columns > 1 or cell.is_heading
        return [cell.text for cell in row.values()] == [cell.text for cell in self._header.values()]

    def _raw(self, row: Row) -> dict[str, object]:
        raw: dict[str, object] = {}
        for column, cell in row.items():
            name = self._names[column] if column < len(self._names) else f"column_{column + 1}"
            raw[name] = cell.text
            if cell.links:
                raw[f"{name}_href"] = cell.links[0] if len(cell.links) == 1 else list(cell.links)
        return raw


def _paper_tables(page: etree._Element) -> list[_Table]:
    """The tables whose header names a column for titles, abstracts or identifiers, and that have a row below it."""
    tables: list[_Table] = []
    taken: set[etree._Element] = set()
    for number, (table, rows) in enumerate(rows_of_tables(page).items(), 1):
        if taken and any(outer in taken for outer in table.iterancestors("table")):
            continue  # a part of the text of a cell
        head = list(table_rows(rows[: _HEADER_ROWS + 1], _HEADER_CHARACTERS, _HEADER_COLUMNS))
        for place, row in enumerate(head[:_HEADER_ROWS]):
            labels = [cell.text for cell in row.values()]
            if len(labels) > 1 and len(rows) > place + 1 and has_paper_columns(labels):
                if not _is_upright(head[place:]):
                    tables.append(_Table(number, rows, place, row))
                    taken.add(table)
                break
    return tables


def _is_upright(rows: list[Row]) -> bool:
    """Whether a table has the names in its first column, and so tells of one paper: at least two of them are known."""
    firsts = [next(iter(row.values())).text for row in rows if row]
    others = [cell.text for cell in list(rows[0].values())[1:]]
    return len(column_map(firsts)) > 1 and not column_map(others)


def _parsed(text: str) -> etree._Element | None:
    """The first element of a page, None where it has none; the parser is told the encoding, whatever the page says itself."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    few = with_few_attributes(text)
    try:
        page = None if few is None else etree.fromstring(without_surrogates(few).encode(), parser)
    except etree.ParserError:
        return None
    return page if page is not None else None


def _reject_lost(builder: BatchBuilder, lost_count: int, place: str) -> int:
    """Adds a reject where the tags tell of more entries than were found; gives how many entries it stands for: 1 or 0."""
    if lost_count <= 0:
        return 0
    message = f"{place} has {lost_count} more entries by its tags than the parser found: the page is broken there"
    builder.reject("broken_html", message, text="", locator=place)
    return 1


def _refusal(page: etree._Element) -> str:
    title = next((text for element in page.iter("title") if (text := cell_text(element, _HEADER_CHARACTERS))), "")
    named = f"a page titled {title[:200]!r}" if title else "a page without a title"
    tables = list(rows_of_tables(page).values())
    firsts = [row for rows in tables[:3] for row in table_rows(rows[:1], _HEADER_CHARACTERS, 0)]
    headers = ["; ".join(cell.text for cell in row.values())[:80] for row in firsts]
    shown = f"; its tables begin with {', '.join(map(repr, headers))}" if headers else ""
    return (
        f"expected a table with a column for titles, abstracts or identifiers and rows in it (not filled in by a script), "
        f"found {named} with {len(tables)} tables{shown}"
    )


def _without_comments(text: str) -> str:
    head, *rest = text.split("<!--")
    return head + "".join(piece.partition("-->")[2] for piece in rest)


READER = Reader(
    name="html_tables",
    meaning="HTML: tables with a header that names columns of papers; lists of CVF, PMLR and NeurIPS",
    has_spans=False,
    example="""\
<html><head><title>Accepted papers</title></head><body><table>
<tr><th>Title</th><th>Authors</th></tr>
<tr><td><a href="https://pebbles.example/1">Sorting Pebbles by Sound</a></td><td>Ann Lee, Bo Li</td></tr>
<tr><td><a href="https://pebbles.example/2">Tides, Locks and Ferries</a></td><td>Cy Dow</td></tr>
</table></body></html>
""",
    sniff=sniff,
    read=read,
)
