"""The pipeline as a Prefect flow: the same release as without, its report as artifacts, retries only where they can help."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID, uuid4

import pytest

from flows.cli import call
from flows.report import RunReport
from flows.settings import ConfigError
from warehouse.layout import Lake
from warehouse.lock import hold_lock

if TYPE_CHECKING:
    from conftest import PrefectServer

T = TypeVar("T")

SETTINGS = """
from flows.prefect_flow import pipeline
from prefect.settings import get_current_settings
server = get_current_settings().server
print(server.ephemeral.startup_timeout_seconds, server.analytics_enabled)
"""


@pytest.fixture(scope="module", autouse=True)
def at_server(prefect_server: PrefectServer) -> Iterator[None]:
    """Lets flows that are called in this process report to the server that all tests of Prefect share."""
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings({PREFECT_API_URL: prefect_server.url}):
        yield


def tables(lake: Path) -> dict[str, str]:
    release = (lake / "current").resolve()
    return {p.parent.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(release.rglob("*.parquet"))}


def test_the_flow_gives_the_release_that_a_direct_run_gives(tmp_path: Path, samples: Path) -> None:
    from flows.prefect_flow import pipeline

    report = pipeline(paths=[str(samples)], lake=str(tmp_path / "flow"))
    assert report["outcome"] == "published"
    assert call(["run", str(samples), "--lake", str(tmp_path / "direct"), "--direct"]) == 0
    assert tables(tmp_path / "flow") == tables(tmp_path / "direct")


def test_the_flow_leaves_identifiers_out_of_matching_as_a_direct_run_does(tmp_path: Path) -> None:
    from flows.prefect_flow import pipeline

    twins = tmp_path / "twins.csv"
    rows = [f'Warm ice in cold rivers,"Lee, Ann and Okri, Ben",2020,10.5555/ice.{place}' for place in "ab"]
    twins.write_text("\n".join(("title,author,year,doi", *rows)))
    report = pipeline(paths=[str(twins)], lake=str(tmp_path / "flow"), without_identifiers=True)
    assert report["without_identifiers"] and report["row_counts"]["papers"] == 1
    assert call(["run", str(twins), "--lake", str(tmp_path / "direct"), "--direct", "--without-identifiers"]) == 0
    assert tables(tmp_path / "flow") == tables(tmp_path / "direct")


def test_whoever_imports_the_flow_has_time_for_the_server_and_no_analytics() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PREFECT_")}
    done = subprocess.run([sys.executable, "-c", SETTINGS], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["120", "False"]


def artifact(key: str) -> str:
    """What the newest artifact under this key says, its description first."""
    from prefect.artifacts import Artifact

    found = Artifact.get(key)
    assert found is not None, key
    return f"{found.description}\n{found.data}"


def test_the_report_is_left_as_artifacts_with_stable_keys(tmp_path: Path, samples: Path) -> None:
    from flows.prefect_flow import pipeline

    lake, paths = tmp_path / "lake", [str(samples / "papers.jsonl")]
    report = pipeline(paths=paths, lake=str(lake))
    assert report["run_id"] in artifact("paperlake-run")
    assert report["release_id"] in artifact("paperlake-run")
    assert "broken_json" in artifact("paperlake-rejects")
    assert "papers.jsonl" in artifact("paperlake-ledger")
    assert "first release" in artifact("paperlake-diff")
    second = pipeline(paths=[str(samples / "papers.json")], lake=str(lake))
    assert f"{report['release_id']} → {second['release_id']}" in artifact("paperlake-diff")
    assert "| papers | source | 2 | 0 | 0 |" in artifact("paperlake-diff")
    nothing = pipeline(paths=paths, lake=str(lake))
    assert nothing["outcome"] == "nothing new"
    assert nothing["run_id"] in artifact("paperlake-run")
    assert second["release_id"] in artifact("paperlake-diff")


def test_artifacts_of_a_lake_of_another_name_have_keys_of_their_own(tmp_path: Path, samples: Path) -> None:
    from flows.prefect_flow import pipeline

    report = pipeline(paths=[str(samples / "papers.json")], lake=str(tmp_path / "Physics_2"))
    assert report["run_id"] in artifact("paperlake-run-physics-2")
    assert report["run_id"] not in artifact("paperlake-run")


def test_a_run_that_fails_leaves_its_report_and_sends_why(tmp_path: Path, samples: Path, prefect_server: PrefectServer) -> None:
    from flows.pipeline import PipelineError
    from flows.prefect_flow import pipeline

    lake, since = tmp_path / "failing" / "lake", datetime.now(UTC)
    with pytest.raises(PipelineError, match="as --strict wants every file read"):
        pipeline(paths=[str(samples / "README.md"), str(samples / "papers.csv")], lake=str(lake), strict=True)
    assert "failed" in artifact("paperlake-run") and "README.md" in artifact("paperlake-run")
    (event,) = prefect_server.events("paperlake.run.failed", since, 1)
    assert "README.md" in event["payload"]["error"]
    assert event["resource"]["prefect.resource.id"] == "paperlake.lake.lake"
    assert prefect_server.events("paperlake.release.published", since, 0) == []


@pytest.mark.parametrize(
    ("outcome", "pin", "message"),
    [
        ("published", None, "release r1"),
        ("unchanged", None, "unchanged: the tables are those of the current release r1"),
        ("nothing new", None, "nothing new since release r1"),
        ("held", "r0 is pinned", "r0 is pinned, so release r1 is held back; "),
    ],
)
def test_the_message_of_a_state_says_how_it_stands(outcome: str, pin: str | None, message: str) -> None:
    from flows.prefect_flow import _state

    ended = _state(RunReport("1", "lake", outcome, "r1", pin))
    assert ended.message is not None and ended.message.startswith(message)


def test_a_release_held_back_by_a_pin_is_told_by_the_state(tmp_path: Path, samples: Path) -> None:
    from flows.prefect_flow import pipeline

    lake = str(tmp_path / "lake")
    for name in ("papers.json", "papers.csv"):
        done = pipeline(paths=[str(samples / name)], lake=lake, return_state=True)
        assert (done.name, done.message.split()[0]) == ("Completed", "release")
    assert call(["rollback", "previous", "--because", "a test", "--lake", lake]) == 0
    held = pipeline(paths=[str(samples / "papers.csv")], lake=lake, return_state=True)
    assert (held.type.value, held.name) == ("COMPLETED", "HeldBack")
    assert "held back" in held.message


def test_a_closed_gate_is_told_by_the_state_and_an_event_until_the_source_is_accepted(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, prefect_server: PrefectServer
) -> None:
    from flows.prefect_flow import pipeline

    lake, since, rows = str(tmp_path / "lake"), datetime.now(UTC), [f'The tide at {n} bells,"Lee, Ann",2020' for n in range(40)]
    (tmp_path / "sources.toml").write_text('[sources.club]\nlocation = "list.csv"\n')
    shutil.copyfile(project / "config" / "venues.csv", tmp_path / "venues.csv")
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(tmp_path))
    for count, accept, name in ((40, None, "Completed"), (9, None, "HeldBack"), (9, ["club"], "Completed")):
        (tmp_path / "list.csv").write_text("\n".join(("title,author,year", *rows[:count])))
        ended = pipeline(lake=lake, accept=accept, return_state=True)
        assert (ended.type.value, ended.name) == ("COMPLETED", name), ended.message
        assert ("held back at the gate: club" in ended.message) == (name == "HeldBack")
    (event,) = prefect_server.events("paperlake.gate.closed", since, 1)
    assert event["payload"]["source"] == "club"
    assert event["payload"]["reasons"] != []
    with pytest.raises(ConfigError, match="Did you mean 'club'"):
        pipeline(lake=lake, accept=["clubb"])


def test_a_late_run_is_skipped_only_where_another_has_done_its_work(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.client.schemas.objects import FlowRun

    from flows import prefect_flow

    other = FlowRun(flow_id=uuid4(), name="the one that ran")
    for late, done_by, name in ((False, other, "Completed"), (True, None, "Completed"), (True, other, "Skipped")):
        monkeypatch.setattr(prefect_flow, "is_late", lambda _, late=late: late)
        monkeypatch.setattr(prefect_flow, "done_instead", lambda *_, done_by=done_by: done_by)
        lake = tmp_path / f"{late}-{name}"
        ended = prefect_flow.pipeline(paths=[str(samples / "papers.json")], lake=str(lake), return_state=True)
        assert (ended.type.value, ended.name) == ("COMPLETED", name)
        assert (lake / "current").exists() == (name == "Completed")
    assert "the one that ran" in ended.message


def test_a_run_whose_process_was_killed_is_told_by_the_next_one(
    tmp_path: Path, samples: Path, prefect_server: PrefectServer
) -> None:
    from prefect.client.orchestration import get_client

    from flows.orchestration.flow_run_marks import dead_runs
    from flows.prefect_flow import pipeline
    from flows.progress import listener

    lake, said = tmp_path / "lake", []
    words = [sys.executable, "-m", "flows.cli", "run", str(samples / "papers.json"), "--lake", str(lake)]
    environment = prefect_server.environment | {"PAPERLAKE_CRASH_AT": "3"}
    assert subprocess.run(words, env=environment, capture_output=True, timeout=120).returncode == -signal.SIGKILL
    (dead,) = dead_runs(Lake(lake))
    with get_client(sync_client=True) as client:
        assert client.read_flow_run(UUID(dead.flow_run_id)).state_name == "Running"
        token = listener.set(said.append)
        report = pipeline(paths=[str(samples / "papers.json")], lake=str(lake))
        listener.reset(token)
        assert client.read_flow_run(UUID(dead.flow_run_id)).state_name == "Crashed"
    assert "never ended: its process is gone, and is set to Crashed" in said[0]
    assert report["outcome"] == "published"
    assert dead_runs(Lake(lake)) == []


def test_lines_on_sources_and_files_reach_the_log_of_the_flow_run(
    tmp_path: Path, samples: Path, prefect_server: PrefectServer
) -> None:
    lake, path = tmp_path / "lake", tmp_path / "once.jsonl"
    shutil.copyfile(samples / "papers.jsonl", path)
    words = [sys.executable, "-m", "flows.cli", "run", str(path), "--lake", str(lake)]
    done = subprocess.run(words, env=prefect_server.environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = prefect_server.wait_for(lambda: [m for m in prefect_server.log() if "command_line/once.jsonl: read as" in m])
    assert len(lines) == 1


@pytest.mark.parametrize(("code", "calls"), [(errno.EIO, 3), (errno.ENOSPC, 1), (errno.EACCES, 1)])
def test_landing_is_tried_again_only_for_an_error_that_may_pass(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch, code: int, calls: int
) -> None:
    from flows import landing_step, prefect_flow

    tried = []

    def fail(*_: object, **__: object) -> None:
        tried.append(code)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(landing_step, "land_files", fail)
    monkeypatch.setattr(prefect_flow, "_RETRY_DELAY_SECONDS", 0)
    with pytest.raises(OSError, match=os.strerror(code)):
        prefect_flow.pipeline(paths=[str(samples)], lake=str(tmp_path / "lake"))
    assert len(tried) == calls


def test_the_command_says_that_a_server_starts_and_ends_without_a_stack_trace(tmp_path: Path, samples: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PREFECT_", "PAPERLAKE_"))}
    environment |= {"HOME": str(tmp_path / "home"), "PREFECT_HOME": str(tmp_path / "home" / ".prefect")}
    words = [sys.executable, "-m", "flows.cli", "run", str(samples / "papers.csv"), "--lake", str(tmp_path / "lake")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("starting Prefect's temporary server")
    assert "Traceback" not in done.stderr
    assert "published: release r" in done.stdout


def test_a_failing_flow_ends_in_a_sentence_and_exit_code_1(tmp_path: Path, samples: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PREFECT_", "PAPERLAKE_"))}
    environment |= {"HOME": str(tmp_path / "home"), "PREFECT_HOME": str(tmp_path / "home" / ".prefect")}
    (tmp_path / "lake" / "state").mkdir(parents=True)
    (tmp_path / "lake" / "state" / "live.json").write_text("[{")
    words = [sys.executable, "-m", "flows.cli", "run", str(samples), "--lake", str(tmp_path / "lake")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "live.json is damaged" in done.stderr
    assert "Traceback" not in done.stderr


DEPLOYMENTS = """
deployments:
  - name: often
    entrypoint: flows.prefect_flow.pipeline
    tags: [a, b]
    parameters: {{paths: ["{samples}"]}}
    schedules: [{{interval: 6}}]
    concurrency_limit: {{limit: 1, collision_strategy: CANCEL_NEW}}
