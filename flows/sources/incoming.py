"""This module finds the files a run is to land: those given on the command line, or those of the configured sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from flows.settings import Settings, SourceSettings
from flows.source_settings import is_address
from warehouse.landing import Incoming, LandError, Search, search
from warehouse.layout import Lake
from warehouse.live import COMMAND_LINE, LiveName
from warehouse.names import unicode_name

if TYPE_CHECKING:
    from flows.sources.fetching import Fetched, SourceFetch


@dataclass
class Found:
    """The files a run is to land, and what is to be said of what was left out.

    `failed` says of a source why it could not be had at all this time. `unchanged` are names that a server said are as they
    were, which count as landed without a file; `unchanged_given` is source and path of those files. `fetched` is what was
    downloaded; each has its entry in `files`.
    """

    files: list[Incoming] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    unchanged: list[LiveName] = field(default_factory=list)
    unchanged_given: list[tuple[str, str]] = field(default_factory=list)
    fetched: list[Fetched] = field(default_factory=list)

    def add(self, found: Search, source: str, where: str) -> None:
        """Takes what a search at one place found."""
        self.files += [Incoming(path, source, below) for path, below in found.files]
        if note := left_out_note(found.left_out):
            self.notes.append(f"{unicode_name(where)}: {note}")


def find_incoming(settings: Settings, paths: Sequence[Path], lake: Lake, *, rehash: bool = False, fetch: bool = True) -> Found:
    """The files a run is to land: those at the paths given, else those of every configured source.

    Addresses are fetched into the lake, whose lock must be held; with `rehash` also what did not change. Without `fetch` none
    is asked, and a note says so.

    Raises:
        LandError: a path given leads nowhere, or to a folder without a file.
    """
    found = Found()
    for given in paths:
        found.add(_given_files(given, lake), COMMAND_LINE, str(given))
    if not paths:
        fetches = _fetches(settings, lake, found, rehash=rehash, fetch=fetch)
        for source in settings.sources:
            _add_source(settings, source, lake, fetches.get(source.name), found)
    return found


def _fetches(settings: Settings, lake: Lake, found: Found, *, rehash: bool, fetch: bool) -> Mapping[str, SourceFetch]:
    """What came of the sources that have addresses, by their names."""
    named = [source.name for source in settings.sources if source.addresses]
    if not named:
        return {}
    if not fetch:
        found.notes += [f"{name}: its addresses are not asked in a dry run" for name in named]
        return {}
    from flows.sources.fetching import fetch_sources  # here: a run without an address imports nothing that asks servers

    results, note = fetch_sources(settings, settings.sources, lake, rehash=rehash)
    found.notes += [note] if note else []
    return results


def _add_source(settings: Settings, source: SourceSettings, lake: Lake, fetch: SourceFetch | None, found: Found) -> None:
    """Adds the files of one source to what was found, or why it could not be had."""
    local = Found()
    try:
        for location in source.location:
            if not is_address(location):
                local.add(located_files(settings, source, location, lake), source.name, source.name)
    except (LandError, OSError) as error:
        found.failed[source.name] = str(error)
        return
    paths = [file.source_path for file in local.files] + _address_names(source)
    twice = [path for path, count in Counter(paths).items() if count > 1]
    if fetch and fetch.failed:
        found.failed[source.name] = fetch.failed
    elif twice:
        found.failed[source.name] = (
            f"two of its files are called {twice[0]}, and the later would replace the first: give each location a source "
            "of its own"
        )
    else:
        found.files += [*local.files, *(fetch.incoming() if fetch else [])]
        found.notes += [*local.notes, *(fetch.notes if fetch else [])]
        if fetch:
            found.unchanged += fetch.unchanged
            found.unchanged_given += [(source.name, path) for path in fetch.unchanged_paths]
            found.fetched += fetch.fetched


def _address_names(source: SourceSettings) -> list[str]:
    """What the files from the addresses of a source are called."""
    if not source.addresses:
        return []
    from flows.sources.fetch_addresses import file_name

    return [file_name(source, address) for address in source.addresses]


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


def located_files(settings: Settings, source: SourceSettings, place: str, lake: Lake) -> Search:
    """The files at one location of a configured source: a folder, a file or a pattern.

    Raises:
        LandError: there is none, or they cannot be looked for.
    """
    location = Path(place)
    base = location if location.is_absolute() else settings.config_dir / location
    if base.exists():
        found = search(base, lake)
    else:
        fixed = next(parent for parent in base.parents if not any(mark in str(parent) for mark in "*?["))
        try:
            matches = sorted(fixed.glob(base.relative_to(fixed).as_posix())) if fixed.is_dir() else []
        except ValueError as error:  # as of `lists/**.csv`
            raise LandError(
                f"sources.toml [sources.{source.name}]: location = {place!r} is no pattern of files: {error}"
            ) from error
        found = Search([(path, unicode_name(path.relative_to(fixed).as_posix())) for path in matches if path.is_file()])
    if not found.files:
        raise LandError(f"sources.toml [sources.{source.name}]: no file at location = {place!r} (looked at {base})")
    return found
