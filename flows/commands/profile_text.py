"""This module prints profiles of columns: as a page for people, or one row a column."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warehouse.row_formats import plain_value, write_rows

if TYPE_CHECKING:
    from warehouse.profiles import ColumnProfile, Figures, Histogram

_BARS = " ▁▂▃▄▅▆▇█"
_CLASSES_SHOWN = 5
_CLASS_CHARACTERS = 24

_FIGURES = ("min", "q25", "median", "q75", "max", "mean", "std")
_COLUMNS = (
    *("column_name", "type", "kind", "row_count", "null_count", "null_ratio", "distinct_count"),
    *(f"{figure}_{what}" for what in ("length", "items", "value") for figure in _FIGURES),
    *("bin_edges", "bin_counts", "classes", "class_counts"),
)
"""The names of the extremes are those of the table `control_totals`."""

_TEXT_COLUMNS = ("column", "kind", "nulls", "distinct", "of", "min", "median", "mean", "max", "histogram or commonest values")
_TEXT_TYPES = ("VARCHAR", "VARCHAR", "DOUBLE", "BIGINT", "VARCHAR", "DOUBLE", "DOUBLE", "DOUBLE", "DOUBLE", "VARCHAR")


def print_profile(
    name: str,
    profiles: Iterable[ColumnProfile],
    stated: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    format: str,
) -> None:
    """Prints the profiles of the columns of a table or file, and what the file states of itself beside them."""
    found = list(profiles)
    if format == "text":
        _print_page(name, found, stated, notes)
    elif format == "json":
        content = {
            "name": name,
            "row_count": found[0].row_count if found else 0,
            "notes": list(notes),
            "columns": [_described(profile, stated) for profile in found],
        }
        print(json.dumps(plain_value(content), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        rows = [_flat(profile) for profile in found]
        types = ["VARCHAR"] * len(_COLUMNS)
        write_rows(_COLUMNS, types, [rows], format, sys.stdout)  # type: ignore[arg-type]  # one of them, but for text and json


def figure_of(profile: ColumnProfile, statistic: str) -> Any:
    """The figure of a column by its name in `control_totals`; None where the column has no such figure.

    A column that the viewer counts the classes of has them counted here too, whatever kind it is over these rows.
    """
    if statistic == "classes":
        return profile.distinct_count
    figure, _, what = statistic.partition("_")
    figures = {"length": profile.lengths, "items": profile.lengths, "value": profile.values}.get(what)
    is_of_lists = profile.kind == "list"
    if figures is None or (what in ("length", "items") and is_of_lists != (what == "items")):
        return None
    return getattr(figures, figure, None)


def _described(profile: ColumnProfile, stated: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One column as an object; what does not apply to its kind is left out."""
    described: dict[str, Any] = {
        "column_name": profile.name,
        "type": profile.type,
        "kind": profile.kind,
        "row_count": profile.row_count,
        "null_count": profile.null_count,
        "null_ratio": profile.null_ratio,
        "distinct_count": profile.distinct_count,
    }
    for what, figures in (("items" if profile.kind == "list" else "lengths", profile.lengths), ("values", profile.values)):
        if figures is not None:
            described[what] = _figures(figures)
    if profile.classes is not None:
        described["classes"] = [{"value": value, "count": count} for value, count in profile.classes]
    of_column = [
        {**total, "profiled": figure_of(profile, total["statistic"])}
        for total in stated
        if total["column_name"] == profile.name
    ]
    return {**described, **({"stated": of_column} if of_column else {})}


def _figures(figures: Figures) -> dict[str, Any]:
    told = {name: getattr(figures, name) for name in _FIGURES if getattr(figures, name) is not None}
    histogram = figures.histogram
    if histogram is None:
        return told
    return {**told, "histogram": {"bin_edges": list(histogram.bin_edges), "counts": list(histogram.counts)}}


