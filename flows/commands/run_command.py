"""This module is `paperlake run`: the choice of runtime, and the printing of the report."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from flows.handovers import RunOrder
from flows.pipeline import run_pipeline
from flows.progress import Say, listener, progress
from flows.report import RunReport, print_report
from flows.settings import ConfigError, load_settings
from flows.sources.gating import require_sources
from warehouse.decisions import read_decisions
from warehouse.landing import require_path
from warehouse.layout import Lake


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the command line asks for."""

    paths: tuple[Path, ...]
    lake: Path | None
    direct: bool = False
    rehash: bool = False
    strict: bool = False
    without_identifiers: bool = False
    accept: tuple[str, ...] = ()
    wait_seconds: float | None = None


def run_and_print(request: RunRequest, *, as_json: bool) -> int:
    """Runs the pipeline in the runtime asked for and prints its report; returns the exit code."""
    order, wait_seconds = _order(request)
    with progress() as say:
        if request.direct:
            report = run_pipeline(order, wait_seconds=wait_seconds, say=say)
        else:
            report = _run_as_flow(order, wait_seconds, say)
    if as_json:
        print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
    else:
        from rich.console import Console

        print_report(report, Console(), next_steps(report, request.lake))
    return report.exit_code or 0


def print_dry_run(request: RunRequest, *, as_json: bool) -> int:
    """Prints what a run would do; touches nothing."""
    from flows.commands.dry_run import plan_run

    order, _ = _order(request)
    plan = plan_run(order)
    if as_json:
        print(json.dumps(plan.as_dict(), indent=2, ensure_ascii=False))
        return 0
    for file in plan.files:
        print(
            f"{file.state:9} {file.reader or '-':14} {file.size_bytes:>12,} bytes  {file.path}"
            + (f"  ({file.message})" if file.message else "")
        )
    for source, reasons in plan.held_sources.items():
        print(f"would be held back: {source}: {'; '.join(reasons)}")
    for source in plan.judged_sources:
        print(f"the gate would judge what {source} brings when it is read")
    for note in plan.notes:
        print(f"note: {note}")
    print(plan.summary)
    return 0


def next_steps(report: RunReport, lake: Path | None) -> list[str]:
    """Commands worth trying after this run."""
    program = "paperlake" if shutil.which("paperlake") else os.path.relpath(sys.argv[0])
    where = f" --lake {shlex.quote(str(lake))}" if lake else ""
    accept = [
        f"{program} run --accept {shlex.quote(source)}{where}"
        for source in report.held_sources
        if source not in report.failed_sources
    ]
    if accept:  # after a look: what is there may be a page of an error, which once accepted leaves nothing of the source
        return [f"{program} sources{where}", *accept]
    if report.outcome == "held":
        return [f"{program} diff current {report.release_id}{where}", f"{program} unpin{where}"]
    query = "select venue, year, count(*) as papers from papers group by all order by all"
    look = "rejects" if report.rejects_by_reason else "ledger"
    return [f'{program} sql "{query}"{where}', f"{program} {look}{where}", f"{program} tables{where}"]


def _order(request: RunRequest) -> tuple[RunOrder, float]:
    settings = load_settings()
    require_sources(settings, request.accept)
    lake = Lake(settings.lake_path(request.lake))
    for path in request.paths:
        require_path(path)  # now, not when a server has been started for it
    read_decisions(lake)  # the same: a person may have edited them
    order = RunOrder(
        lake,
        settings,
        request.paths,
        request.rehash,
        request.strict,
        request.without_identifiers,
        request.accept,
    )
    if not request.paths and not settings.sources and not order.lake.live_path.exists():
        raise ConfigError(
            "nothing to run: give files or folders (`paperlake run FILES`), or describe sources in config/sources.toml"
        )
    return order, settings.run.wait_seconds if request.wait_seconds is None else request.wait_seconds


def _run_as_flow(order: RunOrder, wait_seconds: float, say: Say) -> RunReport:
    """Runs the flow in this process, against the Prefect server the environment names, else a temporary one."""
    # Our own lines say what the run does, and an error is printed as a sentence; Prefect's log stays in its server.
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    if not os.environ.get("PREFECT_API_URL"):
        # Without this folder the temporary server tries in vain until its limit.
        Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser().mkdir(parents=True, exist_ok=True)
    from prefect.settings import get_current_settings

    if get_current_settings().api.url:  # the environment names a server, or the active profile does
        _require_server()
    else:
        say("starting Prefect's temporary server (10 to 25 s; --direct does without, PREFECT_API_URL names a running one)")
    from flows.prefect_flow import pipeline

    token = listener.set(say)
    try:
        result = pipeline(
            paths=[str(path) for path in order.paths],
            lake=str(order.lake.path),
            rehash=order.rehash,
            wait_seconds=wait_seconds,
            strict=order.strict,
            without_identifiers=order.without_identifiers,
            accept=list(order.accept),
        )
    finally:
        listener.reset(token)
    return RunReport(**result)


def _require_server() -> None:
    """Raises `ServerError` with a way out if the server that is named does not answer."""
    from flows.orchestration.serving import ServerError, require_server

    try:
        require_server()
    except ServerError as error:
        raise ServerError(f"{error}. Nothing was run; `paperlake run --direct` does without a server") from error
