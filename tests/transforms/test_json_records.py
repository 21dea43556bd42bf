"""JSON documents: arrays of records, objects around them, single records, and what is left of broken ones."""

import codecs
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.readers import base, json_scan
from transforms.readers.base import RawFile, ReadError, Sample
from transforms.readers.json_records import READER, read, sniff
from transforms.readers.json_scan import count_values, value_end


class Reading:
    """All that was read of a file, in one piece; that the entries balance is checked each time."""

    def __init__(self, path: Path, content: bytes | str) -> None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        batches = list(read(RawFile(path, path.stat().st_size)))
        self.records = pl.concat([batch.records for batch in batches])
        self.rejects = pl.concat([batch.rejects for batch in batches])
        self.form = batches[-1].form
        self.raw = [json.loads(raw) for raw in self.records["raw"]]
        self.locators = self.records["locator"].to_list()
        counted = sum(batch.entries_counted or 0 for batch in batches)
        assert counted == self.records.height + self.rejects.height, "entries do not balance"

    @property
    def titles(self) -> list[str]:
        return [row["title"] for row in self.raw]

    @property
    def reasons(self) -> list[str]:
        return self.rejects["reason"].to_list()


@pytest.fixture
def reading(tmp_path):
    return lambda content: Reading(tmp_path / "raw", content)


def sniffed(text: str, is_whole: bool = True) -> float:
    head = text.encode()
    return sniff(Sample(head, text, len(head) + (not is_whole))).confidence


def test_an_array_gives_its_objects(reading):
    found = reading('[\n  {"id": 1, "title": "A", "authors": [{"given": "Ann", "family": "Lee"}]},\n  {"title": "B"}\n]\n')
    assert found.raw[1] == {"title": "B"}
    assert found.records.select("source_key", "title_raw", "author_names_raw", "locator").row(0) == (
        "1",
        "A",
        ["Lee, Ann"],
        "/0",
    )
    assert found.form == "array"


def test_arrays_in_an_object_are_found_one_or_two_levels_deep(reading):
    found = reading('{"count": 2, "papers": [{"title": "A"}], "by/track": {"short": [{"title": "B"}, {"title": "C"}]}}')
    assert list(zip(found.locators, found.titles, strict=True)) == [
        ("/papers/0", "A"),
        ("/by~1track/short/0", "B"),
        ("/by~1track/short/1", "C"),
    ]


def test_venue_and_year_around_the_array_hold_for_its_records_unless_they_say_otherwise(reading):
    found = reading(
        '{"conference": "ICLR", "year": 2024, "title": "List", "papers": [{"title": "A"}, {"title": "B", "year": 2023}]}'
    )
    assert found.records.select("title_raw", "venue_raw", "year_raw").rows() == [("A", "ICLR", "2024"), ("B", "ICLR", "2023")]
    assert found.raw[0] == {"title": "A"}


def test_one_object_is_one_record_whatever_papers_it_refers_to(reading):
    found = reading('{"title": "A", "year": 2020, "references": [{"title": "B"}, {"title": "C"}]}')
    assert found.titles == ["A"]
    assert found.form == "one object"


def test_the_place_of_a_record_that_is_the_whole_document_is_not_blank(reading):
    assert reading('{"title": "A", "year": 2020}').locators == ["document"]


def test_numbers_keep_their_text(reading):
    found = reading('[{"title": "A", "x": 3.10, "y": 123456789012345678901234567890, "z": 0.5, "n": [NaN, -Infinity]}]')
    assert found.records["raw"][0] == (
        '{"title": "A", "x": 3.10, "y": 123456789012345678901234567890, "z": 0.5, "n": [null, "-Infinity"]}'
    )


def test_elements_that_are_no_objects_are_rejects(reading):
    found = reading('[{"title": "A"}, null, "text, [", 7, ["x"], {"title": "B"}]')
    assert found.titles == ["A", "B"]
    assert found.locators == ["/0", "/5"]
    assert found.reasons == ["not_an_object"] * 4
    assert found.rejects["text"].to_list() == ["null", '"text, ["', "7", '["x"]']