def _flat(profile: ColumnProfile) -> list[Any]:
    """One column as the values of `_COLUMNS`."""
    figures = {
        "length": None if profile.kind == "list" else profile.lengths,
        "items": profile.lengths if profile.kind == "list" else None,
        "value": profile.values,
    }
    histogram = next((each.histogram for each in figures.values() if each is not None), None)
    classes = profile.classes
    return [
        *(profile.name, profile.type, profile.kind, profile.row_count, profile.null_count, profile.null_ratio),
        profile.distinct_count,
        *(None if of is None else getattr(of, figure) for of in figures.values() for figure in _FIGURES),
        *((None, None) if histogram is None else (list(histogram.bin_edges), list(histogram.counts))),
        None if classes is None else len(classes),
        None if classes is None else [{"value": value, "count": count} for value, count in classes],
    ]


def _print_page(
    name: str, profiles: Sequence[ColumnProfile], stated: Sequence[Mapping[str, Any]], notes: Sequence[str]
) -> None:
    from warehouse.row_tables import printable

    row_count = profiles[0].row_count if profiles else 0
    print(printable(f"{name}: {row_count:,} row{'' if row_count == 1 else 's'}"))
    for note in notes:
        print(printable(note))
    write_rows(_TEXT_COLUMNS, _TEXT_TYPES, [[_line(profile) for profile in profiles]], "table", sys.stdout)
    lines = list(_stated_lines(profiles, stated))
    if lines:
        print("\nWhat the file says of itself")
        columns = ("column", "figure", "stated", "profiled", "verdict")
        write_rows(columns, ("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR"), [lines], "table", sys.stdout)


def _line(profile: ColumnProfile) -> tuple[Any, ...]:
    """One column of the page."""
    figures = profile.values or profile.lengths
    of = "values" if profile.values else ("items" if profile.kind == "list" else "characters") if figures else ""
    shown = [_short(getattr(figures, name)) if figures else "" for name in ("min", "median", "mean", "max")]
    nulls = f"{profile.null_ratio:.1%}" if profile.null_count else "-"
    last = _commonest(profile) if profile.classes is not None else bars(figures.histogram) if figures else ""
    return (profile.name, profile.kind, nulls, f"{profile.distinct_count:,}", of, *shown, last)


def _commonest(profile: ColumnProfile) -> str:
    """The commonest classes with their shares of the rows that are not null."""
    filled = profile.row_count - profile.null_count
    classes = profile.classes or ()
    told = [f"{value[:_CLASS_CHARACTERS]} {count / filled:.0%}" for value, count in classes[:_CLASSES_SHOWN]]
    return ", ".join(told) + (", …" if len(classes) > _CLASSES_SHOWN else "")


def bars(histogram: Histogram | None) -> str:
    """A histogram as a line of bars, the highest for the fullest bin; a bin with nothing in it is a blank.

    >>> from warehouse.profiles import Histogram
    >>> bars(Histogram((0, 1, 2, 3), (1, 0, 80)))
    '▁ █'
    """
    if histogram is None:
        return ""
    most = max(histogram.counts) or 1
    return "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] for count in histogram.counts)


def _short(figure: Any) -> str:
    """A figure in few characters; of one below 10, such as a share, three digits.

    >>> [_short(figure) for figure in (None, 12345, 12345.67, 71.7345, 5.0, 0.9534, -0.00042, -0.0)]
    ['-', '12,345', '12,345.7', '71.7', '5.0', '0.953', '-0.00042', '0.0']
    """
    if figure is None:
        return "-"
    if isinstance(figure, float):
        if abs(figure) < 10 and figure != round(figure, 1):
            return f"{figure:.3g}"
        return f"{figure:,.1f}" if abs(figure) >= 10_000 else f"{figure + 0.0:.1f}"
    return f"{figure:,}" if isinstance(figure, int) and abs(figure) >= 10_000 else str(figure)


def _stated_lines(profiles: Sequence[ColumnProfile], stated: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """The figures that the file states, each beside that of the profile."""
    by_name = {profile.name: profile for profile in profiles}
    for total in stated:
        profile = by_name.get(total["column_name"])
        if profile is not None:
            found = figure_of(profile, total["statistic"])
            shown = "" if found is None else str(found)
            yield (total["column_name"], total["statistic"], total["declared_text"], shown, total["verdict"])
