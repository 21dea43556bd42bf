"""`paperlake inspect`: what a file is, where its columns go, and no trace of it anywhere."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from flows.cli import call


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PAPERLAKE_LAKE", str(tmp_path / "lake"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "lake"


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]):
    def run(*words: str | Path, code: int = 0) -> str:
        assert call(["inspect", *map(str, words)]) == code
        return capsys.readouterr().out

    return run


def test_a_file_is_told_in_full_and_not_landed(printed, samples: Path, nowhere: Path) -> None:
    text = " ".join(printed(samples / "papers.csv").split())
    assert "delimited, comma (sure" in text
    assert "balances: 4 entries counted another way, 4 read + 0 rejected" in text
    assert "author authors name 4" in text, "where the column goes, and by what rule"
    assert "First 3 of 4 records, cleaned" in text
    assert not nowhere.exists()


def test_rejects_are_shown_with_their_text(printed, samples: Path) -> None:
    text = printed(samples / "papers.jsonl")
    assert "1 broken_json" in text
    assert "Rejects" in text


def test_a_column_that_stays_in_raw_is_told(printed, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("title,gs_rank\nSorting Pebbles by Sound,3\n")
    assert "gs_rank - stays in raw 1 3" in " ".join(printed(path).split())


def test_what_is_no_list_of_papers_is_told_so_with_exit_code_1(printed, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Remember the milk.\n")
    assert "none: expected a list of papers" in " ".join(printed(path, code=1).split())


def test_a_folder_is_told_a_line_a_file(printed, samples: Path) -> None:
    lines = printed(samples, code=1).splitlines()
    assert any(line.startswith("papers.parquet") and "parquet" in line for line in lines)
    assert lines[-1] == "18 files, 1 of them not read; 38 records", "the two files of the zip are told too"


def test_json_holds_all_of_it(printed, samples: Path) -> None:
    found = json.loads(printed(samples / "papers.csv", "--format", "json", "--records", "1"))
    assert found["facts"]["reader"] == "delimited"
    assert found["balances"] is True
    assert {column["column_name"]: column["field"] for column in found["columns"]}["author"] == "authors"
    assert len(found["records"]) == 1


def test_escape_sequences_of_a_file_do_not_reach_the_terminal(printed, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("title,note\n\x1b[31mRed,[bold]x\n" * 3)
    text = printed(path)
    assert "\x1b" not in text
    assert "[bold]x" in text


def test_a_source_lends_its_columns(printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    config = tmp_path / "config"
    config.mkdir()
    for name in ("pipeline.toml", "venues.csv"):
        (config / name).write_bytes((project / "config" / name).read_bytes())
    (config / "sources.toml").write_text('[sources.mine]\nlocation = "x"\ncolumns = {Headline = "title", DOI = "ignore"}\n')
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config))
    path = tmp_path / "a.csv"
    path.write_text("Headline,DOI\nSorting Pebbles by Sound,10.5555/pebbles.1\n")
    text = " ".join(printed(path, "--source", "mine").split())
    assert "Headline title config 1" in text
    assert "identifiers" not in text
    assert call(["inspect", str(path), "--source", "min"]) == 2


def test_a_file_in_gzip_and_the_files_of_a_zip_are_looked_into(printed, samples: Path, tmp_path: Path) -> None:
    data = (samples / "papers.csv").read_bytes()
    (tmp_path / "papers").write_bytes(gzip.compress(data))
    text = " ".join(printed(tmp_path / "papers").split())
    assert f"{len(data)} bytes in gzip" in text.replace(",", "")
    with zipfile.ZipFile(tmp_path / "lists", "w") as archive:
        archive.writestr("a/papers.csv", data)
        archive.writestr("b.csv", "title,year\nSorting Pebbles by Sound,2024\n")
    lines = printed(tmp_path / "lists").splitlines()
    assert [line.split()[0] for line in lines if line.startswith("lists/")] == ["lists/a/papers.csv", "lists/b.csv"]


def test_a_broken_compression_is_told(printed, samples: Path, tmp_path: Path) -> None:
    (tmp_path / "papers").write_bytes(gzip.compress((samples / "papers.csv").read_bytes())[:100])
    assert "broken_compression" in printed(tmp_path / "papers", code=1)


def test_every_identifier_of_a_record_is_shown(printed, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    url = "https://openreview.net/forum?id=p3bbl3s0un"
    path.write_text(f"title,doi,arxiv_id,url\nSorting Pebbles by Sound,10.5555/pebbles.1,2401.00001,{url}\n")
    (record,) = json.loads(printed(path, "--format", "json"))["records"]
    assert record["identifiers"] == ["arxiv 2401.00001", "doi 10.5555/pebbles.1", "openreview p3bbl3s0un"]


def test_two_identifiers_of_one_scheme_are_both_shown() -> None:
    from flows.commands.inspection import _SHOWN, _shown

    ids = [{"scheme": "doi", "value": "10.5555/a"}, {"scheme": "doi", "value": "10.5555/b"}]
    record = dict.fromkeys(_SHOWN) | {"ordinal": 1, "locator": "row 1", "identifiers": ids}
    assert _shown(record)["identifiers"] == ["doi 10.5555/a", "doi 10.5555/b"]
