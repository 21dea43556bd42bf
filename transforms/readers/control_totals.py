"""This module checks the figures a dataset-viewer page states about its columns against the records read from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from transforms.readers.viewer_columns import Figure, ViewerColumn
from transforms.readers.viewer_evidence import cut_mark_length, is_null, number_of, shown_length

_MAX_LISTED = 20
"""Longest list of columns in a note: more than a page of papers has, and short enough for a line of a report."""

_MAX_PAGE_ROWS = 100
"""Rows the viewer shows on a page; where more stand below one head, pages were joined without their heads."""

_LEAST = ("min_length", "min_items", "min_value", "min_width", "min_duration")


def control_totals(columns: Sequence[ViewerColumn], rows: Sequence[Mapping[str, str]]) -> list[dict[str, object]]:
    """One row a column and stated figure, with the columns of `schemas.CONTROL_TOTALS` but for the file and the page.

    What a cell that the viewer cut shows is less than its value, so it counts towards the greatest length, as far as it
    is shown, and not towards the least. Nulls count nowhere; an empty cell has length 0 where the page states such a one.
    """
    totals: list[dict[str, object]] = []
    for column in columns:
        values = [row[column.name] for row in rows]
        for statistic, declared in column.statistics():
            observed = _observed(column, statistic, declared, values)
            totals.append(
                {
                    "column_name": column.name,
                    "statistic": statistic,
                    "declared": declared.number,
                    "declared_text": declared.text,
                    "observed": observed,
                    "verdict": _verdict(statistic, declared, observed)
                    if declared.number is not None
                    else _date_verdict(statistic, declared.text, values),
                }
            )
    return totals


def page_note(page: int, row_count: int, columns: Sequence[ViewerColumn], totals: Iterable[Mapping[str, object]]) -> str:
    """What there is to say of a page: how many rows it holds, and which of its own figures they do not reach or contradict.

    >>> tags = ViewerColumn("tags", "classes", classes=Figure(3.0, 0.0, "3"))
    >>> page_note(1, 100, [tags], control_totals([tags], [{"tags": "ICLR 2024,Poster"}]))
    'page 1: 100 rows, a page of a larger set: 1 of 3 tags classes seen'
    """
    partial: dict[str, None] = {}
    classes, contradicted = [], []
    for total in totals:
        name, statistic, text, observed = (total[key] for key in ("column_name", "statistic", "declared_text", "observed"))
        if total["verdict"] == "contradicted":
            contradicted.append(f"{name} {statistic} is {_figure_text(observed)} here, {text} is stated")
        elif total["verdict"] == "partial" and statistic == "classes":
            classes.append(f"{_figure_text(observed)} of {text} {name} classes seen")
        elif total["verdict"] == "partial":
            partial[str(name)] = None
    bounds = [f"bounds of {_listed(list(partial), ', ')} not all reached"] if partial else []
    note = f"page {page}: {row_count} row{'s' * (row_count != 1)}"
    if row_count > _MAX_PAGE_ROWS:
        note += f", more than the {_MAX_PAGE_ROWS} that a page holds"
    if bounds or classes:
        note += f", a page of a larger set: {_listed(bounds + classes)}"
    if contradicted:
        note += f"; the page's figures are contradicted: {_listed(contradicted)}"
    return note


def _listed(parts: Sequence[object], separator: str = "; ") -> str:
    """The parts in one text, as many as one can read."""
    shown = [str(part) for part in parts[:_MAX_LISTED]]
    return separator.join([*shown, f"and {len(parts) - _MAX_LISTED} more"] if len(parts) > _MAX_LISTED else shown)


def _figure_text(observed: object) -> str:
    return f"{observed:g}" if isinstance(observed, float) else "none"


def _observed(column: ViewerColumn, statistic: str, declared: Figure, values: Sequence[str]) -> float | None:
    """The stated figure over the records; None where none of them gives one."""
    is_least = statistic in _LEAST
    if statistic == "classes":
        return float(len({value for value in values if not is_null(value)})) if values else None
    if column.family == "text":
        numbers = _lengths(values, is_least=is_least, has_empty=column.least is not None and column.least.number == 0)
    elif column.family == "items":
        numbers = [count for count in map(_item_count, values) if count is not None]
    elif column.family in ("integer", "number"):
        numbers = [number for number in map(number_of, values) if number is not None]
    else:
        return None
    return (min(numbers) if is_least else max(numbers)) if numbers else None


def _lengths(values: Iterable[str], *, is_least: bool, has_empty: bool) -> list[float]:
    lengths = []
    for value in values:
        mark = cut_mark_length(value)
        if (is_null(value) and (value or not has_empty)) or (mark and is_least):
            continue
        lengths.append(float(shown_length(value) - mark))
    return lengths


def _item_count(value: str) -> float | None:
    """How many items a list printed as JSON holds; None where it is cut or no such list."""
    if not value.startswith("[") or not value.endswith("]"):
        return None
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return float(len(items)) if isinstance(items, list) else None


def _verdict(statistic: str, declared: Figure, observed: float | None) -> str:
    if observed is None:
        return "partial"
    if declared.low <= observed <= declared.high:
        return "met"
    is_outside = observed < declared.low if statistic in _LEAST else observed > declared.high
    return "contradicted" if is_outside else "partial"


def _date_verdict(statistic: str, declared: str, values: Iterable[str]) -> str:
    """The verdict on a stated date, which compares as text as far as it is printed."""
    dates = sorted(value.replace("T", " ") for value in values if value[:4].isdigit())
    if not dates:
        return "partial"
    stated = declared.replace("T", " ")
    width = min(len(stated), len(dates[0]))
    found = (dates[0] if statistic in _LEAST else dates[-1])[:width]
    if found == stated[:width]:
        return "met"
    return "contradicted" if (found < stated[:width]) == (statistic in _LEAST) else "partial"
