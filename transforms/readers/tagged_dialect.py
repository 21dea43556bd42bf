"""This module says what a dialect of tagged text is: its tags, where its entries begin and end, which field a tag fills.

The dialects are in `tagged_managers.py` and `tagged_databases.py`; `tagged.py` reads them all by one mechanism.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect of tagged text.

    `hint` is what a file of it has at the beginning of some line. `tag` matches a tagged line, its first group is the tag, its
    value follows the match; `loose_tag` is how a careless writer puts it, taken in entries whose first line is so written.
    `opens` are tags that begin an entry, `closes` those that end one, `parts` a line between entries. A blank line parts
    entries if `blank_parts`, but not those that began with a tag in `keeps_blanks`.

    `fields` maps a tag to the field it fills, the preferred tag of a field first; `others` are tags known to fill none. Of the
    tags in `lines_are_values` each line is a value, of others the further lines are joined to the first by `fold`. Of a tag
    in `picks` only values that the pattern is found in fill its field. `pages` are the tags of the first and last page.
    `key` is the tag of the source's key where that tag also fills a field; `book_title` the tag of the venue that is the title
    where there is no other. `source` is a tag that gives several fields at once, and a pattern whose groups are named for them;
    `author_mark` is what stands behind an author's name and is none of it.
    """

    name: str
    meaning: str
    example: str
    hint: re.Pattern[str]
    tag: re.Pattern[str]
    fields: Mapping[str, str]
    loose_tag: re.Pattern[str] | None = None
    opens: frozenset[str] = frozenset()
    closes: frozenset[str] = frozenset()
    parts: re.Pattern[str] | None = None
    blank_parts: bool = False
    keeps_blanks: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    lines_are_values: frozenset[str] = frozenset()
    fold: str = "\n"
    picks: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    pages: tuple[str, str] | None = None
    key: str | None = None
    book_title: str | None = None
    source: tuple[str, re.Pattern[str]] | None = None
    author_mark: re.Pattern[str] | None = None

    def knows(self, tag: str) -> bool:
        """Whether a tag is one of the dialect's own."""
        return tag in self.fields or tag in self.opens or tag in self.others


def tags(text: str) -> frozenset[str]:
    """The tags in a text, parted by spaces."""
    return frozenset(text.split())


def tag_fields(**listed: str) -> dict[str, str]:
    """The field of each tag, from the tags of each field in order of preference, parted by "|".

    >>> tag_fields(title="TI|T1", source_key="ID")
    {'TI': 'title_raw', 'T1': 'title_raw', 'ID': 'source_key'}
    """
    return {tag: name if name == "source_key" else f"{name}_raw" for name, names in listed.items() for tag in names.split("|")}
