"""Profiles of columns agree with the same figures worked out in plain Python, by the dataset viewer's definitions."""

from __future__ import annotations

import datetime
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.profile_files import is_read_directly, open_file
from warehouse.profiles import ColumnProfile, Figures, column_types, is_classes, profile_columns
from warehouse.sandbox import QueryLimits


def profiled(values: Sequence[Any], kind: pa.DataType, *, reads_numbers: bool = False, threads: int = 2) -> ColumnProfile:
    """The profile of one column of these values."""
    with duckdb.connect(":memory:", config={"threads": threads}) as connection:
        connection.register("given", pa.table({'it\'s "x"': pa.array(values, kind)}))
        connection.execute("create table t as select * from given")
        (found,) = profile_columns(connection, "t", list(column_types(connection, "t")), reads_numbers=reads_numbers)
    return found


def edges_of_integers(least: int, most: int) -> list[int]:
    """The viewer's bin edges: steps of the least whole width that ten bins cover the range with, then the greatest value."""
    width = math.ceil((most - least + 1) / 10)
    edges = [least]
    while edges[-1] + width <= most:
        edges.append(edges[-1] + width)
    return [*edges, most]


def counted(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    """Each value counted in the last bin whose lower edge it reaches."""
    counts = [0] * (len(edges) - 1)
    for value in values:
        counts[max(place for place, edge in enumerate(edges[:-1]) if edge <= value)] += 1
    return counts


def assert_figures(found: Figures | None, values: Sequence[float]) -> None:
    assert found is not None
    assert (found.min, found.max) == (min(values), max(values))
    assert found.mean == pytest.approx(statistics.fmean(values), abs=2e-5, rel=1e-9)
    assert found.median == pytest.approx(statistics.median(values), abs=2e-5, rel=1e-9)
    if len(values) > 1:
        assert found.std == pytest.approx(statistics.stdev(values), abs=2e-5, rel=1e-6)
        q25, _, q75 = statistics.quantiles(values, n=4, method="inclusive")
        assert (found.q25, found.q75) == (pytest.approx(q25, abs=2e-5, rel=1e-9), pytest.approx(q75, abs=2e-5, rel=1e-9))
    else:
        assert found.std is None


@settings(max_examples=15, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-1_000, 1_000)), min_size=1, max_size=60))
def test_figures_of_whole_numbers(values: list[int | None]) -> None:
    found = profiled(values, pa.int32())
    filled = [value for value in values if value is not None]
    assert (found.kind, found.row_count, found.null_count) == ("integer", len(values), len(values) - len(filled))
    assert found.distinct_count == len(set(filled))
    if filled:
        assert_figures(found.values, filled)
        assert found.values is not None and found.values.histogram is not None
        edges = edges_of_integers(min(filled), max(filled))
        assert list(found.values.histogram.bin_edges) == edges
        assert list(found.values.histogram.counts) == counted(filled, edges)
    else:
        assert found.values is None


@settings(max_examples=15, deadline=None)
@given(st.lists(st.one_of(st.none(), st.just(math.nan), st.integers(-800, 800).map(lambda n: n / 8)), min_size=1, max_size=60))
def test_figures_of_decimals_take_nan_for_null(values: list[float | None]) -> None:
    found = profiled(values, pa.float64())
    filled = [value for value in values if value is not None and not math.isnan(value)]
    assert (found.kind, found.null_count, found.distinct_count) == ("number", len(values) - len(filled), len(set(filled)))
    if filled:
        assert_figures(found.values, filled)
        assert found.values is not None and found.values.histogram is not None
        assert sum(found.values.histogram.counts) == len(filled)
        assert len(found.values.histogram.counts) == (1 if len(set(filled)) == 1 else 10)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(alphabet="ab日é\u0301👩 ", max_size=30)), min_size=1, max_size=80))
def test_lengths_and_classes_of_texts(values: list[str | None]) -> None:
    found = profiled(values, pa.string())
    filled = [value for value in values if value is not None]
    is_class = is_classes(len(set(filled)), len(values))
    assert (found.kind, found.null_count) == ("classes" if is_class else "text", len(values) - len(filled))
    assert found.distinct_count == len(set(filled))
    assert (None if found.classes is None else dict(found.classes)) == (dict(Counter(filled)) if is_class else None)
    if filled:
        assert_figures(found.lengths, [len(value) for value in filled])


