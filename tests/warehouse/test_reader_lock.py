"""Readers hold a release while they are connected to it, and nobody waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from warehouse.layout import LakeError
from warehouse.query import QueryLimits, run_query
from warehouse.reader_lock import no_reader


@pytest.fixture
def release(tmp_path: Path, sound_rows: dict, write_release) -> Path:
    folder = write_release(tmp_path / "r1", sound_rows)
    (folder / "release.json").write_text("{}")
    (folder / "release.json").chmod(0o444)
    return folder


def ask(release: Path):
    return run_query(release, "select count(*) from papers", spill_dir=release / "spill", limits=QueryLimits())


def test_a_release_is_held_from_the_question_to_the_close_of_the_answer(release: Path) -> None:
    with no_reader(release) as is_free:
        assert is_free
    answer = ask(release)
    with no_reader(release) as is_free:
        assert not is_free
    assert answer.rows() == [(2,)]
    answer.close()
    del answer
    with no_reader(release) as is_free:
        assert is_free


def test_readers_do_not_keep_each_other_waiting(release: Path) -> None:
    with ask(release) as first, ask(release) as second:
        assert first.rows() == second.rows()


def test_a_release_that_is_being_removed_is_refused_in_a_sentence(release: Path) -> None:
    with no_reader(release), pytest.raises(LakeError, match="r1 is being removed by `paperlake prune`"):
        ask(release)


def test_a_query_that_is_refused_holds_nothing(release: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(Exception, match="only reads"):
            run_query(release, "delete from papers", spill_dir=release / "spill", limits=QueryLimits())
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    with no_reader(release) as is_free:
        assert is_free
