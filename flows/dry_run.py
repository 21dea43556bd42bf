"""This module says what a run would do, and touches nothing."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from flows.handovers import RunOrder
from flows.incoming import find_incoming
from flows.steps import inputs_key
from transforms.readers.base import RawFile
from transforms.readers.registry import sniff
from warehouse.landing import hash_file, known_hash, read_stat_cache, unicode_name
from warehouse.live import LiveName, add_names, read_live
from warehouse.release import last_build


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file given: `state` is new or live (in the lake already); the reader that would take it, or why none would."""

    path: str
    size_bytes: int
    state: str
    reader: str | None
    message: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do."""

    files: tuple[PlannedFile, ...]
    would_publish: bool
    summary: str

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values."""
        return dataclasses.asdict(self)


def plan_run(order: RunOrder) -> Plan:
    """The files a run would land, with the reader of each, and whether it would build a release."""
    live = read_live(order.lake)
    known_hashes = {name.sha256 for name in live}
    cache = read_stat_cache(order.lake)
    planned, names = [], []
    for incoming in find_incoming(order.settings, order.paths, order.lake):
        size_bytes = incoming.path.stat().st_size
        sha256 = known_hash(order.lake, incoming.path, cache) or hash_file(incoming.path)
        choice = sniff(RawFile(incoming.path, size_bytes))
        reader = choice.reader.name if choice.reader else None
        state = "live" if sha256 in known_hashes else "new"
        planned.append(
            PlannedFile(unicode_name(str(incoming.path)), size_bytes, state, reader, None if reader else choice.message)
        )
        names.append(LiveName(incoming.source, incoming.source_path, sha256, size_bytes))
    would_publish = last_build(order.lake).get("inputs_key") != inputs_key(order, add_names(live, names))
    new_count = sum(file.state == "new" for file in planned)
    then = "a release would be built" if would_publish else "nothing new: no release would be built"
    return Plan(tuple(planned), would_publish, f"{len(planned)} files, {new_count} of them new to the lake; {then}")
