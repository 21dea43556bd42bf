"""This module guesses what columns that are lost are called now, and writes the line of sources.toml that says so."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.settings import SourceSettings
from transforms.readers.columns_known import IGNORED_COLUMN
from warehouse.measures import ColumnMeasure, values_of
from warehouse.work import Output


@dataclass(frozen=True, slots=True)
class Successor:
    """A file and the one of the same name that is to supersede it, as staged; `reader` read both."""

    path: str
    reader: str | None
    before: Output
    after: Output


Loss = tuple[Successor, ColumnMeasure, ColumnMeasure, str | None, tuple[str, ...]]
"""The file, its measure before and after, the field that lost its values (None: none), and the columns that had them."""


def guess_patch(losses: Sequence[Loss], source: SourceSettings) -> str | None:
    """What to write in sources.toml so that new columns are read as those that are lost were; None if none is likely."""
    fields: dict[str, str] = {}
    others: list[str] = []
    for file, before, after, field, columns in losses:
        free = [
            column
            for column, filled in after.fields.items()
            if not filled and not before.counts.get(column) and column not in fields and column not in after.ignored
        ]
        had = values_of(file.before, columns, most=_COMPARED_RECORDS)
        has = values_of(file.after, free, most=_COMPARED_RECORDS)
        now = likeliest(had, has)
        if now is not None and field is None:
            others.append(f"{columns[0]!r} may be {now!r} now")
        elif now is not None and field is not None and field not in fields.values():
            fields[now] = field
    if fields:
        are = ", ".join(f"{field} may stand in {column!r}" for column, field in fields.items())
        others.append(f"{are} now: if so, write in sources.toml: {patch_line(fields, source)}")
    return "; ".join(dict.fromkeys(others)) or None


def patch_line(fields: Mapping[str, str], source: SourceSettings) -> str:
    """The line that lets these columns fill these fields, beside those that the source's block names already.

    >>> patch_line({"Paper Title": "title"}, SourceSettings("icml", columns={"People": "authors_raw"}))
    '[sources.icml] columns = {"People" = "authors", "Paper Title" = "title"}'
    """
    given = {
        column: field if field == IGNORED_COLUMN else field.removesuffix("_raw") for column, field in source.columns.items()
    }
    pairs = ", ".join(f"{_quoted(column)} = {_quoted(field)}" for column, field in {**given, **fields}.items())
    name = source.name if _BARE_KEY.fullmatch(source.name) else _quoted(source.name)
    return f"[sources.{name}] columns = {{{pairs}}}"


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def _quoted(text: str) -> str:
    """A basic string of TOML, which is written as one of JSON is but for the character of deletion."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def likeliest(had: Mapping[str, Sequence[str]], has: Mapping[str, Sequence[str]]) -> str | None:
    """The new column that holds what a lost one held: by equal values, else by a name that is like it; None if none is.

    >>> likeliest({"Title": ["Ice", "Dew"]}, {"Notes": ["none"], "Headline": ["Dew", "ice", "Fog"]})
    'Headline'
    >>> likeliest({"Title": ["Ice"]}, {"Full title": ["Fog"], "Notes": ["none"]}), likeliest({"Title": ["Ice"]}, {"x": ["Fog"]})
    ('Full title', None)
    """
    if not had or not has:
        return None
    values = {_folded(value) for column in had.values() for value in column}
    shares = {column: _share({_folded(value) for value in found}, values) for column, found in has.items()}
    best = max(shares, key=lambda column: shares[column])
    if shares[best] >= _LEAST_EQUAL:
        return best
    likeness = {column: max(_likeness(column, name) for name in had) for column in has}
    best = max(likeness, key=lambda column: likeness[column])
    return best if likeness[best] >= _LEAST_LIKENESS else None


_LEAST_EQUAL = 0.2
"""The least share of a new column's values that stood in the lost one, for it to be taken for that one under a new name."""

_LEAST_LIKENESS = 0.6
"""How like two names must be, as `difflib.get_close_matches` has it."""

_COMPARED_RECORDS = 2_000


def _folded(value: str) -> str:
    return " ".join(value.split()).casefold()


def _share(found: set[str], values: set[str]) -> float:
    return len(found & values) / len(found) if found else 0.0


def _likeness(left: str, right: str) -> float:
    """How like two names are: by their letters, and 0.9 at least where one has all the words of the other."""
    words = [set(re.findall(r"[^\W_]+", name.casefold())) for name in (left, right)]
    ratio = difflib.SequenceMatcher(None, left.casefold(), right.casefold()).ratio()
    return max(ratio, 0.9) if all(words) and (words[0] <= words[1] or words[1] <= words[0]) else ratio
