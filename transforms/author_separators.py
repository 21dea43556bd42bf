"""This module evens out what tools write between and around authors, so that few separators are left to be told apart."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

_SAMPLE = 5_000
"""How many author lists a rule is decided on, as in `author_lists`."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """What is replaced in all lists of a column of which `least_ratio` or more have it (0: any)."""

    pattern: str
    replacement: str
    least_ratio: float = 0.0
    needs: str = ""
    """What half of the lists must have besides, as a pattern."""


_MARK = r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹*∗†‡§¶]+"
_RULES = (
    _Rule(r"\r\n?", "\n"),
    # A whole list in braces, as PostgreSQL writes arrays; BibTeX writes one name so.
    _Rule(r"^\s*\{([^{}]*)\}\s*$", "$1", 0.9, needs=","),
    # "Ann Lee", "Bo Li": a printed list without its brackets.
    _Rule(r"^(\s*\"[^\"]*\"(?:\s*,\s*\"[^\"]*\")*\s*)$", "[$1]", 0.9, needs=","),
    _Rule(r"\s*[；、]\s*|\s+[·•∙]\s+|\s*\t\s*|\s*::\s*|\s*\|\|\s*|\s*<br\s*/?>\s*", ";"),
    # Not the "n / a" of a placeholder.
    _Rule(r"([^\s;]\s?\S)\s+/\s+", "$1;", 0.1),
    _Rule(r"\s*，\s*", ", "),
    # Footnotes, whose commas separate no authors: "Ann Lee1,2, Bo Li3".
    _Rule(rf"(\p{{L}}\.?{_MARK})(?:\s*,\s*{_MARK})+", "$1"),
    # Affiliations and ids behind a name: "Ann Lee (Mill, Quarry); Bo Li (57190000001)".
    _Rule(r"\s*\([^()]*\)(\s*(?:[,;|\n]|$))", "$1", 0.2),
)

_PRINTED = r"^\s*\["
"""A list printed as JSON or Python source, which is read as that."""

_HAN_NAMES = r"^\s*\p{Han}{2,4}(?:\s+\p{Han}{2,4})*\s*$"


def evened_lists(lists: pl.Series) -> pl.Series:
    """Author lists with one sign for what is the same, decided on the column as a whole; null stays null.

    >>> evened_lists(pl.Series(["Ann Lee1,2, Bo Li3", "李雷、韩梅梅", "Cy Day4"])).to_list()
    ['Ann Lee1, Bo Li3', '李雷;韩梅梅', 'Cy Day4']
    """
    sample = lists.drop_nulls().head(_SAMPLE)
    sample = sample.filter(~sample.str.contains(_PRINTED))
    for rule in _RULES:
        if _applies(rule, sample):
            evened = lists.str.replace_all(rule.pattern, rule.replacement)
            lists = evened.zip_with(~lists.str.contains(_PRINTED).fill_null(True), lists)
            sample = sample.str.replace_all(rule.pattern, rule.replacement)
    # Names of Han characters have no spaces within, so that spaces stand between names, if the whole column is so.
    if len(sample) and sample.str.contains(_HAN_NAMES).all() and sample.str.contains(r"\p{Han}\s+\p{Han}{2}").any():
        return lists.str.strip_chars().str.replace_all(r"\s+", ";")
    return lists


def _applies(rule: _Rule, sample: pl.Series) -> bool:
    count = sample.str.contains(rule.pattern).sum()
    has_needs = not rule.needs or sample.str.contains(rule.needs).sum() >= 0.5 * len(sample)
    return count > 0 and count >= rule.least_ratio * len(sample) and has_needs
