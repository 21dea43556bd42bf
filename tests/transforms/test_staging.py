"""Staging: whatever a file is, its account balances, and a reader that fails costs its file only."""

import dataclasses

import pytest

from transforms.readers import registry
from transforms.readers.base import BatchBuilder, RawFile, ReadError
from transforms.readers.limits import ReadLimits

LINES = '{"title": "Sorting Pebbles by Sound"}\n{"title": "Tides, Locks and Ferries"}\n'


def test_records_are_numbered_through_all_batches(stage, monkeypatch):
    monkeypatch.setattr("transforms.readers.base.BATCH_ROWS", 3)
    staged = stage('{"title": "A", "gs_rank": 1}\n' * 8)
    assert staged.records["ordinal"].to_list() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert staged.column_map.rows() == [(1, "title", "title", "name", 8), (2, "gs_rank", None, "unknown", 8)]


def test_columns_of_the_source_are_mapped_as_it_says(stage):
    staged = stage('{"title": "A", "people": ["Ann Lee"]}\n' * 2, columns={"people": "authors_raw"})
    assert staged.fields[0] == {"title_raw": "A", "author_names_raw": ["Ann Lee"]}


@pytest.mark.parametrize(
    "content",
    [
        "Titel;Personen\nSorting Pebbles by Sound;Ann Lee\n",
        '[{"Titel": "Sorting Pebbles by Sound", "Personen": ["Ann Lee"]}]',
        '{"Titel": "Sorting Pebbles by Sound"}\n{"Titel": "Tides"}\n',
    ],
)
def test_a_file_whose_columns_only_the_source_knows_is_read(stage, content):
    content = content.replace("Titel", "Benennung")
    assert stage(content).facts.verdict == "not_a_paper_list"
    staged = stage(content, columns={"Benennung": "title_raw", "Personen": "authors_raw"})
    assert staged.facts.verdict == "read"
    assert staged.records["title_raw"][0] == "Sorting Pebbles by Sound"


def test_a_sniff_that_fails_costs_its_reader_the_file_and_no_more(monkeypatch, tmp_path):
    def fails(sample):
        raise ValueError("bug")

    monkeypatch.setitem(registry.READERS, "parquet", dataclasses.replace(registry.READERS["parquet"], sniff=fails))
    path = tmp_path / "raw"
    path.write_text(LINES)
    choice = registry.sniff(RawFile(path, len(LINES)))
    assert choice.reader is registry.READERS["json_lines"]
    assert any(candidate.reason.startswith(registry.SNIFF_FAILED) for candidate in choice.candidates)


@pytest.mark.parametrize(("error", "reason"), [(ReadError("odd", "gave up"), "odd"), (ValueError("bug"), "reader_failed")])
def test_what_a_reader_gave_before_it_failed_is_dropped_for_one_reject_of_all(stage, monkeypatch, error, reason):
    def read(raw_file):
        builder = BatchBuilder()
        builder.record({"title": "A"}, locator="line 1", span=(0, 3))
        yield builder.take()
        raise error

    reader = dataclasses.replace(registry.READERS["json_lines"], read=read)
    monkeypatch.setitem(registry.READERS, "json_lines", reader)
    staged = stage(LINES)
    assert staged.records.height == 0
    assert staged.rejects.select("reason", "span_start", "span_end").rows() == [(reason, 0, len(LINES))]
    assert staged.facts.verdict == "unreadable"


def test_a_document_over_the_limit_is_refused_with_the_name_of_the_limit(stage):
    staged = stage(LINES.encode("utf-16"), limits=ReadLimits(document_bytes=10))
    assert staged.reasons == ["document_too_large"]
    assert "limits.document_bytes = 10" in staged.rejects["message"][0]
