"""Parquet: the contract is in the file, and the same rows give the same bytes."""

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from transforms.schemas import AUTHORSHIPS, TABLES, SchemaError
from warehouse.parquet import write_table

ROWS = {
    "paper_id": ["p2", "p1", "p1"],
    "position": [1, 2, 1],
    "name": ["C", "B", "A"],
    "name_raw": ["c", "b", "a"],
    "given": [None, "b", "a"],
    "family": [None, None, None],
}
SCHEMA = {"position": pl.Int32, "given": pl.String, "family": pl.String}


def test_rows_come_back_sorted_with_the_meaning_of_each_column(tmp_path: Path) -> None:
    path = write_table(pl.DataFrame(ROWS, schema_overrides=SCHEMA), AUTHORSHIPS, tmp_path)
    assert pl.read_parquet(path)["name"].to_list() == ["A", "B", "C"]
    schema = pq.read_schema(path)
    assert schema.field("name_raw").metadata[b"description"] == b"the name as the source gives it"
    assert not schema.field("name").nullable


def test_the_order_of_the_rows_makes_no_difference_to_the_bytes(tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS, schema_overrides=SCHEMA)
    first = write_table(frame, AUTHORSHIPS, tmp_path / "a").read_bytes()
    assert write_table(frame.reverse(), AUTHORSHIPS, tmp_path / "b").read_bytes() == first


def test_null_where_the_contract_rules_it_out_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({**ROWS, "name": ["C", None, "A"]}, schema_overrides=SCHEMA)
    with pytest.raises(SchemaError, match="name"):
        write_table(frame, AUTHORSHIPS, tmp_path)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_table_can_be_written_empty_and_read_by_pyarrow(table, tmp_path: Path) -> None:
    from transforms.frames import frame_of

    path = write_table(frame_of(table), table, tmp_path)
    read = pq.read_table(path)
    assert (read.num_rows, read.column_names) == (0, table.column_names())


def test_only_values_that_repeat_get_a_dictionary(tmp_path: Path) -> None:
    rows = 400
    frame = pl.DataFrame(
        {
            "paper_id": [f"p{number:04}" for number in range(rows)],
            "position": [1] * rows,
            "name": [f"Name {number}" for number in range(rows)],
            "name_raw": ["one of few", "another"] * (rows // 2),
            "given": [None] * rows,
            "family": [f"Name {number}" if number % 2 else None for number in range(rows)],
        },
        schema_overrides=SCHEMA,
    )
    group = pq.ParquetFile(write_table(frame, AUTHORSHIPS, tmp_path)).metadata.row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    has_dictionary = {column.path_in_schema: "RLE_DICTIONARY" in column.encodings for column in columns}
    assert {name for name, has in has_dictionary.items() if has} - {"given"} == {"position", "name_raw"}
