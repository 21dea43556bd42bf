"""This module reads sets of words that are written as one text, as a long list reads better without a quote at each word."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of `text`.

    >>> sorted(word_set("van der  Berg"))
    ['Berg', 'der', 'van']
    """
    return frozenset(text.split())
