"""JSON lines: one object a line, every byte accounted for."""

import codecs
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from transforms.readers import base, json_blocks, json_lines, streaming
from transforms.readers.base import RawFile, ReadError, Sample
from transforms.readers.json_lines import READER, read, sniff
from transforms.readers.limits import ReadLimits


class Reading:
    """All that was read of a file, in one piece; that the spans cover it is checked each time."""

    def __init__(self, path: Path, content: bytes | str, limits: ReadLimits | None = None) -> None:
        self.content = content.encode() if isinstance(content, str) else content
        path.write_bytes(self.content)
        batches = list(read(RawFile(path, len(self.content), limits or ReadLimits())))
        self.records = pl.concat([batch.records for batch in batches])
        self.rejects = pl.concat([batch.rejects for batch in batches])
        self.furniture = pl.concat([batch.furniture for batch in batches])
        self.encoding = batches[-1].encoding
        self.raw = [json.loads(raw) for raw in self.records["raw"]]
        tables = (self.records, self.rejects, self.furniture)
        spans = sorted(span for table in tables for span in table.select("span_start", "span_end").rows())
        edges = [0, *(end for _, end in spans)]
        assert [start for start, _ in spans] == edges[:-1], "spans leave a gap or overlap"
        assert edges[-1] == len(self.content), "spans do not cover the file"


@pytest.fixture
def reading(tmp_path):
    return lambda content, limits=None: Reading(tmp_path / "raw", content, limits)


def sniffed(text: str) -> float:
    head = text.encode()
    return sniff(Sample(head, text, len(head))).confidence


def test_each_line_is_a_record_with_its_line_end_in_its_span(reading):
    found = reading('{"id": 7, "title": "A"}\n{"title": "B", "authors": ["Ann Lee"]}')
    assert found.raw == [{"id": 7, "title": "A"}, {"title": "B", "authors": ["Ann Lee"]}]
    assert found.records.select("source_key", "title_raw", "author_names_raw", "locator", "span_start", "span_end").rows() == [
        ("7", "A", None, "line 1", 0, 24),
        (None, "B", ["Ann Lee"], "line 2", 24, 62),
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF32_BE, "utf-32-be")],
)
def test_line_ends_and_byte_order_marks_are_accounted_for(reading, line_end, mark, encoding):
    text = line_end.join(['{"title": "Über"}', "", '{"title": "B"}', ""])
    found = reading(mark + text.encode(encoding))
    assert found.raw == [{"title": "Über"}, {"title": "B"}]
    assert found.furniture["kind"].to_list() == (["byte_order_mark"] if mark else []) + ["separator"]
    assert found.encoding == encoding


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_other_separators_of_unicode_end_no_line(reading, character):
    title = json.dumps(f"A{character}B", ensure_ascii=ord(character) < 32)
    assert reading(f'{{"title": {title}}}\n').raw == [{"title": f"A{character}B"}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"title": "A"', "broken_json"),
        ('{"title": "A"} {"title": "B"}', "broken_json"),
        ("plain text", "broken_json"),
        ('["A"]', "not_an_object"),
        ("null", "not_an_object"),
        ('{"a": ' + "[" * 101 + "]" * 101 + "}", "too_deep"),
        ('{"a": ' + "[" * 50_000 + "]" * 50_000 + "}", "too_deep"),
    ],
)
def test_a_bad_line_is_one_reject_and_the_rest_is_read(reading, line, reason):
    found = reading(f'{{"title": "first"}}\n{line}\n{{"title": "last"}}\n')
    assert [row["title"] for row in found.raw] == ["first", "last"]
    assert found.rejects.select("reason", "locator").rows() == [(reason, "line 2")]
    assert found.rejects["text"][0] == f"{line}\n"[:10_000]


def test_numbers_keep_their_text_and_repeated_names_their_values(reading):
    line = '{"title": "A", "score": 3.10, "big": 123456789012345678901234567890, "huge": 1e400, "title": "B", "nan": NaN}'
    found = reading(line + "\n")
    assert found.records["raw"][0] == (
        '{"title": "A", "score": 3.10, "big": 123456789012345678901234567890, "huge": 1e400, "title_2": "B", "nan": null}'
    )


def test_columns_that_appear_later_are_known_too(reading):
    found = reading('{"title": "A"}\n{"paper_title": "B", "summary": "s"}\n{"title": "C", "paper_title": "D"}\n')
    assert found.records["title_raw"].to_list() == ["A", "B", "C"]
    assert found.records["abstract_raw"].to_list() == [None, "s", None]


