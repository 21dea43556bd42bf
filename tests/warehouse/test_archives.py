"""Archives: the files in them are raw files; their names lead nowhere; what cannot be had costs itself and no more."""

from __future__ import annotations

import bz2
import gzip
import io
import stat
import struct
import tarfile
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.archives import content_of, opened_archive, raw_files_in
from warehouse.names import MAX_NAME_BYTES
from warehouse.unpacking import UnpackError, UnpackLimits

Entries = Mapping[str, bytes] | list[tuple[str | zipfile.ZipInfo, bytes]]


def a_zip(entries: Entries, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content in entries.items() if isinstance(entries, Mapping) else entries:
            archive.writestr(name, content)
    return target.getvalue()


def a_tar(entries: Entries, form: int = tarfile.PAX_FORMAT) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=form) as archive:
        for name, content in entries.items() if isinstance(entries, Mapping) else entries:
            info = tarfile.TarInfo(str(name))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


MAKERS = {"zip": a_zip, "tar": a_tar}
each_kind = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def read(read_archive: Callable[..., Any]) -> Callable[..., Any]:
    """What comes of reading an archive with these bytes."""
    return read_archive


@each_kind
def test_the_files_of_an_archive_are_its_members(read, make) -> None:
    found = read(make({"a.csv": b"A", "inner/b.csv": b"", "inner/deep/c.csv": b"C" * 5000}))
    assert found.members == [("a.csv", b"A"), ("inner/b.csv", b""), ("inner/deep/c.csv", b"C" * 5000)]
    assert found.archive.is_read
    assert found.archive.note() is None


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
@each_kind
def test_an_archive_may_be_compressed(read, make, compress) -> None:
    assert read(compress(make({"a.csv": b"A"}))).members == [("a.csv", b"A")]


HOSTILE_NAMES = [
    ("../../x.csv", "x.csv"),
    ("/etc/x.csv", "etc/x.csv"),
    ("..\\..\\win.csv", "win.csv"),
    ("C:\\lists\\y.csv", "lists/y.csv"),
    ("a//./b.csv", "a/b.csv"),
    ("new\nline.csv", "new\\x0aline.csv"),
    ("\x1b[2J.csv", "\\x1b[2J.csv"),
    ("turn\u202evsc.csv", "turn\\u202evsc.csv"),
    ("表.csv", "表.csv"),
    ("..", "unnamed"),
]


@each_kind
@pytest.mark.parametrize(("name", "safe"), HOSTILE_NAMES)
def test_a_name_of_a_member_leads_nowhere_else(read, make, name: str, safe: str) -> None:
    assert read(make({name: b"x"})).names == [safe]


@each_kind
def test_equal_names_are_numbered_and_long_ones_cut(read, make) -> None:
    found = read(make([("a.csv", b"1"), ("./a.csv", b"2"), ("../a.csv", b"3"), ("x" * 3000 + ".csv", b"4")]))
    assert found.names[:3] == ["a.csv", "a_2.csv", "a_3.csv"]
    assert len(found.names[3].encode()) < MAX_NAME_BYTES
    assert found.names[3].endswith(".csv")


def test_a_name_in_utf8_that_is_not_marked_so_is_read_as_utf8(read) -> None:
    marked = a_zip({"Käse.csv": b"x"})
    unmarked = marked.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")
    assert unmarked != marked
    assert read(unmarked).names == ["Käse.csv"]


def test_names_in_code_page_437_are_names(read) -> None:
    assert read(a_zip({"Kase.csv": b"x"}).replace(b"Kase", b"K\x84se")).names == ["Käse.csv"]


def test_a_name_marked_as_utf8_that_is_none_costs_the_archive(read) -> None:
    found = read(a_zip({"Käse.csv": b"x"}).replace("ä".encode(), b"\xff\xff"))
    assert found.members == []
    assert found.archive.verdict()[0] == "broken_archive"


def test_links_hidden_and_special_members_are_left_out_and_counted(read) -> None:
    link, device = zipfile.ZipInfo("link.csv"), zipfile.ZipInfo("device")
    link.external_attr, device.external_attr = (stat.S_IFLNK | 0o777) << 16, (stat.S_IFBLK | 0o600) << 16
    found = read(
        a_zip(
            [
                ("a.csv", b"A"),
                ("folder/", b""),
                (".DS_Store", b"x"),
                ("x/.git/b.csv", b"x"),
                ("__MACOSX/a.csv", b"x"),
                (link, b"/etc/passwd"),
                (device, b""),
            ]
        )
    )
    assert found.names == ["a.csv"]
    assert found.archive.note() == "left out (3 hidden, 1 link, 1 special)"


@each_kind
def test_archives_in_an_archive_are_opened_three_deep(read, make) -> None:
    two = a_zip({"b.csv": b"B", "one.tar": a_tar({"a.csv": b"A"})})
    assert read(make({"two.zip": two, "c.csv": b"C"})).names == ["two.zip/b.csv", "two.zip/one.tar/a.csv", "c.csv"]
    deeper = make({"three.zip": a_zip({"two.zip": two})})
    found = read(deeper)
    assert found.names == ["three.zip/two.zip/b.csv", "three.zip/two.zip/one.tar"]  # which staging will refuse
    assert found.archive.is_read


