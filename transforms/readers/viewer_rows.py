"""This module reads the rows below a dataset-viewer page's head: a table's, or those with one token a line.

In a table, lines that end in a row end and hold just as many separators as there are columns are plain rows and need no
search. Where one does not, it is searched together with its neighbours for the reading the evidence says least against.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from transforms.readers.viewer_evidence import Evidence, fits, learn
from transforms.readers.viewer_head import Head
from transforms.readers.viewer_lines import read_lines
from transforms.readers.viewer_pieces import TABLE_COSTS, Piece, Token, cell_text, joined
from transforms.readers.viewer_readings import Lattice, TooManyReadings

MAX_STRETCH_TOKENS = 1_500
"""Longest stretch of a table that is searched: a hundred rows of fifteen columns without one plain row among them."""

MAX_LOOKS = 400_000
"""Cells looked at for one page before its readings are too many: about 5 µs each, so 2 s, and twice that with one token a
line. The seed's table needs 5,000; the same page with one token a line 40,000 in each of two passes."""

_ENOUGH_CLEAR_ROWS = 2_000
_PIPE_OR_LINE = re.compile(r"(?<!\S)\|(?:[ \t]*+(?P<end>\r?\n|\Z)|(?!\S))|(?P<line>\r?\n)")
_LINE = re.compile(r"\r?\n|(?<=[^\n])\Z")
_BLANK_LINES = re.compile(r"(?:[ \t]*+(?:\r?\n|\Z))++")
_NEIGHBOURS = 20
_ROW_END = re.compile(r"(?<!\S)\|[ \t]*+(?:\r?\n|\Z)")
_LEAD = re.compile(r"[ \t]*\|(?!\S)")


class _Block(NamedTuple):
    """The tokens from one possible row end to the next: `kind` is plain (a row), blank, or open (to be searched)."""

    kind: str
    start: int
    after: int
    end: int
    tokens: list[Token]


def read_rows(text: str, head: Head, start: int, end: int) -> list[Piece]:
    """The pieces of the page's body, characters `start` to `end`, in order: rows, blank, cut, ambiguous, too_many."""
    if head.form == "table":
        return joined(_read_table(text, head, start, end))
    return joined(read_lines(text, head, start, end))


def is_row_end(text: str, head: Head, position: int, end: int) -> bool | None:
    """Whether rows can end right before `position`, a line's start; None where only what follows can tell."""
    if head.form != "table" or not head.has_trail:
        return None
    before = text[max(head.end, position - 200) : position].rstrip()
    return not before or before.endswith("|") or not _ROW_END.search(text, position, end)


def _read_table(text: str, head: Head, start: int, end: int) -> list[Piece]:
    blocks = _blocks(text, head, start, end)
    clear = _clear_rows(blocks)[:_ENOUGH_CLEAR_ROWS]
    evidence = learn(head.columns, _texts(text, clear))
    pieces: list[Piece] = []
    looks = MAX_LOOKS
    for run in _runs(text, blocks, evidence):
        if len(run) == 1 and run[0].kind != "open":
            pieces += _unsearched(run)
            continue
        tokens = [token for block in run for token in (block.tokens or _line_tokens(text, head, block))]
        lattice = Lattice(text, tokens, (run[0].start, run[0].after, run[-1].end), evidence, TABLE_COSTS)
        if len(tokens) > MAX_STRETCH_TOKENS or looks < 0:
            pieces += _unsearched(run)
            continue
        try:
            pieces += lattice.pieces(is_last=run[-1] is blocks[-1], budget=looks)
        except TooManyReadings:
            pieces += _unsearched(run)
        looks -= lattice.spent
    return pieces


def _texts(text: str, rows: Sequence[Piece]) -> list[list[str]]:
    return [[cell_text(text, cell) for cell in row.cells] for row in rows]


def _blocks(text: str, head: Head, start: int, end: int) -> list[_Block]:
    """The body in blocks; what follows the last row end is an open one."""
    blocks: list[_Block] = []
    position = start
    while position < end:
        if blank := _BLANK_LINES.match(text, position, end):
            blocks.append(_Block("blank", position, position, blank.end(), []))
            position = blank.end()
            continue
        block = _block(text, head, position, end)
        blocks.append(block)
        position = block.end
    return blocks


