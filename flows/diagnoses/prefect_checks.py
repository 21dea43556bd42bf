"""This module looks at Prefect for `paperlake doctor` without importing it: its folder, its server, what is deployed there.

A key goes to the server that the environment names, as Prefect itself would send it, to no other address and into no
message.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from flows.diagnoses.diagnosis import Finding, fail, found, ok, warn

_TIMEOUT_SECONDS = 5
_LEAST_STARTUP_SECONDS = 60
"""The temporary server was seen to take 10 to 25 s on two processors; a machine that is busy takes longer."""


def check_prefect() -> Iterator[Finding]:
    """The folder of Prefect, and the server that runs would use: the one that is named, else a temporary one."""
    settings = _Told.by_environment()
    yield from found("prefect folder", lambda: _check_home(settings))
    if settings.api_url:
        yield from found("prefect server", lambda: _check_server(settings))
    else:
        yield from _check_temporary_server()


@dataclass(frozen=True, slots=True)
class _Told:
    """What the environment says of Prefect, else the profile that is active in its folder."""

    home: Path
    api_url: str | None
    by: str
    headers: Mapping[str, str]

    @classmethod
    def by_environment(cls) -> _Told:
        home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
        profile = _profile(home)
        api_url, by = os.environ.get("PREFECT_API_URL"), "PREFECT_API_URL"
        if not api_url and profile.get("PREFECT_API_URL"):
            api_url, by = profile["PREFECT_API_URL"], "the active profile of Prefect"
        key = os.environ.get("PREFECT_API_KEY") or profile.get("PREFECT_API_KEY")
        login = os.environ.get("PREFECT_API_AUTH_STRING") or profile.get("PREFECT_API_AUTH_STRING")
        headers, inside = {}, urlsplit(api_url or "").netloc.rpartition("@")[0]
        login = login or unquote(inside)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        elif login:
            headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        return cls(home, api_url or None, by, headers)

    @property
    def url(self) -> str:
        """The address without what may be secret in it: a login, which goes in a header, or a query, which means nothing."""
        parts = urlsplit(self.api_url or "")
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def _profile(home: Path) -> dict[str, str]:
    """The settings of the active profile; none where there is no such file or it cannot be read."""
    path = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml")
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
        active = os.environ.get("PREFECT_PROFILE") or written["active"]
        return {name: str(value) for name, value in written["profiles"][active].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _check_home(told: _Told) -> Iterator[Finding]:
    place = next(each for each in (told.home, *told.home.absolute().parents) if each.exists())
    if os.access(place, os.W_OK) and place.is_dir():
        yield ok("prefect folder", f"{told.home}, prefect {version('prefect')}")
    else:
        yield fail(
            "prefect folder",
            f"{told.home} cannot be written to",
            "let PREFECT_HOME name a folder that one may write to; `paperlake run --direct` does without",
        )


def _check_temporary_server() -> Iterator[Finding]:
    yield ok("prefect server", "none is named (PREFECT_API_URL): `paperlake run` starts a temporary one, --direct does without")
    seconds = os.environ.get("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "")
    if not seconds.isdigit() or int(seconds) < _LEAST_STARTUP_SECONDS:
        yield warn(
            "prefect server",
            f"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS is {seconds!r}: a temporary server may not be ready by then",
            "unset it, and paperlake says 120",
        )


def _check_server(told: _Told) -> Iterator[Finding]:
    where = f"{told.url} ({told.by})"
    if urlsplit(told.url).scheme not in ("http", "https"):
        yield fail("prefect server", f"{told.url} is no address of http or https", f"set {told.by} as http://host:4200/api")
        return
    try:
        _ask(told, "/health")
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            yield fail(
                "prefect server", f"{where} wants to know who asks ({error.code})", "set PREFECT_API_KEY or _AUTH_STRING"
            )
        else:
            yield fail(
                "prefect server",
                f"{where} answers {error.code} {error.reason}",
                "the address of a server ends in /api; is this one?",
            )
        return
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        yield fail(
            "prefect server",
            f"{where} cannot be reached: {reason}",
            "start it (`prefect server start`), or unset the address; `paperlake run --direct` does without",
        )
        return
    yield ok("prefect server", f"{where} answers")
    yield from _check_version(told)
    yield from found("prefect deployments", lambda: _check_deployments(told))


def _check_version(told: _Told) -> Iterator[Finding]:
    """A client that is newer than its server may ask for what that does not know yet."""
    try:
        server, client = str(_ask(told, "/admin/version")), version("prefect")
        if [int(part) for part in server.split(".")[:2]] < [int(part) for part in client.split(".")[:2]]:
            yield warn("prefect server", f"it is {server}, older than prefect {client} here", "upgrade the server")
    except (OSError, http.client.HTTPException, ValueError):
        return  # Prefect Cloud has no such address, and is never older


def _check_deployments(told: _Told) -> Iterator[Finding]:
    """What is deployed of the flow, and whether anything takes its runs."""
    rows = _ask(told, "/deployments/filter", {"flows": {"name": {"any_": ["paperlake"]}}})
    if not rows:
        yield warn("prefect deployments", "there is none of the flow paperlake: nothing is scheduled", "`paperlake serve`")
    for row in rows:
        name, pool = row.get("name"), row.get("work_pool_name")
        schedules = [each for each in row.get("schedules") or () if each.get("active")]
        said = f"{name}: {len(schedules)} active schedule{'' if len(schedules) == 1 else 's'}"
        if row.get("paused"):
            yield warn("prefect deployments", f"{said}, paused", f"`prefect deployment resume paperlake/{name}`")
        elif row.get("status") == "NOT_READY":
            do = f"`prefect worker start --pool {pool}`" if pool else "`paperlake serve`"
            yield warn("prefect deployments", f"{said}, and nothing takes its runs", do)
        else:
            yield ok("prefect deployments", said + (f", work pool {pool}" if pool else ""))


def _ask(told: _Told, path: str, body: object = None) -> Any:
    """What the server answers, as JSON. It is not followed elsewhere, as the key would go along."""
    request = urllib.request.Request(
        told.url + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **told.headers},
    )
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=_TIMEOUT_SECONDS) as answer:
        return json.loads(answer.read(_LONGEST_ANSWER_BYTES))


_LONGEST_ANSWER_BYTES = 10_000_000


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Leaves a redirect an error of its own number."""
