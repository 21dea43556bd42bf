"""This module keeps what the gate knows from run to run: what stood at each source when it passed last, and what is held back.

`state/gates.json` has no figure of a file: those are the facts of stage outputs, which are made again where they are lost.
Without the file every live name of a source is taken to have stood there, and what was held back is judged again: to lose it
opens no gate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from warehouse.atomic import write_file
from warehouse.layout import Lake


@dataclass(frozen=True, slots=True)
class Held:
    """What the gate said of files it holds back: why, since when, which stage outputs they have, and their hashes.

    `key` is a hash of all the verdict depends on: the same files are held again without being read. It is empty where there
    was nothing to judge.
    """

    key: str
    reasons: tuple[str, ...]
    since: str
    outputs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def is_failure(self) -> bool:
        """Whether the source could not be had at all."""
        return not self.key


@dataclass(frozen=True, slots=True)
class SourceState:
    """What is known of one source: the paths that stood there when it passed last, and when; and what is held back.

    `paths` is None where that is not known.
    """

    paths: frozenset[str] | None = None
    passed_at: str | None = None
    held: Held | None = None


def read_gates(lake: Lake) -> dict[str, SourceState]:
    """What is known of each source, by its name; of a damaged file what can be read of it."""
    try:
        rows = json.loads(_path(lake).read_text(encoding="utf-8"))
        return {str(name): _state(row) for name, row in rows.items() if isinstance(row, dict)}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def write_gates(lake: Lake, states: Mapping[str, SourceState]) -> None:
    """Replaces what is known of the sources."""
    rows = {
        name: {
            "paths": None if state.paths is None else sorted(state.paths),
            "passed_at": state.passed_at,
            "held": asdict(state.held) if state.held else None,
        }
        for name, state in sorted(states.items())
    }
    write_file(_path(lake), json.dumps(rows, indent=1, ensure_ascii=False).encode() + b"\n")


def held_outputs(lake: Lake) -> set[Path]:
    """The folders of the stage outputs of files that are held back: accepted, they are not to be read once more."""
    states = read_gates(lake).values()
    return {lake.work_dir / "stage" / name for state in states if state.held for name in state.held.outputs}


def held_files(lake: Lake) -> set[str]:
    """The hashes of the raw files that are held back, which may be accepted yet."""
    return {sha256 for state in read_gates(lake).values() if state.held for sha256 in state.held.files}


def now() -> str:
    """The time, as the state has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _state(row: Mapping[str, Any]) -> SourceState:
    paths, passed_at = row.get("paths"), row.get("passed_at")
    known = frozenset(paths) if isinstance(paths, list) and all(isinstance(path, str) for path in paths) else None
    return SourceState(known, passed_at if isinstance(passed_at, str) else None, _held(row.get("held")))


def _held(row: object) -> Held | None:
    """What is held back; None, so that it is judged again, where the row is damaged."""
    if not isinstance(row, dict):
        return None
    try:
        files = tuple(map(str, row.get("files", ())))  # those that ran before there were any have none
        held = Held(str(row["key"]), tuple(map(str, row["reasons"])), str(row["since"]), tuple(map(str, row["outputs"])), files)
        "".join(held.reasons).encode()
    except (KeyError, TypeError, UnicodeEncodeError):  # the last: half a character, which nobody could write again
        return None
    return held if held.reasons and isinstance(row["reasons"], list) else None


def _path(lake: Lake) -> Path:
    return lake.state_dir / "gates.json"
