"""Going back: what was rolled back is not published again, whatever is killed, and its ids still resolve afterwards."""

from __future__ import annotations

import contextlib
import gc
import json
import shutil
import signal
from pathlib import Path
from typing import Any

import duckdb
import pytest

import warehouse
from warehouse import atomic
from warehouse.layout import Lake
from warehouse.publications import read_publications


class Killed(BaseException):
    """What a test raises where a kill would end the process: nothing after it runs but what `finally` does."""


@pytest.fixture
def shelf(timeline, tmp_path: Path) -> Any:
    """A copy of the lake of releases, its rules as they were before the last one, which is current."""
    copy = timeline[0].copy(tmp_path / "copy")
    copy.releases = timeline[1]
    return copy


def in_catalog(shelf) -> str:
    with duckdb.connect(str(shelf.lake / "paperlake.duckdb"), read_only=True) as connection:
        return connection.execute("select release_id from current_release").fetchone()[0]


def state_of(shelf) -> dict[str, dict]:
    return {row["release_id"]: row for row in shelf.rows("releases")}


def test_a_rollback_makes_the_release_current_for_every_reader_and_is_told_in_the_history(shelf) -> None:
    bad, good = shelf.current(), shelf.releases["decided"]
    out = shelf.call("rollback", good[:7], "--because", "the venues are\n wrong")
    assert f"release {good} is current and pinned; {bad} is rolled back" in out
    assert shelf.current() == in_catalog(shelf) == good
    assert (
        state_of(shelf)[good] | {"is_current": True, "is_pinned": True, "because": "the venues are wrong"}
        == state_of(shelf)[good]
    )
    last, before = shelf.rows("releases", "--history")[:2]
    assert (last["release_id"], last["action"], last["because"]) == (good, "rolled_back", "the venues are wrong")
    assert (before["release_id"], before["action"]) == (bad, "published")
    assert shelf.rows("sql", "select 1 as one", "--at", "previous") == [{"one": 1}]
    assert shelf.call("diff").startswith(f"{bad} → {good}")


def test_what_was_rolled_back_is_not_published_again_from_the_same_inputs(shelf) -> None:
    bad, good = shelf.current(), shelf.releases["configured"]
    shelf.call("rollback", "previous", "--because", "bad")
    for _ in range(2):
        report = shelf.run(None, "--without-identifiers", code=3)
        assert (report["outcome"], report["release_id"], report["seconds_by_step"].keys()) == ("held", bad, {"land"})
        assert shelf.current() == good
    assert "is pinned since" in shelf.call("run", "--direct", "--without-identifiers", code=3)
    out = shelf.call("unpin")
    assert f"that may be {bad}, which was rolled back (because: bad)" in out
    assert shelf.run(None, "--without-identifiers")["outcome"] == "published"
    assert shelf.current() == bad


def test_with_other_inputs_a_run_builds_and_checks_and_the_pin_holds_it_back_to_be_looked_at(shelf) -> None:
    good = shelf.releases["configured"]
    shelf.call("rollback", good, "--because", "bad")
    text = shelf.list.read_text()
    shelf.list.write_text(text + 'x,A new paper x,"Lee, Ann",2020,,\n')
    plan = shelf.rows("run", "--dry-run")
    assert (plan["would_publish"], "it would be held back, as release" in plan["summary"]) == (False, True)
    held = [shelf.run(f'{text}{row},A new paper {row},"Lee, Ann",2020,,\n', code=3) for row in ("x", "y")]
    assert [each["outcome"] for each in held] == ["held", "held"]
    assert shelf.current() == in_catalog(shelf) == good
    assert held[0]["release_id"] not in state_of(shelf), "only the last one is kept"
    name = held[1]["release_id"]
    assert (state_of(shelf)[name]["current_at"], state_of(shelf)[name]["is_current"]) == (None, False)
    rows = shelf.rows("diff", "current", name, "--table", "papers")
    assert [(row["change"], row["cause"], row["after"]) for row in rows] == [("added", "source", "A new paper y")]
    assert f"that may be {name}, which was held back" in shelf.call("unpin")
    report = shelf.run()
    assert (report["outcome"], report["release_id"]) == ("published", name)
    assert shelf.current() == in_catalog(shelf) == name


