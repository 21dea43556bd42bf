"""This module tells of each source how it does: what is live of it, what came of it last, and when that went well.

It opens the tables of the current release for records and rejects, and besides them only what lies in `state/` and `runs/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from flows.commands.read_commands import answer
from flows.settings import Settings
from warehouse.gates import SourceState, read_gates
from warehouse.layout import Lake
from warehouse.live import COMMAND_LINE, LiveName, read_live
from warehouse.run_reports import read_runs

_COUNTS_SQL = """
    -- One row a raw file of the release: its clean records, and its rejects, of records and of spans.
    select file_sha256, records_clean, records_rejected + spans_rejected as rejects
    from ledger
    order by file_sha256
"""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """How one source does.

    `state` is ok; held back, by the gate; failed, if it could not be had; never run; or not configured, if files of it are
    live that no block of sources.toml has any more. `why` says the reason, and what to do. `last_success` is when the last run
    that succeeded and had the source began, null where no run kept says so. `records` and `rejects` are those of the live files
    in the current release, null before they are in one; a file that several sources have counts for each.
    """

    source: str
    state: str
    location: tuple[str, ...]
    last_success: str | None
    files: int
    size_bytes: int
    records: int | None
    rejects: int | None
    why: str | None

    def as_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return {**asdict(self), "location": list(self.location)}


def source_rows(settings: Settings, lake: Lake, lake_path: Path | None) -> list[SourceRow]:
    """One row a source: those of sources.toml by name, then those that are live without a block, the command line last.

    Raises:
        LakeError: the live set or the current release is damaged.
    """
    live, gates = read_live(lake), read_gates(lake)
    named: dict[str, list[LiveName]] = {}
    for name in live:
        named.setdefault(name.source, []).append(name)
    configured = {source.name: source.location for source in settings.sources}
    others = sorted(named.keys() - configured.keys(), key=lambda source: (source == COMMAND_LINE, source))
    counts = _counts(lake, lake_path) if live else {}
    successes = _last_successes(lake, {*configured, *others} - {COMMAND_LINE})
    return [
        _row(source, configured.get(source), named.get(source, []), gates.get(source, _UNKNOWN), successes.get(source), counts)
        for source in (*configured, *others)
    ]


_UNKNOWN = SourceState()


def _row(
    source: str,
    location: tuple[str, ...] | None,
    names: list[LiveName],
    gate: SourceState,
    last_success: str | None,
    counts: Mapping[str, tuple[int, int]],
) -> SourceRow:
    sizes = {name.sha256: name.size_bytes for name in names}
    told = [counts[sha256] for sha256 in sizes if sha256 in counts]
    state, why = _state(source, location, gate, is_known=bool(names or last_success or gate.passed_at))
    return SourceRow(
        source,
        state,
        location or (),
        last_success,
        len(names),
        sum(sizes.values()),
        sum(records for records, _ in told) if told else None,
        sum(rejects for _, rejects in told) if told else None,
        why,
    )


def _state(source: str, location: tuple[str, ...] | None, gate: SourceState, *, is_known: bool) -> tuple[str, str | None]:
    """The state of a source, and why it is so."""
    if source == COMMAND_LINE:
        return "ok", None
    if location is None:
        return (
            "not configured",
            f"its files stay live; give it its block in sources.toml again, or take them out with `paperlake forget {source}`",
        )
    if gate.held is not None:
        reasons, since = "; ".join(gate.held.reasons), f"(since {gate.held.since})"
        if gate.held.is_failure:
            return "failed", f"{reasons} {since}"
        return "held back", f"{reasons} {since}; `paperlake run --accept {source}` lets it through"
    return ("ok", None) if is_known else ("never run", "`paperlake run` without files lands it")


def _counts(lake: Lake, lake_path: Path | None) -> dict[str, tuple[int, int]]:
    """The records and rejects of each raw file of the current release; nothing where there is no release yet."""
    if lake.current_release() is None:
        return {}
    with answer(_COUNTS_SQL, lake_path) as result:
        return {str(sha256): (records, rejects) for sha256, records, rejects in result.rows()}  # type: ignore[misc]


def _last_successes(lake: Lake, sources: Iterable[str]) -> dict[str, str]:
    """When the last run that succeeded and had the source began, by source; runs before the last of all are not looked at."""
    wanted, found = set(sources), dict[str, str]()
    for run in read_runs(lake):
        if wanted <= found.keys():
            break
        if run.has_succeeded and run.started_at is not None:
            for source in wanted.intersection(run.passed_sources) - found.keys():
                found[source] = run.started_at.isoformat(timespec="seconds")
    return found
