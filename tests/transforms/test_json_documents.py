"""JSON documents of any form: by key, by column, by row, deep, one after the other; in a window that moves over long ones."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from transforms.readers import json_window
from transforms.readers.base import RawFile
from transforms.readers.json_records import read
from transforms.readers.limits import ReadLimits

A = {"title": "A", "authors": ["Ann Lee"], "year": 2020}
B = {"title": "B", "authors": ["Bo Li"], "year": 2021}


def titles(staged) -> list[str | None]:
    return staged.records["title_raw"].to_list()


def locators(staged) -> list[str]:
    return staged.records["locator"].to_list()


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"2101.00001": A, "2101.00002": B}, ["/2101.00001", "/2101.00002"]),
        ({"papers": {"id1": A, "id2": B}}, ["/papers/id1", "/papers/id2"]),
        ({"version": 3, "papers": {"0": A, "1": B}}, ["/papers/0", "/papers/1"]),
        ({"status": "ok", "message": {"total": 2, "items": [A, B]}}, ["/message/items/0", "/message/items/1"]),
        ({"data": {"notes": [A, B]}}, ["/data/notes/0", "/data/notes/1"]),
        ({"ICLR": {"2020": {"oral": [A]}, "2021": {"poster": [B]}}}, ["/ICLR/2020/oral/0", "/ICLR/2021/poster/0"]),
        (
            {"hits": {"total": 2, "hits": [{"_id": "1", "_source": A}, {"_id": "2", "_source": B}]}},
            ["/hits/hits/0", "/hits/hits/1"],
        ),
        ({"title": ["A", "B"], "authors": [["Ann Lee"], ["Bo Li"]]}, ["row 1", "row 2"]),
        ({"title": {"0": "A", "1": "B"}, "authors": {"0": "Ann Lee", "1": "Bo Li"}}, ["row 1", "row 2"]),
        ([["title", "authors"], ["A", "Ann Lee"], ["B", "Bo Li"]], ["/1", "/2"]),
        (
            {"columns": ["title", "authors"], "index": [0, 1], "data": [["A", "Ann Lee"], ["B", "Bo Li"]]},
            ["/data/0", "/data/1"],
        ),
        ({"pages": [[A], [B]]}, ["/pages/0/0", "/pages/1/0"]),
    ],
    ids=[
        "by key",
        "nested by key",
        "by row number",
        "Crossref",
        "notes",
        "tracks",
        "hits",
        "lists",
        "pandas",
        "rows",
        "split",
        "pages",
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_records_are_found_in_every_form_of_document(stage, document, expected, indent):
    staged = stage(json.dumps(document, indent=indent))
    assert titles(staged) == ["A", "B"]
    assert locators(staged) == expected
    assert staged.reasons == []
    assert [names or [text] for names, text in staged.records.select("author_names_raw", "authors_raw").rows()] == [
        ["Ann Lee"],
        ["Bo Li"],
    ]


def test_a_key_is_kept_in_raw_and_is_the_source_key_where_the_record_has_none(stage):
    staged = stage(json.dumps({"k/1": A, "k2": {"id": "own", **B}}))
    assert staged.raw == [{"_key": "k/1", **A}, {"_key": "k2", "id": "own", **B}]
    assert staged.records["source_key"].to_list() == ["k/1", "own"]
    assert locators(staged) == ["/k~11", "/k2"]


def test_a_key_that_only_numbers_the_records_is_no_key(stage):
    assert stage(json.dumps({"0": A, "1": B})).raw == [A, B]


@pytest.mark.parametrize(
    "text",
    [
        '{\n "title": "A"\n}\n{\n "title": "B"\n}\n',
        '{"title": "A"}{"title": "B"}',
        '[{"title": "A"}]\n[{"title": "B"}]\n',
        '{"year": 1, "papers": [{"title": "A"}]}\n{"year": 2, "papers": [{"title": "B"}]}',
        f'\x1e{{\n"title": "A"}}\n\x1e{{\n"title": "B", "abstract": "{"x" * 200}"}}\n',
        'var papers = [{"title": "A"}, {"title": "B"}];\n',
        'module.exports = [{"title": "A"}, {"title": "B"}]',
        'callback([{"title": "A"}, {"title": "B"}]);',
        '[{"title": "A",}, {"title": "B", "authors": ["x, }", ], },]',
        '\ufeff[{"title": "A"}, {"title": "B"}]',
    ],
)
def test_documents_one_after_the_other_and_what_javascript_puts_around_them_are_read(stage, text):
    staged = stage(text)
    assert titles(staged) == ["A", "B"]
    assert staged.reasons == []
    assert len(set(locators(staged))) == 2


@pytest.mark.parametrize(
    ("text", "expected", "reasons"),
    [
        ('{"a": {"title": "A"}, "b": {"title": oops}, "c": {"title": "C"}}', ["A", "C"], ["broken_json"]),
        ('{"a": {"title": "A"}, "n": 3, "b": ["x"], "c": {"title": "C"}}', ["A", "C"], None),
        ('[["title", "year"], ["A", 1], ["B", 2, 3], {"title": "C"}, 7]', ["A", "C"], ["too_many_values", "not_an_object"]),
        ('{\n"title": "A"}\n{\n"title": oops}\n{\n"title": "C"}', ["A", "C"], ["broken_json"]),
        ('[{"title": "A"}]\n{"title": "B", "year"', ["A"], ["broken_json"]),
    ],
)
def test_what_is_broken_in_such_a_document_costs_itself(stage, text, expected, reasons):
    staged = stage(text)
    if reasons is None:
        assert staged.facts.verdict == "not_a_paper_list"
        return
    assert titles(staged) == expected
    assert staged.reasons == reasons


@pytest.mark.parametrize(
    "document",
    [
        {"entities": {"Q1": {"title": "Q1", "labels": {}, "claims": {}}, "Q2": {"title": "Q2", "labels": {}, "claims": {}}}},
        {"error": {"title": "Not found", "status": 404}},
        {"journal": {"title": "J", "issn": "1"}, "publisher": {"name": "P"}},
        {"a": [1, 2], "b": [3, 4]},
        [["name", "age"], ["A", 1]],
        {"title": {"en": "A"}, "x": 1}["title"],
    ],
)
def test_other_documents_are_no_lists_of_papers(stage, document):
    assert stage(json.dumps(document)).facts.verdict == "not_a_paper_list"


def test_a_record_whose_values_are_all_lists_is_one_record(stage):
    assert stage('{"title": ["A"], "authors": ["Ann Lee", "Bo Li"]}').facts.form == "one object"


def test_numbers_keep_their_text_in_columns_and_rows(stage):
    assert stage('{"title": ["A"], "score": [3.10]}').records["raw"].to_list() == ['{"title": "A", "score": 3.10}']
    assert stage('[["title", "score"], ["A", 3.10]]').records["raw"].to_list() == ['{"title": "A", "score": 3.10}']


papers = st.fixed_dictionaries(
    {"title": st.text(max_size=5), "n": st.one_of(st.integers(), st.lists(st.text("{}[]\\\",'x", max_size=3), max_size=3))}
)


@given(st.lists(papers, min_size=2, max_size=30), st.sampled_from(["array", "object", "keyed", "sequence"]), st.data())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_window_that_moves_reads_what_is_read_at_once(tmp_path_factory, records, form, data):
    indent = data.draw(st.sampled_from([None, 1]))
    wholes = {
        "array": records,
        "object": {"year": 2020, "papers": records},
        "keyed": {f"k{number}": record for number, record in enumerate([*records, *records])},
    }
    text = json.dumps(wholes[form], indent=indent, ensure_ascii=False) if form in wholes else ""
    text = text or "\n".join(json.dumps(record, indent=1) for record in records)
    if data.draw(st.booleans()):
        text = '"n" '.join(text.rsplit('"n": ', 1))
    path = tmp_path_factory.mktemp("json") / "raw"
    path.write_text(text, encoding="utf-8")
    frames = []
    for window_bytes in (json_window.WINDOW_BYTES, data.draw(st.integers(600, 900))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_window, "WINDOW_BYTES", window_bytes)
            batches = list(read(RawFile(path, path.stat().st_size, ReadLimits(entry_bytes=500))))
        records_read, rejects = (pl.concat([getattr(batch, name) for batch in batches]) for name in ("records", "rejects"))
        assert sum(batch.entries_counted or 0 for batch in batches) == records_read.height + rejects.height
        frames.append((records_read, rejects))
    assert_frame_equal(frames[0][0], frames[1][0])
    assert_frame_equal(frames[0][1].drop("text"), frames[1][1].drop("text"))


def test_an_entry_longer_than_the_limit_costs_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(json_window, "WINDOW_BYTES", 300)
    long = json.dumps({"title": 'long "}]' * 200, "x": [{"y": "\\"}] * 50})
    path = tmp_path / "raw"
    path.write_text(f'{{"papers": [{{"title": "A"}}, {long}, {{"title": "C"}}], "year": 3, "more": [{{"title": "D"}}]}}')
    batches = list(read(RawFile(path, path.stat().st_size, ReadLimits(entry_bytes=200))))
    assert pl.concat([batch.records for batch in batches])["title_raw"].to_list() == ["A", "C", "D"]
    rejects = pl.concat([batch.rejects for batch in batches])
    assert rejects["reason"].to_list() == ["entry_too_long"]
    assert "limits.entry_bytes" in rejects["message"][0]
    assert sum(batch.entries_counted or 0 for batch in batches) == 4


def test_many_documents_are_read_in_a_window_that_does_not_grow(tmp_path, monkeypatch):
    monkeypatch.setattr(json_window, "WINDOW_BYTES", 300)
    path = tmp_path / "raw"
    path.write_text("".join(f'{{"page": {n}, "papers": [{{"title": "A {n}"}}]}}\n' for n in range(200)))
    lengths, advance = [], json_window.Window.advance

    def watched(window, position):
        advance(window, position)
        lengths.append(len(window.text))

    monkeypatch.setattr(json_window.Window, "advance", watched)
    batches = list(read(RawFile(path, path.stat().st_size, ReadLimits(entry_bytes=100))))
    assert pl.concat([batch.records for batch in batches])["title_raw"].to_list() == [f"A {n}" for n in range(200)]
    assert max(lengths) <= 400


def test_the_answer_of_a_service_about_one_paper_is_that_paper_and_not_its_references(stage):
    work = {"DOI": "10.5555/g", "title": ["Glow"], "member": "1", "reference": [{"DOI": "10.5555/o", "article-title": "Other"}]}
    for document in (work, {"status": "ok", "message": work}):
        staged = stage(json.dumps(document, indent=1))
        assert staged.records["title_raw"].to_list() == ["Glow"]
        assert staged.reasons == []


def test_an_object_with_a_title_in_a_document_without_papers_is_no_paper(stage):
    document = {"openapi": "3.0", "info": {"title": "Pebbles", "version": "1"}, "paths": {"/a": {"get": {"summary": "x"}}}}
    assert stage(json.dumps(document)).facts.verdict == "not_a_paper_list"


def test_a_review_beside_the_paper_it_is_about_is_no_paper(stage):
    paper = {"id": "p3bbl3s0und", "forum": "p3bbl3s0und", "replyto": None, "content": {"title": "Sorting Pebbles by Sound"}}
    review = {"id": "r3v13w", "forum": "p3bbl3s0und", "replyto": "p3bbl3s0und", "content": {"title": "Good pebbles"}}
    staged = stage(json.dumps([paper, review]))
    assert staged.records["title_raw"].to_list() == ["Sorting Pebbles by Sound"]
    assert staged.reasons == ["not_a_paper"]


def test_what_describes_the_columns_of_a_list_is_no_reject(stage):
    document = {"features": [{"name": "title"}], "rows": [{"row_idx": 0, "row": {"title": "A", "abstract": "B"}}]}
    assert stage(json.dumps(document)).reasons == []