def test_a_bad_byte_costs_a_character_and_a_file_in_windows_1252_nothing(reading):
    assert reading('{"title": "Äpfel, Öl"}\n{"title": "Ärger"}\n'.encode() * 5 + b'{"title": "\xe9"}\n').raw[-1] == {
        "title": "\ufffd"
    }
    assert reading('{"title": "“Äpfel”"}\n'.encode("cp1252")).raw == [{"title": "“Äpfel”"}]


@pytest.mark.parametrize("block_bytes", [300, 10_000])
def test_a_line_over_the_limit_is_a_reject_that_is_not_held_in_memory(reading, monkeypatch, block_bytes):
    monkeypatch.setattr(streaming, "CUT_LINE_BYTES", 100)
    monkeypatch.setattr(json_lines, "CUT_LINE_BYTES", 100)
    monkeypatch.setattr(streaming, "_BLOCK_BYTES", 300)
    monkeypatch.setattr(json_blocks, "BLOCK_BYTES", block_bytes)
    found = reading('{"title": "A"}\r\n{"title": "' + "x" * 5000 + '"}\r\n{"title": "B"}\r\n', ReadLimits(entry_bytes=1000))
    assert found.raw == [{"title": "A"}, {"title": "B"}]
    assert found.rejects.select("reason", "span_start", "span_end").rows() == [("entry_too_long", 16, 5031)]
    assert len(found.rejects["text"][0]) == 100


@pytest.mark.parametrize(("encoding", "expected"), [("utf-8", [3, 3, 2]), ("utf-16", [2, 3, 3])])
def test_many_lines_come_in_batches(tmp_path, monkeypatch, encoding, expected):
    monkeypatch.setattr(base, "BATCH_ROWS", 3)
    monkeypatch.setattr(json_blocks, "BLOCK_BYTES", 50)
    path = tmp_path / "raw"
    path.write_text('{"title": "A"}\n' * 8, encoding=encoding)
    heights = [batch.records.height for batch in read(RawFile(path, path.stat().st_size))]
    assert [height for height in heights if height] == expected


def test_lines_of_papers_are_known():
    assert sniffed(READER.example) > 0.9
    assert sniffed('{"title": "A"}\n\n{"title": "B"}\nbroken\n{"title": "C"}') > 0.7


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "A"}',
        '{\n  "title": "A",\n  "year": 2020\n}\n',
        '[{"title": "A"},\n{"title": "B"}]',
        '{"level": "info", "msg": "started"}\n{"level": "info", "msg": "stopped"}\n',
        "title\n{}\n",
        "",
    ],
)
def test_other_json_is_not_taken_for_lines(text):
    assert sniffed(text) < 0.5


@given(st.integers(1, 9), st.binary(max_size=60).map(lambda noise: noise.replace(b"\0", b"\r")), st.data())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_the_lines_do_not_depend_on_where_the_blocks_end(tmp_path_factory, block_bytes, noise, data):
    path = tmp_path_factory.mktemp("lines") / "raw"
    content = noise + data.draw(st.sampled_from([b"", b"\r", b"\n", b"\r\n", b"a\r\n\rb"]))
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "_BLOCK_BYTES", block_bytes)
        found = [(line.content, line.start) for line in streaming.byte_lines(path, 0, 1 << 24)]
    assert [line for line, _ in found] == content.splitlines(keepends=True)
    assert [start for _, start in found] == [len(b"".join(content.splitlines(True)[:n])) for n in range(len(found))]


VALUES = (
    ('"A"', '""', '"B \\"q\\" \\u0041\\/\\n"', '"\\ud83d\\ude00 \\u0000 \u2028\x85\U0001d538"', "null", "7"),
    ('"A"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud800\\u0041"', '"a\\tb"', '"\x01"', '"\\x"', '"\\u12"', "\"A", "'A'"),
    ("1", "0", "-0", "-7", "2024", "01", "+1", "999999999999999999", "12345678901234567890", "NaN", "-Infinity"),
    ("2024.0", "7.0", "0.0", "-0.0", "123456789012345.0", "1234567890123456.0", "3.10", "1e3", "1e400", "1E-2", ".5", "1."),
    ("true", "false", "null", "nul", '"true"'),
    ("[]", "[ ]", '["A", "", null]', '["A" ,"B"]', '[""]', '["A", 1]', "[null]", '["A",]', "null"),
    ("[]", "[1, 2.50, -3e7]", '[["A"], []]', "[[[[[[[[[[1]]]]]]]]]]", "[" * 101 + "]" * 101),
    ("{}", '{"name": "A"}', '{"name": 1, "name": 2}', '{"value": ["A"]}', '{"name": {"x": [1]}}', '{"name": [{}]}'),
    ("[]", '[{"given": "A", "family": "B"}, "C"]', '[{"x": {"y": [1]}}]', '[{"x": {"y": [1]}}, {"x": 2, "x": 3}]',),
)  # fmt: skip
"""Values that may be taken for one another, kind by kind."""

