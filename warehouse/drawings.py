"""This module reads from an answer what its plot shows: figures added up by category and colour, the many small as others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from warehouse.row_formats import Batches, cell_text, plain_value
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
    left_out = 0
    for row in (row for batch in batches for row in batch):
        value = 1 if figure_place is None else _figure(row[figure_place])
        if value is None:
            left_out += 1
        else:
            key = _label(row, category_places), _label(row, color_places) if color else ""
            cells[key] = cells.get(key, 0) + value
    finite = {key: value for key, value in cells.items() if math.isfinite(value)}  # a sum may not be
    notes = [f"without {left_out:,} row{'s' * (left_out != 1)} whose {figure} is no number"] if left_out else []
    return Drawing(plot.kind, is_flat, category, color, figure, finite, notes)


def only_the_largest(drawing: Drawing) -> Drawing:
    """The drawing with no more categories and colours than a plot can show, the largest first where its bars lie.

    The smaller colours of counts are added up as others; what else is left out, a note says.
    """
    is_heat = drawing.kind == "heat"
    kept, notes = _kept(drawing, 0, MOST_CATEGORIES if is_heat or drawing.is_flat else MOST_STEPS)
    kept_colors, color_notes = _kept(drawing, 1, MOST_CATEGORIES if is_heat else MOST_COLORS)
    has_others = drawing.kind == "bar" and drawing.figure_title.endswith("count") and bool(color_notes)
    others = f"others ({len(drawing.colors()) - len(kept_colors):,})"
    if drawing.kind == "line" and NONE in kept:  # a line leads from one number to the next
        kept.remove(NONE)
        notes.append(f"without those whose {drawing.category_title} is not known")
    cells: dict[tuple[Label, Label], float] = {}
    for (category, color), figure in drawing.cells.items():
        if category in kept and (has_others or color in kept_colors):
            key = category, color if color in kept_colors else others
            cells[key] = cells.get(key, 0) + figure
    if drawing.is_flat:
        totals = _totals(drawing, 0)
        cells = dict(sorted(cells.items(), key=lambda cell: (-totals[cell[0][0]], str(cell[0][0]))))
    return replace(drawing, cells=cells, notes=[*drawing.notes, *notes, *([] if has_others else color_notes)])


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
    """What stands at the axis for a row: a number as it is, all else as text."""
    values = [row[place] for place in places]
    if len(values) == 1 and isinstance(values[0], int | float) and math.isfinite(values[0]):
        return values[0]
    return " · ".join(
        value if isinstance(value, str) else NONE if value is None else cell_text(plain_value(value)) for value in values
    )


def _figure(value: object) -> float | None:
    """The number to draw, or None where there is none."""
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        return value if isinstance(value, int) else float(value)
    return None


def _totals(drawing: Drawing, side: int) -> dict[Label, float]:
    """The sum of figures of each category (side 0) or colour (side 1)."""
    totals: dict[Label, float] = {}
    for key, figure in drawing.cells.items():
        totals[key[side]] = totals.get(key[side], 0) + figure
    return totals


def _kept(drawing: Drawing, side: int, most: int) -> tuple[set[Label], list[str]]:
    """At most so many categories or colours, the largest, and a note if there are more."""
    totals = _totals(drawing, side)
    kept = set(sorted(totals, key=lambda label: (-abs(totals[label]), str(label)))[:most])
    what = drawing.color_title if side else drawing.category_title
    return kept, [f"the {most} largest of {len(totals):,} values of {what}"] if len(totals) > most else []
