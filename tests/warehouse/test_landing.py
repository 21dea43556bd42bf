"""Landing: bytes unchanged, once each, and only from what is a file."""

import os
import socket
from pathlib import Path
from typing import BinaryIO

import pytest

from warehouse import landing
from warehouse.landing import Incoming, LandError, find_files, land_files, search
from warehouse.layout import Lake
from warehouse.stat_cache import StatCache
from warehouse.unpacking import UnpackLimits

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
    assert StatCache.read(lake, UnpackLimits()).parts(raw) is None
    assert land_files(lake, [incoming(raw)], max_bytes=LIMIT).copied_count == 1


def test_a_damaged_stat_cache_costs_a_copy_and_nothing_else(lake: Lake, raw: Path) -> None:
    land_files(lake, [incoming(raw)], max_bytes=LIMIT)
    for damaged in ("[1, 2", "[]", f'{{"{raw}": 3}}', f'{{"{raw}": {{"stat": 1, "limits": null, "parts": [["", "../x"]]}}}}'):
        (lake.state_dir / "stat_cache.json").write_text(damaged)
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


def test_links_and_special_files_in_a_folder_are_left_out_and_counted(tmp_path: Path, lake: Lake) -> None:
    folder = tmp_path / "lists"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.csv").write_text("x")
    (folder / ".hidden").write_text("x")
    (folder / "loop").symlink_to(folder)
    (folder / "sub" / "up").symlink_to("..")
    (folder / "link.csv").symlink_to(folder / "a.csv")
    (folder / "nowhere").symlink_to("missing")
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(folder)  # the path of a socket has at most 108 bytes
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)
        found = search(folder, lake)
    assert [below for _, below in found.files] == ["a.csv"]
    assert found.left_out == {"link": 4, "special": 2}


def test_a_link_given_by_name_is_followed_and_a_loop_is_refused(tmp_path: Path, lake: Lake, raw: Path) -> None:
    link, loop = tmp_path / "link.csv", tmp_path / "loop"
    link.symlink_to(raw)
    loop.symlink_to(loop)
    assert find_files(link, lake) == [(link, "link.csv")]
    with pytest.raises(LandError, match="no such file"):
        find_files(loop, lake)


def test_a_name_that_would_break_lines_or_turn_text_around_is_written_with_escapes(tmp_path: Path, lake: Lake) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    for name in ("two\nlines.csv", "esc\x1b[2J.csv", "turn\u202evsc.csv", "Käse 表.csv"):
        (folder / name).write_text("x")
    assert [below for _, below in find_files(folder, lake)] == [
        "Käse 表.csv",
        "esc\\x1b[2J.csv",
        "turn\\u202evsc.csv",
        "two\\x0alines.csv",
    ]


def test_a_file_that_is_gone_when_it_is_opened_is_left_out_with_a_note(tmp_path: Path, lake: Lake, raw: Path) -> None:
    landed = land_files(lake, [incoming(tmp_path / "gone.csv"), incoming(raw)], max_bytes=LIMIT)
    assert [name.source_path for name in landed.names] == ["list.csv"]
    assert landed.given == (("command_line", "list.csv"),)  # what was live under the other name stays so
    assert landed.notes == ("gone.csv: gone since its folder was listed; left out",)


def test_a_file_that_may_not_be_read_stops_the_landing(lake: Lake, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")  # root may read whatever its mode is

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(LandError, match=r"list\.csv: cannot be read: Permission denied"):
        land_files(lake, [incoming(raw)], max_bytes=LIMIT)


def test_a_file_of_a_source_that_may_not_be_read_fails_its_source_alone(
    tmp_path: Path, lake: Lake, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, really_open = tmp_path / "bad.csv", os.open
    bad.write_text("title\nReeds\n")

    def refuse(path: Path, *rest: int) -> int:
        if Path(path) == bad:
            raise PermissionError(13, "Permission denied")
        return really_open(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    files = [Incoming(raw, "club", "a.csv"), Incoming(bad, "club", "bad.csv"), Incoming(raw, "school", "b.csv")]
    landed = land_files(lake, files, max_bytes=LIMIT)
    assert [(name.source, name.source_path) for name in landed.names] == [("school", "b.csv")]
    assert landed.given == (("school", "b.csv"),)
    assert landed.failed == {"club": f"{bad}: cannot be read: Permission denied"}


def test_a_file_that_changes_while_it_is_read_is_refused(lake: Lake, raw: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = landing._read_chunk

    def grow_and_read(source: BinaryIO, path: Path) -> bytes:
        with raw.open("ab") as file:
            file.write(b"more\n")
        return read(source, path)

    def touch_and_read(source: BinaryIO, path: Path) -> bytes:
        os.utime(raw, ns=(1, 1))
        return read(source, path)

    for change in (grow_and_read, touch_and_read):
        monkeypatch.setattr(landing, "_read_chunk", change)
        with pytest.raises(LandError, match="changed while it was read"):
            land_files(lake, [incoming(raw)], max_bytes=LIMIT)
    assert not list(lake.raw_dir.glob(".tmp-*"))


def test_a_folder_of_ten_thousand_files_is_landed_and_then_known(tmp_path: Path, lake: Lake) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(10_000):
        (folder / f"{number}.csv").write_bytes(b"title\n%d\n" % (number % 50))
    files = [Incoming(path, "command_line", below) for path, below in find_files(folder, lake)]
    landed = land_files(lake, files, max_bytes=LIMIT)
    assert (len(landed.names), landed.copied_count) == (10_000, 50)
    again = land_files(lake, files, max_bytes=LIMIT)
    assert (again.names, again.unopened_count) == (landed.names, 10_000)
