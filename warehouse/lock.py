"""This module lets one run at a time write to a lake.

The lock is the system's (`flock`), on the folder `state/` and on the file `state/lock` in it, so it ends with its holder,
however that ends. The file says who holds it, in words; what a killed holder left there, or a copied lake, locks nothing.
The folder is locked as well since the file can be removed while it is held, and a new one would be a free lock.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from transforms.schemas import PaperlakeError
from warehouse.layout import Lake, LakeError

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
        LakeError: there is no folder for the lake, and none can be made.
    """
    _make_folder(lake)
    deadline = time.monotonic() + wait_seconds
    with ExitStack() as held:
        said = False
        while (file := _lock(lake, held)) is None:
            holder = _holder(lake)
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


def _make_folder(lake: Lake) -> None:
    """Makes the folder of the lock, and of the lake, where it is new."""
    try:
        lake.state_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        why = f"{error.strerror or type(error).__name__}: {error.filename or lake.state_dir}"
        raise LakeError(f"the lake {lake.path} cannot be made ({why}): give --lake a folder that can be written to") from error


def _lock(lake: Lake, held: ExitStack) -> TextIO | None:
    """The lock file, locked until `held` closes, as is the folder it stands in; None where another has one of them."""
    with ExitStack() as taken:
        folder = os.open(lake.state_dir, os.O_RDONLY | os.O_CLOEXEC)
        taken.callback(os.close, folder)
        try:
            if not _try_lock(folder):
                return None
        except OSError as error:
            if error.errno not in _NO_FOLDER_LOCKS:
                raise
        file = taken.enter_context(_path(lake).open("a+", encoding="utf-8"))
        if not _try_lock(file.fileno()):
            return None
        held.push(taken.pop_all())
        return file


_NO_FOLDER_LOCKS = frozenset({errno.EBADF, errno.EINVAL, errno.ENOTSUP, errno.EISDIR})
"""What file systems say that lock files only: NFS locks what is open for writing, which a folder never is."""


def _path(lake: Lake) -> Path:
    return lake.state_dir / "lock"


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(lake: Lake) -> str:
    """Who wrote the lock file, in words; a file not yet written, or removed, names nobody."""
    try:
        owner = json.loads(_path(lake).read_text(encoding="utf-8"))
        return f"process {owner['pid']} on {owner['host']} ({owner['command']}, since {owner['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
