"""This module finds which sources brought something else than what is live of them, and what is known of it already."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from flows.handovers import Arrivals, RunOrder, SourceCase
from flows.versions import judging_version
from warehouse.gates import SourceState, read_gates
from warehouse.live import LiveFile, LiveName, add_names, live_files
from warehouse.work import work_key


def find_arrivals(
    order: RunOrder,
    before: frozenset[LiveName],
    landed: Iterable[LiveName],
    given: Iterable[tuple[str, str]],
    failed: Mapping[str, str],
) -> Arrivals:
    """What landed, by what the gate has to say of it.

    `landed` are the names that stand at the sources, or were given on the command line; those pass as they are. A source passes
    unread where it brought nothing that is not live and nothing of it is gone, or where the run is told to accept it.
    """
    landed, given, gates = frozenset(landed), frozenset(given), read_gates(order.lake)
    asked = () if order.paths or order.again else [source.name for source in order.settings.sources]
    settled = add_names(before, *_of_others(asked, landed, given))
    cases, passed, held = [], dict[str, frozenset[str]](), dict[str, tuple[str, ...]]()
    for source in asked:
        state = gates.get(source, SourceState())
        if source in failed:
            held[source] = (failed[source],)
            continue
        case = _case(order, source, before, landed, given, state)
        is_open = case.before == case.after and case.was_there <= case.is_there
        if is_open or source in order.accept:
            passed[source] = case.is_there
            settled = (settled - case.before) | case.after
        elif state.held and state.held.key == case.key:
            held[source] = state.held.reasons
        else:
            cases.append(case)
    return Arrivals(before, settled, tuple(cases), passed, held, frozenset(failed))


def _of_others(
    asked: Iterable[str], landed: frozenset[LiveName], given: frozenset[tuple[str, str]]
) -> tuple[list[LiveName], list[tuple[str, str]]]:
    """What landed that is of none of these sources: files of the command line."""
    sources = set(asked)
    return [name for name in landed if name.source not in sources], [file for file in given if file[0] not in sources]


def _case(
    order: RunOrder,
    source: str,
    live: frozenset[LiveName],
    landed: frozenset[LiveName],
    given: frozenset[tuple[str, str]],
    state: SourceState,
) -> SourceCase:
    """What a source brought, beside what is live of it."""
    before = frozenset(name for name in live if name.source == source)
    own = frozenset(name for name in landed if name.source == source)
    after = add_names(before, own, [file for file in given if file[0] == source])
    live_paths = frozenset(name.source_path for name in before)
    was_there = live_paths if state.paths is None else live_paths & state.paths  # what was forgotten is not missed
    case = SourceCase(source, before, after, was_there, frozenset(name.source_path for name in own), "")
    if before == after and was_there <= case.is_there:
        return case  # the key costs a look at the code
    settings = order.settings.source(source)
    names = [sorted(map(dataclasses.astuple, each)) for each in (before, after)]
    paths = [sorted(each) for each in (was_there, case.is_there)]
    bounds = dataclasses.astuple(order.settings.gate_bounds(settings))
    key = work_key(names, paths, bounds, judging_version(), *order.settings.reading_key(settings))
    return dataclasses.replace(case, key=key)


def files_to_read(order: RunOrder, arrivals: Arrivals) -> tuple[LiveFile, ...]:
    """The files that are live, and those that may be after the gate."""
    names = arrivals.settled | frozenset(name for case in arrivals.cases for name in case.after)
    return tuple(live_files(names, lambda name: order.settings.source(name).precedence))
