"""Tests of transforms.record_keys: what stays the same when a file is dumped again."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.record_keys import record_keys


def keys_of(*raw, source="demo", has_keys=False, source_keys=None):
    rows = pl.DataFrame(
        {
            "file_sha256": ["f00d"] * len(raw),
            "source_key": source_keys or [None] * len(raw),
            "raw": [json.dumps(values) for values in raw],
        },
        schema={"file_sha256": pl.String, "source_key": pl.String, "raw": pl.String},
    )
    return record_keys(rows, source=source, has_keys=has_keys).to_list()


def test_a_key_never_changes_between_versions():
    assert keys_of({"title": "A"}) == ["kef085517edaf337c03ece697"]


def test_the_order_of_columns_and_empty_values_make_no_difference():
    first, second = {"title": "A", "year": 2024}, {"year": 2024, "doi": "", "x": None, "y": [], "title": "A"}
    assert keys_of(first) == keys_of(second)


@pytest.mark.parametrize(
    "other",
    [
        {"title": "B"},
        {"titel": "A"},
        {"title": ["A"]},
        {"title": "A", "year": 0},
        {"title": "A", "x": False},
        {"titleA": ""},
        {},
    ],
)
def test_another_value_is_another_key(other):
    assert keys_of({"title": "A"}) != keys_of(other)


def test_a_number_and_its_text_are_two_values():
    assert keys_of({"year": 2024}) != keys_of({"year": "2024"})


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ('{"n": 18446744073709551617}', "kc4746b2d5249557e490372b3"),
        ('{"n": -9223372036854775809}', "k1c8156dffc256f960d059d80"),
        ('{"n": [1e400, NaN]}', "kba7a032e3f8432aa02b1fe62"),
        ('{"n": "\\ud800"}', "k19a29345a28e01eafd13f171"),
        ('{"n": -0, "f": 1E5, "b": true}', "k49297903d18aa8f1f0b5c512"),
        ('{"n": {"b": 1, "a": [2.50, null]}}', "kd81032aa5dc00649c247a6a4"),
        ("", "k3c34aec8cfa48b9e03636ffd"),
        ("[1]", "kac25800d2693231ec4971e91"),
    ],
)
def test_keys_of_numbers_and_texts_that_readers_of_json_treat_differently_never_change(raw, key):
    rows = pl.DataFrame({"file_sha256": ["f"], "source_key": [None], "raw": [raw]})
    assert record_keys(rows, source="demo", has_keys=False).to_list() == [key]


def test_equal_records_of_one_file_are_counted():
    keys = keys_of({"t": "A"}, {"t": "B"}, {"t": "A"}, {"t": "A"})
    assert keys[2:] == [f"{keys[0]}#2", f"{keys[0]}#3"] and "#" not in keys[1]


def test_a_source_with_keys_keys_by_them_and_by_its_name():
    rows = ({"t": "A"}, {"t": "B"})
    keys = keys_of(*rows, has_keys=True, source_keys=["7", None])
    assert keys[0] == keys_of({"t": "changed"}, has_keys=True, source_keys=["7"])[0]
    assert keys[0] != keys_of({"t": "A"}, has_keys=True, source_keys=["7"], source="other")[0]
    assert keys[1] == keys_of({"t": "B"})[0]


def test_without_keys_the_source_makes_no_difference():
    assert keys_of({"t": "A"}, source="a", source_keys=["7"]) == keys_of({"t": "A"}, source="b", source_keys=["8"])


VALUES = st.dictionaries(
    st.text(max_size=3), st.one_of(st.text(max_size=3), st.integers(), st.none(), st.lists(st.integers())), max_size=3
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(VALUES, VALUES)
def test_keys_are_equal_just_when_the_filled_values_are(left, right):
    def filled(values):
        return {name: value for name, value in values.items() if value not in (None, "", [])}

    assert (keys_of(left) == keys_of(right)) == (filled(left) == filled(right))


def test_a_lone_surrogate_in_raw_has_a_key():
    assert keys_of({"t": "\ud800"}) != keys_of({"t": "\ud801"})
