"""This module completes what is typed in the shell of `paperlake sql`: dot commands, tables, columns, functions, key words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from warehouse.row_formats import Format

COMMANDS = (".tables", ".schema", ".mode", ".release", ".help", ".quit")

KEY_WORDS = (
    *("select", "from", "where", "group by", "order by", "having", "qualify", "limit", "offset", "join", "left join"),
    *("using", "on", "as", "and", "or", "not", "in", "is null", "is not null", "like", "ilike", "between", "case", "when"),
    *("then", "else", "end", "distinct", "with", "union all", "except", "exists", "asc", "desc", "nulls last", "all"),
    *("describe", "summarize", "explain", "pivot", "unpivot", "values", "exclude", "replace", "over", "partition by"),
)


@dataclass
class Names:
    """What a release has: the columns of each table or view, and the functions there are."""

    tables: Mapping[str, Sequence[str]]
    functions: Sequence[str] = field(default_factory=list)


class SqlCompleter(Completer):
    """Completes the word before the cursor."""

    def __init__(self, names: Callable[[], Names]) -> None:
        """`names` gives those of the release that is read when it is asked."""
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """The words that what is typed may become, as prompt-toolkit asks for them."""
        for typed, word in candidates(document.text_before_cursor, document.text, self._names()):
            yield Completion(word, start_position=-len(typed))


def candidates(before: str, whole: str, names: Names) -> list[tuple[str, str]]:
    """The typed beginning of a word, with each word that it may become; `before` is the text up to the cursor.

    >>> names = Names({"papers": ["paper_id", "title"], "links": ["url"]}, ["title_case"])
    >>> [word for _, word in candidates("select ti", "select ti from papers", names)]
    ['title', 'title_case']
    >>> [word for _, word in candidates("select * from p", "select * from p", names)]
    ['papers']
    >>> [word for _, word in candidates("select p.", "select p. from papers as p", names)]
    ['paper_id', 'title']
    >>> [word for _, word in candidates(".sch", ".sch", names)], [word for _, word in candidates(".schema l", "", names)]
    (['.schema'], ['links'])
    """
    if before.lstrip().startswith("."):
        return _of_command(before.lstrip(), names)
    found = _WORD.search(before)
    assert found is not None  # it matches nothing at least
    qualifier, typed = found["qualifier"], found["word"]
    if qualifier is not None:
        return _beginning(typed, _columns_of(qualifier, whole, names))
    if _AFTER_FROM.search(before[: found.start()]):
        return _beginning(typed, names.tables)
    if not typed:
        return []
    mentioned = [name for name in names.tables if re.search(rf"\b{re.escape(name)}\b", whole, re.IGNORECASE)]
    columns = dict.fromkeys(column for name in mentioned or names.tables for column in names.tables[name])
    return _beginning(typed, dict.fromkeys([*columns, *names.tables, *KEY_WORDS, *names.functions]))


_WORD = re.compile(r"(?:(?P<qualifier>\w+)\.)?(?P<word>\w*)$")
_AFTER_FROM = re.compile(r"\b(?:from|join|describe|summarize|pivot|table)\s+$", re.IGNORECASE)


def _of_command(before: str, names: Names) -> list[tuple[str, str]]:
    """How a dot command goes on."""
    command, blank, typed = before.partition(" ")
    if not blank:
        return _beginning(command, COMMANDS)
    words = {".schema": list(names.tables), ".mode": list(get_args(Format)), ".release": ["current", "previous"]}
    return _beginning(typed.lstrip(), words.get(command, []))


def _columns_of(qualifier: str, whole: str, names: Names) -> Sequence[str]:
    """The columns of a table named so, or called so in the query: `papers p`, `papers as p`."""
    if qualifier in names.tables:
        return names.tables[qualifier]
    called = re.finditer(rf"\b(\w+)\s+(?:as\s+)?{re.escape(qualifier)}\b", whole, re.IGNORECASE)
    return next((names.tables[found[1].lower()] for found in called if found[1].lower() in names.tables), [])


def _beginning(typed: str, words: Iterable[str]) -> list[tuple[str, str]]:
    return [(typed, word) for word in words if word.startswith(typed.lower())]
