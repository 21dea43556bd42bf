"""Damage to the current release: `paperlake verify` finds it, and the next run heals it, aliases included."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def replace(path: Path, content: bytes) -> None:
    """Writes a file anew, so that one which is linked to from another release stays as it is there."""
    path.unlink()
    path.write_bytes(content)


def flip(name: str) -> Callable[[Path], None]:
    def of(release: Path) -> None:
        content = bytearray((release / name).read_bytes())
        content[len(content) // 2] ^= 1
        replace(release / name, bytes(content))

    return of


def flip_in_place(name: str) -> Callable[[Path], None]:
    """One bit, as a disk does it: size, mtime and inode stay."""

    def of(release: Path) -> None:
        path = release / name
        status = path.stat()
        with path.open("r+b") as file:
            file.seek(status.st_size // 2)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert path.stat().st_ino == status.st_ino

    return of


SEEN_BY_STAT: dict[str, Callable[[Path], object]] = {
    "a flipped bit in papers": flip("papers/papers.parquet"),
    "a flipped bit in records, which ids are taken from": flip("records/records.parquet"),
    "flipped bits in the aliases": flip("paper_aliases/paper_aliases.parquet"),
    "a cut file": lambda release: replace(release / "authorships/authorships.parquet", b"PAR1"),
    "an empty file": lambda release: replace(release / "links/links.parquet", b""),
    "a deleted file": lambda release: (release / "ledger/ledger.parquet").unlink(),
    "a deleted table": lambda release: shutil.rmtree(release / "records"),
    "a file too many": lambda release: shutil.copy(release / "links/links.parquet", release / "links/b.parquet"),
    "a deleted README": lambda release: (release / "README.md").unlink(),
    "another README": lambda release: replace(release / "README.md", b"# Hello\n"),
    "a deleted description": lambda release: (release / "release.json").unlink(),
    "a description that is no JSON": lambda release: replace(release / "release.json", b'{"schema_version": '),
    "a flipped bit in the description": flip("release.json"),
    "nothing left but its folder": lambda release: [shutil.rmtree(release), release.mkdir()],
    "not even its folder": shutil.rmtree,
}


@pytest.mark.parametrize("damage", SEEN_BY_STAT)
def test_the_next_run_makes_a_damaged_release_anew(disturbed, damage: str, whole) -> None:
    pond, undisturbed = disturbed
    SEEN_BY_STAT[damage](pond.release())
    pond.run()
    pond.assert_same(undisturbed)
    assert pond.run()["outcome"] == "nothing new"


@pytest.mark.parametrize("name", ["papers/papers.parquet", "records/records.parquet"])
def test_what_no_stat_tells_verify_finds_and_the_next_run_heals(pond, unchanged, name: str, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    assert other.run()["outcome"] == "nothing new"
    flip_in_place(name)(other.release())
    assert other.run()["outcome"] == "nothing new"
    assert "other content" in other.call("verify", code=1)
    report = other.run()
    assert report["outcome"] == "published"
    assert "was damaged; it is made anew" in report["mended"][0]
    other.assert_same(unchanged)


def test_a_damaged_release_that_is_pinned_is_not_made_anew_and_the_run_says_so(pond, tmp_path: Path) -> None:
    other = pond.copy(tmp_path / "pond")
    other.call("rollback", "previous", "--because", "a test")
    other.run(code=3)
    flip("papers/papers.parquet")(other.release())
    report = other.run(code=3)
    assert any("a pinned release is not made anew" in sentence for sentence in report["mended"])


def test_a_run_with_nothing_new_opens_no_file_of_a_sound_release(pond, tmp_path: Path, monkeypatch) -> None:
    other = pond.copy(tmp_path / "pond")
    other.run()
    monkeypatch.setattr("warehouse.release_files.hash_file", pytest.fail)
    assert other.run()["outcome"] == "nothing new"
