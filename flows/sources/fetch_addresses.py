"""This module judges addresses: which may be configured, what a file from one is called, and where one may lead."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit, urlunsplit

from flows.source_settings import SourceSettings
from flows.sources.fetch_secrets import MARK, wrong_mark
from flows.toml_values import ConfigError
from transforms.word_sets import word_set
from warehouse.names import member_name

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OWN_HEADERS = word_set(
    "accept-encoding connection content-length host if-match if-modified-since if-none-match if-range if-unmodified-since "
    "range te transfer-encoding upgrade"
)
"""Headers that fetching sets itself: another value would break what it does with the answer."""

_SECRET_HEADERS = word_set("authorization cookie proxy-authorization x-api-key api-key private-token x-auth-token")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def check_fetched(source: SourceSettings, where: str) -> None:
    """Checks the keys of a block that have to do with addresses.

    Raises:
        ConfigError: an address or header cannot be asked for, or would give a secret away; or files would share a name.
    """
    for address in source.addresses:
        _check_address(address, where)
    _check_headers(source.headers, where)
    if not source.addresses:
        given = [key for key in ("headers", "sha256", "file_name", "fetch") if getattr(source, key)]
        if given:
            raise ConfigError(f"{where}: {', '.join(given)} is for addresses, and location has none (https://…)")
        return
    if source.file_name is not None and len(source.location) > 1:
        raise ConfigError(f"{where}: file_name names one file, and location has {len(source.location)} entries")
    if source.file_name is not None and _single_name(source.file_name) != source.file_name:
        raise ConfigError(f"{where}: file_name = {source.file_name!r} should be the plain name of a file, such as list.csv")
    _check_names(source, where)


def _check_address(address: str, where: str) -> None:
    try:
        parts = urlsplit(address)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        raise ConfigError(f"{where}: location = {_without_credentials(address)!r} is no address") from None
    if "@" in parts.netloc:
        raise ConfigError(
            f"{where}: location = {_without_credentials(address)!r} has a user or password in it, and this file is no place "
            'for them: write headers = {Authorization = "Basic ${NAME}"}, with NAME in the environment'
        )
    said = f"{where}: location = {address!r}"
    if parts.scheme not in ("https", "http") or not parts.hostname or not has_port:
        raise ConfigError(f"{said} should be an address that begins with https:// and a host, or a path")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ConfigError(f"{said}: http:// is for this machine alone (localhost); from any other, use https://")
    if not address.isascii() or not address.isprintable() or " " in address:
        raise ConfigError(f"{said} has characters that an address cannot have; write them as %xx")
    if "${" in urlunsplit(parts._replace(query="")):
        raise ConfigError(f"{said}: a secret may stand in the query only, after the question mark, or in headers")
    if (mark := wrong_mark(address)) is not None:
        raise ConfigError(f"{said}: {mark} names no secret; write ${{NAME}} or ${{block:name}}")


def _check_headers(headers: Mapping[str, object], where: str) -> None:
    for name, value in headers.items():
        said = f"{where}: headers: {name}"
        if not _HEADER_NAME.fullmatch(name):
            raise ConfigError(f"{where}: headers: {name!r} is no name of a header")
        if name.lower() in _OWN_HEADERS:
            raise ConfigError(f"{said} is set by paperlake itself; take it out")
        if not isinstance(value, str) or not value.isascii() or not value.isprintable():
            raise ConfigError(f"{said} should be a text of printed ASCII characters")
        if (mark := wrong_mark(value)) is not None:
            raise ConfigError(f"{said}: {mark} names no secret; write ${{NAME}} or ${{block:name}}")
        if name.lower() in _SECRET_HEADERS and not MARK.search(value):
            raise ConfigError(
                f"{said} is a secret, and this file is no place for it: write ${{NAME}} in its place, and set NAME in the "
                "environment (or ${block:name}, a Secret block of Prefect)"
            )


def _check_names(source: SourceSettings, where: str) -> None:
    """Each address has a name for its file, no two the same, and each hash given is of one of them."""
    taken: dict[str, str] = {}
    for address in source.addresses:
        name = file_name(source, address)
        if not name:
            raise ConfigError(f'{where}: location = {address!r} ends in no name of a file; add file_name = "…"')
        if name in taken:
            raise ConfigError(
                f"{where}: two files called {name}, from {taken[name]} and {address}: the later would replace the first. "
                "Make each a source of its own"
            )
        taken[name] = address
    hashes = hashes_by_name(source)
    if hashes is None:
        raise ConfigError(f'{where}: sha256 is one text for {len(source.location)} locations; write sha256 = {{"name" = "…"}}')
    for name, sha256 in hashes.items():
        if name not in taken:
            raise ConfigError(f"{where}: sha256: there is no file {name!r}; there is {', '.join(taken)}")
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            raise ConfigError(f"{where}: sha256 of {name} should be 64 digits of 0-9 and a-f, found {sha256!r}")


def hashes_by_name(source: SourceSettings) -> Mapping[str, str] | None:
    """The SHA-256 that each file of a source must have, where the block says one; None where it is not clear of which file."""
    if not isinstance(source.sha256, str):
        return source.sha256
    return {file_name(source, source.addresses[0]): source.sha256} if len(source.location) == 1 else None


def file_name(source: SourceSettings, address: str) -> str:
    """What the file from an address is called in its source; empty where nothing says it."""
    return source.file_name or name_in(address)


def name_in(address: str) -> str:
    """The name of the file in an address, safe to keep; empty where it has none.

    >>> name_in("https://example.org/lists/a%20b.csv?x=1"), name_in("https://example.org/"), name_in("https://x.org/..%2F..%2Fetc")
    ('a b.csv', '', 'etc')
    """
    last = unquote(urlsplit(address).path.rpartition("/")[2])
    return _single_name(last) if last.strip("./\\ ") else ""


def _single_name(name: str) -> str:
    return member_name(name).replace("/", "_")


def origin(address: str) -> tuple[str, str, int]:
    """Scheme, host and port: who an address belongs to."""
    parts = urlsplit(address)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or (443 if parts.scheme == "https" else 80)


def shown_target(address: str) -> str:
    """As much of an address that a server gave as may be shown: paths and queries of such carry signatures.

    >>> shown_target("https://cdn.example.org/x/list.csv?sig=abc")
    'https://cdn.example.org/…'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/…"


