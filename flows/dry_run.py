"""This module says what a run would do, and touches nothing."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.handovers import RunOrder
from flows.incoming import find_incoming
from flows.settling import inputs_key
from transforms.readers.base import RawFile
from transforms.readers.registry import sniff
from warehouse.archives import content_of, raw_files_in
from warehouse.decisions import read_decisions, verdicts_of
from warehouse.landing import Incoming, name_of
from warehouse.live import LiveName, add_names, read_live
from warehouse.names import unicode_name
from warehouse.pins import read_pin
from warehouse.release import last_build
from warehouse.stat_cache import Part, StatCache
from warehouse.unpacking import UnpackError


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
    verdicts = verdicts_of(read_decisions(order.lake))
    live = read_live(order.lake)
    known_hashes = {name.sha256 for name in live}
    cache = StatCache.read(order.lake, order.settings.unpack_limits())
    incoming = find_incoming(order.settings, order.paths, order.lake).files
    planned, names = [], []
    with tempfile.TemporaryDirectory(prefix="paperlake-") as folder:
        for file in incoming:
            # What landed before need not be taken out again for its hash, only for its reader.
            parts = cache.parts(file.path)
            looked = _look(order, file, Path(folder)) if parts is None else _look_in_lake(order, file, parts, Path(folder))
            for part, reader, message in looked:
                state = "live" if part.sha256 in known_hashes else "new"
                path = name_of(unicode_name(str(file.path)), part)
                planned.append(PlannedFile(path, part.size_bytes, state, reader, message))
                names.append(LiveName(file.source, name_of(file.source_path, part), *part[1:]))
    after = add_names(live, names, [(file.source, file.source_path) for file in incoming])
    would_publish = last_build(order.lake).get("inputs_key") != inputs_key(order, after, verdicts)
    new_count = sum(file.state == "new" for file in planned)
    then = "a release would be built" if would_publish else "nothing new: no release would be built"
    if (pin := read_pin(order.lake)) is not None:
        then += f"; it would be held back, as {pin.described()}" if would_publish else f"; {pin.described()}"
    is_published = would_publish and pin is None
    return Plan(tuple(planned), is_published, f"{len(planned)} files, {new_count} of them new to the lake; {then}")


def _look(order: RunOrder, file: Incoming, folder: Path) -> Iterator[tuple[Part, str | None, str | None]]:
    """The raw files that a file would land as, each with its reader, or why none would take it."""
    for member in raw_files_in(file.path, order.settings.unpack_limits(), folder):
        yield Part(member.name, member.sha256, member.size_bytes), *_reader(order, file.source, member.path, folder)


def _look_in_lake(
    order: RunOrder, file: Incoming, parts: list[Part], folder: Path
) -> Iterator[tuple[Part, str | None, str | None]]:
    """The same of what has landed."""
    for part in parts:
        yield part, *_reader(order, file.source, order.lake.raw_path(part.sha256), folder)


def _reader(order: RunOrder, source_name: str, path: Path, folder: Path) -> tuple[str | None, str | None]:
    columns = order.settings.source(source_name).columns
    try:
        with content_of(path, order.settings.unpack_limits(), folder) as content:
            choice = sniff(RawFile(content.path, content.size_bytes, order.settings.read_limits(), columns))
    except UnpackError as error:
        return None, str(error)
    return (choice.reader.name, None) if choice.reader else (None, choice.message)
