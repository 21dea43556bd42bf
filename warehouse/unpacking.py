"""This module decompresses files: gzip, bzip2, xz and zstd, known by content, in bounded memory and to a bounded size."""

from __future__ import annotations

import bz2
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from transforms.schemas import PaperlakeError
from warehouse.atomic import temporary_beside

MAX_LAYERS = 3
"""How often a file may be compressed over (`x.json.gz.gz`), and how deep archives may stand in archives."""

WINDOW_BYTES = 128 * 2**20
"""Most memory that a file may make its decompressor hold: the default of zstd's library, and twice what `xz -9` needs."""

SMALL_BYTES = 10_000_000
"""Content up to this size is no bomb, whatever its ratio: a short file may well be a run of blanks."""


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """What keeps compressed files and archives in bounds; `[limits]` of pipeline.toml, where each is told."""

    unpacked_bytes: int = 8_000_000_000
    unpacked_ratio: int = 200
    archive_files: int = 10_000

    def excess(self, content_bytes: int, packed_bytes: int) -> str | None:
        """Which limit content of this size, packed in so many bytes, is over, as the end of a sentence; None where none is.

        >>> UnpackLimits(unpacked_bytes=100).excess(101, 50)
        'larger than limits.unpacked_bytes = 100 in pipeline.toml'
        """
        if content_bytes > self.unpacked_bytes:
            return f"larger than limits.unpacked_bytes = {self.unpacked_bytes} in pipeline.toml"
        if content_bytes > max(SMALL_BYTES, self.unpacked_ratio * packed_bytes):
            return (
                f"more than limits.unpacked_ratio = {self.unpacked_ratio} (in pipeline.toml) times the {packed_bytes} bytes "
                "it is packed in, as in a decompression bomb"
            )
        return None


class UnpackError(PaperlakeError):
    """A file whose content cannot be had; it becomes one reject with this reason and message."""

    def __init__(self, reason: str, message: str, content_bytes: int = 0) -> None:
        super().__init__(message)
        self.reason = reason
        self.content_bytes = content_bytes
        """How many bytes were decompressed in vain."""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file: where it stands, and by what the file is compressed (the outermost), if by anything."""

    path: Path
    size_bytes: int
    compression: str | None = None
    note: str | None = None


@contextmanager
def unpacked(path: Path, limits: UnpackLimits, folder: Path, name: str = "unpacked") -> Iterator[Content]:
    """The content of a file: the file itself, or where it is compressed a temporary file in `folder`, removed afterwards.

    Raises:
        UnpackError: `broken_compression`, `unpacked_too_large` or `nested_too_deep`.
        OSError: the file cannot be read, or the temporary one not written.
    """
    source, layers, notes = path, list[str](), list[str]()
    try:
        while compression := compression_of(_head(source)):
            if len(layers) == MAX_LAYERS:
                raise UnpackError("nested_too_deep", f"compressed more than {MAX_LAYERS} times over: {', '.join(layers)}, …")
            target = temporary_beside(folder / f"{name}-{len(layers)}")
            layers.append(compression)
            try:
                _unpack(source, target, compression, lambda size: limits.excess(size, path.stat().st_size), notes)
            except BaseException:
                target.unlink(missing_ok=True)
                raise
            if source is not path:
                source.unlink()
            source = target
        yield Content(source, source.stat().st_size, layers[0] if layers else None, "; ".join(notes) or None)
    finally:
        if source is not path:
            source.unlink(missing_ok=True)


def compression_of(head: bytes) -> str | None:
    """How a file that begins with `head` is compressed.

    >>> compression_of(bytes.fromhex("1f8b0800")), compression_of(b"title,year")
    ('gzip', None)
    """
    return next((name for name, beginnings in _BEGINNINGS.items() if head.startswith(beginnings)), None)


_BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "gzip": (b"\x1f\x8b\x08",),
    # The level, then the mark of a first block, or of the end where there is no content.
    "bzip2": tuple(b"BZh%d%b" % (level, mark) for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90")),
    "xz": (b"\xfd7zXZ\0",),
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + kind, 0x2A, 0x4D, 0x18)) for kind in range(16))),
}
"""RFC 1952, the bzip2 format, the .xz format, and RFC 8878 with its skippable frames."""

_HEAD_BYTES = 16
_PLAIN_BYTES = 4096
_FED_BYTES = 32_768
_PIECE_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 20
"""Enough of a compressed file to see the beginning of its content: a block of bzip2 has up to 0.9 MB."""


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES)


def content_head(path: Path) -> bytes:
    """The first bytes of a file's content, decompressed as far as its own first MiB allows; for a look at what it is."""
    with path.open("rb") as file:
        head = file.read(_PLAIN_BYTES)
        if compression_of(head):
            head += file.read(_BLOCK_BYTES)
    for _ in range(MAX_LAYERS):
        compression = compression_of(head)
        if compression is None:
            break
        head = b"".join(_first(_pieces(io.BytesIO(head), compression, []), _BLOCK_BYTES))
    return head


