"""This module tells what a run did: one report, as terminal text, JSON and Markdown."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warehouse.atomic import write_file
from warehouse.layout import Lake

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class RunReport:
    """What one run read, cleaned, matched, rejected and published; filled in as the run goes on."""

    run_id: str
    lake: str
    outcome: str = "failed"
    """published, unchanged (built, and found equal to the current release), nothing new (not built), held (by a pin; built
    now or before), or failed; `running` in the file of a run that goes on, or was killed"""
    release_id: str | None = None
    pin: str | None = None
    """what holds the release back, in words"""
    files_given: int = 0
    files_copied: int = 0
    files_live: int = 0
    files_read: int = 0
    files_cleaned: int = 0
    records_staged: int = 0
    records_clean: int = 0
    rejects_by_reason: dict[str, int] = field(default_factory=dict)
    pairs_by_reason: dict[str, int] = field(default_factory=dict)
    decisions: int = 0
    decisions_idle: int = 0
    """of people's decisions, those on a record that is not in the lake: they have no effect"""
    without_identifiers: bool = False
    row_counts: dict[str, int] = field(default_factory=dict)
    failed_checks: dict[str, int] = field(default_factory=dict)
    warnings: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files_unread: tuple[str, ...] = ()
    """of each live file whose verdict is not `read`: name, verdict and message"""
    mended: tuple[str, ...] = ()
    """what was lost or damaged in the lake and is mended, in sentences"""
    held_sources: dict[str, list[str]] = field(default_factory=dict)
    """why sources are held back, by their names: what is live of them is as it was"""
    failed_sources: list[str] = field(default_factory=list)
    """of these the ones that could not be had at all"""
    passed_sources: list[str] = field(default_factory=list)
    """the sources that were had, and went through the gate"""
    source_notes: tuple[str, ...] = ()
    """what there is to say of what stands at the sources now"""
    seconds_by_step: dict[str, float] = field(default_factory=dict)
    error: str | None = None
    exit_code: int | None = None
    """of the command, were this run all it did; null while the run goes on"""
    started_at: str | None = None
    ended_at: str | None = None
    seconds: float | None = None
    pid: int | None = None
    host: str | None = None

    def summary(self) -> dict[str, Any]:
        """What the report says of the release, whichever run built it."""
        return {name: getattr(self, name) for name in sorted(_OF_THE_RELEASE)}

    def recall(self, summary: Mapping[str, Any]) -> None:
        """Takes over what the run that built the release said of it."""
        for name in _OF_THE_RELEASE & summary.keys():
            setattr(self, name, summary[name])

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return dataclasses.asdict(self)

    @property
    def is_held_back(self) -> bool:
        """Whether the run did its work, and something is held back all the same."""
        return self.outcome == "held" or bool(self.held_sources)

    def rows(self) -> list[tuple[str, str]]:
        """The report as lines of (what, figure), the way it is shown to people."""
        rejects = sum(self.rejects_by_reason.values())
        lines = [
            ("read", f"{_many(self.files_live, 'raw file')} live ({self.files_copied} new, {self.files_read} read now)"),
            ("records", f"{self.records_staged} staged, {self.records_clean} clean"),
            ("rejected", f"{rejects}{_listed(self.rejects_by_reason)}"),
            ("matched", self._pairs("match")),
            *((what, self._pairs(status)) for what, status in _OTHER_PAIRS if self._reasons(status)),
            *(("decisions", text) for text in self._decisions()),
            ("papers", f"{self.row_counts.get('papers', 0)}"),
        ]
        lines += [("check failed", f"{name}: {_many(rows, 'row')}") for name, rows in self.failed_checks.items()]
        lines += [("warning", f"{name}: {_many(rows, 'row')}") for name, rows in self.warnings.items()]
        lines += [("mended", text) for text in self.mended]
        lines += [("held back", text) for text in self._held()]
        lines += [("note", note) for note in self.source_notes[:_NOTES_SHOWN]]
        if len(self.source_notes) > _NOTES_SHOWN:
            lines.append(("note", f"and {len(self.source_notes) - _NOTES_SHOWN} more on sources"))
        lines += [("note", note) for note in self.notes[:_NOTES_SHOWN]]
        if len(self.notes) > _NOTES_SHOWN:
            lines.append(("note", f"and {len(self.notes) - _NOTES_SHOWN} more: select file_name, message from raw_files"))
        outcome = {
            "published": f"release {self.release_id}",
            "unchanged": f"nothing: the tables are those of the current release {self.release_id}",
            "nothing new": f"nothing new since release {self.release_id}",
            "held": f"nothing: {self.pin}, so release {self.release_id} is held back; `paperlake diff current "
            f"{self.release_id}` shows it, after `paperlake unpin` the next run publishes",
        }.get(self.outcome, f"nothing: {self.error}")
        return [*lines, ("published", outcome)]

    def _decisions(self) -> list[str]:
        """What there is to say of what people had to say on matching."""
        idle = f"; {self.decisions_idle} without effect, as a record is not in the lake" if self.decisions_idle else ""
        said = [f"{self.decisions} of people{idle}"] if self.decisions else []
        return [*said, "identifiers were left out of matching"] if self.without_identifiers else said

    def _held(self) -> list[str]:
        """Of each source that is held back why, and what lets it through."""
        told = []
        for source, reasons in self.held_sources.items():
            if source in self.failed_sources:
                told.append(f"{source}: {'; '.join(reasons)}; what is live of it stays live")
            else:
                accept = f"`paperlake run --accept {shlex.quote(source)}` lets what is there now through"
                told.append(f"{source}: {'; '.join(reasons)}; its last good files stay live, {accept}")
        return told

    def _reasons(self, status: str) -> dict[str, int]:
        """The pairs with one status, by reason."""
        return {
            reason.removeprefix(f"{status}: "): count
            for reason, count in self.pairs_by_reason.items()
            if reason.startswith(f"{status}: ")
        }

    def _pairs(self, status: str) -> str:
        reasons = self._reasons(status)
        return f"{_many(sum(reasons.values()), 'pair')}{_listed(reasons)}"

    def markdown(self) -> str:
        """The report as a Markdown table."""
        cell = [(what, figure.replace("|", "\\|")) for what, figure in self.rows()]
        return "\n".join(["| | |", "|---|---|", *(f"| {what} | {figure} |" for what, figure in cell)]) + "\n"


