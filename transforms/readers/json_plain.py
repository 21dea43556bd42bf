"""This module maps plain JSON lines column by column: lines that are written like one that was decoded before.

A `Pattern` is learned from a decoded record: its names in their order, and for each of its values what forms it may have. A
line that matches is strict JSON with no name twice and no lone surrogate, by construction of the regular expression, and its
mapped values are of few plain kinds; so that Polars' decoder gives the fields that `map_fields` would give, at ten times the
speed. What does not match is decoded one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from transforms.readers.field_values import map_fields
from transforms.readers.json_values import NumberText
from transforms.readers.mapping import Mapped
from transforms.staged_schemas import FIELDS

_MAX_PATTERN_CHARACTERS = 50_000
"""Longest regular expression tried; that of a record with fifty columns has 20,000 characters."""

_MAX_DEPTH = 8
_SPACE = r"[ \t]*"
_STRING = (
    r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u(?:[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}'
    r'|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))*"'
)
"""A string without a lone surrogate."""

_NUMBER = r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?"
"""A number that no decoder refuses."""

_SCALAR = f"{_STRING}|{_NUMBER}|null|true|false"
_KINDS: dict[str, tuple[str, pl.DataType | None]] = {
    # An integer that is written in one way only, so that its text is that of the source.
    "text": (f"{_STRING}|null|0|-?[1-9][0-9]{{0,17}}", pl.String()),
    "texts": (rf"null|\[{_SPACE}(?:(?:{_STRING}|null){_SPACE}(?:,{_SPACE}(?:{_STRING}|null){_SPACE})*)?\]", pl.List(pl.String)),
    # Years in lists that pandas wrote.
    "whole": (r"null|(?:0|-?[1-9][0-9]{0,14})\.0", pl.Float64()),
    "nothing": ("null|true|false", None),
}
"""The kinds of values of mapped columns: the forms they may have, and the type they are decoded as."""

_PLAIN_NAME = re.compile(r'[^"\\\x00-\x1f\ud800-\udfff]*')
_LIST_FIELDS = frozenset(column.name for column in FIELDS if column.dtype.startswith("list<"))


@dataclass(frozen=True, slots=True)
class Pattern:
    """How some lines are written: a regular expression of the whole line, and the kind of each mapped column's value."""

    names: tuple[str, ...]
    expression: str
    kinds: Mapping[str, str]
    paths: Mapping[str, str]

    def fields(self, lines: pl.Series) -> pl.DataFrame:
        """The fields that matching lines fill, a column each; a frame without columns where they fill none.

        Raises:
            PolarsError: a line that does not match.
        """
        dtypes = {name: dtype for name, kind in self.kinds.items() if (dtype := _KINDS[kind][1]) is not None}
        if not dtypes:
            return pl.DataFrame()
        # Columns by number: a name may be one that Polars gives a meaning.
        columns = lines.str.json_decode(pl.Struct(dtypes)).struct.unnest()
        return columns.select(**_field_expressions(self.paths, self.kinds))


def learn_pattern(line: str, record: Mapping[str, object], mapped: Mapped) -> Pattern | None:
    """How lines like this one, which was decoded to `record`, are written; None where it is not plain.

    >>> import json
    >>> from transforms.readers.mapping import Mapper
    >>> record = {"title": "A", "scores": [1, {"by": "B"}]}
    >>> pattern = learn_pattern(json.dumps(record), record, Mapper().mapped(tuple(record)))
    >>> lines = pl.Series(['{"title":null,"scores":[{"by": 2}, null]}', '{"title":null,"scores":[{"by": 2, "by": 3}]}'])
    >>> lines.str.contains(pattern.expression).to_list() if pattern else None
    [True, False]
    """
    if not mapped.is_flat or "author_names_raw" in mapped.paths.values():
        return None
    kinds = {name: kind for name in mapped.paths if (kind := _kind(record[name]))}
    if len(kinds) < len(mapped.paths):
        return None
    try:
        forms = {name: _KINDS[kinds[name]][0] if name in kinds else _form(record[name], 1) for name in record}
        pattern = Pattern(tuple(record), f"^{_object_form(forms)}$", kinds, mapped.paths)
    except _NotPlain:
        return None
    return pattern if len(pattern.expression) <= _MAX_PATTERN_CHARACTERS and _holds(pattern, line, record) else None


