"""This module finds where each @block of a BibTeX file begins and ends, in bounded memory and linear time."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from transforms.readers.base import RawFile, Span
from transforms.readers.decoding import Encoding

CUT_BLOCK_CHARACTERS = 65_536
"""How much is kept of a block that is longer than `limits.entry_bytes`."""


class Block(NamedTuple):
    """A piece of a BibTeX file: an @block with the white space behind it, or the text between two of them.

    `kind` is the word behind the @ as given, empty for text between blocks; `body` the text between the outer delimiters.
    `is_closed` says whether the closing delimiter was there, `is_escaped` that it is found only where a brace behind a
    backslash counts as none, `is_cut` that the block is too long and `text` only its beginning. A tuple, as a file has a
    million of them and a frozen dataclass takes four times as long to make.
    """

    text: str
    span: Span
    line: int
    kind: str = ""
    body: str = ""
    is_closed: bool = True
    is_escaped: bool = False
    is_cut: bool = False


def blocks(raw_file: RawFile, encoding: Encoding) -> Iterator[Block]:
    """The blocks of a file after its byte order mark, and the texts between them; together they are all of it."""
    with raw_file.path.open("rb") as file:
        file.seek(encoding.mark_bytes)
        buffer = _Buffer(file.read, encoding, raw_file.limits.entry_bytes)
        yield from buffer.blocks()


def text_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text that is there as a whole; the spans count its characters.

    >>> [(block.kind, block.body) for block in text_blocks("So:\\n@book(a, title={B}) @misc{b")]
    [('', ''), ('book', 'a, title={B}'), ('misc', 'b')]
    """
    yield from _Buffer(lambda _: b"", Encoding("utf-32-le", 0), 2**62, text).blocks()


_BLOCK_BYTES = 2**20
_LOOK_AHEAD = 200
"""How many characters behind a block are looked at before it is taken as ended."""

_WORD = r"@\s*+([A-Za-z][\w:.+-]*+)\s*+([{(])"
_HEAD = re.compile(_WORD)
_LINE_START = r"(?<![^\r\n])[ \t]*+"
_NEXT = re.compile(rf"{_LINE_START}(?:%[^\r\n]*+|(?={_WORD}))|(?<![\w.@\\])(?=@[A-Za-z]++\{{[^\s,{{}}%]*+,)")
"""A line that is commented out, or the place where a block begins: at the start of a line, or within one if a key follows."""

_TEXT = r"(?:[^{}@]++|(?<=\S)@)"
_NESTED = _TEXT
for _ in range(4):
    _NESTED = rf"(?:{_TEXT}|\{{{_NESTED}*+\}})"
_PLAIN_BLOCK = re.compile(rf"\{{{_NESTED}*+\}}")
"""A block in braces, nested four deep as nearly all are, without an @ that may begin another one."""

_EMBEDDED = rf"[\r\n][ \t]*+{_WORD}"
_BRACE = re.compile(rf"([{{}}])|{_EMBEDDED}")
_PARENTHESIS = re.compile(rf'([{{}}")])|{_EMBEDDED}')
_UNESCAPED = re.compile(r"\\[{}]|([{}])")
_GOES_ON = re.compile(r'\s*+,\s*+[A-Za-z][\w-]*+\s*+=\s*+["{\w]')
"""What stands behind a closing brace that is one too many: another field."""

_STRAY_BRACE = re.compile(r"\s*+\}")
_SPACE = re.compile(r"\s*+")
_MAX_IN_COMMENT = 20
"""How many blocks a comment that is not closed may seem to hold. A block that is no comment holds one at most, and only in
the value of a field: what begins like a block at the start of a line most often is the next one, and a brace is missing."""


def _end(text: str, opening: int, kind: str) -> tuple[int, bool] | None:
    """Where the block whose delimiter stands at `opening` ends, and whether it is closed there; None if not in the text."""
    is_brace = text[opening] == "{"
    if is_brace and (plain := _PLAIN_BLOCK.match(text, opening)) and not _GOES_ON.match(text, plain.end()):
        return plain.end(), True
    depth, in_quotes, first, count = 0, False, -1, 0
    allowed = _MAX_IN_COMMENT if kind.lower() == "comment" else 1
    for token in (_BRACE if is_brace else _PARENTHESIS).finditer(text, opening + 1):
        sign = token[1]
        if sign == "{":
            depth += 1
        elif sign == '"':
            in_quotes ^= depth == 0
        elif sign == "}" and depth > 0:
            depth -= 1
        elif sign:
            if depth == 0 and not in_quotes and not _GOES_ON.match(text, token.end()):
                return token.end(), True
        else:
            start, count = token.start() + 1, count + 1
            if depth == 0 and allowed == 1:
                return start, False
            first = first if count > 1 else start
            if count > allowed:
                return first, False
            depth += token[3] == "{"
    return (first, False) if first >= 0 else None


