"""This module finds the numbers of a title: "Part II" and "Part 2" say the same, "Part I" does not."""

from __future__ import annotations

import polars as pl

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    ("tenth", "eleventh", "twelfth", *(f"{word}teenth" for word in ("thir", "four", "fif", "six", "seven", "eigh", "nine"))),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_COMPOUNDS = {
    f"{tens} {word}": str(10 * value + unit)
    for value, tens in enumerate(_TENS, start=2)
    for words in (_UNITS, _ORDINALS)
    for unit, word in enumerate(words, start=1)
}
_WORDS = {
    **{word: str(value) for words in (_UNITS, _ORDINALS) for value, word in enumerate(words, start=1)},
    **{word: str(value) for words in _TEENS for value, word in enumerate(words, start=10)},
    **{word: str(10 * value) for value, word in enumerate(_TENS, start=2)},
    **{f"{word[:-1]}ieth": str(10 * value) for value, word in enumerate(_TENS, start=2)},
}
_ABBREVIATIONS = {"vol": "volume", "pt": "part"}
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
_NUMBER = r"\b(?:\d+|i{1,3}|iv|vi{0,3}|ix|(?:part|volume|phase|group|case|type|appendix|chapter|section) [a-f])\b"
_NUMERAL = r"(?:\d{1,2}|[ivx]{1,4}|[a-f]|one|two|three|four|five|first|second|third)"
_PART = (
    rf"(?i)\b(?:parts?|pt\.?|volume|vol\.?|chapter|installment|episode|lecture|section|book)\s*(?:no\.? ?)?{_NUMERAL}\b|"
    r"\b(?:first|second|third) part\b|(?:[,.:]|\s[–-])\s+\(?(?:i{1,3}|iv|v|vi{1,3}|ix|\d{1,2})[).:]*(?:\s|$)|"
    r"\s(?:ii|iii|iv|vi{1,3})[.:]|"
    r"\s(?:i{1,3}|iv|vi{1,3}|\((?:\d{1,2}|i{1,3}|iv|vi{0,3})\))\s*$"
)
_NO_PART = r"(?i)\b(?:phase|type|class|grade|stage|level|factor|category|trial)s? (?:i{1,3}|iv|v|\d+)\b"


def may_have_numbers(words: pl.Series) -> pl.Series:
    """Whether the words of a title may hold a number, a numeral or the word "part": those of which the rest here is asked.

    >>> may_have_numbers(pl.Series(["part b", "ice iii", "2 rivers", "warm ice"])).to_list()
    [True, True, True, False]
    """
    counted = "part|volume|book|section|phase|group|case|type|appendix|chapter|lecture|installment|episode"
    return words.str.contains(rf"\d|\b(?:{counted}|[ivx]{{1,4}})\b")


def numbers_as_digits(words: pl.Expr) -> pl.Expr:
    """The words of a title (see `words_key`) with number words as digits, digits without ordinal endings, in one piece.

    >>> titles = pl.Series(["the twenty first workshop", "10 000 women in the 21st century", "levant trade vol two pt 3"])
    >>> pl.select(numbers_as_digits(pl.lit(titles))).to_series().to_list()
    ['the 21 workshop', '10000 women in the 21 century', 'levant trade volume 2 part 3']
    """
    return words.map_batches(_with_digits, return_dtype=pl.String, is_elementwise=True)


def title_numbers(title_words: pl.Expr) -> pl.Expr:
    """The numbers among the words of a title (see `numbers_as_digits`), in its order; Roman numerals up to nine count.

    A part may be counted by letter.

    >>> titles = pl.Series(["soft matter part ii 2019", "10000 women in the 21 century", "the part b"])
    >>> pl.select(title_numbers(pl.lit(titles))).to_series().to_list()
    [['2', '2019'], ['10000', '21'], ['part b']]
    """
    return title_words.str.extract_all(_NUMBER).list.eval(pl.element().replace(_ROMAN))


def is_part(title: pl.Expr) -> pl.Expr:
    """Whether a title says that it is one part of several ("… Part II", "… III", "… 2. …").

    >>> titles = pl.Series(
    ...     ["Soft matter, part II", "Quantum walks. III", "Ratings. 2. Scales", "Mirrors (2)", "A phase III trial", "Type 2"]
    ... )
    >>> pl.select(is_part(pl.lit(titles))).to_series().to_list()
    [True, True, True, True, False, False]
    """
    return title.str.replace_all(_NO_PART, "").str.contains(_PART)


def _with_digits(words: pl.Series) -> pl.Series:
    spelled = "|".join((*_WORDS, *_ABBREVIATIONS))
    rows = words.str.contains(rf"\b(?:{spelled}|\d+(?:st|nd|rd|th)|000)\b").fill_null(False).arg_true()
    if not len(rows):
        return words
    # Each word within two spaces: the patterns then match whole words only.
    spaced = " " + words.gather(rows).str.replace_all(" ", "  ", literal=True) + " "
    compound = spaced.str.replace_many({f" {tens.replace(' ', '  ')} ": f" {value} " for tens, value in _COMPOUNDS.items()})
    digits = compound.str.replace_many({f" {word} ": f" {value} " for word, value in {**_WORDS, **_ABBREVIATIONS}.items()})
    single = digits.str.replace_all("  ", " ", literal=True).str.strip_chars(" ")
    joined = single.str.replace_all(r"\b(\d+)(?:st|nd|rd|th)\b", "$1").str.replace_all(r"\b(\d{1,3}) 000\b", "${1}000")
    return words.clone().scatter(rows, joined)
