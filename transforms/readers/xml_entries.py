"""This module takes an XML file of any size apart into its record elements, by their tags alone, in bounded memory.

No document is parsed here: a broken entry ends where the next one begins, a declaration of entities is never looked at, and
two roots, none, or text around them cost nothing.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from transforms.readers.base import REJECT_TEXT_CHARACTERS, RawFile
from transforms.readers.decoding import Encoding
from transforms.readers.limits import more_than

COMMENT, CDATA = (b"<!--", b"-->"), (b"<![CDATA[", b"]]>")

_BLOCK_BYTES = 2**20
_TAG_BYTES = 2**20
"""How much of a start tag is looked at to see whether it closes itself; a longer one does not."""
_TOKEN_BYTES = 300
"""More than any token that is searched for is long: a prefix, a name, the space behind a name in an end tag."""
_TAG_REST = re.compile(rb"(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+>")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The elements that matter in a file, by local name.

    `records` are the entries. `parts` are elements between them that say something of those that follow, given whole where
    no record is open; of `marks` only the start tag is given, and no record goes on beyond it.
    """

    records: tuple[str, ...]
    parts: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()

    def token(self) -> str:
        """A pattern of what follows a `<`: a comment or CDATA section, or a tag's slash and local name; four groups."""
        names = "|".join(map(re.escape, (*self.records, *self.parts, *self.marks)))
        return rf"(?:(!--)|(!\[CDATA\[)|(/?)(?:[A-Za-z_][\w.-]{{0,60}}+:)?({names})(?=[\s/>]))"


@dataclass(frozen=True, slots=True)
class Entry:
    """One element as its bytes stand in the file; `fault` is a reason code and a sentence where it is not whole."""

    name: str
    content: bytes
    fault: tuple[str, str] | None = None


def xml_blocks(raw_file: RawFile, encoding: Encoding) -> Iterator[bytes]:
    """The bytes of a file after its byte order mark, block by block; UTF-16 and UTF-32 as UTF-8."""
    is_wide = encoding.name.startswith(("utf-16", "utf-32"))
    decoder = codecs.getincrementaldecoder(encoding.name)("surrogatepass")
    with raw_file.path.open("rb") as file:
        file.seek(encoding.mark_bytes)
        while block := file.read(_BLOCK_BYTES):
            yield decoder.decode(block).encode("utf-8", "surrogatepass") if is_wide else block


def last_ends(blocks: Iterable[bytes]) -> dict[bytes, int]:
    """Where the last end of a comment and of a CDATA section stands, -1 for none: what opens after it is never closed."""
    last, offset, tail = {COMMENT[1]: -1, CDATA[1]: -1}, 0, b""
    for block in blocks:
        window = tail + block
        for end in last:
            if (place := window.rfind(end)) >= 0:
                last[end] = offset + place
        tail = window[-2:]
        offset += len(window) - len(tail)
    return last


def closes_itself(tag: bytes) -> bool:
    """Whether a text that begins with a start tag, and ends before the next `<`, has it end in `/>`."""
    rest = _TAG_REST.match(tag, 1, _TAG_BYTES)
    return rest is not None and tag[: rest.end()].endswith(b"/>")


def split_entries(blocks: Iterable[bytes], vocabulary: Vocabulary, ends: dict[bytes, int], limit_bytes: int) -> Iterator[Entry]:
    """The elements of a vocabulary, in file order; an end tag without its beginning is an entry with a fault."""
    yield from _Splitter(blocks, vocabulary, ends, limit_bytes).entries()


