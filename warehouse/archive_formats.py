"""This module lists what stands in a zip or a tar, through one interface, and opens each member as a stream.

An archive is hostile: what is read to list it is bounded, and nothing is written to disk.
"""

from __future__ import annotations

import errno
import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO

from warehouse.unpacking import UnpackError, UnpackLimits, content_head


@dataclass(frozen=True, slots=True)
class Entry:
    """One member: its name as given, `file`, `link` or `special`, and its size, of which the archive holds `packed_bytes`.

    `fault` is the reason and message of why it cannot be read, where the list tells.
    """

    name: str
    kind: str
    size_bytes: int
    packed_bytes: int
    fault: tuple[str, str] | None
    open: Callable[[], IO[bytes]]


MEMBER_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error, EOFError, ValueError, RuntimeError),
    *(OverflowError, IndexError, KeyError),  # of a size or place beyond 2^63, and of headers that are not what they seem
)
"""What the libraries raise where an archive is broken (`RuntimeError`: also of a thousand headers about one member)."""


def looks_like_archive(path: Path) -> bool:
    """Whether a file, or its content where it is compressed, begins as a zip or a tar."""
    head = content_head(path)
    return head.startswith(_ZIP_BEGINNINGS) or _is_tar(head)


def archive_kind(path: Path) -> str | None:
    """`zip` or `tar`; None for anything else, also for a package that is a zip with a meaning of its own (XLSX, EPUB, JAR)."""
    with path.open("rb") as file:
        head = file.read(1 << 16)
    if head.startswith(_ZIP_BEGINNINGS):
        return None if _is_package(path, head) else "zip"
    return "tar" if _is_tar(head) else None


def entries(path: Path, kind: str, limits: UnpackLimits) -> Iterator[Entry]:
    """The members of an archive but folders, in its order; none of what is yielded outlives the iteration.

    Raises:
        UnpackError: it, or what of it is yet to come, is broken or has too many members.
    """
    return (_zip_entries if kind == "zip" else _tar_entries)(path, limits)


_ZIP_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")  # a first member; the end of the list, where there is no member

_PACKAGE_PARTS = frozenset(
    (
        "[Content_Types].xml",  # Office Open XML, ECMA-376
        "META-INF/manifest.xml",  # OpenDocument
        "META-INF/container.xml",  # EPUB
        "META-INF/MANIFEST.MF",  # Java
        "Index/Document.iwa",  # iWork
    )
)

_PACKAGE_FILES = 10_000
"""More parts than a document has; a workbook has a few for each sheet."""

_ZIP_LIST_BYTES = 64 * 2**20
"""Longest list of a zip: six kilobytes for each of 10,000 members."""

_TAR_HEADER_BYTES = 2**20
"""Most that a member's headers may take in a tar, before its content."""


class _BoundedFile(io.FileIO):
    """A file of which no more than `allowance` bytes can be read, as the libraries read lists whole; None is no bound."""

    allowance: int | None = None
    most_files: int | None = None

    def read(self, size: int | None = -1) -> bytes:
        wanted = -1 if size is None else size
        if self.allowance is not None:
            wanted = self.allowance + 1 if wanted < 0 else min(wanted, self.allowance + 1)
        content = super().read(wanted)
        if self.allowance is not None:
            self.allowance -= len(content)
            if self.allowance < 0:
                raise UnpackError("broken_archive", "its list of members is larger than that of a sound archive")
            if _LONG_NUMBER.search(content):
                raise UnpackError("broken_archive", "a header in it has a number of more than 64 digits")
            if self.most_files is not None and content.count(b"PK\x01\x02") > self.most_files:
                raise _too_many(self.most_files)
        return content


_LONG_NUMBER = re.compile(rb"[0-9]{65}")
"""On which tarfile of Python before 3.11.10 spends quadratic time (CVE-2024-6232)."""


def _too_many(most_files: int) -> UnpackError:
    return UnpackError(
        "unpacked_too_large",
        f"it has more members than limits.archive_files = {most_files} in pipeline.toml; unpack it and give its folder",
    )


def _broken(error: Exception) -> UnpackError:
    if isinstance(error, OSError) and error.errno is not None and error.errno != errno.EINVAL:
        raise error  # of the disk; EINVAL is of an offset that the archive claims
    return UnpackError("broken_archive", f"it is truncated or damaged ({error or type(error).__name__}); fetch it again")


def _is_package(path: Path, head: bytes) -> bool:
    try:
        with _zip_file(path, _PACKAGE_FILES) as archive:
            return not _PACKAGE_PARTS.isdisjoint(archive.namelist())
    except UnpackError:  # broken, or endless: its first members must tell
        return any(part.encode() in head for part in _PACKAGE_PARTS)


