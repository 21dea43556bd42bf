"""This module has the files of sources that are addresses: fetched where they are new, known as unchanged where they are not.

A fetch is a land of raw files: what it gives is files in `lake/state/`, and the names they are to have. Nothing that asks a
server is imported before there is an address to ask.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from flows.run_log import log_file
from flows.settings import Settings, SourceSettings
from flows.sources.fetch_addresses import file_name, hashes_by_name
from flows.sources.fetch_secrets import SecretError, Secrets
from flows.sources.fetch_state import FetchMemory, Known, Part, remove_other_parts
from warehouse.landing import Incoming, hash_file
from warehouse.layout import Lake
from warehouse.live import LiveName
from warehouse.stat_cache import StatCache
from warehouse.unpacking import UnpackLimits

if TYPE_CHECKING:
    from flows.sources.fetch_http import Asking, Clock, Turns


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that was fetched and is to land: what is known of it, and the part it lies in until then."""

    known: Known
    part: Part
    limits: UnpackLimits

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.part.path


@dataclass
class SourceFetch:
    """What came of a source's addresses; `failed` says why they could not all be had, and then nothing else counts."""

    fetched: list[Fetched] = field(default_factory=list)
    unchanged: list[LiveName] = field(default_factory=list)
    unchanged_paths: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: str | None = None

    def incoming(self) -> list[Incoming]:
        """The files to land."""
        return [Incoming(fetched.path, fetched.known.source, fetched.known.source_path) for fetched in self.fetched]


def fetch_sources(
    settings: Settings, sources: Sequence[SourceSettings], lake: Lake, *, rehash: bool = False, clock: Clock | None = None
) -> tuple[dict[str, SourceFetch], str | None]:
    """What came of each source that has addresses, by its name, and what is to be said of all of them.

    A server is asked whether a file changed where what it was is still in the lake, and all of it is asked for otherwise, or
    with `rehash`. Call it only while holding the lock.
    """
    from flows.sources.fetch_http import Clock, Turns

    memory, asked = FetchMemory(lake), [(source.name, address) for source in sources for address in source.addresses]
    memory.keep_only(asked)
    remove_other_parts(lake, (Part(lake, name, address) for name, address in asked))
    fetching = _Round(settings, lake, memory, Turns(clock or Clock()), rehash)
    results = {source.name: fetching.source(source) for source in sources if source.addresses}
    memory.save()
    return results, memory.note


@dataclass(frozen=True, slots=True)
class _Round:
    """One round over all sources: what is known, and when each host was asked."""

    settings: Settings
    lake: Lake
    memory: FetchMemory
    turns: Turns
    rehash: bool

    def source(self, source: SourceSettings) -> SourceFetch:
        """Fetches each address; where one fails the source as a whole does, as a part of a source is not the source."""
        from flows.sources.fetch_http import FetchError

        result, secrets = SourceFetch(), Secrets()
        for address in source.addresses:
            try:
                self._address(source, address, secrets, result)
            except (FetchError, SecretError) as error:
                result.failed = secrets.redacted(f"{address}: {error}")
                said = f"not fetched: {result.failed}"
                log_file(logging.WARNING, source.name, file_name(source, address), said, event="fetch_failed")
                break
        return result

    def _address(self, source: SourceSettings, address: str, secrets: Secrets, result: SourceFetch) -> None:
        """Adds to `result` what came of one address."""
        from flows.sources.fetch_download import Wanted, download

        name = file_name(source, address)
        sha256 = (hashes_by_name(source) or {}).get(name)
        known = None if self.rehash else self.memory.of(source.name, address)
        if known is not None and not _still_holds(known, name, sha256, self.settings.unpack_limits(), self.lake):
            known = None
        asking = asking_for(self.settings, source, address, secrets, self.turns)
        part = Part(self.lake, source.name, address)
        wanted = Wanted(name, sha256, known, lambda text: secrets.redacted(text) == text)

        def say(message: str) -> None:
            log_file(logging.WARNING, source.name, name, secrets.redacted(message), event="fetch_attempt_failed")

        start = self.turns.clock.monotonic()
        had = download(asking, part, wanted, say)
        if had.is_unchanged:
            assert known is not None, "a server is asked for changes only where something is known"
            self.memory.keep(dataclasses.replace(known, asked_at=_now()))
            result.unchanged += known.names()
            result.unchanged_paths.append(name)
            return
        _check_content(part, secrets)
        fetched = _fetched(source, address, part, self.settings.unpack_limits())
        result.fetched.append(fetched)
        result.notes += [secrets.redacted(f"{name}: {note}") for note in had.notes]
        _log_fetched(fetched, had.attempts, self.turns.clock.monotonic() - start)


def asking_for(settings: Settings, source: SourceSettings, address: str, secrets: Secrets, turns: Turns) -> Asking:
    """The requests for one address of a source, its secrets filled in.

    Raises:
        SecretError: one is not to be had.
    """
    from flows.sources.fetch_http import Asking

    headers = {header: secrets.filled(value) for header, value in source.headers.items()}
    return Asking(secrets.filled(address, in_address=True), headers, settings.fetch_settings(source), turns)


def _check_content(part: Part, secrets: Secrets) -> None:
    """Refuses a file in which its server repeats a secret, as answers do that quote their request."""
    from flows.sources.fetch_http import FetchError

    if mark := secrets.repeated_in(part.path):
        part.discard()
        raise FetchError(
            f"what came repeats the secret {mark}, which would be in the lake and in releases: ask for a form without it, or "
            "write the value itself in its place if it is no secret"
        )


def _fetched(source: SourceSettings, address: str, part: Part, limits: UnpackLimits) -> Fetched:
    now, facts = _now(), part.facts
    known = Known(
        source=source.name,
        address=address,
        source_path=file_name(source, address),
        etag=facts.etag,
        last_modified=facts.last_modified,
        sha256=hash_file(part.path),
        size_bytes=part.size(),
        fetched_at=now,
        asked_at=now,
        landed_as=(),
        limits=(),
    )
    return Fetched(known, part, limits)


def _log_fetched(fetched: Fetched, attempts: int, seconds: float) -> None:
    known = fetched.known
    log_file(
        logging.INFO,
        known.source,
        known.source_path,
        f"fetched, {known.size_bytes:,} bytes; {seconds:.1f} s",
        event="fetched",
        size_bytes=known.size_bytes,
        attempts=attempts,
        seconds=round(seconds, 3),
    )


def _still_holds(known: Known, name: str, sha256: str | None, limits: UnpackLimits, lake: Lake) -> bool:
    """Whether what is known of an address would do if its server says that nothing changed."""
    is_itself = [below for below, *_ in known.landed_as] == [""]
    is_looked_into = is_itself or known.limits == tuple(dataclasses.astuple(limits))
    return known.source_path == name and sha256 in (None, known.sha256) and is_looked_into and known.is_in(lake)


def note_fetched(lake: Lake, fetched: Iterable[Fetched]) -> None:
    """Remembers what was fetched, now that it has landed, and removes the files it was fetched into."""
    fetched = list(fetched)
    if not fetched:
        return
    memory = FetchMemory(lake)
    for each in fetched:
        parts = StatCache.read(lake, each.limits).parts(each.path)
        if parts:
            landed_as = tuple((part.below, part.sha256, part.size_bytes) for part in parts)
            memory.keep(dataclasses.replace(each.known, landed_as=landed_as, limits=tuple(dataclasses.astuple(each.limits))))
    memory.save()
    for each in fetched:
        each.part.discard()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
