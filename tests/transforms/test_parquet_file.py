"""Parquet: values of every type as JSON, rows counted by the footer."""

import datetime
import decimal
import errno
import io
import json
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.readers.base import RawFile, ReadError, Sample
from transforms.readers.limits import ReadLimits
from transforms.readers.parquet_file import read, sniff


def batches_of(path: Path):
    return list(read(RawFile(path, path.stat().st_size)))


def written(path: Path, columns, **options) -> Path:
    pq.write_table(pa.table(columns), path, **options)
    return path


def raw_of(batches) -> list[dict]:
    return [json.loads(raw) for batch in batches for raw in batch.records["raw"]]


def test_rows_become_records_with_their_columns(tmp_path):
    columns = {"Title": ["Pebbles", None], "authors": [["Ann Lee", "Bo Li"], []], "year": [2024, 2023], "id": ["p1", "p2"]}
    batches = batches_of(written(tmp_path / "raw", columns))
    assert raw_of(batches)[0] == {"Title": "Pebbles", "authors": ["Ann Lee", "Bo Li"], "year": 2024, "id": "p1"}
    records = pl.concat([batch.records for batch in batches])
    assert records.select("title_raw", "author_names_raw", "year_raw", "source_key", "locator").row(0) == (
        "Pebbles",
        ["Ann Lee", "Bo Li"],
        "2024",
        "p1",
        "row 1",
    )
    assert sum(batch.entries_counted or 0 for batch in batches) == 2


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([datetime.date(2024, 5, 1)]), "2024-05-01"),
        (pa.array([datetime.datetime(2024, 5, 1, 12, 30)]), "2024-05-01T12:30:00.000000"),
        (pa.array([1_700_000_000_123_456_789], pa.timestamp("ns")), "2023-11-14T22:13:20.123456789"),
        (pa.array([datetime.time(1, 2, 3)]), "01:02:03"),
        (pa.array([decimal.Decimal("1.50")]), "1.50"),
        (pa.array([b"plain"]), "plain"),
        (pa.array([b"\xff\x00"]), "base64:/wA="),
        (pa.array([float("nan")]), None),
        (pa.array([float("inf")]), "Infinity"),
        (pa.array([-float("inf")]), "-Infinity"),
        (pa.array([0.1]), 0.1),
        (pa.array([2**63 - 1]), 2**63 - 1),
        (pa.array([True]), True),
        (pa.array([{"a": [1, None], "b": datetime.date(2024, 5, 1)}]), {"a": [1, None], "b": "2024-05-01"}),
        (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), [["k", 1]]),
        (pa.array(["Über"]).dictionary_encode(), "Über"),
        (pa.nulls(1), None),
    ],
    ids=str,
)
def test_each_type_has_a_form_in_json(tmp_path, values, expected):
    batches = batches_of(written(tmp_path / "raw", {"title": ["A"], "value": values}))
    assert raw_of(batches) == [{"title": "A", "value": expected}]


def test_row_groups_are_read_one_by_one_and_numbered_through(tmp_path):
    path = written(tmp_path / "raw", {"title": [f"Paper {number}" for number in range(25)]}, row_group_size=10)
    batches = batches_of(path)
    assert [locator for batch in batches for locator in batch.records["locator"]] == [f"row {n}" for n in range(1, 26)]
    assert sum(batch.entries_counted or 0 for batch in batches) == 25


def test_a_broken_row_group_costs_one_reject_and_the_others_come_through(tmp_path):
    columns = {"title": [f"Paper {number}" for number in range(30)]}
    path = written(tmp_path / "raw", columns, row_group_size=10, compression="none", use_dictionary=False)
    start = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + 20] = b"\xff" * 20
    path.write_bytes(bytes(content))
    batches = batches_of(path)
    assert [row["title"] for row in raw_of(batches)] == [f"Paper {number}" for number in [*range(10), *range(20, 30)]]
    rejects = pl.concat([batch.rejects for batch in batches])
    assert rejects.select("reason", "locator").rows() == [("broken_parquet", "row 11")]
    assert sum(batch.entries_counted or 0 for batch in batches) == 21


@pytest.mark.parametrize("failing", ["open", "read"])
def test_a_fault_of_the_machine_is_no_verdict_on_the_file(tmp_path, monkeypatch, failing):
    path = written(tmp_path / "raw", {"title": ["A"]})

    def fail(*arguments, **options):
        raise OSError(errno.EIO, "Input/output error")

    if failing == "open":
        monkeypatch.setattr(pq, "ParquetFile", fail)
    else:
        monkeypatch.setattr(pq.ParquetFile, "iter_batches", fail)
    with pytest.raises(OSError, match="Input/output error"):
        batches_of(path)


