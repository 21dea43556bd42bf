"""This module draws an answer into a file: HTML that works without a network, SVG or PNG, by Altair and vl-convert.

Nothing of the answer gets into the plot but as a text or number of its data: the columns have names of our own there, and
in HTML the data can end no script. The same answer gives the same bytes.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.drawings import Drawing, Label, only_the_largest
from warehouse.row_files import finished_file
from warehouse.row_tables import printable

if TYPE_CHECKING:
    import altair as alt

_STEP = 18
_WIDTH = 640
_HEIGHT = 360
_LONGEST_LABEL_PIXELS = 320
"""Beyond that a label is cut; the title of its axis stands beyond that too, where Vega would put it at 200."""

_LONGEST_TEXT = 300
_FEW = 10
"""Up to so many of what is counted, each has its mark at the axis."""

_ORDINAL_STEPS = 60
"""So many steps of a numeric axis get a bar each, side by side; more stand at their place on a continuous axis."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; \
style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 2em }}</style>
</head>
<body>
<div id="plot"></div>
<script>{library}</script>
<script>
vegaEmbed("#plot", {spec}, {{"mode": "vega-lite", "actions": {{"export": true, "source": false, "compiled": false, \
"editor": false}}}});
</script>
</body>
</html>
"""
"""The policy keeps the page from the network, whatever stands in it; Vega makes its expressions by eval."""


def write_plot(path: Path, title: str, drawing: Drawing) -> None:
    """Writes the plot in the format that the ending of the path asks for, whole or not at all.

    Raises:
        OutputError: the file cannot be written.
    """
    spec = plot_chart(title, only_the_largest(drawing)).to_dict()
    ending = path.suffix.lower()
    if ending == ".html":
        content = _html(title, spec).encode()
    else:
        import vl_convert

        svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
        content = svg.encode() if ending == ".svg" else vl_convert.svg_to_png(svg, scale=2)
    with finished_file(path) as temporary:
        temporary.write_bytes(content)


def plot_chart(title: str, drawing: Drawing) -> alt.Chart:
    """The Altair chart of a drawing: lying or standing bars, lines, or a heat map."""
    import altair as alt

    title, drawing = _plain_text(title), _plain(drawing)
    rows = [{"category": category, "color": color, "figure": figure} for (category, color), figure in sorted_cells(drawing)]
    chart = alt.Chart(
        alt.InlineData(values=rows), title=alt.TitleParams(title, subtitle=drawing.notes, anchor="start", frame="group")
    ).properties(width=_WIDTH, height=_HEIGHT)
    tooltip = [alt.Tooltip("category", type="nominal", title=drawing.category_title)]
    if drawing.color_title:
        tooltip.append(alt.Tooltip("color", type="nominal", title=drawing.color_title))
    tooltip.append(alt.Tooltip("figure", type="quantitative", title=drawing.figure_title))
    if drawing.kind == "heat":
        return _heat(chart, drawing).encode(tooltip=tooltip)
    if drawing.is_flat:
        chart = chart.mark_bar().encode(x=_figures(drawing, alt.X), y=alt.Y("category", **_names(drawing)))
        chart = chart.properties(height=alt.Step(_STEP))
    else:
        marked = chart.mark_line(point=True) if drawing.kind == "line" else chart.mark_bar()
        chart = marked.encode(x=_steps(drawing), y=_figures(drawing, alt.Y))
    if drawing.color_title:
        chart = chart.encode(color=_color(drawing))
    finished: alt.Chart = chart.encode(tooltip=tooltip)
    return finished


def sorted_cells(drawing: Drawing) -> list[tuple[tuple[Label, Label], float]]:
    """The figures in the order they are drawn: along a numeric axis by its numbers, names as they come."""
    cells = list(drawing.cells.items())
    if drawing.is_flat or drawing.kind == "heat":
        return cells
    return sorted(cells, key=lambda cell: _place(cell[0][0]))


# ---------------------------------------------------------------------------------------------------------------------


def _plain(drawing: Drawing) -> Drawing:
    """The drawing with plain labels and titles."""
    cells: dict[tuple[Label, Label], float] = {}
    for (category, color), figure in drawing.cells.items():
        key = _plain_label(category), _plain_label(color)
        cells[key] = cells.get(key, 0) + figure
    return replace(
        drawing,
        category_title=_plain_text(drawing.category_title),
        color_title=drawing.color_title and _plain_text(drawing.color_title),
        figure_title=_plain_text(drawing.figure_title),
        cells=cells,
        notes=[_plain_text(note) for note in drawing.notes],
    )


def _plain_label(label: Label) -> Label:
    return _plain_text(label) if isinstance(label, str) else label


def _plain_text(text: str) -> str:
    """The text without what XML may not hold: of a control character or U+FFFE vl-convert 1.9 ends the whole process."""
    cut = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
    return re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", printable(cut))


def _place(label: Label) -> tuple[bool, float, str]:
    """Numbers in their order, before names in theirs."""
    return (True, 0, label) if isinstance(label, str) else (False, label, "")


def _figures(drawing: Drawing, channel: Any) -> Any:
    """The axis of figures, across or up."""
    import altair as alt

    axis = alt.Axis()
    if all(isinstance(figure, int) and figure >= 0 for figure in drawing.cells.values()):
        totals: dict[Label, float] = {}
        for (category, _), figure in drawing.cells.items():
            totals[category] = totals.get(category, 0) + figure
        if (largest := int(max(totals.values(), default=0))) <= _FEW:  # Vega would mark half papers
            axis = alt.Axis(values=list(range(largest + 1)), format="d")
    return channel("figure", type="quantitative", title=drawing.figure_title, axis=axis)


def _steps(drawing: Drawing) -> alt.X:
    """The numeric axis that bars and lines stand on; its steps side by side where they are few, or not all numbers."""
    import altair as alt

    steps = drawing.categories()
    has_names = any(isinstance(step, str) for step in steps)
    axis = alt.Axis(format="d") if all(isinstance(step, int) for step in steps) else alt.Axis()
    kind: Any = "ordinal" if has_names or len(steps) <= _ORDINAL_STEPS else "quantitative"
    return alt.X("category", type=kind, title=drawing.category_title, sort=None, axis=axis)


def _names(drawing: Drawing) -> dict[str, Any]:
    """The axis of names, in the order of the drawing."""
    import altair as alt

    return {
        "type": "nominal",
        "sort": drawing.categories(),
        "title": drawing.category_title,
        "axis": alt.Axis(labelLimit=_LONGEST_LABEL_PIXELS, maxExtent=_LONGEST_LABEL_PIXELS + _STEP),
    }


def _color(drawing: Drawing) -> alt.Color:
    """The colours by name, with their legend."""
    import altair as alt

    colors: Any = sorted(drawing.colors(), key=_place)
    return alt.Color(
        "color",
        type="nominal",
        title=drawing.color_title,
        sort=colors,
        scale=alt.Scale(scheme="tableau20" if len(colors) > 10 else "tableau10"),
        legend=alt.Legend(labelLimit=_LONGEST_LABEL_PIXELS, symbolLimit=len(colors)),
    )


def _heat(chart: alt.Chart, drawing: Drawing) -> alt.Chart:
    """A field of squares, coloured by their figure."""
    import altair as alt

    down: Any = drawing.categories()
    across: Any = drawing.colors()
    if set(across) <= set(down):  # one set of names on both axes: the diagonal is to be one
        across = [name for name in down if name in set(across)]
    limited = alt.Axis(labelLimit=_LONGEST_LABEL_PIXELS, maxExtent=_LONGEST_LABEL_PIXELS + _STEP)
    encoded: alt.Chart = chart.mark_rect().encode(
        x=alt.X("color", type="nominal", sort=across, title=drawing.color_title, axis=limited),
        y=alt.Y("category", type="nominal", sort=down, title=drawing.category_title, axis=limited),
        color=alt.Color(
            "figure", type="quantitative", title=drawing.figure_title, scale=alt.Scale(scheme="blues"), legend=alt.Legend()
        ),
    )
    return encoded.properties(width=alt.Step(_STEP), height=alt.Step(_STEP))


def _html(title: str, spec: dict[str, Any]) -> str:
    """A page with the plot and all it needs; no text of the data can end its script."""
    import html

    import vl_convert

    safe = json.dumps(spec, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c").replace(">", "\\u003e")
    library = vl_convert.javascript_bundle()  # type: ignore[call-arg] # its stub does not know the default
    return _PAGE.format(title=html.escape(title), library=library, spec=safe)
