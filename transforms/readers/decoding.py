"""This module decodes the bytes of a text file, and finds back the bytes of a piece of the text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise

from transforms.readers.base import ReadError, Span
from transforms.readers.east_asian import EastAsianFinder

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and the encodings they mean, in the order to try them."""

MAX_BAD_UTF8_RATIO = 0.1
"""Share of non-ASCII bytes that may be invalid in a file still taken for UTF-8. A truncated or bit-flipped UTF-8 file has
a few; a Latin-1 file read as UTF-8 has nearly all of them invalid."""

MAX_CONTROL_RATIO = 0.01
"""Share of control characters above which a file is no text, which has next to none of them. One alone is no evidence, however
short the file: old editors end a text with ^Z."""

MAX_NUL_RATIO = 0.0005
"""Share of NUL bytes above which a file is no text. A table may have one in a cell, where a tool wrote an empty value or a
disk failed; of a compressed file one byte in 256 is NUL, of other binary files more, of UTF-16 half."""

LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")
"""A line of a text with its end; what else Unicode calls a line separator ends none, as in `streaming.byte_lines`."""

_PLAIN_UTF8_BYTES = 1_000
"""No text in a two-byte encoding begins with so many non-ASCII bytes that are all valid UTF-8; from there on none is tried."""

_BLOCK_BYTES = 2**20
_HIGH_BYTES = bytes(range(0x80, 0x100))
_CONTROL_BYTES = bytes(code for code in range(32) if chr(code) not in "\t\n\v\f\r\x1b")
_NOT_CP1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_BAD_BYTES = re.compile("[\udc80-\udcff]+")


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a file, by Python's name, and the length of its byte order mark."""

    name: str
    mark_bytes: int

    @property
    def errors(self) -> str:
        """The error handler: a bad byte of UTF-8, and half a surrogate pair of UTF-16 or -32, stays as a lone surrogate."""
        return "surrogateescape" if self.name == "utf-8" else "surrogatepass"


