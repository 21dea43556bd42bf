"""This module has one file from an address: attempt by attempt, going on where the last one ended, and only what is whole."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from flows.sources.fetch_http import Asking, FetchError, Reply, wait_asked
from flows.sources.fetch_state import Known, Part, PartFacts
from warehouse.landing import hash_file

_OVERLAP_BYTES = 65_536
"""How much of what one has is asked for again: other content under the same ETag is found by it, and a torn end."""

_DATED_SECONDS = 60  # RFC 9110, 8.8.2.2: a date this much older than the answer tells one content from the next


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of an address: under which name, with which hash if one is set, and what is known of it.

    `is_clean` says of a text whether it holds no secret; a server may send one back.
    """

    file_name: str
    sha256: str | None
    known: Known | None
    is_clean: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Had:
    """How an address answered: with `is_unchanged` its file is as known, else it lies in the part."""

    is_unchanged: bool = False
    notes: tuple[str, ...] = ()
    attempts: int = 1


class _StartOverError(Exception):
    """What is there does not fit what the server has now."""


def download(asking: Asking, part: Part, wanted: Wanted, say: Callable[[str], None]) -> Had:
    """Fetches an address into its part, or finds it unchanged; `say` is told of each attempt that failed.

    Raises:
        FetchError: it could not be had. What came of it stays in the part where the next run can go on from there.
    """
    attempts = 0
    while True:
        attempts += 1
        try:
            is_unchanged, notes = _attempt(asking, part, wanted)
        except _StartOverError:  # asks for all of it next, which cannot end here again
            say("what is there in part is of another content; started over")
            part.discard()
            attempts -= 1
        except FetchError as error:
            pause = _pause(asking, error, attempts)
            say(f"attempt {attempts} failed: {error}; again in {pause:.1f} s")
            asking.clock.sleep(pause)
        else:
            return Had(is_unchanged, notes, attempts)


def _pause(asking: Asking, error: FetchError, attempts: int) -> float:
    """How long to wait before the next attempt.

    Raises:
        FetchError: there is to be none.
    """
    limits = asking.limits
    if not error.is_passing:
        raise error
    tried = f"{error}, after {attempts} attempt{'' if attempts == 1 else 's'}"
    if attempts >= limits.attempts:
        raise FetchError(f"{tried}; the next run tries again")
    if error.wait_seconds > limits.max_backoff_seconds:
        raise FetchError(
            f"{tried}; the server asks to wait {error.wait_seconds:g} s, more than max_backoff_seconds = "
            f"{limits.max_backoff_seconds:g}, so the next run tries again"
        )
    growing: float = min(limits.backoff_seconds * 2 ** min(attempts - 1, 30), limits.max_backoff_seconds)
    pause = max(growing * (0.5 + asking.clock.jitter() / 2), error.wait_seconds)
    if pause >= asking.remaining_seconds():
        raise FetchError(f"{tried}; no time is left of total_seconds = {limits.total_seconds:g}; the next run tries again")
    return pause


def _attempt(asking: Asking, part: Part, wanted: Wanted) -> tuple[bool, tuple[str, ...]]:
    """One request: whether the file is unchanged, and what is to be said of it."""
    facts, known, start = part.facts, wanted.known, -1
    if part.is_whole() and (facts.etag or facts.last_modified):
        conditions = _if_changed(facts.etag, facts.last_modified)
    elif not part.is_whole() and part.size() and facts.validator:
        start = max(0, part.size() - _OVERLAP_BYTES)
        conditions = {"Range": f"bytes={start}-", "If-Range": facts.validator}
    else:
        part.discard()
        conditions = _if_changed(known.etag, known.last_modified) if known else {}
    with asking.get(conditions) as reply:
        if reply.status == HTTPStatus.NOT_MODIFIED and conditions and start < 0:
            if part.is_whole():
                _check_sha256(part, wanted.sha256)
            return not part.is_whole(), ()
        if start >= 0 and reply.status == HTTPStatus.PARTIAL_CONTENT:
            _resume(reply, part, start, asking.limits.bytes)
        elif start >= 0 and reply.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise _StartOverError
        elif reply.status == HTTPStatus.OK:
            _receive(reply, part, wanted, asking.limits.bytes)
        else:
            raise _refusal(reply)
        _check_whole(reply, part)
        _check_sha256(part, wanted.sha256)
        part.finish()
        return False, tuple(_notes(reply, wanted.file_name))


