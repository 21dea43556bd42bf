"""This module maps the columns of records to fields, and keeps account of which column went where.

What a column means is looked up in this order: what `sources.toml` says of the source, what the column's values tell, what
the reader says of its format (a dialect, such as the tags of RIS), a known shape of record, the column's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from transforms.readers.columns import column_map
from transforms.readers.columns_known import IGNORED_COLUMN
from transforms.readers.field_values import map_fields, without_surrogates
from transforms.readers.shapes import find_shape
from transforms.readers.shapes_entry import Shape
from transforms.readers.shapes_paths import heads, prefixed, value_at

COLUMN_SCHEMA = pl.Schema(
    {"column_name": pl.String, "field": pl.String, "decided_by": pl.String, "record_count": pl.Int64, "shape": pl.String}
)

_MAX_SIGNATURES = 10_000
"""How many sets of columns are remembered; a file with more of them uses its names as values."""

_MAX_TALLIED = 10_000
"""How many columns are counted one by one; the rest are counted together as `OTHER_COLUMNS`."""

_NAME_CHARACTERS = 500
"""How much of a column's name is told; a longer one is a text in the wrong place."""

OTHER_COLUMNS = "(other columns)"


@dataclass(frozen=True, slots=True)
class Mapped:
    """How records with one set of columns are mapped: the paths that fill fields in order of preference, and by what rule."""

    paths: Mapping[str, str]
    decided_by: Mapping[str, str]
    shape: str | None
    is_flat: bool
    inside: str = ""
    unless: str = ""

    def fields(self, raw: Mapping[str, object]) -> dict[str, object]:
        """The fields that a record fills."""
        if self.is_flat:
            return map_fields(raw, self.paths)
        return map_fields({path: value_at(raw, path) for path in self.paths}, self.paths)


class Mapper:
    """Maps the records of one file.

    Args:
        dialect: The field of each column where the format itself says it; other columns fill none. None: columns are known
            by the shape of the record or by name.
        given: The field of a column as `sources.toml` says it, by name or path; `IGNORED_COLUMN` for none.
        found: The field of a column as its values tell it; it goes before what its name says.
    """

    def __init__(
        self,
        dialect: Mapping[str, str] | None = None,
        given: Mapping[str, str] | None = None,
        found: Mapping[str, str] | None = None,
    ) -> None:
        self._dialect, self._given, self._found = dialect, given or {}, found or {}
        self._known: dict[tuple[str, ...], Mapped] = {}
        self._tally: Counter[tuple[str, ...]] = Counter()

    def fields(self, raw: Mapping[str, object]) -> dict[str, object]:
        """The fields that a record fills; the record is counted."""
        names = tuple(raw)
        mapped = self.mapped(names)
        if mapped.inside and isinstance(inner := raw.get(mapped.inside), Mapping):
            names = (*names, *(f"{mapped.inside}.{name}" for name in inner))
            mapped = self.mapped(names)
        self._tally[names] += 1
        return mapped.fields(raw)

    def is_other(self, raw: Mapping[str, object]) -> bool:
        """Whether a record's shape says of it that it is something else than a paper; such a record is not counted."""
        unless = self.mapped(tuple(raw)).unless
        return bool(unless) and bool(value_at(raw, unless))

    def count(self, names: tuple[str, ...], record_count: int) -> None:
        """Counts records with these columns that were mapped with what `mapped` says."""
        self._tally[names] += record_count

    def mapped(self, names: tuple[str, ...]) -> Mapped:
        """How records with these columns are mapped."""
        found = self._known.get(names)
        if found is None:
            found = self._look_up(names)
            if len(self._known) < _MAX_SIGNATURES:
                self._known[names] = found
        return found

    def take(self) -> pl.DataFrame:
        """The columns seen since the last time (`COLUMN_SCHEMA`): which field each fills, and how many records have it."""
        rows: dict[tuple[str, str | None, str, str | None], int] = {}
        for names, record_count in self._tally.items():
            mapped = self.mapped(names)
            met = {name: position for position, name in enumerate(names)}
            used = {mapped.inside, *(head for path in mapped.paths for head in _heads(path, met))}
            places = [*mapped.paths, *(name for name in names if name not in used)]
            for place in sorted(places, key=lambda place: met.get(_heads(place, met)[0], len(met))):
                field = mapped.paths.get(place)
                name = without_surrogates(place[:_NAME_CHARACTERS]) if len(rows) < _MAX_TALLIED else OTHER_COLUMNS
                key = (name, field, mapped.decided_by.get(place, "unknown"), mapped.shape)
                rows[key] = rows.get(key, 0) + record_count
        self._tally.clear()
        return pl.DataFrame([(*key[:3], count, key[3]) for key, count in rows.items()], schema=COLUMN_SCHEMA, orient="row")

    def _look_up(self, names: tuple[str, ...]) -> Mapped:
        shape, there = None, frozenset(names)
        if self._dialect is not None:
            known = {path: field for path, field in self._dialect.items() if path in there or _are_joined(path, there)}
            rules = dict.fromkeys(known, "format")
        else:
            known, rules, shape = _by_shape_or_name(names)
        found = {path: field for path, field in self._found.items() if path in there}
        known = found | {path: field for path, field in known.items() if path not in found}
        given = {path: field for path, field in self._given.items() if path in there or heads(path)[0] in there}
        paths = {path: field for path, field in given.items() if field != IGNORED_COLUMN}
        paths |= {path: field for path, field in known.items() if path not in given and field != IGNORED_COLUMN}
        decided_by = rules | dict.fromkeys(found, "format") | dict.fromkeys(given, "config")
        is_flat = paths.keys() <= there and not (shape and shape.inside)
        if shape is None:
            return Mapped(paths, decided_by, None, is_flat)
        return Mapped(paths, decided_by, shape.name, is_flat, shape.inside, shape.unless)


def _by_shape_or_name(names: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str], Shape | None]:
    """The field at each path of records with these columns, and what says so; a shape goes before names it says nothing of."""
    shape = find_shape(names)
    if shape is None:
        known = column_map(names)
        return known, dict.fromkeys(known, "name"), None
    there = frozenset(names)
    known = {path: field for path, field in shape.fields.items() if there.issuperset(heads(path))}
    rules = dict.fromkeys(known, "shape")
    told, mark = {head for path in known for head in heads(path)}, f"{shape.inside}."
    if shape.inside:
        inner = tuple(name.removeprefix(mark) for name in names if name.startswith(mark))
        inner_known, inner_rules, _ = _by_shape_or_name(inner)
        known |= {prefixed(path, shape.inside): field for path, field in inner_known.items()}
        rules |= {prefixed(path, shape.inside): rule for path, rule in inner_rules.items()}
    named = column_map([name for name in names if name not in told and not (shape.inside and name.startswith(mark))])
    return known | named, rules | dict.fromkeys(named, "name"), shape


def _are_joined(path: str, names: Collection[str]) -> bool:
    """Whether a path joins columns, and all of them are there."""
    columns = heads(path)
    return len(columns) > 1 and all(column in names for column in columns)


def _heads(path: str, names: Collection[str]) -> list[str]:
    """The columns that a path takes its value from: itself, where it is one, or those it joins."""
    columns = [path] if path in names else path.partition("|")[0].split(" - ")
    return columns if all(column in names for column in columns) else heads(path)
