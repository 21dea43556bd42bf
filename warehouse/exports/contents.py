"""This module is what an export came to: its files with their hashes, the tables or papers in them, and what they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from warehouse.exports.request import ExportRequest
from warehouse.exports.row_writers import Counted
from warehouse.exports.terms import SourceTerms


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file: where it stands below the folder, its sha256 and its size."""

    place: PurePosixPath
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ExportedColumn:
    """One column: its type as Frictionless has it, in what it is a list, its meaning, whether it may be null, its words."""

    name: str
    type: str
    meaning: str = ""
    nullable: bool = True
    words: tuple[str, ...] = ()

    @property
    def is_list(self) -> bool:
        """Whether a value is a list."""
        return self.type == "array"


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """One table, answer, or list of papers: its columns in the files, and in the names of folders, and its files."""

    name: str
    meaning: str
    columns: tuple[ExportedColumn, ...]
    files: tuple[ExportedFile, ...]
    counted: Counted
    in_folders: tuple[ExportedColumn, ...] = ()
    is_split: bool = False
    sheets: tuple[str, ...] = ()
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """All of an export, and the release it was made from."""

    request: ExportRequest
    release_id: str
    schema_version: int
    published_at: str
    tables: Sequence[ExportedTable]
    terms: Sequence[SourceTerms]
    notes: Sequence[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What the export is called in its descriptions."""
        return f"paperlake-{self.release_id}"

    @property
    def title(self) -> str:
        """What the export is called for people."""
        return f"paperlake, release {self.release_id}"

    @property
    def options(self) -> Mapping[str, object]:
        """What was asked for, but for what is not."""
        request = self.request
        said: dict[str, object] = {
            "format": request.format,
            "where": request.where,
            "query": request.query.name if request.query else None,
            "sql": request.query.sql if request.query else None,
            "parameters": {name: str(value) for name, value in request.query.parameters.items()} if request.query else None,
            "split": {part.name: str(part.share) for part in request.split},
            "partition_by": list(request.partition_by),
            "raw_cells": request.keeps_raw_cells,
        }
        return {name: value for name, value in said.items() if value}

    def files(self) -> list[ExportedFile]:
        """Every file with rows once, by its place."""
        return sorted({file.place: file for table in self.tables for file in table.files}.values(), key=lambda f: str(f.place))