def _if_changed(etag: str | None, last_modified: str | None) -> dict[str, str]:
    return {"If-None-Match": etag} if etag else {"If-Modified-Since": last_modified} if last_modified else {}


def _receive(reply: Reply, part: Part, wanted: Wanted, most_bytes: int) -> None:
    """Takes all of a body."""
    _check_encoding(reply)
    if (reply.content_length or 0) > most_bytes:
        raise FetchError(too_large(f"{reply.content_length} bytes", most_bytes))
    with part.begin(_facts(reply, wanted)) as file:
        _write(reply, part, file, 0, most_bytes, b"")


def _resume(reply: Reply, part: Part, start: int, most_bytes: int) -> None:
    """Takes the rest of a body, if it is the rest of what is there."""
    found = _CONTENT_RANGE.fullmatch(reply.headers.get("content-range", "").strip())
    etag = reply.headers.get("etag")
    if found is None or int(found[1]) != start or (etag and part.facts.etag and etag != part.facts.etag):
        raise _StartOverError
    if found[3] == "*" or part.facts.total_bytes not in (None, int(found[3])):
        raise _StartOverError
    _check_encoding(reply)
    if int(found[3]) > most_bytes:
        part.discard()
        raise FetchError(too_large(f"{found[3]} bytes", most_bytes))
    overlap = part.tail(part.size() - start)
    with part.extend() as file:
        _write(reply, part, file, start + len(overlap), most_bytes, overlap)
    if part.size() != int(found[3]):
        raise FetchError(f"{part.size()} of {found[3]} bytes came", is_passing=True)


_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")


def _write(reply: Reply, part: Part, file: BinaryIO, size: int, most_bytes: int, overlap: bytes) -> None:
    """Writes a body that begins with `overlap`, which is there already; `size` is that of the file."""
    for chunk in reply.chunks():
        shared = min(len(chunk), len(overlap))
        if chunk[:shared] != overlap[:shared]:
            raise _StartOverError
        overlap, fresh = overlap[shared:], chunk[shared:]
        size += len(fresh)
        if size > most_bytes:
            part.discard()
            raise FetchError(too_large("more than that", most_bytes))
        file.write(fresh)


def too_large(size: str, most_bytes: int) -> str:
    """Why a file of this size is not fetched."""
    return f"it has {size}, and at most {most_bytes} bytes are fetched: see bytes of [fetch] and file_bytes of [limits]"


def _facts(reply: Reply, wanted: Wanted) -> PartFacts:
    def clean(name: str) -> str | None:
        text: str | None = reply.headers.get(name)
        is_sound = text and text.isascii() and text.isprintable() and len(text) <= _LONGEST_VALIDATOR
        return text if is_sound and wanted.is_clean(text or "") else None  # it is sent back, so it must be sendable

    etag, last_modified = clean("etag"), clean("last-modified")
    try:
        age = parsedate_to_datetime(reply.headers.get("date", "")) - parsedate_to_datetime(last_modified or "")
        is_dated = age.total_seconds() >= _DATED_SECONDS
    except (ValueError, TypeError):
        is_dated = False
    return PartFacts(etag, last_modified, is_dated, reply.content_length)


_LONGEST_VALIDATOR = 1_000


def _check_encoding(reply: Reply) -> None:
    """Refuses a content encoding, unless it is one that paperlake reads by itself: such a file is kept as it came.

    An object that its owner stored compressed comes so whatever one asks for.
    """
    encoding = reply.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", *_READ_ENCODINGS):
        raise FetchError(f"the server sends it in the content encoding {encoding[:40]!r}, although it was asked not to")


