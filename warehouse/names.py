"""This module makes the names of files safe to keep and to show, for they are other people's; and guesses at names meant."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from pathlib import PurePosixPath

MAX_NAME_BYTES = 1_000
"""Longest name of a member of an archive that is kept whole."""


def unicode_name(name: str) -> str:
    r"""A file name as text that can be written as UTF-8 and shows as it is.

    Bytes that are no UTF-8, control characters and marks of direction become backslash escapes.

    >>> unicode_name("caf\udce9.csv"), unicode_name("two\nlines"), unicode_name("a\u202evsc.exe")
    ('caf\\udce9.csv', 'two\\x0alines', 'a\\u202evsc.exe')
    """
    if name.isascii() and name.isprintable():
        return name
    return "".join(_escaped(character) for character in name)


def _escaped(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN_CATEGORIES or character in _JOINERS:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))  # control, format, surrogate, line and paragraph separator
_JOINERS = "\u200c\u200d"  # part of the spelling in Persian and the scripts of India


def member_name(name: str) -> str:
    r"""A relative name that leads nowhere else, of one that came with an archive.

    >>> member_name("../../etc/passwd"), member_name("C:\\lists\\a.csv"), member_name("/a//b/./c.csv"), member_name("..")
    ('etc/passwd', 'lists/a.csv', 'a/b/c.csv', 'unnamed')
    """
    parts = [part for part in _DRIVE.sub("", name.replace("\\", "/")).split("/") if part not in ("", ".", "..")]
    safe = unicode_name("/".join(parts)).encode()
    if len(safe) > MAX_NAME_BYTES:
        safe = safe[: MAX_NAME_BYTES // 2] + "…".encode() + safe[-(MAX_NAME_BYTES // 4) :]
    return safe.decode("utf-8", "ignore") or "unnamed"


_DRIVE = re.compile(r"^[A-Za-z]:")


class DistinctNames:
    """Gives every name once, and numbers those that come again.

    >>> names = DistinctNames()
    >>> [names.take(name) for name in ("x/a.csv", "x/a.csv", "x/a_2.csv", "x/a.csv")]
    ['x/a.csv', 'x/a_2.csv', 'x/a_2_2.csv', 'x/a_3.csv']
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._times: Counter[str] = Counter()

    def take(self, name: str) -> str:
        """The name, or where it is taken the name with a number before its suffix."""
        path, distinct = PurePosixPath(name), name
        while distinct in self._taken:
            self._times[name] += 1
            distinct = str(path.with_name(f"{path.stem}_{self._times[name] + 1}{path.suffix}"))
        self._taken.add(distinct)
        return distinct


def did_you_mean(given: str, known: Collection[str], otherwise: str = "") -> str:
    """A question with the known name that is most like the one given; `otherwise`, where none is.

    It begins as `otherwise` does, with a capital or without.

    >>> did_you_mean("papres", ["papers", "records"], "tables are: papers, records")
    "did you mean 'papers'?"
    >>> did_you_mean("papres", ["papers", "records"], "Tables are: papers, records.")
    "Did you mean 'papers'?"
    >>> did_you_mean("works", ["papers", "records"], "tables are: papers, records")
    'tables are: papers, records'
    """
    near = nearest(given, known)
    if near is None:
        return otherwise
    return f"{'Did' if otherwise[:1].isupper() else 'did'} you mean '{near}'?"


def nearest(given: str, known: Collection[str], *, least_ratio: float = 0.6) -> str | None:
    """The known name that is most like the one given; None where none is like it by so much.

    >>> nearest("papres", ["papers", "records"]), nearest("works", ["papers", "records"])
    ('papers', None)
    """
    import difflib  # 6 ms that only a mistake costs

    near = difflib.get_close_matches(given, known, n=1, cutoff=least_ratio)
    return near[0] if near else None
