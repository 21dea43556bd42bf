"""Landing: bytes unchanged, once each, and only from what is a file."""

import os
from pathlib import Path

import pytest

from warehouse.landing import Incoming, LandError, find_files, known_hash, land_files, read_stat_cache
from warehouse.layout import Lake

LIMIT = 1_000_000


def incoming(path: Path) -> Incoming:
    return Incoming(path, "command_line", path.name)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "list.csv"
    path.write_bytes(b"title\r\n\xff\x00A\n")
    return path


def test_a_landed_file_keeps_its_bytes_and_can_no_longer_be_written(lake: Lake, raw: Path) -> None:
    (name,) = land_files(lake, [incoming(raw)], max_bytes=LIMIT).names
    landed = lake.raw_path(name.sha256)
    assert landed.read_bytes() == raw.read_bytes()
    assert landed.stat().st_mode & 0o222 == 0


def test_a_file_landed_again_is_not_opened(lake: Lake, raw: Path) -> None:
    land_files(lake, [incoming(raw)], max_bytes=LIMIT)
    raw.chmod(0)  # would fail to open for anybody but root; the count proves it for root too
    again = land_files(lake, [incoming(raw)], max_bytes=LIMIT)
    assert (again.copied_count, again.unopened_count) == (0, 1)


def test_rehash_opens_a_file_that_changed_behind_an_unchanged_stat(lake: Lake, raw: Path) -> None:
    (before,) = land_files(lake, [incoming(raw)], max_bytes=LIMIT).names
    status = raw.stat()
    raw.write_bytes(raw.read_bytes().replace(b"A", b"B"))
    os.utime(raw, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert land_files(lake, [incoming(raw)], max_bytes=LIMIT).names == (before,)
    (after,) = land_files(lake, [incoming(raw)], max_bytes=LIMIT, rehash=True).names
    assert after.sha256 != before.sha256


def test_a_changed_file_is_landed_beside_its_old_content(lake: Lake, raw: Path) -> None:
    (before,) = land_files(lake, [incoming(raw)], max_bytes=LIMIT).names
    raw.write_bytes(b"title\nanother\n")
    (after,) = land_files(lake, [incoming(raw)], max_bytes=LIMIT).names
    assert lake.raw_path(before.sha256).exists()
    assert lake.raw_path(after.sha256).exists()


def test_a_raw_file_that_was_erased_is_copied_again(lake: Lake, raw: Path) -> None:
    (name,) = land_files(lake, [incoming(raw)], max_bytes=LIMIT).names
    lake.raw_path(name.sha256).unlink()
    assert known_hash(lake, raw, read_stat_cache(lake)) is None
    assert land_files(lake, [incoming(raw)], max_bytes=LIMIT).copied_count == 1


def test_a_damaged_stat_cache_costs_a_copy_and_nothing_else(lake: Lake, raw: Path) -> None:
    land_files(lake, [incoming(raw)], max_bytes=LIMIT)
    (lake.state_dir / "stat_cache.json").write_text("[1, 2")
    again = land_files(lake, [incoming(raw)], max_bytes=LIMIT)
    assert (again.copied_count, again.unopened_count) == (0, 0)


def test_a_file_over_the_limit_is_refused_with_the_setting_to_change(lake: Lake, raw: Path) -> None:
    with pytest.raises(LandError, match=r"limits\.file_bytes"):
        land_files(lake, [incoming(raw)], max_bytes=3)


def test_a_folder_gives_its_regular_files_in_order_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    (folder / "b").mkdir(parents=True)
    (folder / "lake" / "raw").mkdir(parents=True)
    for name in ("z.csv", "b/a.csv", ".hidden", "a.csv", "lake/raw/landed"):
        (folder / name).write_text("x")
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to(folder)
    (folder / "link.csv").symlink_to(folder / "a.csv")
    assert [below for _, below in find_files(folder, Lake(folder / "lake"))] == ["a.csv", "z.csv", "b/a.csv"]


@pytest.mark.parametrize("kind", ["missing", "fifo"])
def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path, lake: Lake, kind: str) -> None:
    path = tmp_path / "it"
    if kind == "fifo":
        os.mkfifo(path)
        with pytest.raises(LandError, match="no regular file"):
            land_files(lake, [incoming(path)], max_bytes=LIMIT)
    with pytest.raises(LandError, match=r"no such file|neither a file"):
        find_files(path, lake)


def test_a_lake_is_not_made_of_its_own_files(lake: Lake, raw: Path) -> None:
    land_files(lake, [incoming(raw)], max_bytes=LIMIT)
    with pytest.raises(LandError, match="inside the lake"):
        find_files(lake.raw_dir, lake)


def test_a_name_that_is_no_unicode_is_written_with_escapes(tmp_path: Path, lake: Lake) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.csv")).write_text("title\nA\n")
    ((path, below),) = find_files(folder, lake)
    assert below == "caf\\udce9.csv"
    assert path.read_text() == "title\nA\n"


def test_rehash_replaces_a_raw_file_that_was_damaged(lake: Lake, raw: Path) -> None:
    (name,) = land_files(lake, [incoming(raw)], max_bytes=LIMIT).names
    landed = lake.raw_path(name.sha256)
    landed.chmod(0o644)
    landed.write_bytes(raw.read_bytes()[::-1])
    land_files(lake, [incoming(raw)], max_bytes=LIMIT, rehash=True)
    assert landed.read_bytes() == raw.read_bytes()
