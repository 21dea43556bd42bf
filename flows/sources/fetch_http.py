"""This module asks a server for one file: redirects followed as far as is safe, limits of time kept, lies noticed.

httpx honours the environment: HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE are an administrator's to set. It reads no .netrc, so a
secret goes nowhere that sources.toml does not name. Certificates are always checked.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from flows.source_settings import FetchSettings
from flows.sources.fetch_addresses import is_loopback, is_private, origin, shown_target
from flows.sources.fetch_wire import Wire
from transforms.schemas import PaperlakeError


class FetchError(PaperlakeError):
    """A file that could not be had. With `is_passing` it may be later, after `wait_seconds` if the server says so."""

    def __init__(self, message: str, *, is_passing: bool = False, wait_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.is_passing, self.wait_seconds = is_passing, wait_seconds


@dataclass(frozen=True, slots=True)
class Clock:
    """What time it is, how one waits, and a number from 0 to 1 that differs each time; tests have their own."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


@dataclass
class Turns:
    """When each host was asked last, so that none is asked more often than it is to be."""

    clock: Clock
    _asked: dict[str, float] = field(default_factory=dict)

    def take(self, host: str, per_minute: float) -> None:
        """Waits until the host may be asked again; with 0 a minute there is no limit."""
        if per_minute and host in self._asked:
            self.clock.sleep(max(0.0, self._asked[host] + 60 / per_minute - self.clock.monotonic()))
        self._asked[host] = self.clock.monotonic()


class Reply:
    """What a server answered at the end of all redirects."""

    def __init__(self, response: httpx.Response, wire: Wire) -> None:
        self._response, self._wire = response, wire
        self.status = response.status_code
        self.headers = response.headers

    @property
    def content_length(self) -> int | None:
        """How many bytes the server says it sends; None where it does not say."""
        given = self.headers.get("content-length", "")
        return int(given) if given.isascii() and given.isdigit() and "transfer-encoding" not in self.headers else None

    @property
    def has_end(self) -> bool:
        """Whether the end of the body can be told from a connection that was cut."""
        return self.content_length is not None or "chunked" in self.headers.get("transfer-encoding", "").lower()

    def chunks(self) -> Iterator[bytes]:
        """The body as it was sent, not decoded.

        Raises:
            FetchError: it ended early, came too slowly, or was longer than the server said.
        """
        assert isinstance(self._response.stream, httpx.SyncByteStream)
        yield from self._response.stream  # iter_raw would close the connection before one can see whether more comes
        if (length := self.content_length) is not None and self._wire.has_more_than(length):
            raise FetchError(f"the server sent more than the {length} bytes it announced", is_passing=True)