@pytest.mark.parametrize(
    ("distinct_count", "row_count", "expected"),
    [
        (1, 1, True),
        (10, 10, True),
        (11, 54, False),
        (11, 55, True),
        (20, 100, True),
        (21, 100, False),
        (200, 1_000, True),
        (201, 1_000, False),
        (1_000, 100_000, True),
        (1_001, 100_000, False),
    ],
)
def test_string_column_is_one_of_classes_or_not(distinct_count: int, row_count: int, *, expected: bool) -> None:
    values = [f"value {place % distinct_count}" for place in range(row_count)]
    assert (profiled(values, pa.string()).kind == "classes") is expected


def test_histograms_are_those_of_the_viewers_documentation() -> None:
    index = profiled(list(range(8_551)), pa.int64()).values
    assert index is not None and index.histogram is not None
    assert index.histogram.bin_edges == (0, 856, 1712, 2568, 3424, 4280, 5136, 5992, 6848, 7704, 8550)
    assert index.histogram.counts == (*[856] * 9, 847)
    assert (index.mean, index.median, index.std) == (4275, 4275, 2468.60541)
    lengths = profiled([[0] * count for count in [1] * 11_177 + [2] * 196 + [3]], pa.list_(pa.int8())).lengths
    assert lengths is not None and lengths.histogram is not None
    assert (lengths.histogram.bin_edges, lengths.histogram.counts) == ((1, 2, 3, 3), (11_177, 196, 1))
    assert (lengths.mean, lengths.std) == (1.01741, 0.13146)


def test_lists_booleans_and_dates_have_figures_of_their_own() -> None:
    lists = profiled([["a", "b"], [], None, ["c"]], pa.list_(pa.string()))
    assert (lists.kind, lists.null_count) == ("list", 1)
    assert lists.lengths is not None and (lists.lengths.min, lists.lengths.max, lists.lengths.mean) == (0, 2, 1)
    booleans = profiled([True, False, None, True], pa.bool_())
    assert (booleans.kind, booleans.classes) == ("boolean", (("true", 2), ("false", 1)))
    days = [datetime.date(2031, 5, 1) + datetime.timedelta(days=place) for place in range(20)]
    dates = profiled([*days, None], pa.date32()).values
    assert dates is not None and dates.histogram is not None
    assert (dates.min, dates.max, dates.median) == ("2031-05-01", "2031-05-20", "2031-05-10")
    assert dates.histogram.bin_edges[:2] == ("2031-05-01", "2031-05-03") and set(dates.histogram.counts) == {2}
    times = profiled([datetime.datetime(1969, 7, 20, 20, 17), datetime.datetime(2031, 1, 1)], pa.timestamp("us")).values
    assert times is not None and times.histogram is not None
    assert (times.min, times.max) == ("1969-07-20 20:17:00", "2031-01-01 00:00:00") and sum(times.histogram.counts) == 2


def test_empty_table_null_column_and_infinite_number_have_a_profile() -> None:
    assert profiled([], pa.string()).null_ratio == 0
    assert profiled([None, None], pa.null()).null_count == 2
    infinite = profiled([1.5, math.inf], pa.float64()).values
    assert infinite is not None and infinite.max == math.inf and infinite.histogram is None
    large = profiled([-(2**63), 2**63 - 1, None], pa.int64()).values
    assert large is not None and (large.min, large.max) == (-(2**63), 2**63 - 1)


def test_texts_that_are_all_whole_numbers_are_read_as_such_where_asked() -> None:
    for values, expected in ((["7", "12", None], "integer"), (["07", "12"], "classes"), (["7", "x"], "classes")):
        assert profiled(values, pa.string(), reads_numbers=True).kind == expected
        assert profiled(values, pa.string()).kind == "classes"


def test_threads_make_no_difference() -> None:
    values = [math.sin(place) * 1e6 for place in range(200_000)]
    assert profiled(values, pa.float64(), threads=1) == profiled(values, pa.float64(), threads=4)


def test_file_with_signs_of_a_pattern_in_its_name_is_read_alone(tmp_path: Path) -> None:
    for name in ("a[12]*.csv", "a1x.csv", "a1*.csv", "it's ?.jsonl"):
        (tmp_path / name).write_text("n,d\n1,2031-05-07\n" if name.endswith("csv") else '{"n": 1, "d": "2031-05-07"}\n')
    for name in ("a[12]*.csv", "a1*.csv", "it's ?.jsonl"):
        assert is_read_directly(tmp_path / name)
        with open_file(tmp_path / name, spill_dir=tmp_path, limits=QueryLimits()) as connection:
            assert column_types(connection, "file") == {"n": "BIGINT", "d": "DATE"}
            assert connection.execute("select count(*) from file").fetchall() == [(1,)]
