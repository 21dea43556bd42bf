"""This module counts the rows of a page's tables another way than by reading them: by its tags, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"<(?:(?P<comment>!--)|(?P<raw>script|style|textarea|title|xmp|iframe|noframes)(?=[\s/>])|(?P<end>/?)(?P<name>table|tr)(?=[\s/>]))",
    re.IGNORECASE,
)


def row_counts(text: str) -> list[int]:
    """How many rows each table of a page has of its own, in the order in which the tables begin.

    >>> row_counts("<table><tr><td><table><tr></table><!-- <tr> --><tr></table>")
    [2, 1]
    """
    counts: list[int] = []
    within: list[int] = []
    for token in _tokens(text):
        name = token["name"].lower()
        if name == "table" and token["end"]:
            within = within[:-1]
        elif name == "table":
            within.append(len(counts))
            counts.append(0)
        elif within and not token["end"]:
            counts[within[-1]] += 1
    return counts


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The tags of tables and rows that stand in no comment and in no element of plain text."""
    place, endless = 0, set[str]()
    while token := _TOKEN.search(text, place):
        place = token.end()
        if token["name"]:
            yield token
            continue
        end = "-->" if token["comment"] else f"</{token['raw'].lower()}"
        # What has no end once has none later: each is looked for in vain only once.
        found = None if end in endless else re.compile(re.escape(end), re.IGNORECASE).search(text, place)
        if found:
            place = found.end()
        else:
            endless.add(end)
