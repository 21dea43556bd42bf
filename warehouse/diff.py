"""This module compares two releases: which rows of each table were added, removed or changed, in which fields, and why.

It works in DuckDB on the Parquet files of both, within its limits of memory; tables whose files are the same byte for byte
are not opened. See `diff_tables` for how rows are compared and paired, `diff_causes` for how a cause is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from transforms.schemas import PAPER_ALIASES, PAPERS, RECORDS, TABLES, Table
from warehouse.diff_causes import CAUSES, Cause, left_cause, note_causes, note_inputs, note_paper_causes, note_renamed
from warehouse.diff_tables import (
    AFTER,
    BEFORE,
    Compared,
    add_views,
    compared,
    differing_tables,
    keep_changed_rows,
    pair_changed_rows,
)
from warehouse.inputs import InputChanges, input_changes, read_inputs
from warehouse.layout import LakeError, read_release
from warehouse.reader_lock import hold_while_alive
from warehouse.sandbox import QueryError, QueryLimits

_BATCH_ROWS = 2048


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The rows of a table that changed for one cause; `fields` counts changed rows by column, most first."""

    table: str
    cause: str
    added: int
    removed: int
    changed: int
    fields: dict[str, int]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changed rows to show: of one table; None means any field, cause and change. 0 is no limit."""

    table: str
    field: str | None = None
    cause: str | None = None
    change: str | None = None
    limit: int = 0


class Diff:
    """The differences of two releases, found when first asked for; `inputs` are those of what they were made from."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, before_dir: Path, after_dir: Path) -> None:
        """Makes views of both releases in the connection; use `open_diff`."""
        inputs = read_inputs(before_dir), read_inputs(after_dir)
        self.inputs: InputChanges = input_changes(*inputs)
        self._connection = connection
        self._differing = differing_tables(read_release(before_dir), read_release(after_dir))
        opened = {table.name: table for table in (*self._differing, RECORDS, PAPERS, PAPER_ALIASES)} if self._differing else {}
        for folder, schema in ((before_dir, BEFORE), (after_dir, AFTER)):
            add_views(connection, folder, schema, opened.values())
        rules = [(each.rules or {}).get("reading") for each in inputs]
        is_same_reading = rules[0] is not None and rules[0] == rules[1] and not self.inputs.has_other_settings
        self._compared = {name: compared(connection, table, is_same_reading=is_same_reading) for name, table in opened.items()}
        self._done: set[str] = set()
        self._is_prepared = False

    def summary(self) -> list[TableChanges]:
        """What changed, one entry a table and cause, in the order of the tables and causes; nothing if all is the same."""
        return [each for table in self._differing for each in self._summary_of(table)]

    def rows(self, wanted: Wanted) -> Iterator[list[tuple[object, ...]]]:
        """The changed rows of a table in batches, one row a changed field: see `columns`; in the order of the table's key."""
        table = TABLES[wanted.table]
        if table not in self._differing:
            return
        changed = self._find(table)
        self._connection.execute(_rows_sql(changed, wanted), _parameters(wanted))
        while batch := self._connection.fetchmany(_BATCH_ROWS):
            yield batch

    def columns(self, table: Table) -> list[str]:
        """The columns of `rows`: the change, its cause, the table's key, the field, and its values before and after."""
        return ["change", "cause", *table.sort_key, "field", "before", "after"]

    def _summary_of(self, table: Table) -> list[TableChanges]:
        self._find(table)
        counts = self._connection.execute(f"""
            select cause, count(*) filter (change = 'added'), count(*) filter (change = 'removed'),
                count(*) filter (change = 'changed')
            from changed_{table.name}
            group by cause
        """).fetchall()
        fields: dict[str, dict[str, int]] = {}
        for cause, field, count in self._connection.execute(f"""
            select cause, field, count(*) as rows
            from (select cause, unnest(fields) as field from changed_{table.name})
            group by cause, field
            order by cause, rows desc, field
        """).fetchall():
            fields.setdefault(cause, {})[field] = count
        counts.sort(key=lambda row: CAUSES.index(row[0]))
        return [
            TableChanges(table.name, cause, added, removed, changed, fields.get(cause, {}))
            for cause, added, removed, changed in counts
        ]

    def _find(self, table: Table) -> Compared:
        """Makes the table `changed_<table>`, once."""
        self._prepare()
        found = self._compared[table.name]
        if table.name not in self._done:
            keep_changed_rows(self._connection, found)
            self._finish(found)
        return found

    def _prepare(self) -> None:
        """Finds what changed in `records`, from which the causes of all that follows are told."""
        if self._is_prepared:
            return
        self._is_prepared = True
        note_inputs(self._connection, self.inputs)
        records = self._compared[RECORDS.name]
        if RECORDS in self._differing:
            keep_changed_rows(self._connection, records)
        else:
            for schema in (BEFORE, AFTER):
                self._connection.execute(f"create temp table {schema}_rows as select * from {schema}.records where false")
        note_renamed(self._connection)
        note_paper_causes(self._connection)
        if RECORDS in self._differing:
            self._finish(records)

    def _finish(self, table: Compared) -> None:
        pair_changed_rows(self._connection, table)
        note_causes(self._connection, table, self._left_cause)
        self._done.add(table.name)

    @property
    def _left_cause(self) -> Cause:
        return left_cause(self.inputs)


