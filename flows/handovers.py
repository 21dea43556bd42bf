"""This module is what the steps hand to each other: paths and counts, never a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flows.settings import Settings
from warehouse.decisions import Verdict
from warehouse.layout import Lake
from warehouse.live import LiveFile, LiveName
from warehouse.work import Output


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What a run is told to do. With no paths, every configured source is landed.

    With `without_identifiers` records are matched as if they had none; papers are still named for theirs. Of the sources in
    `accept` all that landed goes through the gate, however it differs from before.

    The live raw files in `again` (by SHA-256) are read and cleaned again, whatever was made of them before; such a run lands
    nothing, and builds a release even from the inputs of the last.
    """

    lake: Lake
    settings: Settings
    paths: tuple[Path, ...] = ()
    rehash: bool = False
    strict: bool = False
    without_identifiers: bool = False
    accept: tuple[str, ...] = ()
    again: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SourceCase:
    """What a source brought, beside what is live of it: the names live now, and those that would be.

    `was_there` are the paths that stood at the source when it passed last, `is_there` those that stand there now; what is live
    may have more, as a file that vanishes stays live. `key` is a hash of all that a verdict on it depends on.
    """

    source: str
    before: frozenset[LiveName]
    after: frozenset[LiveName]
    was_there: frozenset[str]
    is_there: frozenset[str]
    key: str

    @property
    def is_new(self) -> bool:
        """Whether nothing of the source is live, so that there is nothing to compare with."""
        return not self.before

    def superseded(self) -> list[tuple[LiveName, LiveName]]:
        """The names whose file is to be superseded by another content, each with what is to supersede it."""
        live = {name.source_path: name for name in self.before}
        pairs = [(live[name.source_path], name) for name in sorted(self.after) if name.source_path in live]
        return [(old, new) for old, new in pairs if old.sha256 != new.sha256]


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What landed, before the gate: the names live before, those that are without the gate's word, and what it is to judge.

    `passed` has the paths that stand at each source that goes through, `held` why a source is held back as far as that is
    known without reading: it could not be had at all (`failed`), or was judged before as it is.
    """

    before: frozenset[LiveName]
    settled: frozenset[LiveName]
    cases: tuple[SourceCase, ...] = ()
    passed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    held: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Landing:
    """The live set after landing, and what it took. `inputs_key` is a hash of all a release is made from.

    `verdicts` are those of `decisions.csv` when the run began: what is edited meanwhile is for the next one. While the gate
    has cases to judge, `files` are those that are live and those that may be, the key is empty, and nothing new is live yet.
    """

    files: tuple[LiveFile, ...]
    given_count: int
    copied_count: int
    unopened_count: int
    inputs_key: str
    notes: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    arrivals: Arrivals = field(default_factory=lambda: Arrivals(frozenset(), frozenset()))
    source_notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileOutput:
    """One live file and the outputs made of it so far: `staged`, then `cleaned`."""

    file: LiveFile
    staged: Output
    cleaned: Output | None = None

    @property
    def clean_output(self) -> Output:
        """The output of cleaning, for the steps after it."""
        assert self.cleaned is not None, "only what the cleaning step gives comes here"
        return self.cleaned


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage made of every file: the outputs, how many were made now, and counts of rows by name.

    `unread` has a line for every file whose verdict is not `read`.
    """

    outputs: tuple[FileOutput, ...]
    made_count: int
    counts: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Matching:
    """Where the compared pairs and the clusters lie, the pairs by status and reason, and people's verdicts.

    A verdict on a record that is not in the lake has no effect; `idle_verdict_count` says how many there are. `features` are
    what the next match need not derive again.
    """

    output: Output
    features: tuple[Output, ...]
    pairs_by_reason: dict[str, int]
    verdict_count: int = 0
    idle_verdict_count: int = 0


@dataclass(frozen=True, slots=True)
class Building:
    """An unpublished release: its folder, and the rows of each table."""

    folder: Path
    row_counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Checked:
    """The unpublished release with its table `checks`, and what they said: failing rows by check, apart by severity.

    `files` are the raw files that a check's failing rows come from, by check, with how many each has.
    """

    folder: Path
    row_counts: dict[str, int]
    errors: dict[str, int]
    warnings: dict[str, int]
    kept_in: Path | None
    files: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """What a run has to say of the release it built: its own id, and what a later run that finds nothing new is to report."""

    run_id: str
    summary: dict[str, Any]
