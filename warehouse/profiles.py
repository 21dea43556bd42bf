"""This module profiles the columns of a table: nulls, distinct values, lengths, classes, numbers, dates, histograms.

The definitions are those of the Hugging Face dataset viewer, whose figures stand in the head of its pages
(huggingface.co/docs/dataset-viewer/statistics): a string column is "classes" where it has at most 10 distinct values, or at
most 1,000 that are at most a fifth of the rows; lengths are in characters; NaN counts as null; the standard deviation is
that of a sample; a histogram has at most 10 bins, each without its upper edge but the last; figures have 5 decimals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.views import sql_name

if TYPE_CHECKING:
    import duckdb

BINS = 10
MOST_FEW_CLASSES = 10
MOST_CLASSES = 1_000
MOST_CLASSES_RATIO = 0.2
_DECIMALS = 5
_STEPS = 2**50
"""As fine as a number of 53 bits is, nearly; the squares of 2^26 of them still add up in 128 bits."""

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
_INTEGER_TEXT = r"-?(0|[1-9]\d{0,17})"


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values lie in each bin: `counts` has one less than `bin_edges`."""

    bin_edges: tuple[Any, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of numbers, of the lengths of texts or lists, or of dates (which have no mean and deviation)."""

    min: Any
    q25: Any
    median: Any
    q75: Any
    max: Any
    mean: float | None = None
    std: float | None = None
    histogram: Histogram | None = None


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What there is to say of one column.

    `kind` is text, classes, integer, number, boolean, date, list or other. Of a text or classes `lengths` are in characters, of
    a list in items. `classes` are the values with their counts, the commonest first: of classes and booleans.
    """

    name: str
    type: str
    kind: str
    row_count: int
    null_count: int
    distinct_count: int
    lengths: Figures | None = None
    values: Figures | None = None
    classes: tuple[tuple[str, int], ...] | None = None

    @property
    def null_ratio(self) -> float:
        """The share of the rows that are null."""
        return round(self.null_count / self.row_count, _DECIMALS) if self.row_count else 0.0


def column_types(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """The columns of a table with their types, in order."""
    rows = connection.execute(f"describe select * from {sql_name(table)}").fetchall()
    return {str(row[0]): str(row[1]) for row in rows}


def profile_columns(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], *, reads_numbers: bool = False
) -> Iterator[ColumnProfile]:
    """The profile of each of the columns of a table; each takes a scan or two of that column alone.

    With `reads_numbers` a text column of which every value is written as a whole number is profiled as one of numbers.
    """
    types = column_types(connection, table)
    for name in columns:
        yield _Column(connection, table, name, types[name]).profile(reads_numbers=reads_numbers)


def is_classes(distinct_count: int, row_count: int) -> bool:
    """Whether a string column of so many rows is one of classes.

    >>> [is_classes(10, 12), is_classes(11, 55), is_classes(11, 54), is_classes(1_000, 9_000), is_classes(1_001, 9_000)]
    [True, True, False, True, False]
    """
    few = distinct_count <= MOST_FEW_CLASSES
    return few or (distinct_count <= MOST_CLASSES and distinct_count <= MOST_CLASSES_RATIO * row_count)


def integer_edges(least: int, most: int) -> list[int]:
    """The edges of at most `BINS` bins of whole width; the last bin is closed by the greatest value.

    >>> integer_edges(0, 8550), integer_edges(0, 1), integer_edges(4, 4)
    ([0, 856, 1712, 2568, 3424, 4280, 5136, 5992, 6848, 7704, 8550], [0, 1, 1], [4, 4])
    """
    width = -(-(most - least + 1) // BINS)
    return [*range(least, most + 1, width), most]


def number_edges(least: float, most: float) -> list[float]:
    """The edges of `BINS` bins of equal width, or of one where there is but one value.

    >>> number_edges(0.0, 5.0)[:3], number_edges(2.5, 2.5)
    ([0.0, 0.5, 1.0], [2.5, 2.5])
    """
    if least == most:
        return [least, most]
    width = (most - least) / BINS
    return [*(least + place * width for place in range(BINS)), most]


class _Column:
    """One column, and the questions it is asked."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, table: str, name: str, kind: str) -> None:
        self._connection, self._table, self._name, self._type = connection, sql_name(table), name, kind
        self._sql = sql_name(name)

    def profile(self, *, reads_numbers: bool) -> ColumnProfile:
        """The column's profile."""
        if self._type in ("FLOAT", "DOUBLE"):
            self._sql = f"if(isnan({self._sql}), null, {self._sql})"
        # Of texts their hashes are told apart: a million of 2,000 characters do not fit in memory, their hashes of 16 bytes do.
        told = f"md5_number({self._sql})" if self._type == "VARCHAR" else self._sql
        row_count, filled_count, distinct_count = self._row(
            f"select count(*), count({self._sql}), count(distinct {told}) from {self._table}"
        )
        kind = self._kind(row_count, distinct_count, reads_numbers=reads_numbers and filled_count > 0)
        lengths = values = classes = None
        if filled_count and kind in ("text", "classes"):
            lengths = self._integers(f"length({self._sql})")
        elif filled_count and kind == "list":
            lengths = self._integers(f"len({self._sql})")
        elif filled_count and kind == "integer":
            values = self._integers(f"cast({self._sql} as hugeint)")
        elif filled_count and kind == "number":
            values = self._numbers()
        elif filled_count and kind == "date":
            values = self._dates()
        if kind in ("classes", "boolean"):
            classes = self._classes()
        nulls = row_count - filled_count
        return ColumnProfile(self._name, self._type, kind, row_count, nulls, distinct_count, lengths, values, classes)

    def _kind(self, row_count: int, distinct_count: int, *, reads_numbers: bool) -> str:
        if self._type.endswith("]"):
            return "list"
        if self._type.startswith(("VARCHAR", "ENUM", "UUID", "JSON")):
            self._sql = self._sql if self._type == "VARCHAR" else f"cast({self._sql} as varchar)"
            if reads_numbers and self._is_all_integers():
                return "integer"
            return "classes" if is_classes(distinct_count, row_count) else "text"
        if self._type in _INTEGERS:
            return "integer"
        if self._type in ("FLOAT", "DOUBLE") or self._type.startswith("DECIMAL"):
            return "number"
        if self._type.startswith(("DATE", "TIMESTAMP")):
            return "date"
        return "boolean" if self._type == "BOOLEAN" else "other"

    def _is_all_integers(self) -> bool:
        return bool(self._row(f"select bool_and(regexp_full_match({self._sql}, ?)) from {self._table}", _INTEGER_TEXT)[0])

    def _integers(self, value: str) -> Figures:
        """Figures of whole numbers. Sums are exact, so that they do not depend on the order in which threads come to rows."""
        least, most, count = self._row(f"select min({value}), max({value}), count({value}) from {self._table}")
        quartiles = self._quartiles(value)
        mean, std = self._mean_and_std(value, least, most, count)
        edges = integer_edges(least, most)
        width = edges[1] - edges[0] if len(edges) > 2 else 1
        place = f"cast(({value} - {least}) // {width} as integer)"
        return Figures(int(least), *quartiles, int(most), mean, std, self._histogram(place, edges))

    def _numbers(self) -> Figures:
        """Figures of numbers that may have decimals; those that are infinite count for the extremes only."""
        value = f"cast({self._sql} as double)"
        least, most, count = self._row(f"select min({value}), max({value}), count({value}) from {self._table}")
        if not (math.isfinite(least) and math.isfinite(most)):
            return Figures(least, *self._quartiles(value), most)
        quartiles, (mean, std) = self._quartiles(value), self._mean_and_std_of_decimals(value, least, most, count)
        edges = number_edges(least, most)
        inner = ", ".join(f"cast({edge!r} as double)" for edge in edges[1:-1])
        place = f"len(list_filter([{inner}]::double[], lambda edge: edge <= {value}))"
        shown = [round(edge, _DECIMALS) for edge in edges]
        return Figures(_rounded(least), *quartiles, _rounded(most), mean, std, self._histogram(place, edges, shown))

    def _dates(self) -> Figures:
        """Figures of dates and times, in bins of whole seconds, or of whole days where there is no time of day."""
        is_date = self._type == "DATE"
        value = self._sql if is_date else f"cast({self._sql} as timestamp)"
        number = f"datediff('day', date '1970-01-01', {value})" if is_date else f"epoch_us({value}) // 1000000"
        least, most = self._row(f"select min({value}), max({value}) from {self._table}")
        first, last = self._row(f"select min({number}), max({number}) from {self._table}")
        quartiles = self._row(
            f"select quantile_disc({value}, 0.25), quantile_disc({value}, 0.5), quantile_disc({value}, 0.75) from {self._table}"
        )
        edges = integer_edges(first, last)
        width = edges[1] - edges[0] if len(edges) > 2 else 1
        back = "date '1970-01-01' + cast(edge as integer)" if is_date else "make_timestamp(edge * 1000000)"
        texts = self._row(f"select list_transform($1::bigint[], lambda edge: cast({back} as varchar))", edges)[0]
        histogram = self._histogram(f"cast(({number} - {first}) // {width} as integer)", edges, texts)
        q25, median, q75 = (str(quartile) for quartile in quartiles)
        return Figures(str(least), q25, median, q75, str(most), histogram=histogram)

    def _quartiles(self, value: str) -> tuple[Any, Any, Any]:
        parts = ", ".join(f"quantile_cont(cast({value} as double), {share})" for share in (0.25, 0.5, 0.75))
        q25, median, q75 = self._row(f"select {parts} from {self._table}")
        return _rounded(q25), _rounded(median), _rounded(q75)

    def _mean_and_std(self, value: str, least: int, most: int, count: int) -> tuple[float, float | None]:
        """Mean and standard deviation from exact sums, or, where their squares would not fit, as for decimals."""
        if (most - least) ** 2 * count >= 2**126:
            return self._mean_and_std_of_decimals(f"cast({value} as double)", float(least), float(most), count)
        return self._from_sums(f"({value} - {least})", least, 1, count)

    def _mean_and_std_of_decimals(self, value: str, least: float, most: float, count: int) -> tuple[float, float | None]:
        """The same of numbers with decimals, whose sum depends on the order in which threads come to them.

        So they are added up as whole numbers: how many steps of the range, of which there are 2^50, they lie above the least.
        """
        step = (most - least) / _STEPS
        if not (step and math.isfinite(step)):
            return least, 0.0 if count > 1 else None
        steps = f"cast(round(({value} - cast({least!r} as double)) / cast({step!r} as double)) as hugeint)"
        return self._from_sums(steps, least, step, count)

    def _from_sums(self, whole: str, least: float, step: float, count: int) -> tuple[float, float | None]:
        """Mean and standard deviation of `least + step * whole`."""
        total, squares = (int(each) for each in self._row(f"select sum({whole}), sum({whole} * {whole}) from {self._table}"))
        variance = (squares * count - total * total) / (count * (count - 1)) if count > 1 else None
        mean = round(least + step * (total / count), _DECIMALS)
        return mean, None if variance is None else round(step * math.sqrt(variance), _DECIMALS)

    def _histogram(self, place: str, edges: Sequence[Any], shown: Sequence[Any] | None = None) -> Histogram:
        """The values counted by bin, from an expression for the place of a value's bin, from 0."""
        rows = self._connection.execute(
            f"select {place}, count(*) from {self._table} where {self._sql} is not null group by 1"
        ).fetchall()
        counts = dict(rows)
        return Histogram(tuple(shown or edges), tuple(int(counts.get(number, 0)) for number in range(len(edges) - 1)))

    def _classes(self) -> tuple[tuple[str, int], ...]:
        rows = self._connection.execute(
            f"select cast({self._sql} as varchar), count(*) from {self._table} "
            f"where {self._sql} is not null group by 1 order by 2 desc, 1"
        ).fetchall()
        return tuple((str(value), int(count)) for value, count in rows)

    def _row(self, query: str, *parameters: object) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self._connection.execute(query, list(parameters)).fetchall()[0]
        return row


def _rounded(value: float | None) -> float | None:
    """A figure with the viewer's decimals; a whole one without any."""
    if value is None or not math.isfinite(value):
        return value
    return int(value) if float(value).is_integer() else round(float(value), _DECIMALS)
