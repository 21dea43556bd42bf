"""This module is what a shape of records is: how to know it, and where each field stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape of records.

    `needs` are names that a record has at its top level, each one name or several of which one will do (`id|forum`).
    `fields` maps a path (`shapes_paths`) to the field it fills, the preferred path of a field first, or to `ignore` where a
    name of the record means something else than a column of that name does. Names that no path begins with are known as
    columns are, by name.
    `inside` is the name of the object that is the record proper, whatever shape that has; `fields` then comes before it.
    `unless` is a path: a record that has a value there is something else (a review in a paper's forum), and is a reject.
    `example` is a record of it, as JSON text.
    """

    name: str
    meaning: str
    needs: tuple[str, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    example: str = ""
    inside: str = ""
    unless: str = ""

    def fits(self, names: frozenset[str]) -> bool:
        """Whether a record with these names at its top level is of this shape."""
        return all(any(name in names for name in need.split("|")) for need in self.needs)
