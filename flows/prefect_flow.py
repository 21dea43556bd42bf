"""This module is the pipeline as a Prefect flow: the same steps, each a task, entrypoint `flows.prefect_flow.pipeline`.

How a flow run ends says what happened:

| state | type | when |
|---|---|---|
| `Completed` | completed | a release is published, or there is nothing new; the message says which |
| `HeldBack` | completed | the run did its work, and a gate held a source back, or a pin the release |
| `Skipped` | completed | a schedule's run that came too late, after another had done its work |
| `Failed` | failed | nothing is published; the message is the sentence of the error |
| `Crashed` | crashed | its process was killed; where Prefect did not hear of it, the next run or `paperlake serve` tells it |
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from prefect import Task, flow, get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun, State, TaskRun
from prefect.context import FlowRunContext
from prefect.runtime import deployment as running_deployment
from prefect.runtime import flow_run as running
from prefect.states import Completed

from flows.handovers import RunOrder
from flows.orchestration.flow_run_marks import marked
from flows.orchestration.late_runs import SKIPPED, done_instead, is_late
from flows.orchestration.prefect_artifacts import lake_name, leave_artifacts, leave_failure, report_saved_since
from flows.orchestration.prefect_crashes import settle_dead_runs
from flows.orchestration.prefect_events import tell_events, tell_failure
from flows.pipeline import run_pipeline
from flows.progress import Say, listener
from flows.report import RunReport
from flows.settings import ConfigError, Settings, load_settings
from flows.sources.gating import require_sources
from transforms.schemas import PaperlakeError
from warehouse.layout import Lake

T = TypeVar("T")

_RETRIES = {"land": 2}
"""Landing reads files that others write, on disks that go away for a moment, so it is tried again where that may pass;
every other step gives the same on the same input, failure included."""

_PASSING_ERRORS = frozenset(
    {errno.EIO, errno.EAGAIN, errno.EBUSY, errno.ETIMEDOUT, errno.ESTALE, errno.ENETUNREACH, errno.EHOSTDOWN}
)

_RETRY_DELAY_SECONDS = 5

HELD_BACK = "HeldBack"
"""The name of the state of a run that did its work while a source, or its release, is held back."""


def run_name() -> str:
    """What a flow run is called: its lake, and when it was due."""
    try:
        name = lake_name(Lake(load_settings().lake_path(running.parameters.get("lake"))))
    except PaperlakeError:
        name = "paperlake"  # the run itself is going to say what is wrong with the settings
    return f"{name} {running.scheduled_start_time:%Y-%m-%d %H:%M}"


@flow(name="paperlake", flow_run_name=run_name, persist_result=False, validate_parameters=True)
def pipeline(
    paths: list[str] | None = None,
    lake: str | None = None,
    rehash: bool = False,
    wait_seconds: float | None = None,
    strict: bool = False,
    without_identifiers: bool = False,
    accept: list[str] | None = None,
) -> dict[str, Any]:
    """Runs the pipeline; returns the run report as plain values.

    Args:
        paths: Files and folders to land; none lands every source of `config/sources.toml`.
        lake: The lake's folder; default `PAPERLAKE_LAKE`, else `[lake] path` of `config/pipeline.toml`.
        rehash: Whether to look again into files whose size, time and inode are as before.
        wait_seconds: How long to wait for another run that holds the lock; default from `config/pipeline.toml`.
        strict: Whether to fail, and publish nothing, if a live file is not read as a list of papers.
        without_identifiers: Whether to match records as if they had no identifiers, to measure matching with.
        accept: Sources that go through the gate this time, however they differ from before.
    """
    settings = load_settings()
    require_sources(settings, accept or ())
    order = RunOrder(
        _lake(settings, lake),
        settings,
        tuple(map(Path, paths or ())),
        rehash=rehash,
        strict=strict,
        without_identifiers=without_identifiers,
        accept=tuple(accept or ()),
    )
    wait = settings.run.wait_seconds if wait_seconds is None else wait_seconds
    ended: Any = run_as_tasks(order, wait_seconds=wait)  # a state is what Prefect makes the flow's state of
    return ended  # type: ignore[no-any-return]


def _lake(settings: Settings, given: str | None) -> Lake:
    """The lake to run on. A deployment's must be a whole path: a worker runs in a folder of its own, removed afterwards."""
    path = settings.lake_path(given)
    if running_deployment.id is not None and not path.is_absolute():
        raise ConfigError(
            f"the lake '{path}' is no whole path, and a worker runs in a folder of its own: set PAPERLAKE_LAKE=/…/lake where "
            "the worker is started, or the deployment's parameter 'lake' (`paperlake serve` does it by itself)"
        )
    return Lake(path)


