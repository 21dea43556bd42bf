"""A server on this machine that answers as it is told, well or badly, and counts what it sends; and a project that asks it."""

from __future__ import annotations

import socketserver
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

import pytest

from flows.settings import load_settings
from flows.sources.fetch_http import Clock
from flows.sources.fetching import SourceFetch, fetch_sources, note_fetched
from warehouse.landing import land_files
from warehouse.layout import Lake

Piece = bytes | float | None
"""What an answer is made of: bytes are sent, a number is waited for in seconds, None cuts the connection."""


@dataclass
class Request:
    path: str
    headers: dict[str, str]


Answer = Callable[[Request], Iterable[Piece]]


def head(status: int, headers: dict[str, Any]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Said\r\nConnection: close\r\n{lines}\r\n".encode()


def says(status: int, body: bytes = b"", **headers: Any) -> Answer:
    """Always the same answer; a header's name is written with _ for -, and `length` is a lie about the length."""
    length = headers.pop("length", len(body))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if length is not None:
        named["Content-Length"] = length
    return lambda _: [head(status, named), body]


def serves(body: bytes, etag: str | None = '"1"', *, cut_at: int | None = None, **headers: Any) -> Answer:
    """Answers as a good server does, conditions and ranges included; with `cut_at` the connection ends after so many bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()} | ({"ETag": etag} if etag else {})

    def answer(request: Request) -> Iterable[Piece]:
        if etag and request.headers.get("if-none-match") == etag:
            return [head(304, named)]
        start = int(request.headers.get("range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        is_part = "range" in request.headers and request.headers.get("if-range", etag) == etag
        sent = body[start:] if is_part else body
        said = {**named, "Content-Length": len(sent)}
        if is_part:
            said["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        return [head(206 if is_part else 200, said), sent if cut_at is None else sent[:cut_at]]

    return answer


class Server:
    """Takes requests in threads; `at` says what a path answers, one answer after the other, the last for ever."""

    def __init__(self, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.sent_bytes = 0
        self._answers: dict[str, list[Answer]] = {}
        self._tls = tls
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                outer._handle(self.request)

        class Listener(socketserver.ThreadingTCPServer):
            allow_reuse_address, daemon_threads = True, True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that went away is part of the game."""

        self._listener = Listener((host, 0), Handler)
        self.host, self.port = host, self._listener.server_address[1]
        threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def at(self, path: str, *answers: Answer) -> str:
        self._answers[path] = list(answers)
        return f"{'https' if self._tls else 'http'}://{self.host}:{self.port}{path}"

    def asked(self, header: str) -> list[str | None]:
        return [request.headers.get(header) for request in self.requests]

    def close(self) -> None:
        self._listener.shutdown()
        self._listener.server_close()

    def _handle(self, connection: Any) -> None:
        if self._tls:
            connection = self._tls.wrap_socket(connection, server_side=True)
        text = b""
        while b"\r\n\r\n" not in text:
            if not (chunk := connection.recv(65_536)):
                return
            text += chunk
        lines = text.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines[1:] if ":" in line)
        request = Request(lines[0].split(" ")[1], {name.lower(): value.strip() for name, _, value in pairs})
        self.requests.append(request)
        answers = self._answers[request.path.partition("?")[0]]
        for piece in (answers.pop(0) if len(answers) > 1 else answers[0])(request):
            if isinstance(piece, bytes):
                connection.sendall(piece)
                self.sent_bytes += len(piece)
            elif piece is None:
                connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                break
            else:
                time.sleep(piece)
        connection.close()


@dataclass
class Waits:
    """A clock on which waiting takes no time, but is counted."""

    slept: list[float] = field(default_factory=list)

    def clock(self) -> Clock:
        return Clock(lambda: time.monotonic() + sum(self.slept), self.slept.append, lambda: 1.0)


class Desk:
    """A project of one source with an address, and its lake, without the steps after landing."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lake, self.waits = folder, Lake(folder / "lake"), Waits()
        (folder / "config").mkdir(exist_ok=True)

    def fetch(self, location: str | list[str], block: str = "", fetch: str = "", **words: Any) -> SourceFetch:
        """What comes of the source's addresses; it does not land."""
        (self.folder / "config" / "pipeline.toml").write_text(f"[fetch]\nrequests_per_minute = 0\n{fetch}")
        (self.folder / "config" / "sources.toml").write_text(f"[sources.club]\nlocation = {location!r}\n{block}")
        settings = load_settings(self.folder / "config")
        self.lake.state_dir.mkdir(parents=True, exist_ok=True)
        results, self.note = fetch_sources(settings, settings.sources, self.lake, clock=self.waits.clock(), **words)
        return results["club"]

    def land(self, result: SourceFetch) -> list[tuple[str, int]]:
        """Lands what was fetched, and remembers it; the names and sizes that are in the lake then."""
        landed = land_files(self.lake, result.incoming(), max_bytes=10**9)
        note_fetched(self.lake, result.fetched)
        return [(name.source_path, name.size_bytes) for name in landed.names]

    def content(self, result: SourceFetch) -> bytes:
        assert result.failed is None, result.failed
        (fetched,) = result.fetched
        return fetched.path.read_bytes()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Starts servers, and closes them."""
    servers: list[Server] = []

    def started(*arguments: Any, **words: Any) -> Server:
        servers.append(Server(*arguments, **words))
        return servers[-1]

    yield started
    for server in servers:
        server.close()


@pytest.fixture
def server(start: Callable[..., Server]) -> Server:
    return start()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def answers() -> Any:
    """The answers a server may give: `says`, `serves`, and `head` for those put together by hand."""

    class Answers:
        says, serves, head = staticmethod(says), staticmethod(serves), staticmethod(head)

    return Answers