@pytest.mark.parametrize(
    "broken",
    [
        '{"title": "B", "year": 20x4, "authors": [{"name": "Y"}, {"name": "Z"}]}',
        '{"title": "B" "year": 2024}',
        '{"title": "B", "year": [2024, 2025}',
        '{"title": "B, "year": 2024}',
        '{"title": "B", "year": "2024}',
        '{"title": "B", "year": 2024',
        "{'title': 'B'}",
        "truefalse",
        "oops",
    ],
)
def test_a_broken_entry_costs_itself_and_the_others_come_through(reading, broken):
    found = reading(f'[{{"title": "A", "year": 1}},\n {broken},\n {{"title": "C", "year": 3}},\n {{"title": "D", "year": 4}}]')
    assert found.titles == ["A", "C", "D"]
    assert found.reasons == ["broken_json"]
    assert found.rejects["text"][0].startswith(broken)


def test_a_file_cut_short_gives_the_whole_entries_before_the_cut(reading):
    found = reading(
        '{"papers": [{"title": "A", "year": 1}, {"title": "B", "year": 2}, {"title": "C", "authors": [{"name": "X"}, {"na'
    )
    assert found.titles == ["A", "B"]
    assert found.reasons == ["broken_json"]


def test_line_ends_in_strings_and_missing_or_trailing_commas_are_tolerated(reading):
    assert reading('[{"title": "A\nB"},\n{"title": "C"}\n{"title": "D"},]').titles == ["A\nB", "C", "D"]


def test_text_after_the_document_is_a_reject(reading):
    found = reading('[{"title": "A"}]\nGoodbye')
    assert found.titles == ["A"]
    assert found.reasons == ["broken_json"]


def test_deep_nesting_is_a_reject(reading):
    deep = '{"title": "B", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    found = reading(f'[{{"title": "A"}}, {deep}, {{"title": "C"}}]')
    assert found.titles == ["A", "C"]
    assert found.reasons == ["too_deep"]


def test_brackets_that_never_close_are_refused_in_good_time(reading):
    with pytest.raises(ReadError):
        reading('{"a":' * 100_000)
    with pytest.raises(ReadError):
        reading("[" * 300_000)
    assert reading('[{"title": "' + '\\"' * 300_000).reasons == ["broken_json"]


@pytest.mark.parametrize("mark, encoding", [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (b"", "cp1252")])
def test_other_encodings_are_decoded(reading, mark, encoding):
    assert reading(mark + '[{"title": "“Über”"}]'.encode(encoding)).titles == ["“Über”"]


def test_many_entries_come_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "BATCH_ROWS", 3)
    path = tmp_path / "raw"
    path.write_text(json.dumps([{"title": f"Paper {number}"} for number in range(8)]))
    batches = list(read(RawFile(path, path.stat().st_size)))
    assert [batch.records.height for batch in batches] == [3, 3, 2]
    assert [batch.entries_counted for batch in batches] == [3, 3, 2]


@pytest.mark.parametrize("text", ["[]", "{}", "[1, 2]", '[{"name": "A"}]', '{"papers": []}', "plain", '"title"', ""])
def test_json_without_papers_is_refused(reading, text):
    assert sniffed(text) < 0.5
    with pytest.raises(ReadError) as caught:
        reading(text)
    assert caught.value.reason == "not_a_paper_list"


def test_documents_of_papers_are_known_also_where_the_sample_is_cut():
    assert sniffed(READER.example) > 0.9
    assert sniffed('[{"title": "A", "abstract": "long and lon', is_whole=False) > 0.9
    assert sniffed('{"meta": {"n": 1}, "papers": [{"title": "A", "abstr', is_whole=False) > 0.9
    assert sniffed('{\n  "title": "A",\n  "year": 2020\n}\n') > 0.8


def test_json_lines_are_left_to_their_own_reader():
    assert sniffed('{"title": "A"}\n{"title": "B"}\n') < 0.5


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(json_values, max_size=6))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_the_scan_counts_what_the_decoder_decodes(values):
    text = json.dumps(values)
    assert count_values(text, 1, len(text) - 1) == len(values)


