"""This module finds where the entries of a delimited text begin and end, and splits them into cells.

Python's csv module splits the cells, as it infers nothing and tolerates what spreadsheets write. Where entries end is found
by another way, a scan for quotes that are still open at a line's end; the two must agree.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from transforms.readers.limits import ReadLimits, more_than

_ENTRY_CHARACTERS = 2**20
"""Longest entry with line ends in quoted cells. A quote that is open for longer is one that nobody closed."""

_MAX_UNCLOSED = 100
"""How many quotes are looked for beyond their line in vain, at a cost of up to `_ENTRY_CHARACTERS` each; after them none is."""

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)

csv.field_size_limit(2**31 - 1)  # entries are bounded here, by `limits.entry_bytes`


@dataclass(frozen=True, slots=True)
class Quoting:
    r"""How a file marks its cells: the delimiter, the quote, and whether a quote within a quoted cell is written `\"`."""

    delimiter: str
    quote: str = '"'
    is_escaped: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands in the file; `reason` and `message` say what is wrong where it is no row of cells.

    It is lax where text follows a closing quote, which RFC 4180 has no meaning for.
    """

    text: str
    is_lax: bool = False
    reason: str = ""
    message: str = ""

    @property
    def is_closed(self) -> bool:
        """Whether it is a row of cells."""
        return not self.reason


def find_entries(lines: Iterator[str], quoting: Quoting, limits: ReadLimits) -> Iterator[Entry]:
    """The entries, each one or more lines; empty lines are none.

    The lines are given as `readline(limits.entry_bytes)` gives them, a longer one in pieces. Where a quote is never closed,
    or is closed by a quote that stands inside another cell, only its first line is lost, and the lines after it are looked at
    again.
    """
    quotes, waiting, unclosed_count = _Quotes(quoting), deque[str](), 0
    quote, limit = quoting.quote, limits.entry_bytes

    def upcoming() -> str:
        return waiting.popleft() if waiting else next(lines, "")

    while line := upcoming():
        if not line.strip("\r\n"):
            continue
        if len(line) >= limit:
            message = f"a line whose characters are {more_than('entry_bytes', limit)}; its beginning is kept"
            yield Entry(line, False, "entry_too_long", message)
            while line and line[-1] not in "\r\n":
                line = upcoming()
            continue
        if quote not in line or quotes.is_strict(line):
            yield Entry(line)
            continue
        if quotes.is_lax(line):
            yield Entry(line, is_lax=True)
            continue
        taken, is_closed = [line], False
        if unclosed_count < _MAX_UNCLOSED:
            taken, is_closed = _quoted(line, upcoming, quotes, min(limit, _ENTRY_CHARACTERS))
        if is_closed:
            yield Entry("".join(taken))
            continue
        unclosed_count += 1
        yield Entry(line, False, "unclosed_quote", "a quote is opened in this line and not closed")
        waiting.extendleft(reversed(taken[1:]))


def split_cells(entries: Sequence[Entry], quoting: Quoting) -> list[list[str] | None]:
    """The cells of each entry, None where its quotes are not closed.

    Raises:
        ValueError: the csv module and the scan for open quotes do not agree on where entries end.
    """
    texts = [entry.text for entry in entries if entry.is_closed]
    plain = [_doubled(text, quoting.quote) for text in texts] if quoting.is_escaped else texts
    rows = list(csv.reader(plain, delimiter=quoting.delimiter, quotechar=quoting.quote))
    if len(rows) != len(texts):
        raise ValueError(f"{len(texts)} entries were read as {len(rows)} rows")
    cells = iter(rows)
    return [_as_given(entry, next(cells), quoting) if entry.is_closed else None for entry in entries]


def _doubled(text: str, quote: str) -> str:
    r"""A text with each `\"` as `""`; any other backslash is the text's own, as in LaTeX."""
    return _ESCAPED.sub(lambda escaped: quote * 2 if escaped[1] == quote else escaped[0], text)


def _as_given(entry: Entry, cells: list[str], quoting: Quoting) -> list[str]:
    """The cells, with their quotes where these are part of the text, as in `"Smart" pebbles`, which csv would drop."""
    if not entry.is_lax:
        return cells
    literal = next(csv.reader([entry.text], delimiter=quoting.delimiter, quoting=csv.QUOTE_NONE))
    return literal if len(literal) == len(cells) else cells


class _Quotes:
    """Tells where a quoted cell ends, by the rules of the csv module: a quote counts only at the beginning of a cell."""

    def __init__(self, quoting: Quoting) -> None:
        self.quote = quoting.quote
        mark, quote = re.escape(quoting.delimiter), re.escape(quoting.quote)
        inner = rf"(?:[^{quote}\\]++|{quote}{quote}|\\.)*+" if quoting.is_escaped else rf"(?:[^{quote}]++|{quote}{quote})*+"
        rest = inner + quote
        plain = rf"(?!{quote})[^{mark}\r\n]*+"
        strict, lax = rf"(?:{quote}{rest}(?=[{mark}\r\n]|\Z)|{plain})", rf"(?:{quote}{rest}[^{mark}\r\n]*+|{plain})"
        strict_cells, lax_cells = (rf"{cell}(?:{mark}{cell})*+[\r\n]*+" for cell in (strict, lax))
        self.is_strict = re.compile(strict_cells, re.DOTALL).fullmatch
        self.is_lax = re.compile(lax_cells, re.DOTALL).fullmatch
        self.is_closing = re.compile(rf"{rest}(?:{mark}{lax_cells}|[\r\n]*+)", re.DOTALL).fullmatch
        self.is_astray = re.compile(rf"{rest}[^{mark}\r\n]", re.DOTALL).match


def _quoted(line: str, upcoming: Callable[[], str], quotes: _Quotes, limit: int) -> tuple[list[str], bool]:
    """The lines of an entry whose first line leaves a quote open, and whether it is closed in the end."""
    taken, size = [line], len(line)
    while size <= limit and (more := upcoming()):
        taken.append(more)
        size += len(more)
        if quotes.quote in more:
            if quotes.is_closing(more):
                return taken, True
            if quotes.is_astray(more):
                break
    return taken, False
