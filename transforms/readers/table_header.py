"""This module finds the header of a table that may have other lines before it, and says what those are."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.readers.columns import column_map, has_paper_columns

HEADER_ROWS = 40
"""How many rows are looked at for a header; exports of Scopus, ProQuest and Embase have up to a dozen lines before it."""

NAME_CHARACTERS = 80
"""Longest name of a column; a longer text is no name."""

_NOTE_CHARACTERS = 500


def header_row(rows: Sequence[Sequence[str]]) -> int | None:
    """The place of the row that names most known columns, the first of equal ones; None where none tells papers.

    A row of one filled cell is a header only where no row has more.

    >>> header_row([["Papers of 2024", ""], ["Title", "Author"], ["Title", "Ann Lee"]])
    1
    """
    looked_at = [[cell.strip() for cell in row] for row in rows[:HEADER_ROWS]]
    is_single = all(len(list(filter(None, row))) <= 1 for row in looked_at)
    ranks = [len(set(column_map(row).values())) if is_header(row, is_single=is_single) else 0 for row in looked_at]
    return ranks.index(max(ranks)) if any(ranks) else None


def is_header(cells: Sequence[str], *, is_single: bool = False) -> bool:
    """Whether cells are the names of columns of papers; one cell is where `is_single`."""
    filled = [cell for cell in cells if cell]
    is_wide = len(filled) > 1 or (is_single and len(filled) == 1)
    return is_wide and all(len(cell) <= NAME_CHARACTERS for cell in filled) and has_paper_columns(filled)


def note_before(lines: Sequence[str]) -> str | None:
    """What the note of a file says of the lines before its header, which are neither records nor rejects.

    >>> note_before(["Scopus", "EXPORT DATE: 6 May 2024"])
    'before the header: Scopus / EXPORT DATE: 6 May 2024'
    """
    return f"before the header: {' / '.join(lines)}"[:_NOTE_CHARACTERS] if lines else None
