"""This module tests that a release's folders are read as they are by pandas, Polars, PyArrow and any DuckDB client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from flows.cli import call
from transforms.schemas import TABLES

_POLARS = {
    "string": pl.String,
    "bool": pl.Boolean,
    "int16": pl.Int16,
    "int32": pl.Int32,
    "int64": pl.Int64,
    "float64": pl.Float64,
    "list<string>": pl.List(pl.String),
}
_DUCKDB = {
    "string": "VARCHAR",
    "bool": "BOOLEAN",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "list<string>": "VARCHAR[]",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    lake = tmp_path_factory.mktemp("interoperability") / "lake x=1"
    assert call(["run", str(samples), "--lake", str(lake), "--direct"]) == 0
    return lake


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_each_tool_reads_a_tables_folder_with_the_types_of_the_contract(lake: Path, table) -> None:
    folder = lake / "current" / table.name
    with duckdb.connect(str(lake / "paperlake.duckdb"), read_only=True) as connection:
        relation = connection.sql(f"select * from {table.name}")
        row_count = connection.execute(f"select count(*) from {table.name}").fetchall()[0][0]
        assert dict(zip(relation.columns, map(str, relation.types), strict=True)) == {
            column.name: _DUCKDB[column.dtype] for column in table.columns
        }
        expected = relation.to_arrow_table()

    frame = pl.read_parquet(folder, hive_partitioning=False)
    assert frame.height == row_count
    assert dict(frame.schema) == {column.name: _POLARS[column.dtype] for column in table.columns}
    assert pl.scan_parquet(folder / "*.parquet", hive_partitioning=False).select(pl.len()).collect().item() == row_count

    dataset = ds.dataset(folder, format="parquet")
    assert dataset.count_rows() == row_count
    found = dataset.to_table()
    assert found.column_names == table.column_names()
    assert found.cast(pa.schema([field.with_nullable(True) for field in expected.schema])).equals(expected)

    pandas_frame = pd.read_parquet(folder)
    assert len(pandas_frame) == row_count and list(pandas_frame.columns) == table.column_names()
    arrow_frame = pd.read_parquet(folder, dtype_backend="pyarrow")
    for column in table.columns:
        if column.dtype in ("int16", "int32", "int64"):
            assert str(arrow_frame[column.name].dtype) == f"{column.dtype}[pyarrow]"
        assert arrow_frame[column.name].isna().sum() == frame[column.name].null_count()


def test_partial_reads_skip_what_they_do_not_need(lake: Path) -> None:
    folder = lake / "current" / "papers"
    one = ds.dataset(folder).to_table(columns=["title"], filter=ds.field("year") == 2031)
    assert one.num_rows == pl.scan_parquet(folder).filter(pl.col("year") == 2031).select("title").collect().height > 0
    assert one.num_rows == len(pd.read_parquet(folder, columns=["title"], filters=[("year", "==", 2031)]))


LOOP = """
import duckdb, sys, time
counts = set()
end = time.monotonic() + 120
print("ready", flush=True)
while time.monotonic() < end:
    with duckdb.connect(sys.argv[1], read_only=True) as connection:
        counts.add(connection.execute("select count(*), (select release_id from current_release) from papers").fetchall()[0])
    if len(counts) > 1:
        break
print(len(counts))
"""


def test_other_processes_read_the_lakes_file_from_elsewhere_while_a_run_replaces_it(tmp_path: Path, samples: Path) -> None:
    lake = tmp_path / "lake"
    assert call(["run", str(samples / "papers.csv"), "--lake", str(lake), "--direct"]) == 0
    path = lake / "paperlake.duckdb"
    held = duckdb.connect(str(path), read_only=True)  # a client that keeps the file open does not hinder the run
    before = held.execute("select count(*) from papers").fetchall()
    readers = [
        subprocess.Popen([sys.executable, "-c", LOOP, str(path)], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for reader in readers:
        assert reader.stdout is not None and reader.stdout.readline() == b"ready\n"
    assert call(["run", str(samples / "papers.jsonl"), "--lake", str(lake), "--direct"]) == 0
    for reader in readers:
        out, err = reader.communicate(timeout=150)
        assert (out, err) == (b"2\n", b"")
    assert held.execute("select count(*) from papers").fetchall() == before
    held.close()


WRITES = [
    "create table x as select 1",
    "drop view papers",
    "create or replace view papers as select 1",
    "insert into papers values (1)",
]


@pytest.mark.parametrize("sql", WRITES)
def test_client_that_opens_the_file_to_read_cannot_change_it(lake: Path, sql: str) -> None:
    with duckdb.connect(str(lake / "paperlake.duckdb"), read_only=True) as connection, pytest.raises(duckdb.Error):
        connection.execute(sql)


def test_every_view_of_the_file_can_be_read(lake: Path) -> None:
    with duckdb.connect(str(lake / "paperlake.duckdb"), read_only=True) as connection:
        views = connection.execute("select view_name, comment from duckdb_views() where not internal").fetchall()
        assert {*TABLES, "current_release"} < {name for name, _ in views}
        for name, comment in views:
            assert comment, name
            connection.execute(f'select * from "{name}"').fetchall()
