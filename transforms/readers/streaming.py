"""This module reads text files of any size in bounded memory: what encoding they are in, and their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from transforms.readers.decoding import Encoding, EncodingFinder

LINE_BYTES = 16 * 2**20
"""Longest line that is held in memory; the longest of 60,000 real records (a paper with its reviews) has 0.3 MB."""

CUT_LINE_BYTES = 65_536
"""How much is kept of a line that is longer."""

_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its end; of a line longer than `LINE_BYTES`, `content` is only the beginning."""

    content: bytes
    start: int
    size_bytes: int

    @property
    def is_cut(self) -> bool:
        """Whether `content` is only the beginning of the line."""
        return len(self.content) < self.size_bytes


def text_encoding(path: Path) -> Encoding:
    """The encoding of a file, found in one pass; read with its `errors`, no byte of the file fails or is lost.

    Raises:
        ReadError: `binary`, where the bytes are no text; `bad_encoding`, where the byte order mark is contradicted.
    """
    with path.open("rb") as file:
        finder = EncodingFinder(file.read(4))
        file.seek(finder.mark_bytes)
        while block := file.read(_BLOCK_BYTES):
            finder.add(block)
    return finder.encoding()


def byte_lines(path: Path, start: int = 0) -> Iterator[Line]:
    r"""The lines of a file from byte `start` on; only \n, \r\n and \r end a line, so that spans never depend on Unicode."""
    rest, head, cut_bytes = b"", b"", 0
    with path.open("rb") as file:
        file.seek(start)
        while block := file.read(_BLOCK_BYTES):
            pieces = (rest + block).splitlines(keepends=True)
            # A line without its end, or with a \r that the next block may make a \r\n, waits for the next block.
            rest = b"" if pieces[-1].endswith(b"\n") else pieces.pop()
            for piece in pieces:
                size_bytes = cut_bytes + len(piece)
                yield Line(head or piece, start, size_bytes)
                start, head, cut_bytes = start + size_bytes, b"", 0
            if len(rest) > LINE_BYTES:
                head = head or rest[:CUT_LINE_BYTES]
                kept = rest[-1:] if rest.endswith(b"\r") else b""
                cut_bytes += len(rest) - len(kept)
                rest = kept
    if rest or cut_bytes:
        yield Line(head or rest, start, cut_bytes + len(rest))
