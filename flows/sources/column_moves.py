"""This module finds columns that a file of a source had and has no more, and says what they filled."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flows.settings import SourceSettings
from flows.sources.column_guess import Successor, guess_patch
from flows.sources.gating import TABLES
from warehouse.measures import ColumnMeasure, added, measure_columns, values_of

_LEAST_SHARE = 0.05
"""The least share of records that have a column, for its absence to count where a record need not have it."""

_LEAST_CHANCE = 0.01
"""How likely it may be at most that by chance none of the records now has a value in a column that they need not have. Of 195
real files of JSON with 117,000 records, cut into random halves, 11 have a key in one half that the other has not, and none of
these counts; of 975 times that eight records were compared with eight others of their file, 88 had one, and none counted."""

_FEW_RECORDS = 3
"""Of 975 times three records and three others of their file, 112 had such a key, and 14 one that counts by this."""


@dataclass(frozen=True, slots=True)
class ColumnMoves:
    """Why the columns of some files hold a source back, and what is worth a note."""

    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Lost:
    """Columns that are gone or without a value, and the field they filled: None where they filled none."""

    field: str | None
    columns: tuple[str, ...]
    said: str


def find_moves(files: Sequence[Successor], source: SourceSettings) -> ColumnMoves:
    """What the columns of the files that are superseded say, each file by itself and all of them together.

    Together, as many pages of one record each tell only so that they have no abstract any more.
    """
    measured = [(file, measure_columns(file.before), measure_columns(file.after)) for file in files]
    by_loss: dict[tuple[str | None, tuple[str, ...]], list[str]] = {}
    said: dict[tuple[str | None, tuple[str, ...]], str] = {}
    lost: list[tuple[Successor, _Lost]] = []
    notes: dict[str, list[str]] = {}
    for file, before, after in measured:
        for loss in _losses(file, before, after):
            by_loss.setdefault((loss.field, loss.columns), []).append(file.path)
            said.setdefault((loss.field, loss.columns), loss.said)
            lost.append((file, loss))
        for note in _notes(file, before, after):
            notes.setdefault(note, []).append(file.path)
    reasons = [f"{named(paths)}: {said[key]}" for key, paths in by_loss.items()]
    if not lost and len(measured) > 1:
        lost = _losses_together(measured)
        reasons = [f"{len(measured)} files: {loss.said}" for _, loss in lost]
    measures = {file.path: (file, before, after) for file, before, after in measured}
    once = {(loss.field, loss.columns): file for file, loss in reversed(lost)}
    losses = [(*measures[file.path], *key) for key, file in reversed(once.items())]
    if losses and (guess := guess_patch(losses, source)):
        reasons[-1] += f"; {guess}"
    return ColumnMoves(tuple(reasons), tuple(f"{named(paths)}: {note}" for note, paths in notes.items()))


def named(paths: Sequence[str]) -> str:
    """Files by name, the first of them where they are many.

    >>> named(["a.csv"]), named(["a.csv", "b.csv", "c.csv", "d.csv", "e.csv"])
    ('a.csv', 'a.csv, b.csv, c.csv and 2 more')
    """
    more = f" and {len(paths) - _FILES_NAMED} more" if len(paths) > _FILES_NAMED else ""
    return ", ".join(paths[:_FILES_NAMED]) + more


_FILES_NAMED = 3


def _losses(file: Successor, before: ColumnMeasure, after: ColumnMeasure) -> list[_Lost]:
    """What a file had and its successor has not."""
    if not before.records or not after.records:
        return []  # said of the file as a whole
    is_table = file.reader in TABLES
    lost = _lost_fields(before, after, is_table=is_table)
    told = {column for loss in lost for column in loss.columns}
    return lost + _lost_others(file, before, after, told, is_table=is_table)


def _losses_together(measured: Sequence[tuple[Successor, ColumnMeasure, ColumnMeasure]]) -> list[tuple[Successor, _Lost]]:
    """What several files had, taken together, and their successors have not; each by the first file that tells it."""
    before, after = (added(each) for each in zip(*((before, after) for _, before, after in measured), strict=True))
    if not before.records or not after.records:
        return []
    return [(_first_with(measured, loss), loss) for loss in _lost_fields(before, after, is_table=False)]


def _first_with(measured: Sequence[tuple[Successor, ColumnMeasure, ColumnMeasure]], loss: _Lost) -> Successor:
    """The first file that had a value in the field that is lost."""
    return next(file for file, before, _ in measured if before.filled.get(loss.field or "", 0))


def _lost_fields(before: ColumnMeasure, after: ColumnMeasure, *, is_table: bool) -> list[_Lost]:
    """The fields that had values and have none now, or a tenth of them, with the columns that filled them."""
    found = []
    for field, count in before.filled.items():
        if not count:
            continue
        now, columns = after.filled.get(field, 0), before.feeding(field)
        absent = [column for column in columns if not after.counts.get(column)]
        share, share_now = count / before.records, now / after.records
        is_gone = is_table and bool(absent) and len(absent) == len(columns) and share_now < share / 2
        is_empty = share_now < share / 10 and (field == "title" or _is_telling(count, before.records, after.records))
        if not is_gone and not is_empty:  # every paper has a title, so that its loss is never chance
            continue
        filled = f"it filled {field} in {count} of {_records(before.records)}, of which {now or 'none'} has a value now"
        if absent:
            said = f"{_columns(absent)} gone; {filled}"
        elif columns:
            said = f"{_columns(columns)} there but empty; {filled}"
        else:
            said = f"{field} had a value in {count} of {_records(before.records)}, and has one in {now} of {after.records} now"
        found.append(_Lost(field, tuple(absent or columns), said))
    return found


def _lost_others(
    file: Successor, before: ColumnMeasure, after: ColumnMeasure, told: Iterable[str], *, is_table: bool
) -> list[_Lost]:
    """The columns that filled no field, had values, and are gone."""
    absent = [
        column
        for column, count in before.counts.items()
        if count and not before.fields[column] and not after.counts.get(column)
        if column not in before.ignored and column not in told and column != _OTHER_COLUMNS
        if is_table or _is_telling(count, before.records, after.records)
    ]
    values = values_of(file.before, absent) if absent else {}
    return [
        _Lost(
            None,
            (column,),
            f"{_columns([column])} gone, which had a value in {len(values[column])} of {before.records} records",
        )
        for column in absent
        if (values[column] if is_table else _is_telling(len(values[column]), before.records, after.records))
    ]


_OTHER_COLUMNS = "(other columns)"


def _is_telling(count: int, records: int, records_now: int) -> bool:
    """Whether it can hardly be chance that none of the records now has what `count` of those before had.

    By Fisher's exact test, as if the records that have it were dealt to the two files at random; and where each of three or
    more had it, and none of three or more has.

    >>> _is_telling(60, 100, 100), _is_telling(3, 100, 100), _is_telling(1, 1, 1), _is_telling(3, 3, 3)
    (True, False, False, True)
    """
    if count / records < _LEAST_SHARE:
        return False
    if count == records and min(records, records_now) >= _FEW_RECORDS:
        return True
    log = math.lgamma  # of factorials: the chance is that of no one among `count` of all records being one of those now
    total = records + records_now
    chance = log(records + 1) - log(records - count + 1) - log(total + 1) + log(total - count + 1)
    return chance <= math.log(_LEAST_CHANCE)


def _notes(file: Successor, before: ColumnMeasure, after: ColumnMeasure) -> list[str]:
    """Columns that are new, and columns that are gone though their field is filled as before."""
    if not before.records or not after.records:
        return []
    is_table, notes = file.reader in TABLES, []
    new = [
        column
        for column, count in after.counts.items()
        if not before.counts.get(column) and (is_table or _is_telling(count, after.records, before.records))
    ]
    if new:
        told = [f"{column!r} ({after.fields[column] or 'no field'})" for column in new[:_COLUMNS_NAMED]]
        more = f" and {len(new) - _COLUMNS_NAMED} more" if len(new) > _COLUMNS_NAMED else ""
        notes.append(f"new column{'' if len(new) == 1 else 's'} {', '.join(told)}{more}")
    for column, field in before.fields.items():
        if field and is_table and before.counts[column] and not after.counts.get(column) and after.filled.get(field):
            notes.append(
                f"the column {column!r} is gone, and {field} is filled by {', '.join(map(repr, after.feeding(field)))}"
            )
    return notes


_COLUMNS_NAMED = 5


def _columns(columns: Sequence[str]) -> str:
    names = ", ".join(repr(column) for column in columns)
    return f"the column {names} is" if len(columns) == 1 else f"the columns {names} are"


def _records(count: int) -> str:
    return f"{count} record{'' if count == 1 else 's'}"
