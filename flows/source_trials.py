"""This module tries a source without changing anything: whether it is to be had, and how much it is.

For `paperlake sources check`: `try_source` asks each address of a source once, for its first bytes, and looks at each other
location. It needs no lock, and writes neither to the lake nor to `lake/state/`. What it says holds no secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flows.fetch_secrets import SecretError, Secrets
from flows.incoming import located_files
from flows.settings import Settings, SourceSettings
from flows.source_settings import is_address
from transforms.schemas import PaperlakeError
from warehouse.layout import Lake
from warehouse.names import unicode_name

_TRIED_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class LocationTrial:
    """One location of a source: with `failure` why it is not to be had, else what there is.

    `location` is as sources.toml has it. `size_bytes` is None where the server does not say it. Of an address `content_type`
    and `etag` are what the server says, and `is_resumable` whether a download can go on where it ended.
    """

    location: str
    failure: str | None = None
    file_count: int = 0
    size_bytes: int | None = None
    content_type: str | None = None
    etag: str | None = None
    is_resumable: bool | None = None


@dataclass(frozen=True, slots=True)
class SourceTrial:
    """A source and its locations."""

    source: str
    locations: tuple[LocationTrial, ...]

    @property
    def is_ok(self) -> bool:
        """Whether all of it is to be had."""
        return all(trial.failure is None for trial in self.locations)

    @property
    def failures(self) -> list[str]:
        """Why not, a sentence each."""
        return [trial.failure for trial in self.locations if trial.failure is not None]


def try_source(settings: Settings, source: SourceSettings, lake: Lake) -> SourceTrial:
    """Tries each location of a source; an address is asked once, and not again where that fails."""
    secrets = Secrets()
    return SourceTrial(
        source.name,
        tuple(
            _try_address(settings, source, location, secrets)
            if is_address(location)
            else _try_files(settings, source, location, lake)
            for location in source.location
        ),
    )


def _try_files(settings: Settings, source: SourceSettings, location: str, lake: Lake) -> LocationTrial:
    try:
        files = located_files(settings, source, location, lake).files
        return LocationTrial(location, None, len(files), sum(path.stat().st_size for path, _ in files))
    except (PaperlakeError, OSError) as error:
        return LocationTrial(location, str(error))


def _try_address(settings: Settings, source: SourceSettings, address: str, secrets: Secrets) -> LocationTrial:
    from flows.fetch_http import Clock, FetchError, Turns
    from flows.fetching import asking_for

    try:
        asking = asking_for(settings, source, address, secrets, Turns(Clock()))
        with asking.get({"Range": f"bytes=0-{_TRIED_BYTES - 1}"}) as reply:
            status, headers, length = reply.status, reply.headers, reply.content_length
        failure = _failure(status, settings.fetch_settings(source).bytes, _size(status, headers, length))
    except (FetchError, SecretError) as error:
        status, headers, length, failure = 0, {}, None, str(error)
    if failure is not None:
        return LocationTrial(address, secrets.redacted(f"{address}: {failure}"))

    def said(name: str) -> str | None:
        text = headers.get(name)
        return secrets.redacted(unicode_name(text[:_LONGEST_SHOWN])) if text else None

    size = _size(status, headers, length)
    return LocationTrial(address, None, 1, size, said("content-type"), said("etag"), status == _PARTIAL)


_LONGEST_SHOWN = 200
_PARTIAL, _EMPTY = 206, 416


def _failure(status: int, most_bytes: int, size: int | None) -> str | None:
    from flows.fetch_download import status_said

    if status not in (200, _PARTIAL, _EMPTY):
        return status_said(status)
    if size is not None and size > most_bytes:
        return f"it has {size} bytes, and at most {most_bytes} are fetched: see bytes of [fetch] and file_bytes of [limits]"
    return None


def _size(status: int, headers: Mapping[str, str], length: int | None) -> int | None:
    """How many bytes the file has: in full by `Content-Range` where only its beginning came, or none of an empty one."""
    if status not in (_PARTIAL, _EMPTY):
        return length
    total = headers.get("content-range", "").rpartition("/")[2]
    return int(total) if total.isascii() and total.isdigit() else None