class _Splitter:
    """A window that moves over the file; it holds the element that is open, up to the limit, and what is looked at."""

    def __init__(self, blocks: Iterable[bytes], vocabulary: Vocabulary, ends: dict[bytes, int], limit_bytes: int) -> None:
        self._blocks, self._vocabulary, self._ends, self._limit_bytes = iter(blocks), vocabulary, ends, limit_bytes
        self._tokens = _TokenFinder(vocabulary)
        self._buffer, self._base, self._at, self._is_last = b"", 0, 0, False
        self._open: str | None = None
        self._open_at = 0
        self._long_head: bytes | None = None

    def entries(self) -> Iterator[Entry]:
        """The elements."""
        while (token := self._next_token()) is not None:
            start = self._base + token.start()
            self._at = self._base + token.end()
            if token[4]:
                yield from self._tag(token[4].decode(), start, is_end=bool(token[3]))
            else:
                self._pass_over(COMMENT if token[1] else CDATA, start)
        if self._open:
            yield self._close(self._base + len(self._buffer), "the file ends before its end tag")

    def _tag(self, name: str, start: int, *, is_end: bool) -> Iterator[Entry]:
        is_record, is_mark = name in self._vocabulary.records, name in self._vocabulary.marks
        if is_end:
            if name == self._open:
                self._at = self._end_of_tag(start)
                yield self._close(self._at)
            elif self._open is None and is_record:
                message = f"expected <{name}> before </{name}>: its beginning is broken or missing"
                yield Entry(
                    name, self._buffer[start - self._base : self._end_of_tag(start) - self._base], ("broken_xml", message)
                )
            return
        if not is_record and self._open is not None and not (is_mark and self._open in self._vocabulary.records):
            return
        if self._open is not None:
            yield self._close(start, f"<{name}> begins before its end tag")
        end = self._end_of_tag(start)
        tag = self._buffer[start - self._base : end - self._base]
        if is_mark or closes_itself(tag):
            self._at = max(self._at, end)
            yield Entry(name, tag)
        else:
            self._open, self._open_at = name, start

    def _close(self, end: int, problem: str | None = None) -> Entry:
        """The element that is open, which ends here."""
        name, size_bytes, head = self._open or "", end - self._open_at, self._long_head
        start = self._open_at - self._base
        self._open, self._long_head = None, None
        if head is not None or size_bytes > self._limit_bytes:
            limit = more_than("entry_bytes", self._limit_bytes)
            head = head if head is not None else self._buffer[start : start + REJECT_TEXT_CHARACTERS]
            return Entry(name, head, ("entry_too_long", f"a <{name}> of {size_bytes} bytes: {limit}"))
        fault = ("broken_xml", f"expected </{name}>, found that {problem}") if problem else None
        return Entry(name, self._buffer[start : end - self._base], fault)

    def _next_token(self) -> re.Match[bytes] | None:
        while True:
            found = self._tokens.find(self._buffer, self._at - self._base)
            if found is not None:
                return found
            self._at = max(self._at, self._base + len(self._buffer) - _TOKEN_BYTES)
            if not self._read_on():
                return None

    def _pass_over(self, section: tuple[bytes, bytes], start: int) -> None:
        """Goes on after the end of a comment or CDATA section; one that has no end is none."""
        if self._ends[section[1]] < start + len(section[0]):
            return
        while (place := self._buffer.find(section[1], self._at - self._base)) < 0:
            self._at = max(self._at, self._base + len(self._buffer) - 2)
            self._read_on()
        self._at = self._base + place + len(section[1])

    def _end_of_tag(self, start: int) -> int:
        """Where the tag that begins at `start` ends, or the text up to the next `<` where it has no end."""
        while True:
            place = start - self._base
            following = self._buffer.find(b"<", place + 1, place + _TAG_BYTES)
            if following >= 0 or len(self._buffer) >= place + _TAG_BYTES or not self._read_on(start):
                break
        stop = following if following >= 0 else min(len(self._buffer), place + _TAG_BYTES)
        rest = _TAG_REST.match(self._buffer, place + 1, stop)
        return self._base + (rest.end() if rest else stop)

    def _read_on(self, keep: int | None = None) -> bool:
        """Reads the next block, and drops what is no longer needed; False at the end of the file."""
        block = next(self._blocks, b"")
        keep = self._at if keep is None else min(keep, self._at)
        if self._open and self._long_head is None:
            if self._base + len(self._buffer) - self._open_at > self._limit_bytes + _BLOCK_BYTES:
                start = self._open_at - self._base
                self._long_head = self._buffer[start : start + REJECT_TEXT_CHARACTERS]
            else:
                keep = min(keep, self._open_at)
        self._buffer, self._base = self._buffer[keep - self._base :] + block, keep
        return bool(block)


class _TokenFinder:
    """Finds what matters in a text: the beginning of a comment or CDATA section, or a tag of the vocabulary.

    What a token must hold is searched for, and the pattern tried where it stands only: three times as fast as at each `<`. A
    text is searched once for each; where they next stand is kept.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._pattern = re.compile(b"<" + vocabulary.token().encode())
        names = (*vocabulary.records, *vocabulary.parts, *vocabulary.marks)
        self._literals = dict.fromkeys((COMMENT[0], CDATA[0], *(name.encode() for name in names)))
        self._text, self._places = b"", dict[bytes, int]()

    def find(self, text: bytes, start: int) -> re.Match[bytes] | None:
        """The first token that begins at `start` or after it; `start` never goes back in the same text."""
        if text is not self._text:
            self._text, self._places = text, dict.fromkeys(self._literals, -1)
        size = len(text)
        while True:
            first = size
            for literal, place in self._places.items():
                if place < start:
                    found_at = text.find(literal, start)
                    self._places[literal] = found_at if found_at >= 0 else size
                first = min(first, self._places[literal])
            if first >= size:
                return None
            tag = text.rfind(b"<", max(start, first - _TOKEN_BYTES), first + 1)
            if tag >= 0 and (found := self._pattern.match(text, tag)):
                return found
            start = first + 1
