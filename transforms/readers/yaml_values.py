"""This module turns a piece of YAML into values: every scalar as the text that was written, nothing expanded or executed."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from transforms.readers.base import ReadError
from transforms.readers.field_values import without_surrogates

MAX_DEPTH = 100
"""Deepest nesting that is read, as of JSON (`json_values.MAX_DEPTH`)."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def yaml_value(text: str) -> object:
    """The value of a text that is one YAML document; null where it is empty.

    YAML would make `10-11` a text but `1-10` a date and `010` the number 8; here they stay what was written. A tag
    (`!!python/object`) says nothing, a name that repeats gets a number (`name_2`).

    >>> yaml_value("number: 010\\ndate: 2023-04-11\\naddress:\\nauthors: [{given: Ann, family: Lee}]")
    {'number': '010', 'date': '2023-04-11', 'address': None, 'authors': [{'given': 'Ann', 'family': 'Lee'}]}

    Raises:
        ReadError: `broken_yaml`, `yaml_alias` or `too_deep`.
    """
    builder = _Builder()
    try:
        for event in _events(without_surrogates(text)):
            builder.add(event)
    except yaml.YAMLError as error:
        raise ReadError("broken_yaml", _sentence(error)) from error
    return builder.values[0] if builder.values else None


class _Builder:
    """Builds the values of documents from their events, without recursion."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._open: list[list[object] | dict[str, object]] = []
        self._names: list[str | None] = []
        self._repeats: list[dict[str, int]] = []

    def add(self, event: yaml.Event) -> None:
        """Takes the next event."""
        if isinstance(event, yaml.ScalarEvent):
            is_null = not event.style and event.value in _NULLS
            if self._is_name_next():
                self._names[-1] = self._new_name(event.value)
            else:
                self._put(None if is_null else event.value)
        elif isinstance(event, yaml.AliasEvent):
            raise ReadError(
                "yaml_alias", f"an alias (*{event.anchor}) in {_place(event)}: aliases are not expanded; write the value out"
            )
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._begin({} if isinstance(event, yaml.MappingStartEvent) else [], event)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            for stack in (self._open, self._names, self._repeats):
                stack.pop()
        elif isinstance(event, yaml.DocumentStartEvent) and self.values:
            raise ReadError("broken_yaml", f"expected one document, found another in {_place(event)}")

    def _begin(self, value: list[object] | dict[str, object], event: yaml.Event) -> None:
        if self._is_name_next():
            raise ReadError("broken_yaml", f"expected a name, found a list or an object as a name in {_place(event)}")
        if len(self._open) >= MAX_DEPTH:
            raise ReadError("too_deep", f"nested more than {MAX_DEPTH} levels deep in {_place(event)}")
        self._put(value)
        self._open.append(value)
        self._names.append(None)
        self._repeats.append({})

    def _is_name_next(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1], dict) and self._names[-1] is None

    def _new_name(self, name: str) -> str:
        """A name that the innermost object does not hold yet."""
        known, repeats, new_name = self._open[-1], self._repeats[-1], name
        while new_name in known:
            repeats[name] = repeats.get(name, 1) + 1
            new_name = f"{name}_{repeats[name]}"
        return new_name

    def _put(self, value: object) -> None:
        if not self._open:
            self.values.append(value)
            return
        innermost, name = self._open[-1], self._names[-1]
        if isinstance(innermost, dict):
            assert name is not None, "a value of an object follows its name"
            innermost[name] = value
            self._names[-1] = None
        else:
            innermost.append(value)


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text, Loader=yaml.CSafeLoader)


def _place(event: yaml.Event) -> str:
    """The line that an event begins in."""
    return f"line {event.start_mark.line + 1} of it" if event.start_mark is not None else "it"


def _sentence(error: yaml.YAMLError) -> str:
    """What the parser says, with the line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"{error.problem or error.context} in line {error.problem_mark.line + 1} of it"
    return " ".join(str(error).split())[:300]
