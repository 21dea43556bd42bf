"""This module lets one run at a time write to a lake."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from transforms.schemas import PaperlakeError
from warehouse.layout import Lake

_POLL_SECONDS = 0.2


class LockError(PaperlakeError):
    """The lake's lock was not obtained within the time allowed; the message says who holds it."""

    exit_code = 4


@contextmanager
def hold_lock(lake: Lake, *, wait_seconds: float, on_wait: Callable[[str], None], command: str) -> Iterator[None]:
    """Holds the lake's lock for a `with` block; the system releases it when the process ends, however it ends.

    `on_wait` is called once with a sentence that says who holds the lock, if it is taken.

    Raises:
        LockError: it was still taken after `wait_seconds`.
    """
    lake.state_dir.mkdir(parents=True, exist_ok=True)
    path = lake.state_dir / "lock"
    deadline = time.monotonic() + wait_seconds
    with path.open("a+", encoding="utf-8") as file:
        said = False
        while not _try_lock(file.fileno()):
            holder = _holder(path.read_text(encoding="utf-8"))
            if time.monotonic() >= deadline:
                raise LockError(f"the lake {lake.path} is locked by {holder}; gave up after {wait_seconds:g} s (see --wait)")
            if not said:
                on_wait(f"the lake {lake.path} is locked by {holder}; waiting up to {wait_seconds:g} s")
                said = True
            time.sleep(_POLL_SECONDS)
        file.truncate(0)
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": datetime.now(UTC).isoformat(timespec="seconds")}
        file.write(json.dumps({**owner, "command": command}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(text: str) -> str:
    """Who wrote the lock file, in words; a file not yet written names nobody."""
    try:
        owner = json.loads(text)
        return f"process {owner['pid']} on {owner['host']} ({owner['command']}, since {owner['since']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
