"""The lock: one writer at a time, and a dead one holds nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.layout import Lake, LakeError
from warehouse.lock import LockError, hold_lock

HOLDER = """
import sys, time
from pathlib import Path
from warehouse.layout import Lake
from warehouse.lock import hold_lock
with hold_lock(Lake(Path(sys.argv[1])), wait_seconds=0, on_wait=print, command="paperlake test"):
    print("held", flush=True)
    sys.stdin.read()
"""


def start_holder(lake: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", HOLDER, str(lake)]
    holder = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_writer_is_told_who_holds_the_lock_and_gives_up(tmp_path: Path) -> None:
    said: list[str] = []
    with (
        start_holder(tmp_path) as holder,
        pytest.raises(LockError, match=rf"process {holder.pid} on .*paperlake test") as refused,
        hold_lock(Lake(tmp_path), wait_seconds=0.3, on_wait=said.append, command="x"),
    ):
        pytest.fail("the lock was given twice")
    assert refused.value.exit_code == 4
    assert len(said) == 1
    assert str(holder.pid) in said[0]


def test_a_killed_writer_holds_nothing(tmp_path: Path) -> None:
    with start_holder(tmp_path) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        with hold_lock(Lake(tmp_path), wait_seconds=0, on_wait=pytest.fail, command="x"):
            pass


def test_a_waiting_writer_gets_the_lock_when_the_holder_ends(tmp_path: Path) -> None:
    with start_holder(tmp_path) as holder:

        def end_holder(_: str) -> None:
            holder.kill()

        with hold_lock(Lake(tmp_path), wait_seconds=30, on_wait=end_holder, command="x"):
            assert holder.wait() != 0


def test_the_lock_holds_although_its_file_is_removed(tmp_path: Path) -> None:
    with start_holder(tmp_path) as holder:
        (tmp_path / "state" / "lock").unlink()
        with (
            pytest.raises(LockError, match="locked by another process"),
            hold_lock(Lake(tmp_path), wait_seconds=0, on_wait=pytest.fail, command="x"),
        ):
            pytest.fail("the lock was given twice")
        holder.kill()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1, "host": "h", "since": "2031", "command": "paperlake run"}'])
def test_what_stands_in_the_file_locks_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "lock").write_text(text)
    with hold_lock(Lake(tmp_path), wait_seconds=0, on_wait=pytest.fail, command="x"):
        assert str(os.getpid()) in (tmp_path / "state" / "lock").read_text()


def test_after_a_refusal_nothing_is_held(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with start_holder(tmp_path) as holder:
        with pytest.raises(LockError), hold_lock(Lake(tmp_path), wait_seconds=0, on_wait=pytest.fail, command="x"):
            pytest.fail("the lock was given twice")
        holder.kill()
        holder.wait()
        with hold_lock(Lake(tmp_path), wait_seconds=0, on_wait=pytest.fail, command="x"):
            pass
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_a_lake_that_cannot_be_made_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (Path("/proc/x/lake"), tmp_path / "file", tmp_path / "file" / "lake"):
        with (
            pytest.raises(LakeError, match=rf"the lake {path} cannot be made \(.+\): give --lake a folder"),
            hold_lock(Lake(path), wait_seconds=0, on_wait=print, command="x"),
        ):
            pytest.fail("a lock was given")
