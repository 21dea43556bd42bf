"""This module finds the files a run is to land: those given on the command line, or those of the configured sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flows.settings import ConfigError, Settings, SourceSettings
from warehouse.landing import Incoming, LandError, Search, search
from warehouse.layout import Lake
from warehouse.live import COMMAND_LINE, LiveName
from warehouse.names import unicode_name


@dataclass
class Found:
    """The files a run is to land, and what is to be said of what was left out.

    `failed` says of a source why it could not be had at all this time. `unchanged` are names that a server said are as they
    were, which count as landed without a file. `fetched` is what was downloaded; each has its entry in `files`.
    """

    files: list[Incoming] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    unchanged: list[LiveName] = field(default_factory=list)
    fetched: list[object] = field(default_factory=list)

    def add(self, found: Search, source: str, where: str) -> None:
        """Takes what a search at one place found."""
        self.files += [Incoming(path, source, below) for path, below in found.files]
        if note := left_out_note(found.left_out):
            self.notes.append(f"{unicode_name(where)}: {note}")


def find_incoming(settings: Settings, paths: Sequence[Path], lake: Lake) -> Found:
    """The files a run is to land: those at the paths given, else those of every configured source.

    Raises:
        LandError: a path given leads nowhere, or to a folder without a file.
        ConfigError: a source has no file.
    """
    found = Found()
    for given in paths:
        found.add(_given_files(given, lake), COMMAND_LINE, str(given))
    if not paths:
        for source in settings.sources:
            found.add(_source_files(settings, source, lake), source.name, source.name)
    return found


def left_out_note(left_out: Counter[str]) -> str | None:
    """What was left out of a folder, in words; None where nothing was.

    >>> left_out_note(Counter({"link": 2, "special": 1}))
    'left out 2 symbolic links, 1 special file'
    """
    said = [f"{left_out[kind]} {words}{'' if left_out[kind] == 1 else 's'}" for kind, words in _KINDS.items() if left_out[kind]]
    return f"left out {', '.join(said)}" if said else None


_KINDS = {"link": "symbolic link", "special": "special file"}
"""Hidden entries are left out too, and not worth a word: folders are full of them."""


def _given_files(given: Path, lake: Lake) -> Search:
    """The files at a path of the command line."""
    found = search(given, lake)
    if not found.files:
        raise LandError(f"{given}: no files in this folder (hidden entries, links and special files in it are left out)")
    return found


def _source_files(settings: Settings, source: SourceSettings, lake: Lake) -> Search:
    """The files of a configured source: those at its location, a folder, a file or a pattern."""
    location = Path(source.location[0])
    base = location if location.is_absolute() else settings.config_dir / location
    if base.exists():
        found = search(base, lake)
    else:
        fixed = next(parent for parent in base.parents if not any(mark in str(parent) for mark in "*?["))
        matches = sorted(fixed.glob(base.relative_to(fixed).as_posix())) if fixed.is_dir() else []
        found = Search([(path, unicode_name(path.relative_to(fixed).as_posix())) for path in matches if path.is_file()])
    if not found.files:
        raise ConfigError(f"sources.toml [sources.{source.name}]: no file at location = {source.location!r} (looked at {base})")
    return found