@given(st.text('[]{}",: 1a\\\n', max_size=30))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_the_scan_counts_the_same_with_and_without_taking_containers_out(text):
    with pytest.MonkeyPatch.context() as patch:
        quickly = count_values(text, 0, len(text))
        patch.setattr(json_scan, "_MAX_FLATTENED", 0)
        assert quickly == count_values(text, 0, len(text))
    if text[:1] in ("[", "{"):
        assert value_end(text, 0) == (next(json_scan._values(text, 0, len(text)), (0, 0))[1] or None)


@given(st.lists(st.dictionaries(st.text(max_size=3), json_values, max_size=3), max_size=4))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_what_was_written_is_read_back(tmp_path_factory, objects):
    objects = [{"title": "A"}, *objects]
    raw = Reading(tmp_path_factory.mktemp("json") / "raw", json.dumps(objects)).raw
    assert json.dumps(raw) == json.dumps(objects)


@given(st.data())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_damaged_file_is_refused_or_balances(tmp_path_factory, data):
    original = data.draw(st.sampled_from(['{"year": 1, "papers": %s}', "%s"])) % (
        '[{"title": "Ä", "n": [1, {"x": 2}]}, {"title": "B\\"", "n": 20.50}, null, {"title": "C", "n": []}]'
    )
    content = bytearray(original.encode())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    for position in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=4)) if content else ():
        content[position] ^= 1 << data.draw(st.integers(0, 7))
    content += data.draw(st.binary(max_size=10))
    try:
        Reading(tmp_path_factory.mktemp("json") / "raw", bytes(content))
    except ReadError as error:
        assert error.reason in {"binary", "bad_encoding", "broken_json", "not_a_paper_list"}


@given(st.text('[]{}",: 1a\\\n', max_size=40))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_after_a_first_entry_balances(tmp_path_factory, text):
    Reading(tmp_path_factory.mktemp("json") / "raw", '[{"title": "A"},' + text)


def test_an_array_is_read_where_any_of_its_objects_names_a_paper(reading):
    ids = [{"id": number} for number in range(6)]
    titled = [{"id": number, "title": f"Paper {number}"} for number in range(10)]
    found = reading(json.dumps({"papers": [{"title": "A"}], "rejected": ids + titled}))
    assert found.records.height == 17
    assert found.locators[-1] == "/rejected/15"
    assert found.reasons == []


@pytest.mark.parametrize(
    ("part", "pointer"),
    [
        ('"p1": {"title": "B"}', "/p1"),
        ('"p1": {"title": "B", "references": [{"title": "C"}]}', "/p1"),
        ('"more": [{"id": 1}, {"id": 2}]', "/more"),
        ('"more": [null, {"id": 2}]', "/more"),
        ('"more": [[{"id": 1}]]', "/more"),
        ('"more": [1, [{"title": "B"}]]', "/more"),
        ('"by/id": {"a": {"n": 1}, "b": {"n": 2}}', "/by~1id"),
        ('"by": {"n": 1, "a": {"title": "B"}}', "/by"),
        ('"a": {"b": {"c": {"d": {"e": {"f": {"g": [{"title": "B"}]}}}}}}', "/a"),
        ('"x" 5, "more": [{"title": "B"}]', "document"),
    ],
)
def test_a_part_with_objects_that_is_not_read_is_a_reject(reading, part, pointer):
    found = reading(f'{{"papers": [{{"title": "A"}}], {part}}}')
    assert found.titles == ["A"]
    assert found.rejects["locator"].to_list() == [pointer]
    assert found.reasons == ["broken_json" if pointer == "document" else "unread_part"]
    assert found.rejects["text"][0] in f", {part}"


def test_what_only_describes_the_list_is_no_reject(reading):
    found = reading('{"n": 1, "tracks": ["a", "{"], "license": {"name": "MIT"}, "papers": [null, {"title": "A"}], "x": {}}')
    assert found.titles == ["A"]
    assert found.reasons == ["not_an_object"]
