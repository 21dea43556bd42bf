"""This module reads from an answer what its plot shows: figures added up by category and colour, the many small as others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from warehouse.row_formats import Batches, cell_text, plain_value
from warehouse.row_tables import printable
from warehouse.saved_queries import Plot, SavedQueryError

MOST_CATEGORIES = 40
"""More bars than that nobody reads, and 40 take a screen."""

MOST_COLORS = 10
"""Of the palettes of ten colours none repeats; the eleventh is for the others."""

MOST_STEPS = 400
"""Of a numeric axis: more steps than a plot has room for make the file large and the plot no better."""

NONE = "(none)"
"""What a null is called on an axis."""

Label = str | int | float
_NUMBERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINY",
    "USMALL",
    "UINT",
    "UBIG",
    "UHUGE",
    "FLOAT",
    "DOUBLE",
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a plot shows: a figure for each category (a place on the axis) and colour; for a heat map the second axis.

    `is_flat`: bars lie, with their names at the left; else they stand on a numeric axis. `notes` say what is left out.
    """

    kind: str
    is_flat: bool
    category_title: str
    color_title: str | None
    figure_title: str
    cells: dict[tuple[Label, Label], float]
    notes: list[str] = field(default_factory=list)

    def categories(self) -> list[Label]:
        """The categories in the order they are met."""
        return list(dict.fromkeys(category for category, _ in self.cells))

    def colors(self) -> list[Label]:
        """The colours (of a heat map the places on the other axis) in the order they are met."""
        return list(dict.fromkeys(color for _, color in self.cells))


def read_drawing(plot: Plot, columns: Sequence[str], types: Sequence[str], batches: Batches) -> Drawing:
    """What the plot shows of an answer. Figures of one category and colour are added up.

    Raises:
        SavedQueryError: the answer lacks a column of the plot, or a figure is no number.
    """
    is_heat = plot.kind == "heat"
    is_flat = not is_heat and not _is_number(plot.y, columns, types)
    figure, category = (plot.color or "", plot.y) if is_heat else (plot.x, plot.y) if is_flat else (plot.y, plot.x)
    color = plot.x if is_heat else plot.color
    if not _is_number(figure, columns, types):
        raise SavedQueryError(f"the plot draws the column '{figure}', which is to hold numbers")
    figure_place = columns.index(figure) if figure in columns else None
    category_places, color_places = _places(category, columns), _places(color, columns) if color else []
    cells: dict[tuple[Label, Label], float] = {}
    for row in (row for batch in batches for row in batch):
        value = 1 if figure_place is None else _figure(row[figure_place])
        if value is not None:
            key = _label(row, category_places), _label(row, color_places) if color else ""
            cells[key] = cells.get(key, 0) + value
    return Drawing(plot.kind, is_flat, category, color, figure, cells)


def only_the_largest(drawing: Drawing) -> Drawing:
    """The drawing with no more categories and colours than a plot can show, the largest first where its bars lie.

    The smaller ones are added up as others where that makes sense (counts); else they are left out, and a note says so.
    """
    steps = MOST_CATEGORIES if drawing.is_flat or drawing.kind == "heat" else MOST_STEPS
    drawing = _limited(drawing, 0, steps)
    drawing = _limited(drawing, 1, MOST_CATEGORIES if drawing.kind == "heat" else MOST_COLORS)
    if not drawing.is_flat:
        return drawing
    totals = _totals(drawing.cells.items(), 0)
    order = {category: place for place, category in enumerate(sorted(totals, key=lambda each: _rank(each, totals[each])))}
    cells = dict(sorted(drawing.cells.items(), key=lambda cell: order[cell[0][0]]))
    return _with_cells(drawing, cells, [])


# ---------------------------------------------------------------------------------------------------------------------


def _is_number(name: str, columns: Sequence[str], types: Sequence[str]) -> bool:
    """Whether the column holds numbers; `count`, where there is no such column, does."""
    if name not in columns:
        _places(name, columns)
        return name == "count"
    return types[columns.index(name)].startswith((*_NUMBERS, "DECIMAL"))


def _places(channel: str, columns: Sequence[str]) -> list[int]:
    """The places of the columns of one channel; none for `count`."""
    if channel == "count" and channel not in columns:
        return []
    names = [channel] if channel in columns else channel.split("+")
    if missing := [name for name in names if name not in columns]:
        raise SavedQueryError(f"the plot needs the column '{missing[0]}'; the answer has {', '.join(columns)}")
    return [columns.index(name) for name in names]


def _label(row: Sequence[object], places: Sequence[int]) -> Label:
    """What stands at the axis for a row: a number as it is, all else as text on one line."""
    values = [row[place] for place in places]
    if len(values) == 1 and isinstance(values[0], int | float) and math.isfinite(values[0]):
        return values[0]
    return " · ".join(NONE if value is None else printable(cell_text(plain_value(value))) for value in values)


def _figure(value: object) -> float | None:
    """The number to draw, or None where there is none."""
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        return value if isinstance(value, int) else float(value)
    return None


def _totals(cells: Iterable[tuple[tuple[Label, Label], float]], side: int) -> dict[Label, float]:
    """The sum of figures of each category (side 0) or colour (side 1)."""
    totals: dict[Label, float] = {}
    for key, value in cells:
        totals[key[side]] = totals.get(key[side], 0) + value
    return totals


def _rank(label: Label, total: float) -> tuple[bool, float, str]:
    """The largest first, the others last."""
    return _is_others(label), -total, str(label)


def _is_others(label: Label) -> bool:
    return isinstance(label, str) and label.startswith("others (")


def _limited(drawing: Drawing, side: int, most: int) -> Drawing:
    """The drawing with at most so many labels on one side, and one more for the others."""
    totals = _totals(drawing.cells.items(), side)
    if len(totals) <= most:
        return drawing
    kept = set(sorted(totals, key=lambda label: (-abs(totals[label]), str(label)))[:most])
    what = drawing.category_title if side == 0 else drawing.color_title
    left_count = len(totals) - most
    has_others = drawing.kind == "bar" and drawing.figure_title.endswith("count") and (side == 1 or drawing.is_flat)
    cells: dict[tuple[Label, Label], float] = {}
    for key, value in drawing.cells.items():
        if key[side] in kept:
            cells[key] = cells.get(key, 0) + value
        elif has_others:
            others = f"others ({left_count:,})"
            other_key = (others, key[1]) if side == 0 else (key[0], others)
            cells[other_key] = cells.get(other_key, 0) + value
    return _with_cells(drawing, cells, [] if has_others else [f"the {most} largest of {len(totals):,} values of {what}"])


def _with_cells(drawing: Drawing, cells: dict[tuple[Label, Label], float], notes: list[str]) -> Drawing:
    return Drawing(
        drawing.kind,
        drawing.is_flat,
        drawing.category_title,
        drawing.color_title,
        drawing.figure_title,
        cells,
        [*drawing.notes, *notes],
    )
