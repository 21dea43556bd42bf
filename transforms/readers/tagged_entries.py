"""This module takes tagged text apart into entries, line by line, and entries into the values of their tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from transforms.readers.base import REJECT_TEXT_CHARACTERS
from transforms.readers.streaming import TextLine
from transforms.readers.tagged_dialect import Dialect

SPACE = " \t\r\n"

MAX_ENTRY_LINES = 1_000_000
"""More lines are no entry, whatever their size: each costs a hundred bytes of memory. A paper of 5,000 authors has 10,000."""

_TYPE_WORD = re.compile(r"[\w -]{0,30}[\r\n]*\Z")


@dataclass(slots=True)
class Entry:
    """An entry as its lines come: its tags with the lines of their values, and the beginning of its text."""

    line_number: int
    start: int
    end: int
    is_loose: bool = False
    is_lower: bool = False
    keeps_blanks: bool = False
    is_after_blank: bool = False
    is_too_large: bool = False
    line_count: int = 0
    head_characters: int = 0
    head: list[str] = field(default_factory=list)
    openers: list[str] = field(default_factory=list)
    parts: list[tuple[str, list[str]]] = field(default_factory=list)

    def add(self, line: TextLine, limit_bytes: int) -> None:
        """Takes a line into the entry's place and size; of an entry that is too large no values are kept."""
        self.end = end = line.span[1]
        self.line_count = count = self.line_count + 1
        if self.head_characters < REJECT_TEXT_CHARACTERS:
            self.head.append(line.text)
            self.head_characters += len(line.text)
        if end - self.start > limit_bytes or line.is_cut or count > MAX_ENTRY_LINES:
            self.is_too_large = True
            self.parts.clear()

    def raw(self, dialect: Dialect) -> dict[str, object]:
        """The values of its tags as given, without the padding and line ends around them; a tag that repeats has a list."""
        values: dict[str, list[str]] = {}
        for tag, lines in self.parts:
            known = values.get(tag)
            if known is None:
                known = values[tag] = []
            if len(lines) == 1:
                known.append(lines[0].strip(SPACE))
                continue
            stripped = [text for line in lines if (text := line.strip(SPACE))]
            if tag in dialect.lines_are_values:
                known.extend(stripped)
            else:
                known.append(dialect.fold.join(stripped))
        return {
            tag: given[0] if len(given) == 1 else given
            for tag, given in values.items()
            if tag not in dialect.closes or any(given)
        }


def pieces(dialect: Dialect, lines: Iterable[TextLine], limit_bytes: int) -> Iterator[Entry | TextLine]:
    """The entries among the lines of a text, and the lines outside of them, in order."""
    match, parts, opens, closes = dialect.tag.match, dialect.parts, dialect.opens, dialect.closes
    takes_loose = dialect.loose_tag is not None
    entry: Entry | None = None
    for number, line in enumerate(lines, 1):
        text = line.text
        if parts is not None and parts.match(text):
            if entry is not None:
                yield entry
                entry = None
            yield line
            continue
        is_loose, found = False, match(text)
        if found is None and takes_loose:
            found = _loose_tag(dialect, text, entry)
            is_loose = found is not None
        if found is None:
            if entry is None:
                yield line
            else:
                _add_further(entry, line, limit_bytes)
            continue
        tag = found[1].upper() if is_loose else found[1]
        is_opener = tag in opens
        if entry is not None and (is_opener or entry.is_after_blank) and _begins_another(dialect, tag, entry):
            yield entry
            entry = None
        if entry is None:
            if not dialect.knows(tag):
                yield line
                continue
            keeps_blanks = tag in dialect.keeps_blanks
            entry = Entry(number, line.span[0], line.span[0], is_loose, is_loose and found[1].islower(), keeps_blanks)
        entry.add(line, limit_bytes)
        if not entry.is_too_large:
            entry.parts.append((tag, [text[found.end() :]]))
        if is_opener:
            entry.openers.append(tag)
        elif tag in closes:
            yield entry
            entry = None
    if entry is not None:
        yield entry


def _loose_tag(dialect: Dialect, text: str, entry: Entry | None) -> re.Match[str] | None:
    """A tag that a careless writer wrote: one that opens or closes an entry, or any in an entry that was opened so."""
    assert dialect.loose_tag is not None, "asked of dialects that have one"
    found = dialect.loose_tag.match(text)
    if found is None:
        return None
    tag = found[1].upper()
    if tag in dialect.opens:
        return found if _TYPE_WORD.match(text, found.end()) else None
    if entry is None:
        return None
    if tag in dialect.closes:
        return found if not text[found.end() :].strip(SPACE) else None
    return found if entry.is_loose and (entry.is_lower or found[1].isupper()) else None


def _begins_another(dialect: Dialect, tag: str, entry: Entry) -> bool:
    """Whether a tag begins another entry: one that opens, if the entry has it already; any, behind a blank line that parts."""
    if tag in dialect.opens and (entry.is_after_blank or tag in entry.openers):
        return True
    return dialect.blank_parts and entry.is_after_blank and not entry.keeps_blanks


def _add_further(entry: Entry, line: TextLine, limit_bytes: int) -> None:
    """Adds a line without a tag, which belongs to the value before it; a blank one only to the entry."""
    entry.add(line, limit_bytes)
    if not line.text.strip(SPACE):
        entry.is_after_blank = True
    elif not entry.is_too_large:
        entry.parts[-1][1].append(line.text)
