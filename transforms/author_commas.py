"""This module tells what commas mean in one author list: names side by side, or family and given names in turns."""

from __future__ import annotations

import re

import polars as pl

from transforms.person_names import is_initials

_WORD = r"[^\s,;]+"
_FAMILY = r"(?:(?:van|von|der|den|de|del|di|da|dos|la|le)\s+){0,3}[^\s,;]+"
TURNS = rf"^\s*{_FAMILY},\s*{_WORD}(?:\s{_WORD}){{0,2}}(?:,\s*{_FAMILY},\s*{_WORD}(?:\s{_WORD}){{0,2}})+\s*$"
"""A list whose every other piece is one word: "Lee, Ann, Li, Bo"."""

_SUFFIX = re.compile(r"(?:Jr|Sr)\.?|I{2,3}|IV")
_INVERTED = r"^\s*(?:[^\s,]+\s*,\s*[^,]+|[^,]+,\s*[^\s,]+)\s*$"
_SIDE_BY_SIDE = rf"^\s*{_WORD}(?:\s+{_WORD})+(?:\s*,\s*{_WORD}(?:\s+{_WORD})+){{2,}}\s*$"


def two_names_are_likely(lists: pl.Series) -> bool:
    """Whether "Ann Lee, Bo Li" are two names rather than one inverted, as the other lists with commas tell.

    >>> two_names_are_likely(pl.Series(["Ann Lee, Bo Li, Cy Day", "Di Fox, Ed Gay"]))
    True
    >>> two_names_are_likely(pl.Series(["Lee, Ann"]))
    False
    """
    return bool(lists.str.contains(_SIDE_BY_SIDE).sum() > lists.str.contains(_INVERTED).sum())


def mostly_take_turns(lists: list[list[str]]) -> bool:
    """Whether family and given names take turns in lists of pieces: all even, every other piece of one word, some of more.

    Lists of one family name an author are uneven here and there; "Lee, Li" alone is one inverted name.

    >>> mostly_take_turns([["Lee", "Ann", "Li", "Bo"], ["Day", "Cy"]])
    True
    >>> mostly_take_turns([["Lee", "Li", "Day"], ["Fox", "Gay"]])
    False
    """
    firsts = [piece.strip() for pieces in lists for piece in pieces[::2]]
    seconds = [piece.strip() for pieces in lists for piece in pieces[1::2]]
    are_even = sum(len(pieces) % 2 == 0 for pieces in lists) >= 0.95 * len(lists)
    single = sum(re.fullmatch(_FAMILY, piece) is not None for piece in firsts) >= 0.9 * len(firsts)
    return are_even and single and all(seconds) and not any(map(_SUFFIX.fullmatch, seconds))


def paired_names(pieces: list[str]) -> list[str]:
    """The names of the pieces of "Lee, A., Li, B., Jr."."""
    names: list[str] = []
    for piece in pieces:
        is_given = is_initials(piece) and names and "," not in names[-1]
        if is_given or (names and _SUFFIX.fullmatch(piece)):
            names[-1] += f", {piece}"
        else:
            names.append(piece)
    return names


def names_by_commas(pieces: list[str], text: str, *, two_are_names: bool) -> list[str]:
    """The names of a list that has nothing but commas, by the pattern of all its pieces; else the text as one name.

    >>> names_by_commas(["Ann Lee", "Bo Li", "Cy Day"], "Ann Lee, Bo Li, Cy Day", two_are_names=False)
    ['Ann Lee', 'Bo Li', 'Cy Day']
    >>> names_by_commas(["Lee", "Ann", "Li", "Bo"], "Lee, Ann, Li, Bo", two_are_names=False)
    ['Lee, Ann', 'Li, Bo']
    >>> names_by_commas(["Garcia Lopez", "Ana Maria"], "Garcia Lopez, Ana Maria", two_are_names=False)
    ['Garcia Lopez, Ana Maria']
    """
    pieces = [piece.strip() for piece in pieces]
    names = paired_names([piece for piece in pieces if piece])
    has_family = [len(name.split()) > 1 for name in names]
    if len(names) > 1 and all(has_family):
        end_in_initials = all("," in name or is_initials(name.split()[-1]) for name in names)
        if len(names) > 2 or end_in_initials or two_are_names:
            return names
    if len(names) > 2 and has_family[0] and sum(has_family) >= 0.6 * len(names):
        return names  # one of many authors has a single name
    if len(pieces) > 3 and re.fullmatch(TURNS, ", ".join(pieces)):
        return [f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)]
    return [text]