def is_loopback(host: str) -> bool:
    """Whether a host, by its name, is this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.3"), is_loopback("::1"), is_loopback("10.0.0.1")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_private(host: str) -> bool:
    """Whether a host, by its name or number, is this machine or in a private network.

    >>> is_private("169.254.169.254"), is_private("::ffff:10.0.0.1"), is_private("db.internal"), is_private("8.8.8.8")
    (True, True, True, False)
    >>> is_private("127.1"), is_private("0x7f000001"), is_private("64:ff9b::7f00:1"), is_private("1.1")
    (True, True, True, False)
    """
    number = _number(host.partition("%")[0])
    if number is None:
        return host.lower().rstrip(".").endswith(("localhost", ".local", ".internal"))
    if isinstance(number, ipaddress.IPv6Address):
        behind = ipaddress.IPv4Address(int(number) & 0xFFFFFFFF) if number in _TRANSLATED else None
        number = number.ipv4_mapped or behind or number
    return number.is_multicast or not number.is_global


_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: the last four bytes are an address of IPv4


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The number of a host that is written as one, also in the short ways that a resolver knows; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host)) if host and not host[-1].isspace() else None
    except (OSError, UnicodeError, ValueError):
        return None


def _without_credentials(address: str) -> str:
    """All from the last @ on, as a password may hold any character."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{'…@' if '@' in rest else ''}{rest.rpartition('@')[2]}"
