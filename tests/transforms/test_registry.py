"""Which reader a file is given to, by its content alone, and why none."""

import codecs
import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.readers.base import SAMPLE_BYTES, RawFile, Sniff
from transforms.readers.registry import READERS, Choice, sniff


@pytest.fixture
def choice_of(tmp_path):
    def choose(content: bytes | str) -> Choice:
        path = tmp_path / "raw"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return sniff(RawFile(path, path.stat().st_size))

    return choose


@pytest.mark.parametrize("name", sorted(set(READERS) - {"parquet", "sqlite", "xlsx"}))
def test_each_reader_knows_its_own_example(choice_of, name):
    choice = choice_of(READERS[name].example)
    assert choice.reader is READERS[name], choice.message
    assert choice.reason == "recognised"


def test_parquet_is_known_before_decoding(tmp_path):
    pq.write_table(pa.table({"title": ["A"]}), tmp_path / "raw")
    assert sniff(RawFile(tmp_path / "raw", (tmp_path / "raw").stat().st_size)).reader is READERS["parquet"]


@pytest.mark.parametrize(
    ("content", "reason", "words"),
    [
        (b"", "empty_file", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary", "NUL"),
        (codecs.BOM_UTF16_LE + b"a\0b", "bad_encoding", "utf-16-le"),
        ("   \n\n", "not_a_paper_list", "white space"),
        ("# pebbles\n\nA tool.\n\n    pip install pebbles\n", "not_a_paper_list", "Markdown"),
        ("<!doctype html>\n<html><body>404 Not Found</body></html>", "not_a_paper_list", "HTML"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n", "not_a_paper_list", "Git LFS"),
        ("2024-05-01 12:00:00 INFO started\n2024-05-01 12:00:01 INFO stopped\n", "not_a_paper_list", "a log"),
        ("<?xml version='1.0'?><a/>", "not_a_paper_list", "XML"),
        ("def sort(pebbles):\n    return sorted(pebbles)\n", "not_a_paper_list", "another text"),
        ("name,size\nfoo,1\n", "not_a_paper_list", "a table with ',' whose columns have no known name: name, size"),
        ('[{"name": "A"}]', "not_a_paper_list", "JSON without a title, abstract, DOI or identifier"),
        ('{"display_name": "A", "ids": {"mag": "1"}}', "not_a_paper_list", "JSON without a title"),
        ("Name;Year\nA;2020\n", "not_a_paper_list", "no known name: Name, Year"),
        ("%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "not_a_paper_list", "a PDF"),
        (b"%PDF-1.7\n\0\0", "binary", "a PDF"),
        (b"\x04\x22\x4d\x18\0\0", "binary", "lz4: decompress it first"),
        (b"PK\x03\x04\0\0abc", "binary", "a zip that is one document"),
        (b"PK\x03\x04\0\0[Content_Types].xml", "binary", "Office"),
        (b"Rar!\x1a\x07\0\0", "binary", "rar"),
        (b"7z\xbc\xaf\x27\x1c\0", "binary", "7z"),
    ],
)
def test_a_file_that_is_no_list_of_papers_is_said_to_be_none(choice_of, content, reason, words):
    choice = choice_of(content)
    assert choice.reader is None
    assert choice.reason == reason
    assert words in choice.message


@pytest.mark.parametrize("kept_bytes", [1, 2, 3, 4])
@pytest.mark.parametrize(("mark", "encoding"), [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be")])
def test_a_character_cut_by_the_samples_end_is_left_out(monkeypatch, choice_of, kept_bytes, mark, encoding):
    seen: list[str | None] = []
    spy = replace(READERS["delimited"], sniff=lambda sample: seen.append(sample.text) or Sniff(0.0, ""))
    monkeypatch.setitem(READERS, "spy", spy)
    unit = len("x".encode(encoding))
    text = "x" * ((SAMPLE_BYTES - len(mark) - kept_bytes) // unit) + "𝔹" + "x"
    choice_of(mark + text.encode(encoding))
    assert seen[0] is not None
    assert set(seen[0]) <= {"x", "𝔹", "\ud835"}


def test_two_readers_that_are_equally_sure_are_both_named(monkeypatch, choice_of):
    twin = READERS["delimited"]
    monkeypatch.setitem(READERS, "twin", twin)
    choice = choice_of("title,year\nA,2020\n")
    assert choice.reader is None
    assert choice.reason == "ambiguous_format"
    assert "delimited" in choice.message and "twin" in choice.message


def test_objects_with_the_same_names_in_each_line_are_no_table(choice_of):
    lines = [
        {"id": f"k{i}", "title": f"On {i}", "author": "Ada Moss", "year": 2031, "doi": "", "abstract": ""} for i in range(43)
    ]
    assert choice_of("".join(json.dumps(line) + "\n" for line in lines)).reader.name == "json_lines"
    assert choice_of("\r\n".join(json.dumps(line) for line in lines)).reader.name == "json_lines"
    # One that only begins like an object stays a table.
    assert choice_of("{title},year\nOn Reeds,2031\nOn Moss,2030\n").reader.name == "delimited"


def test_the_candidates_are_named_surest_first(choice_of):
    choice = choice_of("title,year\nA,2020\n")
    assert choice.candidates[0].reader_name == "delimited"
    assert sorted(candidate.confidence for candidate in choice.candidates)[::-1] == [c.confidence for c in choice.candidates]


EXPECTED = {
    ".bib": {"bibtex", None},
    ".cff": {"citation_file", None},
    ".csv": {"delimited", None},
    ".db": {"sqlite"},
    ".enw": {"endnote_tagged", None},
    ".html": {"html_tables", None},
    ".isi": {"isi", None},
    ".json": {"json_records", None},
    ".md": {"front_matter", "markdown_tables", None},
    ".ris": {"ris", "isi"},
    ".tsv": {"delimited"},
    ".txt": {"biblioscape", "copac", "inspec", "isi", "medline", "ovid", "refworks_tagged", "ris", None},
    ".xml": {"xml_records", None},
}
"""Who may take real files of each name; that names do not decide is what makes it a test."""


def test_real_files_are_taken_by_the_reader_of_their_format(shared):
    wrong = []
    for path in sorted((shared / "fixtures").rglob("*")):
        if path.is_file():
            choice = sniff(RawFile(path, path.stat().st_size))
            name = choice.reader.name if choice.reader else None
            if name not in EXPECTED[path.suffix] or choice.reason == "ambiguous_format":
                wrong.append((path.name, name, choice.message))
    assert wrong == []


@pytest.mark.parametrize(("prefix", "name"), [("000", "abstract_list"), ("001", "viewer_page"), ("004", "abstract_list")])
def test_each_seed_is_known(shared, prefix, name):
    (path,) = (shared / "seeds").glob(f"{prefix}*.txt")
    choice = sniff(RawFile(path, path.stat().st_size))
    assert choice.reader is READERS[name], choice.message
    assert json.dumps(choice.confidence)


def line_of(title: str, size: int, **more: object) -> str:
    return json.dumps({"title": title, "abstract": "x" * size, **more}) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        line_of("A", 70_000) + line_of("B", 10) * 3,
        line_of("A", 40_000) * 30,
        line_of("A", 10) + "\n" * 3_000_000 + line_of("B", 10),
        line_of("A", 10) + "\n" * 5_000_000 + line_of("B", 10),
        line_of("A", 5_000_000) * 2,
        line_of("A", 70_000, references=[{"title": "C"}]) * 2,
    ],
    ids=["one long line", "long lines", "blank lines", "many blank lines", "lines beyond the sample", "with references"],
)
def test_json_lines_are_known_however_long_the_first_line(choice_of, text):
    choice = choice_of(text)
    assert choice.reader is READERS["json_lines"], choice.message


@pytest.mark.parametrize(
    "text",
    [
        line_of("A", 100_000),
        line_of("A", 100_000) + "\n" * 100_000,
        json.dumps({"title": "A", "abstract": "x" * 5_000_000}, indent=1),
        json.dumps({"papers": [{"title": "A", "abstract": "x" * 1_000}] * 6_000}),
        json.dumps({"n": 1, "papers": [{"title": "A", "abstract": "x" * 90_000}]}, indent=1),
        json.dumps([{"title": "A", "abstract": "x" * 5_000_000}]),
    ],
    ids=["one record", "one record and blank lines", "pretty record", "long document", "pretty document", "array"],
)
def test_json_documents_are_known_however_long_they_are(choice_of, text):
    choice = choice_of(text)
    assert choice.reader is READERS["json_records"], choice.message
