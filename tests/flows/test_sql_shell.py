"""This module tests the shell of `paperlake sql` on a terminal of its own, and what it completes and takes for whole."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.cli import call

PROJECT = Path(__file__).resolve().parents[2]
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_READY = "\x1b[?2004h"
_AT_WORK = "\x1b[?2004l"
"""What the prompt begins with, and leaves behind when it has taken a statement: pasted text is marked, or no longer."""


class Terminal:
    """The shell in a process whose terminal we hold the other end of."""

    def __init__(self, *words: str, state: Path) -> None:
        self._seen = ""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(PROJECT)
            os.environ.update(TERM="xterm", XDG_STATE_HOME=str(state), COLUMNS="120")
            os.execv(sys.executable, [sys.executable, "-m", "flows.cli", "sql", *words])

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def until(self, mark: str) -> str:
        """What is shown, after what was looked at before, until `mark` comes, which it must within a minute."""
        patience = time.monotonic() + 60
        while mark not in self._seen:
            assert time.monotonic() < patience, self._seen
            if select.select([self._terminal], [], [], 1)[0]:
                shown = os.read(self._terminal, 65_536).decode(errors="replace")
                if "\x1b[6n" in shown:  # where the cursor is: a terminal answers
                    os.write(self._terminal, b"\x1b[1;1R")
                self._seen += shown
        before, _, self._seen = self._seen.partition(mark)
        return _ESCAPES.sub("", before + mark)

    def prompt(self) -> str:
        """What is shown until the prompt waits for a statement."""
        return self.until(_READY) + self.until("paperlake>")

    def say(self, text: str) -> str:
        """Types a line that is whole, and gives the answer, once the prompt waits for the next."""
        self.type(text + "\r")
        self.until(_AT_WORK)
        return self.prompt()

    def end(self) -> int:
        """The exit code, once the shell has ended."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self._terminal)
        return code


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    lake = tmp_path_factory.mktemp("shell") / "lake"
    assert call(["run", str(samples / "papers.csv"), "--lake", str(lake), "--direct"]) == 0
    return lake


@pytest.fixture
def terminal(lake: Path, tmp_path: Path) -> Iterator[Terminal]:
    shell = Terminal("--lake", str(lake), state=tmp_path)
    yield shell
    os.kill(shell.pid, signal.SIGKILL)
    shell.end()


def test_shell_answers_goes_on_after_errors_and_ends(lake: Path, tmp_path: Path) -> None:
    shell = Terminal("--lake", str(lake), state=tmp_path)
    release = (lake / "current").resolve().name
    assert f"Release {release}, the current one" in shell.prompt()
    shell.type("select 40 +\r")
    shell.until("...")
    assert "42" in shell.say("2 as x;")
    assert "Did you mean 'title'" in shell.say("select titel from papers;")
    assert "a query here only reads" in shell.say("drop view papers;")
    assert "one row a paper" in shell.say(".tables")
    assert "what it leads to" in shell.say(".schema links")
    assert "there is no table 'x'" in shell.say(".schema x")
    assert "there is no .foo; the commands are .tables" in shell.say(".foo")
    assert "there is no mode 'xml'; the modes are table" in shell.say(".mode xml")
    assert "rows are printed as json" in shell.say(".mode json")
    assert '{"a": 1}' in shell.say("select 1 as a;")
    assert release in shell.say(".release")
    assert "there is no release 'r0000000000'" in shell.say(".release r0000000000")
    assert "Ctrl-D ends" in shell.say(".help")
    shell.type("\x04")
    assert shell.end() == 0
    history = (tmp_path / "paperlake" / "history").read_text()
    assert "+select 40 +\n+2 as x;" in history and "+.mode json" in history


def test_ctrl_c_stops_a_query_or_clears_the_line(terminal: Terminal) -> None:
    terminal.prompt()
    terminal.type("select nonsense\x03")
    terminal.until(_AT_WORK)
    terminal.prompt()
    terminal.type("select count(*) from range(1000000000000) a, range(1000000) b;\r")
    terminal.until(_AT_WORK)
    time.sleep(0.5)  # the prompt gives the terminal back a moment after it says so
    terminal.type("\x03")
    terminal.until("paperlake: interrupted")
    terminal.prompt()
    assert "43" in terminal.say("select 43 as x;")


def test_tab_completes_a_column(terminal: Terminal) -> None:
    terminal.prompt()
    terminal.type("select abst\t")
    terminal.until("ract")
    assert "abstract" in terminal.say(" from papers limit 0;")


@pytest.mark.parametrize("state", ["file", "nowhere"])
def test_without_a_place_for_history_the_shell_opens_all_the_same(lake: Path, tmp_path: Path, state: str) -> None:
    (tmp_path / "file").write_text("")
    shell = Terminal("--lake", str(lake), state=Path("/proc/nowhere") if state == "nowhere" else tmp_path / "file")
    shell.prompt()
    shell.type(".quit\r")
    assert shell.end() == 0


def test_shell_stays_on_its_release_until_it_is_told(tmp_path: Path, samples: Path) -> None:
    lake = str(tmp_path / "lake")
    assert call(["run", str(samples / "papers.csv"), "--lake", lake, "--direct"]) == 0
    shell = Terminal("--lake", lake, "--format", "csv", state=tmp_path)
    shell.prompt()
    before = shell.say("select count(*) from papers;")
    assert call(["run", str(samples / "papers.jsonl"), "--lake", lake, "--direct"]) == 0
    current = (tmp_path / "lake" / "current").resolve().name
    assert shell.say("select count(*) from papers;") == before
    assert f"the current one is {current}, which `.release current` reads" in shell.say(".release")
    assert f"Release {current}, the current one" in shell.say(".release current")
    assert shell.say("select count(*) from papers;") != before
    shell.type("\x04")
    assert shell.end() == 0
