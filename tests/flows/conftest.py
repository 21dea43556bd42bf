"""What several tests share: of kills a lake, a run that adds to it, and how it must recover; of history a lake of releases."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from flows.cli import call

CLI = [sys.executable, "-m", "flows.cli"]
QUERY = "select (select count(*) from papers) as papers, (select count(*) from ledger where balanced) as files"


def paperlake(*words: object, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PAPERLAKE_")}
    return subprocess.run(
        [*CLI, *map(str, words)], env=clean | environment, capture_output=True, text=True, timeout=120, check=check
    )


def tables(lake: Path) -> dict[str, str]:
    """The hash of every table's file in the current release."""
    release = (lake / "current").resolve()
    return {str(p.relative_to(release)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(release.rglob("*.parquet"))}


def answer(lake: Path) -> list[dict[str, int]]:
    return json.loads(paperlake("sql", QUERY, "--lake", lake, "--format", "json").stdout)


class Scene:
    """A lake with a release of one file, and a run that adds two: before, after undisturbed, and how to repeat it."""

    def __init__(self, folder: Path, samples: Path) -> None:
        self.base = folder / "base"
        self.raw = [samples / "viewer_page.txt", samples / "papers.csv"]
        paperlake("run", samples / "papers.json", "--lake", self.base, "--direct")
        self.before, self.first = answer(self.base), (self.base / "current").readlink().name
        done = self.copy(folder / "undisturbed")
        log = folder / "points"
        paperlake(*self.words(done), PAPERLAKE_CRASH_LOG=str(log))
        self.points = log.read_text().splitlines()
        self.after, self.tables = answer(done), tables(done)
        assert self.before != self.after

    def copy(self, lake: Path) -> Path:
        shutil.copytree(self.base, lake, symlinks=True)
        return lake

    def words(self, lake: Path) -> list[object]:
        return ["run", *self.raw, "--lake", lake, "--direct"]

    def run(self, lake: Path, *, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        """The run that adds two files."""
        return paperlake(*self.words(lake), check=check, **environment)

    def start(self, lake: Path) -> subprocess.Popen[bytes]:
        """The same, not waited for."""
        return subprocess.Popen([*CLI, *map(str, self.words(lake))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def assert_recovers(self, lake: Path) -> None:
        """The lake answers from the release before or, where the kill came late, after; and the next run heals it."""
        assert answer(lake) in (self.before, self.after)
        self.run(lake)
        assert answer(lake) == self.after
        assert tables(lake) == self.tables
        told = [json.loads(line)["release_id"] for line in (lake / "state" / "publications.jsonl").read_text().splitlines()]
        assert told == [self.first, (lake / "current").readlink().name]
        assert not [p for p in lake.rglob(".tmp-*") if "releases" in p.parts or "raw" in p.parts]


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Scene:
    return Scene(tmp_path_factory.mktemp("kills"), samples)


class Shelf:
    """A lake with one configured source of one list, and the words to try on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lake, self.list = folder, folder / "lake", folder / "lists" / "list.csv"

    def call(self, *words: object, code: int = 0) -> str:
        """What a command prints: its output, or where it is to fail its error."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setenv("PAPERLAKE_CONFIG", str(self.folder / "config"))
            found = call([*map(str, words), "--lake", str(self.lake)])
        assert found == code, (words, out.getvalue(), err.getvalue())
        return err.getvalue() if code in (1, 2) and not out.getvalue() else out.getvalue()

    def process(self, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """The same in a process of its own, whose end is looked at by the test."""
        config = {"PAPERLAKE_CONFIG": str(self.folder / "config")}
        return paperlake(*words, "--lake", self.lake, check=False, **config, **environment)

    def rows(self, *words: object, code: int = 0) -> list[dict[str, Any]]:
        """The rows that a command prints."""
        return json.loads(self.call(*words, "--format", "json", code=code))

    def run(self, text: str | None = None, *words: object, code: int = 0) -> dict[str, Any]:
        """The report of a run, after the list was replaced by one with this text."""
        if text is not None:
            self.list.write_text(text)
        return json.loads(self.call("run", "--direct", *words, "--format", "json", code=code))

    def configure(self, block: str) -> None:
        """Replaces the settings of the source, which may change as it likes."""
        open_gate = "size_change_ratio = 100.0\nrecords_drop_ratio = 1.0\nhold_changed_columns = false\n"
        (self.folder / "config" / "sources.toml").write_text(f'[sources.club]\nlocation = "../lists/*.csv"\n{open_gate}{block}')

    def current(self) -> str:
        return (self.lake / "current").readlink().name

    def ids(self, at: str = "current") -> set[str]:
        return {row["paper_id"] for row in self.rows("sql", "select paper_id from papers", "--at", at)}

    def keys(self) -> dict[str, str]:
        """The record keys by the id that the list gives a record."""
        return {row["source_key"]: row["record_key"] for row in self.rows("sql", "select source_key, record_key from records")}

    def copy(self, folder: Path) -> Shelf:
        """The same, to be changed."""
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        return Shelf(folder)


class PrefectServer:
    """A `prefect server start` with its scheduler, on a port and in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/api"
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PREFECT_", "PAPERLAKE_"))}
        self.environment = clean | {
            "PREFECT_HOME": str(folder / ".prefect"),
            "PREFECT_API_URL": self.url,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        }
        words = [sys.executable, "-m", "prefect", "server", "start", "--port", str(port), "--no-ui"]
        self.log_path = folder / "server.log"
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(words, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def wait_for(self, ask: Callable[[], Any], seconds: float = 120.0) -> Any:
        """What `ask` gives once it gives something; a server that does not answer yet gives nothing."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with suppress(httpx.TransportError):
                if found := ask():
                    return found
            time.sleep(0.3)
        raise AssertionError(f"nothing within {seconds:g} s; the server says: {self.log_path.read_text()[-2000:]}")

    def post(self, path: str, **body: object) -> Any:
        answer = httpx.post(f"{self.url}/{path}", json=body, timeout=30)
        answer.raise_for_status()
        return answer.json()

    def runs(self, deployment: str) -> list[dict[str, Any]]:
        """The flow runs of a deployment that are more than planned, in the order that they were due."""
        found = self.post("flow_runs/filter", deployments={"name": {"any_": [deployment]}}, sort="EXPECTED_START_TIME_ASC")
        return [run for run in found if run["state_type"] != "SCHEDULED"]

    def overdue(self, deployment: str, since: datetime) -> list[str]:
        """The runs of a deployment that were due since then, and have not begun."""
        time_range = {"after_": since.isoformat(), "before_": datetime.now(UTC).isoformat()}
        wanted = {"state": {"type": {"any_": ["SCHEDULED"]}}, "expected_start_time": time_range}
        found = self.post("flow_runs/filter", deployments={"name": {"any_": [deployment]}}, flow_runs=wanted)
        return [run["id"] for run in found]

    def events(self, name: str, since: datetime, count: int) -> list[dict[str, Any]]:
        """The events of a name since then, once there are as many; they arrive a moment later."""
        wanted = {"event": {"name": [name]}, "occurred": {"since": since.isoformat()}}
        if count:
            self.wait_for(lambda: len(self.post("events/filter", filter=wanted)["events"]) >= count, 30)
        found: list[dict[str, Any]] = self.post("events/filter", filter=wanted)["events"]
        return found

    def log(self) -> list[str]:
        """The newest lines of the logs of flow runs and task runs."""
        return [line["message"] for line in self.post("logs/filter", sort="TIMESTAMP_DESC", limit=200)]

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    """One Prefect server for all tests that need one; it takes 10 to 25 s to start."""
    server = PrefectServer(tmp_path_factory.mktemp("prefect"))
    try:
        server.wait_for(lambda: httpx.get(f"{server.url}/health").status_code == 200, 240)
        yield server
    finally:
        server.stop()


HEADER = "id,title,author,year,doi,abstract\n"
LIST = {
    "a": 'a,Warm ice in cold rivers,"Lee, Ann",2020,,Ice is warm.\n',
    "b": 'b,On heat below the frost,"Okri, Ben",2020,,Heat is below.\n',
    "c": 'c,The dry bones of old whales,"Sato, Hana",2011,,Bones are dry.\n',
    "d": 'd,A ledger of small tides,"Lund, Peder",2015,10.5555/tides,\n',
    "e": 'e,"A ledger of small tides, with an account of moons","Lund, Peder",2015,10.5555/tides,\n',
}


@pytest.fixture(scope="session")
def timeline(tmp_path_factory: pytest.TempPathFactory, project: Path) -> tuple[Shelf, dict[str, str]]:
    """A lake with a release for each cause of change, by what happened before it; tests only read it, or copy it."""
    shelf = Shelf(tmp_path_factory.mktemp("timeline"))
    for name in ("config", "lists"):
        (shelf.folder / name).mkdir()
    (shelf.folder / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    shelf.configure("has_keys = true\n")
    releases = {"first": shelf.run(HEADER + "".join(LIST.values()))["release_id"]}
    other = {**LIST, "c": LIST["c"].replace("dry.", "dry and old."), "f": 'f,Salt of the inland seas,"Roy, Uma",2001,,\n'}
    releases["superseded"] = shelf.run(HEADER + "".join(other.values()))["release_id"]
    keys = shelf.keys()
    shelf.call("decide", keys["a"], keys["b"], "same", "--because", "one talk")
    releases["decided"] = shelf.run()["release_id"]
    other["c"] = other["c"].replace("2011,,", "2011,10.5555/bones,")
    releases["renamed"] = shelf.run(HEADER + "".join(other.values()))["release_id"]
    shelf.configure('has_keys = true\nvenue = "ICLR"\n')
    releases["configured"] = shelf.run()["release_id"]
    releases["unmatched"] = shelf.run(None, "--without-identifiers")["release_id"]
    return shelf, releases
