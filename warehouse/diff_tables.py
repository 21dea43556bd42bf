"""This module finds the rows of a table that are not in both of two releases, and pairs them by the table's key.

Each side is read once, to a hash of each row (64 bits; two rows that differ have the same one with a chance of 1 in 10^19).
Only rows whose hash the other side lacks are read again, in full but for the long texts, whose own hashes are kept from the
first reading: most of the bytes of a release are abstracts and raw records. Their values are then compared as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from transforms.schemas import TABLES, Table
from warehouse.views import empty_view_sql, parquet_files, sql_text

BEFORE, AFTER = "a", "b"
"""The schemas that the tables of the two releases stand in."""

_LONG_TEXTS = frozenset({"abstract", "raw", "text"})

_TOLD_BY_FILE = frozenset({"locator", "span_start", "span_end", "source_key", "raw"})
"""The columns of `records` that follow from the raw file and the rules of reading."""

_CONTEXT = {"records": ("record_key", "paper_id"), "field_origins": ("record_id",), "paper_aliases": ("current_paper_id",)}
"""Columns beside the key that the cause of a change is told from."""

PAPER_ID_COLUMNS = frozenset({"paper_id", "other_paper_id"})


@dataclass(frozen=True, slots=True)
class Compared:
    """A table to compare: its key, and the columns that both releases have and that may differ."""

    table: Table
    columns: tuple[str, ...]

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name

    @property
    def key(self) -> tuple[str, ...]:
        """What pairs a row of the one release with one of the other."""
        return self.table.sort_key

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns kept of both sides of a changed row: its key, and what its cause is told from."""
        return (*self.key, *_CONTEXT.get(self.name, ()))


def add_views(connection: duckdb.DuckDBPyConnection, release_dir: Path, schema: str, tables: Iterable[Table]) -> None:
    """Makes a view of each of the tables of a release, with the column `rn`, the number of the row in its files."""
    connection.execute(f"create schema {schema}")
    for table in tables:
        paths = parquet_files(release_dir, table)
        files = ", ".join(sql_text(str(path)) for path in paths)
        # The bare row number finds its rows in the file without reading the others; of several files it is not unique.
        number = "file_row_number" if len(paths) == 1 else "(file_index << 40) + file_row_number"
        rows = f"select *, {number} as rn from read_parquet([{files}], hive_partitioning = false)"
        empty = empty_view_sql(table).partition(" as ")[2]
        connection.execute(f"create view {schema}.{table.name} as {rows if files else f'select *, 0 as rn from ({empty})'}")


def compared(connection: duckdb.DuckDBPyConnection, table: Table, *, is_same_reading: bool) -> Compared:
    """What of a table is compared.

    With `is_same_reading` both releases read raw files by the same rules: what a record takes from its file as it stands
    there is then the same for the same file, and need not be read.
    """
    held = [
        {str(row[0]) for row in connection.execute(f"describe {schema}.{table.name}").fetchall()} for schema in (BEFORE, AFTER)
    ]
    columns = [name for name in table.column_names() if all(name in columns for columns in held)]
    if table.name == "records" and is_same_reading:
        columns = [name for name in columns if name not in _TOLD_BY_FILE]
    return Compared(table, tuple(columns))


def keep_changed_rows(connection: duckdb.DuckDBPyConnection, table: Compared) -> None:
    """Makes the tables `a_rows` and `b_rows` of the rows of a table that the other release has not, long texts as hashes."""
    long_texts = [name for name in table.columns if name in _LONG_TEXTS]
    short = [name for name in table.columns if name not in _LONG_TEXTS]
    hashes = ", ".join(f"hash({name}) as {name}_hash" for name in long_texts)
    values = ", ".join([*short, *(f"{name}_hash" for name in long_texts)])
    kept = "".join(f", {name}_hash" for name in long_texts)
    for schema in (BEFORE, AFTER):
        rows = f"select *{f', {hashes}' if hashes else ''} from {schema}.{table.name}"
        connection.execute(
            f"create or replace temp table {schema}_hashes as select rn, hash({values}) as h{kept} from ({rows})"
        )
    _keep_hashes_of_other_buckets(connection)
    copy = "" if table.table.unique else ", row_number() over (partition by h order by rn) as copy"
    by = "h" if table.table.unique else "h, copy"
    for schema, other in ((BEFORE, AFTER), (AFTER, BEFORE)):
        long_hashes = "".join(f", left_over.{name}_hash as {name}" for name in long_texts)
        connection.execute(f"""
            create or replace temp table {schema}_rows as
            with mine as (
                select *{copy} from {schema}_hashes
            ),
            theirs as (
                select h{copy} from {other}_hashes
            ),
            left_over as (
                select mine.* from mine anti join theirs using ({by})
            )
            select rn, {", ".join(f"rows.{name}" for name in short)}{long_hashes}
            from {schema}.{table.name} as rows
            join left_over using (rn)
        """)
    connection.execute(f"drop table {BEFORE}_hashes; drop table {AFTER}_hashes")