class Asking:
    """The requests for one address, until a deadline."""

    def __init__(self, address: str, headers: Mapping[str, str], limits: FetchSettings, turns: Turns) -> None:
        self.limits, self.clock = limits, turns.clock
        self._address, self._headers, self._turns = address, dict(headers), turns
        self._deadline = self.clock.monotonic() + limits.total_seconds
        self._is_from_public = False

    def remaining_seconds(self) -> float:
        """How much time is left.

        Raises:
            FetchError: none is.
        """
        left = self._deadline - self.clock.monotonic()
        if left <= 0:
            raise FetchError(f"it took longer than total_seconds = {self.limits.total_seconds:g}")
        return left

    @contextmanager
    def get(self, conditions: Mapping[str, str]) -> Iterator[Reply]:
        """The answer to one GET with these further headers, for a `with` block that reads its body.

        Raises:
            FetchError: there is no answer, or a redirect leads where it may not.
        """
        try:
            with _nothing_logged(), _client() as client, self._followed(client, conditions) as reply:
                yield reply
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise self._fault(error) from None

    @contextmanager
    def _followed(self, client: httpx.Client, conditions: Mapping[str, str]) -> Iterator[Reply]:
        address, visited = self._address, {self._address}
        while True:
            response, wire = self._send(client, address, conditions)
            try:
                target = _redirect_target(response, address)
                if target is None:
                    yield Reply(response, wire)
                    return
            finally:
                response.close()
            self._check_redirect(address, target, visited)
            visited.add(target)
            address = target

    def _send(self, client: httpx.Client, address: str, conditions: Mapping[str, str]) -> tuple[httpx.Response, Wire]:
        self._turns.take(urlsplit(address).hostname or "", self.limits.requests_per_minute)
        wire = Wire(self.remaining_seconds, self._peer_check(address))
        own = self._headers if origin(address) == origin(self._address) else {}  # a secret is for whom it was given
        request = client.build_request(
            "GET",
            address,
            headers={"User-Agent": "paperlake", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
            | own
            | dict(conditions),
            timeout=httpx.Timeout(
                min(self.limits.read_timeout_seconds, self.remaining_seconds()), connect=self.limits.connect_timeout_seconds
            ),
            extensions={"trace": wire.trace},
        )
        return client.send(request, stream=True), wire

    def _peer_check(self, address: str) -> Callable[[str], None]:
        """Looks at whom a connection was made to: a name may stand for any number."""
        parts = urlsplit(address)
        host = parts.hostname or ""
        is_through_proxy = any(getproxies().get(kind) for kind in (parts.scheme, "all")) and not proxy_bypass(host)

        def check(peer: str) -> None:
            if is_through_proxy:
                return
            if address == self._address:
                self._is_from_public = not is_private(peer)
            elif self._is_from_public and is_private(peer):
                raise FetchError(f"it was redirected to {shown_target(address)}, which is {peer}, in a private network")

        if is_through_proxy and address == self._address:
            self._is_from_public = not is_private(host)
        return check

    def _check_redirect(self, address: str, target: str, visited: set[str]) -> None:
        shown = shown_target(target)
        scheme, host, _ = origin(target)
        if target in visited:
            raise FetchError(f"its redirects go in a circle, back to {shown}")
        if len(visited) > self.limits.redirects:
            raise FetchError(f"it was redirected more than redirects = {self.limits.redirects} times, last to {shown}")
        if scheme not in ("https", "http") or not host:
            raise FetchError(f"it was redirected to {shown}, which is no https address")
        if "@" in urlsplit(target).netloc:
            raise FetchError(f"it was redirected to {shown}, with a user or password in the address")
        if self._is_from_public and is_private(host):
            raise FetchError(f"it was redirected to {shown}, in a private network")
        if scheme == "http" and (address.startswith("https:") or not is_loopback(host)):
            raise FetchError(f"it was redirected to {shown}, which is not encrypted; only https:// is followed")

    def _fault(self, error: Exception) -> FetchError:
        """What went wrong, in words that hold nothing of the request."""
        if isinstance(error, httpx.ConnectTimeout):
            return FetchError(f"no connection within {self.limits.connect_timeout_seconds:g} s", is_passing=True)
        if isinstance(error, httpx.TimeoutException):
            return FetchError(f"nothing came for {self.limits.read_timeout_seconds:g} s", is_passing=True)
        if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol | httpx.InvalidURL):
            return FetchError("the address or a header cannot be sent as it is")  # their messages repeat it
        if isinstance(error, UnicodeError):  # of the resolver or of idna, which neither httpx nor httpcore makes its own
            return FetchError("the address, or one it is redirected to, has a host that is no name")
        is_certificate = "CERTIFICATE_VERIFY_FAILED" in str(error)
        if is_certificate:
            return FetchError(f"the server's certificate is not trusted ({error}); SSL_CERT_FILE may name further authorities")
        said = str(error).partition(": bytearray(")[0]  # after it h11 repeats what the server sent, at any length
        return FetchError(f"the connection failed: {said or type(error).__name__}", is_passing=True)


def _client() -> httpx.Client:
    try:
        return httpx.Client(follow_redirects=False)
    except (ValueError, ImportError, OSError, httpx.InvalidURL) as error:
        raise FetchError(
            "what the environment says of proxies or certificates cannot be used; see HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE "
            f"({type(error).__name__})"  # its text may hold the password of a proxy
        ) from None


def _redirect_target(response: httpx.Response, address: str) -> str | None:
    """Where an answer sends one; None where it does not."""
    if response.status_code not in (301, 302, 303, 307, 308):
        return None
    location = response.headers.get("location")
    if not location:
        raise FetchError(f"status {response.status_code}, a redirect that does not say where to")
    try:
        target = str(httpx.URL(urljoin(address, location)).copy_with(fragment=None))
        origin(target)
    except (ValueError, httpx.InvalidURL):
        raise FetchError(f"status {response.status_code}, a redirect to what is no address") from None
    return target


def wait_asked(headers: Mapping[str, str]) -> float:
    """How many seconds a server asks to wait, by its `Retry-After` (RFC 9110, 10.2.3): a number, or a date against its own.

    >>> wait_asked({"retry-after": "120"}), wait_asked({"retry-after": "soon"}), wait_asked({})
    (120.0, 0.0, 0.0)
    >>> wait_asked({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:29 GMT"})
    30.0
    """
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return float(given[:9])
    try:
        return max(0.0, (parsedate_to_datetime(given) - parsedate_to_datetime(headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError):
        return 0.0


@contextmanager
def _nothing_logged() -> Iterator[None]:
    """Keeps the requests of this thread out of all logs: httpx writes each address there, its query included."""
    own = threading.get_ident()

    def is_other(record: logging.LogRecord) -> bool:
        return record.thread != own

    loggers: list[Any] = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(is_other)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_other)


_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")
