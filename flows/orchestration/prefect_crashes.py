"""This module tells a Prefect server of flow runs whose process was killed and that it still takes for running.

A run that is killed together with what started it stays `Running`, and its slot of the concurrency limit taken: where the
server keeps running, until its lease of five minutes ends; where the server was stopped too and keeps its leases in memory,
as is its default, for ever, and with the collision strategy CANCEL_NEW no nightly run would begin again. Setting such a run
to `Crashed` gives its slot back.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.exceptions import ObjectNotFound, PrefectException
from prefect.states import Crashed

from flows.orchestration.flow_run_marks import DeadRun, dead_runs, forget
from warehouse.layout import Lake


def settle_dead_runs(lake: Lake, say: Callable[[str], None]) -> None:
    """Says which runs of the lake began and never ended as their process is gone, and sets them to `Crashed`."""
    found = dead_runs(lake)
    if not found:
        return
    with get_client(sync_client=True) as client:
        for run in found:
            try:
                outcome = _settle(client, run)
            except (PrefectException, httpx.HTTPError) as error:
                say(f"{run.described()}; the server could not be told: {error}")
                continue  # its mark stays for the next one to try
            say(f"{run.described()}{outcome}; this run takes over what it left")
            forget(run)


def _settle(client: SyncPrefectClient, run: DeadRun) -> str:
    """What became of the run on the server."""
    try:
        state = client.read_flow_run(UUID(run.flow_run_id)).state
    except (ObjectNotFound, ValueError):  # of another server, or no id at all
        return ", and this server does not know it"
    if state is not None and state.is_final():
        return f", and is {state.name} already"
    client.set_flow_run_state(run.flow_run_id, Crashed(message=f"{run.described()}."))
    return ", and is set to Crashed"
