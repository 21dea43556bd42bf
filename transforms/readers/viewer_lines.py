"""This module reads the rows of a dataset-viewer page that has one token a line.

Nothing but line breaks parts the cells, so where a cell holds one, the page's figures and what clear rows show must tell
its place. What is clear is first sought by the kinds of the lines: addresses, numbers, dates, lists. So figures that lie
are known for it before they choose anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from transforms.readers.viewer_evidence import (
    Evidence,
    fits,
    is_address,
    is_null,
    learn,
    number_of,
)
from transforms.readers.viewer_head import Head
from transforms.readers.viewer_pieces import Piece, Token, cell_text, line_costs
from transforms.readers.viewer_readings import Lattice, TooManyReadings

MAX_PAGE_TOKENS = 20_000
"""Longest page with one token a line that is searched: a hundred rows of a hundred columns, and as many line breaks."""

MAX_LINE_LOOKS = 400_000
"""Cells looked at in one pass over a page: about 5 µs each. The seed's page with one token a line needs 40,000."""

_MIN_ANCHORS = 3
"""Rows alike in the kinds of their lines, from which these are taken for the page's own rows."""

_MIN_LYING_RATIO = 0.8
"""Share of rows of one line a cell that break the page's figures, from which, where each line is a cell of such a row, the
figures are held to lie. In pages with line breaks in their cells about half of such windows do."""

_LINE = re.compile(r"\r?\n|(?<=[^\n])\Z")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T].*)?")
_KINDS_OF_FAMILY = {"bool": "bool", "integer": "number", "number": "number", "date": "date", "items": "list"}


def read_lines(text: str, head: Head, start: int, end: int) -> list[Piece]:
    """The pieces of the page's body: what the first pass finds for sure teaches the second."""
    ends = islice(_LINE.finditer(text, start, end), MAX_PAGE_TOKENS + 1)
    tokens = [Token(m.start(), m.end(), m.end(), m.end(), True, True, True) for m in ends]
    if not text[start:end].strip() or not tokens:
        return [Piece("blank", start, end)]
    if len(tokens) > MAX_PAGE_TOKENS:
        return [Piece("too_many", start, end)]
    cells = [
        cell_text(text, cell)
        for cell in zip([start, *(token.end for token in tokens)], [t.start for t in tokens], strict=False)
    ]
    anchors = _anchors(head, cells)
    pieces = _searched(text, (start, end), tokens, head, anchors)
    if not anchors and not _is_read(text, head, pieces):
        lied_about = _lied_about(head, cells)
        pieces = _searched(text, (start, end), tokens, head, lied_about) if lied_about else pieces
    return pieces


def _searched(
    text: str, body: tuple[int, int], tokens: Sequence[Token], head: Head, clear: Sequence[Sequence[str]]
) -> list[Piece]:
    """The pieces by the evidence of rows that are clear; then again by that of the rows found so, where any is in doubt."""
    start, end = body
    # What stands between rows alike is a row though it break a figure: then that figure lies.
    evidence = stated = learn(head.columns, clear, max_lie_ratio=0.0)
    pieces: list[Piece] = []
    for _ in range(2):
        lattice = Lattice(text, tokens, (start, start, end), evidence, line_costs(len(head.columns)))
        try:
            pieces = lattice.pieces(is_last=True, budget=MAX_LINE_LOOKS)
        except TooManyReadings:
            return pieces or [Piece("too_many", start, end)]
        rows = _rows(text, pieces)
        evidence = tuple(
            replace(taught, is_trusted=taught.is_trusted and known.is_trusted)
            for taught, known in zip(learn(head.columns, rows), stated, strict=True)
        )
        is_whole = all(piece.kind in ("row", "blank") for piece in pieces)
        if is_whole and all(fits(evidence, row) for row in rows):
            break
    return pieces


def _is_read(text: str, head: Head, pieces: Sequence[Piece]) -> bool:
    """Whether rows that the page's figures allow make up half of its body."""
    stated = [Evidence(column) for column in head.columns]
    whole = sum(map(len, (cell for row in _rows(text, pieces) if fits(stated, row) for cell in row)))
    return 2 * whole >= pieces[-1].end - pieces[0].start


def _rows(text: str, pieces: Sequence[Piece]) -> list[list[str]]:
    return [[cell_text(text, cell) for cell in piece.cells] for piece in pieces if piece.kind == "row"]


def _anchors(head: Head, cells: Sequence[str]) -> list[Sequence[str]]:
    """Rows of one line a cell, alike in kinds other than text, that stand between rows like them or the page's ends."""
    count = len(head.columns)
    wanted = [_KINDS_OF_FAMILY.get(column.family) for column in head.columns]
    kinds = [_kind(cell) for cell in cells]
    shapes: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(cells) - count + 1):
        shape = tuple(
            kind if kind in ("address", want) else "text"
            for kind, want in zip(kinds[place : place + count], wanted, strict=True)
        )
        is_like = all(
            want is None or kind == want or is_null(cell)
            for kind, want, cell in zip(shape, wanted, cells[place : place + count], strict=True)
        )
        places = shapes.setdefault(shape, []) if is_like and any(kind != "text" for kind in shape) else None
        if places is not None and (not places or place >= places[-1] + count):
            places.append(place)
    found = [(places, _between_alike(cells, places, count)) for places in shapes.values()]
    stated = [Evidence(column) for column in head.columns]

    def likelihood(candidate: tuple[list[int], list[Sequence[str]]]) -> tuple[float, int, int]:
        # Rows may be taken to begin at a later cell too; but such rows break the figures, or leave lines over at an end.
        places, rows = candidate
        fitting = sum(fits(stated, row) for row in rows)
        return round(fitting / len(rows), 1), (places[0] == 0) + (places[-1] + count == len(cells)), len(rows)

    return max((candidate for candidate in found if len(candidate[1]) >= _MIN_ANCHORS), key=likelihood, default=([], []))[1]


def _between_alike(cells: Sequence[str], places: Sequence[int], count: int) -> list[Sequence[str]]:
    """The rows at `places` that follow another one or begin the page, and are followed by another one or end it."""
    begins = {*places, len(cells)}
    ends = {0, *(place + count for place in places)}
    return [cells[place : place + count] for place in places if place in ends and place + count in begins]


def _lied_about(head: Head, cells: Sequence[str]) -> list[Sequence[str]]:
    """The rows of one line a cell, where there are no other lines and the page's figures are wrong for nearly all of them."""
    count = len(head.columns)
    if len(cells) % count:
        return []
    rows = [cells[place : place + count] for place in range(0, len(cells), count)]
    stated = [Evidence(column) for column in head.columns]
    breaks = Counter(place for row in rows for place, cell in enumerate(row) if stated[place].breaks_figures(cell))
    return rows if breaks and max(breaks.values()) >= _MIN_LYING_RATIO * len(rows) else []


def _kind(cell: str) -> str:
    """The kind of a line by its form alone."""
    if is_address(cell):
        return "address"
    if cell in ("true", "false"):
        return "bool"
    if _DATE.fullmatch(cell):
        return "date"
    if number_of(cell) is not None:
        return "number"
    return "list" if cell.startswith("[") else "text"
