"""This module decides at the gate which sources go on with what they brought, and which keep what was good last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from flows.handovers import SourceCase
from flows.settings import ConfigError, GateBounds, Settings
from warehouse.live import LiveName
from warehouse.measures import FileMeasure
from warehouse.names import did_you_mean

TABLES = frozenset({"delimited", "parquet", "sqlite", "xlsx", "markdown_tables", "html_tables"})
"""Readers of tables, whose columns stand there for every row; an object of JSON has a key where it has a value."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a source is held back (nothing: it passes), and what is worth a note."""

    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Readable:
    """What a file would be read as by its beginning: the reader, or why there is none; and its size, decompressed."""

    reader: str | None
    message: str | None
    content_bytes: int | None = None


Measures = Mapping[str, FileMeasure]
"""What each raw file turned out to be, by its hash."""


def judge(case: SourceCase, measures: Measures, bounds: GateBounds, find_moves: Callable[[], Verdict]) -> Verdict:
    """Whether a source may go on with what it brought.

    `find_moves` looks into the columns of the files that are superseded. A source that is new has nothing to be compared with.
    """
    if case.is_new:
        return Verdict(_nothing_read(case, measures))
    reasons = _files_gone(case, bounds) + _fewer_records(case, measures, bounds)
    for old, new in case.superseded():
        reasons += _other_file(new.source_path, measures[old.sha256], measures[new.sha256], bounds)
    moves = find_moves()
    return Verdict(_listed([*reasons, *(moves.reasons if bounds.hold_changed_columns else ())]), _notes(moves, bounds))


def foresee(case: SourceCase, readable: Mapping[LiveName, Readable], bounds: GateBounds) -> tuple[str, ...]:
    """Why a source would be held back, as far as sizes and the beginnings of its files tell."""
    if case.is_new:
        refused = [f"{name.source_path}: {readable[name].message}" for name in sorted(case.after) if not readable[name].reader]
        return _listed([f"{_UNREAD}: {line}" for line in refused]) if len(refused) == len(case.after) else ()
    reasons = _files_gone(case, bounds)
    for old, new in case.superseded():
        before, after = readable.get(old, Readable(None, None)), readable[new]
        if before.reader and not after.reader:
            reasons.append(f"{new.source_path} would be read as a list of papers no longer: {after.message}")
            continue
        sizes = [readable.content_bytes for readable in (before, after)]
        was, now = (name.size_bytes if size is None else size for name, size in zip((old, new), sizes, strict=True))
        reasons += _size_change(new.source_path, was, now, bounds)
        reasons += _reader_change(new.source_path, before.reader, after.reader)
    return _listed(reasons)


def _files_gone(case: SourceCase, bounds: GateBounds) -> list[str]:
    """Whether half of the files are gone at once, or the share of records that may go, where that is more."""
    gone = case.was_there - case.is_there
    share = max(_GONE_RATIO, bounds.records_drop_ratio)
    if not gone or len(case.is_there) > (1 - share) * len(case.was_there):
        return []
    few = "1 file of it is" if len(case.is_there) == 1 else f"{len(case.is_there)} files of it are"
    return [f"{few} there now, where {len(case.was_there)} were"]


_GONE_RATIO = 0.5


def _size_change(path: str, before: int, after: int, bounds: GateBounds) -> list[str]:
    """Whether a file differs in size by more than it may."""
    if before == 0 or abs(after - before) <= bounds.size_change_ratio * before:
        return []
    return [f"{path} has {after:,} bytes, where it had {before:,} ({_change(before, after)})"]


_UNREAD = "nothing of it can be read as a list of papers"


def _nothing_read(case: SourceCase, measures: Measures) -> tuple[str, ...]:
    """Whether there is no record at all in what a source brought first."""
    names = sorted(case.after)
    if any(measures[name.sha256].records for name in names):
        return ()
    said = [f"{name.source_path}: {measures[name.sha256].message or 'it has no records'}" for name in names]
    return _listed([f"{_UNREAD}: {line}" for line in said])


def _fewer_records(case: SourceCase, measures: Measures, bounds: GateBounds) -> list[str]:
    """Whether the files at the source have fewer records than those had that stood there, by more than may be."""
    before = _records((name for name in case.before if name.source_path in case.was_there), measures)
    after = _records((name for name in case.after if name.source_path in case.is_there), measures)
    if before and not after:
        return [f"there is no record in it now, where there were {before:,}"]
    if before - after <= bounds.records_drop_ratio * before:
        return []
    return [f"it has {after:,} record{'' if after == 1 else 's'}, where it had {before:,} ({_change(before, after)})"]


def _records(names: Iterable[LiveName], measures: Measures) -> int:
    return sum(measures[sha256].records for sha256 in {name.sha256 for name in names})


def _other_file(path: str, before: FileMeasure, after: FileMeasure, bounds: GateBounds) -> list[str]:
    """Whether a file is something else than the one it supersedes."""
    if before.is_read and not after.is_read:
        return [f"{path} was read as a list of papers, and is none now: {after.message}"]
    is_written_anew = before.encoding != after.encoding and before.records == after.records
    reasons = [] if is_written_anew else _size_change(path, before.content_bytes, after.content_bytes, bounds)
    return reasons + (_reader_change(path, before.reader, after.reader) if before.is_read else [])


def _reader_change(path: str, before: str | None, after: str | None) -> list[str]:
    """Whether a file is of another format than the one it supersedes."""
    if before is None or after is None or before == after:
        return []
    return [f"{path} was read by the reader {before}, and is now by {after}"]


def _change(before: int, after: int) -> str:
    """A change in percent, in full.

    >>> _change(200, 150), _change(1000, 1004)
    ('-25 %', '+0.4 %')
    """
    return f"{100 * (after - before) / before:+.3g} %"


def _notes(moves: Verdict, bounds: GateBounds) -> tuple[str, ...]:
    """What is worth a note of columns; where a change of them does not count, their losses are."""
    return moves.notes if bounds.hold_changed_columns else (*moves.reasons, *moves.notes)


def _listed(reasons: Sequence[str]) -> tuple[str, ...]:
    """The reasons, of very many the first."""
    more = len(reasons) - _REASONS_NAMED
    return (*reasons[:_REASONS_NAMED], f"and {more} more of the kind") if more > 1 else tuple(reasons)


_REASONS_NAMED = 6


def require_sources(settings: Settings, names: Iterable[str]) -> None:
    """Checks that each name is that of a configured source.

    Raises:
        ConfigError: one is not, with the nearest that is.
    """
    known = [source.name for source in settings.sources]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, f"Sources are: {', '.join(known) or 'none'}.")
            raise ConfigError(f"--accept {name}: sources.toml has no source of this name. {hint}")
