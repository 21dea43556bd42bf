"""This module looks into a table that is read as a list of papers no longer, as its title has a name that nobody knows."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

from flows.commands.inspection import FirstRows
from flows.reading import read_raw_file
from flows.settings import Settings, SourceSettings
from flows.sources.column_guess import likeliest, patch_line
from transforms.staging import FileFacts
from warehouse.measures import measure_columns, values_of
from warehouse.work import Output


def suggest_columns(path: Path, message: str | None, before: Output, settings: Settings, source: SourceSettings) -> str | None:
    """What to write in sources.toml so that the table at `path` is read as `before` was; None if nothing is likely.

    `message` says why it is not read, with the names of its columns. It is read once more as if the first were the title, as
    one column that tells a paper is all that a table needs for its other columns to be seen.
    """
    names = unknown_columns(message or "")
    if not names:
        return None
    trial = dataclasses.replace(source, columns={**source.columns, names[0]: "title_raw"})
    rows = FirstRows()
    facts: FileFacts = read_raw_file(path, settings, trial, rows, before.folder.parent).facts
    if facts.verdict != "read":
        return None
    columns = {row["column_name"]: row["field"] for row in rows.frame("column_map").to_dicts()}
    free = [column for column, field in columns.items() if field is None or column == names[0]]
    values: dict[str, list[str]] = {column: [] for column in free}
    for text in rows.frame("records")["raw"].head(_COMPARED_RECORDS):
        record = json.loads(text)
        for column in free:
            if isinstance(value := record.get(column), str) and value:
                values[column].append(value)
    fields: dict[str, str] = {}
    measure = measure_columns(before)
    for field, count in measure.filled.items():
        lost = measure.feeding(field)
        if count and lost and not any(column in columns for column in lost):
            had = values_of(before, lost, most=_COMPARED_RECORDS)
            now = likeliest(had, {column: found for column, found in values.items() if column not in fields})
            fields |= {now: field} if now is not None else {}
    return f"if its columns have other names now, write in sources.toml: {patch_line(fields, source)}" if fields else None


_COMPARED_RECORDS = 2_000


def unknown_columns(message: str) -> list[str]:
    """The columns that a message of a table of unknown columns names.

    >>> unknown_columns("found a table with ',' whose columns have no known name: id, Benennung, …; if it lists papers, say …")
    ['id', 'Benennung']
    >>> unknown_columns("the file is empty")
    []
    """
    found = _UNKNOWN.search(message)
    return [name for name in found[1].split(", ") if name != "…"] if found else []


def without_advice(reason: str) -> str:
    """A reason without what its message says to anyone with such a table, for where a line of sources.toml follows.

    >>> without_advice("a.csv: found a table whose columns have no known name: id, …; if it lists papers, say …; closest was …")
    'a.csv: found a table whose columns have no known name: id, …'
    """
    found = _UNKNOWN.search(reason)
    return reason[: found.end(1)] if found else reason


_UNKNOWN = re.compile(r"whose columns have no known name: (.+?); if it lists papers")
