"""This module reads Markdown pages with tables of papers: each row a record, the page around them furniture.

    ## ICLR 2024

    | Title                                | Authors          | Decision |
    |--------------------------------------|------------------|----------|
    | [Sorting Pebbles](https://a.org/1)   | Ann Lee, Bo Li   | Oral     |

A heading gives its venue and year to the tables below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, Sample, Sniff, texts_json
from transforms.readers.columns import PAPER_FIELDS, unique_names
from transforms.readers.decoding import LINE
from transforms.readers.headings import heading_context, says_papers
from transforms.readers.mapping import Mapper
from transforms.readers.markdown_cells import is_rule, read_cell, read_title, split_row
from transforms.readers.streaming import TextLine, text_encoding, text_lines

_TITLE_NAMES = dict.fromkeys(
    ("Paper", "paper", "PAPER", "Papers", "Paper Title & Link", "Title & Authors", "论文", "论文名称"), "title_raw"
)
"""Columns that hold the title where a page lists papers, though elsewhere the name says nothing of what it holds."""

_LINK_WORD = re.compile(
    r"\W*(?:paper|pdf|link|url|arxiv|openreview|here|abs|html|page|project|code|github|site|web)s?\W*\Z", re.I
)
"""A cell that is a word for its link; no title."""

_ADDRESS_FIELDS = frozenset({"url_raw", "urls_raw", "pdf_url_raw", "link_urls_raw"})
_IDENTIFIER_FIELDS = frozenset({"doi_raw", "arxiv_id_raw", "openreview_id_raw", "pmid_raw", "acl_id_raw"})
_SPACE = " \t\r\n"
_VENUE_WORDS = 3
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]")


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample is a page with a table of papers: the more, the more of its lines are rows of such."""
    if sample.text is None or "|" not in sample.text:
        return Sniff(0.0, "no table of Markdown")
    filled = rows = heads = 0
    for part in _parts(_sample_lines(sample.text), MarkdownMapper({}), 10_000):
        filled += bool(part.line.text.strip(_SPACE))
        rows += part.kind == "row"
        heads += part.kind in ("table_head", "table_rule")
    reason = f"{rows} of {filled} lines are rows of tables of papers"
    if not rows:
        return Sniff(0.1 if heads else 0.0, f"0 of {heads // 2} tables of Markdown are of papers")
    return Sniff(0.7 + 0.28 * (rows + heads) / filled, reason)


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The rows of tables of papers as records, in bounded memory; a row with more cells than its head has is a reject.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text.
    """
    encoding = text_encoding(raw_file.path)
    mapper = MarkdownMapper(raw_file.columns)
    builder = BatchBuilder(mapper)
    builder.byte_order_mark(encoding.mark_bytes)
    page = _Page(builder)
    for part in _parts(text_lines(raw_file, encoding), mapper, raw_file.limits.columns):
        if part.kind == "row" and part.line.is_cut:
            message = part.line.too_long(raw_file.limits)
            locator = f"line {part.number}"
            builder.reject("entry_too_long", message, text=part.line.text, locator=locator, span=part.line.span)
        else:
            page.add(part)
        if builder.is_full:
            yield builder.take()
    yield builder.take(form="tables", encoding=encoding.name)


class MarkdownMapper(Mapper):
    """Maps the rows of tables: of a link its text, in columns of addresses its target; a title's link is the address."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given=given, found=_TITLE_NAMES)

    def fields(self, raw: Mapping[str, object]) -> dict[str, object]:
        """The fields that a row fills; the row is counted.

        >>> MarkdownMapper({}).fields({"Title": "[Pebbles](https://a.org/1)", "Authors": "Ann Lee", "PDF": "[pdf](https://a.org/1.pdf)"})
        {'title_raw': 'Pebbles', 'authors_raw': 'Ann Lee', 'pdf_url_raw': 'https://a.org/1.pdf', 'url_raw': 'https://a.org/1'}
        """
        prepared: dict[str, object] = dict(raw)
        spare: list[str] = []
        authors = ""
        for name, column_field in self.mapped(tuple(raw)).paths.items():
            if name not in raw:
                continue  # a path that joins columns
            cell = read_cell(str(raw.get(name) or ""))
            prepared[name] = cell.text
            if column_field in _ADDRESS_FIELDS and cell.targets:
                prepared[name] = list(cell.targets) if column_field.endswith("urls_raw") else cell.targets[0]
            elif column_field in _IDENTIFIER_FIELDS and cell.targets:
                prepared[name] = cell.targets[0]
            elif column_field == "title_raw":
                title, below = read_title(str(raw.get(name) or ""))
                spare += title.targets
                prepared[name] = None if title.targets and _LINK_WORD.match(title.text) else title.text
                authors = below if "author" in name.lower() else authors
        fields = super().fields(prepared)
        if authors:
            fields.setdefault("authors_raw", authors)
        for target in spare:
            _add_address(fields, target)
        return fields

    def is_of_papers(self, names: tuple[str, ...], first_row: list[str]) -> bool:
        """Whether a table with these columns lists papers: titles and something else of them, or titles that are links."""
        paths = self.mapped(names).paths
        fields = set(paths.values())
        if fields.isdisjoint(PAPER_FIELDS):
            return False
        titles = [cell for name, cell in zip(names, first_row, strict=False) if paths.get(name) == "title_raw"]
        return len(fields) > 1 or any(read_cell(cell).targets for cell in titles)


