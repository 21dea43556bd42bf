"""This module finds the author names of a database that keeps them in tables of their own.

Either one table has a row an author of a paper (`paper_id`, `name`), or one links papers to authors (`paper_id`, `author_id`)
and another names them (`id`, `name`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transforms.readers.columns import column_map
from transforms.readers.field_values import as_text
from transforms.readers.sqlite_access import quoted

JOINED_COLUMN = "authors"
"""The column under which a record has the names that stand in another table."""

_IDS = ("id", "paperid", "articleid", "key", "paper")
_PAPER_LINKS = ("paperid", "articleid", "publicationid", "submissionid", "paper", "article", "publication", "submission")
_AUTHOR_LINKS = ("authorid", "author", "personid", "person")
_AUTHOR_IDS = ("id", "authorid", "personid")
_NAMES = ("name", "fullname", "authorname", "displayname", "author")
_PLACES = ("position", "authorposition", "authororder", "order", "ord", "rank", "seq", "sequence", "authorindex", "idx")


@dataclass(frozen=True, slots=True)
class AuthorTables:
    """Where the author names of a table of papers stand; `named` is None where the link itself names the author.

    `key_position` is the place of the papers' id among their columns; the other pairs are a table and its columns.
    """

    key_position: int
    link: tuple[str, tuple[str, ...]]
    named: tuple[str, tuple[str, str]] | None

    @property
    def names(self) -> list[str]:
        """The names of the tables."""
        return [self.link[0], *([self.named[0]] if self.named else [])]


def find_author_tables(name: str, columns: Sequence[str], others: Mapping[str, Sequence[str]]) -> AuthorTables | None:
    """Where the authors of a table of papers stand, None where it has a column of authors or no table links to it.

    >>> found = find_author_tables("papers", ["id", "title"], {"by": ["paper_id", "author_id"], "authors": ["id", "name"]})
    >>> found and found.names
    ['by', 'authors']
    """
    bare = [_bare(column) for column in columns]
    own_id = next((bare.index(key) for key in (*_IDS, f"{_bare(name).removesuffix('s')}id") if key in bare), None)
    if own_id is None or "authors_raw" in column_map(columns).values():
        return None
    own_links = (f"{_bare(name).removesuffix('s')}id", *_PAPER_LINKS)
    for link, link_columns in others.items():
        paper, place = _column(link_columns, own_links), _column(link_columns, _PLACES)
        if paper is None:
            continue
        rest = [column for column in link_columns if column not in (paper, place)]
        if (author_id := _column(rest, _AUTHOR_LINKS)) and (named := _named(others, link)):
            return AuthorTables(own_id, (link, (paper, author_id, *([place] if place else []))), named)
        if "author" in link.casefold() and (author := _column(rest, _NAMES)):
            return AuthorTables(own_id, (link, (paper, author, *([place] if place else []))), None)
    return None


def author_queries(tables: AuthorTables) -> list[str]:
    """The queries whose rows `names_by_paper` takes; they only read, as what sorts would work on the file's behalf."""
    parts = [tables.link, tables.named] if tables.named else [tables.link]
    return [f"select {', '.join(map(quoted, columns))} from {quoted(name)}" for name, columns in parts]


def names_by_paper(
    tables: AuthorTables, links: Sequence[tuple[object, ...]], named: Sequence[tuple[object, ...]] = ()
) -> dict[object, list[str]]:
    """The author names of each paper, by its id: by place where the rows have one, else in the order of the rows."""
    name_of = {key: as_text(name) for key, name in named}
    if len(tables.link[1]) > 2:
        links = sorted(links, key=lambda link: (0, link[2], "") if isinstance(link[2], (int, float)) else (1, 0, str(link[2])))
    names: dict[object, list[str]] = {}
    for paper, author, *_ in links:
        if name := name_of.get(author, "") if tables.named else as_text(author):
            names.setdefault(paper, []).append(name)
    return names


def _named(others: Mapping[str, Sequence[str]], link: str) -> tuple[str, tuple[str, str]] | None:
    """The table that names authors by their id."""
    for name, columns in others.items():
        is_of_persons = re.search(r"author|person|people|researcher", name.casefold())
        if name != link and is_of_persons and (key := _column(columns, _AUTHOR_IDS)) and (text := _column(columns, _NAMES)):
            return name, (key, text)
    return None


def _column(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The column of the first of the names that one has."""
    bare = {_bare(column): column for column in reversed(columns)}
    return next((bare[name] for name in names if name in bare), None)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
