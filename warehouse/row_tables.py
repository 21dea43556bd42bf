"""This module prints rows as a table for people, with rich; `warehouse.row_formats` imports it only for that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice
from typing import Literal, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from warehouse.row_formats import Batches, Row, Written, cell_text, plain_value, terminal_width

_NARROWEST_COLUMN = 10
"""Below about 10 characters a shortened title says nothing; then each row is printed as a block instead."""

_LONGEST_CELL = 2_000
"""What a cell may hold before it is laid out; a value of many megabytes would take rich minutes."""

_LARGEST_WRITTEN_OUT = 1e16
"""From here on Python itself writes an exponent."""

_NUMBERS = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BIGNUM|FLOAT|DOUBLE|DECIMAL\(.*\))")

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Controls (among them what begins a terminal's escape sequences), marks that turn the direction of text about, and bytes that
are no text, as Python has them of an argument."""


def write_table(
    columns: Sequence[str],
    types: Sequence[str],
    batches: Batches,
    out: TextIO,
    width: int,
    most_rows: int,
    *,
    wraps: bool = False,
    hint: str = "--format csv gives all",
) -> Written:
    """Writes at most `most_rows` rows and a line that says how many there are, with the hint where there are more.

    Where the columns do not fit beside each other, each row becomes a block with one column a line.
    """
    rows = chain.from_iterable(batches)
    shown = list(islice(rows, most_rows))
    is_cut = next(rows, None) is not None
    console = plain_console(out, width)
    # Captured: written by rich itself, a pipe whose reader has left would end the process with code 1.
    with console.capture() as capture:
        _print(console, columns, types, shown, more=f"; there are more ({hint})" if is_cut else "", wraps=wraps)
    out.write(capture.get())
    return Written(len(shown), is_cut)


def plain_console(out: TextIO, width: int | None = None) -> Console:
    """A console of rich's that writes texts as they are, in lines of `width` characters, by default the terminal's.

    The height, which nothing here asks for, keeps rich from taking every terminal of TERM=dumb to be 80 characters wide.
    """
    return Console(file=out, width=width or terminal_width(out), height=100, highlight=False, markup=False, emoji=False)


def printable(text: str) -> str:
    r"""`text` on one line, with nothing in it that a terminal would obey.

    >>> printable("two\nlines, \x1b[31mred")
    'two lines, \\x1b[31mred'
    """
    return _UNPRINTABLE.sub(lambda found: " " if found[0] in "\t\n\r\v\f" else ascii(found[0])[1:-1], text)


def _print(
    console: Console, columns: Sequence[str], types: Sequence[str], shown: Sequence[Row], *, more: str, wraps: bool
) -> None:
    """Prints the rows in the form that suits them, and how many there are."""
    if list(columns) == ["explain_key", "explain_value"]:
        for _, plan in shown:
            console.print(*(printable(line) for line in str(plan).splitlines()), sep="\n", soft_wrap=True)
        return
    if columns and console.width >= sum(min(len(column), _NARROWEST_COLUMN) + 3 for column in columns) + 1:
        console.print(_beside(columns, types, shown, console.width, wraps=wraps))
    else:
        for number, row in enumerate(shown, start=1):
            console.print(_block(number, columns, row))
    count = f"{len(shown):,} row{'' if len(shown) == 1 else 's'}"
    console.print(Text(f"the first {count}{more}" if more else count, style="dim"))


def _beside(columns: Sequence[str], types: Sequence[str], rows: Sequence[Row], width: int, *, wraps: bool) -> Table:
    """The rows under one heading; a column too wide is cut with an ellipsis, or its texts go on below."""
    table = Table(box=box.ROUNDED, header_style="bold")
    cells = [[_cell(value) for value in row] for row in rows]
    natural = [
        max(cell_len(printable(column)), *(cell.cell_len for cell in of_column), 1)
        for column, *of_column in zip(columns, *cells, strict=True)
    ]
    for column, kind, most in zip(columns, types, _widths(natural, width - 3 * len(columns) - 1), strict=True):
        justify: Literal["left", "right"] = "right" if _NUMBERS.fullmatch(kind) else "left"
        table.add_column(
            Text(printable(column)),
            justify=justify,
            no_wrap=not wraps,
            overflow="fold" if wraps else "ellipsis",
            max_width=most,
        )
    for row in cells:
        table.add_row(*row)
    return table


def _widths(natural: Sequence[int], width: int) -> list[int]:
    """Widths of columns that together are at most `width`: the widest give way first, so that ids and counts stay whole.

    >>> _widths([4, 90, 60], 100)
    [4, 48, 48]
    """
    allowed = width
    for place, most in enumerate(sorted(natural)):
        share = allowed // (len(natural) - place)
        if most > share:
            return [min(each, max(share, 1)) for each in natural]
        allowed -= most
    return list(natural)


def _block(number: int, columns: Sequence[str], row: Row) -> Table:
    """One row with one column a line."""
    table = Table(box=None, show_header=False, title=f"row {number}", title_justify="left", title_style="dim")
    table.add_column(no_wrap=True, style="bold", min_width=max((cell_len(printable(column)) for column in columns), default=0))
    table.add_column(no_wrap=True, overflow="ellipsis")
    for column, value in zip(columns, row, strict=True):
        table.add_row(Text(printable(column)), _cell(value))
    return table


def _cell(value: object) -> Text:
    """One value; null is told from empty text."""
    if value is None:
        return Text("null", style="dim")
    if isinstance(value, float):
        return Text(str(_rounded(value)))  # nan and inf, which are null in JSON, are what a person wants to see
    text = cell_text(_rounded(plain_value(value)))
    return Text(printable(text[:_LONGEST_CELL] + "…" if len(text) > _LONGEST_CELL else text))


def _rounded(value: object) -> object:
    """A value of `plain_value` with floating-point numbers, however deep within it, of at most six digits that count.

    Digits before the point are all shown, as an integer's are.

    >>> [_rounded(value) for value in (0.0007581501137, 2 / 3, 2.0, 0.1 + 0.2, 1234567.89, 1e-9, 1e300)]
    [0.00075815, 0.666667, 2.0, 0.3, 1234568, 1e-09, 1e+300]
    """
    if isinstance(value, float):
        return round(value) if 1e6 <= abs(value) < _LARGEST_WRITTEN_OUT else float(f"{value:.6g}")
    if isinstance(value, list):
        return [_rounded(member) for member in value]
    if isinstance(value, dict):
        return {name: _rounded(member) for name, member in value.items()}
    return value
