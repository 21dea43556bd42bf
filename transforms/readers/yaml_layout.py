"""This module takes YAML apart into entries by its lines alone, so that each is parsed by itself and a broken one costs itself.

How the entries of a file lie is its layout: a page with front matter, one document, several documents, or lists whose
items begin at one indentation, at the top or under keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.readers.base import REJECT_TEXT_CHARACTERS
from transforms.readers.decoding import LINE
from transforms.readers.streaming import TextLine

SPACE = " \t\r\n"

MAX_ENTRY_LINES = 1_000_000
"""More lines are no entry, whatever their size; see `tagged_entries.MAX_ENTRY_LINES`."""

_MARK = re.compile(r"---[ \t]*(?:#[^\r\n]*)?[\r\n]*\Z")
_END = re.compile(r"(?:---|\.\.\.)[ \t]*[\r\n]*\Z")
_DOCUMENT_END = re.compile(r"\.\.\.[ \t]*[\r\n]*\Z")
_COMMENT = re.compile(r"[ \t]*#|%")
_KEY = re.compile(r"(?:[^\s#\[\]{}&*!|>%@`,'\"?:-][^:\r\n]{0,200}|'[^'\r\n]{1,200}'|\"[^\"\r\n]{1,200}\"):(?=[ \t\r\n]|\Z)")
_ITEM = re.compile(r"( *)-(?=[ \t\r\n]|\Z)")


@dataclass(frozen=True, slots=True)
class Layout:
    """How entries lie: `form` is `front matter`, `citation file`, `document`, `documents`, `list` or `objects under keys`.

    `indent` is where the items of a list begin.
    """

    form: str
    indent: int = 0


@dataclass(slots=True)
class Piece:
    """Lines that belong together: an entry (`kind` is `entry`) or furniture of a kind."""

    kind: str
    line_number: int
    start: int
    end: int
    key: str = ""
    is_too_large: bool = False
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its text; of an entry that is too large only the beginning."""
        return "".join(self.texts)

    def add(self, line: TextLine, limit_bytes: int) -> None:
        """Takes a line."""
        self.end = line.span[1]
        if self.is_too_large:
            return
        self.texts.append(line.text)
        if self.end - self.start > limit_bytes or line.is_cut or len(self.texts) > MAX_ENTRY_LINES:
            self.is_too_large = True
            head = self.text[:REJECT_TEXT_CHARACTERS]
            self.texts = [head]


def find_layout(lines: list[str]) -> Layout | None:
    """The layout that the first lines of a file speak for; None where they are no YAML that could hold entries.

    A document may yet hold lists: see `list_indents`.

    >>> find_layout(["- title: A\\n"])
    Layout(form='list', indent=0)
    >>> find_layout(["---\\n", "title: A\\n", "---\\n", "Text.\\n"])
    Layout(form='front matter', indent=0)
    """
    filled = [line for line in lines if line.strip(SPACE) and not _COMMENT.match(line)]
    ends = [number for number, line in enumerate(filled) if _END.match(line)]
    begin = 1 if ends and ends[0] == 0 else 0
    first = filled[begin] if len(filled) > begin else ""
    if item := _ITEM.match(first):
        return Layout("list", len(item[1]))
    if not _KEY.match(first):
        return None
    if any(line.startswith("cff-version:") for line in filled) and any(line.startswith("title:") for line in filled):
        return Layout("citation file")
    end = ends[begin] if len(ends) > begin else len(filled)
    rest = filled[end + 1 :]
    if rest and _is_document(filled[:end], rest):
        return Layout("documents")
    return Layout("front matter" if _MARK.match(lines[0]) and end < len(filled) else "document")


def entry_text(layout: Layout, text: str) -> str:
    """The text of an entry without the marks around front matter."""
    if layout.form != "front matter":
        return text
    lines = LINE.findall(text)
    return "".join(lines[1:-1] if _END.match(lines[-1]) else lines[1:])


def top_key(line: str) -> str:
    """The key at the top of the document that a line begins with, without quotes; empty where there is none.

    >>> top_key("'lee:2024':\\n"), top_key("  title: A")
    ('lee:2024', '')
    """
    key = _KEY.match(line)
    return line[: key.end() - 1].strip(" '\"") if key else ""


