"""The command line: exit codes, plain sentences, near names, and a pipe that closes early."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from flows.cli import app, call

CLI = [sys.executable, "-m", "flows.cli"]
COMMANDS = ("run", "sql", "tables", "releases", "rejects", "ledger", "inspect", "formats", "catalog", "forget")
COMMANDS += ("matches", "decide", "decisions")
COMMANDS += ("check", "show", "profile", "query", "export")
COMMANDS += ("diff", "rollback", "unpin", "verify", "prune")
COMMANDS += ("status", "doctor", "serve", "replay", "sources")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    lake = tmp_path_factory.mktemp("cli") / "lake"
    assert call(["run", str(samples / "papers.csv"), str(samples / "papers.jsonl"), "--lake", str(lake), "--direct"]) == 0
    return lake


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    app([command, "--help"], exit_on_error=False, result_action="return_value")
    assert f"Example: paperlake {command}" in " ".join(capsys.readouterr().out.split())


def test_the_help_lists_every_command_there_is() -> None:
    assert {name for name in app if not name.startswith("-")} == set(COMMANDS)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["rn"], 2, 'Did you mean "run"'),
        (["sql", "select 1", "--format", "xml"], 2, "xml"),
        (["run", "no/such/file.csv"], 1, "no/such/file.csv: no such file or folder"),
        (["run"], 2, "nothing to run"),
        (["sql", "select 1"], 1, "there is no lake at"),
        (["tables", "paper"], 1, "did you mean 'papers'"),
        (["forget", "x.csv"], 1, "there is no lake at"),
        (["inspect", "no/such/file.csv"], 1, "no/such/file.csv: no such file or folder"),
        (["run", ""], 2, "an argument is empty"),
        (["inspect", "a.csv", ""], 2, "an argument is empty"),
        (["--lake", "lake", "tables"], 2, "options stand after it"),
        (["formats", "openalex"], 2, "Did you mean 'openalex_work'?"),
        (["matches"], 1, "there is no lake at"),
        (["matches", "--possible", "--status", "no"], 2, "exclude each other"),
        (["matches", "--limit", "-1"], 2, "expected a number of pairs"),
        (["matches", "--status", "maybe"], 2, "maybe"),
        (["decisions"], 1, "there is no lake at"),
        (["decide", "k1234", "k2345", "same", "--because", "x"], 1, "there is no lake at"),
        (["decide", "k1234", "k2345", "equal", "--because", "x"], 2, "equal"),
        (["decide", "k1234", "k2345", "same"], 2, "--because"),
        (["decide", "k1234", "k2345", "same", "--because", " "], 2, "give a reason"),
        (["unpin", "--wait", "0"], 1, "there is no lake at"),
        *(
            ([*words, f"--wait={wait}"], 2, "for --wait. expected seconds, 0 or more")
            for words, wait in (
                (["run", "list.csv"], "-5"),
                (["forget", "x.csv"], "-0.1"),
                (["decide", "k1234", "k2345", "same", "--because", "x"], "-1"),
                (["rollback", "previous", "--because", "x"], "-inf"),
                (["unpin"], "nan"),
                (["prune", "--keep", "1"], "-1"),
                (["replay", "--all"], "-1"),
            )
        ),
    ],
)
def test_a_wrong_command_line_is_answered_in_a_sentence(
    words: list[str], code: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLAKE_LAKE", str(tmp_path / "nowhere"))
    assert call(words) == code
    captured = capsys.readouterr()
    assert says in " ".join(captured.err.replace("│", " ").split())
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_no_error_holds_what_a_terminal_would_obey(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["sql", "select (chr(27) || ']0;gone' || chr(7))::int"],
        ["query", "\x1b[31mred"],
        ["check", "\x1b[31mred"],
        ["sql", "select 1", "--at", "\x1b[31mred"],
        ["profile", "\udcff"],
    ):
        assert call([*words, "--lake", str(lake)]) in (1, 2)
        said = capsys.readouterr().err
        assert said.startswith("paperlake: ") and not re.search("[\x00-\x09\x0b-\x1f\ud800-\udfff]", said)
    assert call(["sql", "select 1 from papers\nwhere 'a'::int = 1", "--lake", str(lake)]) == 1
    assert "\nLINE 2: where" in capsys.readouterr().err


def test_output_closed_early_is_no_error(lake: Path) -> None:
    query = "select r.raw from records r, range(200000)"
    sql = subprocess.Popen(
        [*CLI, "sql", query, "--lake", lake, "--format", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert sql.stdout is not None
    assert sql.stderr is not None
    sql.stdout.readline()
    sql.stdout.close()
    assert sql.stderr.read() == b""
    assert sql.wait(timeout=60) == 0


@pytest.mark.parametrize("format", ["table", "csv", "json", "jsonl", "markdown"])
@pytest.mark.parametrize("command", ["tables", "releases", "rejects", "ledger"])
def test_reading_commands_print_rows_in_every_format(
    lake: Path, command: str, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call([command, "--lake", str(lake), "--format", format]) == 0
    captured = capsys.readouterr()
    assert captured.out
    assert captured.err == ""


def test_the_catalog_opens_in_duckdb_from_another_folder(
    lake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    (lake / "paperlake.duckdb").unlink()
    assert call(["catalog", "--lake", str(lake)]) == 0
    monkeypatch.chdir("/")
    with duckdb.connect(str(lake / "paperlake.duckdb"), read_only=True) as connection:
        assert connection.execute("select count(*) from papers").fetchone() == (7,)


READING = """
import sys
from flows.cli import call
code = call(sys.argv[1:])
print(code, [name for name in ("prefect", "polars", "pyarrow", "numpy", "transforms.readers.base") if name in sys.modules])
"""


@pytest.mark.parametrize(
    "words",
    [["sql", "select 1"], ["tables"], ["tables", "papers"], ["releases"], ["ledger"], ["rejects"], ["matches"], ["decisions"]],
)
def test_commands_that_only_read_import_neither_prefect_nor_a_reader(lake: Path, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", READING, *words, "--lake", str(lake)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"


def test_a_folder_without_files_is_said_to_be_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".hidden").write_text("title\nA\n")
    assert call(["run", str(tmp_path), "--lake", str(tmp_path / "lake"), "--direct"]) == 1
    assert "no files in this folder" in capsys.readouterr().err


def test_an_edited_file_is_named_with_what_takes_its_earlier_content_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, lake = tmp_path / "list.csv", str(tmp_path / "lake")
    path.write_text("title,authors\nSails for Satellites,Ann Lee\n")
    assert call(["run", str(path), "--lake", lake, "--direct"]) == 0
    path.write_text("title,authors\nSails for Small Satellites,Ann Lee\n")
    capsys.readouterr()
    assert call(["run", str(path), "--lake", lake, "--direct"]) == 0
    (advice,) = re.findall(r"an earlier content is live too; `paperlake (forget \w+)`", capsys.readouterr().out)
    assert call([*advice.split(), "--lake", lake]) == 0
    assert call(["run", "--lake", lake, "--direct"]) == 0
    assert call(["sql", "select title from papers", "--lake", lake, "--format", "csv"]) == 0
    assert "Sails for Satellites" not in capsys.readouterr().out
