"""This module fabricates releases, a small sound one and variations of it for tests that need a fault, and reads archives."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.schemas import TABLES
from warehouse.archives import opened_archive
from warehouse.unpacking import UnpackLimits

Rows = dict[str, list[dict[str, Any]]]

FILE_A, FILE_B = "a" * 64, "b" * 64

SOUND: Rows = {
    "papers": [
        {
            "paper_id": "p1",
            "work_id": "w1",
            "title": "On the Sums of Gravel",
            "authors": ["Ada Stone", "Ben Pebble"],
            "abstract": "We sum gravel.",
            "venue_id": "rocks",
            "venue": "Rocks",
            "year": 2023,
            "decision": "oral",
            "keywords": ["gravel"],
            "record_count": 2,
            "file_count": 2,
        },
        {
            "paper_id": "p2",
            "work_id": "w1",
            "title": "A Survey of Sand",
            "authors": [],
            "year": 2024,
            "decision": "poster",
            "keywords": [],
            "record_count": 1,
            "file_count": 1,
        },
    ],
    "authorships": [
        {"paper_id": "p1", "position": 1, "name": "Ada Stone", "name_raw": "Stone, Ada", "given": "Ada", "family": "Stone"},
        {"paper_id": "p1", "position": 2, "name": "Ben Pebble", "name_raw": "B. Pebble", "given": "Ben", "family": "Pebble"},
    ],
    "identifiers": [{"paper_id": "p1", "scheme": "doi", "value": "10.5555/gravel"}],
    "links": [{"paper_id": "p1", "url": "https://example.org/gravel", "kind": "code"}],
    "records": [
        {
            "record_id": f"{file}:{ordinal}",
            "record_key": key,
            "paper_id": paper,
            "file_sha256": file,
            "ordinal": ordinal,
            "locator": f"row {ordinal}",
            "span_start": span[0],
            "span_end": span[1],
            "raw": "{}",
        }
        for file, ordinal, key, paper, span in (
            (FILE_A, 1, "k1", "p1", (10, 40)),
            (FILE_A, 2, "k2", "p2", (45, 80)),
            (FILE_B, 1, "k3", "p1", (None, None)),
        )
    ],
    "record_notes": [{"record_id": f"{FILE_A}:2", "field": "abstract", "note": "placeholder", "value": "N/A"}],
    "field_origins": [
        {"paper_id": paper, "field": field, "record_id": f"{FILE_A}:{ordinal}"}
        for paper, ordinal, fields in (
            ("p1", 1, ("title", "authors", "abstract", "venue_id", "venue", "year", "decision", "keywords")),
            ("p2", 2, ("title", "year", "decision")),
        )
        for field in fields
    ],
    "paper_matches": [
        {"record_key_l": "k1", "record_key_r": "k3", "status": "match", "reason": "same_doi", "blocking_rules": ["doi"]}
    ],
    "paper_relations": [
        {"paper_id": "p1", "relation": "correction_of", "other_paper_id": "p2"},
        {"paper_id": "p2", "relation": "has_correction", "other_paper_id": "p1"},
    ],
    "paper_aliases": [
        {"paper_id": "p0", "current_paper_id": "p1", "reason": "renamed"},
        {"paper_id": "p9", "current_paper_id": None, "reason": "gone"},
    ],
    "rejects": [
        {
            "file_sha256": FILE_A,
            "stage": "stage",
            "reason": "unreadable",
            "message": "no title",
            "locator": "bytes 40-45",
            "span_start": 40,
            "span_end": 45,
            "text": "?????",
        }
    ],
    "furniture": [{"file_sha256": FILE_A, "kind": "heading", "span_start": 0, "span_end": 10, "text": "Papers:   "}],
    "raw_files": [
        {
            "file_sha256": file,
            "source": "command_line",
            "file_name": name,
            "source_path": name,
            "size_bytes": size,
            "verdict": "read",
        }
        for file, name, size in ((FILE_A, "a.txt", 80), (FILE_B, "b.csv", 20))
    ],
    "control_totals": [
        {
            "file_sha256": FILE_A,
            "page": 1,
            "column_name": "title",
            "statistic": "max_length",
            "declared": 21.0,
            "declared_text": "21",
            "observed": 21.0,
            "verdict": "met",
        }
    ],
    "column_map": [
        {
            "file_sha256": FILE_A,
            "position": 1,
            "column_name": "title",
            "field": "title_raw",
            "decided_by": "name",
            "record_count": 2,
        }
    ],
    "ledger": [
        {
            "file_sha256": FILE_A,
            "size_bytes": 80,
            "bytes_records": 65,
            "bytes_rejects": 5,
            "bytes_furniture": 10,
            "entries_joined": 0,
            "records_staged": 2,
            "records_clean": 2,
            "records_rejected": 0,
            "spans_rejected": 1,
            "balanced": True,
        },
        {
            "file_sha256": FILE_B,
            "size_bytes": 20,
            "entries_counted": 1,
            "entries_joined": 0,
            "records_staged": 1,
            "records_clean": 1,
            "records_rejected": 0,
            "spans_rejected": 0,
            "balanced": True,
        },
    ],
    "checks": [],
}

_ARROW = {
    "string": pa.string(),
    "bool": pa.bool_(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "list<string>": pa.list_(pa.string()),
}


@pytest.fixture
def sound_rows() -> Rows:
    """The rows of a small release in which everything is right, to be changed at will."""
    return copy.deepcopy(SOUND)


@pytest.fixture(scope="session")
def write_release() -> Callable[[Path, Rows], Path]:
    """A function that writes the given tables, and no others, as a release folder."""
    return _write_release


@pytest.fixture(scope="session")
def sound_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small sound release `r0123`; tests must leave it as it is."""
    return _write_release(tmp_path_factory.mktemp("lake") / "releases" / "r0123", SOUND)


def _write_release(folder: Path, rows: Rows) -> Path:
    """Writes tables as Parquet straight from the contract, without the product's own writer."""
    for name, table_rows in rows.items():
        schema = pa.schema([(column.name, _ARROW[column.dtype]) for column in TABLES[name].columns])
        path = folder / name / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(table_rows, schema=schema), path)
    return folder


class Reading:
    """What came of reading an archive: its members by name, and the archive itself afterwards."""

    def __init__(self, path: Path, folder: Path, limits: UnpackLimits) -> None:
        self.members: list[tuple[str, bytes]] = []
        with opened_archive(path, limits, folder) as archive:
            assert archive is not None
            for member in archive.members():
                self.members.append((member.name, member.path.read_bytes()))
                assert member.path.parent == folder
        self.archive = archive
        assert list(folder.iterdir()) == []

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.members]


@pytest.fixture
def read_archive(tmp_path: Path) -> Callable[..., Reading]:
    """A function that reads an archive given as bytes; no temporary file may stay behind."""
    folder = tmp_path / "unpacked"
    folder.mkdir()

    def of(content: bytes, **limits: int) -> Reading:
        (tmp_path / "archive").write_bytes(content)
        return Reading(tmp_path / "archive", folder, UnpackLimits(**limits))

    return of
