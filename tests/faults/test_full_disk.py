"""A full disk, or files that may not grow: a clear error, and the current release stays whole."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CLI = [sys.executable, "-m", "flows.cli"]


def paperlake(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CLI, *map(str, words)], capture_output=True, text=True, timeout=120)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MiB: a lake of two releases and what the second is built in take more than one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("may not mount a file system here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def papers(lake: Path) -> int:
    return json.loads(paperlake("sql", "select count(*) as n from papers", "--lake", lake, "--format", "json").stdout)[0]["n"]


@pytest.mark.parametrize("free_bytes", [0, 40_000, 110_000], ids="{} bytes free".format)
def test_on_a_full_disk_the_run_says_so_and_the_release_stays(small_disk: Path, samples: Path, free_bytes: int) -> None:
    lake = small_disk / "lake"
    first = paperlake("run", samples / "papers.json", "--lake", lake, "--direct")
    assert first.returncode == 0, first.stderr
    before = papers(lake)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):  # until it is full
        while True:
            file.write(bytes(1024))
    with filler.open("r+b") as file:
        file.truncate(max(0, filler.stat().st_size - free_bytes))
    run = paperlake("run", samples / "viewer_page.txt", "--lake", lake, "--direct")
    assert run.returncode == 1, run.stdout
    assert "no space left" in run.stderr
    assert "Traceback" not in run.stderr
    assert papers(lake) == before
    filler.unlink()
    again = paperlake("run", samples / "viewer_page.txt", "--lake", lake, "--direct")
    assert again.returncode == 0, again.stderr
    assert papers(lake) > before


@pytest.mark.parametrize("limit_bytes", [400, 1_500, 5_000, 20_000, 80_000, 200_000])
def test_where_no_file_may_grow_beyond_a_size_the_run_fails_in_a_sentence_and_the_next_is_as_ever(
    pond, added, whole, limit_bytes: int, tmp_path: Path
) -> None:
    """The nearest to a full disk that needs no rights: each write fails in its turn, from the smallest file on."""
    other = pond.copy(tmp_path / "pond")
    other.add()
    run = subprocess.run(
        [*CLI, *other.words()],
        env={**os.environ, **other.environment},
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes)),
    )
    assert run.returncode == 1, run.stdout
    assert "Traceback" not in run.stderr
    assert "too large" in run.stderr
    whole.assert_whole(other.lake)
    other.run()
    other.assert_same(added)
