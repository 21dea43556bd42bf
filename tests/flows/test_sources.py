"""This module tests `paperlake sources`: how each source does, and what comes of trying them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Shelf

TIDES = "title,author,year\nA ledger of small tides,Peder Lund,2015\nSalt of the inland seas,Uma Roy,2001\n"
WHALES = "title,author,year\nThe dry bones of old whales,Hana Sato,2011\na row of too few\n"
BLOCKS = {
    "club": 'location = "../lists/*.csv"',
    "guests": 'location = ["../guests", "../more/*.csv"]',
    "late": 'location = "../late"',
}


class Pier(Shelf):
    """A lake whose sources stand in blocks that a test writes."""

    def write_blocks(self, **blocks: str) -> None:
        text = "\n".join(f"[sources.{name}]\n{block}\n" for name, block in blocks.items())
        (self.folder / "config" / "sources.toml").write_text(text)

    def states(self) -> dict[str, dict[str, Any]]:
        return {row["source"]: row for row in self.rows("sources")}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Pier:
    """Three sources, two of which landed; tests that change it copy it."""
    pier = Pier(tmp_path_factory.mktemp("sources"))
    for name in ("config", "lists", "guests", "more", "late"):
        (pier.folder / name).mkdir()
    (pier.folder / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    pier.list.write_text(TIDES)
    (pier.folder / "guests" / "whales.csv").write_text(WHALES)
    (pier.folder / "more" / "same.csv").write_text(TIDES)
    pier.write_blocks(**{name: BLOCKS[name] for name in ("club", "guests")})
    assert pier.run()["outcome"] == "published"
    pier.write_blocks(**BLOCKS)
    return pier


@pytest.fixture
def pier(first: Pier, tmp_path: Path) -> Pier:
    return Pier(first.copy(tmp_path).folder)


def test_each_source_is_listed_with_what_is_live_of_it(first: Pier) -> None:
    assert "there is no lake" not in first.call("sources")
    rows = first.states()
    assert list(rows) == ["club", "guests", "late"]
    figures = ("state", "files", "size_bytes", "records", "rejects", "why")
    assert [rows["club"][name] for name in figures] == ["ok", 1, len(TIDES), 2, 0, None]
    assert rows["club"]["location"] == ["../lists/*.csv"]
    # The list that both have counts for each.
    assert [rows["guests"][name] for name in figures] == ["ok", 2, len(TIDES) + len(WHALES), 3, 1, None]
    assert rows["guests"]["location"] == ["../guests", "../more/*.csv"]
    assert [rows["late"][name] for name in figures[:-1]] == ["never run", 0, 0, None, None]
    assert rows["late"]["last_success"] is None


def test_the_last_success_is_the_last_run_that_had_the_source(pier: Pier) -> None:
    (begun,) = [json.loads(path.read_text())["started_at"] for path in (pier.lake / "runs").glob("*/report.json")]
    assert {row["last_success"] for row in pier.rows("sources") if row["source"] != "late"} == {begun}
    (path,) = (pier.lake / "runs").glob("*/report.json")
    # A run that failed, or that had only files of the command line, is none.
    for run_id, changes in {"20990101T000000-1": {"outcome": "failed"}, "20990101T000000-2": {"passed_sources": []}}.items():
        (pier.lake / "runs" / run_id).mkdir()
        later = {**json.loads(path.read_text()), "started_at": "2099-01-01T00:00:00+00:00", **changes}
        (pier.lake / "runs" / run_id / "report.json").write_text(json.dumps(later))
    assert pier.states()["club"]["last_success"] == begun
    (pier.lake / "runs" / "20990101T000000-3").mkdir()
    (pier.lake / "runs" / "20990101T000000-3" / "report.json").write_text(json.dumps({**later, "passed_sources": ["club"]}))
    assert pier.states()["club"]["last_success"] == "2099-01-01T00:00:00+00:00"
    assert pier.states()["guests"]["last_success"] == begun


def test_a_source_that_failed_or_is_held_back_says_why_and_keeps_its_figures(pier: Pier) -> None:
    before = pier.states()
    pier.list.write_text(TIDES[: TIDES.index("Salt")])
    (pier.folder / "more" / "same.csv").unlink()
    pier.write_blocks(club=BLOCKS["club"], guests=BLOCKS["guests"])
    pier.call("run", "--direct", code=3)
    rows = pier.states()
    assert (rows["club"]["state"], rows["guests"]["state"]) == ("held back", "failed")
    assert "list.csv has" in rows["club"]["why"]
    assert "`paperlake run --accept club` lets it through" in rows["club"]["why"]
    assert "no file at location = '../more/*.csv'" in rows["guests"]["why"]
    for name in ("files", "size_bytes", "records", "rejects", "last_success"):
        assert (rows["club"][name], rows["guests"][name]) == (before["club"][name], before["guests"][name])
    told = pier.call("sources")
    assert "club: held back: " in told
    assert "guests: failed: " in told
    (pier.folder / "more" / "same.csv").write_text(TIDES)
    pier.call("run", "--direct", "--accept", "club")
    assert {row["state"] for row in pier.rows("sources")} == {"ok"}
    assert pier.states()["club"]["records"] == 1


def test_what_is_live_without_a_block_is_listed_with_what_to_do(pier: Pier) -> None:
    given = pier.folder / "given.csv"
    given.write_text(WHALES.replace("old", "young"))
    pier.call("run", given, "--direct")
    pier.write_blocks(guests=BLOCKS["guests"])
    rows = pier.states()
    assert [(name, row["state"]) for name, row in rows.items()] == [
        ("guests", "ok"),
        ("club", "not configured"),
        ("command_line", "ok"),
    ]
    assert "`paperlake forget club`" in rows["club"]["why"]
    assert (rows["club"]["records"], rows["club"]["location"]) == (2, [])
    assert (rows["command_line"]["files"], rows["command_line"]["records"], rows["command_line"]["rejects"]) == (1, 1, 1)
    pier.call("forget", "club")
    assert list(pier.states()) == ["guests", "command_line"]


def test_without_a_lake_the_sources_are_listed_and_without_sources_it_is_said(pier: Pier) -> None:
    pier.lake = pier.folder / "none"
    assert {row["state"] for row in pier.rows("sources")} == {"never run"}
    assert f"there is no lake at {pier.lake}: no run has made it yet\n" in pier.call("sources")
    assert not pier.lake.exists()
    pier.write_blocks()
    assert "no source: describe one in" in pier.call("sources")


@pytest.mark.parametrize("format", ["table", "csv", "jsonl", "markdown"])
def test_sources_are_printed_in_every_format(first: Pier, format: str) -> None:
    told = first.call("sources", "--format", format)
    assert "club" in told
    assert "../lists/*.csv" in told


def test_each_location_is_tried_and_a_failure_is_exit_code_1(pier: Pier) -> None:
    lake_before = sorted(map(str, pier.lake.rglob("*")))
    (pier.folder / "late" / "soon.csv").write_text(TIDES)
    assert [(row["source"], row["location"], row["is_ok"], row["files"]) for row in pier.rows("sources", "check")] == [
        ("club", "../lists/*.csv", True, 1),
        ("guests", "../guests", True, 1),
        ("guests", "../more/*.csv", True, 1),
        ("late", "../late", True, 1),
    ]
    (pier.folder / "more" / "same.csv").unlink()
    (bad,) = [row for row in pier.rows("sources", "check", code=1) if not row["is_ok"]]
    assert (bad["source"], bad["location"]) == ("guests", "../more/*.csv")
    assert "no file at location = '../more/*.csv'" in bad["message"]
    assert "2 of 3 sources can be had, not: guests" in pier.call("sources", "check", code=1)
    assert "1 of 1 source can be had" in pier.call("sources", "check", "club")
    assert sorted(map(str, pier.lake.rglob("*"))) == lake_before


def test_a_pattern_that_is_none_fails_its_source_alone(pier: Pier) -> None:
    pier.write_blocks(club=BLOCKS["club"], odd='location = "../lists/**.csv"')
    assert [(row["source"], row["is_ok"]) for row in pier.rows("sources", "check", code=1)] == [("club", True), ("odd", False)]
    assert "'../lists/**.csv' is no pattern of files: " in pier.call("sources", "check", "--format", "csv", code=1)
    assert "held back: odd: " in pier.call("run", "--direct", code=3)


def test_files_that_could_not_be_landed_are_told(pier: Pier) -> None:
    (pier.folder / "more" / "whales.csv").write_text(WHALES)
    (row,) = [row for row in pier.rows("sources", "check", "guests", code=1) if not row["is_ok"]]
    assert "two of its files are called whales.csv" in row["message"]
    (pier.folder / "config" / "pipeline.toml").write_text("[limits]\nfile_bytes = 80\n")
    (row,) = pier.rows("sources", "check", "club", code=1)
    assert f"list.csv: {len(TIDES)} bytes, more than limits.file_bytes = 80" in row["message"]
    pier.list.unlink()
    pier.list.mkdir()
    (row,) = pier.rows("sources", "check", "club", code=1)
    assert "no file at location" in row["message"]


@pytest.mark.parametrize(
    ("block", "words", "sentence"),
    [
        ('locaton = "x"', [], "sources.toml [sources.club]: unknown key 'locaton'. Did you mean 'location'?"),
        ('location = "http://club.example/list.csv"', [], "sources.toml [sources.club]"),
        (BLOCKS["club"], ["clubb"], "sources.toml has no source 'clubb'. Did you mean 'club'?"),
        (BLOCKS["club"], ["elsewhere"], "sources.toml has no source 'elsewhere'. Sources are: club."),
    ],
)
def test_a_wrong_configuration_is_exit_code_2(pier: Pier, block: str, words: list[str], sentence: str) -> None:
    pier.write_blocks(club=block)
    assert sentence in pier.call("sources", "check", *words, code=2)


def test_help_is_right_for_both_commands(first: Pier) -> None:
    told = first.process("sources", "--help").stdout
    assert "Example: paperlake sources" in told
    assert "check" in told
    assert "Example: paperlake sources check" in first.process("sources", "check", "--help").stdout


def test_sources_imports_neither_prefect_nor_polars(first: Pier) -> None:
    script = (
        "import sys; from flows.cli import call; code = call(sys.argv[1:]); "
        "print(code, [name for name in ('prefect', 'polars', 'httpx') if name in sys.modules], file=sys.stderr)"
    )
    for words in (["sources"], ["sources", "check", "club"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *words, "--lake", str(first.lake)],
            env={"PAPERLAKE_CONFIG": str(first.folder / "config")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.splitlines()[-1] == "0 []", done.stderr
