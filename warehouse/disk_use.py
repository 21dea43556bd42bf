"""This module tells how much of the disk a lake takes, area by area, and what of it could be freed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from warehouse.atomic import TEMPORARY_PREFIX
from warehouse.gates import held_files
from warehouse.layout import Lake
from warehouse.live import read_live
from warehouse.prune import prunable

_BLOCK_BYTES = 512
"""In what `st_blocks` counts, whatever the file system's own blocks are (POSIX: sys/stat.h)."""

_AREAS = ("raw", "work", "releases", "state", "runs", "exports", "tmp")


@dataclass(frozen=True, slots=True)
class AreaUse:
    """One part of a lake: its files, the sum of their sizes, and what they take on the disk, linked files once."""

    area: str
    files: int
    apparent_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class Freeable:
    """What could be removed: the names of it, the bytes that would be free, and how."""

    what: str
    names: tuple[str, ...]
    disk_bytes: int
    how: str


def disk_use(lake: Lake) -> list[AreaUse]:
    """One row for each area of the lake, and one, `other`, for what else lies in its folder; sizes are those of this moment."""
    of_area: dict[str, list[os.stat_result]] = {area: [] for area in _AREAS}
    of_area["other"] = []
    for entry in _entries(lake.path):
        area = entry.name if entry.name in of_area else "other"
        if entry.is_dir(follow_symlinks=False):
            of_area[area] += (stat for _, stat in _files(entry.path))
        else:
            of_area["other"] += _stats(entry)
    return [_use(area, stats) for area, stats in of_area.items()]


def freeable(lake: Lake, *, grace_seconds: float) -> list[Freeable]:
    """What can go: old releases, raw files that are neither live nor held back, and what killed runs left; only what there is.

    Raises:
        LakeError: the live set, the pin or the record of publications is damaged.
    """
    old = [each for each in prunable(lake, 1, grace_seconds=grace_seconds) if not each.stays]
    kept = {name.sha256 for name in read_live(lake)} | held_files(lake)
    unused = [
        (name, stat) for name, stat in _files(str(lake.raw_dir)) if name not in kept and not name.startswith(TEMPORARY_PREFIX)
    ]
    left = list(_temporary(lake))
    rows = [
        Freeable(
            "old releases",
            tuple(sorted(each.release_id for each in old)),
            sum(each.freed_bytes for each in old),
            "`paperlake prune --keep N`, here with N = 1",
        ),
        Freeable(
            "raw files that are not live",
            tuple(sorted(name for name, _ in unused)),
            _use("", [stat for _, stat in unused]).disk_bytes,
            "`paperlake forget HASH --erase`; releases that were made with it stay as they are",
        ),
        Freeable(
            "unfinished files",
            tuple(sorted(name for name, _ in left)),
            _use("", [stat for _, stats in left for stat in stats]).disk_bytes,
            "the next run removes what a killed one left",
        ),
    ]
    return [row for row in rows if row.names]


def _temporary(lake: Lake) -> Iterator[tuple[str, list[os.stat_result]]]:
    """Path and stats of unfinished files and folders, where commands leave them."""
    for folder in (lake.path, lake.raw_dir, lake.releases_dir, lake.state_dir, *lake.work_dir.glob("*")):
        for entry in _entries(folder):
            if entry.name.startswith(TEMPORARY_PREFIX):
                path = os.path.relpath(entry.path, lake.path)
                yield path, [stat for _, stat in _files(entry.path)] if entry.is_dir(follow_symlinks=False) else _stats(entry)


def _use(area: str, stats: list[os.stat_result]) -> AreaUse:
    once = {(stat.st_dev, stat.st_ino): stat.st_blocks * _BLOCK_BYTES for stat in stats}
    return AreaUse(area, len(stats), sum(stat.st_size for stat in stats), sum(once.values()))


def _files(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Name and stat of each file at and below a path; what goes away meanwhile, or may not be searched, is left out."""
    for entry in _entries(path):
        if entry.is_dir(follow_symlinks=False):
            yield from _files(entry.path)
        else:
            yield from ((entry.name, stat) for stat in _stats(entry))


def _entries(path: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(path) as entries:
        return list(entries)
    return []


def _stats(entry: os.DirEntry[str]) -> list[os.stat_result]:
    with suppress(OSError):
        return [entry.stat(follow_symlinks=False)]
    return []
