"""This module describes the tables of a release to people, from the contract in `transforms.schemas` alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transforms.schemas import SCHEMA_VERSION, TABLES, Column, Table

COLUMNS = ("table", "column", "type", "null", "meaning")
"""The columns of `column_rows`."""

TABLE_COLUMNS = ("table", "rows", "columns", "grain")
"""The columns of `table_rows`."""


def release_readme(release_id: str, row_counts: Mapping[str, int], facts: Sequence[str] = ()) -> str:
    """The README.md of a release: what it is, and every table and column with its meaning. No clock and no path is in it.

    Args:
        release_id: the release; `{release_id}` where it is known only later.
        row_counts: how many rows each table has; a table missing here is listed without a number.
        facts: further sentences about the release, one a paragraph.
    """
    parts = [
        f"# Release {release_id}",
        f"One set of tables made by paperlake (schema version {SCHEMA_VERSION}), each a folder of plain Parquet files that "
        "any tool can read. Every file carries these meanings in its own metadata. Nothing here changes once published.",
        *facts,
        "```sql\nselect title, venue, year from read_parquet('papers/*.parquet') limit 10\n```",
        "## Tables",
        _markdown_table(
            ("table", "rows", "what a row is"),
            [
                (
                    f"[`{table.name}`](#{table.name})",
                    f"{row_counts[table.name]:,}" if table.name in row_counts else "",
                    table.grain,
                )
                for table in TABLES.values()
            ],
        ),
        *(part for table in TABLES.values() for part in _table_parts(table)),
    ]
    return "\n\n".join(parts) + "\n"


def table_rows(row_counts: Mapping[str, int] | None = None) -> list[tuple[object, ...]]:
    """One row a table, as `TABLE_COLUMNS`; the count of rows is None where it is not known."""
    counts = row_counts or {}
    return [(table.name, counts.get(table.name), len(table.columns), table.grain) for table in TABLES.values()]


def column_rows(table_name: str | None = None) -> list[tuple[object, ...]]:
    """One row a column, as `COLUMNS`, of one table or of all.

    >>> column_rows("links")[-1]
    ('links', 'kind', 'string', 'no', 'what it leads to: code, project_page, data or other')
    """
    tables = TABLES.values() if table_name is None else [TABLES[table_name]]
    return [
        (table.name, column.name, column.dtype, _null(column), column.meaning) for table in tables for column in table.columns
    ]


def _table_parts(table: Table) -> list[str]:
    """Heading, grain, key and columns of one table."""
    key = ", ".join(f"`{name}`" for name in table.sort_key)
    return [
        f"### {table.name}",
        f"{table.grain[0].upper()}{table.grain[1:]}. "
        + (f"Unique and sorted by {key}." if table.unique else f"Sorted by {key}."),
        _markdown_table(
            ("column", "type", "null", "meaning"),
            [(f"`{column.name}`", f"`{column.dtype}`", _null(column), column.meaning) for column in table.columns],
        ),
    ]


def _null(column: Column) -> str:
    """Whether the column may hold null, in a word."""
    return "yes" if column.nullable else "no"


def _markdown_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; pipes within cells are escaped."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
