"""This module writes the live set when all of it is settled: what passed the gate, and what is held back and remembered."""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from collections.abc import Mapping

from flows.file_lines import log_landed
from flows.handovers import Arrivals, FileOutput, Landing, RunOrder
from flows.sources.gating import Verdict
from flows.versions import code_version
from warehouse.decisions import Verdict as Decision
from warehouse.gates import Held, SourceState, now, read_gates, write_gates
from warehouse.live import COMMAND_LINE, LiveName, live_files, write_live
from warehouse.work import work_key


def settle(order: RunOrder, landing: Landing, judged: Mapping[str, Verdict], outputs: Mapping[str, FileOutput]) -> Landing:
    """The landing after the gate has spoken; what passes is live from now on, and what is held back is remembered."""
    arrivals = landing.arrivals
    live, passed, held = arrivals.settled, dict(arrivals.passed), dict(arrivals.held)
    notes = list[str]()
    for case in arrivals.cases:
        verdict = judged[case.source]
        notes += [f"{case.source}: {note}" for note in verdict.notes]
        if verdict.reasons:
            held[case.source] = verdict.reasons
        else:
            live, passed[case.source] = (live - case.before) | case.after, case.is_there
    if live != arrivals.before:
        write_live(order.lake, live)
        log_landed(live - arrivals.before)
    _note_states(order, dataclasses.replace(arrivals, passed=passed, held=held), outputs)
    there = passed | {case.source: case.is_there for case in arrivals.cases}
    return dataclasses.replace(
        landing,
        files=tuple(live_files(live, lambda name: order.settings.source(name).precedence)),
        inputs_key=inputs_key(order, live, landing.verdicts),
        arrivals=dataclasses.replace(arrivals, cases=(), passed=passed, held=held),
        source_notes=(*notes, *_gone_notes(live, there), *_orphan_notes(order, live)),
    )


def _note_states(order: RunOrder, arrivals: Arrivals, outputs: Mapping[str, FileOutput]) -> None:
    """Keeps for the next run what stands at each source that passed, and why which is held back."""
    before = read_gates(order.lake)
    states = dict(before)
    for source, paths in arrivals.passed.items():
        state = states.get(source, SourceState())
        if state.paths != paths or state.held:
            states[source] = SourceState(paths, now())
    cases = {case.source: case for case in arrivals.cases}
    for source, reasons in arrivals.held.items():
        state = states.get(source, SourceState())
        case = cases.get(source)
        if case is not None:
            files = sorted({name.sha256 for name in case.after - case.before})
            names = sorted({outputs[sha256].staged.folder.name for sha256 in files})
            states[source] = dataclasses.replace(state, held=Held(case.key, reasons, now(), tuple(names), tuple(files)))
        elif state.held is None or state.held.reasons != reasons:
            states[source] = dataclasses.replace(state, held=Held("", reasons, now()))
    configured = {source.name for source in order.settings.sources}
    for source, state in states.items():
        if state.held and source not in configured:  # nobody can accept it, so what was read of it need not be kept
            states[source] = dataclasses.replace(state, held=None)
    if states != before:
        write_gates(order.lake, states)


def _gone_notes(live: frozenset[LiveName], there: Mapping[str, frozenset[str]]) -> list[str]:
    """What to say of live files that are no longer at their source: one note a source."""
    notes = []
    for source, paths in there.items():
        gone = sorted(name.source_path for name in live if name.source == source and name.source_path not in paths)
        if len(gone) == 1:
            notes.append(
                f"{source}: {gone[0]} is no longer at the source, and stays live; `paperlake forget` takes it out of the lake"
            )
        elif gone:
            more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
            notes.append(
                f"{source}: {len(gone)} files are no longer at the source, and stay live ({', '.join(gone[:_NAMED])}{more}); "
                "`paperlake forget` takes them out of the lake"
            )
    return notes


_NAMED = 3


def _orphan_notes(order: RunOrder, live: frozenset[LiveName]) -> list[str]:
    """What to say of live files whose source sources.toml has no more, as where it was renamed; nobody supersedes them."""
    if order.paths or order.again:
        return []
    known = {COMMAND_LINE, *(source.name for source in order.settings.sources)}
    counts = Counter(name.source for name in live if name.source not in known)
    return [
        f"{source}: sources.toml has no source of this name any more, and {count} file{' stays' if count == 1 else 's stay'} "
        f"live; `paperlake forget {shlex.quote(source)}` takes all of it out of the lake"
        for source, count in sorted(counts.items())
    ]


def inputs_key(order: RunOrder, live: frozenset[LiveName], verdicts: tuple[Decision, ...]) -> str:
    """A hash of all that a release is made from: the live set, people's verdicts, the settings and the code."""
    names = sorted(dataclasses.astuple(name) for name in live)
    return work_key(names, order.settings.tables_key, code_version(), *matching_key(order, verdicts))


def matching_key(order: RunOrder, verdicts: tuple[Decision, ...]) -> tuple[object, ...]:
    """What has a say in matching beside the records and the code."""
    return verdicts, order.without_identifiers
