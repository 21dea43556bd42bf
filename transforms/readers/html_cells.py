"""This module gives the rows of an HTML table as cells in columns: their text, and the addresses they link to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

_MAX_SPAN = 1_000
"""Columns or rows that one cell may span, as in browsers; of rows they allow more, but no list needs it."""
_CARRIED_CHARACTERS = 1_000
"""Longest text that a cell which spans rows gives to the rows below: 1,000 rows of it are 1 MB."""

_BLOCKS = frozenset(
    (
        "address", "article", "blockquote", "br", "center", "dd", "div", "dl", "dt", "fieldset", "form", "h1", "h2", "h3", "h4",
        "h5", "h6", "hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul",
    )
)  # fmt: skip
_KEPT = frozenset(("sub", "sup"))
_DROPPED = frozenset(("script", "style", "noscript", "template", "select", "button"))
_SPACE = re.compile(r"[ \t\r\n\f\v\xa0]+")
_LINE_END = re.compile(r" ?\n[ \n]*")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text, what its links lead to, whether it is a heading, and how many columns it spans."""

    text: str
    links: tuple[str, ...] = ()
    is_heading: bool = False
    columns: int = 1


Row = dict[int, Cell]
"""The cells of a row, by the place of the column they begin in."""


def rows_of_tables(page: etree._Element) -> dict[etree._Element, list[etree._Element]]:
    """The tables of a page in the order in which they begin, each with its rows, without those of the tables in it."""
    rows: dict[etree._Element, list[etree._Element]] = {table: [] for table in page.iter("table")}
    for row in page.iter("tr"):
        table = next(row.iterancestors("table"), None)
        if table is not None:
            rows[table].append(row)
    return rows


def table_rows(rows: Iterable[etree._Element], limit_characters: int, width: int) -> Iterator[Row]:
    """The cells of each row, their text up to a limit; a cell that spans rows stands in all of them, within the width."""
    below: dict[int, tuple[int, Cell]] = {}
    for element in rows:
        row: Row = {column: cell for column, (_, cell) in below.items()}
        below = {column: (left - 1, cell) for column, (left, cell) in below.items() if left > 1}
        column = 0
        for inner in element:
            if inner.tag not in ("td", "th"):
                continue
            while column in row:
                column += row[column].columns
            text = cell_text(inner, limit_characters)
            cell = Cell(text, links_in(inner), inner.tag == "th", _span(inner, "colspan"))
            row[column] = cell
            if column < width and (left := _span(inner, "rowspan")) > 1 and len(text) <= _CARRIED_CHARACTERS:
                below[column] = (left - 1, cell)
            column += cell.columns
        yield dict(sorted(row.items()))


def cell_text(element: etree._Element, limit_characters: int) -> str:
    """The text of an element: a line for each block in it, single spaces, `<sub>` and `<sup>` kept as tags.

    Of a longer text than the limit there is a little more than that.
    """
    parts: list[str] = []
    size = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if size > limit_characters:
            break
        name = inner.tag
        text = inner.text if event == "start" else inner.tail if inner is not element else None
        if name in _BLOCKS:
            parts.append("\n")
        elif name in ("td", "th"):
            parts.append(" ")
        elif name in _KEPT:
            parts.append(f"<{name}>" if event == "start" else f"</{name}>")
        if event == "start" and name in _DROPPED:
            walk.skip_subtree()
        elif text:
            parts.append(_SPACE.sub(" ", text))
            size += len(parts[-1])
    return _LINE_END.sub("\n", re.sub(" +", " ", "".join(parts))).strip()


def links_in(element: etree._Element) -> tuple[str, ...]:
    """The addresses that the links in an element lead to, each once; what only runs a script or stays on the page is none."""
    links = ((link.get("href") or "").strip() for link in element.iter("a"))
    return tuple(dict.fromkeys(link for link in links if link and not link.startswith(("#", "javascript:", "mailto:"))))


def _span(cell: etree._Element, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return max(1, min(int(value), _MAX_SPAN)) if re.fullmatch(r"[0-9]{1,9}", value) else 1
