"""This module decodes single JSON values and writes them again without losing a number, a name or an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from transforms.readers.base import ReadError
from transforms.readers.columns import unique_names
from transforms.readers.field_values import without_surrogates

MAX_DEPTH = 100
"""Deepest nesting that is read. Real records nest 3 deep (reviews in OpenReview dumps 6); Python gives up near 1,000, at a
depth that varies with its call stack, which would make the result depend on who calls."""

_INTEGER_DIGITS = 4_000
"""Longest integer that becomes an `int`; Python refuses to convert more than 4,300 digits."""


class NumberText(str):
    """A number whose text a Python number would not give back, such as 3.10 or 1e400; JSON text shows it as a number."""

    __slots__ = ()


class JsonDecoder:
    """Decodes one JSON value after the other.

    A name that an object holds twice gets a number (`name_2`), as both values are the source's. NaN becomes null, which it
    stands for where lists are written by pandas, and an infinity its name as text: JSON knows neither.
    """

    def __init__(self, *, is_strict: bool = True) -> None:
        self._has_number_text = self._is_altered = False
        self._given = ""
        self._is_strict = is_strict
        self._decoder = json.JSONDecoder(
            parse_float=self._number,
            parse_int=self._integer,
            parse_constant=self._constant,
            object_pairs_hook=self._object,
            strict=is_strict,
        )

    def decode(self, text: str, start: int = 0) -> tuple[object, int]:
        """The value that begins at `start`, and where it ends.

        Raises:
            ReadError: `broken_json`, or `too_deep`.
        """
        self._has_number_text = self._is_altered = False
        try:
            value, end = self._decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise ReadError("broken_json", f"{error.msg} at character {error.pos - start + 1}") from error
        except RecursionError as error:
            raise ReadError("too_deep", f"nested more than {MAX_DEPTH} levels deep") from error
        if text.count("{", start, end) + text.count("[", start, end) > MAX_DEPTH and _is_too_deep(value):
            raise ReadError("too_deep", f"nested more than {MAX_DEPTH} levels deep")
        self._given = text[start:end]
        return value, end

    def text_of(self, value: object) -> str:
        """JSON text of the value decoded last: its own, where that is strict JSON on one line without a name twice.

        Else it is written anew on one line, with every number as it was written.
        """
        given = self._given
        is_own = self._is_strict and not self._is_altered and "\n" not in given and "\r" not in given
        if is_own and not ("\\u" in given and _SURROGATE_ESCAPE.search(given)) and _is_sound(given):
            return given
        text = self._written(value)
        return given if is_own and _is_sound(text) else without_surrogates(text)

    def write(self, value: object) -> str:
        """JSON text, on one line, of a value made of what was decoded last."""
        return without_surrogates(self._written(value))

    def _written(self, value: object) -> str:
        return _dump(value) if self._has_number_text else _encoded(value)

    def _constant(self, name: str) -> str | None:
        self._is_altered = True
        return _CONSTANTS[name]

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            self._is_altered = True
            members = dict(zip(unique_names([name for name, _ in pairs]), (value for _, value in pairs), strict=True))
        return members

    def _number(self, digits: str) -> float | NumberText:
        number = float(digits)
        if repr(number) == digits:
            return number
        self._has_number_text = True
        return NumberText(digits)

    def _integer(self, digits: str) -> int | NumberText:
        if len(digits) <= _INTEGER_DIGITS and digits != "-0":
            return int(digits)
        self._has_number_text = True
        return NumberText(digits)


_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_CONSTANTS: dict[str, str | None] = {"NaN": None, "Infinity": "Infinity", "-Infinity": "-Infinity"}


def _is_sound(text: str) -> bool:
    """Whether there is no lone surrogate in `text`, which has no UTF-8 form then."""
    return without_surrogates(text) is text


def _is_too_deep(value: object) -> bool:
    """Whether containers nest more than `MAX_DEPTH` deep; level by level, so that the answer needs no deep call stack."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _members(outer) if isinstance(inner, (dict, list))]
        if not level:
            return False
    return True


def _members(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _dump(value: object) -> str:
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_encoded(name)}: {_dump(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_dump, value)) + "]"
    return _encoded(value)