def test_an_error_of_pyarrow_without_a_number_is_a_verdict_on_the_file(tmp_path, monkeypatch):
    path = written(tmp_path / "raw", {"title": ["A"]})

    def fail(*arguments, **options):
        raise OSError("Unexpected end of stream")

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", fail)
    (batch,) = [batch for batch in batches_of(path) if batch.rejects.height]
    assert batch.rejects["message"][0] == "row group 1 gave 0 rows: the footer says 1 rows, but Unexpected end of stream"


@pytest.mark.parametrize("place", [-1, 2])
def test_a_place_beyond_the_dictionary_is_broken_and_no_other_text(stage, monkeypatch, place):
    def batches(*_, **__):
        places = pa.DictionaryArray.from_arrays(pa.array([0, place], pa.int32()), pa.array(["A", "B"]), safe=False)
        yield pa.RecordBatch.from_arrays([places], ["title"])

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", batches)
    staged = stage(parquet(title=["A", "B"]))
    assert (staged.records.height, staged.reasons) == (0, ["broken_parquet"])


def test_a_table_without_papers_is_refused_and_says_what_it_found(tmp_path):
    with pytest.raises(ReadError, match="found name, size") as caught:
        batches_of(written(tmp_path / "raw", {"name": ["a"], "size": [1]}))
    assert caught.value.reason == "not_a_paper_list"


def test_columns_of_one_name_are_told_apart(tmp_path):
    table = pa.Table.from_arrays([pa.array(["A"]), pa.array(["B"])], names=["title", "title"])
    pq.write_table(table, tmp_path / "raw")
    assert raw_of(batches_of(tmp_path / "raw")) == [{"title": "A", "title_2": "B"}]


def test_it_is_known_by_its_magic_bytes_alone():
    assert sniff(Sample(b"PAR1\x15\x04", None, 6)).confidence > 0.9
    assert sniff(Sample(b"PARQUET", "PARQUET", 7)).confidence == 0


@given(st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_damaged_file_is_refused_or_balances(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("parquet") / "raw"
    written(path, {"title": ["Ä", "B", None], "tags": [["x"], [], ["y", "z"]], "year": [1, 2, 3]}, row_group_size=2)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    for position in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=4)) if content else ():
        content[position] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(bytes(content))
    try:
        batches = batches_of(path)
    except ReadError as error:
        assert error.reason in {"broken_parquet", "not_a_paper_list"}
    else:
        read_count = sum(batch.records.height + batch.rejects.height for batch in batches)
        assert sum(batch.entries_counted or 0 for batch in batches) == read_count


def parquet(**columns) -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content)
    return content.getvalue()


def test_ids_of_openreview_are_known_by_their_form(stage):
    ids = ["2p_5F9sHN9", "vyn49BUAkoD", "nUoI0DKg_Ti"]
    assert stage(parquet(__index_level_0__=ids, rating=[6, 3, 3])).records["openreview_id_raw"].to_list() == ids
    assert stage(parquet(id=["1", "2"], rating=[6, 3])).reasons == ["not_a_paper_list"]


def test_limits_hold_for_columns_and_rows(stage):
    wide = {"title": ["A"]} | {f"c{number}": [1] for number in range(60)}
    assert stage(parquet(**wide), limits=ReadLimits(columns=50)).reasons == ["too_many_columns"]
    staged = stage(parquet(title=["A", "B"], abstract=["x" * 5_000, "y"]), limits=ReadLimits(entry_bytes=1_000))
    assert (staged.reasons, [row["title"] for row in staged.raw]) == (["entry_too_long"], ["B"])


def test_a_text_that_many_rows_have_is_held_once(stage):
    staged = stage(parquet(title=["A", "B", None] * 300, abstract=["x" * 100_000] * 900), limits=ReadLimits(entry_bytes=1_000))
    assert staged.reasons == ["entry_too_long"] * 900


def test_a_few_bytes_of_very_many_equal_rows_are_no_list(tmp_path, stage):
    rows = 1_100_000
    pq.write_table(
        pa.table({"title": pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["x"])}), tmp_path / "bomb"
    )
    staged = stage((tmp_path / "bomb").read_bytes())
    assert staged.reasons == ["document_too_large"]
    assert staged.facts.verdict == "unreadable"
