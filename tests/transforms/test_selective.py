"""Costly steps on some rows only: what they change, and that the series given is never changed."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_series_equal

from transforms.selective import on_distinct, on_rows

VALUES = st.lists(st.sampled_from(["a", "B", "cc", "", None]), max_size=12)


def upper(values: pl.Series) -> pl.Series:
    return values.str.to_uppercase()


@given(VALUES, st.data())
def test_rows_of_the_mask_are_changed_and_no_others(values: list[str | None], data: st.DataObject) -> None:
    flags = data.draw(st.lists(st.sampled_from([True, False, None]), min_size=len(values), max_size=len(values)))
    series = pl.Series("words", values, dtype=pl.String)
    given_series = series.clone()
    found = on_rows(series, pl.Series(flags, dtype=pl.Boolean), upper)
    assert found.to_list() == [
        one.upper() if flag and one is not None else one for one, flag in zip(values, flags, strict=True)
    ]
    assert_series_equal(series, given_series)
    assert series.to_list() == values


@given(VALUES)
def test_distinct_values_are_changed_wherever_they_stand(values: list[str | None]) -> None:
    series = pl.Series("words", values, dtype=pl.String)
    assert on_distinct(series, upper).to_list() == [one if one is None else one.upper() for one in values]
    assert series.to_list() == values and series.name == "words"


def test_a_step_sees_only_the_rows_it_is_for_and_each_distinct_value_once() -> None:
    seen: list[str] = []

    def step(values: pl.Series) -> pl.Series:
        seen.extend(values.to_list())
        return upper(values)

    series = pl.Series(["a", "b", "a", None])
    on_rows(series, series == "b", step)
    assert seen == ["b"]
    seen.clear()
    on_distinct(series, step)
    assert sorted(seen) == ["a", "b"]


def test_a_step_without_rows_is_not_asked() -> None:
    def step(values: pl.Series) -> pl.Series:
        raise AssertionError("asked of nothing")

    for mask in (pl.Series([False, False]), pl.Series([None, None], dtype=pl.Boolean)):
        assert on_rows(pl.Series(["a", "b"]), mask, step).to_list() == ["a", "b"]
    assert on_rows(pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.Boolean), step).to_list() == []


@pytest.mark.parametrize("part", [slice(1, 4), slice(0, 2)])
def test_a_slice_and_what_it_is_of_stay_as_they_are(part: slice) -> None:
    whole = pl.Series(["a", "b", "c", "d", "e"])
    piece = whole[part]
    on_rows(piece, piece.is_not_null(), upper)
    assert whole.to_list() == ["a", "b", "c", "d", "e"] and piece.to_list() == whole.to_list()[part]


def test_rows_may_become_null_and_lists() -> None:
    series = pl.Series(["a", "b"])
    assert on_rows(series, series == "a", lambda rows: pl.Series([None], dtype=pl.String)).to_list() == [None, "b"]
    assert on_distinct(series, lambda rows: rows.str.split("")).list.len().to_list() == [1, 1]
