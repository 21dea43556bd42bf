"""This module tests files that rows are written to: their types, what Excel makes of them, and that they come whole or not."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import fastexcel
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from warehouse import row_sheets
from warehouse.query import QueryError, QueryLimits, QueryResult, run_query
from warehouse.row_files import FILE_FORMATS, OutputError, WrittenFile, file_format, output_path, write_result, write_rows_file

LIMITS = QueryLimits(memory_bytes=512 << 20, time_seconds=30, spill_bytes=64 << 20)
Write = Callable[..., WrittenFile]


@pytest.fixture
def write(sound_release: Path, tmp_path: Path) -> Write:
    """A function that writes the answer to a query to a file of `tmp_path`."""

    def of(sql: str, name: str, **options: int | None) -> WrittenFile:
        with ask(sql) as result:
            return write_result(result, tmp_path / name, **options)  # type: ignore[arg-type]

    def ask(sql: str) -> QueryResult:
        return run_query(sound_release, sql, spill_dir=tmp_path / "spill", limits=LIMITS, is_deferred=True)

    return of


KEPT = [
    ("date '2024-05-07'", pa.date32(), datetime.date(2024, 5, 7)),
    ("1.50::decimal(10,2)", pa.decimal128(10, 2), Decimal("1.50")),
    ("['a', null]", pa.list_(pa.string()), ["a", None]),
    ("{'a': 1, 'b': ['x']}", pa.struct({"a": pa.int32(), "b": pa.list_(pa.string())}), {"a": 1, "b": ["x"]}),
    ("2024::smallint", pa.int16(), 2024),
    ("timestamp '2024-05-07 10:00:00'", pa.timestamp("us"), datetime.datetime(2024, 5, 7, 10)),
    ("'\\xAA'::blob", pa.binary(), b"\xaa"),
    ("null::varchar", pa.string(), None),
]
AS_TEXT = [
    ("interval '1 month'", "1 month"),
    ("'101'::bit", "101"),
    ("12345678901234567890123456789012345678901234567890::bignum", "12345678901234567890123456789012345678901234567890"),
    ("{'interval': interval '2 days'}", "{'interval': 2 days}"),
    ("union_value(k := 'a')", "a"),
]


@pytest.mark.parametrize(("sql", "kind", "value"), KEPT)
def test_parquet_keeps_types(write: Write, tmp_path: Path, sql: str, kind: pa.DataType, value: object) -> None:
    assert write(f"select {sql} as x", "out.parquet").rows == 1
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.schema.field("x").type.equals(kind)
    assert table.to_pylist() == [{"x": value}]


@pytest.mark.parametrize(("sql", "text"), AS_TEXT)
def test_what_parquet_has_no_form_for_comes_as_text(write: Write, tmp_path: Path, sql: str, text: str) -> None:
    write(f"select 1 as n, {sql} as x", "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").to_dicts() == [{"n": 1, "x": text}]


def test_parquet_holds_each_name_once_and_an_answer_without_rows(write: Write, tmp_path: Path) -> None:
    write("select 1 as a, 2 as a", "twice.parquet")
    assert pl.read_parquet(tmp_path / "twice.parquet").to_dicts() == [{"a": 1, "a_2": 2}]
    write("select title, year from papers where false", "none.parquet")
    assert pl.read_parquet(tmp_path / "none.parquet").schema == {"title": pl.String, "year": pl.Int16}


@pytest.mark.parametrize("name", [f"out{ending}" for ending in FILE_FORMATS])
def test_limit_is_kept_and_whether_there_was_more_is_told(write: Write, tmp_path: Path, name: str) -> None:
    for limit, rows, is_cut in (
        (0, 0, True),
        (4999, 4999, True),
        (5000, 5000, False),
        (9000, 5000, False),
        (None, 5000, False),
    ):
        assert write("select range as n from range(5000)", name, limit=limit) == WrittenFile(tmp_path / name, rows, is_cut)


def test_csv_and_json_hold_what_is_printed(write: Write, tmp_path: Path) -> None:
    for name in ("out.csv", "out.json", "out.jsonl"):
        write("select 'é, \"x\"' as a, [1, 2] as b", name)
    assert (tmp_path / "out.csv").read_bytes() == 'a,b\r\n"é, ""x""","[1, 2]"\r\n'.encode()
    assert json.loads((tmp_path / "out.json").read_text()) == [{"a": 'é, "x"', "b": [1, 2]}]
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"a": 'é, "x"', "b": [1, 2]}


CELLS: list[tuple[object, object]] = [
    ("=1+1", "=1+1"),
    ("+1", "+1"),
    ("@sum(a1)", "@sum(a1)"),
    ("https://example.org", "https://example.org"),
    ("007", "007"),
    ("a\x01\nb _x0041_", "a\x01\nb _x0041_"),
    (2024, 2024.0),
    (2**60 + 1, str(2**60 + 1)),
    (1.5, 1.5),
    (float("nan"), "nan"),
    (Decimal("1.25"), 1.25),
    (True, True),
    (None, None),
    (["a", "é"], '["a", "é"]'),
    (datetime.date(2024, 5, 7), datetime.datetime(2024, 5, 7)),
    (datetime.date(1899, 5, 7), "1899-05-07"),
    (datetime.datetime(2024, 5, 7, 10, 30), datetime.datetime(2024, 5, 7, 10, 30)),
    (datetime.datetime(2024, 5, 7, 10, tzinfo=datetime.UTC), "2024-05-07T10:00:00+00:00"),
    (datetime.datetime(2024, 5, 7, 10, 0, 0, 123456), "2024-05-07T10:00:00.123456"),
    ("x" * 32_767, "x" * 32_767),
]


