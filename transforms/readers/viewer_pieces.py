"""This module is what the readings of a dataset-viewer page are made of: tokens, pieces, and the costs they are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from transforms.readers.viewer_evidence import STRONG


class Token(NamedTuple):
    """A place where a cell may end: characters `start` to `end`, the next line's end of it included.

    The next cell begins at `after` where a row ends here (past the next one's leading pipe), at `inner` where none does.
    """

    start: int
    end: int
    after: int
    inner: int
    may_part: bool
    may_end: bool
    is_line: bool


@dataclass(frozen=True, slots=True)
class Costs:
    """What is held against a reading, in whole points, so that equal readings compare as equal.

    `part` is for a separator that would stand within a cell, `end` more for a row end there, `line` for a line break;
    `point` for each point of evidence against a cell, `cut_base` and `cut` for lines taken out as a cut row.
    """

    part: int
    end: int
    line: int
    point: int
    cut_base: int
    cut: int

    def against(self, points: int) -> int:
        """The cost of evidence: a strong point costs `point`, a weak one 1."""
        strong, weak = divmod(points, STRONG)
        return strong * self.point + weak


TABLE_COSTS = Costs(part=6, end=3, line=0, point=7, cut_base=6, cut=3)
"""In a table a row whose pipes are as many as its columns stands, though one of its cells breaks a figure: to read two such
rows as one saves a point, 7, and puts n separators and a row end into a cell, 6n + 3, for n columns. Where more cells of it
do, and a row next to it is open, the figures choose.

A cut row of one or two separators costs as much as these within a cell, so that such a stretch is ambiguous unless its
cells speak; of three or more it costs less. A row end where a row goes on, its next cell beginning with a line break, costs
as much as two within a cell: a title of two columns in three such pieces is ambiguous, with more columns it is one title."""


def line_costs(column_count: int) -> Costs:
    """The costs for the form with one token a line, where line breaks within cells are common and figures must decide.

    A lost row of n columns puts n line breaks into a cell, 5n: as much as one cell that breaks a figure, which is then
    ambiguous. Of two such cells the figures choose.
    """
    point = 5 * column_count
    return Costs(part=5, end=0, line=5, point=point, cut_base=2 * point, cut=5)


class Piece(NamedTuple):
    """A part of a stretch: `kind` is row, blank, cut or ambiguous; `cells` of a row; of an ambiguous one its readings."""

    kind: str
    start: int
    end: int
    cells: tuple[tuple[int, int], ...] = ()
    readings: tuple[tuple[tuple[tuple[int, int], ...], ...], ...] = ()


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with neighbouring blank ones as one and empty ones left out."""
    kept: list[Piece] = []
    for piece in pieces:
        if piece.kind == "blank" and kept and kept[-1].kind == "blank":
            kept[-1] = kept[-1]._replace(end=piece.end)
        elif piece.end > piece.start:
            kept.append(piece)
    assert all(left.end == right.start for left, right in pairwise(kept))
    return kept


def cell_text(text: str, cell: tuple[int, int]) -> str:
    """The cell as given, without the spaces that pad it."""
    return text[cell[0] : cell[1]].strip(" ")
