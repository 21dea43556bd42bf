"""Eight hundred real files in one run: it ends well, every file is accounted for, and each reject is the file's own fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.cli import call


@pytest.fixture(scope="module")
def lake(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("fixtures") / "lake"
    assert call(["run", str(shared / "fixtures"), "--lake", str(lake), "--direct"]) == 0
    return lake


@pytest.fixture
def ask(lake: Path, capsys: pytest.CaptureFixture[str]):
    def answer(query: str) -> list[dict]:
        assert call(["sql", query, "--lake", str(lake), "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return answer


def test_every_file_is_accounted_for(ask, shared: Path) -> None:
    assert ask("select file_sha256 from ledger where not balanced") == []
    (row,) = ask("select count(*) as files, count(distinct file_sha256) as hashes from raw_files")
    assert row["files"] == row["hashes"] > 700


def test_no_reader_fails_and_no_file_is_of_two_formats(ask) -> None:
    query = "select f.file_name, r.reason, r.message from rejects r join raw_files f using (file_sha256)"
    assert ask(f"{query} where reason in ('reader_failed', 'ambiguous_format')") == []
