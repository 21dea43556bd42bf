"""This module decodes the bytes of a text file, and finds back the bytes of a piece of the text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise

from transforms.readers.base import ReadError, Span

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


_HIGH_BYTES = bytes(range(0x80, 0x100))
_BAD_RUN = re.compile("[\udc80-\udcff]+")
CONTROL_CHARACTERS = [chr(code) for code in range(32) if chr(code) not in "\t\n\v\f\r\x1b"]
"""Characters that text has next to none of."""

_CONTROL = re.compile(f"[{re.escape(''.join(CONTROL_CHARACTERS))}]")


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
        return len(piece.encode(self.encoding, "surrogateescape" if self.encoding == "utf-8" else "surrogatepass"))

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


def decode(data: bytes) -> DecodedText:
    """The text of `data`: by its byte order mark, else UTF-8, else (where most of it is not) Windows-1252 or Latin-1.

    Raises:
        ReadError: `binary`, where the bytes are no text.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_marked(data, mark, encoding)
    if b"\x00" in data:
        raise ReadError("binary", f"no text: a NUL byte at byte {data.index(0)}")
    text = data.decode("utf-8", "surrogateescape")
    bad_count = sum(map(len, _bad_runs(text)))
    if bad_count > MAX_BAD_UTF8_RATIO * (len(data) - len(data.translate(None, _HIGH_BYTES))):
        for encoding in ("cp1252", "latin-1"):
            try:
                return DecodedText(_no_controls(data.decode(encoding)), encoding, 0)
            except UnicodeDecodeError:
                continue
    return DecodedText(_no_controls(text), "utf-8", 0)


def _decode_marked(data: bytes, mark: bytes, encoding: str) -> DecodedText:
    body = data[len(mark) :]
    if encoding == "utf-8":
        return DecodedText(_no_controls(body.decode("utf-8", "surrogateescape")), encoding, len(mark))
    try:
        return DecodedText(_no_controls(body.decode(encoding, "surrogatepass")), encoding, len(mark))
    except UnicodeDecodeError as error:
        raise ReadError(
            "bad_encoding", f"the byte order mark says {encoding}, but byte {error.start + len(mark)} is not: {error.reason}"
        ) from error


def _bad_runs(text: str) -> list[str]:
    """The runs of bytes in `text` that were not valid UTF-8."""
    return [] if text.isascii() else _BAD_RUN.findall(text)


def _no_controls(text: str) -> str:
    """`text`, if it is text: more than one character in a hundred being a control character is a binary file.

    Raises:
        ReadError: `binary`.
    """
    count = len(_CONTROL.findall(text))
    if count > len(text) / 100:
        raise ReadError("binary", f"no text: {count} of {len(text)} characters are control characters")
    return text
