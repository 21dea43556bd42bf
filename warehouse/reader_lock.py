"""This module lets readers hold a release, so that pruning leaves it to them until they are done.

A reader holds a shared lock (`flock`) on the release's `release.json`, opened for reading only, so a lake that one may
only read will do; pruning asks for the exclusive one, and never waits for it. The system lets go of a lock when its holder
ends, however it ends. Where a file system knows no such locks, readers go without, and have the time that pruning gives.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.atomic import rename, temporary_beside
from warehouse.layout import LakeError


def hold_while_alive(reader: object, release_dir: Path) -> None:
    """Holds the release for as long as `reader` (a connection to it) is not collected.

    Raises:
        LakeError: the release is being removed, or has been since it was found.
    """
    descriptor = _share(release_dir)
    if descriptor is not None:
        weakref.finalize(reader, os.close, descriptor)


@contextmanager
def no_reader(release_dir: Path) -> Iterator[bool]:
    """Whether nobody holds the release; if so, nobody can while the block lasts."""
    try:
        descriptor = os.open(release_dir / "release.json", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield True  # not whole: no reader would find it
        return
    try:
        yield _lock(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


def remove_unless_held(release_dir: Path) -> bool:
    """Removes a release that nobody holds; whether it is gone. Call it while holding the lake's lock.

    It goes by a rename first: killed, it is whole or a leftover that the next run or prune removes.
    """
    aside = temporary_beside(release_dir)
    with no_reader(release_dir) as is_free:
        if is_free:
            rename(release_dir, aside)
            shutil.rmtree(aside)
    return is_free


def _share(release_dir: Path) -> int | None:
    """The open descriptor that holds the release; None where it has no description or locks are not known."""
    path = release_dir / "release.json"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if not _lock(descriptor, fcntl.LOCK_SH) or not _is_still(path, descriptor):
            raise LakeError(f"the release {release_dir.name} is being removed by `paperlake prune`; ask another")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks here
    return True


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether the file opened is the one that stands there now."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
