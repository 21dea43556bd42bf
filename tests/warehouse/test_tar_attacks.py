"""A tar that is damaged or lies: the members before the fault are read, and none of its headers costs memory or time."""

from __future__ import annotations

import io
import tarfile
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

import pytest


def a_tar(members: Mapping[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


@pytest.fixture
def read(read_archive: Callable[..., Any]) -> Callable[..., Any]:
    """What comes of reading an archive with these bytes."""
    return read_archive


def test_links_and_special_members_of_a_tar_are_left_out(read) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, kind in (
            ("folder", tarfile.DIRTYPE),
            ("soft", tarfile.SYMTYPE),
            ("hard", tarfile.LNKTYPE),
            ("pipe", tarfile.FIFOTYPE),
            ("device", tarfile.CHRTYPE),
            ("a.csv", tarfile.REGTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    found = read(target.getvalue())
    assert found.members == [("a.csv", b"")]
    assert found.archive.left_out == {"link": 2, "special": 2}


def test_a_truncated_tar_gives_the_members_before_the_fault(read) -> None:
    content = a_tar({"a.csv": b"A" * 600, "b.csv": b"B" * 600})
    found = read(content[:2000])
    assert found.names == ["a.csv"]
    assert found.archive.verdict()[0] == "broken_archive"


def test_a_tar_with_a_broken_header_does_not_end_there_in_silence(read) -> None:
    content = bytearray(a_tar({"a.csv": b"A", "b.csv": b"B", "c.csv": b"C"}))
    content[1024] ^= 1
    found = read(bytes(content))
    assert found.names == ["a.csv"]
    assert "no header where one is due, at byte 1024" in found.archive.verdict()[1]


def test_a_tar_with_a_header_without_end_is_refused_in_little_memory(read) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 40_000_000
    content = a_tar({"a.csv": b"A"})[:1024] + info.tobuf(tarfile.USTAR_FORMAT) + bytes(40_000_000)
    tracemalloc.start()
    found = read(content)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert found.names == ["a.csv"]
    assert "larger than that of a sound archive" in found.archive.verdict()[1]


def numbered(size: int) -> bytes:
    """A field of a tar header in base 256."""
    return b"\x80" + size.to_bytes(11, "big") if size >= 0 else b"\xff" + (2**88 + size).to_bytes(11, "big")


def with_size(size: bytes) -> bytes:
    """A tar whose second member has this size field."""
    content = bytearray(a_tar({"a.csv": b"A", "b.csv": b"B", "c.csv": b"C"}))
    content[1024 + 124 : 1024 + 136] = size
    content[1024 + 148 : 1024 + 156] = b" " * 8
    content[1024 + 148 : 1024 + 156] = b"%06o\0 " % sum(content[1024:1536])
    return bytes(content)


@pytest.mark.parametrize("size", [2**63, 2**87, 10_000, -512, -1024, -(2**80)])
def test_a_member_of_a_tar_with_an_impossible_size_ends_the_reading(read, size: int) -> None:
    found = read(with_size(numbered(size)))
    assert found.names in ([], ["a.csv"])
    assert found.archive.verdict()[0] in ("broken_archive", "unpacked_too_large")


def test_a_thousand_headers_about_one_member_are_refused(read) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 10
    header = info.tobuf(tarfile.USTAR_FORMAT) + b"10 a=bcde\n".ljust(512, b"\0")
    found = read(a_tar({"a.csv": b"A"})[:1024] + header * 1000 + a_tar({"b.csv": b"B"}))
    assert found.names == ["a.csv"]
    assert found.archive.verdict()[0] == "broken_archive"


def test_a_sparse_member_of_a_tar_is_not_filled_up(read) -> None:
    info = tarfile.TarInfo("sparse.csv")
    info.pax_headers = {"GNU.sparse.size": str(2**50), "GNU.sparse.numblocks": "1", "GNU.sparse.map": "0,1"}
    info.size = 1
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(b"x"))
    found = read(target.getvalue())
    assert found.members == []
    assert "sparse.csv (stored as a sparse file)" in found.archive.verdict()[1]