NAMES = (
    ("title", "authors", "year", "urls", "code", "note", "abstract"),
    ("title", "keywords", "detail_url", "github", "n.o.t.e", "é"),
    ("id", "Title", "ti\\u0074le", "a b", "\\ud800", "title|x", "author"),
)


@st.composite
def lines_written_alike(draw):
    """A few ways of writing an object, each with values of one kind in turn; now and then what makes a line a broken one."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        names = draw(st.lists(st.sampled_from(draw(st.sampled_from(NAMES))), min_size=1, max_size=4))
        values = [draw(st.sampled_from(VALUES)) for _ in names]
        colon, comma, end = draw(st.sampled_from([(":", ",", "\n"), (": ", ", ", "\n"), (" :\t", " , ", " \r\n")]))
        for _ in range(draw(st.integers(2, 6))):
            members = [f'"{name}"{colon}{draw(st.sampled_from(some))}' for name, some in zip(names, values, strict=True)]
            lines.append("{" + comma.join(members) + "}" + draw(st.sampled_from(["", "", "", "", "x"])) + end)
    enough_of_utf_8 = f'"{"é" * 3000}"\n'
    rare = draw(st.sampled_from(["", "", "", "", "", "\r{}", "\udce9"]))
    return (enough_of_utf_8 + "".join(draw(st.permutations(lines))) + rare).encode("utf-8", "surrogateescape")


def check_columns_against_single_lines(path, content, block_bytes=1 << 20, columns=None):
    """Asserts that what is read of some content in columns is what is read of it line by line."""
    path.write_bytes(content)
    raw_file = RawFile(path, len(content), columns=columns or {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_blocks, "BLOCK_BYTES", block_bytes)
        in_columns = [*read(raw_file)]
        patch.setattr(json_lines, "learn_pattern", lambda *_: None)
        one_by_one = [*read(raw_file)]
    for frame in ("records", "rejects", "furniture", "columns"):
        found, expected = (pl.concat([getattr(batch, frame) for batch in batches]) for batches in (in_columns, one_by_one))
        assert_frame_equal(found, expected)


@given(lines_written_alike(), st.sampled_from([7000, 6500, 1 << 20]), st.booleans())
@settings(max_examples=120, deadline=None, derandomize=True)
def test_lines_read_in_columns_are_what_they_are_one_by_one(tmp_path_factory, content, block_bytes, has_columns):
    columns = {"note": "title_raw", "title": "ignore"} if has_columns else {}
    check_columns_against_single_lines(tmp_path_factory.mktemp("lines") / "raw", content, block_bytes, columns)


@pytest.mark.parametrize("kind", range(len(VALUES)))
def test_no_value_is_taken_for_another_in_any_order(tmp_path, kind):
    for first in range(len(VALUES[kind])):
        values = [*VALUES[kind][first:], *VALUES[kind][:first]]
        lines = [f'{{"{name}": {value}}}\n' for name in ("title", "authors", "urls", "note") for value in values]
        check_columns_against_single_lines(tmp_path / "raw", ("é" * 3000 + "\n" + "".join(lines)).encode())


def test_plain_lines_are_read_in_columns(tmp_path, monkeypatch):
    papers = [{"title": f"A {n}", "authors": ["Ann Lee"] * (n % 3), "x": [{"by": "B"}] * (n % 2), "year": n} for n in range(50)]
    path = tmp_path / "raw"
    path.write_text("".join(json.dumps(paper) + "\n" for paper in papers))
    decoded = []
    monkeypatch.setattr(json_lines, "_add", lambda *found: decoded.append(found))
    assert sum(batch.records.height for batch in read(RawFile(path, path.stat().st_size))) == 50
    assert decoded == []


@given(st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_damaged_file_is_refused_or_every_byte_is_accounted_for(tmp_path_factory, data):
    mark, encoding = data.draw(
        st.sampled_from([(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")])
    )
    content = bytearray(mark + '{"title": "Ä", "year": 2020}\r\n\r\n{"title": "𝔹"}\n'.encode(encoding) * 2)
    del content[data.draw(st.integers(0, len(content))) :]
    for position in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=4)) if content else ():
        content[position] ^= 1 << data.draw(st.integers(0, 7))
    content += data.draw(st.binary(max_size=10))
    try:
        Reading(tmp_path_factory.mktemp("lines") / "raw", bytes(content))
    except ReadError as error:
        assert error.reason in {"binary", "bad_encoding"}
