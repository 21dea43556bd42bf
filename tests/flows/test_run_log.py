"""This module tests the log of a run: what its lines carry, as text and as JSON, and what it leaves unsaid."""

from __future__ import annotations

import io
import json
import logging
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.cli import call
from flows.progress import progress
from flows.run_log import FIELDS, json_handler, log_fields, log_file, logger, writing_to

FIRST_KEYS = ["time", "level", "message", *FIELDS]
LIST = 'title,authors,abstract\nSalt of the inland seas,"Roy, Uma",A secret of the abstract.\n'
BROKEN = '{"title": "Ice and wind", "authors": ["Lee, Ann"]}\n{"title": "cut off\n'


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.err.splitlines()]

    def events(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line.get("event") == event]


def paperlake(*words: object) -> Done:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = call([*map(str, words)])
    return Done(code, out.getvalue(), err.getvalue())


def run(lake: Path, *words: object) -> Done:
    return paperlake("run", *words, "--lake", lake, "--direct", "--format", "json", "--log-format", "json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    (folder / "list.csv").write_text(LIST)
    (folder / "broken.jsonl").write_text(BROKEN)
    return folder


@pytest.fixture(scope="module")
def first(folder: Path) -> Done:
    return run(folder / "lake", folder / "list.csv", folder / "broken.jsonl")


def test_every_line_is_an_object_that_begins_with_the_same_keys_in_the_same_order(first: Done) -> None:
    assert first.code == 0
    assert all(list(line)[: len(FIRST_KEYS)] == FIRST_KEYS for line in first.lines)
    assert all(line["time"].endswith("+00:00") for line in first.lines)
    assert [line["step"] for line in first.lines if line["message"].partition(":")[0] == line["step"]] == [
        *("land", "stage", "clean", "match", "merge", "check", "publish")
    ]


def test_every_line_of_a_run_names_it_as_its_report_does(first: Done, folder: Path) -> None:
    report = json.loads(first.out)
    assert {line["run_id"] for line in first.lines} == {report["run_id"]}
    assert {line["lake"] for line in first.lines} == {str(folder / "lake")}
    assert (folder / "lake" / "runs" / report["run_id"] / "report.json").is_file()


def test_the_lake_of_a_line_is_a_whole_path_though_it_was_given_by_a_part(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(Path("own"), folder / "list.csv")
    assert {line["lake"] for line in done.lines} == {str(tmp_path / "own")}


def test_a_source_that_is_held_back_is_told_with_the_step_that_did_so(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config", "good", "page"):
        (tmp_path / name).mkdir()
    (tmp_path / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    blocks = "".join(f'[sources.{name}]\nlocation = "../{name}"\n' for name in ("gone", "good", "page"))
    (tmp_path / "config" / "sources.toml").write_text(blocks)
    (tmp_path / "good" / "list.csv").write_text(LIST)
    (tmp_path / "page" / "list.csv").write_text("<html><body>503</body></html>")
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(tmp_path / "config"))
    for _ in range(2):  # the second time the gate remembers
        done = run(tmp_path / "lake")
        assert done.code == 3
        assert [(line["source"], line["step"]) for line in done.events("held_back")] == [("gone", "land"), ("page", "gate")]


def test_a_new_file_has_a_line_as_it_lands_and_one_as_it_is_read(first: Done) -> None:
    landed, read = first.events("landed"), first.events("read")
    named = [("command_line", "broken.jsonl"), ("command_line", "list.csv")]
    assert [(line["source"], line["file"]) for line in landed] == named
    assert sorted((line["source"], line["file"]) for line in read) == named
    by_file = {line["file"]: line for line in read}
    figures = {name: [by_file[name][key] for key in ("level", "step", "reader", "records", "rejects")] for name in by_file}
    assert figures == {
        "list.csv": ["info", "stage", "delimited", 1, 0],
        "broken.jsonl": ["warning", "stage", "json_lines", 1, 1],
    }
    assert by_file["broken.jsonl"]["rejects_by_reason"] == {"broken_json": 1}
    assert by_file["list.csv"]["message"].startswith("command_line/list.csv: read as delimited: 1 record; ")


def test_the_last_line_says_what_came_of_the_run_and_the_exit_code(first: Done) -> None:
    report = json.loads(first.out)
    last = first.lines[-1]
    assert (last["event"], last["outcome"], last["release_id"]) == ("done", "published", report["release_id"])
    assert last["exit_code"] == first.code == report["exit_code"]


def test_no_line_holds_what_is_in_a_paper(first: Done) -> None:
    assert "Salt of the inland" not in first.err
    assert "secret of the abstract" not in first.err


def test_a_file_that_is_known_has_no_line_and_one_that_is_new_has(first: Done, folder: Path) -> None:
    again = run(folder / "lake", folder / "list.csv", folder / "broken.jsonl")
    assert [line["step"] for line in again.lines] == ["land", None]
    assert again.lines[-1]["outcome"] == "nothing new"
    (folder / "other.csv").write_text(LIST.replace("inland", "outer"))
    more = run(folder / "lake", folder / "list.csv", folder / "broken.jsonl", folder / "other.csv")
    assert [line["file"] for line in more.lines if line["file"]] == ["other.csv", "other.csv"]


def test_as_text_it_says_the_same_in_lines_and_leaves_the_end_to_the_report(tmp_path: Path, folder: Path) -> None:
    done = paperlake("run", folder / "list.csv", folder / "broken.jsonl", "--lake", tmp_path / "lake", "--direct")
    lines = done.err.splitlines()
    assert lines[0] == "land: copying what is new"
    assert f"command_line/list.csv: landed, {len(LIST)} bytes" in lines
    assert [
        line for line in lines if line.startswith("warning: command_line/broken.jsonl: read as json_lines: 1 record; 1 rej")
    ]
    assert not [line for line in lines if line.startswith(("done in", "{"))]
    assert "published: release r" in done.out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["run", "no/such.csv"], 1, "no/such.csv: no such file or folder"),
        (["rn"], 2, 'Did you mean "run"'),
        (["run", ""], 2, "an argument is empty"),
        (["tables", "paper"], 1, "did you mean 'papers'"),
    ],
)
def test_an_error_is_one_line_of_json_with_the_exit_code(
    words: list[str], code: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLAKE_LAKE", str(tmp_path / "nowhere"))
    done = paperlake(*words, "--log-format", "json")
    (line,) = done.lines
    assert list(line) == [*FIRST_KEYS, "exit_code"]
    assert (done.code, line["exit_code"], line["level"]) == (code, code, "error")
    assert says in line["message"]


def test_an_error_within_a_run_says_in_which_run_and_step_and_of_which_file(tmp_path: Path, folder: Path) -> None:
    lake = tmp_path / "lake"
    assert run(lake, folder / "list.csv").code == 0
    shutil.rmtree(lake / "work")
    (raw,) = (path for path in (lake / "raw").rglob("*") if path.is_file())
    raw.chmod(0o644)
    raw.write_text(LIST.replace("Salt", "Silt"))
    (folder / "third.csv").write_text(LIST.replace("inland", "third"))
    done = run(lake, folder / "third.csv")
    last = done.lines[-1]
    assert "the lake's copy of list.csv" in last["message"]
    assert {key: last[key] for key in ("level", "step", "source", "file", "exit_code")} == {
        **{"level": "error", "step": "stage", "source": "command_line", "file": "list.csv", "exit_code": done.code}
    }
    report = json.loads((lake / "runs" / last["run_id"] / "report.json").read_text())
    assert (report["outcome"], report["exit_code"], report["error"]) == ("failed", 1, last["message"])


def test_a_release_that_is_held_back_ends_in_the_exit_code_of_the_command(tmp_path: Path, folder: Path) -> None:
    lake = tmp_path / "lake"
    assert run(lake, folder / "list.csv").code == 0
    assert paperlake("rollback", "current", "--because", "a look at it", "--lake", lake).code == 0
    held = run(lake, folder / "broken.jsonl")
    assert (held.code, held.lines[-1]["exit_code"], held.lines[-1]["outcome"]) == (3, 3, "held")


def test_a_name_that_a_terminal_would_obey_is_made_printable_in_text_and_escaped_in_json(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31mred\n\u202e.csv"
    path.write_text(LIST)
    done = paperlake("run", path, "--lake", tmp_path / "lake", "--direct")
    assert "command_line/\\x1b[31mred\\x0a\\u202e.csv: landed" in done.err
    assert "\x1b" not in done.err and "\u202e" not in done.err
    as_json = run(tmp_path / "other", path)
    assert as_json.events("landed")[0]["message"].startswith("command_line/\\x1b[31mred\\x0a\\u202e.csv: landed")


def test_a_name_as_it_stands_on_the_disk_of_a_source_is_escaped_in_json_and_printable_in_the_message() -> None:
    name = "\x1b[31mred\n\udcff.csv"
    with redirect_stderr(io.StringIO()) as err, writing_to(json_handler()):
        log_file(logging.INFO, "club", name, "landed")
    (line,) = err.getvalue().splitlines()
    assert line.isascii() and line.isprintable()
    assert json.loads(line)["file"] == name
    assert json.loads(line)["message"] == "club/\\x1b[31mred \\udcff.csv: landed"


def test_the_environment_chooses_the_format_and_the_option_outranks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERLAKE_LOG_FORMAT", "json")
    assert paperlake("tables", "paper").lines[0]["exit_code"] == 1
    assert paperlake("tables", "paper", "--log-format", "text").err.startswith("paperlake: there is no table")
    monkeypatch.setenv("PAPERLAKE_LOG_FORMAT", "yaml")
    assert paperlake("tables") == Done(2, "", "paperlake: PAPERLAKE_LOG_FORMAT is 'yaml': expected text or json\n")
    assert paperlake("tables", "--log-format", "xml").code == 2
    assert paperlake("tables", "--log-format").code == 2
    assert paperlake("tables", "--log-format=text").code == 0


def test_a_program_of_ones_own_takes_the_lines_by_a_handler_of_its_own(
    first: Done, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.INFO, "paperlake"), log_fields(run_id="a run"):
        log_file(logging.WARNING, "club", "list.csv", "read", records=3)
        logger.info("without a file")
    told = [(each.getMessage(), each.run_id, each.source, each.file) for each in caplog.records]
    assert told == [("club/list.csv: read", "a run", "club", "list.csv"), ("without a file", "a run", None, None)]
    assert capsys.readouterr().err == ""


def test_a_run_with_nothing_new_stays_light_with_a_log_of_json(first: Done, folder: Path) -> None:
    code = "import sys; from flows.cli import call; code = call(sys.argv[1:]); print(code, sorted(HEAVY & sys.modules.keys()))"
    words = ["run", folder / "list.csv", "--lake", folder / "lake", "--direct", "--format", "json", "--log-format", "json"]
    heavy = "HEAVY = {'prefect', 'polars', 'duckdb', 'pyarrow'}; "
    done = subprocess.run([sys.executable, "-c", heavy + code, *map(str, words)], capture_output=True, text=True, check=True)
    assert json.loads(done.stderr.splitlines()[-1])["outcome"] == "nothing new"
    assert done.stdout.splitlines()[-1] == "0 []"


def test_on_a_terminal_a_warning_stays_and_brackets_are_no_markup() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with redirect_stderr(Terminal()) as err, progress() as say:
        say("the lake [red]x[/] is locked")
        log_file(logging.WARNING, "club", "[bold]list.csv", "read: 1 rejected")
        log_file(logging.INFO, "club", "[/]other.csv", "landed")
    assert "the lake [red]x[/] is locked" in err.getvalue()
    assert "warning: club/[bold]list.csv: read: 1 rejected" in err.getvalue()