_READ_ENCODINGS = ("gzip", "x-gzip", "zstd")


def _check_whole(reply: Reply, part: Part) -> None:
    """Holds what came against what the server states of it (RFC 9530; RFC 3230 and Content-MD5 before it)."""
    if part.facts.total_bytes not in (None, part.size()):
        raise FetchError(f"{part.size()} of {part.facts.total_bytes} bytes came", is_passing=True)
    stated = [("Repr-Digest", reply.headers.get("repr-digest", "")), ("Digest", reply.headers.get("digest", ""))]
    if reply.status == HTTPStatus.OK:  # these two are of the bytes of one answer
        md5 = reply.headers.get("content-md5", "")
        stated += [("Content-Digest", reply.headers.get("content-digest", "")), ("Content-MD5", md5 and f"md5={md5}")]
    for header, text in stated:
        for algorithm, digest in _digests(text).items():
            if digest != _file_digest(part.path, algorithm):
                part.discard()
                raise FetchError(f"what came is not what the server's {header} ({algorithm}) says", is_passing=True)


def _digests(text: str) -> Mapping[str, bytes]:
    """The digests a header states, of the algorithms that are known.

    >>> _digests("sha-256=:qqo=:, unixsum=30637"), _digests("SHA-512=qqo=")
    ({'sha256': b'\\xaa\\xaa'}, {'sha512': b'\\xaa\\xaa'})
    """
    found = {}
    for stated in text.split(","):
        name, _, value = stated.strip().partition("=")
        try:
            digest = base64.b64decode(value.strip(":"), validate=True)
        except (binascii.Error, ValueError):
            continue
        if digest and name.lower() in _ALGORITHMS:
            found[_ALGORITHMS[name.lower()]] = digest
    return found


_ALGORITHMS = {"sha-256": "sha256", "sha-512": "sha512", "md5": "md5"}


def _file_digest(path: Path, algorithm: str) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False)).digest()


def _check_sha256(part: Part, wanted: str | None) -> None:
    """Refuses what is not what its block says it is."""
    if wanted is not None and (found := hash_file(part.path)) != wanted:
        part.discard()
        raise FetchError(f"its sha256 is {found}, and its block says {wanted}: set the new one if the change is known")


def _notes(reply: Reply, file_name: str) -> list[str]:
    encoding = reply.headers.get("content-encoding", "").strip().lower()
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    notes = []
    if not reply.has_end:
        notes.append("the server did not say how long it is; whether all of it came cannot be known")
    if encoding in _READ_ENCODINGS:
        notes.append(f"it came compressed ({encoding}) although it was asked for as it is, and is kept so")
    if kind == "text/html" and PurePosixPath(file_name).suffix.lower() not in (".html", ".htm", ".xhtml"):
        notes.append("it came as text/html: maybe a page, of a login or an error, in place of the list")
    return notes


def _refusal(reply: Reply) -> FetchError:
    """What a status means that is no answer."""
    is_passing = reply.status >= _FIRST_SERVER_ERROR or reply.status in (408, 425, 429, 206, 304)
    return FetchError(status_said(reply.status), is_passing=is_passing, wait_seconds=wait_asked(reply.headers))


def status_said(status: int) -> str:
    """A status that is no answer, in words, with what to do.

    >>> status_said(404), status_said(599)
    ('status 404 (Not Found): look whether the list has moved', 'status 599')
    """
    phrase = next((f" ({known.phrase})" for known in HTTPStatus if known == status), "")
    return f"status {status}{phrase}{_ADVICE.get(status, '')}"


_FIRST_SERVER_ERROR = 500

_ADVICE = {
    401: ": it wants a secret; see headers in the comments of sources.toml",
    403: ": it may not be had with this secret, or from here",
    404: ": look whether the list has moved",
    410: ": the list is gone for good",
}