@pytest.mark.parametrize(("value", "cell"), CELLS)
def test_excel_shows_a_value_as_it_is_and_runs_none(tmp_path: Path, value: object, cell: object) -> None:
    path = tmp_path / "out.xlsx"
    assert write_rows_file(["x", "n"], ["VARCHAR", "BIGINT"], [[(value, 1)]], path, "xlsx") == WrittenFile(path, 1)
    found = fastexcel.read_excel(path).load_sheet(0).to_polars()
    assert found["x"][0] == cell
    assert b"<f>" not in _sheet_xml(path)


@pytest.mark.parametrize("text", ["x" * 32_768, "𝒳" * 16_384, "x" + "𝒳" * 16_384])
def test_text_too_long_for_a_cell_is_cut_and_counted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "out.xlsx"
    assert write_rows_file(["x"], ["VARCHAR"], [[(text,), ("short",)]], path, "xlsx").cut_cells == 1
    cell = fastexcel.read_excel(path).load_sheet(0).to_polars()["x"][0]
    assert cell.endswith("…") and text.startswith(cell[:-1]) and 32_766 <= len(cell.encode("utf-16-le")) // 2 <= 32_767


def test_sheet_that_cannot_hold_all_rows_is_refused_and_leaves_nothing(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_sheets, "MOST_ROWS", 10)
    assert write("select range from range(10)", "fits.xlsx").rows == 10
    with pytest.raises(OutputError, match=r"full\.xlsx: an Excel sheet holds 10 rows .* --limit"):
        write("select range from range(11)", "full.xlsx")
    with pytest.raises(OutputError, match="16,384 columns"):
        write_rows_file(["c"] * 16_385, ["INTEGER"] * 16_385, [], tmp_path / "wide.xlsx", "xlsx")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["fits.xlsx"]


@pytest.mark.parametrize("name", [f"out{ending}" for ending in FILE_FORMATS])
def test_query_that_fails_on_its_way_leaves_the_file_as_it_was(write: Write, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("kept")
    with pytest.raises(QueryError, match="too far"):
        write("select case when range < 200000 then 1 else error('too far') end from range(300000)", name)
    assert (tmp_path / name).read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [name]


@pytest.mark.parametrize("name", [f"out{ending}" for ending in FILE_FORMATS])
def test_the_same_rows_give_the_same_bytes(write: Write, tmp_path: Path, name: str) -> None:
    written = []
    for _ in range(2):
        write("select *, [year] as l, date '2024-05-07' as d from papers order by paper_id", name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


def test_endless_query_is_stopped_while_it_is_written(sound_release: Path, tmp_path: Path) -> None:
    sql = "select * from range(200000) union all select count(*) from range(1000000000000) a, range(1000000) b"
    limits = QueryLimits(time_seconds=0.5)
    for name in ("out.parquet", "out.jsonl"):
        with (
            run_query(sound_release, sql, spill_dir=tmp_path, limits=limits, is_deferred=True) as result,
            pytest.raises(QueryError, match=r"time limit of 0\.5 s"),
        ):
            write_result(result, tmp_path / name)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("out.txt", r"its ending \.txt names no format; known are \.parquet, \.csv, \.json, \.jsonl, \.xlsx"),
        ("out", "it has no ending, which names no format"),
        ("folder.csv", "is a folder; give the name of a file"),
        ("nowhere/out.csv", "there is no folder .*nowhere; make it first"),
        ("lake/out.csv", "lies in the lake"),
        ("lake/current/papers/papers.parquet", "lies in the lake"),
        ("into_lake.csv", "lies in the lake"),
        ("x/../lake/out.csv", "lies in the lake"),
        ("pipe.csv", "is no regular file"),
    ],
)
def test_place_that_is_none_for_a_file_is_refused_in_a_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    import os

    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "lake").mkdir()
    (tmp_path / "x").mkdir()
    (tmp_path / "into_lake.csv").symlink_to(tmp_path / "lake" / "raw.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(OutputError, match=sentence):
        output_path(tmp_path / name, tmp_path / "lake")


def test_ending_tells_the_format_in_any_case_and_a_link_is_followed(tmp_path: Path) -> None:
    assert file_format(Path("A.XLSX")) == "xlsx"
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    assert output_path(tmp_path / "link.csv", tmp_path / "lake") == (tmp_path / "real.csv").resolve()


def _sheet_xml(path: Path) -> bytes:
    import zipfile

    with zipfile.ZipFile(path) as archive:
        return archive.read("xl/worksheets/sheet1.xml")
