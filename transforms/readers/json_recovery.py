"""This module gets over a broken entry of a JSON document: reads it more leniently, or finds where the next one begins."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from transforms.readers.base import ReadError
from transforms.readers.columns import has_paper_columns
from transforms.readers.json_values import JsonDecoder

MAX_CANDIDATES = 200
"""How many places are looked at where the next entry may begin."""

_ENTRY_CHARACTERS = 2**20
"""Longest entry that is recognised after a broken one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an array: its place in the text, and its value, or what is wrong with it.

    `key` is its name in an object; `text` its text, where that is no longer held.
    """

    start: int
    end: int
    value: object = None
    reason: str = ""
    message: str = ""
    key: str | None = None
    text: str | None = None


def leniently(decoder: JsonDecoder, text: str, broken: Entry, end: int) -> tuple[Entry, JsonDecoder] | None:
    """The entry with control characters in its strings, or with commas behind the last of its values; None if still broken.

    The decoder is the one to go on with: a file that has control characters once has them often.
    """
    lenient = JsonDecoder(is_strict=False)
    with suppress(ReadError):  # it is repaired below
        value, lenient_end = lenient.decode(text, broken.start)
        if lenient_end == end:
            return Entry(broken.start, end, value, key=broken.key), lenient
    repaired = _TRAILING_COMMA.sub(lambda found: found["string"] or "", text[broken.start : end])
    try:
        value, repaired_end = decoder.decode(repaired)
    except ReadError:
        return None
    return (Entry(broken.start, end, value, key=broken.key), decoder) if repaired_end == len(repaired) else None


def following_entry(decoder: JsonDecoder, text: str, start: int, end: int, names: frozenset[str]) -> int | None:
    """Where, before `end`, an object begins that is like the entries before; what is nested in them is not."""
    for count, candidate in enumerate(_CANDIDATE.finditer(text, start, end)):
        if count == MAX_CANDIDATES:
            break
        begin = candidate.end() - 1
        try:
            value, _ = decoder.decode(text[begin : begin + _ENTRY_CHARACTERS])
        except ReadError:
            continue
        if isinstance(value, dict) and _is_alike(frozenset(value), names):
            return begin
    return None


_CANDIDATE = re.compile(r"[,\n\]}]\s*+\{")
_TRAILING_COMMA = re.compile(r'(?P<string>"(?:[^"\\]++|\\.)*+")|,(?=\s*+[}\]])', re.DOTALL)


def _is_alike(found: frozenset[str], names: frozenset[str]) -> bool:
    """Whether an object is like an entry: half of the names are shared, or it names a paper where no entry is known."""
    if not names:
        return has_paper_columns(list(found))
    return 2 * len(found & names) >= len(found | names)
