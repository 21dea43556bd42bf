"""This module is the step between reading and cleaning: the gate, which lets sources through or holds them back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from flows.handovers import FileOutput, Landing, RunOrder, SourceCase, Stage
from flows.sources.gating import TABLES, Verdict, judge
from flows.sources.settling import settle
from flows.steps import stage
from warehouse.measures import measure_file


@dataclass(frozen=True, slots=True)
class Gated:
    """What goes on after the gate: the live set, and what was read of it."""

    landing: Landing
    staging: Stage


def gate(order: RunOrder, landing: Landing, staging: Stage) -> Gated:
    """Judges each source that brought something else, by what reading made of it and of what is live; writes the live set."""
    outputs = {entry.file.sha256: entry for entry in staging.outputs}
    judged = {case.source: _judged(order, case, outputs) for case in landing.arrivals.cases}
    settled = settle(order, landing, judged, outputs)
    staged = stage(order, settled)
    return Gated(settled, dataclasses.replace(staged, made_count=staged.made_count + staging.made_count))


def _judged(order: RunOrder, case: SourceCase, outputs: Mapping[str, FileOutput]) -> Verdict:
    settings = order.settings.source(case.source)
    measures = {name.sha256: measure_file(outputs[name.sha256].staged) for name in case.before | case.after}

    def moves() -> Verdict:
        from flows.sources.column_guess import Successor
        from flows.sources.column_moves import find_moves

        pairs = {
            (old.sha256, new.sha256): new.source_path
            for old, new in reversed(case.superseded())
            if measures[old.sha256].is_read and measures[old.sha256].reader == measures[new.sha256].reader
        }
        found = find_moves(
            [
                Successor(path, measures[new].reader, outputs[old].staged, outputs[new].staged)
                for (old, new), path in reversed(pairs.items())
            ],
            settings,
        )
        return Verdict(found.reasons, found.notes)

    verdict = judge(case, measures, order.settings.gate_bounds(settings), moves)
    unread = [
        (old, new)
        for old, new in case.superseded()
        if measures[old.sha256].reader in TABLES and not measures[new.sha256].is_read
    ]
    for old, new in unread[:1]:
        from flows.sources.unread_tables import suggest_columns, without_advice

        path, message = order.lake.raw_path(new.sha256), measures[new.sha256].message
        if patch := suggest_columns(path, message, outputs[old.sha256].staged, order.settings, settings):
            return Verdict((*map(without_advice, verdict.reasons), patch), verdict.notes)
    return verdict
