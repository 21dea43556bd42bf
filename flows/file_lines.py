"""This module writes what the log says of single files: one line a file that is new, read now, or loses records in cleaning.

Files that are known from earlier runs get none: a nightly run over ten thousand files is to print what is new in it.
"""

from __future__ import annotations

import logging
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from flows.run_log import log_fields, log_file, log_source, logger, shown
from warehouse.live import LiveFile, LiveName


def log_landed(names: Iterable[LiveName]) -> None:
    """A line for each name that has become live, or has other content than before."""
    for name in sorted(names):
        message = f"landed, {name.size_bytes:,} bytes"
        log_file(
            logging.INFO, name.source, name.source_path, message, event="landed", sha256=name.sha256, size_bytes=name.size_bytes
        )


def log_held(held: Mapping[str, Sequence[str]], failed: Container[str]) -> None:
    """A warning for each source that is held back, with its reasons: by landing, if it failed to be had, else by the gate."""
    for source, reasons in held.items():
        with log_fields(step="land" if source in failed else "gate"):
            log_source(logging.WARNING, source, f"held back: {'; '.join(reasons)}", event="held_back", reasons=list(reasons))


def log_notes(notes: Iterable[str]) -> None:
    """A warning for each thing that landing found amiss; a note names its file by itself."""
    for note in notes:
        logger.warning("%s", shown(note), extra={"figures": {"event": "note"}})


def log_read(file: LiveFile, facts: Mapping[str, Any], seconds: float) -> None:
    """A line for a file that was read just now, by the facts of its reading; a warning where something was amiss."""
    rejects = sum(facts["reasons"].values())
    is_read = facts["verdict"] == "read"
    what = f"read as {facts['reader']}" if is_read else facts["verdict"].replace("_", " ")
    said = [
        f"{what}: {_records(facts)}",
        *_rejected(facts["reasons"]),
        *([facts["message"]] if facts["message"] else []),
    ]
    log_file(
        logging.WARNING if rejects or facts["message"] or not is_read else logging.INFO,
        file.source,
        file.source_path,
        f"{'; '.join(said)}; {seconds:.1f} s",
        event="read",
        sha256=file.sha256,
        verdict=facts["verdict"],
        reader=facts["reader"],
        records=facts["records"],
        rejects=rejects,
        rejects_by_reason=dict(facts["reasons"]),
        seconds=round(seconds, 3),
    )


def log_cleaned(file: LiveFile, facts: Mapping[str, Any]) -> None:
    """A warning for a file that was cleaned just now, if some of its records could not be."""
    rejects = sum(facts["reasons"].values())
    if rejects:
        log_file(
            logging.WARNING,
            file.source,
            file.source_path,
            f"cleaned: {_records(facts)}; {'; '.join(_rejected(facts['reasons']))}",
            event="cleaned",
            sha256=file.sha256,
            records=facts["records"],
            rejects=rejects,
            rejects_by_reason=dict(facts["reasons"]),
        )


def _records(facts: Mapping[str, Any]) -> str:
    return f"{facts['records']:,} record{'' if facts['records'] == 1 else 's'}"


def _rejected(reasons: Mapping[str, int]) -> list[str]:
    """The rejects in words, by reason; none where there is none.

    >>> _rejected({"ragged_row": 2, "empty_entry": 1})
    ['3 rejected (2 ragged_row, 1 empty_entry)']
    """
    ordered = sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))
    listed = ", ".join(f"{count} {reason}" for reason, count in ordered)
    return [f"{sum(reasons.values()):,} rejected ({listed})"] if reasons else []
