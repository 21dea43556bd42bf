"""This module tests `paperlake replay`: raw files read again after a fix, and what is told of each reject and file."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from transforms.readers.base import BatchBuilder
from warehouse.layout import Lake
from warehouse.lock import hold_lock

from .conftest import Shelf, tables

LONG = "x" * 4_000
ROWS = "title,author,year\nSalt of the inland seas,Uma Roy,2001\nA row of too few\nWarm ice in cold rivers,Ann Lee,2020\n"
LINES = [
    {"title": "A ledger of small tides", "authors": ["Peder Lund"], "year": 2015},
    {"title": "The dry bones of old whales", "authors": ["Hana Sato"], "year": 2011, "abstract": LONG},
    '{"title": "A line that was cut',
    {"title": "On heat below the frost", "authors": ["Ben Okri"], "year": 2020},
]
UNKNOWN = "Werk;Wer\nVon der Wärme unter dem Eis;Ben Okri\nVon alten Walen;Hana Sato\n"


class Desk(Shelf):
    """A lake with two configured sources, whose lists have rejects of several reasons."""

    def configure_all(self, *, entry_bytes: int = 2_000, columns: str = "") -> None:
        config = self.folder / "config"
        (config / "pipeline.toml").write_text(f"[limits]\nentry_bytes = {entry_bytes}\n")
        (config / "sources.toml").write_text(
            f'[sources.club]\nlocation = "../lists"\n[sources.guests]\nlocation = "../guests"\n{columns}\n'
        )

    def replay(self, *words: object, code: int = 0) -> list[dict[str, Any]]:
        return self.rows("replay", *words, code=code)

    def outcomes(self, *words: object) -> Counter[str]:
        return Counter(row["outcome"] for row in self.replay(*words))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Desk:
    """The lake after its first run; tests copy it."""
    desk = Desk(tmp_path_factory.mktemp("replay"))
    for name in ("config", "lists", "guests"):
        (desk.folder / name).mkdir()
    (desk.folder / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    desk.configure_all()
    desk.list.write_text(ROWS)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in LINES]
    (desk.folder / "lists" / "lines.jsonl").write_text("\n".join(lines) + "\n")
    (desk.folder / "guests" / "werke.csv").write_text(UNKNOWN)
    report = desk.run(None, "--accept", "guests")
    assert report["rejects_by_reason"] == {"ragged_row": 1, "entry_too_long": 1, "broken_json": 1, "not_a_paper_list": 1}
    return desk


@pytest.fixture
def desk(first: Desk, tmp_path: Path) -> Desk:
    copied = first.copy(tmp_path)
    return Desk(copied.folder)


def files_of(lake: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in sorted(lake.rglob("*"))}


def test_a_reject_that_a_higher_limit_lets_through_is_told_to_be_a_record_of_its_paper(desk: Desk) -> None:
    before = desk.current()
    desk.configure_all(entry_bytes=100_000)
    (row,) = desk.replay("--rejects", "entry_too_long")
    assert before != desk.current()
    assert (row["outcome"], row["locator"], row["file_name"], row["record_count"]) == ("record", "line 2", "lines.jsonl", 1)
    (paper,) = desk.rows("sql", "select paper_id, title from papers where year = 2011")
    assert (row["paper_id"], row["title"]) == (paper["paper_id"], paper["title"])
    assert [each["reason"] for each in desk.rows("rejects")] == ["broken_json", "ragged_row", "not_a_paper_list"]


def test_a_whole_file_that_was_refused_is_told_to_be_its_records(desk: Desk) -> None:
    desk.configure_all(columns='columns = {Werk = "title", Wer = "authors"}')
    (row,) = desk.replay("--rejects", "not_a_paper_list")
    assert (row["outcome"], row["source"], row["file_name"], row["record_count"]) == ("record", "guests", "werke.csv", 2)


def test_what_no_fix_has_reached_is_rejected_as_before_and_the_release_is_the_same(desk: Desk) -> None:
    before = tables(desk.lake)
    for reason in ("ragged_row", "broken_json", "entry_too_long", "not_a_paper_list"):
        assert desk.outcomes("--rejects", reason) == {"same_reason": 1}
    assert tables(desk.lake) == before
    told = desk.call("replay", "--rejects", "ragged_row")
    assert f"read again: 1 raw file\nnothing changed: the tables are those of release {desk.current()}\n" in told
    assert "1 reject of ragged_row: 1 rejected as before\n" in told


def repaired(builder: BatchBuilder, reason: str, message: str, **place: Any) -> None:
    """A reader that makes records of broken lines, and gives ragged rows another reason: by the same version of the code."""
    if reason == "broken_json":
        builder.record({"title": "A line that was cut and sewn"}, locator=place["locator"], span=place["span"])
    else:
        UNPATCHED(builder, "short_row" if reason == "ragged_row" else reason, message, **place)


def splitting(builder: BatchBuilder, reason: str, message: str, **place: Any) -> None:
    """A reader that finds in the span of a broken line a record, and after it something that stays broken."""
    if reason == "broken_json":
        start, end = place["span"]
        builder.record({"title": "The half that could be saved"}, locator="line 3", span=(start, start + 9))
        builder.record({"title": "Another third of it, saved too"}, locator="line 3", span=(start + 9, start + 12))
        place |= {"locator": "line 3, character 13", "span": (start + 12, end)}
    UNPATCHED(builder, reason, message, **place)


def failing(builder: BatchBuilder, reason: str, message: str, **place: Any) -> None:
    """A reader with a bug."""
    if reason == "broken_json":
        raise ArithmeticError(message)
    UNPATCHED(builder, reason, message, **place)


UNPATCHED = BatchBuilder.reject


def test_outputs_are_made_anew_although_code_and_settings_are_the_same(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BatchBuilder, "reject", repaired)
    assert desk.run()["outcome"] == "nothing new"
    (row,) = desk.replay("--rejects", "broken_json")
    assert (row["outcome"], row["title"], row["locator"]) == ("record", "A line that was cut and sewn", "line 3")
    # Only the file that was meant was read again: the other list still has its row as it was.
    assert "ragged_row" in {row["reason"] for row in desk.rows("rejects")}
    (row,) = desk.replay("--rejects", "ragged_row")
    assert (row["outcome"], row["other_reason"], row["locator"]) == ("other_reason", "short_row", "row 2")
    assert all(row["balanced"] for row in desk.rows("ledger"))
    assert [row["because"] for row in desk.rows("releases")][:2] == ["1 raw file read again; the same inputs"] * 2


def test_a_reject_that_is_in_part_a_record_is_told_apart(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BatchBuilder, "reject", splitting)
    (row,) = desk.replay("--rejects", "broken_json")
    assert (row["outcome"], row["record_count"], row["locator"]) == ("partly_record", 2, "line 3")
    # Those before and after it in the file are not taken for it.
    assert desk.outcomes("--rejects", "entry_too_long") == {"same_reason": 1}
    (row,) = desk.replay("--rejects", "broken_json")
    assert (row["outcome"], row["locator"]) == ("same_reason", "line 3, character 13")


def test_a_file_that_is_refused_whole_now_takes_its_rejects_with_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BatchBuilder, "reject", failing)
    (row,) = desk.replay("--rejects", "broken_json")
    assert (row["outcome"], row["other_reason"]) == ("other_reason", "reader_failed")
    told = {row["file_name"]: row for row in desk.replay("--all", "--at", "previous")}
    assert (told["lines.jsonl"]["records_before"], told["lines.jsonl"]["records_after"]) == (2, 0)
    assert (told["lines.jsonl"]["rejects_before"], told["lines.jsonl"]["rejects_after"]) == (2, 1)


def test_rejects_of_an_earlier_release_are_told_after_a_run_that_had_the_fix_already(desk: Desk) -> None:
    desk.configure_all(entry_bytes=100_000)
    fixed = desk.run()["release_id"]
    assert "no reject with this reason" in desk.call("replay", "--rejects", "entry_too_long", code=2)
    assert desk.outcomes("--rejects", "entry_too_long", "--at", "previous") == {"record": 1}
    assert desk.current() == fixed


def test_files_that_differ_are_listed_with_their_records_rejects_and_columns(desk: Desk) -> None:
    desk.configure_all(columns='columns = {Werk = "title", Wer = "authors"}')
    (row,) = desk.replay("--all")
    assert row["columns_changed"] == ["Werk: new → title", "Wer: new → authors"]
    assert [row[name] for name in ("records_before", "records_after", "rejects_before", "rejects_after")] == [0, 2, 1, 0]
    desk.configure_all(columns='columns = {Werk = "title", Wer = "ignore"}')
    told = desk.call("replay", "werke.csv")
    assert "read again: 1 raw file" in told
    assert "1 file with other records, rejects or columns; 0 as before" in told
    assert "Wer: authors → " in told
    assert desk.replay("--source", "club") == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--all"], {"lines.jsonl", "list.csv", "werke.csv"}),
        (["--source", "club"], {"lines.jsonl", "list.csv"}),
        (["--source", "club", "--reader", "delimited"], {"list.csv"}),
        (["lines.jsonl", "guests"], {"lines.jsonl", "werke.csv"}),
        (["--rejects", "ragged_row"], {"list.csv"}),
        (["lines.jsonl", "--rejects", "broken_json"], {"lines.jsonl"}),
    ],
)
def test_a_dry_run_lists_what_would_be_read_again_and_changes_nothing(
    first: Desk, words: list[str], expected: set[str]
) -> None:
    before = files_of(first.lake)
    rows = first.replay(*words, "--dry-run")
    assert {row["file"] for row in rows} == expected
    assert {row["raw"] for row in rows} == {"there"}
    assert files_of(first.lake) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "say what is to be read again: FILES, --rejects REASON, --source NAME, --reader NAME, or --all"),
        (["--all", "--source", "club"], "--all means every live file; leave it out"),
        (
            ["--rejects", "ragged_rows"],
            "--rejects ragged_rows: the release has no reject with this reason. Did you mean 'ragged_row'? There are: "
            "broken_json (1 reject), entry_too_long (1 reject), not_a_paper_list (1 reject), ragged_row (1 reject).",
        ),
        (
            ["--source", "glub"],
            "no file of such a source is live. Did you mean 'club'? There are: club (2 files), guests (1 file).",
        ),
        (["--reader", "bibtex"], "no file of the release was read by it. There are: delimited (1 file), json_lines (1 file)."),
        (["--rejects", "ragged_row", "--source", "guests"], "no live file is all that was asked for"),
    ],
)
def test_what_means_no_file_is_refused_with_what_there_is(first: Desk, words: list[str], sentence: str) -> None:
    before = files_of(first.lake)
    assert sentence in first.call("replay", *words, code=2)
    assert files_of(first.lake) == before


def test_a_name_that_no_live_file_has_is_refused(first: Desk) -> None:
    assert "'lost.csv' is no live source, file name or hash" in first.call("replay", "lost.csv", code=1)


def test_a_lake_without_a_release_is_told_what_to_do(tmp_path: Path, first: Desk) -> None:
    desk = Desk(first.copy(tmp_path).folder)
    desk.lake = tmp_path / "none"
    assert "there is no lake at" in desk.call("replay", "--all", code=1)


def test_nothing_is_landed_by_a_replay(desk: Desk) -> None:
    desk.list.write_text(ROWS.replace("Uma Roy", "Uma Raj"))
    (desk.folder / "lists" / "new.csv").write_text(ROWS)
    before = desk.current(), (desk.lake / "state" / "live.json").read_bytes()
    assert desk.outcomes("--rejects", "ragged_row") == {"same_reason": 1}
    assert (desk.current(), (desk.lake / "state" / "live.json").read_bytes()) == before


def test_a_damaged_raw_file_stops_the_replay_and_costs_nothing_else(desk: Desk) -> None:
    (row,) = desk.replay("--rejects", "ragged_row", "--dry-run")
    raw, before = Lake(desk.lake).raw_path(row["file_sha256"]), tables(desk.lake)
    raw.chmod(0o644)
    raw.write_bytes(raw.read_bytes().replace(b"inland", b"INLAND"))
    assert "is damaged: run again with --rehash" in desk.call("replay", "--rejects", "ragged_row", code=1)
    raw.unlink()
    assert desk.replay("--rejects", "ragged_row", "--dry-run")[0]["raw"] == "missing, or of another size"
    assert "is missing: run again with --rehash" in desk.call("replay", "--rejects", "ragged_row", code=1)
    assert tables(desk.lake) == before
    # Its outputs are still there: a run that adds another file has no need of it.
    other = desk.folder / "other.csv"
    other.write_text("title,author,year\nThe second shore,Ann Lee,2019\n")
    report = json.loads(desk.call("run", other, "--direct", "--format", "json"))
    assert (report["outcome"], report["files_read"]) == ("published", 1)


def test_files_forgotten_since_are_left_out_and_said(desk: Desk) -> None:
    desk.call("forget", "list.csv")
    assert "no file with rejects of ragged_row is live any more" in desk.call("replay", "--rejects", "ragged_row", code=1)
    desk.call("forget", "werke.csv")
    assert desk.outcomes("--rejects", "broken_json") == {"same_reason": 1}
    assert desk.replay("lines.jsonl", "--at", "previous") == []
    assert {row["file_name"] for row in desk.rows("ledger")} == {"lines.jsonl"}


def test_a_replay_under_a_pin_is_held_back_and_told(desk: Desk) -> None:
    desk.call("rollback", "current", "--because", "the list is looked at")
    before = desk.current()
    desk.configure_all(entry_bytes=100_000)
    told = desk.call("replay", "--rejects", "entry_too_long", code=3)
    assert desk.current() == before
    assert "is held back" in told
    assert "1 reject of entry_too_long: 1 a record now" in told


def test_a_replay_waits_for_the_lock_no_longer_than_it_may(desk: Desk) -> None:
    with hold_lock(Lake(desk.lake), wait_seconds=0, on_wait=print, command="paperlake run"):
        assert desk.process("replay", "--all", "--wait", 0).returncode == 4
    assert desk.outcomes("--rejects", "ragged_row") == {"same_reason": 1}


def test_a_replay_killed_anywhere_leaves_a_lake_that_the_next_one_finishes(desk: Desk, tmp_path: Path) -> None:
    desk.configure_all(entry_bytes=100_000)
    words, before = ("replay", "--rejects", "entry_too_long"), desk.current()
    undisturbed = Desk(desk.copy(tmp_path / "undisturbed").folder)
    log = tmp_path / "points"
    assert undisturbed.process(*words, PAPERLAKE_CRASH_LOG=str(log)).returncode == 0
    points = log.read_text().splitlines()
    stops = [points.index(f"after step {step}") + 1 for step in ("stage", "clean", "publish")]
    for stop in stops:
        killed = Desk(desk.copy(tmp_path / f"killed-{stop}").folder)
        assert killed.process(*words, PAPERLAKE_CRASH_AT=str(stop)).returncode < 0
        assert killed.current() in (before, undisturbed.current())
        assert killed.rows("verify") == []
        killed.call("run", "--direct")
        assert tables(killed.lake) == tables(undisturbed.lake)
        assert [row["outcome"] for row in killed.replay("--rejects", "entry_too_long", "--at", before)] == ["record"]


def test_the_run_has_no_ceiling_of_memory_from_the_query_before_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    # `paperlake sql` lowers its process's ceiling for good: a replay of 116,000 records then ended without memory.
    monkeypatch.setattr("flows.commands.read_commands.owns_process", True)
    lowered = []
    monkeypatch.setattr("warehouse.sandbox.cap_process_memory", lowered.append)
    desk.call("replay", "--rejects", "ragged_row")
    desk.call("replay", "--all")
    assert not lowered
    desk.call("sql", "select 1")
    assert lowered


def test_a_dry_run_imports_neither_prefect_nor_polars(first: Desk) -> None:
    import subprocess

    script = (
        "import sys; from flows.cli import call; code = call(sys.argv[1:]); "
        "print(code, [name for name in ('prefect', 'polars') if name in sys.modules], file=sys.stderr)"
    )
    words = ["replay", "--all", "--dry-run", "--lake", str(first.lake)]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "0 []"