class _NotPlain(Exception):
    """A value that no pattern is made for."""


def _holds(pattern: Pattern, line: str, record: Mapping[str, object]) -> bool:
    """Whether the pattern matches the line it was learned from, and gives its fields."""
    lines = pl.Series([line])
    try:
        if not lines.str.contains(pattern.expression)[0]:
            return False
        rows = pattern.fields(lines).to_dicts() or [{}]
    except pl.exceptions.PolarsError:
        return False  # such as an expression that is too large to compile
    return {name: value for name, value in rows[0].items() if value is not None} == map_fields(record, pattern.paths)


def _kind(value: object) -> str | None:
    """The kind of a mapped column's value; None where it is not plain."""
    if isinstance(value, bool):
        return "nothing"
    if value is None or isinstance(value, (str, int)):
        return None if isinstance(value, NumberText) else "text"
    if isinstance(value, float):
        return "whole"
    is_texts = isinstance(value, list) and all(inner is None or type(inner) is str for inner in value)
    return "texts" if is_texts else None


def _form(value: object, depth: int) -> str:
    """The forms that a value which is not mapped may have; a scalar may always stand for it.

    Raises:
        _NotPlain: it nests too deep, or is too large.
    """
    if depth > _MAX_DEPTH:
        raise _NotPlain
    if isinstance(value, dict):
        return f"{_object_form({name: _form(inner, depth + 1) for name, inner in value.items()})}|{_SCALAR}"
    if not isinstance(value, list):
        return _SCALAR
    containers = dict.fromkeys(_form(inner, depth + 1) for inner in value if isinstance(inner, (dict, list)))
    inner = f"(?:{'|'.join(containers) or _SCALAR})"
    form = rf"\[{_SPACE}(?:{inner}{_SPACE}(?:,{_SPACE}{inner}{_SPACE})*)?\]|{_SCALAR}"
    if len(form) > _MAX_PATTERN_CHARACTERS:
        raise _NotPlain
    return form


def _object_form(forms: Mapping[str, str]) -> str:
    """An object with exactly these names in this order.

    Raises:
        _NotPlain: a name that JSON writes with an escape.
    """
    if not all(_PLAIN_NAME.fullmatch(name) for name in forms):
        raise _NotPlain
    members = (f'"{re.escape(name)}"{_SPACE}:{_SPACE}(?:{form}){_SPACE}' for name, form in forms.items())
    return rf"\{{{_SPACE}{f',{_SPACE}'.join(members)}\}}"


def _field_expressions(paths: Mapping[str, str], kinds: Mapping[str, str]) -> dict[str, pl.Expr]:
    """What `map_fields` does, over columns: the first filled one wins, list fields collect."""
    firsts: dict[str, list[pl.Expr]] = {}
    collected: dict[str, list[pl.Expr]] = {}
    for column, field in paths.items():
        kind, value = kinds[column], pl.col(column)
        if kind == "nothing":
            continue
        if kind == "texts":
            texts = value.list.eval(pl.element().filter(pl.element() != ""))
            if field == "authors_raw":
                firsts.setdefault("author_names_raw", []).append(_unless(texts, texts.list.len() == 0))
            elif field in _LIST_FIELDS:
                collected.setdefault(field, []).append(_unless(texts, value.list.len() == 0))
            else:
                joined = texts.list.join("; ")
                firsts.setdefault(field, []).append(_unless(joined, joined == ""))
            continue
        text = value.cast(pl.Int64).cast(pl.String) if kind == "whole" else _unless(value, value == "")
        if field in _LIST_FIELDS:
            collected.setdefault(field, []).append(_unless(pl.concat_list(text), text.is_null()))
        else:
            firsts.setdefault(field, []).append(text)
    return {field: pl.coalesce(values) for field, values in firsts.items()} | {
        field: _unless(
            pl.concat_list(value.fill_null(pl.lit([], pl.List(pl.String))) for value in values),
            pl.all_horizontal(value.is_null() for value in values),
        )
        for field, values in collected.items()
    }


def _unless(value: pl.Expr, condition: pl.Expr) -> pl.Expr:
    """`value`, null where the condition holds."""
    return pl.when(~condition).then(value)
