"""This module tells which rows of a release are exported, and into which part of a split and which folder each goes.

`--where` is a condition on `papers`; a table that belongs to papers keeps the rows of those. A split goes by work: the
first 32 bits of the sha256 of `work_id`, so that all versions of a work, and all their rows, stand in one part, and stay
in it as long as the work keeps its id, whatever else is added to the lake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from transforms.schemas import TABLES, Column, Table
from warehouse.exports.condition import checked_condition
from warehouse.exports.request import ExportError, ExportRequest
from warehouse.exports.row_writers import rows_of
from warehouse.parquet import arrow_type
from warehouse.sandbox import QueryLimits, cap_process_memory
from warehouse.views import add_saved_views, parquet_files, saved_views_in, sql_name

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

PAPER_OF = {
    **{name: "t.paper_id" for name, table in TABLES.items() if "paper_id" in table.column_names()},
    "record_notes": "r.paper_id",
}
"""The paper that each row of a table belongs to; a note belongs to that of its record. Tables that are not here are
exported whole: what they tell is of files, or of pairs of records."""

del PAPER_OF["paper_aliases"]  # its paper_id is that of no paper now

MOST_FILES = 10_000
"""Into how many files a table may be partitioned; more is a column that tells rows apart rather than groups them."""

_BATCH_ROWS = 16_384


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one file: their part of the split, their values of the partition columns, and how many they are."""

    part: str | None
    values: tuple[str | None, ...]
    rows: int