@contextmanager
def _zip_file(path: Path, most_files: int) -> Iterator[zipfile.ZipFile]:
    with _BoundedFile(path) as file:
        file.allowance, file.most_files = _ZIP_LIST_BYTES, most_files
        try:
            archive = zipfile.ZipFile(file)
        except (*MEMBER_ERRORS, OSError) as error:
            raise _broken(error) from error
        file.allowance = None
        with archive:
            yield archive


def _zip_entries(path: Path, limits: UnpackLimits) -> Iterator[Entry]:
    with _zip_file(path, limits.archive_files) as archive:
        listed = archive.infolist()
        _refuse_overlaps(listed)
        for info in listed:
            name = _zip_name(info)
            if not name.endswith(("/", "\\")):
                yield Entry(
                    name, _zip_kind(info), info.file_size, info.compress_size, _zip_fault(info), partial(archive.open, info)
                )


_ZIP_HEADER_BYTES = 30


def _refuse_overlaps(listed: list[zipfile.ZipInfo]) -> None:
    """Refuses a zip whose members share bytes: D. Fifield, A better zip bomb, WOOT 2019."""
    in_order = sorted(listed, key=lambda info: info.header_offset)
    for info, following in pairwise(in_order):
        least_end = info.header_offset + _ZIP_HEADER_BYTES + info.compress_size
        if least_end > following.header_offset:
            raise UnpackError("broken_archive", "its members overlap, as in a zip bomb")


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name of a member. One that is not marked as UTF-8 may be all the same (macOS); else it is code page 437."""
    if info.flag_bits & _IS_UTF8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


_IS_ENCRYPTED, _IS_UTF8 = 0x1, 0x800


def _zip_kind(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    return "link" if kind == stat.S_IFLNK else "file" if kind in (0, stat.S_IFREG) else "special"


def _zip_fault(info: zipfile.ZipInfo) -> tuple[str, str] | None:
    if info.flag_bits & _IS_ENCRYPTED:
        return "encrypted", "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # bzip2 and LZMA in a zip are rare, and zipfile decompresses them without a bound on memory.
        return "unknown_compression", f"compressed by method {info.compress_type}; only deflate is read"
    return None


def _is_tar(head: bytes) -> bool:
    """Whether a tar begins so: its mark (POSIX and GNU), and a header whose checksum is right."""
    if head[257:262] != b"ustar":
        return False
    try:
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _tar_entries(path: Path, limits: UnpackLimits) -> Iterator[Entry]:
    with _BoundedFile(path) as file:
        file.allowance = _TAR_HEADER_BYTES
        try:
            archive = tarfile.TarFile(fileobj=file, encoding="utf-8")
        except (*MEMBER_ERRORS, OSError) as error:
            raise _broken(error) from error
        listed, fault = _tar_list(archive, file, limits.archive_files)
        file.allowance = None
        for info in listed:
            if not info.isdir():
                yield Entry(
                    info.name, _tar_kind(info), info.size, info.size, _tar_fault(info), partial(_tar_member, archive, info)
                )
        if fault is not None:
            raise fault


def _tar_list(
    archive: tarfile.TarFile, file: _BoundedFile, most_files: int
) -> tuple[list[tarfile.TarInfo], UnpackError | None]:
    """The members, and what is wrong with the rest, as tarfile takes a broken header for the end."""
    listed: list[tarfile.TarInfo] = []
    try:
        for info in archive:
            listed.append(info)
            if len(listed) > most_files:
                raise _too_many(most_files)
            file.allowance = _TAR_HEADER_BYTES
        file.seek(archive.offset)
        if file.read(tarfile.BLOCKSIZE).strip(b"\0"):
            raise tarfile.ReadError(f"no header where one is due, at byte {archive.offset}")
    except UnpackError as error:
        if error.reason == "unpacked_too_large":
            raise
        return listed, error
    except (*MEMBER_ERRORS, OSError) as error:
        return listed, _broken(error)
    return listed, None


def _tar_kind(info: tarfile.TarInfo) -> str:
    return "file" if info.isreg() else "link" if info.islnk() or info.issym() else "special"


def _tar_fault(info: tarfile.TarInfo) -> tuple[str, str] | None:
    if info.size < 0:
        return "broken_archive", f"damaged: a size of {info.size} bytes"
    return ("unknown_compression", "stored as a sparse file") if info.issparse() else None


def _tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    member = archive.extractfile(info)
    assert member is not None, "only regular members are opened"
    return member