def _keep_hashes_of_other_buckets(connection: duckdb.DuckDBPyConnection) -> None:
    """Leaves of `a_hashes` and `b_hashes` those in a bucket of hashes, by their first bits, that is not the same in both.

    Adding up buckets takes a fourth of the time of looking each of 8 million hashes up among as many.
    """
    buckets = "select h >> 48 as bucket, bit_xor(h) as sum_of_hashes, count(*) as row_count from {0}_hashes group by bucket"
    connection.execute(f"""
        create or replace temp table other_buckets as
        select bucket
        from ({buckets.format(BEFORE)}) as a
        full join ({buckets.format(AFTER)}) as b using (bucket)
        where a.sum_of_hashes is distinct from b.sum_of_hashes or a.row_count is distinct from b.row_count
    """)
    for schema in (BEFORE, AFTER):
        connection.execute(f"""
            create or replace temp table {schema}_hashes as
            select * from {schema}_hashes where h >> 48 in (select bucket from other_buckets)
        """)


def pair_changed_rows(connection: duckdb.DuckDBPyConnection, table: Compared) -> None:
    """Makes `changed_<table>` of `a_rows` and `b_rows`: one row a row that was added, removed or changed.

    Columns: `change`, `a_rn` and `b_rn`, the kept columns of both sides (`a_…`, `b_…`), and `fields`, the columns that differ.
    A paper id is taken for the one that the paper has in the later release, by the table `renamed(old_id, new_id)`.
    """
    ids = [name for name in table.key if name in PAPER_ID_COLUMNS]
    now = ", ".join(f"coalesce(now_{name}.new_id, rows.{name}) as {name}_now" for name in ids)
    joins = " ".join(f"left join renamed as now_{name} on now_{name}.old_id = rows.{name}" for name in ids)
    pairs = [(f"{name}_now" if name in ids else name, name) for name in table.key]
    place = "" if table.table.unique else ", row_number() over (partition by {0} order by rn) as place"
    before, after = (place.format(", ".join(columns)) for columns in ([pair[0] for pair in pairs], table.key))
    on = " and ".join(f"a.{old} is not distinct from b.{new}" for old, new in pairs)
    kept = ", ".join(f"{side}.{name} as {side}_{name}" for name in table.kept for side in (BEFORE, AFTER))
    differ = ", ".join(f"case when a.{name} is distinct from b.{name} then '{name}' end" for name in table.columns)
    connection.execute(f"""
        create or replace temp table changed_{table.name} as
        with a as (
            select *{before} from (select rows.*{f", {now}" if now else ""} from a_rows as rows {joins})
        ),
        b as (
            select *{after} from b_rows
        )
        select
            case when a.rn is null then 'added' when b.rn is null then 'removed' else 'changed' end as change,
            a.rn as a_rn,
            b.rn as b_rn,
            {kept},
            case
                when a.rn is null or b.rn is null then []
                else list_filter([{differ}], lambda field: field is not null)
            end as fields
        from a
        full join b on {on}{" and a.place = b.place" if place else ""}
        where not (a.rn is not null and b.rn is not null and len(fields) = 0)
    """)


def differing_tables(before: Mapping[str, object], after: Mapping[str, object]) -> list[Table]:
    """The tables that are not the same byte for byte, by what the two `release.json` say of their files."""

    def hashes(release: Mapping[str, object], name: str) -> Sequence[tuple[str, str]]:
        files = release["files"]
        assert isinstance(files, list), "a list of files, each with its path and hash"
        return sorted((file["path"], file["sha256"]) for file in files if str(file["path"]).startswith(f"{name}/"))

    return [table for name, table in TABLES.items() if hashes(before, name) != hashes(after, name)]
