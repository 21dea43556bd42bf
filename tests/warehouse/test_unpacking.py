"""Decompression: by content, whole or not at all, in bounded memory and to a bounded size."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.unpacking import MAX_LAYERS, UnpackError, UnpackLimits, compression_of, content_head, unpacked

CONTENT = b"title,year\n" + b"Moths that read maps,2024\n" * 300
SKIPPABLE_FRAME = struct.pack("<II", 0x184D2A57, 5) + b"notes"


def zstd(content: bytes) -> bytes:
    return pa.Codec("zstd").compress(content, asbytes=True)


def bare_gzip(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": bare_gzip,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}
each_compression = pytest.mark.parametrize("name", COMPRESSORS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def unpack(tmp_path: Path, folder: Path) -> Callable[..., tuple[bytes, str | None, str | None]]:
    """What `unpacked` gives of a file with these bytes: content, compression and note; nothing may stay in the folder."""

    def of(packed: bytes, **limits: int) -> tuple[bytes, str | None, str | None]:
        path = tmp_path / "packed"
        path.write_bytes(packed)
        try:
            with unpacked(path, UnpackLimits(**limits), folder) as content:
                found = content.path.read_bytes()
                assert len(found) == content.size_bytes
                return found, content.compression, content.note
        finally:
            assert list(folder.iterdir()) == []
            assert path.read_bytes() == packed

    return of


@each_compression
def test_a_compressed_file_gives_its_content_and_leaves_nothing_behind(unpack, name: str) -> None:
    assert unpack(COMPRESSORS[name](CONTENT)) == (CONTENT, name, None)


def test_a_plain_file_is_its_own_content(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "plain.gz"  # the name has no say
    path.write_bytes(CONTENT)
    with unpacked(path, UnpackLimits(), folder) as content:
        assert (content.path, content.size_bytes, content.compression) == (path, len(CONTENT), None)
    assert path.exists()


@each_compression
def test_streams_one_after_another_are_one_content(unpack, name: str) -> None:
    compress = COMPRESSORS[name]
    assert unpack(compress(CONTENT) + compress(b"") + compress(b"more\n"))[0] == CONTENT + b"more\n"


def test_zstd_frames_to_skip_are_skipped(unpack) -> None:
    assert unpack(SKIPPABLE_FRAME + zstd(CONTENT) + SKIPPABLE_FRAME) == (CONTENT, "zstd", None)


@each_compression
def test_an_empty_content_is_empty(unpack, name: str) -> None:
    assert unpack(COMPRESSORS[name](b""))[0] == b""


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz"])
def test_zeros_after_the_end_are_padding(unpack, name: str) -> None:
    compress = COMPRESSORS[name]
    assert unpack(compress(CONTENT) + bytes(70_000) + compress(b"x"))[0] == CONTENT + b"x"
    assert unpack(compress(CONTENT) + bytes(512)) == (CONTENT, name, None)


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz"])
def test_bytes_after_the_end_that_are_something_else_are_said_and_left_out(unpack, name: str) -> None:
    content, _, note = unpack(COMPRESSORS[name](CONTENT) + b"\0\0garbage" + bytes(100_000))
    assert content == CONTENT
    assert note == f"the 100007 bytes after the end of its {name} data are none, and left out"


@each_compression
@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_a_truncated_file_is_refused_with_how_much_came_out(unpack, name: str, kept: float) -> None:
    packed = COMPRESSORS[name](bytes(range(256)) * 20)
    with pytest.raises(UnpackError, match=rf"a {name} file that is truncated or damaged: .*, after \d+ bytes") as found:
        unpack(packed[: int(len(packed) * kept)])
    assert found.value.reason == "broken_compression"


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz"])  # zstd has a checksum only where its writer asks for one
def test_a_damaged_file_is_refused(unpack, name: str) -> None:
    packed = bytearray(COMPRESSORS[name](bytes(range(256)) * 20))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(UnpackError, match="truncated or damaged"):
        unpack(bytes(packed))


def test_compression_over_compression_is_undone_to_a_depth(unpack) -> None:
    packed = zstd(bz2.compress(bare_gzip(CONTENT)))
    assert unpack(packed) == (CONTENT, "zstd", None)
    with pytest.raises(UnpackError, match=f"more than {MAX_LAYERS} times over: gzip, zstd, bzip2") as found:
        unpack(bare_gzip(packed))
    assert found.value.reason == "nested_too_deep"


@each_compression
def test_a_bomb_is_refused_with_the_limit_in_little_memory(unpack, name: str) -> None:
    bomb = COMPRESSORS[name](bytes(64_000_000))
    tracemalloc.start()
    with pytest.raises(UnpackError, match=r"limits\.unpacked_ratio = 200 \(in pipeline\.toml\)") as found:
        unpack(bomb)
    assert found.value.reason == "unpacked_too_large"
    assert found.value.content_bytes < 13_000_000
    assert tracemalloc.get_traced_memory()[1] < 20_000_000  # xz: a dictionary of 8 MB
    tracemalloc.stop()


@each_compression
def test_content_over_the_limit_is_refused_and_up_to_it_is_not(unpack, name: str) -> None:
    packed = COMPRESSORS[name](CONTENT)
    assert unpack(packed, unpacked_bytes=len(CONTENT))[0] == CONTENT
    with pytest.raises(UnpackError, match=rf"limits\.unpacked_bytes = {len(CONTENT) - 1} in pipeline\.toml"):
        unpack(packed, unpacked_bytes=len(CONTENT) - 1)


def test_little_content_is_no_bomb_whatever_its_ratio(unpack) -> None:
    assert len(unpack(bz2.compress(bytes(9_000_000)))[0]) == 9_000_000


def test_a_window_of_two_gigabytes_is_refused(unpack) -> None:
    block = struct.pack("<I", 1 | 1 << 1 | 1000 << 3)[:3] + b"a"
    frame = b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + block
    with pytest.raises(UnpackError, match="memory"):
        unpack(frame)
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**26}]
    stream = bytearray(lzma.compress(CONTENT, filters=filters))
    assert unpack(bytes(stream))[0] == CONTENT
    at = stream.index(b"\x21\x01", 12) + 2  # LZMA2, one byte of properties: the size of the dictionary
    stream[at] = 38
    header_bytes = (stream[12] + 1) * 4
    import zlib

    stream[12 + header_bytes - 4 : 12 + header_bytes] = struct.pack("<I", zlib.crc32(stream[12 : 12 + header_bytes - 4]))
    with pytest.raises(UnpackError, match=r"[Mm]emory"):
        unpack(bytes(stream))


@pytest.mark.parametrize("text", [b"BZh is no paper", b"BZh9 title", b"\x1f\x8b", b"PK\x03\x04", b"", b"\xfd7zXY\0"])
def test_what_only_resembles_a_compression_is_none(text: bytes) -> None:
    assert compression_of(text) is None


@each_compression
def test_the_head_of_the_content_is_seen_without_the_rest(tmp_path: Path, name: str) -> None:
    path = tmp_path / "packed"
    path.write_bytes(COMPRESSORS[name](bare_gzip(CONTENT))[:-5])
    assert CONTENT.startswith(content_head(path))
    path.write_bytes(bare_gzip(COMPRESSORS[name](CONTENT)))
    assert content_head(path) == CONTENT


def test_nothing_stays_when_the_reader_fails(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(bare_gzip(CONTENT))
    with pytest.raises(KeyError), unpacked(path, UnpackLimits(), folder):
        raise KeyError
    assert list(folder.iterdir()) == []


@given(
    name=st.sampled_from(sorted(COMPRESSORS)),
    content=st.binary(max_size=400),
    cut=st.integers(0, 500),
    flips=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 7)), max_size=3),
)
@settings(max_examples=150, derandomize=True, deadline=None)
def test_damage_is_an_unpack_error_or_a_content_and_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes, cut: int, flips: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged_streams"
    folder.mkdir(exist_ok=True)
    packed = bytearray(COMPRESSORS[name](content) * 2)
    for at, bit in flips:
        packed[at % len(packed)] ^= 1 << bit
    path = folder / "packed"
    path.write_bytes(packed[: len(packed) - cut % len(packed)])
    try:
        with unpacked(path, UnpackLimits(), folder) as found:
            assert found.size_bytes == found.path.stat().st_size
    except UnpackError as error:
        assert error.reason == "broken_compression"
    assert [entry.name for entry in folder.iterdir()] == ["packed"]


def test_an_error_of_the_disk_is_no_verdict_on_the_file(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    path = tmp_path / "packed"
    for name in COMPRESSORS:
        path.write_bytes(COMPRESSORS[name](CONTENT))
        from warehouse import unpacking

        with pytest.raises(OSError, match="Input/output"):
            list(unpacking._pieces(Failing(), name, []))
