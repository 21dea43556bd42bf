"""This module names the files of an export: one a table, or a folder of them, by part of a split and by partition."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import quote

from transforms.schemas import Table
from warehouse.exports.request import ENDINGS, ExportError, ExportFormat
from warehouse.exports.selection import Group

NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""What Hive, Spark, DuckDB and Arrow name the folder of rows without a value."""

_LONGEST_NAME = 240
"""Bytes of a folder's name; most file systems take 255."""


def file_place(table: Table, group: Group, partition_by: tuple[str, ...], format: ExportFormat) -> PurePosixPath:
    """Where the rows of a group stand below the export's folder.

    >>> from transforms.schemas import PAPERS
    >>> str(file_place(PAPERS, Group(None, (), 0), (), "csv")), str(file_place(PAPERS, Group("train", (), 0), (), "csv"))
    ('papers.csv', 'papers/train.csv')
    >>> str(file_place(PAPERS, Group("train", ("iclr", None), 0), ("venue_id", "year"), "parquet"))
    'papers/train/venue_id=iclr/year=__HIVE_DEFAULT_PARTITION__/papers.parquet'

    Raises:
        ExportError: a value is too long for the name of a folder.
    """
    ending = ENDINGS[format]
    if not partition_by:
        return PurePosixPath(table.name, f"{group.part}{ending}") if group.part else PurePosixPath(f"{table.name}{ending}")
    folders = [_folder(name, value) for name, value in zip(partition_by, group.values, strict=True)]
    return PurePosixPath(table.name, *([group.part] if group.part else []), *folders, f"{table.name}{ending}")


def _folder(name: str, value: str | None) -> str:
    """The name of a partition's folder: letters, digits, `.`, `_`, `-` and `~` as they are, all else as %XX of its UTF-8.

    >>> _folder("venue", "Workshop: a/b"), _folder("venue", "..")
    ('venue=Workshop%3A%20a%2Fb', 'venue=..')
    """
    if value is None:
        return f"{name}={NULL_PARTITION}"
    escaped = quote(value, safe="")
    if value == NULL_PARTITION or not escaped:
        escaped = f"%5F{escaped[1:]}"
    folder = f"{name}={escaped}"
    if len(folder) > _LONGEST_NAME:
        raise ExportError(
            f"--partition-by {name}: the value '{value[:60]}…' is too long for the name of a folder; choose a column of ids"
        )
    return folder
