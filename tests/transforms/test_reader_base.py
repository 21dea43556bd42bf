"""What all readers share: the columns they fill are those of the contract, and entries become rows of them."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from transforms.frames import polars_schema
from transforms.readers.base import (
    FURNITURE_SCHEMA,
    RECORD_SCHEMA,
    REJECT_SCHEMA,
    TOTAL_SCHEMA,
    BatchBuilder,
    raw_json,
    rows_frame,
    texts_json,
)
from transforms.schemas import CONTROL_TOTALS, FURNITURE, REJECTS
from transforms.staged_schemas import STAGED_RECORDS


@pytest.mark.parametrize(
    ("schema", "table", "filled_later"),
    [
        (RECORD_SCHEMA, STAGED_RECORDS, {"ordinal"}),
        (REJECT_SCHEMA, REJECTS, {"file_sha256", "record_id", "stage"}),
        (FURNITURE_SCHEMA, FURNITURE, {"file_sha256"}),
        (TOTAL_SCHEMA, CONTROL_TOTALS, {"file_sha256"}),
    ],
    ids=["records", "rejects", "furniture", "control totals"],
)
def test_the_columns_are_those_of_the_contract_in_its_order_but_what_the_caller_fills(schema, table, filled_later):
    contract = polars_schema(table.columns)
    assert list(schema.items()) == [(name, dtype) for name, dtype in contract.items() if name not in filled_later]
    assert filled_later < set(contract)


@pytest.mark.parametrize(("mark_bytes", "spans"), [(0, []), (3, [("byte_order_mark", 0, 3)])])
def test_a_byte_order_mark_is_furniture_where_there_is_one(mark_bytes, spans):
    builder = BatchBuilder()
    builder.byte_order_mark(mark_bytes)
    assert builder.take().furniture.select("kind", "span_start", "span_end").rows() == spans


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LISTS = st.lists(TEXTS | st.none(), max_size=3)
VALUES = {
    pl.String(): TEXTS,
    pl.Int64(): st.integers(-(2**63), 2**63 - 1),
    pl.Int32(): st.integers(-(2**31), 2**31 - 1),
    pl.Float64(): st.floats() | st.integers(-(2**53), 2**53),
    pl.List(pl.String()): LISTS,
}


def rows_of(schema):
    """Rows that fill some of a schema's columns, and one that it lacks, with values of their types."""
    columns = {name: st.none() | VALUES[dtype] for name, dtype in schema.items()}
    return st.lists(st.fixed_dictionaries({}, optional={**columns, "no such column": TEXTS}), max_size=6)


@pytest.mark.parametrize(
    "schema", [RECORD_SCHEMA, REJECT_SCHEMA, FURNITURE_SCHEMA, TOTAL_SCHEMA], ids=["records", "rejects", "furniture", "totals"]
)
@settings(max_examples=60, derandomize=True, deadline=None)
@given(data=st.data())
def test_rows_become_the_frame_that_polars_makes_of_them(schema, data):
    rows = data.draw(rows_of(schema))
    assert_frame_equal(rows_frame(rows, schema), pl.DataFrame(rows, schema=schema, orient="row"))


@pytest.mark.parametrize("value", [7, 7.5, True])
def test_a_value_of_another_type_becomes_what_polars_makes_of_it(value):
    rows = [{"year_raw": "2024"}, {"year_raw": value, "author_names_raw": ["Lee, Ann"]}]
    assert_frame_equal(rows_frame(rows, RECORD_SCHEMA), pl.DataFrame(rows, schema=RECORD_SCHEMA, orient="row"))


def test_rows_of_a_frame_without_columns_of_theirs_are_null():
    assert rows_frame([{}, {}], FURNITURE_SCHEMA).rows() == [(None, None, None, None)] * 2
    assert rows_frame([], RECORD_SCHEMA).schema == RECORD_SCHEMA


NESTED = st.recursive(TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.dictionaries(TEXTS, NESTED, max_size=4))
def test_json_of_texts_is_that_of_any_columns_but_for_its_spaces(raw):
    assert texts_json(raw) == json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
    assert json.loads(texts_json(raw)) == json.loads(raw_json(raw))


def test_json_of_texts_has_a_bad_byte_as_a_replacement_character_however_deep():
    deep = "x"
    for _ in range(400):
        deep = [deep]
    assert json.loads(texts_json({"t": "a\udce4b", "by": ["\udce4"]})) == {"t": "a\ufffdb", "by": ["\ufffd"]}
    assert json.loads(texts_json({"t": deep})) == {"t": deep}
