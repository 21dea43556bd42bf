"""This module finds what stands at paths in the objects that an XML element became.

A path is names joined by dots, through lists too; `*` is any child. `name[key=value]` wants the attribute `key` to be that,
`name[!key]` wants there to be none, `name[key~a,b]` none of these. What stands behind `|` is not part of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_STEP = re.compile(r"([^.\[\]|]+)(?:\[(!?)([\w-]+)(?:([=~])([^\]]*))?\])?")


class Places:
    """Where paths lead: what several of them begin with is looked up once, and nothing behind what is not there.

    `numbers` has for each path the number that `values` gives what stands there.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._inner: dict[int, list[tuple[int, _Step]]] = {}
        self._known = {"": 0}
        self.numbers = [self._number(path.partition("|")[0]) for path in paths]

    def values(self, value: object) -> dict[int, list[object]]:
        """What stands at each of the `numbers` at which something does."""
        found, queue = {0: [value]}, [0]
        for number in queue:
            for inner, step in self._inner.get(number, ()):
                if ones := step.among(found[number]):
                    found[inner] = ones
                    queue.append(inner)
        return found

    def _number(self, names: str) -> int:
        if names not in self._known:
            outer, _, last = names.rpartition(".")
            match = _STEP.fullmatch(last)
            assert match, f"no step of a path: {last}"
            step = _Step(match[1], bool(match[2]), match[3] or "", match[4] or "", tuple((match[5] or "").split(",")))
            place, self._known[names] = self._number(outer), len(self._known)
            self._inner.setdefault(place, []).append((self._known[names], step))
        return self._known[names]


@cache
def places_of(paths: tuple[str, ...]) -> Places:
    """The places of these paths.

    >>> places = places_of(("by.name", "id[!type]"))
    >>> there = places.values({"by": [{"name": "Ann"}, {"name": "Bo"}], "id": {"@type": "doi"}})
    >>> [there.get(number) for number in places.numbers]
    [['Ann', 'Bo'], None]
    """
    return Places(paths)


@dataclass(frozen=True, slots=True)
class _Step:
    name: str
    wants_none: bool
    key: str
    sign: str
    values: tuple[str, ...]

    def among(self, values: list[object]) -> list[object]:
        """What objects have under this name, one by one."""
        name, ones = self.name, list[object]()
        for outer in values:
            if not isinstance(outer, dict):
                continue
            if name == "*":
                for inner in (inner for key, inner in outer.items() if key[:1] not in "@#"):
                    ones += inner if isinstance(inner, list) else (inner,)
            elif (inner := outer.get(name)) is not None:
                if isinstance(inner, list):
                    ones += inner
                else:
                    ones.append(inner)
        return [one for one in ones if self._fits(one)] if self.key else ones

    def _fits(self, value: object) -> bool:
        attribute = value.get(f"@{self.key}") if isinstance(value, dict) else None
        if self.wants_none:
            return attribute is None
        if self.sign == "~":
            return attribute not in self.values
        return attribute is not None and (not self.sign or attribute in self.values)
