"""This module finds the numbers of a title: "Part II" and "Part 2" say the same, "Part I" does not."""

from __future__ import annotations

import polars as pl

_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    ("tenth", "eleventh", "twelfth", *(f"{word}teenth" for word in ("thir", "four", "fif", "six", "seven", "eigh", "nine"))),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    **{word: str(value) for words in (_ROMAN, _UNITS, _ORDINALS) for value, word in enumerate(words, start=1)},
    **{word: str(value) for words in _TEENS for value, word in enumerate(words, start=10)},
    **{word: str(10 * value) for value, word in enumerate(_TENS, start=2)},
    **{f"{word[:-1]}ieth": str(10 * value) for value, word in enumerate(_TENS, start=2)},
    **{
        f"{tens} {word}": str(10 * value + unit)
        for value, tens in enumerate(_TENS, start=2)
        for words in (_UNITS, _ORDINALS)
        for unit, word in enumerate(words, start=1)
    },
}
_NUMBER = (
    rf"\d+|(?:{'|'.join(_TENS)})(?: (?:{'|'.join((*_UNITS, *_ORDINALS))}))?|{'|'.join(f'{word[:-1]}ieth' for word in _TENS)}|"
    rf"{'|'.join((*_ROMAN, *_UNITS, *_ORDINALS, *_TEENS[0], *_TEENS[1]))}|"
    r"(?:part|volume|phase|group|case|type|appendix|chapter|section) [a-f]"
)
_PART = (
    r"\b(?:parts?|volume|chapter|installment|episode|lecture|paper|report|section|book) (?:number )?"
    r"(?:\d+|[ivx]+|[a-f]|one|two|three|four|first|second|third)\b|\b(?:first|second|third) part\b| (?:ii|iii|iv|vi{1,3}|ix)(?: |$)| i(?: |$)"
)


def title_numbers(title_words: pl.Expr) -> pl.Expr:
    """The numbers among the words of a title (see `words_key`), in its order; Roman numerals and number words count.

    Digits in groups are one number, and a part may be counted by letter.

    >>> titles = pl.Series(["soft matter part ii 2019", "10 000 women in the 21st century", "the twenty first part b"])
    >>> pl.select(title_numbers(pl.lit(titles))).to_series().to_list()
    [['2', '2019'], ['10000', '21'], ['21', 'part b']]
    """
    grouped = title_words.str.replace_all(r"\b(\d{1,3}) (000)\b", "$1$2").str.replace_all(r"\b(\d+)(?:st|nd|rd|th)\b", "$1")
    return grouped.str.extract_all(rf"\b(?:{_NUMBER})\b").list.eval(pl.element().replace(_VALUES))


def is_part(title_words: pl.Expr) -> pl.Expr:
    """Whether a title says that it is one part of several ("… part ii", "… iii: …").

    >>> titles = pl.Series(["soft matter part ii", "quantum walks iii on graphs", "the 4th workshop", "type 2 diabetes"])
    >>> pl.select(is_part(pl.lit(titles))).to_series().to_list()
    [True, True, False, False]
    """
    return title_words.str.contains(_PART)
