"""This module says what must hold after every fault, once for all of them; it is used by the tests and by the soak.

1. The current release verifies, raw files included.
2. Its ledger balances.
3. The next run reaches the same bytes as an undisturbed one, and leaves nothing behind.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from flows.cli import call

HERE = Path(__file__).resolve().parent
OF_HISTORY = "paper_aliases"
"""The one table that may tell in which order files came."""


def said(*words: object, code: int | None = 0, **environment: str) -> str:
    """What a command prints, in this process: its output, and its errors where it has none."""
    out, err = io.StringIO(), io.StringIO()
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            found = call([*map(str, words)])
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
    if code is not None and found != code:
        raise AssertionError(f"paperlake {' '.join(map(str, words))}: {found}, not {code}\n{out.getvalue()}{err.getvalue()}")
    return out.getvalue() or err.getvalue()


def rows(*words: object, code: int | None = 0, **environment: str) -> list[dict[str, Any]]:
    """The rows that a command prints."""
    return json.loads(said(*words, "--format", "json", code=code, **environment))


def current(lake: Path) -> str:
    """The id of the release that the pointer leads to."""
    return (lake / "current").readlink().name


def tables(lake: Path, *, without: str | None = None) -> dict[str, str]:
    """The hash of every file of every table in the current release, `without` one table."""
    release = (lake / "current").resolve()
    files = sorted(path for path in release.rglob("*.parquet") if without not in path.relative_to(release).parts)
    return {str(path.relative_to(release)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def assert_whole(lake: Path, *, raw: bool = True) -> None:
    """The current release verifies, and its ledger balances."""
    said("verify", *(["--raw"] if raw else []), "--lake", lake)
    (ledger,) = rows("sql", "select count(*) as files, count(*) filter (not balanced) as amiss from ledger", "--lake", lake)
    assert ledger["files"] > 0, ledger
    assert ledger["amiss"] == 0, ledger


def leftovers(lake: Path) -> list[str]:
    """What unfinished runs left."""
    return sorted(str(path.relative_to(lake)) for path in lake.rglob(".tmp-*"))


def assert_same(lake: Path, undisturbed: Mapping[str, str]) -> None:
    """The lake is whole, has the tables of one that was not disturbed, and nothing that an unfinished run left."""
    assert_whole(lake)
    found = tables(lake)
    differing = sorted(name for name in found.keys() | undisturbed.keys() if found.get(name) != undisturbed.get(name))
    assert not differing, differing
    assert not (left := leftovers(lake)), left


class Forks:
    """Commands in forks of one process that has imported all they need; see `fork_server`."""

    def __init__(self, folder: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PAPERLAKE_")}
        self._output = folder / "output"
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "fork_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=HERE.parents[1],
        )

    def warm_up(self, *words: object, **environment: str) -> None:
        """Runs a command once, to learn what it imports, and imports that."""
        with tempfile.TemporaryDirectory() as folder:
            listed = str(Path(folder) / "modules.json")
            self.run(*words, modules=listed, **environment)
            self._ask({"import": listed})

    def run(
        self,
        *words: object,
        kill_after: float | None = None,
        modules: str | None = None,
        **environment: str,
    ) -> tuple[int, str, float]:
        """Exit code, output and seconds of a command; a negative code is the signal that ended it."""
        request = {
            "words": [*map(str, words)],
            "environment": environment,
            "output": str(self._output),
            "kill_after": kill_after,
            "modules": modules,
        }
        answer = self._ask(request)
        return answer["code"], self._output.read_text(errors="replace"), answer["seconds"]

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process that forks has ended; see its errors above"
        found: dict[str, Any] = json.loads(answer)
        return found
