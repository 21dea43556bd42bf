"""This module reads the `-- name: value` lines that a file of SQL begins with, and finds the files of a person's folder."""

from __future__ import annotations

from pathlib import Path

from transforms.schemas import SchemaError


def header_fields(sql: str, path: object, required: tuple[str, ...]) -> dict[str, list[str]]:
    """The fields of the file's first comment lines, each with its values in order; a field may stand several times.

    >>> header_fields("-- severity: error\\n-- meaning: a year: none\\nselect 1", "years.sql", ("severity", "meaning"))
    {'severity': ['error'], 'meaning': ['a year: none']}

    Raises:
        SchemaError: a required field is missing or empty.
    """
    fields: dict[str, list[str]] = {}
    for line in sql.splitlines():
        if not line.startswith("-- "):
            break
        name, _, value = line[3:].partition(":")
        fields.setdefault(name.strip(), []).append(value.strip())
    missing = [name for name in required if not any(fields.get(name, []))]
    if missing:
        expected = ", ".join(f"`-- {name}: …`" for name in required)
        raise SchemaError(f"{path}: expected first lines {expected}; {', '.join(missing)} missing")
    return fields


def own_sql_files(folder: Path) -> list[Path]:
    """The SQL files in a person's own folder; a hidden one is what an editor leaves beside the file it is changing.

    Raises:
        SchemaError: one is a folder, a device or a link to nothing.
    """
    paths = sorted(path for path in folder.glob("*.sql") if not path.name.startswith("."))
    for path in paths:
        if not path.is_file():
            raise SchemaError(f"{path} is no regular file; expected one with SQL")
    return paths
