"""This module is `paperlake replay`: raw files read again after a fix, and what that came to."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from flows.commands.cli_options import FormatOption, LakeOption, WaitOption

if TYPE_CHECKING:
    from pathlib import Path

    from flows.commands.replay_outcomes import Told
    from flows.commands.replay_selection import ReplayRequest, Selection
    from flows.report import RunReport
    from flows.settings import Settings
    from warehouse.layout import Lake
    from warehouse.row_formats import Format


def replay(
    *names: Annotated[
        str, Parameter(help="what to read again: a file, archive or folder by name or path; or a hash (8 digits or more)")
    ],
    rejects: Annotated[
        str | None, Parameter(help="read the files again that have rejects with this reason, and tell what became of each")
    ] = None,
    source: Annotated[str | None, Parameter(help="read the files of this source again")] = None,
    reader: Annotated[str | None, Parameter(help="read the files again that this reader read")] = None,
    all: Annotated[bool, Parameter(negative=(), help="read every live file again")] = False,
    dry_run: Annotated[bool, Parameter(negative=(), help="say which files would be read again, and change nothing")] = False,
    at: Annotated[
        str | None,
        Parameter(
            help="the release to compare with, whose rejects are meant: its id or the id's start, `previous`, or a date or "
            "time (UTC); default the current one"
        ),
    ] = None,
    lake: LakeOption = None,
    wait: WaitOption = None,
    format: FormatOption = "table",
) -> int:
    """Read raw files again, after a fix of code or settings, publish what comes of it, and tell the difference.

    Nothing is landed: what is read is the lake's own copies. What was made of these files before is made anew, even where
    code and settings are the same. With --rejects each reject is listed with what it is now: a record and of which paper,
    rejected as before or for another reason. Else each file is listed whose records, rejects or columns differ. Conditions
    narrow each other.

    Example: paperlake replay --rejects ragged_row --dry-run
    """
    from flows.commands.replay_selection import ReplayRequest, select_files
    from flows.settings import load_settings
    from warehouse.history import find_release
    from warehouse.layout import Lake

    settings = load_settings()
    found = Lake(settings.lake_path(lake))
    before = find_release(found, at).name
    request = ReplayRequest(names, rejects, source, reader, all)
    chosen = select_files(found, lake, before, request)
    if chosen.forgotten_count:
        _say(f"left out: {_many(chosen.forgotten_count, 'file')} with such rejects, not live any more", format)
    if dry_run:
        _print_files(chosen, request, format)
        return 0
    report = _run(found, settings, chosen, wait)
    assert report.release_id is not None, "a run that ends has a release"
    _print_report(report, chosen, before, format)
    if rejects is not None:
        _print_rejects(lake, before, report.release_id, rejects, chosen, format)
    else:
        _print_differences(lake, before, report.release_id, chosen, format)
    return report.exit_code or 0


def _run(lake: Lake, settings: Settings, chosen: Selection, wait: float | None) -> RunReport:
    from flows.handovers import RunOrder
    from flows.pipeline import run_pipeline
    from flows.progress import progress

    order = RunOrder(lake, settings, again=chosen.hashes)
    with progress() as say:
        return run_pipeline(order, wait_seconds=settings.run.wait_seconds if wait is None else wait, say=say)


def _print_files(chosen: Selection, request: ReplayRequest, format: Format) -> None:
    """Lists the files that would be read again."""
    from flows.commands.read_commands import print_rows

    meant = [] if request.rejects is None else [f"rejects_{request.rejects}"]
    columns = ["source", "file", "size_bytes", "reader", "records", "rejects", *meant, "raw", "file_sha256"]
    rows = []
    for file in chosen.files:
        state = "there" if file.is_in_raw else "missing, or of another size"
        counts = [file.records, file.rejects, *([file.rejects_meant] if meant else [])]
        rows.append([file.source, file.source_path, file.size_bytes, file.reader, *counts, state, file.sha256])
    if format == "table":
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    print_rows(columns, [tuple(row) for row in rows], format)
    size = sum(file.size_bytes for file in chosen.files)
    _say(f"would read {_many(len(chosen.files), 'raw file')} again, {size:,} bytes; nothing was changed", format)


def _print_report(report: RunReport, chosen: Selection, before: str, format: Format) -> None:
    """Says what was read, and which release came of it."""
    others = report.files_read - len(chosen.files)
    beside = f", and {_many(others, 'other')} that this code and these settings had not read yet" if others > 0 else ""
    _say(f"read again: {_many(len(chosen.files), 'raw file')}{beside}", format)
    if report.release_id == before:
        _say(f"nothing changed: the tables are those of release {before}", format)
    else:
        _say(f"compared: {before} → {report.release_id}; `paperlake diff {before} {report.release_id}` lists all", format)
    if report.outcome == "held":
        _say(f"published: {dict(report.rows())['published']}", format)


def _print_rejects(lake: Path | None, before: str, after: str, reason: str, chosen: Selection, format: Format) -> None:
    """Lists what became of each reject, after how many there are of a kind."""
    from flows.commands.replay_outcomes import OUTCOMES, rejects_again

    told = rejects_again(lake, before, after, reason, sorted(chosen.hashes))
    counts = Counter(row[0] for row in told.rows)
    listed = "; ".join(f"{counts[outcome]} {words}" for outcome, words in OUTCOMES.items() if counts[outcome])
    _say(f"{_many(len(told.rows), 'reject')} of {reason}: {listed}", format)
    shown = ["outcome", "file_name", "locator", "other_reason", "record_count", "paper_id", "title"]
    _print_told(told, shown, format)


def _print_differences(lake: Path | None, before: str, after: str, chosen: Selection, format: Format) -> None:
    """Lists the files that are told differently, after how many there are."""
    from flows.commands.replay_outcomes import Told, files_again

    told = files_again(lake, before, after, sorted(chosen.hashes))
    same = len(chosen.files) - len(told.rows)
    _say(f"{_many(len(told.rows), 'file')} with other records, rejects or columns; {same} as before", format)
    if format == "table":
        columns = ("file_name", "reader", "records", "rejects", "columns_changed")
        rows = [tuple(_moved(dict(zip(told.columns, row, strict=True)), column) for column in columns) for row in told.rows]
        told = Told(columns, ("VARCHAR",) * len(columns), tuple(rows))
    _print_told(told, told.columns, format)


def _moved(row: dict[str, object], column: str) -> object:
    """The value of a column for people: before and after in one where they differ."""
    if column == "columns_changed":
        changes = row[column]
        assert isinstance(changes, list)
        return "; ".join(map(str, changes))
    if column in row:
        return row[column]
    was, now = row[f"{column}_before"], row[f"{column}_after"]
    return str(now) if was == now else f"{'-' if was is None else was} → {'-' if now is None else now}"


def _print_told(told: Told, shown: list[str] | tuple[str, ...], format: Format) -> None:
    from warehouse.row_formats import write_rows

    if format == "table" and not told.rows:
        return
    places = [told.columns.index(name) for name in (shown if format == "table" else told.columns)]
    columns, types = [told.columns[place] for place in places], [told.types[place] for place in places]
    write_rows(columns, types, [[[row[place] for place in places] for row in told.rows]], format, sys.stdout, wraps=True)


def _say(text: str, format: Format) -> None:
    """Says a line for people: beside the table, or on standard error where rows are for a program."""
    print(text, file=sys.stdout if format == "table" else sys.stderr, flush=True)


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
