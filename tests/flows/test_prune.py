"""Old releases are removed, and what anybody may need stays: readers, pins, and ids that were published."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from warehouse import atomic
from warehouse.layout import Lake
from warehouse.query import QueryLimits, run_query


@pytest.fixture
def shelf(timeline, tmp_path: Path) -> Any:
    """A copy of the lake of releases, as if a day had gone by since the last one."""
    copy = timeline[0].copy(tmp_path / "copy")
    copy.releases = timeline[1]
    path = copy.lake / "state" / "publications.jsonl"
    days = {datetime.now(UTC).date().isoformat(), (datetime.now(UTC) - timedelta(days=1)).date().isoformat()}
    text = path.read_text()
    for day in days:
        text = text.replace(f'"at": "{day}', '"at": "2021-05-07')
    path.write_text(text)
    by_content: dict[bytes, Path] = {}  # a copied tree has lost the links between its releases
    for file in sorted((copy.lake / "releases").rglob("*.parquet")):
        first = by_content.setdefault(file.read_bytes(), file)
        if first != file:
            file.unlink()
            os.link(first, file)
    return copy


def names(shelf) -> set[str]:
    return {path.name for path in (shelf.lake / "releases").iterdir()}


def what(shelf, *words: object) -> dict[str, tuple[str, str]]:
    return {row["release_id"]: (row["what"], row["why"]) for row in shelf.rows("prune", *words)}


def test_the_newest_stay_and_the_rest_goes_with_the_bytes_that_only_it_had(shelf) -> None:
    newest = list(shelf.releases.values())[-2:]
    before = names(shelf)
    used = _used(shelf)
    assert used < sum(path.stat().st_size for path in (shelf.lake / "releases").rglob("*") if path.is_file()), "some are links"
    told = shelf.rows("prune", "--keep", 2, "--dry-run")
    assert names(shelf) == before
    assert {row["release_id"] for row in told if row["what"] == "stays"} == set(newest)
    assert {row["what"] for row in told} == {"stays", "would go"}
    done = shelf.rows("prune", "--keep", 2)
    assert names(shelf) == set(newest)
    assert [row["freed_bytes"] for row in done] == [row["freed_bytes"] for row in told]
    assert sum(row["freed_bytes"] for row in done) == used - _used(shelf)
    assert shelf.rows("prune", "--keep", 2)[0]["what"] == "stays"


def _used(shelf) -> int:
    stats = {path.stat().st_ino: path.stat().st_size for path in (shelf.lake / "releases").rglob("*") if path.is_file()}
    return sum(stats.values())


def test_every_id_of_a_pruned_release_still_resolves_and_its_time_says_that_it_is_gone(shelf) -> None:
    published = set().union(*(shelf.ids(release) for release in shelf.releases.values()))
    shelf.call("prune", "--keep", 1)
    ids = shelf.ids()
    aliases = {row["paper_id"]: row["current_paper_id"] for row in shelf.rows("sql", "from paper_aliases")}
    assert names(shelf) == {shelf.current()}
    assert all(paper_id in ids or aliases[paper_id] in {*ids, None} for paper_id in published)
    assert "there is no release before" in shelf.call("sql", "select 1", "--at", "previous", code=1)
    assert shelf.rows("verify", "--all") == []


def test_a_pinned_release_and_what_was_rolled_back_stay_until_their_ids_are_taken_in(shelf) -> None:
    bad, good = shelf.current(), shelf.releases["first"]
    shelf.call("rollback", good, "--because", "bad")
    held = shelf.run(shelf.list.read_text().replace("Salt of", "Salts of"), code=3)["release_id"]
    told = what(shelf, "--keep", 1, "--grace", 0)
    assert told[good] == ("stays", "current")
    assert told[held] == ("stays", "held back by the pin")
    assert told[bad][1].startswith("rolled back: the next release has yet to learn")
    shelf.call("unpin")
    assert shelf.run()["release_id"] == held
    assert what(shelf, "--keep", 1)[good][1] == "was current within 3600 s: its readers have time to finish"
    shelf.call("prune", "--keep", 1, "--grace", 0)
    assert names(shelf) == {held}


def test_a_release_stays_while_a_reader_is_connected_to_it_and_its_answers_are_whole(shelf) -> None:
    old = shelf.lake / "releases" / shelf.releases["first"]
    query = "select paper_id from papers, range(1000) order by all"
    with run_query(old, query, spill_dir=Lake(shelf.lake).spill_dir, limits=QueryLimits()) as answer:
        batches = answer.batches()
        read = len(next(batches))
        assert what(shelf, "--keep", 1)[old.name] == ("stays", "in use: a reader holds it; run again later")
        assert read + sum(map(len, batches)) == 1000 * len(shelf.ids(old.name))
    del answer, batches
    assert what(shelf, "--keep", 1)[old.name] == ("removed", "old")


def test_a_reader_that_is_not_ours_has_the_time_of_grace(shelf) -> None:
    previous = shelf.current()
    new = shelf.run()["release_id"]
    assert new != previous
    assert what(shelf, "--keep", 1)[previous][0] == "stays"
    assert what(shelf, "--keep", 1, "--grace", 3600, "--dry-run")[previous][0] == "stays"
    assert what(shelf, "--keep", 1, "--grace", 0)[previous] == ("removed", "old")


def test_a_release_that_a_killed_run_left_and_that_never_was_current_goes(shelf) -> None:
    left = shutil.copytree(shelf.lake / "releases" / shelf.current(), shelf.lake / "releases" / "r0123456789abcdef")
    assert what(shelf, "--keep", 99)[left.name] == ("removed", "old")


@pytest.mark.parametrize(
    "words", [["--keep", 0], ["--keep", -1], ["--keep", 1, "--grace", -1], ["--keep", 1, "--grace", "nan"], []]
)
def test_a_number_that_makes_no_sense_is_refused(shelf, words: list[object]) -> None:
    before = names(shelf)
    shelf.call("prune", *words, code=2)
    assert names(shelf) == before


def test_killed_anywhere_no_half_release_is_left_and_the_next_prune_or_run_tidies_up(
    shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def crash(name: str) -> None:
        reached.append(name)
        if len(reached) == number:
            raise Killed(name)

    number, reached = 0, list[str]()
    monkeypatch.setattr(atomic, "crash_point", crash)
    shelf.copy(tmp_path / "undisturbed").call("prune", "--keep", 1)
    points, whole = list(reached), names(shelf)
    assert points.count("after rename to releases") == len(whole) - 1
    for place in range(1, len(points) + 1):
        lake = shelf.copy(tmp_path / str(place))
        number, reached = place, []
        with pytest.raises(Killed):
            lake.call("prune", "--keep", 1)
        number = 0
        assert lake.rows("verify", "--all") == []
        assert lake.run(None, "--without-identifiers")["outcome"] == "nothing new"
        assert not [name for name in names(lake) if name.startswith(".tmp-")]
        lake.call("prune", "--keep", 1)
        assert names(lake) == {lake.current()}
