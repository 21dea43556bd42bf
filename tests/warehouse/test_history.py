"""Releases by what a person calls them."""

from __future__ import annotations

import json
import os
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from transforms.schemas import SCHEMA_VERSION
from warehouse.history import find_release
from warehouse.layout import Lake, LakeError
from warehouse.publications import not_taken_in, note_publication, read_publications, settle_publications

TIMES = {
    "r1aa4000000000000": "2031-05-07T10:00:00.000+00:00",
    "r1ab4000000000000": "2031-05-07T18:00:00.000+00:00",
    "r2bc4000000000000": "2031-06-01T09:00:00.000+00:00",
}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A lake of three releases, the last one current."""
    lake = Lake(tmp_path)
    lake.state_dir.mkdir()
    previous = None
    for name, at in TIMES.items():
        (lake.releases_dir / name).mkdir(parents=True)
        release = {"schema_version": SCHEMA_VERSION, "release_id": name, "previous_release_id": previous, "published_at": at}
        (lake.releases_dir / name / "release.json").write_text(json.dumps({**release, "tables": {}, "files": []}))
        previous = name
    lake.current_link.symlink_to(f"releases/{previous}")
    return lake


@pytest.mark.parametrize(
    ("at", "release"),
    [
        (None, "r2bc4000000000000"),
        ("current", "r2bc4000000000000"),
        ("previous", "r1ab4000000000000"),
        ("r1aa4000000000000", "r1aa4000000000000"),
        ("R1AB", "r1ab4000000000000"),
        ("2031-05-07", "r1ab4000000000000"),
        ("2031-05-07T12:00", "r1aa4000000000000"),
        ("2031-05-07T20:30:00+02:00", "r1ab4000000000000"),
        ("2031-12-31", "r2bc4000000000000"),
    ],
)
def test_a_release_is_found_by_what_it_is_called(lake: Lake, at: str | None, release: str) -> None:
    assert find_release(lake, at).name == release


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("r1a", "several releases begin with 'r1a'"),
        ("r9999", "there is no release 'r9999'"),
        ("2030-01-01", "no release was published until 2030-01-01"),
        ("yesterday", "'yesterday' means no release: expected an id"),
        ("../releases", "means no release"),
    ],
)
def test_what_means_no_release_is_said_in_a_sentence(lake: Lake, at: str, said: str) -> None:
    with pytest.raises(LakeError, match=said):
        find_release(lake, at)


def test_the_first_release_has_none_before_it(lake: Lake) -> None:
    for name in list(TIMES)[1:]:
        shutil.rmtree(lake.releases_dir / name)
    lake.current_link.unlink()
    lake.current_link.symlink_to("releases/r1aa4000000000000")
    with pytest.raises(LakeError, match="no release before r1aa4000000000000"):
        find_release(lake, "previous")


FIRST, SECOND, THIRD = TIMES


def turn_back(lake: Lake) -> None:
    """The first release becomes current again, at a time of its own."""
    settle_publications(lake)
    lake.current_link.unlink()
    lake.current_link.symlink_to(f"releases/{FIRST}")
    moment = datetime.fromisoformat("2031-07-01T12:00:00+00:00").timestamp()
    os.utime(lake.current_link, (moment, moment), follow_symlinks=False)


@pytest.mark.parametrize("is_written", [True, False])
def test_a_release_that_is_current_again_is_so_from_then_on_whether_the_line_was_written_or_not(
    lake: Lake, is_written: bool
) -> None:
    turn_back(lake)
    if is_written:
        settle_publications(lake)
    assert lake.publications_path.read_text().count("\n") == 3 + is_written
    assert [each.release_id for each in read_publications(lake)] == [FIRST, SECOND, THIRD, FIRST]
    assert find_release(lake, "previous").name == THIRD
    assert find_release(lake, "2031-06-15").name == THIRD
    assert find_release(lake, "2031-07-01T11:59").name == THIRD
    assert find_release(lake, "2031-07-01T12:00").name == FIRST
    assert find_release(lake, "2031-05-07T12:00").name == FIRST


def test_of_a_time_whose_release_is_removed_that_is_said(lake: Lake) -> None:
    settle_publications(lake)
    shutil.rmtree(lake.releases_dir / SECOND)
    with pytest.raises(LakeError, match=f"{SECOND}, which was current at 2031-05-08, has been removed"):
        find_release(lake, "2031-05-08")
    assert find_release(lake, "previous").name == FIRST


def test_without_its_pointer_what_was_current_last_is_current_though_another_is_newer(lake: Lake) -> None:
    turn_back(lake)
    settle_publications(lake)
    lake.current_link.unlink()
    assert lake.require_release().name == FIRST


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"release_id": "r1"}',
        b'{"release_id": "r1", "at": "2031-01-01", "action": "published"}',
        b'{"release_id": 1, "at": "2031-01-01T10:00:00+00:00", "action": "published"}',
        b'{"release_id": "../../raw", "at": "2031-01-01T10:00:00+00:00", "action": "published"}',
    ],
)
def test_a_damaged_record_is_named_with_what_to_do(lake: Lake, line: bytes) -> None:
    lake.publications_path.write_bytes(line + b"\n")
    with pytest.raises(LakeError, match=r"publications.jsonl is damaged .* mend or remove it"):
        find_release(lake, "previous")
    assert find_release(lake).name == THIRD


def test_after_going_back_the_releases_published_since_are_those_whose_ids_are_not_known(lake: Lake) -> None:
    assert not_taken_in(lake) == []
    turn_back(lake)
    note_publication(lake, FIRST, "rolled_back")
    assert not_taken_in(lake) == [SECOND, THIRD]
    lake.publications_path.write_text(lake.publications_path.read_text().replace("rolled_back", "published"))
    assert not_taken_in(lake) == [], "built again, it is built on all that were current"