@contextmanager
def open_diff(before_dir: Path, after_dir: Path, *, spill_dir: Path, limits: QueryLimits) -> Iterator[Diff]:
    """The differences of two releases, which are held for as long as the block lasts.

    Raises:
        LakeError: a release is damaged, or being removed.
    """
    config: dict[str, Any] = {
        "threads": str(max(1, limits.threads)),
        "memory_limit": f"{limits.memory_bytes}B",
        "temp_directory": str(spill_dir.absolute()),
        "max_temp_directory_size": f"{limits.spill_bytes}B",
        "preserve_insertion_order": "false",
        "python_enable_replacements": "false",
    }
    connection = duckdb.connect(":memory:", config=config)
    try:
        for folder in (before_dir, after_dir):
            hold_while_alive(connection, folder)
        yield Diff(connection, before_dir, after_dir)
    except duckdb.OutOfMemoryException as error:
        raise QueryError(
            f"the diff needs more than the {limits.memory_bytes:,} bytes of memory or {limits.spill_bytes:,} of disk that "
            "[query] in pipeline.toml allows; raise memory_bytes or spill_bytes"
        ) from error
    except duckdb.Error as error:
        raise LakeError(
            f"{before_dir.name} or {after_dir.name} cannot be read: {str(error).splitlines()[0]}; `paperlake verify` says more"
        ) from error
    finally:
        connection.close()


def _parameters(wanted: Wanted) -> dict[str, object]:
    return {"field": wanted.field, "cause": wanted.cause, "change": wanted.change, "rows": wanted.limit or 2**62}


def _rows_sql(table: Compared, wanted: Wanted) -> str:
    """The query for the rows of `Diff.rows`. Of `limit` rows, the values are read when those rows are known."""
    key = ", ".join(f"coalesce(b_{name}, a_{name}) as {name}" for name in table.key)
    values = ", ".join(
        f"{{'field': '{name}', 'before': {_text(table, name, 'old')}, 'after': {_text(table, name, 'new')}}}"
        for name in table.columns
    )
    whole_old, whole_new = (_whole(table, side) for side in ("old", "new"))
    by_key = ", ".join(f"wanted.{name} nulls last" for name in table.key)
    return f"""
        with wanted as (
            select change, cause, {key}, a_rn, b_rn, fields
            from changed_{table.name}
            where ($field is null or list_contains(fields, $field) or change <> 'changed')
                and ($cause is null or cause = $cause)
                and ($change is null or change = $change)
            order by {", ".join(f"{name} nulls last" for name in table.key)}, a_rn, b_rn
            limit $rows
        ),
        valued as (
            select
                wanted.*,
                case
                    when change = 'changed' then list_filter(
                        [{values}],
                        lambda value: list_contains(fields, value.field) and ($field is null or value.field = $field)
                    )
                    else [{{'field': null::varchar, 'before': {whole_old}, 'after': {whole_new}}}]
                end as cells
            from wanted
            left join {BEFORE}.{table.name} as old on old.rn = wanted.a_rn
            left join {AFTER}.{table.name} as new on new.rn = wanted.b_rn
        ),
        told as (
            select wanted.*, generate_subscripts(cells, 1) as place, unnest(cells) as cell from valued as wanted
        )
        select wanted.change, wanted.cause, {", ".join(f"wanted.{name}" for name in table.key)},
            cell.field, cell.before, cell.after
        from told as wanted
        order by {by_key}, a_rn, b_rn, place
    """


def _text(table: Compared, name: str, side: str) -> str:
    """A value as text: lists as JSON."""
    dtype = next(column.dtype for column in table.table.columns if column.name == name)
    return f"cast(to_json({side}.{name}) as varchar)" if dtype.startswith("list<") else f"cast({side}.{name} as varchar)"


def _whole(table: Compared, side: str) -> str:
    """What stands for a row that was added or removed: a paper's title, else the row as JSON, but for its key."""
    if table.name == "papers":
        return f"{side}.title"
    rest = [name for name in table.columns if name not in table.key]
    if not rest:
        return "null::varchar"
    struct = ", ".join(f"'{name}': {side}.{name}" for name in rest)
    return f"case when {side}.rn is not null then cast(to_json({{{struct}}}) as varchar) end"
