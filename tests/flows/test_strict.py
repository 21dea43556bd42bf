"""`run --strict`: a live file that is not read as a list of papers ends the run, and nothing is published."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.cli import call

LIST = '{"title": "Glow Worms in Graph Search", "authors": ["Ada Moss"], "year": 2023}\n'


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "list.jsonl").write_text(LIST)
    return folder


def run(raw: Path, lake: Path, *words: str) -> int:
    return call(["run", str(raw), "--lake", str(lake), *words])


def spoil(raw: Path) -> None:
    (raw / "README.md").write_text("# Lists\n\nSome words about lists.\n")
    (raw / "cut.gz").write_bytes(gzip.compress(LIST.encode())[:-9])


def test_where_every_file_is_read_a_strict_run_publishes(raw: Path, tmp_path: Path) -> None:
    assert run(raw, tmp_path / "lake", "--strict", "--direct") == 0
    assert (tmp_path / "lake" / "current").exists()


def test_a_file_that_is_not_read_ends_a_strict_run_and_is_named(
    raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    spoil(raw)
    for _ in range(2):  # the second time nothing is new
        assert run(raw, lake, "--strict", "--direct") == 1
        said = capsys.readouterr().err
        assert "nothing is published, as --strict wants every file read and 2 are not:\n" in said
        assert "\n  README.md: not_a_paper_list: expected a list of papers, found Markdown" in said
        assert "\n  cut.gz: unreadable: a gzip file that is truncated or damaged: " in said
        assert "list.jsonl" not in said.partition("paperlake: ")[2]  # the log names every file that was read
        assert not (lake / "current").exists()


def test_a_release_published_without_strict_does_not_satisfy_it_later(
    raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    spoil(raw)
    assert run(raw, lake, "--direct") == 0
    before = (lake / "current").readlink()
    capsys.readouterr()
    assert run(raw, lake, "--strict", "--direct") == 1
    assert "README.md: not_a_paper_list" in capsys.readouterr().err
    assert (lake / "current").readlink() == before


def test_when_the_file_is_forgotten_a_strict_run_publishes(raw: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    spoil(raw)
    assert run(raw, lake, "--strict", "--direct") == 1
    assert call(["forget", "README.md", "cut.gz", "--lake", str(lake)]) == 0
    assert run(raw / "list.jsonl", lake, "--strict", "--direct") == 0


def test_a_bad_record_does_not_end_a_strict_run(raw: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (raw / "list.jsonl").write_text(LIST + '{"title": \n' + LIST.replace("Glow", "Slow"))
    assert run(raw, tmp_path / "lake", "--strict", "--direct", "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert sum(report["rejects_by_reason"].values()) == 1
    assert report["files_unread"] == []


@pytest.fixture
def server() -> Iterator[None]:
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=120):
        yield


@pytest.mark.usefixtures("server")
def test_strict_holds_in_the_flow_too(raw: Path, tmp_path: Path) -> None:
    from flows.pipeline import PipelineError
    from flows.prefect_flow import pipeline

    spoil(raw)
    with pytest.raises(PipelineError, match=r"cut\.gz: unreadable"):
        pipeline(paths=[str(raw)], lake=str(tmp_path / "lake"), strict=True)
    assert pipeline(paths=[str(raw)], lake=str(tmp_path / "lake"))["outcome"] == "published"
