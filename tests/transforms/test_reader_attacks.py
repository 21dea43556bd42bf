"""Hostile files: whatever the bytes, a reader refuses the file with a reason or accounts for all of it."""

import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.readers.base import RawFile, ReadError
from transforms.readers.registry import READERS

SENTENCE = (
    "We sort pebbles – “all” of them – by the sound they make when they fall. Our method needs one microphone and no light, "
    "and its results on three beaches agree with those of people. "
)
PAPERS = [{"id": n, "title": f"Pébbles {n}", "authors": ["Ann Lee", {"family": "Łi"}], "x": n / 7} for n in range(20)]
LINES = "\r\n".join(json.dumps(paper, ensure_ascii=False) for paper in PAPERS)
TABLE = "title,abstract,year\r\n" + 'Pébbles,"We sort ""all"", it\r\nseems",2020\r\n' * 20


def parquet_bytes() -> bytes:
    sink = io.BytesIO()
    columns = {"title": [f"Pébbles {n}" for n in range(20)], "tags": [["x"] * (n % 3) for n in range(20)]}
    pq.write_table(pa.table(columns), sink, row_group_size=7)
    return sink.getvalue()


FILES = {
    "abstract list": ("abstract_list", f"ICLR 2024 papers\n\n{(SENTENCE * 2 + chr(10) * 2) * 8}".encode()),
    "table": ("delimited", TABLE.encode()),
    "table in UTF-16": ("delimited", b"\xff\xfe" + TABLE.encode("utf-16-le")),
    "table in Windows-1252": ("delimited", TABLE.encode("cp1252")),
    "array": ("json_records", json.dumps(PAPERS, ensure_ascii=False).encode()),
    "object": ("json_records", json.dumps({"year": 2020, "papers": PAPERS}, indent=1).encode()),
    "lines": ("json_lines", LINES.encode()),
    "lines in UTF-16": ("json_lines", b"\xfe\xff" + LINES.encode("utf-16-be")),
    "Parquet": ("parquet", parquet_bytes()),
}


@pytest.fixture
def account(tmp_path):
    """Reads a file and checks that all of it is accounted for; gives the records, or the reason it is refused for."""

    def check(reader_name: str, content: bytes) -> int | str:
        (tmp_path / "raw").write_bytes(content)
        reader = READERS[reader_name]
        try:
            batches = list(reader.read(RawFile(tmp_path / "raw", len(content))))
        except ReadError as error:
            return error.reason
        record_count = sum(batch.records.height for batch in batches)
        if reader.has_spans:
            frames = [frame for batch in batches for frame in (batch.records, batch.rejects, batch.furniture)]
            spans = sorted(span for frame in frames for span in frame.select("span_start", "span_end").rows())
            assert [start for start, _ in spans] == [0, *(end for _, end in spans)][:-1]
            assert (spans[-1][1] if spans else 0) == len(content)
        else:
            entry_count = record_count + sum(batch.rejects.height for batch in batches)
            assert sum(batch.entries_counted or 0 for batch in batches) == entry_count
        return record_count

    return check


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_anywhere_is_refused_or_accounted_for(account, name):
    reader_name, content = FILES[name]
    found = [account(reader_name, content[: len(content) * part // 25]) for part in range(26)]
    assert isinstance(found[-1], int) and found[-1] >= 8


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_random_bytes_in_it_is_refused_or_accounted_for(account, name):
    reader_name, content = FILES[name]
    chance = random.Random(7)
    for _ in range(40):
        damaged = bytearray(content)
        for _ in range(chance.choice((1, 2, 20))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        account(reader_name, bytes(damaged))


@pytest.mark.parametrize("name", ["abstract list", "table", "array", "lines"])
def test_line_ends_of_old_macs_are_line_ends_and_those_of_unicode_are_none(account, name):
    reader_name, content = FILES[name]
    count = account(reader_name, content)
    assert account(reader_name, content.replace(b"\r\n", b"\n").replace(b"\n", b"\r")) == count
    assert account(reader_name, content.replace("é".encode(), "\u2028".encode())) == count


@pytest.mark.parametrize("name", ["abstract list", "table", "array", "lines"])
def test_a_text_with_many_nul_bytes_is_none_and_a_few_are_accounted_for(account, name):
    reader_name, content = FILES[name]
    assert account(reader_name, content[:90] + b"\0" * (len(content) // 1_000 + 1) + content[90:]) == "binary"
    account(reader_name, content[:90] + b"\0" + content[90:] + b"\n" * 4_000)


@pytest.mark.parametrize(
    ("reader_name", "before", "piece", "after", "found"),
    [
        ("abstract_list", f"ICLR 2024 papers\n\n{SENTENCE * 2}\n\n", "we sort ", "\n", 1),
        ("delimited", "title,year\nA,1\n", 'x"', "\nB,2\n", 2),
        ("delimited", "title,year\nA,1\n", '"a",', "\nB,2\n", 2),
        ("json_records", '[{"title": "A"},', '{"title": ', '{"title": "B"}]', 1),
        ("json_records", '[{"title": "A"},', "[", '{"title": "B"}]', 1),
        ("json_lines", '{"title": "A"}\n', '{"a":', '\n{"title": "B"}\n', 2),
    ],
    ids=["words", "quotes", "cells", "objects", "brackets", "nested lines"],
)
def test_a_line_of_two_million_characters_costs_only_itself(account, reader_name, before, piece, after, found):
    assert account(reader_name, (before + piece * (2_000_000 // len(piece)) + after).encode()) == found


def test_a_table_of_100_000_columns_is_refused_in_good_time(account):
    header = ",".join(["title", *(f"c{number}" for number in range(99_999))])
    assert account("delimited", f"{header}\nA{',1' * 99_999}\nB{',2' * 99_998}\n".encode()) == "too_many_columns"
