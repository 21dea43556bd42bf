"""This module says what a release was made from, and in what two releases differ there: files, decisions, rules, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transforms.schemas import RAW_FILES
from warehouse.decisions import Verdict
from warehouse.layout import LakeError, read_release
from warehouse.live import COMMAND_LINE

FileName = tuple[str, str]
"""The source of a raw file, and its path there."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a release was made from: raw files by hash, people's verdicts, versions of the rules by stage, the settings.

    What an earlier paperlake did not write down is None.
    """

    raw_files: Mapping[str, FileName]
    decisions: frozenset[Verdict] | None
    rules: Mapping[str, str] | None
    settings_key: str | None
    without_identifiers: bool | None

    @classmethod
    def of(cls, raw_files: Mapping[str, FileName], facts: Mapping[str, Any]) -> Inputs:
        """The inputs that the facts of a `release.json` tell of."""
        decisions = facts.get("decisions")
        return cls(
            raw_files,
            None if decisions is None else frozenset((str(left), str(right), str(said)) for left, right, said in decisions),
            facts.get("rules"),
            facts.get("settings_key"),
            facts.get("without_identifiers"),
        )


@dataclass(frozen=True, slots=True)
class InputChanges:
    """In what two releases differ: files that came and went, of them those that one name stands for, and so on."""

    files_added: frozenset[str]
    files_removed: frozenset[str]
    superseded_count: int
    decisions_added: frozenset[Verdict]
    decisions_removed: frozenset[Verdict]
    rules: tuple[str, ...]
    has_other_settings: bool
    unknown: tuple[str, ...]

    @property
    def has_other_files(self) -> bool:
        """Whether they were made from other raw files."""
        return bool(self.files_added or self.files_removed)

    @property
    def has_other_decisions(self) -> bool:
        """Whether people had decided otherwise."""
        return bool(self.decisions_added or self.decisions_removed)

    @property
    def has_other_rules(self) -> bool:
        """Whether they were made by other rules: another code or other settings."""
        return bool(self.rules) or self.has_other_settings

    def described(self) -> str:
        """The changes in a line; what is not known is said."""
        added, removed = (len(files) - self.superseded_count for files in (self.files_added, self.files_removed))
        parts = [
            _counted("raw file", ((added, "added"), (removed, "removed"), (self.superseded_count, "superseded"))),
            _counted("decision", ((len(self.decisions_added), "added"), (len(self.decisions_removed), "taken back"))),
            f"other rules of {', '.join(self.rules)}" if self.rules else "",
            "other settings" if self.has_other_settings else "",
            f"not written down: {', '.join(self.unknown)}" if self.unknown else "",
        ]
        return "; ".join(part for part in parts if part) or "the same inputs"


def read_inputs(release_dir: Path) -> Inputs:
    """What a release was made from.

    Raises:
        LakeError: its table `raw_files` is damaged.
    """
    import pyarrow.parquet as pq  # here: a command that finds nothing to tell of need not wait for it

    columns = ["file_sha256", "source", "source_path"]
    rows = []
    for path in sorted((release_dir / RAW_FILES.name).glob("*.parquet")):
        try:
            rows += [tuple(row.values()) for row in pq.read_table(path, columns=columns, partitioning=None).to_pylist()]
        except (OSError, ValueError) as error:
            raise LakeError(f"{path} cannot be read: {error}; `paperlake verify {release_dir.name}` says more") from error
    return Inputs.of({sha256: (source, path) for sha256, source, path in rows}, read_release(release_dir))


def input_changes(before: Inputs, after: Inputs) -> InputChanges:
    """In what `after` was made otherwise than `before`."""
    added = frozenset(after.raw_files.keys() - before.raw_files.keys())
    removed = frozenset(before.raw_files.keys() - after.raw_files.keys())
    names = {before.raw_files[sha256] for sha256 in removed if before.raw_files[sha256][0] != COMMAND_LINE}
    superseded_count = sum(after.raw_files[sha256] in names for sha256 in added)
    decided_before, decided_after = before.decisions or frozenset(), after.decisions or frozenset()
    unknown = tuple(
        name
        for name, known in (
            ("decisions", None not in (before.decisions, after.decisions)),
            ("rules", None not in (before.rules, after.rules)),
        )
        if not known
    )
    rules_before, rules_after = before.rules or {}, after.rules or {}
    stages = [] if "rules" in unknown else [name for name in rules_after if rules_before.get(name) != rules_after[name]]
    if None not in (before.without_identifiers, after.without_identifiers):
        stages += ["identifiers"] if before.without_identifiers != after.without_identifiers else []
    return InputChanges(
        added,
        removed,
        superseded_count,
        frozenset() if "decisions" in unknown else decided_after - decided_before,
        frozenset() if "decisions" in unknown else decided_before - decided_after,
        tuple(stages),
        before.settings_key != after.settings_key,
        unknown,
    )


def _counted(thing: str, counts: tuple[tuple[int, str], ...]) -> str:
    """Counts of a thing in words.

    >>> _counted("raw file", ((2, "added"), (0, "removed"), (1, "superseded")))
    '2 raw files added, 1 superseded'
    """
    said = [(count, what) for count, what in counts if count]
    if not said:
        return ""
    first = f"{said[0][0]} {thing}{'' if said[0][0] == 1 else 's'} {said[0][1]}"
    return ", ".join([first, *(f"{count} {what}" for count, what in said[1:])])
