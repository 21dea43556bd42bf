"""This module is `paperlake inspect`: what a file is and what is in it, printed for a person or as JSON."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from flows.progress import Say, progress
from flows.settings import ConfigError, Settings, SourceSettings, load_settings
from warehouse.archives import raw_files_in
from warehouse.landing import find_files
from warehouse.layout import Lake
from warehouse.row_tables import plain_console, printable

if TYPE_CHECKING:
    from flows.commands.inspection import Inspection

_VALUE_CHARACTERS = 300
_EXAMPLE_CHARACTERS = 60
_REJECTS_SHOWN = 5
_COLUMNS_SHOWN = 60


def inspect_files(paths: Sequence[Path], source_name: str | None, record_count: int, *, as_json: bool) -> int:
    """Prints what files are and what is in them: one file in full, several as a line each; lands nothing.

    Returns 1 if a file is no list of papers that can be read.

    Raises:
        ConfigError: there is no source of that name.
        LandError: a path leads nowhere.
    """
    settings = load_settings()
    source = _source(settings, source_name)
    with progress() as say:
        inspections = list(_inspect(paths, settings, source, record_count, say))
    if as_json:
        found = [inspection.as_dict() for inspection in inspections]
        print(json.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False, default=str))
    else:
        console = plain_console(sys.stdout)
        with console.capture() as capture:
            for part in _page(inspections[0]) if len(inspections) == 1 else _overview(inspections):
                console.print(part)
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))
    return 0 if all(inspection.facts.verdict == "read" for inspection in inspections) else 1


def _source(settings: Settings, name: str | None) -> SourceSettings:
    known = [source.name for source in settings.sources]
    if name is not None and name not in known:
        raise ConfigError(f"--source {name}: no such block in sources.toml; there is {', '.join(known) or 'none'}")
    return settings.source(name or "command_line")


def _inspect(
    paths: Sequence[Path], settings: Settings, source: SourceSettings, record_count: int, say: Say
) -> Iterator[Inspection]:
    """Each file at the paths, and each in an archive among them."""
    from flows.commands.inspection import inspect_file

    lake = Lake(settings.lake_path(None))
    with tempfile.TemporaryDirectory(prefix="paperlake-") as name:
        folder = Path(name)
        for path, below in (found for given in paths for found in find_files(given, lake)):
            for member in raw_files_in(path, settings.unpack_limits(), folder):
                called = f"{below}/{member.name}" if member.name else below
                say(f"reading {called}")
                yield inspect_file(called, member.path, settings, source, record_count=record_count, folder=folder)


def _page(found: Inspection) -> Iterator[Table | Text | str]:
    """One file in full."""
    yield Text(printable(found.name), style="bold")
    yield _pairs(_facts(found))
    if found.columns:
        yield from _headed("Columns", _columns_table(found))
    if found.records:
        yield from _headed(
            f"First {len(found.records)} of {found.facts.records:,} records, cleaned", *map(_pairs, _records(found))
        )
    if found.rejects:
        count = sum(found.facts.reasons.values()) + sum(found.clean_reasons.values())
        shown = found.rejects[:_REJECTS_SHOWN]
        yield from _headed(
            f"First {len(shown)} of {count:,} rejects" if count > len(shown) else "Rejects", *map(_pairs, _rejects(shown))
        )
    if found.control_totals:
        yield from _headed("What the file says of itself", _totals_table(found.control_totals))


def _facts(found: Inspection) -> Iterator[tuple[str, str]]:
    facts = found.facts
    if facts.verdict == "read":
        form = f", {facts.form}" if facts.form else ""
        yield "format", f"{facts.reader}{form} (sure {facts.sniff_confidence:.2f}: {found.sniffed})"
        if facts.shape or any(row["decided_by"] == "name" for row in found.columns):
            yield "shape", facts.shape or "none that is known: columns are told by their names"
    else:
        yield "format", f"none: {facts.message}"
    if found.also_considered:
        yield "considered", "; ".join(found.also_considered[:3])
    unpacked = f" in {found.compression}" if found.compression else ""
    yield "size", f"{facts.content_bytes:,} bytes{unpacked}"
    if facts.encoding:
        yield "encoding", facts.encoding
    yield "records", f"{facts.records:,} read" + _joined(facts.entries_joined)
    yield "rejects", _tally(facts.reasons) or "none"
    if found.clean_reasons:
        yield "cleaning", f"refuses {_tally(found.clean_reasons)} of the first {found.sample_count:,} records"
    yield "account", _account(found)
    if facts.verdict == "read" and facts.message:
        yield "note", facts.message


def _joined(count: int) -> str:
    return f", {count:,} more entries joined to them (one row an author)" if count else ""


def _account(found: Inspection) -> str:
    facts = found.facts
    verdict = "balances" if found.balances else "DOES NOT BALANCE; please report it with the file"
    if facts.has_spans:
        return f"{verdict}: {found.span_bytes:,} bytes in spans of records, rejects and furniture"
    rejected = sum(facts.reasons.values())
    joined = f" + {facts.entries_joined:,} joined" if facts.entries_joined else ""
    found_text = f"{facts.records:,} read + {rejected:,} rejected{joined}"
    return f"{verdict}: {facts.entries_counted:,} entries counted another way, {found_text}"


def _columns_table(found: Inspection) -> Table:
    table = _table("column", "fills", "by", "records", "example")
    table.columns[3].justify = "right"
    for row in found.columns[:_COLUMNS_SHOWN]:
        field = row["field"] or "- stays in raw"
        example = _shortened(row["example"], _EXAMPLE_CHARACTERS)
        rule = "" if row["decided_by"] == "unknown" else row["decided_by"]
        table.add_row(_text(row["column_name"]), _text(field), _text(rule), f"{row['record_count']:,}", example)
    if len(found.columns) > _COLUMNS_SHOWN:
        table.add_row(f"and {len(found.columns) - _COLUMNS_SHOWN:,} more", "", "", "", "")
    return table


def _records(found: Inspection) -> Iterator[Iterable[tuple[str, str]]]:
    for record in found.records:
        yield [(name, _value(value)) for name, value in record.items()]


def _rejects(rejects: Sequence[Mapping[str, Any]]) -> Iterator[Iterable[tuple[str, str]]]:
    for row in rejects:
        yield [(row["locator"], f"{row['reason']}: {row['message']}"), ("", row["text"])]


def _totals_table(totals: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("column", "figure", "stated", "found", "verdict")
    for row in totals:
        observed = "" if row["observed"] is None else f"{row['observed']:g}"
        table.add_row(*map(_text, (row["column_name"], row["statistic"], row["declared_text"], observed, row["verdict"])))
    return table


def _overview(inspections: Sequence[Inspection]) -> Iterator[Table | Text]:
    """Several files, a line each."""
    table = _table("file", "format", "shape", "records", "rejects", "what there is to say")
    for found in inspections:
        facts = found.facts
        form = " ".join(filter(None, (facts.reader, facts.form and f"({facts.form})")))
        counts = (f"{facts.records:,}", f"{sum(facts.reasons.values()):,}")
        said = facts.message or _tally(facts.reasons)
        name = f"{found.name} ({found.compression})" if found.compression else found.name
        table.add_row(
            _text(name), _text(form or "none"), _text(facts.shape or ""), *counts, _shortened(said, _VALUE_CHARACTERS)
        )
    yield table
    records = sum(found.facts.records for found in inspections)
    unread = sum(found.facts.verdict != "read" for found in inspections)
    yield Text(f"{len(inspections):,} files, {unread:,} of them not read; {records:,} records")


def _headed(heading: str, *parts: Table) -> Iterator[Table | Text | str]:
    yield ""
    yield Text(heading, style="bold")
    for number, part in enumerate(parts):
        if number:
            yield ""
        yield part


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values under each other."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim", min_width=10, no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(f"  {printable(name)}", _shortened(value, _VALUE_CHARACTERS))
    return table


def _value(value: object) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return str(value)


def _tally(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count:,} {reason}" for reason, count in ordered)


def _text(value: str) -> Text:
    return Text(printable(value))


def _shortened(value: str, characters: int) -> Text:
    return _text(value if len(value) <= characters else f"{value[: characters - 1]}…")