@dataclass(slots=True)
class _Table:
    names: tuple[str, ...]
    is_of_papers: bool | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """A line of the page, and what it is; of a row the table it stands in and its cells."""

    kind: str
    line: TextLine
    number: int
    table: _Table | None = None
    cells: list[str] = field(default_factory=list)


def _parts(lines: Iterable[TextLine], mapper: MarkdownMapper, max_columns: int) -> Iterator[_Part]:
    """The lines of a page with what each is."""
    table: _Table | None = None
    waiting: _Part | None = None
    fence = ""
    for number, line in enumerate(lines, 1):
        text = line.text
        if waiting is not None:
            table = None if fence else _table(waiting.line, line, max_columns)
            yield waiting if table is None else _Part("table_head", waiting.line, waiting.number)
            waiting = None
            if table is not None:
                yield _Part("table_rule", line, number)
                continue
        if table is not None and "|" in text:
            cells = split_row(text, len(table.names)) if text.count("|") <= max_columns else []
            if table.is_of_papers is None:
                table.is_of_papers = mapper.is_of_papers(table.names, cells)
            yield _Part("row" if table.is_of_papers else "other_table", line, number, table, cells)
            continue
        table = None
        mark = _FENCE.match(text)
        if fence:
            yield _Part("code", line, number)
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
            yield _Part("code", line, number)
        elif "|" in text and not line.is_cut:
            waiting = _Part("text", line, number)
        else:
            yield _Part(_kind(text), line, number)
    if waiting is not None:
        yield waiting


def _kind(text: str) -> str:
    if not text.strip(_SPACE):
        return "separator"
    return "heading" if _HEADING.match(text) else "text"


def _table(head: TextLine, rule: TextLine, max_columns: int) -> _Table | None:
    """The table that a line is the head of, if the next one is a rule with as many cells."""
    if rule.is_cut or not is_rule(rule.text) or max(head.text.count("|"), rule.text.count("|")) > max_columns:
        return None
    names = split_row(head.text)
    if len(names) != len(split_row(rule.text)):
        return None
    return _Table(tuple(unique_names([read_cell(name).text.strip("*_` ") for name in names])))


class _Page:
    """Adds the parts of a page; lines of one kind that follow each other are one piece of furniture."""

    def __init__(self, builder: BatchBuilder) -> None:
        self._builder = builder
        self._contexts: dict[int, dict[str, object]] = {}

    def add(self, part: _Part) -> None:
        """Adds a part."""
        line, locator = part.line, f"line {part.number}"
        if part.kind != "row" or part.table is None:
            if part.kind == "heading":
                self._enter(line.text)
            self._builder.furniture(part.kind, line.text, line.span)
            return
        names, found = part.table.names, len(part.cells) or line.text.count("|")
        if found > len(names):
            message = f"expected {len(names)} cells as in the table's head, found {found}; mask a pipe within a cell as \\|"
            self._builder.reject("ragged_row", message, text=line.text, locator=locator, span=line.span)
        elif not any(part.cells):
            self._builder.furniture("empty_row", line.text, line.span)
        else:
            context = {name: value for level in sorted(self._contexts) for name, value in self._contexts[level].items()}
            raw = dict(zip(names, part.cells, strict=False))
            self._builder.record(raw, locator=locator, span=line.span, context=context, raw_text=texts_json(raw))

    def _enter(self, text: str) -> None:
        """Enters the section of a heading: what it says holds to the next one of its level or above."""
        if found := _HEADING.match(text):
            level = len(found[1])
            self._contexts = {above: context for above, context in self._contexts.items() if above < level}
            self._contexts[level] = _section_context(read_cell(text[found.end() :].strip("# \t\r\n")).text)


def _section_context(heading: str) -> dict[str, object]:
    """The venue and year that a heading gives: one that says that papers follow, or that is hardly more than a venue's name.

    "Crawl and Visualize ICLR 2022 Data" names a venue, but is the name of a program.
    """
    context = heading_context(heading) or {}
    return context if says_papers(heading) or len(str(context.get("venue_raw", "")).split()) <= _VENUE_WORDS else {}


def _add_address(fields: dict[str, object], target: str) -> None:
    """Adds the address that a title leads to, where none is given in a column of its own."""
    is_pdf = target.lower().partition("?")[0].endswith(".pdf") or "/pdf/" in target
    name = "pdf_url_raw" if is_pdf else "url_raw"
    if name not in fields:
        fields[name] = target
        return
    known = fields.setdefault("urls_raw", [])
    assert isinstance(known, list), "a list field"
    known.append(target)


def _sample_lines(text: str) -> Iterator[TextLine]:
    return (TextLine(line[0], line.span()) for line in LINE.finditer(text))


READER = Reader(
    name="markdown_tables",
    meaning="a Markdown page with tables of papers",
    has_spans=True,
    example="""\
# Papers of the Pebble Conference 2024

| Title | Authors | Decision |
|:------|:--------|:---------|
| [Sorting Pebbles by Sound](https://example.org/1) | Ann Lee, Bo Li | Oral |
| [Tides, Locks and Ferries](https://example.org/2) | Cy Dow | Poster |
""",
    sniff=sniff,
    read=read,
)
