"""This module compares the words of a name with their abbreviations, as ISO 4 and the lists made after it shorten journals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

# Abbreviations that stand for these words alone, whatever else begins with their letters: "Can" is not Cancer.
_ONE_WORD: Mapping[str, tuple[str, ...]] = {
    "am": ("american", "america"),
    "ann": ("annals", "annales", "annual"),
    "assn": ("association",),
    "br": ("british",),
    "can": ("canadian", "canada"),
    "ctr": ("center", "centre"),
    "dept": ("department",),
    "dtsch": ("deutsch", "deutsche", "deutscher", "deutsches"),
    "engng": ("engineering",),
    "fr": ("francais", "francaise", "francaises", "france", "french"),
    "g": ("giornale",),
    "ind": ("industrial", "industry"),
    "int": ("international",),
    "intl": ("international",),
    "j": ("journal",),
    "jl": ("journal",),
    "jnl": ("journal",),
    "jrnl": ("journal",),
    "jpn": ("japanese", "japan"),
    "mgmt": ("management",),
    "mgt": ("management",),
    "mtg": ("meeting",),
    "n": ("new", "north"),
    "nat": ("nature", "natural"),
    "natl": ("national", "nationale"),
    "q": ("quarterly",),
    "r": ("royal",),
    "rsch": ("research",),
    "s": ("south",),
    "sov": ("soviet",),
    "w": ("west",),
    "wkly": ("weekly",),
    "wksp": ("workshop",),
    "zh": ("zhurnal",),
    "z": ("zeitschrift",),
}
_LEAST_LETTERS = 3


def abbreviates(short: str, full: str) -> bool:
    """Whether a word is `full` or short for it: its beginning, or a contraction such as "Natl".

    One letter less is a singular, not an abbreviation: "Science" is not short for "Sciences".

    >>> [abbreviates(*words) for words in (("mach", "machine"), ("natl", "national"), ("can", "cancer"), ("br", "brain"))]
    [True, True, False, False]
    """
    if short == full:
        return True
    if short in _ONE_WORD:
        return full in _ONE_WORD[short]
    return len(short) >= _LEAST_LETTERS and len(full) - len(short) > 1 and full.startswith(short)


def is_abbreviation(short: Sequence[str], full: Sequence[str]) -> bool:
    """Whether words are, one by one, those of a full name or short for them, and at least one is short.

    >>> is_abbreviation(["j", "mach", "learn", "res"], ["journal", "machine", "learning", "research"])
    True
    >>> is_abbreviation(["information", "science"], ["information", "sciences"])
    False
    """
    return len(short) == len(full) > 1 and list(short) != list(full) and all(map(abbreviates, short, full))


class AbbreviatedNames:
    """The full names that abbreviations may stand for, and the id of each: an index by their number of words and initials."""

    def __init__(self, names: Iterable[tuple[Sequence[str], str]]) -> None:
        """Args: names: the words and the id of each full name."""
        self._by_shape: dict[tuple[int, str, str], list[tuple[Sequence[str], str]]] = {}
        for words, name_id in names:
            if words:
                self._by_shape.setdefault(_shape(words), []).append((words, name_id))

    def meant_by(self, words: Sequence[str]) -> str | None:
        """The id of the one name that `words` are or abbreviate; None where there is none, or more than one.

        >>> names = AbbreviatedNames([(["journal", "clinical", "oncology"], "jco")])
        >>> [names.meant_by(words) for words in (["j", "clin", "oncol"], ["j", "clin", "pathol"])]
        ['jco', None]
        """
        if len(words) < 2:
            return None
        near = self._by_shape.get(_shape(words), [])
        equal = {name_id for full, name_id in near if list(full) == list(words)}
        found = equal or {name_id for full, name_id in near if is_abbreviation(words, full)}
        return found.pop() if len(found) == 1 else None


def _shape(words: Sequence[str]) -> tuple[int, str, str]:
    return len(words), words[0][0], words[-1][0]
