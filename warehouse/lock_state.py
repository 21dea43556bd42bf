"""This module tells who holds the lake's lock, without taking it: a run that begins at that moment must not be in its way."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from warehouse.layout import Lake

_KERNEL_LOCKS = Path("/proc/locks")


@dataclass(frozen=True, slots=True)
class LockState:
    """Whether the lock is held, and who wrote the lock file: now, or, if it is not held, before it was killed."""

    is_held: bool
    pid: int | None = None
    host: str | None = None
    command: str | None = None
    since: str | None = None
    is_alive: bool | None = None
    """whether there is a process of that number; null for one on another host"""

    def described(self) -> str:
        """The state in words."""
        by = (
            f"process {self.pid} on {self.host} ({self.command}, since {self.since})"
            if self.pid
            else "a process that is not named"
        )
        if self.is_held:
            gone = ", though there is no such process here now" if self.is_alive is False else ""
            return f"held by {by}{gone}"
        if self.pid:
            return f"free; {by} had it last and was killed: the next run tidies up after it"
        return "free"


def lock_state(lake: Lake) -> LockState:
    """Who holds the lock of the lake, or was killed while it did."""
    text = _text(lake)
    is_held = _kernel_lists_it(lake) or (text != "" and _is_taken(lake))
    try:
        owner = json.loads(text)
        pid, host = int(owner["pid"]), str(owner["host"])
        is_alive = Path(f"/proc/{pid}").exists() if host == socket.gethostname() and Path("/proc/self").exists() else None
        return LockState(is_held, pid, host, str(owner["command"]), str(owner["since"]), is_alive)
    except (ValueError, KeyError, TypeError):
        return LockState(is_held)


def _text(lake: Lake) -> str:
    try:
        return (lake.state_dir / "lock").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _kernel_lists_it(lake: Lake) -> bool:
    """Whether the system's own list has a lock on the file, or on the folder that is locked with it."""
    held = set()
    for path in (lake.state_dir / "lock", lake.state_dir):
        with suppress(OSError):
            stat = path.stat()
            held.add((os.major(stat.st_dev), os.minor(stat.st_dev), stat.st_ino))
    try:
        listed = _FLOCK.findall(_KERNEL_LOCKS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False
    return any((int(major, 16), int(minor, 16), int(inode)) in held for major, minor, inode in listed)


_FLOCK = re.compile(r"FLOCK +ADVISORY +WRITE +\d+ ([0-9a-f]+):([0-9a-f]+):(\d+)")


def _is_taken(lake: Lake) -> bool:
    """Whether the file is locked, by trying: only where it names a holder that the list has not.

    It was killed, then, or is on another host or in another container. A shared lock for a millionth of a second is what
    the question costs a run that begins just now and does not wait at all.
    """
    try:
        descriptor = os.open(lake.state_dir / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # no locks here
    finally:
        os.close(descriptor)
    return False
