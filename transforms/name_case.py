"""This module gives readable case to names that a source wrote in capitals or in small letters throughout."""

from __future__ import annotations

import re
from collections.abc import Callable

from transforms.word_sets import word_set

_SMALL_WORDS = word_set(
    "van von der den de del della dela di da das do dos du des la las los ter ten te zu zur zum af av vom und y e"
)
_PART = re.compile(r"[^\W\d_]+")
_VOWEL = re.compile(r"[AEIOUYÀ-ÅÈ-ÏÒ-ÖÙ-ÝĂĀĘĖŐŰ]|[^\x00-\u024F]")
_ROMAN = re.compile(r"I{2,3}|IV|VI{0,3}")
_MC = re.compile(r"\b(Mc)([a-z])")


def readable_name(text: str) -> str:
    """A name in capitals or small letters throughout in the case names have; any other name as it is. Initials stay.

    >>> readable_name("SMITH-O'REILLY, JOHN A"), readable_name("LUDWIG VAN BEETHOVEN"), readable_name("MCDONALD JA")
    ("Smith-O'Reilly, John A", 'Ludwig van Beethoven', 'McDonald JA')
    >>> readable_name("ludwig van beethoven"), readable_name("Wang SS"), readable_name("LI WEI"), readable_name("JK AB")
    ('Ludwig van Beethoven', 'Wang SS', 'Li Wei', 'JK AB')
    """
    if text == text.upper() and text != text.lower() and any(map(_is_name, _PART.findall(text))):
        return _cased(text, _from_capitals)
    if text == text.lower() and text != text.upper() and not any(map(str.isdigit, text)):
        return _cased(text, _from_small)
    return text


def readable_family(family: str) -> str:
    """A family name that capitals mark as such ("Jian LI", "SMITH, John") in the case of other names.

    >>> readable_family("SATO"), readable_family("LI"), readable_family("van der BERG"), readable_family("A. B.")
    ('Sato', 'Li', 'van der Berg', 'A. B.')
    """
    words = family.split(" ")
    return " ".join(capitalised(word) if word.isupper() and len(word) > 1 and "." not in word else word for word in words)


def capitalised(word: str) -> str:
    """A word of a name with its first letter, and those behind hyphens and apostrophes, as capitals.

    >>> capitalised("O'REILLY-MCDONALD")
    "O'Reilly-McDonald"
    """
    return _MC.sub(lambda part: part[1] + part[2].upper(), _PART.sub(lambda part: part[0].capitalize(), word))


def _is_name(part: str) -> bool:
    """Whether letters in capitals are a name rather than initials."""
    return len(part) > 2 and _VOWEL.search(part) is not None and not _ROMAN.fullmatch(part)


def _cased(text: str, cased: Callable[[str, bool, bool], str]) -> str:
    words = text.split(" ")
    return " ".join(cased(word, place == 0, place == len(words) - 1) for place, word in enumerate(words))


def _from_capitals(word: str, is_first: bool, is_last: bool) -> str:
    bare = word.strip(",")
    if bare.lower() in _SMALL_WORDS and not is_first and not is_last:
        return word.lower()
    is_family = (is_first or word.endswith(",")) and len(bare) > 1  # "LI, WEI", "NG J": initials stand behind
    return capitalised(word) if "." not in bare and (_is_name(bare) or is_family or "-" in bare) else word


def _from_small(word: str, is_first: bool, is_last: bool) -> str:
    return word if word in _SMALL_WORDS and not is_first and not is_last else capitalised(word)
