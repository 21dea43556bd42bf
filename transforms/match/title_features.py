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
    whole_words = on_rows(words, marked, lambda _: _words(titles.filter(marked)))
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, titles.len())
    features = pl.DataFrame(
        {
            "title_words": words,
            "title_key": _without_spaces(words),
            "whole_key": _without_spaces(whole_words),
            "title_kind": on_rows(nothing, marked, lambda _: marks["kind"]),
            "edition": on_rows(nothing, marked, lambda _: marks["edition"]),
            "numbered": titles.zip_with(may_have_numbers(words).fill_null(False), nothing),
        }
    )
    numbered_words = pl.when(pl.col("numbered").is_not_null()).then("title_words")
    return features.with_columns(
        title_numbers=title_numbers(numbered_words).fill_null([]),
        is_part=is_part(pl.col("numbered")).fill_null(False),
        is_generic_name=_is_generic(pl.col("title_key")) | _is_generic(pl.col("whole_key")),
    ).drop("whole_key", "numbered")


def _words(titles: pl.Series) -> pl.Series:
    return titles.alias("title").to_frame().select(numbers_as_digits(words_key(pl.col("title")))).to_series()


def _without_spaces(words: pl.Series) -> pl.Series:
    return words.str.replace_all(" ", "", literal=True)


def _is_generic(title_key: pl.Expr) -> pl.Expr:
    short = pl.when(title_key.str.len_bytes() <= _LONGEST_GENERIC).then(title_key)
    is_named = is_generic_title(short) | short.str.contains(_GENERIC_WITHIN)
    return is_named.fill_null(False) | title_key.is_null()
