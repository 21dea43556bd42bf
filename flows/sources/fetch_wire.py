"""This module watches the bytes of a connection: who the peer is, that time is kept, and that no more comes than was said.

httpx reads as many bytes as `Content-Length` says and drops the rest unseen, so a length that is too small would cut a list
short without a trace. The connection is watched through the trace extension of httpcore, where each stream it opens is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import httpcore

_END_OF_HEAD = re.compile(rb"\n\r?\n")  # as h11 has it: a line may end without a carriage return
_INTERIM = re.compile(rb"HTTP/1\.\d 1")
_WAIT_SECONDS = 0.5
"""How long one waits for the end of a connection that was to be closed; servers close it at once."""


class Wire:
    """One request's connection. `remaining_seconds` raises when time is up, `check_peer` when nobody should be there."""

    def __init__(self, remaining_seconds: Callable[[], float], check_peer: Callable[[str], None]) -> None:
        self._remaining_seconds, self._check_peer = remaining_seconds, check_peer
        self._stream: httpcore.NetworkStream | None = None
        self._head: bytes | None = b""
        self._body_bytes = 0

    def trace(self, event: str, details: Mapping[str, Any]) -> None:
        """Takes the events of httpcore."""
        if event == "connection.connect_tcp.complete":
            stream = details["return_value"]
            try:
                self._check_peer(str(stream.get_extra_info("server_addr")[0]))
            except BaseException:
                stream.close()
                raise
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._watch(details["return_value"])

    def has_more_than(self, length: int) -> bool:
        """Whether more of a body came than this length, as far as one can tell."""
        if self._stream is None or self._head is not None:
            return False
        if self._body_bytes == length:
            try:
                self._stream.read(65_536, timeout=_WAIT_SECONDS)
            except (httpcore.NetworkError, httpcore.TimeoutException):
                return False
        return self._body_bytes > length

    def _watch(self, stream: httpcore.NetworkStream) -> None:
        """Counts what is read from a stream from now on; the one before, if any, was that of a proxy or before encryption."""
        self._stream, self._head, self._body_bytes = stream, b"", 0
        read = stream.read

        def watched(max_bytes: int, timeout: float | None = None) -> bytes:
            left = self._remaining_seconds()
            chunk = read(max_bytes, left if timeout is None else min(timeout, left))
            self._count(chunk)
            return chunk

        stream.read = watched  # type: ignore[method-assign]

    def _count(self, chunk: bytes) -> None:
        if self._head is None:
            self._body_bytes += len(chunk)
            return
        self._head += chunk
        while end := _END_OF_HEAD.search(self._head):
            rest = self._head[end.end() :]
            if not _INTERIM.match(self._head):  # interim answers come before the answer
                self._head, self._body_bytes = None, len(rest)
                return
            self._head = rest