def test_a_package_that_is_a_zip_is_no_archive(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "packed"
    for part in ("[Content_Types].xml", "META-INF/manifest.xml", "META-INF/container.xml", "META-INF/MANIFEST.MF"):
        content = a_zip({"mimetype": b"x", part: b"<x/>", "xl/workbook.xml": b"<x/>"})
        for written in (content, gzip.compress(content), content[:-30]):
            path.write_bytes(written)
            with opened_archive(path, UnpackLimits(), folder) as archive:
                assert archive is None


def test_a_text_that_has_the_mark_of_a_tar_is_none(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "text").write_bytes(b"x" * 257 + b"ustar" + b"y" * 500)
    with opened_archive(tmp_path / "text", UnpackLimits(), folder) as archive:
        assert archive is None


# --- what cannot be read ---------------------------------------------------------------------------------------------


def flip(content: bytes, of: bytes) -> bytes:
    """The content with one bit of `of` turned in it."""
    at = content.index(of)
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def marked_encrypted(content: bytes, name: bytes) -> bytes:
    """A zip whose member `name` says that it is encrypted, in its own header and in the list."""
    changed = bytearray(content)
    for mark, offset, length in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        at = content.find(mark)
        while at >= 0:
            if content[at + length : at + length + len(name)] == name:
                changed[at + offset] |= 1
            at = content.find(mark, at + 1)
    return bytes(changed)


def test_a_member_that_cannot_be_read_costs_itself_and_is_named(read) -> None:
    entries = {"a.csv": b"A", "broken.csv": b"some text", "secret.csv": b"S", "z.csv": b"Z"}
    found = read(marked_encrypted(flip(a_zip(entries, zipfile.ZIP_STORED), b"some text"), b"secret.csv"))
    assert found.names == ["a.csv", "z.csv"]
    reason, message = found.archive.verdict()
    assert reason == "broken_archive"
    assert "broken.csv (damaged: Bad CRC-32" in message
    assert "secret.csv (encrypted)" in message
    assert message.endswith("; its other files (2) are")


def test_one_reason_for_all_is_the_archives_reason(read) -> None:
    found = read(marked_encrypted(a_zip({f"{n}.csv": b"x" for n in range(10)}), b""))
    assert found.members == []
    reason, message = found.archive.verdict()
    assert reason == "encrypted"
    assert message == "a zip: not read of it: " + ", ".join(f"{n}.csv (encrypted)" for n in range(5)) + " and 5 more"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_has_no_bound_on_memory_is_not_read(read, method: int) -> None:
    found = read(a_zip([("a.csv", b"A" * 100)], method))
    assert found.archive.verdict() == (
        "unknown_compression",
        f"a zip: not read of it: a.csv (compressed by method {method}; only deflate is read)",
    )


@each_kind
def test_a_member_over_a_limit_costs_itself(read, make) -> None:
    found = read(
        make({"a.csv": b"A" * 40, "large.csv": b"B" * 101, "c.csv": b"C" * 40, "d.csv": b"D" * 40}), unpacked_bytes=100
    )
    assert found.names == ["a.csv", "c.csv"]
    reason, message = found.archive.verdict()
    assert reason == "unpacked_too_large"
    assert "large.csv (larger than limits.unpacked_bytes = 100 in pipeline.toml)" in message
    assert "d.csv (with those before it larger than limits.unpacked_bytes = 100 in pipeline.toml)" in message


def test_a_bomb_in_a_zip_is_not_unpacked(read) -> None:
    found = read(a_zip({"a.csv": b"A", "bomb": bytes(20_000_000)}))
    assert found.names == ["a.csv"]
    assert "bomb (more than limits.unpacked_ratio = 200" in found.archive.verdict()[1]


def test_a_member_larger_than_its_list_says_is_not_unpacked_further(read) -> None:
    content = bytearray(a_zip({"bomb": bytes(20_000_000)}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", content, content.index(mark) + offset, 1000)
    found = read(bytes(content))
    assert found.members == []
    assert "damaged: Bad CRC-32" in found.archive.verdict()[1]


@each_kind
def test_too_many_members_are_refused_whole_and_as_many_as_allowed_are_not(read, make) -> None:
    content = make({f"{n}.csv": b"x" for n in range(4)})
    assert len(read(content, archive_files=4).members) == 4
    found = read(content, archive_files=3)
    assert found.members == []
    reason, message = found.archive.verdict()
    assert reason == "unpacked_too_large"
    assert "limits.archive_files = 3 in pipeline.toml" in message


def test_archives_in_an_archive_share_its_limits(read) -> None:
    content = a_zip({f"{n}.zip": a_zip({"a.csv": b"x", "b.csv": b"y"}) for n in range(4)})
    found = read(content, archive_files=5)
    assert found.names == ["0.zip/a.csv", "0.zip/b.csv", "1.zip/a.csv", "1.zip"]
    assert "2.zip (one more than limits.archive_files = 5" in found.archive.verdict()[1]


def overlapping(kernel_count: int) -> bytes:
    """A zip of many members that all are the same bytes (D. Fifield's simplest construction)."""
    content = a_zip({"0": bytes(1000)})
    start = content.index(b"PK\x01\x02")
    entry = content[start : start + 46]
    listed = b"".join(entry + bytes([48 + n]) for n in range(kernel_count))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, kernel_count, kernel_count, len(listed), start, 0)
    return content[:start] + listed + end


def test_members_that_share_bytes_are_refused(read) -> None:
    assert read(overlapping(1)).names == ["0"]
    found = read(overlapping(9))
    assert found.members == []
    assert found.archive.verdict() == ("broken_archive", "a zip: its members overlap, as in a zip bomb")


def test_a_list_of_a_million_members_is_refused_in_little_memory(read) -> None:
    listed = (b"PK\x01\x02" + bytes(42)) * 1_000_000
    content = b"PK\x03\x04" + listed + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, len(listed), 4, 0)
    tracemalloc.start()
    found = read(content)
    assert tracemalloc.get_traced_memory()[1] < 150_000_000
    tracemalloc.stop()
    assert "limits.archive_files = 10000" in found.archive.verdict()[1]


@pytest.mark.parametrize("kept", [5, 40, 200, -1], ids="first {} bytes".format)
def test_a_truncated_zip_is_broken(read, kept: int) -> None:
    found = read(a_zip({"a.csv": bytes(range(256)), "b.csv": bytes(range(256))})[:kept])
    assert found.members == []
    reason, message = found.archive.verdict()
    assert reason == "broken_archive"
    assert "truncated or damaged" in message


@each_kind
def test_an_archive_without_a_file_is_said_to_be_empty(read, make) -> None:
    found = read(make({".hidden": b"x"}))
    assert not found.archive.is_read
    assert found.archive.verdict()[0] == "empty_archive"
    assert "1 hidden" in found.archive.verdict()[1]


def test_an_empty_zip_is_an_archive(read) -> None:
    assert read(a_zip({})).archive.verdict() == ("empty_archive", "a zip without a file to read")


# --- as raw files, and as content ------------------------------------------------------------------------------------


def test_an_archive_that_is_not_read_whole_is_a_raw_file_too(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "archive"

    def names(content: bytes) -> list[str]:
        path.write_bytes(content)
        return [member.name for member in raw_files_in(path, UnpackLimits(), folder)]

    sound = a_zip({"a.csv": b"A", "b.csv": b"bee"}, zipfile.ZIP_STORED)
    assert names(sound) == ["a.csv", "b.csv"]
    assert names(flip(sound, b"bee")) == ["a.csv", ""]
    assert names(a_zip({"in.zip": flip(sound, b"bee"), "c.csv": b"C"})) == ["in.zip/a.csv", "in.zip", "c.csv"]
    assert names(gzip.compress(a_tar({"a.csv": b"A"}))[:-12]) == [""]
    assert names(b"title,year\n") == [""]


def test_an_archive_is_no_content_for_a_reader(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "archive"
    for content, reason in (
        (a_zip({"a.csv": b"A"}), "archive_not_read"),
        (a_zip({}), "empty_archive"),
        (gzip.compress(a_tar({"a.csv": b"A"}))[:-12], "broken_compression"),
    ):
        path.write_bytes(content)
        with pytest.raises(UnpackError) as found, content_of(path, UnpackLimits(), folder):
            pass
        assert found.value.reason == reason
    path.write_bytes(gzip.compress(b"title\n"))
    with content_of(path, UnpackLimits(), folder) as content_found:
        assert content_found.path.read_bytes() == b"title\n"
    assert list(folder.iterdir()) == []


@given(
    make=st.sampled_from([a_zip, a_tar]),
    cut=st.integers(0, 3000),
    flips=st.lists(st.tuples(st.integers(0, 12_000), st.integers(0, 7)), max_size=4),
)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_damage_never_crashes_and_never_invents_a_member(tmp_path_factory, make, cut: int, flips) -> None:
    base = tmp_path_factory.getbasetemp() / "damaged_archives"
    base.mkdir(exist_ok=True)
    (base / "work").mkdir(exist_ok=True)
    whole = {"a.csv": b"title\nA\n" * 40, "in.zip": a_zip({"b.csv": b"title\nB\n"}), "c.csv": bytes(range(200))}
    content = bytearray(make(whole))
    for at, bit in flips:
        content[at % len(content)] ^= 1 << bit
    (base / "archive").write_bytes(content[: len(content) - cut % len(content)])
    found = [(m.name, m.path.read_bytes()) for m in raw_files_in(base / "archive", UnpackLimits(), base / "work")]
    assert found
    if make is a_zip:  # a tar has no checksum over content
        contents = (*whole.values(), b"title\nB\n")
        assert all(content in contents for name, content in found if name and not name.endswith("in.zip"))
    assert list((base / "work").iterdir()) == []
