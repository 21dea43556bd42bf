"""The file of deployments: what is served of it, and that a slip of the pen is found before a server hears of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.cli import call

GOOD = """
deployments:
  - name: nightly
    entrypoint: flows.prefect_flow.pipeline
    tags: [a]
    parameters: {wait_seconds: 60}
    schedules:
      - {cron: "30 3 * * *", timezone: Europe/Berlin}
      - {interval: 3600, active: false}
    concurrency_limit: {limit: 1, collision_strategy: CANCEL_NEW}
  - name: backfill
    entrypoint: flows.prefect_flow.pipeline
"""


@pytest.fixture
def config(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of settings; the environment names no server."""
    folder = tmp_path / "config"
    folder.mkdir()
    for path in (project / "config").glob("*.*"):
        shutil.copyfile(path, folder / path.name)
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(folder))
    return folder


def test_the_deployments_of_the_project_are_sound(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["serve", "--check"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "paperlake/nightly: cron 30 3 * * * (Europe/Berlin)",
        "paperlake/backfill: no schedule, runs when it is told to",
    ]


def test_only_the_deployment_that_is_asked_for_is_served(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (config / "prefect.yaml").write_text(GOOD)
    assert call(["serve", "--check", "--only", "backfill"]) == 0
    assert capsys.readouterr().out.splitlines() == ["paperlake/backfill: no schedule, runs when it is told to"]
    assert call(["serve", "--check", "--only", "nigthly"]) == 2
    assert "--only nigthly: prefect.yaml has no such deployment; did you mean 'nightly'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("good", "bad", "sentence"),
    [
        ("schedules:", "shedules:", "prefect.yaml [nightly]: unknown key 'shedules'. Did you mean 'schedules'?"),
        ("deployments:", "deployment:", "prefect.yaml: expected a list `deployments:` with at least one"),
        ("30 3 * * *", "30 3 * *", "prefect.yaml [nightly] schedule 1: cron '30 3 * *' is none"),
        ("30 3 * * *", "30 25 * * *", "prefect.yaml [nightly] schedule 1: cron '30 25 * * *' is none"),
        ("Europe/Berlin", "Europe/Berln", "schedule 1: there is no time zone 'Europe/Berln'; did you mean 'Europe/Berlin'?"),
        ("interval: 3600", "interval: -5", "schedule 2: interval -5 should be a number of seconds above 0, and"),
        ("interval: 3600", "interval: .nan", "schedule 2: interval nan should be a number of seconds above 0, and"),
        ("interval: 3600, active", "active", "schedule 2: expected one of cron, interval, rrule; found none"),
        (
            "interval: 3600,",
            "interval: 3600, rrule: x,",
            "schedule 2: expected one of cron, interval, rrule; found interval and",
        ),
        ("wait_seconds:", "wait_second:", "parameters: unknown key 'wait_second'. Did you mean 'wait_seconds'?"),
        ("wait_seconds: 60", "wait_seconds: soon", "prefect.yaml [nightly]: parameters: wait_seconds: Input should be"),
        ("limit: 1", "limit: 0", "prefect.yaml [nightly]: the concurrency limit is 0; expected a number of runs, 1 or more"),
        ("CANCEL_NEW", "CANCEL", "collision_strategy 'CANCEL' should be ENQUEUE or CANCEL_NEW"),
        ("flows.prefect_flow.pipeline", "flows.prefect_flow:pipeline", "expected entrypoint: flows.prefect_flow.pipeline"),
        ("flows.prefect_flow.pipeline", "flows.prefect_flow.pipelin", "flows.prefect_flow.pipelin leads to no flow"),
        ("flows.prefect_flow.pipeline", "flow.prefect_flow.pipeline", "flow.prefect_flow.pipeline leads to no flow"),
        ("flows.prefect_flow.pipeline", "flows.report.RunReport", "flows.report.RunReport leads to no flow"),
        ("name: backfill", "name: nightly", "prefect.yaml: two deployments are called 'nightly'"),
        ("name: backfill", "description: none", "prefect.yaml: each deployment needs a `name:`"),
        ("tags: [a]", "tags: a", "prefect.yaml [nightly]: tags should be a list of words, found 'a'"),
        ("tags: [a]", "tags: [a", "prefect.yaml is no YAML: "),
    ],
)
def test_a_slip_in_the_file_is_told_in_a_sentence(
    config: Path, capsys: pytest.CaptureFixture[str], good: str, bad: str, sentence: str
) -> None:
    assert good in GOOD
    (config / "prefect.yaml").write_text(GOOD.replace(good, bad, 1))
    assert call(["serve", "--check"]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1, "one sentence, and nothing that Prefect logs"


def test_a_file_of_deployments_that_is_not_there_is_told(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (config / "prefect.yaml").unlink()
    assert call(["serve", "--check"]) == 2
    assert "prefect.yaml: No such file or directory; it holds the deployments" in capsys.readouterr().err


def test_serving_asks_for_a_server_that_stays_and_says_when_it_does_not_answer(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        assert call(["serve"]) == 2
    assert "Start one with `prefect server start`" in capsys.readouterr().err
    with temporary_settings({PREFECT_API_URL: "http://me:secret@127.0.0.1:9/api"}):
        assert call(["serve"]) == 1
    said = capsys.readouterr().err
    assert "the Prefect server at http://127.0.0.1:9/api does not answer as it should" in said
    assert "secret" not in said


def test_an_address_of_a_server_that_cannot_be_one_is_told_and_a_run_has_a_way_out(
    config: Path, tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings({PREFECT_API_URL: "127.0.0.1:4200"}):
        assert call(["serve"]) == 2
    assert "(PREFECT_API_URL) should be such as http://127.0.0.1:4200/api" in capsys.readouterr().err
    words = ["run", str(samples / "papers.csv"), "--lake", str(tmp_path / "lake")]
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        assert call(words) == 1
    said = capsys.readouterr().err
    assert "the Prefect server at http://127.0.0.1:9/api does not answer as it should" in said
    assert "`paperlake run --direct` does without a server" in said
    assert "starting Prefect's temporary server" not in said, "one is named"
    assert not (tmp_path / "lake").exists()


def test_an_address_without_api_is_told_to_end_in_it() -> None:
    import httpx

    from flows.orchestration.serving import _reason

    error = httpx.HTTPStatusError("", request=httpx.Request("GET", "http://h"), response=httpx.Response(404))
    assert _reason(error, "/") == "it answers 404 Not Found; the address of a server ends in /api"
    assert _reason(error, "/api/") == "it answers 404 Not Found"


def test_a_worker_has_a_step_that_keeps_prefect_from_copying_the_project_to_each_run(project: Path) -> None:
    import yaml

    (step,) = yaml.safe_load((project / "config" / "prefect.yaml").read_text())["pull"]
    assert step == {"prefect.deployments.steps.set_working_directory": {"directory": "/"}}


def test_what_is_served_runs_on_the_lake_by_its_whole_path(config: Path, tmp_path: Path) -> None:
    from flows.orchestration.deployments import read_plans, to_serve
    from flows.settings import load_deployments, load_settings

    (config / "prefect.yaml").write_text(GOOD)
    nightly, backfill = (to_serve(plan, Path("here/lake")) for plan in read_plans(*load_deployments(load_settings())))
    assert nightly.parameters == {"wait_seconds": 60, "lake": str(Path.cwd() / "here" / "lake")}
    assert [(each.schedule.cron, each.schedule.timezone) for each in nightly.schedules[:1]] == [("30 3 * * *", "Europe/Berlin")]
    assert [each.active for each in nightly.schedules] == [True, False]
    assert nightly.concurrency_limit == 1
    assert nightly.concurrency_options.collision_strategy == "CANCEL_NEW"
    assert (nightly.entrypoint, nightly.tags, nightly.work_pool_name) == ("flows.prefect_flow.pipeline", ["a"], None)
    assert backfill.schedules == []


def test_the_automation_waits_for_every_state_that_a_run_ends_in(project: Path) -> None:
    import yaml
    from prefect.events.schemas.automations import AutomationCore, EventTrigger

    from flows.orchestration.late_runs import SKIPPED
    from flows.prefect_flow import HELD_BACK

    (block,) = yaml.safe_load((project / "config" / "automations.yaml").read_text())["automations"]
    trigger = AutomationCore.model_validate(block).trigger
    assert isinstance(trigger, EventTrigger)
    ends = {"Completed", "Failed", "Cancelled", "Crashed", HELD_BACK, SKIPPED, "heartbeat"}
    assert trigger.expect == {f"prefect.flow-run.{name}" for name in ends}
