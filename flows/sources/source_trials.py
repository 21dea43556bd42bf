"""This module tries sources: whether their files are there and can be read now, or their servers answer. It lands nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from flows.settings import Settings, SourceSettings
from flows.source_settings import is_address
from flows.sources.incoming import Found, find_incoming
from warehouse.landing import Incoming
from warehouse.layout import Lake


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of trying one location of a source. `files` and `size_bytes` are null where that is not known."""

    source: str
    location: str
    is_ok: bool
    files: int | None = None
    size_bytes: int | None = None
    message: str | None = None


def try_sources(settings: Settings, sources: Iterable[SourceSettings], lake: Lake) -> list[Trial]:
    """What came of trying each location of these sources, in their order."""
    return [trial for source in sources for trial in _try_source(settings, source, lake)]


def _try_source(settings: Settings, source: SourceSettings, lake: Lake) -> list[Trial]:
    trials = []
    for location in source.location:
        if is_address(location):
            trials.append(_try_address(settings, source, location))
        else:
            trials.append(_try_place(settings, source, location, lake))
    if len(source.location) > 1 and all(trial.is_ok for trial in trials):
        together = _find(settings, source, lake).failed.get(source.name)
        trials += [Trial(source.name, "all of them", False, message=together)] if together else []
    return trials


def _find(settings: Settings, source: SourceSettings, lake: Lake) -> Found:
    """What a run would find at the folders, files and patterns of a source; no server is asked."""
    return find_incoming(dataclasses.replace(settings, sources=(source,)), (), lake, fetch=False)


def _try_place(settings: Settings, source: SourceSettings, location: str, lake: Lake) -> Trial:
    """Looks for the files at a folder, file or pattern, and opens each."""
    found = _find(settings, dataclasses.replace(source, location=(location,)), lake)
    if source.name in found.failed:
        return Trial(source.name, location, False, message=found.failed[source.name])
    sizes, faults = list[int](), list[str]()
    for file in found.files:
        size, fault = _look_at(file, settings.limits.file_bytes)
        sizes.append(size)
        faults += [f"{file.source_path}: {fault}"] if fault else []
    more = f"; and {len(faults) - _FAULTS_NAMED} more" if len(faults) > _FAULTS_NAMED else ""
    message = "; ".join((faults or found.notes)[:_FAULTS_NAMED]) + more
    return Trial(source.name, location, not faults, len(sizes), sum(sizes), message or None)


_FAULTS_NAMED = 3


def _look_at(file: Incoming, max_bytes: int) -> tuple[int, str | None]:
    """The size of a file, and why it could not be landed."""
    try:
        size = file.path.stat().st_size
        with file.path.open("rb") as opened:
            opened.read(1)
    except OSError as error:
        return 0, f"cannot be read: {error.strerror or error}"
    return size, f"{size} bytes, more than limits.file_bytes = {max_bytes} in pipeline.toml" if size > max_bytes else None


def _try_address(settings: Settings, source: SourceSettings, address: str) -> Trial:
    """Asks the server of an address for the first bytes of its file."""
    from flows.sources.address_trials import try_address  # here: only a source with an address pays for httpx

    answered = try_address(settings, source, address)
    if not answered.is_ok:
        return Trial(source.name, address, False, message=answered.message)
    return Trial(source.name, address, True, 1, answered.size_bytes, answered.message)
