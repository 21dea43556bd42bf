"""This module knows whether the files of a release are still those that were published.

`state/release_files.json` notes size, mtime and inode of each file of the current release, as files that land are known by
theirs: where nothing differs nothing is opened. It is a cache: without it, or where something differs, the files are hashed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from warehouse.atomic import write_file
from warehouse.landing import hash_file
from warehouse.layout import Lake, LakeError, read_release
from warehouse.stat_cache import stat_key

BESIDE_TABLES = frozenset({"release.json", "README.md"})
"""The files of a release beside those of its tables."""


def release_id_of(files: Mapping[str, str]) -> str:
    """The id of a release with these files: sha256 by relative path."""
    lines = "".join(f"{sha256}  {path}\n" for path, sha256 in sorted(files.items()))
    return "r" + hashlib.sha256(lines.encode()).hexdigest()[:16]


def hash_files(folder: Path) -> dict[str, str]:
    """The sha256 of each file of a table, by its path in the release."""
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in _table_files(folder)}


def is_sound(lake: Lake, release_dir: Path) -> bool:
    """Whether every file of a release is what was published; it reads them all."""
    try:
        told = {file["path"]: file["sha256"] for file in read_release(release_dir)["files"]}
        noted = _noted(lake, release_dir)["beside"]
        beside = {name: hash_file(release_dir / name) for name in BESIDE_TABLES}
        return told == hash_files(release_dir) and release_id_of(told) == release_dir.name and noted in (None, beside)
    except (OSError, LakeError, KeyError, TypeError):
        return False


def sound_table(release_dir: Path, table: str) -> bool:
    """Whether the files of one table are what was published; it reads them."""
    try:
        told = {file["path"]: file["sha256"] for file in read_release(release_dir)["files"]}
        mine = {path: sha256 for path, sha256 in told.items() if path.startswith(f"{table}/")}
        return bool(mine) and all(hash_file(release_dir / path) == sha256 for path, sha256 in mine.items())
    except (OSError, LakeError, KeyError, TypeError):
        return False


def is_as_published(lake: Lake, release_dir: Path) -> bool:
    """Whether the current release is what was published: by size, mtime and inode, and where those differ by its bytes."""
    if _noted(lake, release_dir)["stats"] == _stats(release_dir):
        return True
    if not is_sound(lake, release_dir):
        return False
    note_files(lake, release_dir)  # copied or restored with its content: next time nothing need be read
    return True


def note_files(lake: Lake, release_dir: Path) -> None:
    """Notes how the files of the release that is current now are to be known again."""
    note = {
        "release_id": release_dir.name,
        "lake": str(lake.path.resolve()),
        "stats": _stats(release_dir),
        "beside": {name: hash_file(release_dir / name) for name in sorted(BESIDE_TABLES)},
    }
    write_file(_path(lake), json.dumps(note, indent=1).encode())


def is_at_home(lake: Lake) -> bool:
    """Whether the lake lies where it lay when its current release was looked at last, rather than being moved or copied."""
    return bool(_read(lake).get("lake") == str(lake.path.resolve()))


def doubt_files(lake: Lake) -> None:
    """Lets the next run look at the bytes of the current release, as something is amiss behind an unchanged stat."""
    if (text := _read(lake)).get("stats"):
        write_file(_path(lake), json.dumps({**text, "stats": {}}, indent=1).encode())


def _noted(lake: Lake, release_dir: Path) -> dict[str, Any]:
    note = _read(lake)
    return note if note.get("release_id") == release_dir.name else {"stats": None, "beside": None}


def _read(lake: Lake) -> dict[str, Any]:
    try:
        note = json.loads(_path(lake).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) and {"release_id", "stats", "beside"} <= note.keys() else {}


def _stats(release_dir: Path) -> dict[str, list[int]]:
    paths = [*_table_files(release_dir), *(release_dir / name for name in sorted(BESIDE_TABLES))]
    return {path.relative_to(release_dir).as_posix(): stat_key(path.stat()) for path in paths if path.exists()}


def _table_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.parquet"))


def _path(lake: Lake) -> Path:
    return lake.state_dir / "release_files.json"
