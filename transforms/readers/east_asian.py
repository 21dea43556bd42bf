"""This module tells texts in the two-byte encodings of Chinese, Japanese and Korean from texts in Western ones.

Most byte sequences are valid in several of them, so that validity alone tells little. What tells is which characters they
stand for: each encoding has its everyday characters in a block of its own, which texts of its language hardly leave.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

MIN_COMMON_RATIO = 0.8
"""Least share of everyday characters among those that are not ASCII. Running text has 0.9 and more."""

MIN_CHARACTERS = 3
"""Fewest characters that tell; two Western letters with accents may stand side by side by chance."""

_MIN_SIGNS_RATIO = 0.15
"""Least share of kana, which Japanese cannot do without."""


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where an encoding has its everyday characters: by their first byte, some of which are `signs` its language needs.

    `are_trails_high` says that the second byte of nearly all of them is A1 or more.
    """

    leads: bytes
    signs: bytes = b""
    are_trails_high: bool = True


def _range(*bounds: int) -> bytes:
    return bytes(code for start, end in zip(bounds[::2], bounds[1::2], strict=True) for code in range(start, end + 1))


_PLANES = {
    "cp932": _Plane(_range(0x81, 0x83, 0x88, 0x97), _range(0x82, 0x83), are_trails_high=False),
    "euc_jp": _Plane(_range(0xA1, 0xA1, 0xA3, 0xA5, 0xB0, 0xCF), _range(0xA4, 0xA5)),
    "cp949": _Plane(_range(0xA1, 0xA1, 0xA3, 0xA3, 0xB0, 0xC8)),
    "gb18030": _Plane(_range(0xA1, 0xA1, 0xA3, 0xA3, 0xB0, 0xD7)),
    "cp950": _Plane(_range(0xA1, 0xA1, 0xA4, 0xC6), are_trails_high=False),
}
"""Of two that fit equally well the first is taken: Korean syllables stand where simplified Chinese has a part of its own."""

ENCODINGS = frozenset(_PLANES)
"""The encodings that are told apart, by Python's name: Shift-JIS, EUC-JP, EUC-KR, GB 18030 (GBK) and Big5, each with the
additions of Windows."""


class EastAsianFinder:
    """Finds which two-byte encoding a text given block by block is in, if any."""

    def __init__(self) -> None:
        """Begins with all encodings as candidates."""
        self._candidates = [_Candidate(name, plane) for name, plane in _PLANES.items()]

    def add(self, block: bytes) -> None:
        """Looks at one more block; an encoding that does not give back its bytes is out."""
        self._candidates = [candidate for candidate in self._candidates if candidate.add(block)]

    def clear(self) -> None:
        """Gives up all candidates, for good."""
        self._candidates = []

    def encoding(self) -> str | None:
        """The encoding of all that was added, None where it is plainly in none."""
        fits = [(candidate.fit(), candidate.name) for candidate in self._candidates]
        best = max(fits, key=lambda pair: pair[0], default=(0.0, ""))
        return best[1] if best[0] >= MIN_COMMON_RATIO else None


class _Candidate:
    """One encoding that the text may be in, and what was counted of its characters that are not ASCII."""

    def __init__(self, name: str, plane: _Plane) -> None:
        self.name = name
        self._plane = plane
        self._decoder = codecs.getincrementaldecoder(name)("strict")
        self._characters = self._common = self._signs = self._high_trails = 0

    def add(self, block: bytes) -> bool:
        """Counts one more block; False where it cannot be of this encoding."""
        waiting = self._decoder.getstate()[0]
        if not waiting and block.isascii():
            return True
        try:
            text = self._decoder.decode(block)
            content = waiting + block
            content = content[: len(content) - len(self._decoder.getstate()[0])]
            if text.encode(self.name) != content:
                return False
        except UnicodeError:
            return False
        characters = _ASCII.sub("", text)
        self._characters += len(characters)
        pairs = _OF_OTHER_LENGTH.sub("", characters).encode("gbk" if self.name == "gb18030" else self.name, "ignore")
        leads, trails = pairs[::2], pairs[1::2]
        self._common += _count_of(leads, self._plane.leads)
        self._signs += _count_of(leads, self._plane.signs)
        self._high_trails += _count_of(trails, _HIGH_TRAILS)
        return True

    def fit(self) -> float:
        """The share of everyday characters, 0 where something else tells that the text is not of this encoding."""
        is_cut = bool(self._decoder.getstate()[0])
        if is_cut or self._characters < MIN_CHARACTERS:
            return 0.0
        if self._plane.signs and self._signs < _MIN_SIGNS_RATIO * self._characters:
            return 0.0
        if self._plane.are_trails_high and self._high_trails < 0.95 * self._characters:
            return 0.0
        return self._common / self._characters


_ASCII = re.compile(r"[\x00-\x7f]+")
_OF_OTHER_LENGTH = re.compile("[\x80-\xa0\uff61-\uff9f]+")
"""Characters of one byte: half-width kana, and what some of the encodings keep of the C1 controls."""

_HIGH_TRAILS = _range(0xA1, 0xFE)


def _count_of(block: bytes, members: bytes) -> int:
    return len(block) - len(block.translate(None, members))
