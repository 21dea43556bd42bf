"""The clock is turned back: what happened later comes later all the same."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

YEARS_AHEAD = 30


def age(lake: Path) -> None:
    """Lets all that the lake has noted be of a clock that went ahead, as it is after the clock was put right."""

    def ahead(match: re.Match[str]) -> str:
        return f"{int(match[1]) + YEARS_AHEAD}{match[2]}"

    noted = [*(lake / "state").glob("*.json*"), *(lake / "releases").glob("*/release.json"), *(lake / "runs").glob("*/*.json")]
    for path in noted:
        path.write_text(re.sub(r"\b(20\d\d)(-\d\d-\d\dT)", ahead, path.read_text()))
    for path in lake.rglob("*"):
        status = path.lstat()
        os.utime(path, (status.st_atime + YEARS_AHEAD * 366 * 86_400,) * 2, follow_symlinks=False)


def releases(pond) -> list[str]:
    return [row["release_id"] for row in json.loads(pond.call("releases", "--format", "json"))]


def test_a_run_after_the_clock_was_turned_back_publishes_and_comes_last(pond, added, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    before = releases(other)
    age(other.lake)
    other.add()
    other.run()
    other.assert_same(added)
    assert releases(other) == [other.release().name, *before]
    (row,) = json.loads(other.call("sql", "select count(*) as n from papers", "--at", "previous", "--format", "json"))
    assert row["n"] > 0
    assert other.run()["outcome"] == "nothing new"


def test_the_order_holds_although_the_record_of_it_is_lost_too(pond, added, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    before = releases(other)
    age(other.lake)
    other.add()
    other.run()
    (other.lake / "state" / "publications.jsonl").unlink()
    assert releases(other) == [other.release().name, *before]
    other.run()
    other.assert_same(added)
    assert releases(other) == [other.release().name, *before]


def test_prune_leaves_what_was_current_by_a_clock_that_went_ahead_to_its_readers(pond, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    age(other.lake)
    other.add()
    other.run()
    other.call("prune", "--keep", "1")
    assert len(releases(other)) >= 2, "those that were current then may have readers yet"