class EncodingFinder:
    """Finds the encoding of a text that is given block by block; the one statement of the rules.

    A byte order mark decides; what follows it must be of that encoding (of UTF-8 as much as there is). Without one, more
    NUL bytes than `MAX_NUL_RATIO` are no text; it is UTF-8 unless more than `MAX_BAD_UTF8_RATIO` of its non-ASCII bytes are
    invalid, else one of `east_asian.ENCODINGS` where the text is plainly in that, else Windows-1252 where all bytes are
    defined there, else Latin-1. More control characters than `MAX_CONTROL_RATIO` are no text either.
    """

    def __init__(self, head: bytes) -> None:
        """Looks for a byte order mark in `head`, the first four bytes or more; the blocks begin after the mark."""
        self._marked = next((Encoding(name, len(mark)) for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), None)
        self._expected = self._marked or Encoding("utf-8", 0)
        self.mark_bytes = self._position = self._expected.mark_bytes
        self._decoder = codecs.getincrementaldecoder(self._expected.name)(self._expected.errors)
        self._east_asian = EastAsianFinder()
        self._bad = self._high = self._not_cp1252 = self._controls = self._characters = self._nuls = 0
        self._first_nul = 0

    def add(self, block: bytes) -> None:
        """Counts one more block.

        Raises:
            ReadError: `binary`, where many bytes are NUL; `bad_encoding`, where the byte order mark is contradicted.
        """
        if self._marked is None and (nuls := block.count(0)):
            self._first_nul = self._first_nul if self._nuls else self._position + block.index(0)
            self._nuls += nuls
            if self._nuls > MAX_NUL_RATIO * max(self._position + len(block), _BLOCK_BYTES):
                raise self._binary()
        self._count(block, is_final=False)

    def encoding(self) -> Encoding:
        """The encoding of all that was added.

        Raises:
            ReadError: `binary` or `bad_encoding`.
        """
        cut_bytes = len(self._decoder.getstate()[0])
        self._count(b"", is_final=True)
        # A character that the end of the file cuts speaks for UTF-8, where there are whole ones: a download that broke off.
        bad_bytes = self._bad - cut_bytes if self._high > cut_bytes else self._bad
        is_single_byte = self._marked is None and bad_bytes > MAX_BAD_UTF8_RATIO * self._high
        if self._nuls > MAX_NUL_RATIO * self._position:
            raise self._binary()
        length = self._position if is_single_byte else self._characters
        if self._controls > max(1, MAX_CONTROL_RATIO * length):
            raise ReadError("binary", f"no text: {self._controls} of {length} characters are control characters")
        if is_single_byte:
            if east_asian := self._east_asian.encoding():
                return Encoding(east_asian, 0)
            return Encoding("latin-1" if self._not_cp1252 else "cp1252", 0)
        return self._expected

    def _binary(self) -> ReadError:
        return ReadError(
            "binary", f"no text: a NUL byte at byte {self._first_nul}" + f", {self._nuls} in all" * (self._nuls > 1)
        )

    def _count(self, block: bytes, *, is_final: bool) -> None:
        waiting = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(block, is_final)
        except UnicodeDecodeError as error:
            place = self._position - waiting + error.start
            message = f"the byte order mark says {self._expected.name}, but byte {place} is not: {error.reason}"
            raise ReadError("bad_encoding", message) from error
        self._position += len(block)
        self._characters += len(text)
        # A control character is one and the same byte in UTF-8 and in the encodings of single bytes.
        is_utf_8 = self._expected.name == "utf-8"
        self._controls += _count_of(block if is_utf_8 else text.encode("utf-8", "surrogatepass"), _CONTROL_BYTES)
        if self._marked is None and not _is_sound(text):
            self._bad += sum(map(len, _BAD_BYTES.findall(text)))
        if self._marked is None and not block.isascii():
            self._high += _count_of(block, _HIGH_BYTES)
            self._not_cp1252 += _count_of(block, _NOT_CP1252)
        if self._marked is None and (self._bad or self._high < _PLAIN_UTF8_BYTES):
            self._east_asian.add(block)
        else:
            self._east_asian.clear()


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file without its byte order mark, its encoding, and the length of the mark.

    A byte that is not valid UTF-8 stands in `text` as a lone surrogate (Python's surrogateescape), so that every piece of
    the text encodes to exactly its own bytes.
    """

    text: str
    encoding: str
    mark_bytes: int

    def byte_length(self, piece: str) -> int:
        """How many bytes of the file a piece of its text stands for."""
        if self.encoding == "utf-8" and piece.isascii():
            return len(piece)
        return len(piece.encode(self.encoding, Encoding(self.encoding, self.mark_bytes).errors))

    def spans(self, edges: list[int]) -> list[Span]:
        """The byte spans between neighbouring character offsets, which must not fall.

        >>> decode("é|b".encode()).spans([0, 1, 3])
        [(0, 2), (2, 4)]
        """
        offset, spans = self.mark_bytes, []
        if edges:
            offset += self.byte_length(self.text[: edges[0]])
        for start, end in pairwise(edges):
            size = self.byte_length(self.text[start:end])
            spans.append((offset, offset + size))
            offset += size
        return spans


def decode(content: bytes) -> DecodedText:
    """The text of a file's whole `content`, in the encoding that `EncodingFinder` finds.

    Raises:
        ReadError: `binary`, where the bytes are no text; `bad_encoding`, where the byte order mark is contradicted.
    """
    finder = EncodingFinder(content)
    for start in range(finder.mark_bytes, len(content), _BLOCK_BYTES):
        finder.add(content[start : start + _BLOCK_BYTES])
    encoding = finder.encoding()
    text = str(memoryview(content)[encoding.mark_bytes :], encoding.name, encoding.errors)
    return DecodedText(text, encoding.name, encoding.mark_bytes)


def _is_sound(text: str) -> bool:
    """Whether there is no lone surrogate in `text`; a tenth of the time that looking for them takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _count_of(block: bytes, members: bytes) -> int:
    """How many bytes of `block` are among `members`."""
    return len(block) - len(block.translate(None, members))
