"""This module tests what a plot shows of an answer, in the terminal and in files, and that no text of it does harm there."""

from __future__ import annotations

import io
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from warehouse.drawings import Drawing, only_the_largest, read_drawing
from warehouse.plots import plot_chart, write_plot
from warehouse.row_bars import write_bars
from warehouse.saved_queries import Plot, SavedQueryError

BY_VENUE = Plot("bar", "n_count", "venue", "kind")
EVIL = '</script><script>alert("1")</script>\x1b[31m'


def drawn(plot: Plot, columns: str, types: str, *rows: tuple[object, ...]) -> Drawing:
    return read_drawing(plot, columns.split(), types.split(), [rows])


@pytest.mark.parametrize(
    ("plot", "types", "is_flat", "cells"),
    [
        (Plot("bar", "b", "a"), "VARCHAR BIGINT", True, {("x", ""): 3, ("(none)", ""): 4}),
        (Plot("bar", "count", "a"), "VARCHAR BIGINT", True, {("x", ""): 2, ("(none)", ""): 1}),
        (Plot("bar", "b", "a", "b"), "VARCHAR BIGINT", True, {("x", 1): 1, ("x", 2): 2, ("(none)", 4): 4}),
        (Plot("bar", "b", "a+b"), "VARCHAR BIGINT", True, {("x · 1", ""): 1, ("x · 2", ""): 2, ("(none) · 4", ""): 4}),
        (Plot("line", "b", "b"), "VARCHAR BIGINT", False, {(1, ""): 1, (2, ""): 2, (4, ""): 4}),
        (Plot("heat", "a", "a", "b"), "VARCHAR DECIMAL(38,0)", False, {("x", "x"): 3, ("(none)", "(none)"): 4}),
    ],
)
def test_figures_of_one_place_are_added_up(
    plot: Plot, types: str, is_flat: bool, cells: dict[tuple[object, object], float]
) -> None:
    drawing = drawn(plot, "a b", types, ("x", 1), ("x", 2), (None, 4))
    assert (drawing.is_flat, drawing.cells) == (is_flat, cells)


def test_what_is_no_number_is_not_drawn() -> None:
    rows = [("x", Decimal("1.5")), ("y", None), ("z", float("nan")), ("w", float("inf")), ("v", 1e308), ("v", 1e308)]
    drawing = drawn(Plot("bar", "b", "a"), "a b", "VARCHAR DOUBLE", *rows)
    assert drawing.cells == {("x", ""): 1.5}
    assert drawing.notes == only_the_largest(drawing).notes == ["without 3 rows whose b is no number"]
    assert bars(drawing)[-1] == drawing.notes[0]
    with pytest.raises(SavedQueryError, match="to hold numbers"):
        drawn(Plot("bar", "b", "a"), "a b", "VARCHAR VARCHAR")
    with pytest.raises(SavedQueryError, match="the plot needs the column 'c'; the answer has a, b"):
        drawn(Plot("bar", "b", "c"), "a b", "VARCHAR BIGINT")


def test_the_largest_are_kept_and_small_colours_of_counts_are_others() -> None:
    rows = [(f"venue {n}", f"kind {n % 14}", 100 - n) for n in range(60)]
    drawing = only_the_largest(drawn(BY_VENUE, "venue kind n_count", "VARCHAR VARCHAR BIGINT", *rows))
    assert drawing.categories() == [f"venue {n}" for n in range(40)]
    assert len(drawing.colors()) == 11 and "others (4)" in drawing.colors()
    assert drawing.notes == ["the 40 largest of 60 values of venue"]
    assert sum(drawing.cells.values()) == sum(100 - n for n in range(40))
    ratio = only_the_largest(drawn(Plot("line", "year", "r", "kind"), "kind year r", "VARCHAR BIGINT DOUBLE", *[
        (f"kind {n}", 2030, 1 / (n + 1)) for n in range(14)
    ], ("kind 1", None, 0.5)))  # fmt: skip
    assert len(ratio.colors()) == 10 and ratio.categories() == [2030]
    assert ratio.notes == ["without those whose year is not known", "the 10 largest of 14 values of kind"]


def bars(drawing: Drawing, width: int = 40) -> list[str]:
    out = io.StringIO()
    write_bars("Papers", drawing, out, width=width)
    return out.getvalue().splitlines()


def test_bars_in_the_terminal() -> None:
    rows = [("Rocks", "oral", 8), ("Rocks", "poster", 2), ("論文誌", "oral", 1), ("Gone", "oral", 0)]
    assert bars(drawn(BY_VENUE, "venue kind n_count", "VARCHAR VARCHAR BIGINT", *rows)) == [
        "Papers: n_count",
        "Rocks  oral   8 ████████████████████████",
        "Rocks  poster 2 ██████",
        "論文誌  oral  1 ███",
        "Gone  oral    0",
    ]
    assert bars(drawn(BY_VENUE, "venue kind n_count", "VARCHAR VARCHAR BIGINT"))[-1] == "nothing to draw"


