"""Releases by what a person calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from transforms.schemas import SCHEMA_VERSION
from warehouse.history import find_release
from warehouse.layout import Lake, LakeError

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
    lake.current_link.unlink()
    lake.current_link.symlink_to("releases/r1aa4000000000000")
    with pytest.raises(LakeError, match="no release before r1aa4000000000000"):
        find_release(lake, "previous")
