"""This module knows what the columns of paper lists are called, and which field each of them fills."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from transforms.readers.columns_dialects import find_dialect
from transforms.readers.columns_known import COLUMN_NAMES, IGNORED_COLUMN, LAST_PAGES
from transforms.readers.shapes import find_shape

PAPER_FIELDS = frozenset(
    {
        "title_raw",
        "abstract_raw",
        "doi_raw",
        "arxiv_id_raw",
        "openreview_id_raw",
        "pmid_raw",
        "acl_id_raw",
    }
)
"""Fields that tell a paper: a table with a column for none of them is no list of papers."""


def column_map(names: Sequence[str]) -> dict[str, str]:
    """The field that each recognised column fills, the preferred column of a field first, unknown columns left out.

    Case, spaces, underscores, hyphens, dots and the like do not count. Names that mean something only together, such as the
    tags of Web of Science, are known when several stand together; a column of first pages is joined to that of last pages.

    >>> column_map(["Paper Title", "AUTHORS", "container-title", "gs_citation"])
    {'Paper Title': 'title_raw', 'AUTHORS': 'authors_raw', 'container-title': 'venue_raw'}
    >>> column_map(["summary", "abstract"])
    {'abstract': 'abstract_raw', 'summary': 'abstract_raw'}
    >>> column_map(["TI", "PT", "SO", "AU", "ID"]), column_map(["SO", "ID"])
    ({'TI': 'title_raw', 'AU|family_first': 'authors_raw', 'SO': 'venue_raw', 'PT': 'type_raw'}, {'ID': 'source_key'})
    >>> column_map(["Page start", "Page end"])
    {'Page start - Page end': 'pages_raw'}
    """
    bare_names = {name: _bare_name(name) for name in names}
    said = dict(_dialect_fields(bare_names))
    told = {part for path in said for part in path.partition("|")[0].split(" - ")}
    known = [(name, bare) for name, bare in bare_names.items() if bare in COLUMN_NAMES and name not in told]
    by_name = {
        _with_last_page(name, bare, bare_names): COLUMN_NAMES[bare]
        for name, bare in sorted(known, key=lambda pair: _RANK[pair[1]])
    }
    return {path: field for path, field in said.items() if field != IGNORED_COLUMN} | by_name


_given: ContextVar[Mapping[str, str]] = ContextVar("given", default={})  # noqa: B039 - never changed


@contextmanager
def given_columns(fields: Mapping[str, str]) -> Iterator[None]:
    """Within it `has_paper_columns` knows what `sources.toml` says of a file's columns: the field by name or path."""
    token = _given.set(fields)
    try:
        yield
    finally:
        _given.reset(token)


def has_paper_columns(names: Sequence[str]) -> bool:
    """Whether columns of these names can tell a paper: a title, an abstract or an identifier of a public scheme, or a shape.

    >>> has_paper_columns(["id", "abstract"]), has_paper_columns(["id", "name", "url"])
    (True, False)
    >>> with given_columns({"name": "title_raw"}):
    ...     has_paper_columns(["id", "name", "url"])
    True
    """
    if any(field in PAPER_FIELDS for field in column_map(names).values()) or find_shape(names) is not None:
        return True
    return any(field in PAPER_FIELDS and {path, path.partition(".")[0]} & set(names) for path, field in _given.get().items())


def unique_names(names: Sequence[str]) -> list[str]:
    """The names of columns, made unique: `column_N` for an empty one, a number at each but the first of equal ones.

    >>> unique_names(["a", "", "a", "a_2", "a"])
    ['a', 'column_2', 'a_3', 'a_2', 'a_4']
    """
    filled = [name or f"column_{position}" for position, name in enumerate(names, 1)]
    taken, counts, unique = set(filled), dict.fromkeys(filled, 0), []
    for name in filled:
        counts[name] += 1
        candidate = name
        while counts[name] > 1 and candidate in taken:
            candidate = f"{name}_{counts[name]}"
            counts[name] += candidate in taken
        taken.add(candidate)
        unique.append(candidate)
    return unique


_RANK = {name: rank for rank, name in enumerate(COLUMN_NAMES)}
_PUNCTUATION = re.compile(r"[\W_]+")


def _dialect_fields(bare_names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The paths that the dialect of these columns knows, with their fields, in its order."""
    dialect = find_dialect(list(bare_names), list(bare_names.values()))
    if dialect is None:
        return
    columns = {bare: name for name, bare in reversed(bare_names.items())}
    if dialect.is_tagged:
        columns = {name.strip("\ufeff "): name for name in bare_names}
    for path, field in dialect.fields.items():
        place, bar, word = path.partition("|")
        parts = [columns[part] for part in place.split(" - ") if part in columns]
        if parts:
            yield " - ".join(parts) + bar + word, field


def _with_last_page(name: str, bare: str, bare_names: dict[str, str]) -> str:
    """The path of a column: of first pages the range to the last pages, where there is a column of those."""
    last = next((other for other, key in bare_names.items() if key == LAST_PAGES.get(bare)), None)
    return name if last is None else f"{name} - {last}"


def _bare_name(name: str) -> str:
    return _PUNCTUATION.sub("", unicodedata.normalize("NFKC", name).casefold())
