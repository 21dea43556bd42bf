"""This module reads text files of any size in bounded memory: what encoding they are in, and their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from transforms.readers.base import RawFile, Span
from transforms.readers.decoding import LINE, Encoding, EncodingFinder, decode
from transforms.readers.limits import ReadLimits, more_than
from transforms.readers.plain_utf8 import is_plain_utf8

CUT_LINE_BYTES = 65_536
"""How much is kept of a line that is longer."""

_BLOCK_BYTES = 2**20


@dataclass(slots=True)  # not frozen: that makes each line three times as slow to make, a third of the time of reading
class TextLine:
    """One line with its end, decoded, and its span; of a line that is cut, `text` is only the beginning."""

    text: str
    span: Span
    is_cut: bool = False

    def too_long(self, limits: ReadLimits) -> str:
        """What is wrong with a line that is cut, as a sentence."""
        size_bytes = self.span[1] - self.span[0]
        return f"a line of {size_bytes} bytes: {more_than('entry_bytes', limits.entry_bytes)}"


@dataclass(slots=True)  # not frozen, as `TextLine`
class Line:
    """One line with its end; of a line longer than the limit, `content` is only the beginning."""

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
        if is_plain_utf8(path):
            return Encoding("utf-8", finder.mark_bytes)
        file.seek(finder.mark_bytes)
        while block := file.read(_BLOCK_BYTES):
            finder.add(block)
    return finder.encoding()


def text_lines(raw_file: RawFile, encoding: Encoding) -> Iterator[TextLine]:
    r"""The lines of a file after its byte order mark, in bounded memory but in UTF-16 and UTF-32, which are read whole.

    Only \n, \r\n and \r end a line. A bad byte stands in the text as a lone surrogate. A line longer than
    `limits.entry_bytes` is cut.

    Raises:
        ReadError: `document_too_large`, of a file that must be read whole.
    """
    if encoding.name.startswith(("utf-16", "utf-32")):
        decoded = decode(raw_file.whole_bytes())
        edges = [0, *(line.end() for line in LINE.finditer(decoded.text))]
        for start, end, span in zip(edges, edges[1:], decoded.spans(edges), strict=False):
            yield TextLine(decoded.text[start:end], span)
        return
    # In all other encodings the bytes of line ends are never part of another character.
    name, errors = encoding.name, encoding.errors
    for line in byte_lines(raw_file.path, encoding.mark_bytes, raw_file.limits.entry_bytes):
        content, start, size_bytes = line.content, line.start, line.size_bytes
        is_cut = len(content) < size_bytes  # as `line.is_cut`, without a call a line
        # A cut may go through a character.
        yield TextLine(content.decode(name, "replace" if is_cut else errors), (start, start + size_bytes), is_cut)


def byte_lines(path: Path, start: int, limit_bytes: int) -> Iterator[Line]:
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
            if len(rest) > limit_bytes:
                head = head or rest[:CUT_LINE_BYTES]
                kept = rest[-1:] if rest.endswith(b"\r") else b""
                cut_bytes += len(rest) - len(kept)
                rest = kept
    if rest or cut_bytes:
        yield Line(head or rest, start, cut_bytes + len(rest))