def test_a_release_held_back_stays_while_somebody_reads_it_though_another_is_held_back_since(shelf) -> None:
    shelf.call("rollback", "current", "--because", "bad")
    text = shelf.list.read_text()
    names = []
    with contextlib.ExitStack() as readers:
        for row in ("x", "y"):
            names.append(shelf.run(f'{text}{row},A new paper {row},"Lee, Ann",2020,,\n', code=3)["release_id"])
            reader = readers.enter_context(warehouse.open(shelf.lake, names[-1]))
        shelf.run(f'{text}z,A new paper z,"Lee, Ann",2020,,\n', code=3)
        assert reader.sql("select count(*) as papers from papers where title = 'A new paper y'").fetchall() == [(1,)]
    del reader
    gc.collect()
    what = {row["release_id"]: row["what"] for row in shelf.rows("prune", "--keep", 10)}
    assert [what[name] for name in names] == ["removed", "removed"]


def test_ids_that_only_a_release_rolled_back_had_resolve_in_the_next_one_that_is_published(shelf) -> None:
    bad_ids = shelf.ids("current")
    shelf.call("rollback", shelf.releases["first"], "--because", "bad")
    only_bad = bad_ids - shelf.ids("current")
    assert only_bad
    shelf.call("unpin")
    report = shelf.run(shelf.list.read_text().replace("Salt of", "Salts of"))
    assert report["outcome"] == "published"
    aliases = {row["paper_id"]: row["current_paper_id"] for row in shelf.rows("sql", "from paper_aliases")}
    ids = shelf.ids()
    for release in shelf.releases.values():
        for paper_id in shelf.ids(release):
            assert paper_id in ids or aliases[paper_id] in {*ids, None}, paper_id
    assert only_bad & aliases.keys()


def test_the_current_release_can_be_pinned_and_a_pin_moved(shelf) -> None:
    name = shelf.current()
    assert "is current already, and is pinned now" in shelf.call("rollback", "current", "--because", "keep it")
    assert shelf.run(code=3)["outcome"] == "held"
    shelf.call("rollback", shelf.releases["first"], "--because", "further back")
    shelf.call("rollback", name, "--because", "forth again")
    pin = json.loads((shelf.lake / "state" / "pin.json").read_text())
    assert (pin["release_id"], pin["rolled_back"]) == (name, [shelf.releases["first"]])
    assert "no longer pinned" in shelf.call("unpin")
    assert shelf.call("unpin") == "nothing was pinned\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["previous", "--because", " "], 2, "give a reason"),
        (["r0000", "--because", "x"], 1, "there is no release 'r0000'"),
        (["previous"], 2, ""),
    ],
)
def test_a_rollback_needs_a_reason_and_a_release(shelf, words: list[str], code: int, said: str) -> None:
    before = shelf.current()
    assert said in shelf.call("rollback", *words, code=code)
    assert shelf.current() == before


def test_a_damaged_release_is_not_made_current(shelf) -> None:
    before, damaged = shelf.current(), shelf.releases["first"]
    path = shelf.lake / "releases" / damaged / "papers" / "papers.parquet"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[:-9] + b"?" + content[-8:])
    out = shelf.call("rollback", damaged, "--because", "x", code=1)
    assert "is damaged, so nothing is changed:\n  papers/papers.parquet: other content" in out
    assert (shelf.current(), (shelf.lake / "state" / "pin.json").exists()) == (before, False)


PIN = {"release_id": "r1", "rolled_back": [], "because": "bad", "at": "2031-05-07T10:00:00+00:00"}


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        ("{", "pin.json is damaged"),
        ("[]", "pin.json is damaged"),
        (json.dumps(PIN | {"release_id": "../../raw"}), "pin.json is damaged ('../../raw' is no release id)"),
        (json.dumps(PIN | {"rolled_back": [1]}), "pin.json is damaged (1 is no release id)"),
        (json.dumps(PIN | {"at": 5}), "pin.json is damaged"),
        (json.dumps(PIN), "a rollback to r1 was begun, and that release is gone"),
    ],
)
def test_a_damaged_pin_stops_runs_in_a_sentence(shelf, pin: str, said: str) -> None:
    current = shelf.current()
    (shelf.lake / "state" / "pin.json").write_text(pin)
    assert said in shelf.call("run", "--direct", code=1)
    assert shelf.current() == current


