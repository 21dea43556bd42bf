"""This module finds its way in JSON text by brackets and quotes alone, without decoding it: also where it is broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_FLAT = r'(?:[^{}\[\]"]++|"(?:[^"\\]++|\\.)*+")*+'
_TOKEN = re.compile(
    rf"""
    (?P<flat> \{{{_FLAT}\}} | \[{_FLAT}\] )     # a container without containers in it: most records are one
    | (?P<opening> [{{\[] )
    | (?P<closing> [}}\]] )
    | (?P<string> "(?:[^"\\]++|\\.)*+" )
    | (?P<unclosed> " )
    | (?P<word> [^\s{{}}\[\]",:]++ )
    """,
    re.VERBOSE | re.DOTALL,
)
"""A part of a JSON text. Every quantifier is possessive, so that no text takes more than linear time."""


_BRACKET = re.compile(
    rf"{_FLAT}(?:(?P<flat>\{{{_FLAT}\}}|\[{_FLAT}\])|(?P<opening>[{{\[])|(?P<closing>[}}\]])|\"|\Z)", re.DOTALL
)
"""A bracket, or a container without containers in it, with all that stands before it."""

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_FLAT_CONTAINER = re.compile(r'\{[^{}\[\]"]*+\}|\[[^{}\[\]"]*+\]')
_LEFT_OVER = re.compile(r'[{}\[\]"]')
_WORD = re.compile(r"[^\s,:]++")

_MAX_FLATTENED = 20
"""How often the innermost containers are taken out to count values; what nests deeper is counted token by token."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: its name, and where its value begins and ends; `end` is None where the text ends before."""

    name: str
    start: int
    end: int | None


def value_end(text: str, start: int) -> int | None:
    """Where the container that begins at `start` ends, None where its brackets or quotes do not close.

    >>> value_end('[{"a": "]"}, 1], 2', 0)
    15
    """
    opened: list[str] = []
    for bracket in _BRACKET.finditer(text, start):
        kind = bracket.lastgroup
        if kind == "opening":
            opened.append(bracket["opening"])
        elif kind == "closing":
            if not opened or opened.pop() + bracket["closing"] not in ("{}", "[]"):
                return None
        elif kind is None:  # a quote that does not close, or the end
            return None
        if not opened:
            return bracket.end()
    return None


def count_values(text: str, start: int, end: int) -> int:
    """How many values stand side by side in a piece of text, such as the inside of an array.

    >>> count_values('{"a": [1, 2]}, 3, "x, y", null', 0, 30)
    4
    """
    bare = _STRING.sub(" 0 ", text[start:end])
    for _ in range(_MAX_FLATTENED):
        bare, count = _FLAT_CONTAINER.subn(" 0 ", bare)
        if not count:
            return sum(1 for _ in _values(text, start, end)) if _LEFT_OVER.search(bare) else len(_WORD.findall(bare))
    return sum(1 for _ in _values(text, start, end))


def members(text: str, start: int) -> Iterator[Member]:
    """The members of the object that begins at `start`, as far as the text goes.

    >>> [member.name for member in members('{"title": "A", "authors": [{"name": "B"', 0)]
    ['title', 'authors']
    """
    position = start + 1
    while name := NAME.match(text, position):
        value = _TOKEN.match(text, name.end())
        if value is None:
            return
        end = value.end() if value.lastgroup in ("flat", "string", "word") else value_end(text, value.start())
        yield Member(name_text(name["name"]), value.start(), end)
        if end is None:
            return
        position = end


def elements(text: str, start: int) -> Iterator[tuple[int, int | None]]:
    """Where each element of the array that begins at `start` begins and ends; the end is None where the text ends before.

    >>> list(elements('[null, {"a": 1}, {"b": [', 0))
    [(1, 5), (7, 15), (17, None)]
    """
    position = start + 1
    while separator := _SEPARATOR.match(text, position):
        value = _TOKEN.match(text, separator.end())
        if value is None or value.lastgroup in ("closing", "unclosed"):
            return
        end = value_end(text, value.start()) if value.lastgroup == "opening" else value.end()
        yield value.start(), end
        if end is None:
            return
        position = end


def holds_object(text: str, start: int, end: int) -> bool:
    """Whether an object begins in a piece of text, at any depth.

    >>> holds_object('[1, [{}]]', 0, 9), holds_object('["{"]', 0, 5)
    (True, False)
    """
    # A flat array has no container in it.
    return any(token.group().startswith("{") for token in _TOKEN.finditer(text, start, end))


_SEPARATOR = re.compile(r"[\s,]*+")
NAME = re.compile(r'[\s,]*+(?P<name>"(?:[^"\\]++|\\.)*+")\s*+:\s*+', re.DOTALL)
"""The name of a member, and what stands around it, up to its value."""


def _values(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each value side by side begins and ends; it stops at a bracket or quote that does not match."""
    opened: list[str] = []
    value_start = start
    for token in _TOKEN.finditer(text, start, end):
        kind = token.lastgroup
        if not opened:
            value_start = token.start()
        if kind == "opening":
            opened.append(token.group())
        elif kind == "closing":
            if not opened or opened.pop() + token.group() not in ("{}", "[]"):
                return
        elif kind == "unclosed":
            return
        if not opened:
            yield value_start, token.end()


def name_text(quoted: str) -> str:
    """The name that stands in quotes."""
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        return quoted[1:-1]