_NOTES_SHOWN = 5

_OF_THE_RELEASE = frozenset(
    (
        "records_staged",
        "records_clean",
        "rejects_by_reason",
        "pairs_by_reason",
        "decisions",
        "decisions_idle",
        "without_identifiers",
        "row_counts",
        "warnings",
        "notes",
        "files_unread",
    )
)

_OTHER_PAIRS = (("versions", "version"), ("possible", "possible"), ("kept apart", "no"))


def save_report(report: RunReport, lake: Lake) -> None:
    """Writes the report to `lake/runs/<run_id>/report.json`."""
    text = json.dumps(report.as_dict(), indent=2, ensure_ascii=False) + "\n"
    write_file(lake.runs_dir / report.run_id / "report.json", text.encode())


def print_report(report: RunReport, console: Console, next_steps: list[str]) -> None:
    """Prints the report: a table on a terminal, plain `what: figure` lines elsewhere."""
    if console.is_terminal:
        from rich.markup import escape
        from rich.table import Table

        table = Table(show_header=False, box=None, pad_edge=False)
        for what, figure in report.rows():
            table.add_row(f"[bold]{escape(what)}", escape(figure))
        console.print(table)
    else:
        for what, figure in report.rows():
            console.print(f"{what}: {figure}", markup=False, highlight=False, soft_wrap=True)
    if next_steps:
        console.print("\nTry next:", markup=False, highlight=False)
        for step in next_steps:
            console.print(f"  {step}", markup=False, highlight=False, soft_wrap=True)


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _listed(counts: dict[str, int]) -> str:
    """Counts by reason in brackets, most frequent first.

    >>> _listed({"ragged_row": 2, "empty_file": 1})
    ' (2 ragged_row, 1 empty_file)'
    """
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return f" ({', '.join(f'{count} {reason}' for reason, count in ordered)})" if counts else ""
