"""This module reads a list that is to be profiled, by its reader, and keeps the raw columns of its records as JSON lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from flows.reading import read_raw_file
from flows.settings import Settings
from transforms.schemas import PaperlakeError
from warehouse.archives import raw_files_in


@dataclass(frozen=True, slots=True)
class RawLines:
    """Where the raw columns lie, one record a line, the figures that the file states about itself, and what there is to say."""

    path: Path
    control_totals: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]


class _RawLinesSink:
    """A sink that writes the raw text of each record as a line, and keeps the control totals; the rest it lets go."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+", encoding="utf-8")
        self.control_totals: list[dict[str, Any]] = []

    def append(self, name: str, rows: pl.DataFrame) -> None:
        """Takes the next rows of a frame, by its name."""
        if name == "records":
            self._file.writelines(f"{raw}\n" for raw in rows["raw"])
        elif name == "control_totals":
            self.control_totals += rows.to_dicts()

    def clear(self) -> None:
        """Drops every row taken so far."""
        self._file.seek(0)
        self._file.truncate()
        self.control_totals.clear()

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


def raw_lines(path: Path, settings: Settings, folder: Path) -> RawLines:
    """The raw columns of the records in a list, as a file of JSON lines in `folder`.

    Raises:
        PaperlakeError: the path is a folder or an archive of several files, or no list of papers that can be read.
    """
    if path.is_dir():
        raise PaperlakeError(f"{path} is a folder: profile one of its files at a time")
    members = raw_files_in(path, settings.unpack_limits(), folder)
    member = next(iter(members), None)
    if member is None:
        raise PaperlakeError(f"{path} is an archive without a file")
    target = folder / "raw.jsonl"
    sink = _RawLinesSink(target)
    try:
        facts = read_raw_file(member.path, settings, settings.source("command_line"), sink, folder).facts
    finally:
        sink.close()
    if next(iter(members), None) is not None:
        raise PaperlakeError(f"{path} is an archive of several files: take them out, and profile one at a time")
    if facts.verdict != "read" or not facts.records:
        raise PaperlakeError(f"{path} holds no rows that can be profiled: {facts.message or 'it has no records'}")
    rejected = sum(facts.reasons.values())
    notes = [f"read by {facts.reader}: {facts.records:,} records" + (f", {rejected:,} rejects" if rejected else "")]
    return RawLines(target, tuple(sink.control_totals), (*notes, *([facts.message] if facts.message else [])))
