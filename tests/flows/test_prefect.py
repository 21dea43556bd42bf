"""The pipeline as a Prefect flow: the same release as without, its report as artifacts, retries only where they can help."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.cli import call

SETTINGS = """
from flows.prefect_flow import pipeline
from prefect.settings import get_current_settings
server = get_current_settings().server
print(server.ephemeral.startup_timeout_seconds, server.analytics_enabled)
"""


@pytest.fixture(scope="session", autouse=True)
def server() -> Iterator[None]:
    """One temporary Prefect server for all tests of this session."""
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=120):
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


def test_the_report_is_left_as_artifacts_with_stable_keys(tmp_path: Path, samples: Path) -> None:
    from prefect.artifacts import Artifact

    from flows.prefect_flow import pipeline

    report = pipeline(paths=[str(samples / "papers.jsonl")], lake=str(tmp_path / "lake"))
    summary = Artifact.get("paperlake-run")
    assert summary is not None
    assert report["run_id"] in str(summary.description)
    assert report["release_id"] in str(summary.data)
    rejects = Artifact.get("paperlake-rejects")
    assert rejects is not None
    assert "broken_json" in str(rejects.data)


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