def points_of(shelf, monkeypatch: pytest.MonkeyPatch, *words: object) -> list[str]:
    """The places where the command could be killed."""
    points: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "crash_point", points.append)
        shelf.call(*words)
    return points


def kill_at(shelf, monkeypatch: pytest.MonkeyPatch, number: int, *words: object) -> None:
    """Ends a command at a place, counted from 1."""
    reached: list[str] = []

    def crash(name: str) -> None:
        reached.append(name)
        if len(reached) == number:
            raise Killed(name)

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "crash_point", crash)
        with pytest.raises(Killed):
            shelf.call(*words)


def test_killed_anywhere_a_rollback_is_whole_or_not_begun_and_the_next_command_finishes_it(
    shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = shelf.current(), shelf.releases["decided"]
    words = ("rollback", good, "--because", "bad")
    points = points_of(shelf.copy(tmp_path / "undisturbed"), monkeypatch, *words)
    assert {"before swap of current", "after swap of current", "after rename to state"} <= set(points)
    for number in range(1, len(points) + 1):
        lake = shelf.copy(tmp_path / str(number))
        kill_at(lake, monkeypatch, number, *words)
        begun = (lake.lake / "state" / "pin.json").exists()
        assert lake.current() in (bad, good)
        assert read_publications(Lake(lake.lake))[-1].release_id == lake.current()
        report = lake.run(None, "--without-identifiers", code=3 if begun else 0)
        assert lake.current() == in_catalog(lake) == (good if begun else bad), points[number - 1]
        assert report["outcome"] == ("held" if begun else "nothing new")
        lines = (lake.lake / "state" / "publications.jsonl").read_text().splitlines()
        assert len(lines) == len(shelf.releases) + begun
        shutil.rmtree(lake.folder)


def test_killed_anywhere_a_held_run_and_an_unpin_leave_the_pinned_release_current(
    shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = shelf.releases["configured"]
    shelf.call("rollback", good, "--because", "bad")
    shelf.run(shelf.list.read_text() + 'x,A new paper x,"Lee, Ann",2020,,\n', code=3)
    shelf.list.write_text(shelf.list.read_text() + 'y,A new paper y,"Lee, Ann",2020,,\n')
    undisturbed = shelf.copy(tmp_path / "undisturbed")
    points = points_of_run(undisturbed, monkeypatch)
    held = json.loads((undisturbed.lake / "state" / "pin.json").read_text())["held"]
    first = points.index("before rename to releases") + 1
    for number in range(first, len(points) + 1):
        lake = shelf.copy(tmp_path / str(number))
        kill_run_at(lake, monkeypatch, number)
        assert lake.current() == good
        assert lake.run(code=3)["release_id"] == held
        assert lake.current() == good
        shutil.rmtree(lake.folder)
    for number, _ in enumerate(points_of(undisturbed.copy(tmp_path / "unpinned"), monkeypatch, "unpin"), start=1):
        lake = undisturbed.copy(tmp_path / f"unpin{number}")
        kill_at(lake, monkeypatch, number, "unpin")
        assert lake.current() == good
        lake.call("unpin")
        assert lake.run()["release_id"] == held == lake.current()


def points_of_run(shelf, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    points: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "crash_point", points.append)
        shelf.run(code=3)
    return points


def kill_run_at(shelf, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    kill_at(shelf, monkeypatch, number, "run", "--direct", "--format", "json")


def test_a_real_kill_between_the_swap_and_the_line_is_healed(timeline, tmp_path: Path) -> None:
    shelf = timeline[0].copy(tmp_path / "copy")
    words = ["rollback", timeline[1]["first"], "--because", "bad"]
    log = tmp_path / "points"
    timeline[0].copy(tmp_path / "other").process(*words, PAPERLAKE_CRASH_LOG=str(log))
    number = log.read_text().splitlines().index("after swap of current") + 1
    killed = shelf.process(*words, PAPERLAKE_CRASH_AT=str(number))
    assert killed.returncode == -signal.SIGKILL
    assert (shelf.current(), in_catalog(shelf)) == (timeline[1]["first"], timeline[1]["unmatched"])
    shelf.call("prune", "--keep", 9)
    assert in_catalog(shelf) == timeline[1]["first"]
    assert shelf.rows("releases", "--history")[0]["action"] == "rolled_back"
