"""This module derives from titles what matching compares: the words of the core title, its numbers, and what it is."""

from __future__ import annotations

import polars as pl

from transforms.match.title_marks import core_title, may_have_marks, title_edition, title_kind
from transforms.match.title_numbers import is_part, may_have_numbers, numbers_as_digits, title_numbers
from transforms.selective import on_rows
from transforms.text import words_key
from transforms.titles import is_generic_title

_LONGEST_GENERIC = 60
"""No generic title has more letters ("Introduction to the special issue …")."""

_GENERIC_WITHIN = r"^(?:.{0,12}editorscomments?.{0,10}|remarksfrom.{0,45}|.{0,12}editorial(?:notes?|introduction|board).{0,6})$"


def title_features(titles: pl.Series) -> pl.DataFrame:
    """The columns title_words, title_key, title_kind, edition, title_numbers, is_part and is_generic_name, row by row.

    The costly patterns are asked only of titles that hold one of the words they look for.

    >>> features = title_features(pl.Series(["Erratum: Warm ice, part II", "Editorial", None]))
    >>> features.select("title_key", "title_kind", "title_numbers", "is_part", "is_generic_name").rows()
    [('warmicepartii', 'correction', ['2'], True, False), ('editorial', None, [], False, True), (None, None, [], False, True)]
    """
    marked = titles.is_not_null() & may_have_marks(titles)
    title = pl.col("title")
    marks = (
        titles.filter(marked)
        .alias("title")
        .to_frame()
        .select(core=core_title(title), kind=title_kind(title), edition=title_edition(title))
    )
    words = _words(on_rows(titles, marked, lambda _: marks["core"]))
    title_key = _without_spaces(words)
    is_generic = _is_generic(title_key)
    # With its marks on, too: "Editorial [Spanish]".
    whole_is_generic = _is_generic(_without_spaces(_words(titles.filter(marked))))
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, titles.len())
    features = pl.DataFrame(
        {
            "title_words": words,
            "title_key": title_key,
            "title_kind": on_rows(nothing, marked, lambda _: marks["kind"]),
            "edition": on_rows(nothing, marked, lambda _: marks["edition"]),
            "is_generic_name": on_rows(is_generic, marked, lambda rows: rows | whole_is_generic),
            "numbered": titles.zip_with(may_have_numbers(words).fill_null(False), nothing),
        }
    )
    numbered_words = pl.when(pl.col("numbered").is_not_null()).then("title_words")
    return features.with_columns(
        title_numbers=title_numbers(numbered_words).fill_null([]),
        is_part=is_part(pl.col("numbered")).fill_null(False),
    ).drop("numbered")


def _words(titles: pl.Series) -> pl.Series:
    return titles.alias("title").to_frame().select(numbers_as_digits(words_key(pl.col("title")))).to_series()


def _without_spaces(words: pl.Series) -> pl.Series:
    return words.str.replace_all(" ", "", literal=True)


def _is_generic(title_keys: pl.Series) -> pl.Series:
    is_short = (title_keys.str.len_bytes() <= _LONGEST_GENERIC).fill_null(False)
    short = pl.col("title_key")
    is_named = is_generic_title(short) | short.str.contains(_GENERIC_WITHIN)
    keys = title_keys.filter(is_short).to_frame("title_key")
    return on_rows(title_keys.is_null(), is_short, lambda _: keys.select(is_named).to_series())
