"""This module tests `paperlake doctor`: what it finds amiss, what it leaves alone, and what it keeps to itself."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from flows.cli import call
from flows.diagnoses import installation_checks
from flows.versions import LIBRARIES

KEY = "pnu_secret_of_this_test"


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets nothing of who runs the tests have a say."""
    for name in [name for name in os.environ if name.startswith(("PREFECT_", "PAPERLAKE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")  # as the package sets it where none is set
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    monkeypatch.delenv("TZ", raising=False)


def doctor(lake: Path) -> tuple[int, dict[str, list[dict[str, str]]], str]:
    """The exit code, the findings by subject, and all that was printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = call(["doctor", "--lake", str(lake), "--format", "json"])
    by_subject: dict[str, list[dict[str, str]]] = {}
    for each in json.loads(out.getvalue()):
        by_subject.setdefault(each["subject"], []).append(each)
    return code, by_subject, out.getvalue() + err.getvalue()


def states(found: dict[str, list[dict[str, str]]], subject: str) -> list[str]:
    return [each["state"] for each in found.get(subject, [])]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    lake = tmp_path_factory.mktemp("doctor") / "lake"
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert call(["run", str(samples / "papers.csv"), "--lake", str(lake), "--direct"]) == 0
    return lake


@pytest.fixture
def lake(base: Path, tmp_path: Path) -> Path:
    return shutil.copytree(base, tmp_path / "lake", symlinks=True)


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_of_a_lake_that_does_well_everything_is_looked_at_and_nothing_changed(lake: Path) -> None:
    before = contents(lake)
    code, found, _ = doctor(lake)
    assert code == 0
    assert not [each for rows in found.values() for each in rows if each["state"] == "fail"]
    assert {"python", "packages", "config", "lake", "permissions", "space", "lock", "raw files", "release"} < set(found)
    assert {"prefect folder", "prefect server", "clock", "encoding", "memory", "temporary files"} < set(found)
    assert contents(lake) == before


def test_every_finding_that_is_amiss_says_what_to_do_and_text_says_it_too(
    lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lake / "current" / "papers" / "part-0.parquet").unlink(missing_ok=True)
    next((lake / "current").glob("papers/*.parquet"), lake / "none").unlink(missing_ok=True)
    code, found, _ = doctor(lake)
    amiss = [each for rows in found.values() for each in rows if each["state"] != "ok"]
    assert code == 1 and amiss and all(each["do"] for each in amiss)
    assert call(["doctor", "--lake", str(lake)]) == 1
    out = capsys.readouterr().out
    assert "fail  release " in out and "-> `paperlake verify` says all of it" in out
    assert out.splitlines()[-1].startswith(f"{sum(each['state'] == 'fail' for each in amiss)} fail, ")


def test_without_a_lake_it_makes_none(tmp_path: Path) -> None:
    code, found, _ = doctor(tmp_path / "none" / "yet")
    assert code == 0
    assert states(found, "lake") == ["ok"] and "the first run makes it" in found["lake"][0]["message"]
    assert not {"release", "lock", "raw files"} & set(found)
    assert list(tmp_path.iterdir()) == []


def test_a_lake_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "lake").write_text("")
    code, found, _ = doctor(tmp_path / "lake")
    assert (code, states(found, "lake")) == (1, ["fail"])


def test_each_file_of_the_settings_is_told_by_itself(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config"
    config.mkdir()
    (config / "pipeline.toml").write_text("[lakes]\n")
    (config / "sources.toml").write_text("[sources.club\n")
    (config / "venues.csv").write_text("alias,id\n")
    (config / "prefect.yaml").write_text("deployments: [\n")
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config))
    code, found, _ = doctor(lake)
    assert code == 1
    told = {
        "config pipeline.toml": "unknown key 'lakes'. Did you mean 'lake'?",
        "config sources.toml": f"{config}/sources.toml: Expected",
        "config venues.csv": "expected the header",
        "config prefect.yaml": "is no YAML",
    }
    assert {name: states(found, name) for name in told} == {name: ["fail"] for name in told}
    assert all(says in found[name][0]["message"] for name, says in told.items())
    assert states(found, "release") == ["ok"], "the lake is looked at all the same"
    (config / "sources.toml").write_text("[sources.club]\nlocaton = 'lists'\n")
    (config / "expected.toml").write_text("")
    told_once = [each["message"] for rows in doctor(lake)[1].values() for each in rows if "'locaton'" in each["message"]]
    assert len(told_once) == 1
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(tmp_path / "nowhere"))
    assert states(doctor(lake)[1], "config") == ["fail"]


def test_settings_that_disagree_only_with_each_other_are_told(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    (config / "venues.csv").write_text("alias,venue_id,name,kind\n")
    (config / "pipeline.toml").write_text('[checks]\nfolder = "no_such"\n')
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config))
    code, found, _ = doctor(lake)
    assert code == 1
    assert any("there is no folder" in each["message"] for rows in found.values() for each in rows if each["state"] == "fail")


@pytest.mark.parametrize(
    ("pins", "state", "says"),
    [
        ("polars=={polars} \\\n    --hash=sha256:00\n    # via paperlake\n", "ok", "the 1 that"),
        ("polars==0.0.1 \\\n    --hash=sha256:00\n", "warn", "polars {polars}; polars can change the tables"),
        ("no-such-package==1.0\n", "warn", "no-such-package missing"),
        ("no-such-package==1.0 ; sys_platform == 'plan9'\npolars=={polars}\n", "ok", "the 1 that"),
    ],
)
def test_packages_are_compared_with_the_lock_file(
    pins: str, state: str, says: str, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = installation_checks.importlib.metadata.version("polars")
    assert "polars" in LIBRARIES
    (tmp_path / "requirements.lock").write_text(pins.format(polars=version))
    monkeypatch.setattr(installation_checks, "PROJECT_DIR", tmp_path)
    code, found, _ = doctor(lake)
    assert code == 0
    assert states(found, "packages") == [state]
    assert says.format(polars=version) in found["packages"][0]["message"]


def test_a_package_that_the_project_needs_and_is_not_there_stops_a_run(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        installation_checks.importlib.metadata, "requires", lambda _: ["polars>=999", "nosuch>1; extra == 'dev'"]
    )
    code, found, _ = doctor(lake)
    assert (code, found["packages"][0]["state"]) == (1, "fail")
    assert "paperlake needs polars>=999" in found["packages"][0]["message"]
    assert "nosuch" not in json.dumps(found)


def test_what_may_not_be_written_is_told_and_reading_goes_on(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "state" not in str(path) and real(path, mode))
    code, found, _ = doctor(lake)
    assert (code, states(found, "permissions")) == (1, ["fail"])
    assert "state, state/lock cannot be written to" in found["permissions"][0]["message"]


def test_a_user_who_may_only_read_is_told_so(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", refuse)
        code, found, _ = doctor(lake)
    assert (code, states(found, "permissions")) == (0, ["warn"])
    assert "reading works, a run does not" in found["permissions"][0]["message"]
    assert states(found, "release") == ["ok"]


@pytest.mark.parametrize(
    ("refused", "state", "says"),
    [("link", "warn", "no hard links"), ("symlink", "fail", "no symbolic links"), ("replace", "fail", "cannot be renamed")],
)
def test_what_a_file_system_lacks_is_found_by_trying(
    refused: str, state: str, says: str, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    with monkeypatch.context() as patch:
        patch.setattr(os, refused, refuse)
        code, found, _ = doctor(lake)
    assert code == (1 if state == "fail" else 0)
    assert [each["state"] for each in found["file system"] if says in each["message"]] == [state]
    assert not list(lake.glob(".tmp-*"))


def test_hints_of_damage_are_told_without_a_look_into_files(lake: Path) -> None:
    (raw,) = (path for path in (lake / "raw").rglob("*") if path.is_file())
    raw.chmod(0o644)
    raw.write_bytes(raw.read_bytes() + b"x")
    code, found, _ = doctor(lake)
    assert (code, states(found, "raw files"), states(found, "release")) == (1, ["fail"], ["ok"])
    assert raw.name[:12] in found["raw files"][0]["message"]
    (lake / "current" / "release.json").write_text("{")
    assert states(doctor(lake)[1], "release") == ["fail"]


def test_a_lock_that_a_killed_run_left_is_told(lake: Path) -> None:
    owner = {"pid": 2**22 + 1, "host": "elsewhere", "command": "paperlake run", "since": "2026-01-01T00:00:00+00:00"}
    (lake / "state" / "lock").write_text(json.dumps(owner))
    code, found, _ = doctor(lake)
    assert (code, states(found, "lock")) == (0, ["warn"])
    assert "was killed" in found["lock"][0]["message"]


def test_a_clock_that_is_behind_the_lake_and_a_time_zone_that_is_none_are_told(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert states(doctor(lake)[1], "clock") == ["ok"]
    ahead = time.time() + 7200
    os.utime(lake / "state" / "live.json", (ahead, ahead))
    monkeypatch.setenv("TZ", "Europe/Atlantis")
    _, found, _ = doctor(lake)
    assert (states(found, "clock"), states(found, "time zone")) == (["warn"], ["warn"])
    for zone in ("Europe/Berlin", "CET-1CEST"):
        monkeypatch.setenv("TZ", zone)
        assert states(doctor(lake)[1], "time zone") == []


def test_a_disk_that_is_too_full_is_told(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release_bytes = sum(path.stat().st_size for path in (lake / "current").resolve().rglob("*") if path.is_file())
    for free, state in ((release_bytes // 2, "fail"), (release_bytes + release_bytes // 2, "warn"), (10**12, "ok")):
        monkeypatch.setattr("flows.diagnoses.lake_checks.space_left", lambda _, free=free: (free, None))
        assert states(doctor(lake)[1], "space") == [state]
    monkeypatch.setattr("flows.diagnoses.lake_checks.space_left", lambda _: (10**12, 17))
    assert states(doctor(lake)[1], "space") == ["ok", "warn"]


class _Api(BaseHTTPRequestHandler):
    """As much of a Prefect server as is asked; it keeps what it was asked with."""

    def do_GET(self) -> None:
        self._answer(self.server.answers.get(self.path, (404, None)))  # type: ignore[attr-defined]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def _answer(self, answer: tuple[int, Any]) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization")))  # type: ignore[attr-defined]
        status, body = answer
        self.send_response(status)
        if status == 302:
            self.send_header("Location", body)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def api() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    server.asked = []  # type: ignore[attr-defined]
    server.answers = {"/api/health": (200, True), "/api/admin/version": (200, "99.0.0"), "/api/deployments/filter": (200, [])}  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def deployment(name: str, **fields: object) -> dict[str, object]:
    return {"name": name, "paused": False, "status": "READY", "schedules": [{"active": True}], "work_pool_name": None, **fields}


def test_a_server_that_is_named_is_asked_and_what_is_deployed_there_told(
    lake: Path, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{api.server_port}/api/")
    assert states(doctor(lake)[1], "prefect server") == ["ok"]
    assert "nothing is scheduled" in doctor(lake)[1]["prefect deployments"][0]["message"]
    api.answers["/api/admin/version"] = (200, "2.1.0")
    rows = [deployment("nightly"), deployment("pooled", status="NOT_READY", work_pool_name="p"), deployment("old", paused=True)]
    api.answers["/api/deployments/filter"] = (200, rows)
    code, found, _ = doctor(lake)
    assert (code, states(found, "prefect server"), states(found, "prefect deployments")) == (
        *(0, ["ok", "warn"]),
        ["ok", "warn", "warn"],
    )
    assert [each["do"] for each in found["prefect deployments"]] == [
        *("", "`prefect worker start --pool p`", "`prefect deployment resume paperlake/old`")
    ]


def test_a_key_goes_to_the_server_alone_and_is_never_printed(lake: Path, api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    other = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    other.asked, other.answers = [], {}  # type: ignore[attr-defined]
    Thread(target=other.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("PREFECT_API_KEY", KEY)
    monkeypatch.setenv("PREFECT_API_URL", f"http://user:{KEY}@127.0.0.1:{api.server_port}/api?token={KEY}")
    code, _, printed = doctor(lake)
    assert code == 0
    assert {key for _, key in api.asked} == {f"Bearer {KEY}"}
    api.answers["/api/health"] = (302, f"http://127.0.0.1:{other.server_port}/health")
    code, found, more = doctor(lake)
    other.shutdown()
    other.server_close()
    assert (code, states(found, "prefect server"), other.asked) == (1, ["fail"], [])  # type: ignore[attr-defined]
    assert KEY not in printed + more


@pytest.mark.parametrize(
    ("status", "says"), [(401, "wants to know who asks"), (404, "a server ends in /api"), (500, "answers 500")]
)
def test_a_server_that_refuses_is_told(status: int, says: str, lake: Path, api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{api.server_port}/api")
    api.answers["/api/health"] = (status, None)
    code, found, _ = doctor(lake)
    (finding,) = found["prefect server"]
    assert (code, finding["state"]) == (1, "fail")
    assert says in finding["message"] + finding["do"]


def test_a_server_that_is_not_there_and_an_address_that_is_none_are_told(
    lake: Path, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = api.server_port
    api.shutdown()
    api.server_close()
    for url, says in (
        (f"http://127.0.0.1:{port}/api", "cannot be reached"),
        ("file:///etc/passwd", "no address of http"),
        ("127.0.0.1", "no address of http"),
    ):
        monkeypatch.setenv("PREFECT_API_URL", url)
        code, found, _ = doctor(lake)
        assert (code, states(found, "prefect server")) == (1, ["fail"])
        assert says in found["prefect server"][0]["message"]


def test_the_active_profile_of_prefect_names_a_server_too(lake: Path, api: Any, tmp_path: Path) -> None:
    (tmp_path / "prefect").mkdir()
    (tmp_path / "prefect" / "profiles.toml").write_text(
        f'active = "night"\n[profiles.night]\nPREFECT_API_URL = "http://127.0.0.1:{api.server_port}/api"\n[profiles.other]\n'
    )
    _, found, _ = doctor(lake)
    assert states(found, "prefect server") == ["ok"]
    assert "the active profile of Prefect" in found["prefect server"][0]["message"]
    (tmp_path / "prefect" / "profiles.toml").write_text("active = 3\n[")
    assert "starts a temporary one" in doctor(lake)[1]["prefect server"][0]["message"]


def test_a_temporary_server_that_has_too_little_time_is_told(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "20")
    assert states(doctor(lake)[1], "prefect server") == ["ok", "warn"]


def test_a_look_that_fails_itself_stops_no_other(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("flows.diagnoses.lake_checks.disk_use", break_down)
    code, found, _ = doctor(lake)
    assert (code, states(found, "space"), states(found, "release")) == (1, ["fail"], ["ok"])
    assert "RuntimeError: a bug" in found["space"][0]["message"]


def test_it_imports_neither_prefect_nor_what_computes(lake: Path) -> None:
    code = "import sys; from flows.cli import call; code = call(sys.argv[1:]); print(code, sorted(HEAVY & sys.modules.keys()))"
    heavy = "HEAVY = {'prefect', 'polars', 'duckdb', 'pyarrow', 'httpx'}; "
    words = ["doctor", "--lake", str(lake)]
    done = subprocess.run([sys.executable, "-c", heavy + code, *words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