"""


@pytest.fixture
def config(tmp_path: Path, project: Path, samples: Path) -> Path:
    """A folder of settings with one deployment that is due every six seconds."""
    folder = tmp_path / "config"
    folder.mkdir()
    for path in (project / "config").glob("*.*"):
        shutil.copyfile(path, folder / path.name)
    (folder / "prefect.yaml").write_text(DEPLOYMENTS.format(samples=samples))
    return folder


@contextmanager
def served(server: PrefectServer, config: Path, lake: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`paperlake serve`, ended by the test, or else killed with all that it started."""
    words = [sys.executable, "-m", "flows.cli", "serve", "--lake", str(lake)]
    environment = server.environment | {"PAPERLAKE_CONFIG": str(config), "PREFECT_RUNNER_POLL_FREQUENCY": "2"}
    with log.open("wb") as out:
        process = subprocess.Popen(words, env=environment, stdout=out, stderr=out, start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_schedule_fires_one_run_at_a_time_and_goes_on_after_all_was_killed(
    tmp_path: Path, config: Path, prefect_server: PrefectServer
) -> None:
    lake, log, since = tmp_path / "lake", tmp_path / "serve.log", datetime.now(UTC)

    def named(*states: str) -> list[dict[str, Any]]:
        return [run for run in prefect_server.runs("often") if run["state_name"] in states]

    # A run waits for the lake; those that are due meanwhile are turned away. Then everything is killed at once.
    with hold_lock(Lake(lake), wait_seconds=0, on_wait=print, command="a test"), served(prefect_server, config, lake, log):
        prefect_server.wait_for(lambda: named("Running") and len(named("Cancelled")) >= 2)
        (killed,) = named("Running")
        assert {run["state"]["message"] for run in named("Cancelled")} == {"Deployment concurrency limit reached."}
    # What was due while nobody served is late: one run does it all, and has the slot that the dead one held.
    stopped = datetime.now(UTC)
    overdue = prefect_server.wait_for(lambda: two_or_none(prefect_server.overdue("often", stopped)))
    with served(prefect_server, config, lake, log) as process:
        first, second = prefect_server.wait_for(lambda: two_or_none(named("Completed")))[:2]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    text = log.read_text()
    assert f"the run '{killed['name']}' began" in text
    assert "never ended: its process is gone, and is set to Crashed" in text
    assert [run["id"] for run in named("Crashed")] == [killed["id"]]
    assert named("Running", "Pending") == []
    assert [run["state_name"] for run in named("Completed", "Cancelled") if run["id"] in overdue].count("Cancelled") >= 1
    assert first["state"]["message"].startswith("release r")
    assert second["state"]["message"].startswith("nothing new since release r")
    assert datetime.fromisoformat(second["start_time"]) >= datetime.fromisoformat(first["end_time"])
    (event,) = prefect_server.events("paperlake.release.published", since, 1)
    assert event["payload"]["release_id"] == (lake / "current").readlink().name
    assert event["payload"]["papers"] > 20
    assert str(tmp_path) not in json.dumps([event["resource"], event["payload"]])
    assert event["payload"]["release_id"] in artifact("paperlake-run")


def two_or_none(found: list[T]) -> list[T] | None:
    return found if len(found) >= 2 else None


def test_the_file_of_deployments_goes_to_a_work_pool_as_it_is(
    tmp_path: Path, samples: Path, project: Path, prefect_server: PrefectServer
) -> None:
    lake = tmp_path / "lake"
    environment = prefect_server.environment | {"PAPERLAKE_LAKE": str(lake)}

    def prefect(*words: str) -> str:
        command = [sys.executable, "-m", "prefect", *words]
        done = subprocess.run(command, env=environment, cwd=project, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    prefect("work-pool", "create", "paperlake", "--type", "process")
    prefect("--no-prompt", "deploy", "--prefect-file", "config/prefect.yaml", "--all")
    nightly = prefect_server.post("deployments/filter", deployments={"name": {"any_": ["nightly"]}})[0]
    assert nightly["schedules"][0]["schedule"]["timezone"] == "Europe/Berlin"
    assert nightly["global_concurrency_limit"]["limit"] == 1
    assert nightly["concurrency_options"]["collision_strategy"] == "CANCEL_NEW"
    assert nightly["tags"] == ["paperlake", "nightly"]
    prefect("deployment", "run", "paperlake/backfill", "--param", f'paths=["{samples / "papers.json"}"]')
    prefect("worker", "start", "--pool", "paperlake", "--run-once")
    assert nightly["pull_steps"], "without a step Prefect copies the folder deployed from to each run"
    (run,) = prefect_server.runs("backfill")
    assert (run["state_name"], run["state"]["message"]) == ("Completed", f"release {(lake / 'current').readlink().name}")


def test_a_worker_without_a_whole_path_to_the_lake_makes_none_in_its_own_folder(prefect_server: PrefectServer) -> None:
    from flows.prefect_flow import pipeline

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PREFECT__RUNTIME__DEPLOYMENT__ID", str(uuid4()))
        with pytest.raises(ConfigError, match="the lake 'lake' is no whole path"):
            pipeline(lake="lake")
    assert not Path("lake/state/flow_runs").exists()
