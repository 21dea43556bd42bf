"""This module says what a run would do, and touches nothing."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flows.handovers import Arrivals, RunOrder, SourceCase
from flows.sources.arrivals import find_arrivals
from flows.sources.gating import Readable, foresee
from flows.sources.incoming import Found, find_incoming
from flows.sources.settling import inputs_key
from transforms.readers.base import RawFile
from transforms.readers.registry import sniff
from warehouse.archives import content_of, raw_files_in
from warehouse.decisions import read_decisions, verdicts_of
from warehouse.landing import Incoming, name_of
from warehouse.live import LiveName, read_live
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
    """What a run would do.

    `held_sources` says why sources would be held back, as far as that shows without reading them; of `judged_sources` only the
    gate of a run can tell. Addresses are not asked.
    """

    files: tuple[PlannedFile, ...]
    would_publish: bool
    summary: str
    held_sources: dict[str, list[str]] = field(default_factory=dict)
    judged_sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values."""
        return dataclasses.asdict(self)


def plan_run(order: RunOrder) -> Plan:
    """The files a run would land, each with its reader, which sources it would hold, and whether it would build a release."""
    verdicts = verdicts_of(read_decisions(order.lake))
    live = read_live(order.lake)
    found = find_incoming(order.settings, order.paths, order.lake, fetch=False)
    with tempfile.TemporaryDirectory(prefix="paperlake-") as folder:
        planned, readable = _look_at_all(order, found, {name.sha256 for name in live}, Path(folder))
        given = [(file.source, file.source_path) for file in found.files]
        arrivals = find_arrivals(order, live, readable, given, found.failed)
        foreseen = {case.source: _foresee(order, case, readable, Path(folder)) for case in _local_cases(order, arrivals)}
    held = dict(arrivals.held) | {source: reasons for source, reasons in foreseen.items() if reasons}
    after = arrivals.settled
    for case in arrivals.cases:
        if foreseen.get(case.source) == ():
            after = (after - case.before) | case.after
    would_build = last_build(order.lake).get("inputs_key") != inputs_key(order, after, verdicts)
    return Plan(
        tuple(planned),
        would_build and read_pin(order.lake) is None,
        _summary(order, planned, would_build=would_build),
        {source: list(reasons) for source, reasons in sorted(held.items())},
        tuple(source for source, reasons in sorted(foreseen.items()) if not reasons),
        tuple(found.notes),
    )


def _summary(order: RunOrder, planned: list[PlannedFile], *, would_build: bool) -> str:
    new_count = sum(file.state == "new" for file in planned)
    then = "a release would be built" if would_build else "nothing new: no release would be built"
    if (pin := read_pin(order.lake)) is not None:
        then += f"; it would be held back, as {pin.described()}" if would_build else f"; {pin.described()}"
    return f"{len(planned)} files, {new_count} of them new to the lake; {then}"


def _look_at_all(
    order: RunOrder, found: Found, known_hashes: set[str], folder: Path
) -> tuple[list[PlannedFile], dict[LiveName, Readable]]:
    """The raw files that a run would land, and what each would be read as, by the name it would have."""
    cache = StatCache.read(order.lake, order.settings.unpack_limits())
    planned, readable = [], {}
    for file in found.files:
        # What landed before need not be taken out again for its hash, only for its reader.
        parts = cache.parts(file.path)
        looked = _look(order, file, folder) if parts is None else _look_in_lake(order, file, parts, folder)
        for part, found_as in looked:
            state = "live" if part.sha256 in known_hashes else "new"
            path = name_of(unicode_name(str(file.path)), part)
            planned.append(PlannedFile(path, part.size_bytes, state, found_as.reader, found_as.message))
            readable[LiveName(file.source, name_of(file.source_path, part), *part[1:])] = found_as
    return planned, readable


def _local_cases(order: RunOrder, arrivals: Arrivals) -> list[SourceCase]:
    """The sources that brought something else, but for those whose addresses were not asked."""
    return [case for case in arrivals.cases if not order.settings.source(case.source).addresses]


def _foresee(order: RunOrder, case: SourceCase, readable: dict[LiveName, Readable], folder: Path) -> tuple[str, ...]:
    """Why a source would be held back, as far as sizes and the beginnings of its files tell."""
    superseded = {
        old: _readable(order, case.source, path, folder)
        for old, _ in case.superseded()
        if (path := order.lake.raw_path(old.sha256)).is_file()
    }
    return foresee(case, readable | superseded, order.settings.gate_bounds(order.settings.source(case.source)))


def _look(order: RunOrder, file: Incoming, folder: Path) -> Iterator[tuple[Part, Readable]]:
    """The raw files that a file would land as, each with what it would be read as."""
    for member in raw_files_in(file.path, order.settings.unpack_limits(), folder):
        yield Part(member.name, member.sha256, member.size_bytes), _readable(order, file.source, member.path, folder)


def _look_in_lake(order: RunOrder, file: Incoming, parts: list[Part], folder: Path) -> Iterator[tuple[Part, Readable]]:
    """The same of what has landed."""
    for part in parts:
        yield part, _readable(order, file.source, order.lake.raw_path(part.sha256), folder)


def _readable(order: RunOrder, source_name: str, path: Path, folder: Path) -> Readable:
    columns = order.settings.source(source_name).columns
    try:
        with content_of(path, order.settings.unpack_limits(), folder) as content:
            choice = sniff(RawFile(content.path, content.size_bytes, order.settings.read_limits(), columns))
    except UnpackError as error:
        return Readable(None, str(error))
    reader = choice.reader.name if choice.reader else None
    return Readable(reader, None if reader else choice.message, content.size_bytes)
