"""This module draws an answer as bars of block characters, for a terminal."""

from __future__ import annotations

from typing import TextIO

from warehouse.drawings import Drawing, Label
from warehouse.row_formats import terminal_width
from warehouse.row_tables import printable

MOST_BARS = 50
"""More than a screen; who wants all of them takes a file, or a table."""

_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHORTEST_BAR = 10


def write_bars(title: str, drawing: Drawing, out: TextIO, *, width: int | None = None, most: int = MOST_BARS) -> None:
    """Writes a bar a line, in the order of the answer: its name, the bar and its figure, within `width` characters."""
    from rich.cells import cell_len, set_cell_size

    width = width or terminal_width(out)
    cells = list(drawing.cells.items())
    shown = cells[:most]
    names = [_name(drawing, category, color) for (category, color), _ in shown]
    figures = [_figure_text(figure) for _, figure in shown]
    figure_width = max(map(len, figures), default=0)
    room = max(_SHORTEST_BAR, width - figure_width - _SHORTEST_BAR - 2)
    name_width = min(max(map(cell_len, names), default=0), room, max(_SHORTEST_BAR, width * 2 // 5))
    bar_width = max(1, width - name_width - figure_width - 2)
    largest = max((abs(figure) for _, figure in shown), default=0)
    out.write(printable(f"{title}: {drawing.figure_title}") + "\n")
    for name, text, (_, figure) in zip(names, figures, shown, strict=True):
        cut = name if cell_len(name) <= name_width else set_cell_size(name, name_width - 1) + "…"
        out.write(
            f"{set_cell_size(cut, name_width)} {text.rjust(figure_width)} {bar(figure, largest, bar_width)}".rstrip() + "\n"
        )
    if not cells:
        out.write("nothing to draw\n")
    for note in drawing.notes:
        out.write(printable(note) + "\n")
    if len(cells) > len(shown):
        out.write(f"… and {len(cells) - len(shown):,} more; --plot FILE.html draws the largest, --format csv gives all\n")


def bar(figure: float, largest: float, width: int) -> str:
    """A bar of at most `width` characters, to an eighth of one; of a negative figure in shades.

    >>> [bar(figure, 8, 4) for figure in (8, 3, 0.1, 0, -4)]
    ['████', '█▌', '▏', '', '▒▒']
    """
    if not largest or not figure:
        return ""
    eighths = max(1, round(abs(figure) / largest * width * 8))
    whole, rest = divmod(eighths, 8)
    if figure < 0:
        return "▒" * max(1, round(eighths / 8))
    return "█" * whole + _EIGHTHS[rest].strip()


def _name(drawing: Drawing, category: Label, color: Label) -> str:
    """The name of a bar: its category, and its colour where the drawing has them."""
    return printable(f"{category}  {color}" if drawing.color_title else str(category))


def _figure_text(figure: float) -> str:
    """A figure for people.

    >>> [_figure_text(figure) for figure in (1234, 0.25, 12.0, 0.12345678, 1e-9)]
    ['1,234', '0.25', '12', '0.123', '1e-09']
    """
    if figure == int(figure):
        return f"{int(figure):,}"
    return f"{figure:.3g}" if abs(figure) < 1000 else f"{figure:,.1f}"
