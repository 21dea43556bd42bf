"""This module asks an address whether its file is to be had, without having it: no lock is needed, and nothing written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flows.settings import Settings, SourceSettings
from flows.sources.fetch_secrets import SecretError, Secrets
from warehouse.names import unicode_name

_TRIED_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class AddressTrial:
    """What a server said. `message` is why the file is not to be had, or what else is worth knowing of it; no secret is in it.

    `size_bytes` is None where the server does not say it, `is_resumable` whether a download can go on where it ended.
    """

    is_ok: bool
    message: str | None = None
    size_bytes: int | None = None
    content_type: str | None = None
    etag: str | None = None
    is_resumable: bool = False


def try_address(settings: Settings, source: SourceSettings, address: str) -> AddressTrial:
    """Asks once for the first bytes of an address, and not again where that fails."""
    from flows.sources.fetch_http import Clock, FetchError, Turns
    from flows.sources.fetching import asking_for

    secrets = Secrets()
    try:
        asking = asking_for(settings, source, address, secrets, Turns(Clock()))
        with asking.get({"Range": f"bytes=0-{_TRIED_BYTES - 1}"}) as reply:
            status, headers, size = reply.status, reply.headers, reply.content_length
    except (FetchError, SecretError) as error:
        return AddressTrial(False, secrets.redacted(str(error)))
    if status in (_PARTIAL, _EMPTY):
        size = _total(headers)
    if (failure := _failure(status, size, settings.fetch_settings(source).bytes)) is not None:
        return AddressTrial(False, failure, size)

    def said(name: str) -> str | None:
        text = headers.get(name)
        return secrets.redacted(unicode_name(text[:_LONGEST_SHOWN])) if text else None

    kind, etag, is_resumable = said("content-type"), said("etag"), status == _PARTIAL
    words = [kind] if kind else []
    words += [] if etag or said("last-modified") else ["its server never says that nothing changed: it is fetched every time"]
    text = "; ".join(words) + ("" if is_resumable or status == _EMPTY else " (no resuming)")
    return AddressTrial(True, text.strip() or None, size, kind, etag, is_resumable)


_LONGEST_SHOWN = 200
_PARTIAL, _EMPTY = 206, 416


def _failure(status: int, size: int | None, most_bytes: int) -> str | None:
    from flows.sources.fetch_download import status_said, too_large

    if status not in (200, _PARTIAL, _EMPTY):
        return status_said(status)
    return too_large(f"{size} bytes", most_bytes) if size is not None and size > most_bytes else None


def _total(headers: Mapping[str, str]) -> int | None:
    """How many bytes the file has, where only its beginning came, or none of an empty one."""
    total = headers.get("content-range", "").rpartition("/")[2]
    return int(total) if total.isascii() and total.isdigit() else None
