"""This module changes files so that a kill at any instant leaves the old state or the new one, never a mixture."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

TEMPORARY_PREFIX = ".tmp-"
"""What the name of an unfinished file or folder begins with; the next run that holds the lock removes such leftovers."""


def crash_point(name: str) -> None:
    """A place where tests kill the process; does nothing unless `PAPERLAKE_CRASH_AT` or `PAPERLAKE_CRASH_LOG` is set.

    `PAPERLAKE_CRASH_LOG` names a file to which each point reached is appended; `PAPERLAKE_CRASH_AT` is the number of the
    point, counted from 1, at which the process ends by SIGKILL.
    """
    log = os.environ.get("PAPERLAKE_CRASH_LOG")
    at = os.environ.get("PAPERLAKE_CRASH_AT")
    if log is None and at is None:
        return
    _reached.append(name)
    if log is not None:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(name + "\n")
    if at is not None and len(_reached) == int(at):
        os.kill(os.getpid(), signal.SIGKILL)


_reached: list[str] = []


def temporary_beside(path: Path) -> Path:
    """A name for the unfinished form of `path`, in the same folder, so that a rename finishes it."""
    return path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{path.name}")


def write_file(path: Path, content: bytes) -> None:
    """Replaces the file at `path` by one with `content`, through a synced temporary file and a rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(path)
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    rename(temporary, path)


def rename(temporary: Path, path: Path) -> None:
    """Renames a finished file or folder to its name and syncs the folder it stands in."""
    crash_point(f"before rename to {path.parent.name}")
    temporary.replace(path)
    sync(path.parent)
    crash_point(f"after rename to {path.parent.name}")


def point_link(link: Path, target: str) -> None:
    """Lets the symbolic link `link` point at `target` (relative to its folder), replacing it in one step."""
    temporary = temporary_beside(link)
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    crash_point(f"before swap of {link.name}")
    temporary.replace(link)
    sync(link.parent)
    crash_point(f"after swap of {link.name}")


def remove_file(path: Path) -> None:
    """Removes a file, in one step."""
    crash_point(f"before removal from {path.parent.name}")
    path.unlink(missing_ok=True)
    sync(path.parent)
    crash_point(f"after removal from {path.parent.name}")


def sync(path: Path) -> None:
    """Makes the content of a file, or the names in a folder, safe against a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path) -> int:
    """Removes what unfinished runs left in `folder`; returns how many entries. Call it only while holding the lock."""
    if not folder.is_dir():
        return 0
    leftovers = [entry for entry in folder.iterdir() if entry.name.startswith(TEMPORARY_PREFIX)]
    for entry in leftovers:
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    return len(leftovers)