def _block(text: str, head: Head, start: int, end: int) -> _Block:
    """The block that starts at `start`, up to the next possible row end."""
    tokens: list[Token] = []
    wanted = len(head.columns) - (not head.has_trail)
    after = position = _after_lead(text, head, start, end)
    while match := _PIPE_OR_LINE.search(text, position, end):
        token = _token(text, head, match, end)
        tokens.append(token)
        if token.may_end:
            kind = "plain" if sum(token.may_part for token in tokens) == wanted else "open"
            return _Block(kind, start, after, token.end, tokens)
        position = token.after
    return _Block("open", start, after, end, tokens)


def _clear_rows(blocks: list[_Block]) -> list[Piece]:
    """The plain rows that no open block stands next to; all plain rows where there is none of these."""
    filled = [block for block in blocks if block.kind != "blank"]
    kinds = ["plain", *(block.kind for block in filled), "plain"]
    sides = zip(kinds, kinds[2:], strict=False)
    plain = [(block, "open" not in side) for block, side in zip(filled, sides, strict=True) if block.kind == "plain"]
    return [_row(block) for block, is_clear in plain if is_clear] or [_row(block) for block, _ in plain]


def _line_tokens(text: str, head: Head, block: _Block) -> list[Token]:
    """The line ends of a blank block; none of an unfinished last row without any token."""
    if block.kind != "blank":
        return []
    lines = [match.span() for match in _LINE.finditer(text, block.start, block.end)]
    return [Token(start, end, _after_lead(text, head, end, block.end), end, False, False, True) for start, end in lines]


def _token(text: str, head: Head, match: re.Match[str], end: int) -> Token:
    start, after_pipe = match.start(), match.start() + 1
    if match["line"] is not None:
        after = _after_lead(text, head, match.end(), end)
        return Token(start, match.end(), after, match.end(), False, not head.has_trail, True)
    if match["end"] is not None and head.has_trail:
        return Token(start, match.end(), _after_lead(text, head, match.end(), end), after_pipe, True, True, False)
    return Token(start, after_pipe, after_pipe, after_pipe, True, False, False)


def _after_lead(text: str, head: Head, position: int, end: int) -> int:
    """Where the first cell of a row that starts at `position` begins: past the pipe, where rows begin with one."""
    match = _LEAD.match(text, position, end) if head.has_lead else None
    return match.end() if match else position


def _runs(text: str, blocks: list[_Block], evidence: Sequence[Evidence]) -> Iterator[list[_Block]]:
    """The blocks in order: plain and blank ones alone, and runs of blocks that are to be searched together.

    With an open block go its neighbours up to the first plain row that nothing speaks against: a row end within a cell, or
    a row that lost its end, may make the next one look plain.
    """
    is_searched = bytearray(len(blocks))
    for place, block in enumerate(blocks):
        if block.kind != "open":
            continue
        is_searched[place] = 1
        for step in (-1, 1):
            other = place + step
            while 0 <= other < len(blocks) and abs(other - place) < _NEIGHBOURS:
                is_searched[other] = 1
                if blocks[other].kind == "open" or (blocks[other].kind == "plain" and _is_clean(text, blocks[other], evidence)):
                    break
                other += step
    for searched, group in groupby(range(len(blocks)), key=is_searched.__getitem__):
        places = list(group)
        if searched:
            yield [blocks[place] for place in places]
        else:
            yield from ([blocks[place]] for place in places)


def _is_clean(text: str, block: _Block, evidence: Sequence[Evidence]) -> bool:
    return fits(evidence, _texts(text, [_row(block)])[0])


def _row(block: _Block) -> Piece:
    """The one reading of a plain row."""
    edges = [token for token in block.tokens if token.may_part or token.may_end]
    begins = [block.after, *(token.inner for token in edges[:-1])]
    cells = tuple((begin, token.start) for begin, token in zip(begins, edges, strict=True))
    return Piece("row", block.start, block.end, cells)


def _unsearched(run: list[_Block]) -> list[Piece]:
    """The pieces of blocks that are not searched: plain rows stand, and what is open between them is too much to search."""
    pieces: list[Piece] = []
    for block in run:
        if block.kind == "plain":
            pieces.append(_row(block))
        elif block.kind == "open" and pieces and pieces[-1].kind == "too_many":
            pieces[-1] = pieces[-1]._replace(end=block.end)
        else:
            pieces.append(Piece("blank" if block.kind == "blank" else "too_many", block.start, block.end))
    return pieces
