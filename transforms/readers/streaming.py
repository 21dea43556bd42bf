"""This module reads text files of any size in bounded memory: what encoding they are in, and their lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from transforms.readers.base import ReadError
from transforms.readers.decoding import BYTE_ORDER_MARKS, CONTROL_CHARACTERS, MAX_BAD_UTF8_RATIO

LINE_BYTES = 16 * 2**20
"""Longest line that is held in memory; the longest of 60,000 real records (a paper with its reviews) has 0.3 MB."""

CUT_LINE_BYTES = 65_536
"""How much is kept of a line that is longer."""

_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a file, by Python's name, and the length of its byte order mark."""

    name: str
    mark_bytes: int

    @property
    def errors(self) -> str:
        """The error handler: a bad byte of UTF-8 stays as a lone surrogate, elsewhere it becomes U+FFFD."""
        return "surrogateescape" if self.name == "utf-8" else "replace"


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
    """The encoding of a file, by the rules of `decoding.decode`, found in one pass.

    Raises:
        ReadError: `binary`, where the bytes are no text.
    """
    with path.open("rb") as file:
        head = file.read(4)
        for mark, name in BYTE_ORDER_MARKS:
            if head.startswith(mark) and name != "utf-8":
                return Encoding(name, len(mark))
        mark_bytes = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
        file.seek(mark_bytes)
        counts = _Counts(is_marked=mark_bytes > 0)
        while block := file.read(_BLOCK_BYTES):
            counts.add(block)
    counts.add(b"", final=True)
    return Encoding(counts.encoding(), mark_bytes)


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


_HIGH_BYTES = bytes(range(0x80, 0x100))
_CONTROL_BYTES = bytes(map(ord, CONTROL_CHARACTERS))
_NOT_CP1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))


class _Counts:
    """What decides on the encoding of a text, counted block by block."""

    def __init__(self, is_marked: bool) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._is_marked = is_marked
        self._bad = self._high = self._controls = self._characters = self._not_cp1252 = 0

    def add(self, block: bytes, final: bool = False) -> None:
        """Counts one more block.

        Raises:
            ReadError: `binary`, at a NUL byte.
        """
        if b"\0" in block and not self._is_marked:
            raise ReadError("binary", "no text: it holds a NUL byte")
        text = self._decoder.decode(block, final)
        self._characters += len(text)
        self._controls += _count(block, _CONTROL_BYTES)
        if not block.isascii():
            self._high += _count(block, _HIGH_BYTES)
            self._not_cp1252 += _count(block, _NOT_CP1252)
        try:
            text.encode()
        except UnicodeEncodeError:
            self._bad += sum("\udc80" <= character <= "\udcff" for character in text)

    def encoding(self) -> str:
        """The encoding.

        Raises:
            ReadError: `binary`, where more than one character in a hundred is a control character.
        """
        if self._controls > self._characters / 100:
            raise ReadError("binary", f"no text: {self._controls} of {self._characters} characters are control characters")
        if self._is_marked or self._bad <= MAX_BAD_UTF8_RATIO * self._high:
            return "utf-8"
        return "latin-1" if self._not_cp1252 else "cp1252"


def _count(block: bytes, members: bytes) -> int:
    """How many bytes of `block` are among `members`."""
    return len(block) - len(block.translate(None, members))
