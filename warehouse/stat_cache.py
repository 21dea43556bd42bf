"""This module knows files that landed before by their size, mtime and inode, so that a run with nothing new opens none."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from warehouse.atomic import write_file
from warehouse.layout import Lake
from warehouse.unpacking import UnpackLimits


class Part(NamedTuple):
    """A raw file that a file landed as: itself (`below` is empty), or a member of the archive that it is."""

    below: str
    sha256: str
    size_bytes: int


@dataclass
class StatCache:
    """What each file landed as, by its absolute path. It saves work only: a damaged one is an empty one."""

    lake: Lake
    limits: UnpackLimits
    _known: dict[str, Any] = field(default_factory=dict)
    _is_changed: bool = False

    @classmethod
    def read(cls, lake: Lake, limits: UnpackLimits) -> StatCache:
        """The cache of a lake."""
        try:
            known = json.loads(_path(lake).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        return cls(lake, limits, known if isinstance(known, dict) else {})

    def parts(self, path: Path) -> list[Part] | None:
        """What a file landed as, if it is as it was and all that is still in the lake; else None.

        An archive that was looked into under other limits is looked into again.
        """
        try:
            stat = stat_key(path.stat())
            entry = self._known[_key(path)]
            parts = [Part(str(below), str(sha256), int(size_bytes)) for below, sha256, size_bytes in entry["parts"]]
            as_before = entry["stat"] == stat and (entry["limits"] is None or entry["limits"] == self._limits())
        except (FileNotFoundError, KeyError, TypeError, ValueError):
            return None
        return parts if as_before and parts and all(self.lake.raw_path(part.sha256).exists() for part in parts) else None

    def remember(self, path: Path, stat: list[int], parts: list[Part], *, is_archive: bool) -> None:
        """Keeps what a file of this stat landed as."""
        limits = self._limits() if is_archive else None
        self._known[_key(path)] = {"stat": stat, "limits": limits, "parts": parts}
        self._is_changed = True

    def save(self) -> None:
        """Writes the cache, where it changed."""
        if self._is_changed:
            write_file(_path(self.lake), json.dumps(self._known, sort_keys=True, separators=(",", ":")).encode())

    def _limits(self) -> list[int]:
        return list(dataclasses.astuple(self.limits))


def doubt_content(lake: Lake, sha256: str) -> None:
    """Lets the files that landed as this raw file count as new, so that the next run lands them again, if they are there."""
    cache = StatCache.read(lake, UnpackLimits())
    kept = {path: entry for path, entry in cache._known.items() if sha256 not in str(entry)}
    cache._is_changed, cache._known = len(kept) < len(cache._known), kept
    cache.save()


def stat_key(status: os.stat_result) -> list[int]:
    """By what a file is taken for unchanged: size, mtime in nanoseconds, inode."""
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _path(lake: Lake) -> Path:
    return lake.state_dir / "stat_cache.json"


def _key(path: Path) -> str:
    return str(path.resolve())