class Selection:
    """The rows to export of a release that `connection` has open (`sandbox.open_release`)."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        release_dir: Path,
        request: ExportRequest,
        limits: QueryLimits,
        *,
        caps_memory: bool = False,
    ) -> None:
        """Finds the papers that are exported, once.

        Raises:
            ExportError: the condition is no condition.
            QueryError: it cannot be evaluated.
        """
        self.connection = connection
        self._release_dir = release_dir
        self._request = request
        self._limits = limits
        self._caps_memory = caps_memory
        self.is_chosen = request.where is not None or bool(request.split)
        if self.is_chosen:
            self._choose()

    def columns(self, table: Table) -> list[Column]:
        """The columns of a table that stand in its files: those the release has, without those that its folders tell."""
        there = self._columns_there(table.name)
        in_folders = self.partition_by(table)
        return [column for column in table.columns if column.name in there and column.name not in in_folders]

    def has(self, table: Table) -> bool:
        """Whether the release, which may be an older one, has the table."""
        return bool(parquet_files(self._release_dir, table))

    def published_file(self, table: Table) -> Path | None:
        """The one file of the release that holds the table just as it is to be exported, if there is one."""
        files = parquet_files(self._release_dir, table)
        is_whole = not self._group_keys(table) and not (self.is_chosen and table.name in PAPER_OF)
        return files[0] if is_whole and len(files) == 1 else None

    def schema(self, columns: Sequence[Column]) -> pa.Schema:
        """The Arrow schema of columns, each with its meaning."""
        return _schema(columns)

    def partition_by(self, table: Table) -> tuple[str, ...]:
        """The columns a table is partitioned by: all or none of those asked for."""
        by = self._request.partition_by
        return by if by and all(self._partition_sql(table, name) for name in by) else ()

    def is_split(self, table: Table) -> bool:
        """Whether a table's rows are split."""
        return bool(self._request.split) and table.name in PAPER_OF

    def groups(self, table: Table) -> list[Group]:
        """The files of a table, in order, with how many rows go into each.

        Raises:
            ExportError: there are too many.
        """
        keys = self._group_keys(table)
        if not keys:
            return [Group(None, (), self._scalar(f"select count(*) {self._from(table)}"))]
        listed = ", ".join(keys)
        sql = f"select {listed}, count(*) {self._from(table)} group by all order by {_in_order(keys)}"
        found = self.connection.execute(f"{sql} limit {MOST_FILES + 1}").fetchall()
        if len(found) > MOST_FILES:
            by = ",".join(self._request.partition_by)
            raise ExportError(f"--partition-by {by} makes more than {MOST_FILES:,} files of {table.name}; choose fewer columns")
        is_split = self.is_split(table)
        groups = []
        for *values, rows in found:
            part = self._request.split[values[0]].name if is_split else None
            groups.append(Group(part, tuple(values[1:] if is_split else values), rows))
        if is_split and not self.partition_by(table):  # a part without rows is an empty file, not a missing one
            by_part = {group.part: group for group in groups}
            return [by_part.get(share.name, Group(share.name, (), 0)) for share in self._request.split]
        return groups or [Group(None, (), 0)]

    def batches(self, table: Table) -> Iterator[pa.RecordBatch]:
        """The rows of a table, group by group in the order of `groups`, each sorted by the table's sort key."""
        columns = self.columns(table)
        if not self._group_keys(table) and not (self.is_chosen and table.name in PAPER_OF):
            yield from _as_contract(_as_published(self._release_dir, table, columns), columns)
            return
        listed = ", ".join(f"t.{sql_name(column.name)}" for column in columns)
        # Rows with equal sort keys are told apart by all their columns, so that the order is the same each time.
        tie_breakers = () if table.unique else tuple(column.name for column in columns if column.name not in table.sort_key)
        order = [*self._group_keys(table), *(f"t.{sql_name(name)}" for name in (*table.sort_key, *tie_breakers))]
        sql = f"select {listed} {self._from(table)} order by {_in_order(order)}"
        yield from _as_contract(self.connection.cursor().sql(sql).to_arrow_reader(_BATCH_ROWS), columns)

    def rows_of_papers(self, name: str, columns: Sequence[str], part: str | None) -> Iterator[Sequence[object]]:
        """Columns of the rows of a table that belong to papers exported in a part, sorted by its sort key."""
        table = TABLES[name]
        wanted = [column for column in table.columns if column.name in columns and column.name in self._columns_there(name)]
        wanted.sort(key=lambda column: columns.index(column.name))
        if not self.is_chosen:
            return rows_of(_as_published(self._release_dir, table, wanted))
        listed, order = (", ".join(f"t.{sql_name(each)}" for each in names) for names in (columns, table.sort_key))
        return self.rows_of(f"select {listed} from {sql_name(name)} t where {self.part_condition(part)} order by {order}")

    def rows_of(self, sql: str) -> Iterator[Sequence[object]]:
        """The rows of a query of ours, read as they are asked for."""
        return rows_of(self.connection.cursor().sql(sql).to_arrow_reader(_BATCH_ROWS))

    def part_condition(self, part: str | None) -> str:
        """SQL that holds for papers (`t`) that are exported, in a part of the split."""
        if not self.is_chosen:
            return "true"
        rank = next((place for place, share in enumerate(self._request.split) if share.name == part), 0)
        return f"t.paper_id in (select paper_id from chosen where part = {rank})"

    def _choose(self) -> None:
        """Makes the table `chosen` (paper_id, part) of the papers that are exported."""
        condition = "true"
        if self._request.where is not None:
            add_saved_views(self.connection, saved_views_in(self._request.where))
            condition = checked_condition(self.connection, self._request.where)
        place = "('0x' || substr(sha256(work_id), 1, 8))::bigint"
        cases = " ".join(f"when {place} < {share.end} then {rank}" for rank, share in enumerate(self._request.split))
        part = f"case {cases} end" if cases else "0"
        self._run(f"create table chosen as select paper_id, {part} as part from papers where (\n{condition}\n)")

    def _run(self, sql: str) -> None:
        """Runs the one statement that holds what a person wrote, within the limits of a query."""
        from warehouse.query_clock import QueryClock, explained_errors

        clock = QueryClock(self.connection, self._limits)
        # Only here: sorting a million papers afterwards takes more than the cap leaves.
        is_capped = self._caps_memory and self._request.where is not None
        with _capped_memory(self._limits, is_on=is_capped), explained_errors(clock, self._request.where or ""), clock.running():
            self.connection.execute(sql)

    def _from(self, table: Table) -> str:
        """The tables that the rows come from: `t` itself, its record `r`, its chosen paper `c`, its paper `p`."""
        joins = [f"from {sql_name(table.name)} t"]
        paper = PAPER_OF.get(table.name)
        needs_paper = any(name not in table.column_names() for name in self.partition_by(table))
        is_chosen = self.is_chosen and paper is not None
        if table.name == "record_notes" and (is_chosen or needs_paper):
            joins.append("join records r on r.record_id = t.record_id")
        if is_chosen:
            joins.append(f"join chosen c on c.paper_id = {paper}")
        if needs_paper:
            joins.append(f"join papers p on p.paper_id = {paper}")
        return " ".join(joins)

    def _group_keys(self, table: Table) -> list[str]:
        part = ["c.part"] if self.is_split(table) else []
        return part + [f"cast({self._partition_sql(table, name)} as varchar)" for name in self.partition_by(table)]

    def _partition_sql(self, table: Table, name: str) -> str | None:
        """A partition column as SQL: the table's own, else that of its paper; None where it has neither."""
        if name in table.column_names():
            return f"t.{sql_name(name)}"
        has_paper = table.name in PAPER_OF and name in TABLES["papers"].column_names()
        return f"p.{sql_name(name)}" if has_paper else None

    def _columns_there(self, name: str) -> list[str]:
        self.connection.execute(f"select * from {sql_name(name)} limit 0")
        return [str(column[0]) for column in self.connection.description or []]

    def _scalar(self, sql: str) -> int:
        row = self.connection.execute(sql).fetchone()
        return int(row[0]) if row else 0


@contextmanager
def _capped_memory(limits: QueryLimits, *, is_on: bool) -> Iterator[None]:
    """Within it, if it `is_on`, this process has a ceiling on its memory; see `sandbox.cap_process_memory`."""
    if not is_on:
        yield
        return
    import resource  # as the cap itself, only where the system knows it

    before = resource.getrlimit(resource.RLIMIT_DATA)
    cap_process_memory(limits)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _in_order(keys: Sequence[str]) -> str:
    return ", ".join(f"{key} nulls last" for key in keys)


def _as_published(release_dir: Path, table: Table, columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """All rows of a table in the order of its files, which is sorted: no need to sort a million abstracts again."""
    import pyarrow.parquet as pq

    for path in parquet_files(release_dir, table):
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(_BATCH_ROWS, columns=[column.name for column in columns])


def _as_contract(reader: Iterable[pa.RecordBatch], columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """The batches of a query with the types of the contract, and each column's meaning in its field's metadata."""
    import pyarrow as pa

    schema = _schema(columns)
    for batch in reader:
        yield pa.RecordBatch.from_arrays(
            [value.cast(field.type) for value, field in zip(batch.columns, schema, strict=True)], schema=schema
        )


def _schema(columns: Sequence[Column]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            pa.field(column.name, arrow_type(column.dtype), nullable=column.nullable, metadata={"description": column.meaning})
            for column in columns
        ]
    )