@given(
    st.lists(st.tuples(st.text(max_size=60), st.floats(-1e12, 1e12)), max_size=70, unique_by=lambda row: row[0]),
    st.integers(20, 200),
)
def test_a_bar_fits_its_line_and_obeys_no_text(rows: list[tuple[str, float]], width: int) -> None:
    lines = bars(drawn(Plot("bar", "b", "a"), "a b", "VARCHAR DOUBLE", *rows), width)
    shown = lines[1 : 1 + min(len(rows), 50)]
    assert len(shown) == min(len(rows), 50)
    assert all(cell_len(line) <= max(width, 45) for line in shown)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", "".join(lines))


def test_texts_of_the_answer_do_no_harm_in_a_page(tmp_path: Path) -> None:
    drawing = drawn(BY_VENUE, "venue kind n_count", "VARCHAR VARCHAR BIGINT", (EVIL, "<b>", 3))
    write_plot(tmp_path / "a.html", f"Title {EVIL}", drawing)
    page = (tmp_path / "a.html").read_text()
    assert "</script><script>alert" not in page
    assert page.count("</script>") == 2
    assert "default-src 'none'" in page
    assert not re.search(r"""<(script|link|img|iframe)[^>]*\b(src|href)\s*=""", page.split("<script>")[0])
    spec = json.loads(re.search(r'vegaEmbed\("#plot", (\{.*\}), \{"mode"', page)[1])  # type: ignore[index]
    (rows,) = spec["datasets"].values()
    assert rows[0]["category"] == '</script><script>alert("1")</script>\\x1b[31m'


def test_texts_of_the_answer_do_no_harm_in_a_picture(tmp_path: Path) -> None:
    from lxml import etree

    write_plot(
        tmp_path / "a.svg",
        EVIL,
        drawn(BY_VENUE, "venue kind n_count", "VARCHAR VARCHAR BIGINT", (EVIL, "a\x00\ufffe\ud800\x85b", 3)),
    )
    tree = etree.fromstring((tmp_path / "a.svg").read_bytes())
    assert not tree.xpath("//*[local-name()='script' or local-name()='image' or local-name()='foreignObject']")


def test_columns_have_names_of_our_own_in_the_chart() -> None:
    """A column `a.b[0]` would be a path to Vega, and `datum` an expression."""
    drawing = drawn(Plot("bar", "a.b[0]", "datum"), "datum a.b[0]", "VARCHAR BIGINT", ("x", 1))
    spec = plot_chart("t", drawing).to_dict()
    assert spec["encoding"]["x"]["field"] == "figure"
    assert spec["encoding"]["x"]["title"] == "a.b[0]"


@pytest.mark.parametrize(
    ("figures", "marks"),
    [((1, 3), [0, 1, 2, 3]), ((0,), [0]), ((4, 2000), None), ((0.5, 1.0), None), ((-1, 2), None)],
)
def test_few_that_are_counted_have_a_mark_each_and_no_halves(figures: tuple[float, ...], marks: list[int] | None) -> None:
    rows = [(f"venue {place}", figure) for place, figure in enumerate(figures)]
    spec = plot_chart("t", drawn(Plot("bar", "n", "v"), "v n", "VARCHAR DOUBLE", *rows)).to_dict()
    assert spec["encoding"]["x"]["axis"].get("values") == marks


def test_the_title_of_an_axis_stands_beyond_its_longest_label(tmp_path: Path) -> None:
    from lxml import etree

    write_plot(tmp_path / "a.svg", "t", drawn(Plot("bar", "n", "v"), "v n", "VARCHAR BIGINT", ("W" * 200, 3)))
    texts = etree.fromstring((tmp_path / "a.svg").read_bytes()).xpath("//*[local-name()='text'][.='v']/@transform")
    assert next(float(re.search(r"\((-?[\d.]+)", text)[1]) for text in texts) < -330  # type: ignore[index]


@pytest.mark.parametrize("count", [3, 100])
def test_a_numeric_axis_is_in_order(count: int) -> None:
    rows = [(year, "x", 1) for year in reversed(range(2000, 2000 + count))]
    spec = plot_chart("t", drawn(Plot("bar", "y", "n", "k"), "y k n", "SMALLINT VARCHAR BIGINT", *rows)).to_dict()
    assert [row["category"] for rows in spec["datasets"].values() for row in rows] == list(range(2000, 2000 + count))
    assert spec["encoding"]["x"]["type"] == ("ordinal" if count == 3 else "quantitative")
