"""This module writes the README.md of an export: what it is, what it came from, and every table and column with its meaning."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from warehouse.exports.contents import Contents, ExportedTable
from warehouse.exports.request import CITATION_FORMATS
from warehouse.exports.terms import terms_sentences
from warehouse.row_formats import write_rows


def export_readme(contents: Contents) -> str:
    """The content of README.md; no clock and no path of the machine is in it."""
    parts = [
        f"# {contents.title}",
        f"Exported from release `{contents.release_id}` (schema version {contents.schema_version}, published "
        f"{contents.published_at}). The same release and the same options give the same bytes. `sha256sum -c SHA256SUMS` "
        "checks the files; `datapackage.json` (Frictionless) and `croissant.json` (Croissant) describe them to programs.",
        *_sentences(contents),
        "## Files",
        _markdown(
            ("table", "rows", "files", "what a row is"),
            [(f"`{table.name}`", f"{table.counted.rows:,}", _places(table), table.meaning) for table in contents.tables],
        ),
        "## Sources and licences",
        "\n".join(f"- {sentence}" for sentence in terms_sentences(contents.terms)) or "The release has no raw files.",
        *([] if contents.request.format in CITATION_FORMATS else ["## Columns"]),
        *(part for table in contents.tables for part in _table_parts(table, contents)),
    ]
    return "\n\n".join(parts) + "\n"


def _sentences(contents: Contents) -> list[str]:
    request = contents.request
    said = list(contents.notes)
    if request.where is not None:
        said.insert(0, f"Only papers for which this holds, and what belongs to them: `{' '.join(request.where.split())}`.")
    if request.query is not None:
        said.insert(0, f"The answer to the query {request.query.name}:\n\n```sql\n{request.query.sql.strip()}\n```")
    if request.split:
        shares = ", ".join(f"{part.name} {part.share}" for part in request.split)
        said.append(
            f"Split into {shares}: the first 32 bits of the sha256 of `work_id`, over 2³², tell the part, in this order. All "
            "versions of a work, and all rows of a paper, stand in one part, and stay in it while the work keeps its id."
        )
    return said


def _places(table: ExportedTable) -> str:
    if table.sheets:
        return f"{table.files[0].place}, sheet {', '.join(table.sheets)}"
    if len(table.files) <= 3:
        return ", ".join(str(file.place) for file in table.files)
    return f"{len(table.files):,} files in {table.name}/"


def _table_parts(table: ExportedTable, contents: Contents) -> list[str]:
    if contents.request.format in CITATION_FORMATS:
        return []
    key = f" Unique and sorted by {', '.join(f'`{name}`' for name in table.key)}." if table.key else ""
    folders = ", ".join(f"`{column.name}`" for column in table.in_folders)
    return [
        f"### {table.name}",
        f"{table.meaning[0].upper()}{table.meaning[1:]}.{key}"
        + (f" In the names of its folders, not in its files: {folders}." if folders else ""),
        _markdown(
            ("column", "type", "null", "meaning"),
            [
                (f"`{column.name}`", f"`{column.type}`", "yes" if column.nullable else "no", column.meaning)
                for column in (*table.columns, *table.in_folders)
            ],
        ),
    ]


def _markdown(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; code spans stay code."""
    out = io.StringIO()
    write_rows(heading, ["VARCHAR"] * len(heading), [list(rows)], "markdown", out)
    return out.getvalue().rstrip("\n").replace("\\`", "`")
