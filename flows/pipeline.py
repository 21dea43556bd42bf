"""This module is the order of the steps, over a runner that calls them: in this process, or as Prefect tasks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from flows import paper_steps, publishing_steps, steps
from flows.file_lines import log_held, log_notes
from flows.gate_step import gate
from flows.handovers import Checked, Landing, RunOrder, Told
from flows.landing_step import land
from flows.report import RunReport
from flows.run_log import log_fields
from flows.run_notes import noted_run
from transforms.schemas import PaperlakeError
from warehouse.atomic import crash_point, remove_leftovers
from warehouse.layout import Lake
from warehouse.lock import hold_lock
from warehouse.mending import mend
from warehouse.pins import finish_rollback, is_held
from warehouse.publications import settle_publications
from warehouse.release import last_build
from warehouse.release_files import is_as_published
from warehouse.work import DamagedOutputError, drop_damaged

T = TypeVar("T")


class PipelineError(PaperlakeError):
    """A run that was stopped by its own checks; nothing was published."""


class Runner(Protocol):
    """What calls a step: directly, or with retries and a record of it."""

    def __call__(self, step: Callable[..., T], *arguments: Any) -> T:
        """Calls `step` with `arguments` and gives what it returns."""


def call_directly(step: Callable[..., T], *arguments: Any) -> T:
    """Calls a step in this process; the runner of `paperlake run --direct`."""
    return step(*arguments)


def run_pipeline(
    order: RunOrder,
    call: Runner = call_directly,
    *,
    wait_seconds: float,
    say: Callable[[str], None] = lambda _: None,
) -> RunReport:
    """Lands, stages, cleans, matches, merges, checks and publishes, holding the lake's lock; returns the report.

    `say` is told in a short line what begins, and who holds the lock if the run must wait for it.

    Raises:
        LockError: another run held the lock for longer than `wait_seconds`.
        PipelineError: a check of severity `error` failed.
        PaperlakeError: anything else a person can act on; nothing was published.
    """
    command = "paperlake replay" if order.again else "paperlake run"
    with (
        hold_lock(order.lake, wait_seconds=wait_seconds, on_wait=say, command=command),
        noted_run(order.lake, say, reports_kept=order.settings.run.reports_kept) as report,
    ):
        _tidy_up(order.lake, report)
        _run_steps(order, call, report, say)
    return report


def _tidy_up(lake: Lake, report: RunReport) -> None:
    """Brings to an end, or removes, what killed commands left, and mends what was lost since."""
    folders = (lake.path, lake.raw_dir, lake.releases_dir, lake.state_dir)
    for folder in (*folders, *lake.work_dir.glob("*"), *lake.runs_dir.glob("*")):
        remove_leftovers(folder)
    finish_rollback(lake)
    report.mended = (*report.mended, *mend(lake))
    settle_publications(lake)


class _Timed(Protocol):
    """What calls a step, says that it begins, and notes how long it took."""

    def __call__(self, doing: str, step: Callable[..., T], *arguments: Any) -> T:
        """Says `doing`, calls `step` with `arguments` and gives what it returns."""


def _run_steps(order: RunOrder, call: Runner, report: RunReport, say: Callable[[str], None]) -> None:
    def timed(doing: str, step: Callable[..., T], *arguments: Any) -> T:
        start = time.perf_counter()
        with log_fields(step=step.__name__):
            say(doing)
            result = call(step, *arguments)
        report.seconds_by_step[step.__name__] = round(time.perf_counter() - start, 3)
        crash_point(f"after step {step.__name__}")
        return result

    landing = timed("land: copying what is new", land, order)
    log_notes(landing.notes)
    report.files_given, report.files_copied, report.files_live = landing.given_count, landing.copied_count, len(landing.files)
    if not landing.arrivals.cases and _is_settled(order, landing, report):
        return
    try:
        _build(order, landing, report, timed)
    except DamagedOutputError as error:
        say(str(error))
        report.mended = (*report.mended, _made_anew(drop_damaged(order.lake)))
        _build(order, landing, report, timed)


def _made_anew(count: int) -> str:
    return f"{count} output{'' if count == 1 else 's'} of stages in work/ {'was' if count == 1 else 'were'} damaged; made anew"


def _build(order: RunOrder, landing: Landing, report: RunReport, timed: _Timed) -> None:
    """The steps that make a release of the live set."""
    staged = timed(f"stage: reading {len(landing.files)} files", steps.stage, order, landing)
    report.files_read = staged.made_count
    if cases := landing.arrivals.cases:
        doing = f"gate: what {len(cases)} source{'' if len(cases) == 1 else 's'} brought"
        gated = timed(doing, gate, order, landing, staged)
        landing, staged = gated.landing, gated.staging
        report.files_live, report.files_read = len(landing.files), staged.made_count
        if _is_settled(order, landing, report):
            return
    report.records_staged = staged.counts.get("records", 0)
    report.notes, report.files_unread = (*landing.notes, *staged.notes), staged.unread
    _refuse_unread(order, report)
    cleaned = timed(f"clean: {report.records_staged} records", steps.clean, order, staged)
    report.files_cleaned, report.records_clean = cleaned.made_count, cleaned.counts.get("records", 0)
    report.rejects_by_reason = dict(Counter(staged.reasons) + Counter(cleaned.reasons))
    matched = timed(f"match: {report.records_clean} records", paper_steps.match, order, landing, cleaned)
    report.pairs_by_reason = matched.pairs_by_reason
    report.decisions, report.decisions_idle = matched.verdict_count, matched.idle_verdict_count
    report.without_identifiers = order.without_identifiers
    building = timed("merge: records into papers", paper_steps.merge, order, cleaned, matched)
    checked = timed("check: the tables", publishing_steps.check, order, building, report.run_id)
    report.row_counts, report.warnings, report.failed_checks = checked.row_counts, checked.warnings, checked.errors
    if checked.errors:
        raise PipelineError(_why_not(checked))
    told = Told(report.run_id, report.summary())
    published = timed("publish: the release", publishing_steps.publish, order, landing, checked, cleaned, matched, told)
    report.release_id = published.release_id
    report.outcome = "held" if published.pin else "published" if published.is_new else "unchanged"
    report.pin = published.pin.described() if published.pin else None


def _is_settled(order: RunOrder, landing: Landing, report: RunReport) -> bool:
    """Whether there is nothing to build; the report then says so, and in any case which sources are held back.

    Raises:
        PipelineError: there is nothing to build from, as no source could be had; or a strict run does not take what is built.
    """
    held = {source: list(reasons) for source, reasons in sorted(landing.arrivals.held.items())}
    report.held_sources, report.failed_sources = held, sorted(landing.arrivals.failed)
    report.passed_sources, report.source_notes = sorted(landing.arrivals.passed), landing.source_notes
    log_held(held, report.failed_sources)
    log_notes(landing.source_notes)
    if held and not landing.files:
        told = "".join(f"\n  {source}: {'; '.join(reasons)}" for source, reasons in held.items())
        raise PipelineError(f"nothing is published, as nothing is live and no source has anything to go on with:{told}")
    if order.again or not _is_built(order.lake, landing.inputs_key, report):
        return False
    _refuse_unread(order, report)
    return True


def _why_not(checked: Checked) -> str:
    """Which checks failed, and what to do about it."""
    named = ", ".join(f"{name} ({rows} row{'' if rows == 1 else 's'})" for name, rows in checked.errors.items())
    text = f"nothing is published, checks failed: {named}; the rows that fail are kept in {checked.kept_in}. "
    for name in checked.errors:
        if files := checked.files.get(name):
            listed = ", ".join(file for file, _ in files[:_FILES_NAMED])
            more = f" and {len(files) - _FILES_NAMED} more" if len(files) > _FILES_NAMED else ""
            text += f"Those of {name} come from {listed}{more}. "
    return f"{text}If they come from one file, `paperlake forget` takes it out; then run again"


_FILES_NAMED = 3


def _refuse_unread(order: RunOrder, report: RunReport) -> None:
    """Ends a strict run if a live file is no list of papers, or could not be read as one."""
    if order.strict and report.files_unread:
        count = len(report.files_unread)
        named = "".join(f"\n  {line}" for line in report.files_unread)
        raise PipelineError(
            f"nothing is published, as --strict wants every file read and {count} {'is' if count == 1 else 'are'} not:{named}\n"
            "`paperlake forget` takes a file out; a run without --strict keeps it as one reject"
        )


def _is_built(lake: Lake, inputs_key: str, report: RunReport) -> bool:
    """Whether the current release, or one that a pin holds back, was built from just these inputs; the report then says so."""
    current = lake.current_release()
    build = last_build(lake)
    if current is None or build.get("inputs_key") != inputs_key:
        return False
    pin = is_held(lake, build.get("release_id"))
    if pin is None and build.get("release_id") != current.name:
        return False
    if not is_as_published(lake, current):
        way_out = "`paperlake verify` says how; a pinned release is not made anew" if pin else "it is made anew"
        report.mended = (*report.mended, f"the current release {current.name} was damaged; {way_out}")
        if pin is None:
            return False
    report.outcome, report.release_id = ("nothing new", current.name) if pin is None else ("held", build["release_id"])
    report.pin = pin.described() if pin else None
    report.recall(build.get("summary", {}))
    return True
