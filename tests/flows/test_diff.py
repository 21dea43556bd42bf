"""Two releases compared through the command line: what changed, in which field, and why."""

from __future__ import annotations

import itertools
import json

import pytest

from flows.cli import call

Change = tuple[str, str, str | None]


def changes(rows: list[dict]) -> list[Change]:
    return sorted({(row["change"], row["cause"], row["field"]) for row in rows}, key=str)


def papers(timeline, before: str, after: str, *words: object) -> list[dict]:
    shelf, releases = timeline
    return shelf.rows("diff", releases[before], releases[after], "--table", "papers", "--limit", 0, *words)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("first", "superseded", [("added", "source", None), ("changed", "source", "abstract")]),
        ("superseded", "decided", [("changed", "decision", "record_count"), ("removed", "decision", None)]),
        ("decided", "renamed", [("changed", "source", "paper_id"), ("changed", "source", "work_id")]),
        ("renamed", "configured", [("changed", "rule", "venue"), ("changed", "rule", "venue_id")]),
        (
            "configured",
            "unmatched",
            [("added", "match", None), *(("changed", "match", name) for name in ("paper_id", "record_count", "work_id"))],
        ),
        ("first", "first", []),
    ],
)
def test_each_cause_is_told_from_the_others(timeline, before: str, after: str, expected: list[Change]) -> None:
    assert changes(papers(timeline, before, after)) == sorted(expected, key=str)


def test_a_paper_with_a_new_id_is_one_changed_row_in_every_table(timeline) -> None:
    shelf, releases = timeline
    rows = shelf.rows("diff", releases["decided"], releases["renamed"])
    by_table = {row["table"]: row for row in rows}
    for table in ("papers", "authorships", "field_origins"):
        assert (by_table[table]["added"], by_table[table]["removed"]) == (0, 0), table
    assert by_table["papers"]["fields"] == {"paper_id": 1, "work_id": 1}
    assert by_table["identifiers"]["added"] == 1
    (row,) = papers(timeline, "decided", "renamed", "--field", "paper_id")
    aliases = shelf.rows("sql", "select paper_id, current_paper_id, reason from paper_aliases", "--at", releases["renamed"])
    renamed = [each for each in aliases if each["reason"] == "renamed"]
    assert [(each["paper_id"], each["current_paper_id"]) for each in renamed] == [(row["before"], row["after"])]


def test_the_way_back_is_the_mirror_of_the_way_there(timeline) -> None:
    shelf, releases = timeline
    for before, after in itertools.pairwise(releases):
        there = {row["table"]: row for row in shelf.rows("diff", releases[before], releases[after])}
        back = {row["table"]: row for row in shelf.rows("diff", releases[after], releases[before])}
        assert there.keys() == back.keys()
        for table in there.keys() - {"paper_aliases"}:
            assert there[table] == {**back[table], "added": back[table]["removed"], "removed": back[table]["added"]}


def test_what_is_printed_for_people_has_the_inputs_the_counts_and_the_papers(timeline) -> None:
    shelf, releases = timeline
    out = shelf.call("diff", releases["first"], releases["superseded"])
    assert f"{releases['first']} → {releases['superseded']}: 1 raw file superseded" in out
    assert "│ papers " in out
    assert "Bones are dry and old." in out
    assert "Salt of the inland seas" in out
    out = shelf.call("diff", releases["superseded"], releases["decided"])
    assert ": 1 decision added" in out
    assert "other settings" in shelf.call("diff", releases["renamed"], releases["configured"])
    assert "other rules of identifiers" in shelf.call("diff")
    assert "the tables are the same" in shelf.call("diff", "current")


def test_rows_are_filtered_by_field_cause_and_change_and_cut_at_the_limit(timeline) -> None:
    shelf, releases = timeline
    (row,) = papers(timeline, "first", "superseded", "--field", "abstract", "--change", "changed")
    assert (row["before"], row["after"]) == ("Bones are dry.", "Bones are dry and old.")
    assert papers(timeline, "first", "superseded", "--cause", "rule") == []
    all_rows = papers(timeline, "renamed", "configured", "--field", "venue_id")
    assert len(all_rows) > 2
    words = ("diff", releases["renamed"], releases["configured"], "--field", "venue_id")
    assert shelf.rows(*words, "--limit", 2) == all_rows[:2]
    assert [json.loads(line) for line in shelf.call(*words, "--format", "jsonl").splitlines()] == all_rows
    assert shelf.call(*words, "--format", "csv").splitlines()[0] == "change,cause,paper_id,field,before,after"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--table", "paper"], "did you mean 'papers'?"),
        (["--table", "papers", "--field", "titel"], "did you mean 'title'?"),
        (["--limit", "-1"], "expected a number of rows"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_one(timeline, words: list[str], said: str) -> None:
    shelf, _ = timeline
    assert said in shelf.call("diff", *words, code=2)


def test_a_release_that_is_not_there_is_named(timeline, capsys: pytest.CaptureFixture[str]) -> None:
    shelf, _ = timeline
    assert call(["diff", "r0000", "--lake", str(shelf.lake)]) == 1
    assert "there is no release 'r0000'" in capsys.readouterr().err


def test_what_older_releases_did_not_write_down_is_said(timeline, tmp_path) -> None:
    shelf, releases = timeline[0].copy(tmp_path), timeline[1]
    path = shelf.lake / "releases" / releases["superseded"] / "release.json"
    told = json.loads(path.read_text())
    for name in ("decisions", "rules", "without_identifiers"):
        del told[name]
    path.write_text(json.dumps(told))
    out = shelf.call("diff", releases["superseded"], releases["decided"])
    assert "not written down: decisions, rules" in out
    causes = {row["cause"] for row in shelf.rows("diff", releases["superseded"], releases["decided"], "--table", "papers")}
    assert causes == {"match"}