def _escaped_end(text: str, opening: int, end: int) -> int:
    """Where a block in braces ends if no brace behind a backslash counts; -1 where it does not before `end`."""
    depth = 0
    for token in _UNESCAPED.finditer(text, opening, end):
        depth += {"{": 1, "}": -1}.get(token[1], 0)
        if depth == 0:
            return token.end()
    return -1


class _Buffer:
    """The text of a file as far as it is needed, and what was taken of it."""

    def __init__(self, read: Callable[[int], bytes], encoding: Encoding, limit: int, text: str = "") -> None:
        self.read, self.encoding, self.limit = read, encoding, limit
        self.decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
        self.text, self.place, self.is_whole = text, 0, False
        self.offset, self.line = encoding.mark_bytes, 1
        self.is_single_byte = encoding.name in ("cp1252", "latin-1")
        self.counts_characters = bool(text)

    def blocks(self) -> Iterator[Block]:
        """All blocks, and the texts between them."""
        while True:
            if block := self._next():
                yield block
            elif self.is_whole:
                return
            else:
                self._fill()

    def _fill(self) -> None:
        """Reads on: as much as there is already, so that all that is looked at twice stays in proportion."""
        content = self.read(max(_BLOCK_BYTES, len(self.text) - self.place))
        self.is_whole = not content
        self.text = self.text[self.place :] + self.decoder.decode(content, self.is_whole)
        self.place = 0

    def _next(self) -> Block | None:
        if self.place == len(self.text):
            return None
        head = _HEAD.match(self.text, self.place)
        if head is None:
            return self._between()
        opening = head.end() - 1
        found = _end(self.text, opening, head[1])
        if found is None and not self.is_whole:
            return self._skipped(head[1]) if len(self.text) - self.place > self.limit else None
        end, is_closed = found or (len(self.text), False)
        is_escaped = False
        if head[2] == "{" and (not is_closed or _STRAY_BRACE.match(self.text, end)):
            escaped = _escaped_end(self.text, opening, end if not is_closed else end + _LOOK_AHEAD)
            if escaped >= 0:
                end, is_closed, is_escaped = escaped, True, True
        if not self.is_whole and end + _LOOK_AHEAD > len(self.text) <= self.place + self.limit:
            return None
        body = self.text[opening + 1 : end - 1 if is_closed else end]
        space = _SPACE.match(self.text, end)
        return self._taken(space.end() if space else end, head[1], body, is_closed, is_escaped)

    def _between(self) -> Block | None:
        """The text up to the next block, or as much of it as is sure to hold none."""
        for found in _NEXT.finditer(self.text, self.place):
            if self.text.startswith("@", found.end()) and found.end() > self.place:
                return self._taken(found.end())
        if self.is_whole:
            return self._taken(len(self.text))
        size = len(self.text)
        sign = self.text.rfind("@", max(self.place, size - _LOOK_AHEAD))
        end = sign if sign >= 0 else size - 1
        line_start = max(self.text.rfind("\n", self.place, end), self.text.rfind("\r", self.place, end)) + 1
        if line_start > self.place:
            return self._taken(line_start)
        return self._taken(size) if size - self.place > self.limit else None

    def _skipped(self, kind: str) -> Block:
        """The beginning of a block that is too long, and the span of it, up to the next line that begins one."""
        beginning = self.text[self.place : self.place + CUT_BLOCK_CHARACTERS]
        start, line, searched = self.offset, self.line, 1
        embedded = re.compile(_EMBEDDED)
        while True:
            found = embedded.search(self.text, self.place + searched)
            end = found.start() + 1 if found else len(self.text) - (0 if self.is_whole else _LOOK_AHEAD)
            self._taken(max(end, self.place))
            if found or self.is_whole:
                return Block(beginning, (start, self.offset), line, kind, is_closed=False, is_cut=True)
            searched = 0
            self._fill()

    def _taken(self, end: int, kind: str = "", body: str = "", is_closed: bool = True, is_escaped: bool = False) -> Block:
        text = self.text[self.place : end]
        start, line = self.offset, self.line
        self.offset += self._byte_length(text)
        breaks = text.count("\n")
        if "\r" in text:
            breaks += text.count("\r") - text.count("\r\n")
        self.line += breaks
        self.place = end
        return Block(text, (start, self.offset), line, kind, body, is_closed, is_escaped)

    def _byte_length(self, text: str) -> int:
        if self.counts_characters or self.is_single_byte or (self.encoding.name == "utf-8" and text.isascii()):
            return len(text)
        return len(text.encode(self.encoding.name, self.encoding.errors))
