"""This module counts the entries of an XML file another way than by reading them: by its tags, as bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from transforms.readers.xml_entries import CDATA, COMMENT, Vocabulary, closes_itself

_PIECE_BYTES = 2**20
"""How much is waited for until the next `<`; as much as `closes_itself` looks at."""


def count_entries(blocks: Iterable[bytes], vocabulary: Vocabulary, ends: dict[bytes, int]) -> int:
    """How many elements of `vocabulary.records` begin in a file, and how many end that did not begin.

    What stands in a comment or a CDATA section counts as no tag. `ends` says where the last of each ends
    (`xml_entries.last_ends`).
    """
    piece = re.compile(b"<" + vocabulary.token().encode() + b"[^<]*")
    counter, closing = _Counter(vocabulary), b""
    for offset, window in _windows(blocks):
        place = 0
        while True:
            if closing:
                end = window.find(closing, place)
                if end < 0:
                    break
                place, closing = end + len(closing), b""
            found = piece.search(window, place)
            if found is None:
                break
            place = found.end()
            if found[4]:
                counter.add(found[4].decode(), found[0], is_end=bool(found[3]))
                continue
            start, end_mark = COMMENT if found[1] else CDATA
            place = found.start() + len(start)
            closing = end_mark if ends[end_mark] >= offset + place else b""
    return counter.count


class _Counter:
    """The count, and which element is open."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary, self._open, self.count = vocabulary, "", 0

    def add(self, name: str, piece: bytes, *, is_end: bool) -> None:
        """Counts a tag; `piece` is the text from it to the next one."""
        is_record, is_mark = name in self._vocabulary.records, name in self._vocabulary.marks
        if is_end:
            self.count += is_record and not self._open
            self._open = "" if self._open == name else self._open
        elif is_record or not self._open or (is_mark and self._open in self._vocabulary.records):
            self.count += is_record
            self._open = "" if is_mark or closes_itself(piece) else name


def _windows(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The file in pieces that are parted before a `<`, each with its offset; where none comes for long, anywhere."""
    offset, rest = 0, b""
    for block in blocks:
        window = rest + block
        cut = window.rfind(b"<")
        if cut <= 0:
            cut = len(window) - 2 if len(window) > _PIECE_BYTES else 0
        if cut:
            yield offset, window[:cut]
        offset, rest = offset + cut, window[cut:]
    yield offset, rest
