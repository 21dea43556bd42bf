"""This module finds the files a run is to land: those given on the command line, or those of the configured sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flows.settings import ConfigError, Settings, SourceSettings
from warehouse.landing import Incoming, LandError, find_files, unicode_name
from warehouse.layout import Lake
from warehouse.live import COMMAND_LINE


def find_incoming(settings: Settings, paths: Sequence[Path], lake: Lake) -> list[Incoming]:
    """The files a run is to land: those at the paths given, else those of every configured source.

    Raises:
        LandError: a path given leads nowhere, or to a folder without a file.
        ConfigError: a source has no file.
    """
    if paths:
        return [incoming for given in paths for incoming in _given_files(given, lake)]
    return [incoming for source in settings.sources for incoming in _source_files(settings, source, lake)]


def _given_files(given: Path, lake: Lake) -> list[Incoming]:
    """The files at a path of the command line."""
    found = find_files(given, lake)
    if not found:
        raise LandError(f"{given}: no files in this folder (hidden entries, links and special files in it are left out)")
    return [Incoming(path, COMMAND_LINE, below) for path, below in found]


def _source_files(settings: Settings, source: SourceSettings, lake: Lake) -> list[Incoming]:
    """The files of a configured source: those at its location, a folder, a file or a pattern."""
    location = Path(source.location)
    base = location if location.is_absolute() else settings.config_dir / location
    if base.exists():
        found = find_files(base, lake)
    else:
        fixed = next(parent for parent in base.parents if not any(mark in str(parent) for mark in "*?["))
        matches = sorted(fixed.glob(base.relative_to(fixed).as_posix())) if fixed.is_dir() else []
        found = [(path, unicode_name(path.relative_to(fixed).as_posix())) for path in matches if path.is_file()]
    if not found:
        raise ConfigError(f"sources.toml [sources.{source.name}]: no file at location = {source.location!r} (looked at {base})")
    return [Incoming(path, source.name, below) for path, below in found]
