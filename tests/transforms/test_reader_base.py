"""What all readers share: the columns they fill are those of the contract, and entries become rows of them."""

import pytest

from transforms.frames import polars_schema
from transforms.readers.base import FURNITURE_SCHEMA, RECORD_SCHEMA, REJECT_SCHEMA, TOTAL_SCHEMA, BatchBuilder
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
