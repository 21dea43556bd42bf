"""This module looks a release through: whether its files are what was published, fit their contract, and balance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from transforms.schemas import LEDGER, RAW_FILES, RECORDS, TABLES
from warehouse.landing import hash_file
from warehouse.layout import Lake, LakeError, read_release
from warehouse.parquet import arrow_schema
from warehouse.release_files import BESIDE_TABLES, release_id_of


@dataclass(frozen=True, slots=True)
class Finding:
    """Something amiss in a release: the file (relative to it, or a raw file), what kind of fault, and a sentence."""

    release_id: str
    path: str
    problem: str
    message: str


@dataclass
class Verifier:
    """Looks releases through; a file that several of them share is hashed once.

    `code_version` is that of the code at work: a release made by another may lack tables and columns that came later.
    """

    lake: Lake
    code_version: str
    bytes_hashed: int = 0
    _hashes: dict[tuple[int, int], str] = field(default_factory=dict)

    def findings(self, release_dir: Path) -> list[Finding]:
        """All that is amiss in a release, in the order of its files; nothing if it is sound."""
        return [Finding(release_dir.name, *found) for found in self._look_through(release_dir)]

    def raw_findings(self, release_dir: Path) -> list[Finding]:
        """The raw files of a release that are missing from the lake, or are not what they were."""
        found = []
        for path, column in _columns(release_dir, RAW_FILES.name, "file_sha256"):
            if isinstance(column, str):
                found.append(Finding(release_dir.name, path, "unreadable", column))
                continue
            for sha256 in sorted(column):
                raw = self.lake.raw_path(sha256)
                if not raw.is_file():
                    text = "is not in the lake any more: lost, or taken out with `paperlake forget --erase`"
                    found.append(Finding(release_dir.name, f"raw/{sha256[:2]}/{sha256}", "raw missing", text))
                elif self._hash(raw) != sha256:
                    text = "is not what was landed: run again with --rehash and the original file"
                    found.append(Finding(release_dir.name, f"raw/{sha256[:2]}/{sha256}", "raw damaged", text))
        return found

    def _look_through(self, folder: Path) -> Iterator[tuple[str, str, str]]:
        try:
            release = read_release(folder)
            told = {str(file["path"]): file for file in release["files"]}
            rows = {name: int(table["rows"]) for name, table in release["tables"].items()}
        except (LakeError, KeyError, TypeError, ValueError, AttributeError) as error:
            yield "release.json", "no description", str(error)
            return
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}
        for path in sorted(told.keys() | BESIDE_TABLES - there):
            if path not in there:
                yield path, "missing", "the file is not there"
            elif path in told:
                yield from self._compare(folder, path, told[path])
        for path in sorted(there - told.keys() - BESIDE_TABLES):
            yield path, "stray", "the file is none of the release's"
        release_id = release_id_of({path: str(file["sha256"]) for path, file in told.items()})
        if not folder.name == release["release_id"] == release_id:
            text = f"the id is {release['release_id']}, the folder {folder.name}, and the files give {release_id}"
            yield "release.json", "other id", text
        yield from self._compare_tables(folder, release, rows)
        yield from _unbalanced(folder, rows)

    def _compare(self, folder: Path, path: str, told: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        size = (folder / path).stat().st_size
        if size != told["size_bytes"]:
            yield path, "other size", f"it has {size} bytes and was published with {told['size_bytes']}"
        elif (sha256 := self._hash(folder / path)) != told["sha256"]:
            yield path, "other content", f"its sha256 is {sha256[:12]}…, published was {str(told['sha256'])[:12]}…"

    def _compare_tables(self, folder: Path, release: dict[str, Any], rows: dict[str, int]) -> Iterator[tuple[str, str, str]]:
        is_own = release.get("code_version") == self.code_version
        for name, table in TABLES.items():
            files = sorted((folder / name).glob("*.parquet"))
            if not files and (is_own or name in rows):
                yield name, "missing", "the table has no file"
            counted = 0
            for file in files:
                path = file.relative_to(folder).as_posix()
                try:
                    metadata = pq.read_metadata(file)
                except (OSError, ValueError) as error:
                    yield path, "unreadable", f"it cannot be read as Parquet: {error}"
                    break
                counted += metadata.num_rows
                for text in _misfits(metadata.schema.to_arrow_schema(), arrow_schema(table), is_own=is_own):
                    yield path, "other schema", text
            else:
                if files and counted != rows.get(name):
                    yield name, "other row count", f"the table has {counted} rows and was published with {rows.get(name)}"

    def _hash(self, path: Path) -> str:
        stat = path.stat()
        key = stat.st_dev, stat.st_ino
        if key not in self._hashes:
            self._hashes[key] = hash_file(path)
            self.bytes_hashed += stat.st_size
        return self._hashes[key]


def _misfits(found: Any, expected: Any, *, is_own: bool) -> Iterator[str]:
    """In what a file's Arrow schema is not that of the contract."""
    for name in found.names:
        if name not in expected.names:
            yield f"column {name} is not in the contract"
        elif found.field(name).type != expected.field(name).type:
            yield f"column {name} has type {found.field(name).type}, expected {expected.field(name).type}"
        elif found.field(name).nullable and not expected.field(name).nullable:
            yield f"column {name} may hold null, which its contract rules out"
    for name in expected.names if is_own else ():
        if name not in found.names:
            yield f"column {name} is missing"


def _unbalanced(folder: Path, rows: dict[str, int]) -> Iterator[tuple[str, str, str]]:
    """What the ledger does not account for."""
    for path, column in _columns(folder, LEDGER.name, "balanced"):
        if not isinstance(column, str) and not all(column):
            yield path, "unbalanced", f"{column.count(False)} raw files do not balance; `paperlake ledger` shows them"
    clean_counts = [column for _, column in _columns(folder, LEDGER.name, "records_clean") if not isinstance(column, str)]
    if clean_counts and sum(map(sum, clean_counts)) != rows.get(RECORDS.name):
        text = f"the ledger has {sum(map(sum, clean_counts))} clean records, the table records {rows.get(RECORDS.name)}"
        yield LEDGER.name, "unbalanced", text


def _columns(folder: Path, table: str, column: str) -> Iterator[tuple[str, list[Any] | str]]:
    """The values of a column by file of the table, or of a file that cannot be read a sentence."""
    for file in sorted((folder / table).glob("*.parquet")):
        path = file.relative_to(folder).as_posix()
        try:
            yield path, pq.read_table(file, columns=[column], partitioning=None).column(column).to_pylist()
        except (OSError, ValueError, KeyError) as error:
            yield path, f"its column {column} cannot be read: {error}"
