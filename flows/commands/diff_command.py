"""This module is `paperlake diff`: what differs between two releases, counted and listed, each with its cause."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from flows.commands.cli_options import FormatOption, LakeOption
from warehouse.names import did_you_mean

if TYPE_CHECKING:
    from transforms.schemas import Table
    from warehouse.diff import Diff, TableChanges, Wanted
    from warehouse.row_formats import Format

_SUMMARY_COLUMNS = ("table", "cause", "added", "removed", "changed", "fields")


def diff(
    before: Annotated[
        str, Parameter(help="the earlier release: its id or the id's start, `previous`, `current`, or a date or time")
    ] = "previous",
    after: Annotated[str, Parameter(help="the later one, named likewise")] = "current",
    /,
    *,
    table: Annotated[str | None, Parameter(help="list the changed rows of this table, a line each changed field")] = None,
    field: Annotated[str | None, Parameter(help="of changed rows, only those in which this column changed")] = None,
    cause: Annotated[
        Literal["decision", "source", "match", "rule", "history", "unknown"] | None, Parameter(help="only rows with this cause")
    ] = None,
    change: Annotated[Literal["added", "removed", "changed"] | None, Parameter(help="only rows of this kind")] = None,
    limit: Annotated[int, Parameter(help="how many rows to list at most; 0 for all")] = 20,
    lake: LakeOption = None,
    format: FormatOption = "table",
) -> int:
    """Compare two releases: rows added, removed and changed in each table, the fields that changed, and why.

    Causes: source, a raw file came, went, or says something else; decision, a person joined or parted records; match, the
    same records are grouped otherwise; rule, code or settings are others; history, only earlier releases are others. A paper
    with a new id is one changed row. Rows are compared in full and counts are exact.

    Example: paperlake diff previous current --table papers --field title
    """
    from flows.settings import ConfigError, load_settings
    from transforms.schemas import TABLES
    from warehouse.diff import Wanted, open_diff
    from warehouse.history import find_release
    from warehouse.layout import Lake

    if limit < 0:
        raise ConfigError(f"--limit {limit}: expected a number of rows, or 0 for all")
    if table is None and (field, cause, change) != (None, None, None):
        table = "papers"
    shown = None if table is None else _known_table(table, field)
    settings = load_settings()
    found = Lake(settings.lake_path(lake))
    folders = find_release(found, before), find_release(found, after)
    with open_diff(*folders, spill_dir=found.spill_dir, limits=settings.query_limits()) as opened:
        if format == "table":
            print(f"{folders[0].name} → {folders[1].name}: {opened.inputs.described()}")
        if shown is not None:
            _print_changed_rows(opened, Wanted(shown.name, field, cause, change, limit), format)
        else:
            summary = opened.summary()
            _print_summary(summary, format)
            if format == "table" and any(each.table == "papers" for each in summary):
                _print_changed_rows(opened, Wanted(TABLES["papers"].name, limit=limit), format)
    return 0


def _known_table(name: str, field: str | None) -> Table:
    """The table of this name, which has the field.

    Raises:
        ConfigError: there is none, or it has not.
    """
    from flows.settings import ConfigError
    from transforms.schemas import TABLES

    if name not in TABLES:
        raise ConfigError(f"--table {name}: " + did_you_mean(name, TABLES, f"tables are {', '.join(TABLES)}"))
    columns = TABLES[name].column_names()
    if field is not None and field not in columns:
        hint = did_you_mean(field, columns, f"it has {', '.join(columns)}")
        raise ConfigError(f"--field {field}: the table {name} has no such column; {hint}")
    return TABLES[name]


def _print_summary(summary: list[TableChanges], format: Format) -> None:
    from flows.commands.read_commands import print_rows

    if not summary and format == "table":
        print("the tables are the same")
        return
    rows = [
        (
            each.table,
            each.cause,
            each.added,
            each.removed,
            each.changed,
            _counted(each.fields) if format == "table" else each.fields,
        )
        for each in summary
    ]
    print_rows(_SUMMARY_COLUMNS, rows, format)


def _print_changed_rows(opened: Diff, wanted: Wanted, format: Format) -> None:
    from transforms.schemas import TABLES
    from warehouse.row_formats import write_rows

    columns = opened.columns(TABLES[wanted.table])
    types = ["VARCHAR"] * len(columns)
    write_rows(columns, types, opened.rows(wanted), format, sys.stdout, table_rows=sys.maxsize)  # --limit says how many


def _counted(fields: dict[str, int]) -> str:
    """Counts by field in a line.

    >>> _counted({"abstract": 12, "title": 3})
    'abstract 12, title 3'
    """
    return ", ".join(f"{name} {count}" for name, count in fields.items())
