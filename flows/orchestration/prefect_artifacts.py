"""This module leaves what a run did as artifacts of its flow run, under keys that stay the same from run to run.

| key | what | made |
|---|---|---|
| `paperlake-run` | the run's report | by every run, one that failed too |
| `paperlake-rejects` | rejects by reason | by every run that has read something |
| `paperlake-ledger` | for every raw file what went in and what became of it | with a new release |
| `paperlake-diff` | what the new release changed against the one before, by table and cause | with a new release |

Those of a lake in a folder called `lake` have these keys; the name of any other is added (`paperlake-run-physics`), so that
several lakes can be told apart on one server. A run with nothing new opens no data file: it leaves the last two as they
are, unless this server has none of them yet.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable

import httpx
from prefect.artifacts import Artifact, create_markdown_artifact, create_table_artifact
from prefect.exceptions import PrefectException

from flows.report import RunReport
from flows.settings import Settings
from transforms.schemas import PaperlakeError
from warehouse.layout import Lake

_ROWS = 200
"""How many rows an artifact has at most; the page of a flow run shows it whole."""

_LEDGER = """
    select f.file_name, l.size_bytes, l.records_staged, l.records_clean, l.records_rejected, l.spans_rejected, l.balanced
    from ledger l
    join raw_files f using (file_sha256)
    order by l.balanced, f.file_name, l.file_sha256
"""


def artifact_key(what: str, lake: Lake) -> str:
    """The key of one of a lake's artifacts.

    >>> from pathlib import Path
    >>> artifact_key("run", Lake(Path("/srv/papers/lake"))), artifact_key("run", Lake(Path("/srv/Physics_2")))
    ('paperlake-run', 'paperlake-run-physics-2')
    """
    name = re.sub(r"[^a-z0-9]+", "-", lake_name(lake).lower()).strip("-")
    return f"paperlake-{what}" if name in ("lake", "") else f"paperlake-{what}-{name}"


def lake_name(lake: Lake) -> str:
    """What a lake is called on a server: its folder's name; the whole path says more of the machine than others need."""
    return lake.path.resolve().name


def leave_artifacts(report: RunReport, lake: Lake, settings: Settings, say: Callable[[str], None]) -> None:
    """Leaves the run's artifacts. What hinders one of them is said, and makes no run fail whose release is published."""
    _leave("run", say, lambda: _leave_summary(report, lake))
    if report.files_live:
        _leave("rejects", say, lambda: _leave_rejects(report, lake))
    if report.release_id is None or report.outcome == "failed":
        return
    is_new = report.outcome in ("published", "unchanged", "held")
    for what, make in (("ledger", _leave_ledger), ("diff", _leave_diff)):
        if is_new or _is_missing(what, lake):
            _leave(what, say, lambda make=make: make(report, lake, settings))  # type: ignore[misc]


def leave_failure(sentence: str, lake: Lake, say: Callable[[str], None]) -> None:
    """Leaves what stands in for the report of a run that failed before it had one."""
    text = f"The run failed before it read anything: {sentence}\n"
    key = artifact_key("run", lake)
    _leave("run", say, lambda: create_markdown_artifact(text, key=key, description="failed"))


def report_saved_since(lake: Lake, began: float) -> RunReport | None:
    """The report that a run of this process has saved since, in seconds of the clock: a run that fails returns none."""
    saved = [path for path in lake.runs_dir.glob(f"*-{os.getpid()}/report.json") if path.stat().st_mtime >= began - 1]
    if not saved:
        return None
    return RunReport(**json.loads(max(saved).read_text(encoding="utf-8")))


def _leave(what: str, say: Callable[[str], None], make: Callable[[], object]) -> None:
    try:
        make()
    except (PrefectException, httpx.HTTPError, PaperlakeError, OSError) as error:
        say(f"the artifact paperlake-{what} could not be made: {error}")


def _is_missing(what: str, lake: Lake) -> bool:
    try:
        return Artifact.get(artifact_key(what, lake)) is None
    except (PrefectException, httpx.HTTPError):
        return False


def _leave_summary(report: RunReport, lake: Lake) -> None:
    create_markdown_artifact(
        report.markdown(), key=artifact_key("run", lake), description=f"run {report.run_id}: {report.outcome}"
    )


def _leave_rejects(report: RunReport, lake: Lake) -> None:
    by_count = sorted(report.rejects_by_reason.items(), key=lambda entry: (-entry[1], entry[0]))
    rows = [{"reason": reason, "rejects": count} for reason, count in by_count]
    create_table_artifact(rows, key=artifact_key("rejects", lake), description=f"rejects by reason, run {report.run_id}")


def _leave_ledger(report: RunReport, lake: Lake, settings: Settings) -> None:
    from warehouse.history import find_release
    from warehouse.query import run_query

    release = find_release(lake, report.release_id)
    with run_query(release, _LEDGER, spill_dir=lake.spill_dir, limits=settings.query_limits()) as result:
        columns, rows = result.columns, result.rows()
    shown = [dict(zip(columns, row, strict=True)) for row in rows[:_ROWS]]
    of = f", the first {_ROWS} of {len(rows)} files" if len(rows) > _ROWS else ""
    create_table_artifact(
        shown, key=artifact_key("ledger", lake), description=f"ledger of {report.release_id}{of}; `paperlake ledger` has all"
    )


def _leave_diff(report: RunReport, lake: Lake, settings: Settings) -> None:
    text, description = _diff_text(report, lake, settings)
    create_markdown_artifact(text, key=artifact_key("diff", lake), description=description)


def _diff_text(report: RunReport, lake: Lake, settings: Settings) -> tuple[str, str]:
    """The diff of the release against the one before as Markdown, counted by table and cause, and a line on it."""
    from warehouse.diff import open_diff
    from warehouse.history import find_release
    from warehouse.layout import LakeError

    after = find_release(lake, report.release_id)
    try:
        before = find_release(lake, "current" if report.outcome == "held" else "previous")
    except LakeError:
        return f"{after.name} is the first release of the lake.\n", f"first release {after.name}"
    if report.outcome == "unchanged":
        return f"The tables are those of {after.name}.\n", f"{after.name}: unchanged"
    with open_diff(before, after, spill_dir=lake.spill_dir, limits=settings.query_limits()) as diff:
        described, changes = diff.inputs.described(), diff.summary()
    lines = ["| table | cause | added | removed | changed | fields |", "|---|---|---:|---:|---:|---|"]
    for each in changes[:_ROWS]:
        fields = ", ".join(f"{name} {count}" for name, count in each.fields.items())
        lines.append(f"| {each.table} | {each.cause} | {each.added} | {each.removed} | {each.changed} | {fields} |")
    table = "\n".join(lines) if changes else "The tables are the same."
    title = f"{before.name} → {after.name}"
    command = f"`paperlake diff {before.name} {after.name}`"
    return f"{title}: {_escaped(described)}\n\n{table}\n\n{command} lists the rows.\n", title


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
