"""This module serves deployments: it finds the server, settles what a killed run left there, and waits for what is due."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from prefect import serve
from prefect.client.orchestration import get_client
from prefect.exceptions import PrefectException
from prefect.settings import get_current_settings

from flows.orchestration.deployments import Plan, described, to_serve
from flows.orchestration.prefect_crashes import settle_dead_runs
from flows.settings import ConfigError
from transforms.schemas import PaperlakeError
from warehouse.layout import Lake

_AT_ONCE = 10
"""How many runs may begin at once: those that the concurrency limit turns away need a place for a moment, too."""


class ServerError(PaperlakeError):
    """The Prefect server does not answer, or turns us away."""


def serve_plans(plans: Sequence[Plan], lake_path: Path) -> None:
    """Serves the deployments on the lake until SIGTERM or Ctrl-C.

    Schedules are not paused when it stops: what is due before it starts again is late, and then one run makes up for it.

    Raises:
        ConfigError: no server is named.
        ServerError: it does not answer.
    """
    url = require_server()
    settle_dead_runs(Lake(lake_path), _say)
    _say(f"serving on {lake_path}, server {url}")
    for line in described(plans):
        _say(f"  {line}")
    _say("a run at any time: prefect deployment run paperlake/NAME; stop with Ctrl-C")
    deployments = [to_serve(plan, lake_path) for plan in plans]
    serve(*deployments, pause_on_shutdown=False, print_starting_message=False, limit=_AT_ONCE)
    _say("stopped; the current release is as it was")


def require_server() -> str:
    """The address of the Prefect server that the environment or the profile names, after it has answered; no secret in it.

    Raises:
        ConfigError: none is named. A temporary server is no place for a schedule: it ends with its process.
        ServerError: it does not answer, or does not let us in.
    """
    url = get_current_settings().api.url
    if not url:
        raise ConfigError(
            "no Prefect server is named, and schedules need one that stays. Start one with `prefect server start` (in another "
            "terminal, or as a service) and `export PREFECT_API_URL=http://127.0.0.1:4200/api`; or set PREFECT_API_URL and "
            "PREFECT_API_KEY for Prefect Cloud. Without any, cron can call `paperlake run --direct`"
        )
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("the address of the Prefect server (PREFECT_API_URL) should be such as http://127.0.0.1:4200/api")
    shown = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
    try:
        with get_client(sync_client=True) as client:
            client.read_deployments(limit=1)
    except (PrefectException, httpx.HTTPError, RuntimeError) as error:
        reason = _reason(error, parts.path)
        raise ServerError(
            f"the Prefect server at {shown} does not answer as it should ({reason}): is `prefect server start` running, and is "
            "PREFECT_API_URL its address? For Prefect Cloud PREFECT_API_KEY must be set, too"
        ) from error
    return shown


def _reason(error: Exception, path: str) -> str:
    """What went wrong at an address with this path, in one line."""
    if isinstance(error, httpx.HTTPStatusError):
        hint = "" if path.rstrip("/").endswith("/api") else "; the address of a server ends in /api"
        return f"it answers {error.response.status_code} {error.response.reason_phrase}{hint}"
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