def _first(pieces: Iterator[bytes], least_bytes: int) -> Iterator[bytes]:
    """Pieces until there is enough, or no more, or a fault."""
    found_bytes = 0
    while found_bytes < least_bytes:
        try:
            piece = next(pieces)
        except (StopIteration, _Fault):
            return
        found_bytes += len(piece)
        yield piece


class _Fault(Exception):
    """What is wrong with compressed data."""


def _unpack(source: Path, target: Path, compression: str, excess: Callable[[int], str | None], notes: list[str]) -> None:
    """Writes the content of a compressed file.

    Raises:
        UnpackError: it is broken, or larger than `excess` allows.
    """
    size_bytes = 0
    with source.open("rb") as file, target.open("wb") as content:
        try:
            for piece in _pieces(file, compression, notes):
                size_bytes += len(piece)
                if over := excess(size_bytes):
                    raise UnpackError("unpacked_too_large", f"a {compression} file whose content is {over}", size_bytes)
                content.write(piece)
        except _Fault as fault:
            raise UnpackError(
                "broken_compression",
                f"a {compression} file that is truncated or damaged: {fault}, after {size_bytes} bytes of content; "
                "fetch it again",
                size_bytes,
            ) from fault


def _pieces(file: BinaryIO, compression: str, notes: list[str]) -> Iterator[bytes]:
    """The content of compressed data, piece by piece.

    Raises:
        _Fault: they are broken; the pieces before stand.
    """
    pieces = _zstd_pieces(file) if compression == "zstd" else _stream_pieces(file, compression, notes)
    while True:
        try:
            piece = next(pieces)
        except StopIteration:
            return
        except (zlib.error, lzma.LZMAError, EOFError, ValueError) as error:
            raise _Fault(str(error)) from error
        except OSError as error:
            if error.errno is not None:  # of the disk, not of the data
                raise
            raise _Fault(str(error)) from error
        yield piece


class _Decompressor(Protocol):
    """What the standard library's decompressors of one stream have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _GzipDecompressor:
    """zlib's decompressor in the manner of those of bz2 and lzma; it checks length and CRC of the member."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        self._has_more = False

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._has_more

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        piece = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        self._has_more = len(piece) == max_length
        return piece


_DECOMPRESSORS: dict[str, Callable[[], _Decompressor]] = {
    "gzip": _GzipDecompressor,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=WINDOW_BYTES + 2**20),
}


def _stream_pieces(file: BinaryIO, compression: str, notes: list[str]) -> Iterator[bytes]:
    """The content of streams that stand one after another; what follows them and is none is noted, zeros are padding."""
    new = _DECOMPRESSORS[compression]
    decompressor, fed = new(), b""
    while True:
        if decompressor.eof:
            fed = _after_padding(file, decompressor.unused_data)
            if not fed:
                return
            if compression_of(fed) != compression:
                here = file.tell()
                more_bytes = len(fed) + file.seek(0, os.SEEK_END) - here
                notes.append(f"the {more_bytes} bytes after the end of its {compression} data are none, and left out")
                return
            decompressor = new()
        elif decompressor.needs_input:
            fed = file.read(_FED_BYTES)
            if not fed:
                raise EOFError("it ends before its end mark")
        else:
            fed = b""
        piece = decompressor.decompress(fed, _PIECE_BYTES)
        if piece:
            yield piece


def _after_padding(file: BinaryIO, data: bytes) -> bytes:
    """The data from the first byte on that is not zero, at least as many as tell a compression, read on where needed."""
    data = data.lstrip(b"\0")
    while len(data) < _HEAD_BYTES and (more := file.read(_FED_BYTES)):
        data = (data + more).lstrip(b"\0") if not data else data + more
    return data


def _zstd_pieces(file: BinaryIO) -> Iterator[bytes]:
    """The content of zstd frames; a frame that wants a window over `WINDOW_BYTES` is refused by the library's own limit."""
    import pyarrow as pa  # here: commands that decompress nothing do without its 0.1 s

    stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    while piece := stream.read(_PIECE_BYTES):
        yield piece
