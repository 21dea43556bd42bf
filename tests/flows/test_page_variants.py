"""Viewer pages end to end: the same page twice, cut cells beside full records, a page without rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.cli import call


def counts(capsys: pytest.CaptureFixture[str], lake: Path, *files: Path) -> dict[str, int]:
    """Records, papers and unbalanced files after a run on these files."""
    assert call(["run", *map(str, files), "--lake", str(lake), "--direct"]) == 0
    capsys.readouterr()
    query = (
        "select (select count(*) from records) as records, (select count(*) from papers) as papers, "
        "(select count(*) from ledger where not balanced) as unbalanced"
    )
    assert call(["sql", query, "--lake", str(lake), "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    return row


def test_the_same_page_twice_in_a_file_gives_twice_the_records_and_no_new_papers(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (samples / "viewer_page.txt").read_text(encoding="utf-8")
    (tmp_path / "twice.txt").write_text(f"{page}\n{page}", encoding="utf-8")
    assert counts(capsys, tmp_path / "lake", tmp_path / "twice.txt") == {"records": 10, "papers": 5, "unbalanced": 0}


def test_the_same_page_in_two_files_gives_twice_the_records_and_no_new_papers(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (samples / "viewer_page.txt").read_bytes()
    (tmp_path / "crlf.txt").write_bytes(b"\xef\xbb\xbf" + page.replace(b"\n", b"\r\n"))
    files = (samples / "viewer_page.txt", tmp_path / "crlf.txt")
    assert counts(capsys, tmp_path / "lake", *files) == {"records": 10, "papers": 5, "unbalanced": 0}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_page_of_cut_cells_joins_the_full_records(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str], order: tuple[int, int]
) -> None:
    full = samples / "viewer_page.txt"
    rows = [json.loads(line)["raw"] for line in _records(capsys, tmp_path / "first", full)]
    cut = tmp_path / "cut.txt"
    head = "title\nstringlengths 48\n59\n| abstract\nstringlengths 380\n1.21k\n|\n|---|---|\n"
    body = "".join(
        f"{row['title']} | {row['abstract'][:300]}... |\n" for row in map(json.loads, rows) if "|" not in row["title"]
    )
    cut.write_text(f"{head}{body}Subsets and Splits\n", encoding="utf-8")
    lake = tmp_path / "lake"
    for place in order:
        found = counts(capsys, lake, (full, cut)[place])
    assert found == {"records": 9, "papers": 5, "unbalanced": 0}


def test_a_page_without_rows_has_its_totals_and_no_paper(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (samples / "viewer_page.txt").read_text(encoding="utf-8")
    head = page[: page.index("Lanterns in the Loss")]
    (tmp_path / "empty.txt").write_text(head, encoding="utf-8")
    lake = tmp_path / "lake"
    assert counts(capsys, lake, tmp_path / "empty.txt") == {"records": 0, "papers": 0, "unbalanced": 0}
    query = "select distinct verdict, observed from control_totals"
    assert call(["sql", query, "--lake", str(lake), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"verdict": "partial", "observed": None}]


def _records(capsys: pytest.CaptureFixture[str], lake: Path, file: Path) -> list[str]:
    assert call(["run", str(file), "--lake", str(lake), "--direct"]) == 0
    capsys.readouterr()
    assert call(["sql", "select raw from records order by ordinal", "--lake", str(lake), "--format", "jsonl"]) == 0
    return capsys.readouterr().out.splitlines()
