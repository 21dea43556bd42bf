"""This module tells a Prefect server what happened to a lake, as events that an automation can wait for.

| event | when | payload |
|---|---|---|
| `paperlake.release.published` | a new release is current | the run's counts |
| `paperlake.gate.closed` | a gate held a source back: one event a source | the source, the reasons, and the run's counts |
| `paperlake.run.failed` | a run failed; the current release is as it was | the sentence of the error |

The resource of each is the lake by its name, `paperlake.lake.<name>`; the flow run is added by Prefect. No path of the
machine stands in the resource or in the counts, nor a text of a source.
"""

from __future__ import annotations

from typing import Any

from prefect.events import emit_event

from flows.orchestration.prefect_artifacts import lake_name
from flows.report import RunReport
from warehouse.layout import Lake

PUBLISHED = "paperlake.release.published"
GATE_CLOSED = "paperlake.gate.closed"
FAILED = "paperlake.run.failed"

_SENTENCE_CHARACTERS = 2_000
"""An event has a limit of size; a check that fails in a thousand files says so in a long sentence."""


def tell_events(report: RunReport, lake: Lake) -> None:
    """Sends what the report of a run gives occasion to."""
    counts = _counts(report)
    if report.outcome == "published":
        emit_event(PUBLISHED, _resource(lake), payload=counts)
    for source, reasons in sorted(report.held_sources.items()):
        told = [reason[:_SENTENCE_CHARACTERS] for reason in reasons]
        emit_event(GATE_CLOSED, _resource(lake), payload={"source": source, "reasons": told, **counts})


def tell_failure(error: BaseException, lake: Lake) -> None:
    """Sends that a run failed, and why."""
    sentence = str(error) or type(error).__name__
    payload = {"error": sentence[:_SENTENCE_CHARACTERS], "kind": type(error).__name__}
    emit_event(FAILED, _resource(lake), payload=payload)


def _resource(lake: Lake) -> dict[str, str]:
    name = lake_name(lake)
    return {"prefect.resource.id": f"paperlake.lake.{name}", "prefect.resource.name": name}


def _counts(report: RunReport) -> dict[str, Any]:
    """What a run came to, in figures."""
    return {
        "run_id": report.run_id,
        "release_id": report.release_id,
        "outcome": report.outcome,
        "raw_files": report.files_live,
        "raw_files_new": report.files_copied,
        "records": report.records_clean,
        "rejects": sum(report.rejects_by_reason.values()),
        "papers": report.row_counts.get("papers", 0),
        "warnings": sum(report.warnings.values()),
    }
