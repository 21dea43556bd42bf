"""This module finds out what one may do in a lake, and what its file system can: by doing it, in a folder that goes again."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from warehouse.atomic import TEMPORARY_PREFIX, sync
from warehouse.layout import Lake

_NETWORK_TYPES = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "gluster", "lustre", "fuse.", "drvfs", "vboxsf", "prl_fs")
"""How the types of file systems begin whose locks, links or times may not be those of a disk of this machine."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What was tried in a folder: the error that each came to, or None where it can be done. `tells_case` is no error."""

    write: str | None
    rename: str | None = None
    hard_link: str | None = None
    symbolic_link: str | None = None
    lock: str | None = None
    tells_case: bool = True


def try_folder(folder: Path) -> Abilities:
    """What can be done in a folder that is there; what it takes is removed, or, were this killed, by the next run."""
    place = folder / f"{TEMPORARY_PREFIX}{os.getpid()}-doctor"
    try:
        place.mkdir()
    except OSError as error:
        return Abilities(error.strerror or str(error))
    try:
        first = place / "a"
        if failed := _error(lambda: _write(first)):
            return Abilities(failed)
        return Abilities(
            None,
            rename=_error(lambda: first.replace(first.with_name("b")) and first.with_name("b").replace(first)),
            hard_link=_error(lambda: os.link(first, place / "link")),
            symbolic_link=_error(lambda: (place / "symbolic").symlink_to("a")),
            lock=_error(lambda: _lock(first)),
            tells_case=not (place / "A").exists(),
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _write(path: Path) -> None:
    path.write_bytes(b"paperlake doctor")
    sync(path)


def _lock(path: Path) -> None:
    with path.open("a") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def _error(act: Callable[[], object]) -> str | None:
    try:
        act()
    except OSError as error:
        return error.strerror or str(error)
    return None


def not_writable(lake: Lake) -> list[str]:
    """What of the lake a run has to write in and this user may not, by its path in the lake."""
    places = [lake.path, lake.raw_dir, *lake.raw_dir.glob("*"), lake.work_dir, *lake.work_dir.glob("*"), lake.releases_dir]
    places += [lake.runs_dir, lake.state_dir, lake.state_dir / "lock", lake.spill_dir, lake.catalog_path]
    there = (path for path in places if path.exists())
    return [os.path.relpath(path, lake.path) for path in there if not os.access(path, os.W_OK)]


def file_system_of(path: Path) -> str | None:
    """The type of the file system that a path is on, as the system's table of mounts has it; None where there is no such."""
    try:
        rows = [line.split() for line in Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return None
    resolved, found, kind = path.resolve(), "", None
    for row in rows:
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), row[1])  # a space in it is written so
        if resolved.is_relative_to(point) and len(point) >= len(found):
            found, kind = point, row[2]
    return kind


def is_on_network(file_system: str) -> bool:
    """Whether a type of file system is one of another machine, or in the hands of a program."""
    return file_system.startswith(_NETWORK_TYPES)


def space_left(path: Path) -> tuple[int, int | None]:
    """Bytes and files that this user can still write on the disk of `path`; None where files are not counted."""
    stat = os.statvfs(path)
    return stat.f_bavail * stat.f_frsize, stat.f_favail if stat.f_files else None


def newest_time(lake: Lake) -> float | None:
    """When something in the lake changed last, in seconds since 1970; of that whose time this code sets."""
    times = []
    for path in (lake.current_link, lake.live_path, lake.publications_path, *_last(lake.runs_dir)):
        with suppress(OSError):
            times.append(path.lstat().st_mtime)
    return max(times, default=None)


def _last(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(folder.iterdir())[-1:]


def lost_raw_files(lake: Lake, sizes: dict[str, int]) -> list[str]:
    """Of raw files, by hash, those that are missing or of another size; their content is not looked at."""
    lost = []
    for sha256, size in sizes.items():
        try:
            if lake.raw_path(sha256).stat().st_size != size:
                lost.append(sha256)
        except OSError:
            lost.append(sha256)
    return sorted(lost)
