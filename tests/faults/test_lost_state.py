"""Files of a lake that are lost or damaged, one by one: the next run finds its way, and loses no raw file from the live set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HOLDS = {
    "current": "the pointer to the current release was lost",
    "state/live.json": "the live set was lost; it is that of its copy again",
    "paperlake.duckdb": "paperlake.duckdb was lost; it is written again",
}
LOST = [
    *HOLDS,
    "state/live_copy.json",
    "state/stat_cache.json",
    "state/last_build.json",
    "state/publications.jsonl",
    "state/release_files.json",
    "state/lock",
]
CACHES = ["state/stat_cache.json", "state/last_build.json", "state/release_files.json", "state/live_copy.json", "state/lock"]


@pytest.mark.parametrize("name", LOST)
def test_a_lost_file_is_made_again(disturbed, name: str) -> None:
    pond, undisturbed = disturbed
    (pond.lake / name).unlink()
    report = pond.run()
    assert any(HOLDS.get(name, "") in sentence for sentence in report["mended"]) or name not in HOLDS
    pond.assert_same(undisturbed)
    assert pond.run()["outcome"] == "nothing new"
    order = [row["release_id"] for row in json.loads(pond.call("releases", "--format", "json"))]
    assert order[0] == pond.release().name


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"a": 1}', "\x00" * 64], ids=repr)
@pytest.mark.parametrize("name", CACHES)
def test_a_damaged_cache_is_an_empty_one(pond, unchanged, name: str, content: str, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    (other.lake / name).write_text(content)
    other.run()
    other.assert_same(unchanged)


def test_a_damaged_live_set_is_taken_from_its_copy_and_kept_aside(pond, unchanged, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    (other.lake / "state/live.json").write_text("[{")
    assert "the live set was damaged" in other.run()["mended"][-1]
    other.assert_same(unchanged)
    assert (other.lake / "state/live.json.damaged").read_text() == "[{"


def test_without_its_copy_the_live_set_is_that_of_the_current_release(pond, added, tmp_path: Path) -> None:
    """Files of the command line are in no source that would give them again: without them papers would be lost."""
    other = pond.copy(tmp_path / "pond")
    other.add()
    lists = [(other.lists / name).rename(other.folder / name) for name in ("more.csv", "other.json")]
    other.run(*lists)
    before = other.release().name
    for path in lists:
        path.unlink()
    for name in ("live.json", "live_copy.json"):
        (other.lake / "state" / name).unlink()
    report = other.run()
    assert "the live set was lost; it is that of the current release" in report["mended"][0]
    assert (report["files_live"], other.release().name) == (3, before)


def test_where_nothing_tells_the_live_set_the_run_says_what_to_do_and_publishes_nothing(pond, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    before = other.release()
    for name in ("live.json", "live_copy.json"):
        (other.lake / "state" / name).unlink()
    (before / "raw_files/raw_files.parquet").unlink()
    assert "restore one of them" in other.run(code=1)
    assert other.release() == before


def test_the_whole_state_is_lost_and_the_release_is_the_same(pond, unchanged, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    for path in (other.lake / "state").iterdir():
        path.unlink()
    other.run()
    other.assert_same(unchanged)


def test_all_work_is_lost_and_the_release_is_the_same(disturbed) -> None:
    import shutil

    pond, undisturbed = disturbed
    shutil.rmtree(pond.lake / "work")
    pond.run()
    pond.assert_same(undisturbed)


def test_a_moved_lake_has_a_catalog_of_its_own(pond, tmp_path: Path) -> None:
    import duckdb

    other = pond.copy(tmp_path / "pond")
    assert other.run()["outcome"] == "nothing new"
    with duckdb.connect(str(other.lake / "paperlake.duckdb"), read_only=True) as connection:
        (folder,) = connection.execute("select release_dir from current_release").fetchone()
        assert connection.execute("select count(*) > 0 from papers").fetchone() == (True,)
    assert Path(folder).is_relative_to(other.lake.resolve())