def run_as_tasks(order: RunOrder, *, wait_seconds: float) -> State[dict[str, Any]]:
    """Runs the steps as tasks of the flow run this is called in; returns its last state, which holds the report.

    The report is left as artifacts, and what others may wait for is sent as events.
    """
    say, run = _say(), _flow_run()
    if is_late(run) and (other := _other(run)) is not None:
        since = f", which began {other.start_time:%Y-%m-%d %H:%M}," if other.start_time else ""
        sentence = (
            f"due {run.expected_start_time:%Y-%m-%d %H:%M} UTC and too late: the run '{other.name}'{since} has done its work"
        )
        say(sentence)
        report = RunReport(run_id="", lake=str(order.lake.path), outcome="skipped")
        return Completed(name=SKIPPED, message=sentence, data=report.as_dict())
    settle_dead_runs(order.lake, say)
    began = time.time()
    with marked(order.lake, str(run.id), run.name):
        try:
            report = run_pipeline(order, _call_as_task, wait_seconds=wait_seconds, say=say)
        except Exception as error:
            failed = report_saved_since(order.lake, began)
            if failed is None:
                leave_failure(str(error), order.lake, say)
            else:
                leave_artifacts(failed, order.lake, order.settings, say)
            tell_failure(error, order.lake)
            raise
        leave_artifacts(report, order.lake, order.settings, say)
        tell_events(report, order.lake)
    return _state(report)


def _state(report: RunReport) -> State[dict[str, Any]]:
    """The state that a run ends in, by its report."""
    message = dict(report.rows())["published"].removeprefix("nothing: ")
    if report.outcome == "unchanged":
        message = f"unchanged: {message}"
    if report.held_sources:
        message = f"{message}; held back at the gate: {', '.join(sorted(report.held_sources))}"
    return Completed(name=HELD_BACK if report.is_held_back else None, message=message, data=report.as_dict())


def _say() -> Say:
    """What a line goes to: the log of the flow run, and whoever called it from this process."""
    logger, heard = get_run_logger(), listener.get()

    def say(text: str) -> None:
        logger.info(text)
        if heard is not None:
            heard(text)

    return say


def _flow_run() -> FlowRun:
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        raise RuntimeError("run_as_tasks is for the inside of a flow run")
    return context.flow_run


def _other(run: FlowRun) -> FlowRun | None:
    with get_client(sync_client=True) as client:
        return done_instead(client, run)


def _call_as_task(step: Callable[..., T], *arguments: Any) -> T:
    name = step.__name__
    as_task = task(
        name=name,
        retries=_RETRIES.get(name, 0),
        retry_delay_seconds=_RETRY_DELAY_SECONDS,
        retry_condition_fn=_may_pass,
        cache_policy=NO_CACHE,
        persist_result=False,
    )(step)
    return as_task(*arguments)


def _may_pass(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether a failed step failed by an error of the system that may pass, of a disk or network, not of the data."""
    error = state.result(raise_on_failure=False)
    causes = (error, getattr(error, "__cause__", None))
    return any(isinstance(cause, OSError) and cause.errno in _PASSING_ERRORS for cause in causes)