def list_indents(lines: list[str]) -> list[int]:
    """The indentations at which the items of a list under a top key begin, in order of appearance."""
    found: dict[int, None] = {}
    is_behind_key = False
    for line in lines:
        if not line.strip(SPACE) or _COMMENT.match(line):
            continue
        if is_behind_key and (item := _ITEM.match(line)):
            found[len(item[1])] = None
        key = _KEY.match(line)
        is_behind_key = key is not None and not line[key.end() :].split("#")[0].strip(SPACE)
    return list(found)


def pieces(layout: Layout, lines: Iterable[TextLine], limit_bytes: int) -> Iterator[Piece]:
    """The lines of a file, taken together to entries and furniture; they cover it, in order."""
    walker = _Walker(layout)
    piece: Piece | None = None
    for number, line in enumerate(lines, 1):
        kind, begins = walker.place(line.text)
        if piece is None or begins or kind != piece.kind or (kind != "entry" and len(piece.texts) >= _MAX_FURNITURE_LINES):
            if piece is not None:
                yield piece
            piece = Piece(kind, number, line.span[0], line.span[0], walker.key)
        piece.add(line, limit_bytes)
    if piece is not None:
        yield piece


_MAX_FURNITURE_LINES = 1_000


@dataclass(slots=True)
class _Walker:
    """Says of each line what it belongs to, and whether something begins with it."""

    layout: Layout
    key: str = ""
    is_inside: bool = False
    is_over: bool = False

    def place(self, text: str) -> tuple[str, bool]:
        """The kind of piece that a line belongs to, and whether it begins a new one."""
        if self.layout.form == "list":
            return self._in_list(text)
        if self.layout.form == "objects under keys":
            return self._under_keys(text)
        if self.layout.form == "front matter":
            return self._in_page(text)
        return self._in_document(text)

    def _in_list(self, text: str) -> tuple[str, bool]:
        item = _ITEM.match(text)
        if item and len(item[1]) == self.layout.indent:
            self.is_inside = True
            return "entry", True
        is_blank = not text.strip(SPACE)
        indent = len(text) - len(text.lstrip(" "))
        if self.is_inside and (is_blank or indent > self.layout.indent):
            return "entry", False
        if is_blank:
            return "separator", False
        if _COMMENT.match(text):
            # A comment between items ends none: the item may go on below it.
            return ("entry", False) if self.is_inside else ("comment", False)
        self.is_inside = False
        if _END.match(text) or _MARK.match(text):
            return "document_mark", False
        self.key = top_key(text) or self.key
        return "other_key", False

    def _under_keys(self, text: str) -> tuple[str, bool]:
        if _KEY.match(text):
            self.is_inside = True
            return "entry", True
        if self.is_inside and not _END.match(text):
            return "entry", False
        self.is_inside = False
        if not text.strip(SPACE):
            return "separator", False
        return ("comment" if _COMMENT.match(text) else "document_mark" if _END.match(text) else "text"), False

    def _in_page(self, text: str) -> tuple[str, bool]:
        if self.is_over:
            return "body", False
        if self.is_inside:
            self.is_over = _END.match(text) is not None
            return "entry", False
        if _MARK.match(text):
            self.is_inside = True
            return "entry", True
        return ("comment" if text.strip(SPACE) else "separator"), False

    def _in_document(self, text: str) -> tuple[str, bool]:
        if _MARK.match(text) or _DOCUMENT_END.match(text):
            self.is_inside = False
            return "document_mark", False
        if self.is_inside:
            return "entry", False
        if not text.strip(SPACE):
            return "separator", False
        if _COMMENT.match(text):
            return "comment", False
        self.is_inside = True
        return "entry", True


def _is_document(first: list[str], second: list[str]) -> bool:
    """Whether a text behind a document is another one like it: it begins with a key of the first."""
    keys = {key[0] for line in first if (key := _KEY.match(line))}
    found = _KEY.match(next((line for line in second if not _END.match(line)), ""))
    return found is not None and found[0] in keys
