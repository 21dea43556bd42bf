"""This module is the pipeline as a Prefect flow: the same steps, each a task, entrypoint `flows.prefect_flow:pipeline`."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from prefect import Task, flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun

from flows.handovers import RunOrder
from flows.pipeline import run_pipeline
from flows.progress import listener
from flows.report import RunReport
from flows.settings import load_settings
from warehouse.layout import Lake

T = TypeVar("T")

_RETRIES = {"land": 2}
"""Landing reads files that others write, on disks that go away for a moment, so it is tried again where that may pass;
every other step gives the same on the same input, failure included."""

_PASSING_ERRORS = frozenset(
    {errno.EIO, errno.EAGAIN, errno.EBUSY, errno.ETIMEDOUT, errno.ESTALE, errno.ENETUNREACH, errno.EHOSTDOWN}
)

_RETRY_DELAY_SECONDS = 5


@flow(name="paperlake", flow_run_name="paperlake {lake}", persist_result=False, validate_parameters=True)
def pipeline(
    paths: list[str] | None = None,
    lake: str | None = None,
    rehash: bool = False,
    wait_seconds: float | None = None,
    strict: bool = False,
    without_identifiers: bool = False,
) -> dict[str, Any]:
    """Runs the pipeline; returns the run report as plain values.

    Args:
        paths: Files and folders to land; none lands every source of `config/sources.toml`.
        lake: The lake's folder; default `PAPERLAKE_LAKE`, else `[lake] path` of `config/pipeline.toml`.
        rehash: Whether to look again into files whose size, time and inode are as before.
        wait_seconds: How long to wait for another run that holds the lock; default from `config/pipeline.toml`.
        strict: Whether to fail, and publish nothing, if a live file is not read as a list of papers.
        without_identifiers: Whether to match records as if they had no identifiers, to measure matching with.
    """
    settings = load_settings()
    order = RunOrder(
        Lake(settings.lake_path(lake)), settings, tuple(map(Path, paths or ())), rehash, strict, without_identifiers
    )
    report = run_as_tasks(order, wait_seconds=settings.run.wait_seconds if wait_seconds is None else wait_seconds)
    return report.as_dict()


def run_as_tasks(order: RunOrder, *, wait_seconds: float) -> RunReport:
    """Runs the steps as tasks of the flow run this is called in, and leaves the report as its artifacts."""
    logger = get_run_logger()
    heard = listener.get()

    def say(text: str) -> None:
        logger.info(text)
        if heard is not None:
            heard(text)

    report = run_pipeline(order, _call_as_task, wait_seconds=wait_seconds, say=say)
    create_markdown_artifact(report.markdown(), key="paperlake-run", description=f"run {report.run_id}: {report.outcome}")
    rejects = [{"reason": reason, "rejects": count} for reason, count in sorted(report.rejects_by_reason.items())]
    create_table_artifact(rejects, key="paperlake-rejects", description="rejects by reason")
    return report


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
