"""The checks from the command line: on any release, with a person's expectations and checks of their own."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.cli import call
from flows.settings import ConfigError, load_settings

LIST = """id,title,author,booktitle,year
a,Warm ice in cold rivers,"Lee, Ann and Okri, Ben",ICLR,2020
b,The dry bones of old whales,"Sato, Hana",ICLR,2020
c,A ledger of small tides,"Lund, Peder",ICLR,2021
d,Nobody wrote this,,ICLR,2021
"""
LATE_PAPERS = """-- severity: {severity}
-- meaning: a paper is from 2021 or later
select paper_id, title, year from papers where year >= 2021 order by paper_id;
-- a comment behind the end
"""


class Desk:
    """A lake of four papers with a configuration that a test may change, and the words to try on it."""

    def __init__(self, folder: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.config, self.lake, self.capsys = folder, folder / "config", folder / "lake", capsys
        self.config.mkdir()
        shutil.copy(project / "config" / "venues.csv", self.config)
        (folder / "list.csv").write_text(LIST)

    def expect(self, text: str) -> None:
        (self.config / "expected.toml").write_text(text)

    def own(self, name: str, sql: str) -> None:
        (self.config / "own").mkdir(exist_ok=True)
        (self.config / "own" / f"{name}.sql").write_text(sql)
        (self.config / "pipeline.toml").write_text('[checks]\nfolder = "own"\n')

    def call(self, *words: object, code: int = 0) -> str:
        """What a command prints; its error where the code is neither 0 nor that of a failed check."""
        self.capsys.readouterr()
        found = call([*map(str, words), "--lake", str(self.lake)])
        captured = self.capsys.readouterr()
        assert found == code, captured
        return captured.out + captured.err

    def run(self, code: int = 0) -> str:
        return self.call("run", self.folder / "list.csv", "--direct", code=code)

    def checks(self, *words: object, code: int = 0) -> dict[str, dict[str, Any]]:
        rows = json.loads(self.call("check", *words, "--format", "json", code=code))
        return {row["check_name"]: row for row in rows}


@pytest.fixture(scope="module")
def lake_of_four(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """A lake with one release, made once; tests copy it."""
    folder = tmp_path_factory.mktemp("checks")
    (folder / "config").mkdir()
    shutil.copy(project / "config" / "venues.csv", folder / "config")
    (folder / "list.csv").write_text(LIST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAPERLAKE_CONFIG", str(folder / "config"))
        assert call(["run", str(folder / "list.csv"), "--direct", "--lake", str(folder / "lake")]) == 0
    return folder / "lake"


@pytest.fixture
def desk(
    tmp_path: Path,
    project: Path,
    lake_of_four: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Desk:
    made = Desk(tmp_path, project, capsys)
    shutil.copytree(lake_of_four, made.lake, symlinks=True)
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(made.config))
    return made


def test_checks_are_listed_with_their_results_rows_and_files(desk: Desk) -> None:
    found = desk.checks()
    assert {"unique_keys", "foreign_keys", "orphans", "expected_counts", "expected_nulls"} <= found.keys()
    assert {name for name, row in found.items() if row["result"] != "passed"} == {"empty_authors"}
    row = found["empty_authors"]
    assert (row["severity"], row["result"], row["failing_rows"]) == ("warn", "warning", 1)
    assert row["files"] == [{"file_name": "list.csv", "count": 1}]
    assert [sample["title"] for sample in row["sample"]] == ["Nobody wrote this"]
    page = desk.call("check")
    assert "from list.csv (1)" in page and "Nobody wrote this" in page and "unique_keys" in page
    assert len(list(csv.reader(io.StringIO(desk.call("check", "--format", "csv"))))) == len(found) + 1


def test_only_the_named_checks_run(desk: Desk) -> None:
    assert list(desk.checks("unique_keys", "orphans")) == ["unique_keys", "orphans"]
    assert "there is no check 'unique_key'; did you mean 'unique_keys'?" in desk.call("check", "unique_key", code=1)
    assert "exclude each other" in desk.call("check", "--all", "--at", "previous", code=2)


@pytest.mark.parametrize(
    ("expected", "failing"),
    [
        ('[[papers]]\nvenue_id = "iclr"\nyear = 2020\nmin = 2\nmax = 2', {}),
        ('[[papers]]\nvenue_id = "iclr"\nmin = 4', {}),
        ('[[papers]]\nvenue_id = "icml"\nmax = 0', {}),
        ('[[nulls]]\ntable = "papers"\ncolumn = "authors"\nmax_null_ratio = 0.25', {}),
        ('[[papers]]\nvenue_id = "iclr"\nyear = 2020\nmin = 3', {"expected_counts": 1}),
        ('[[papers]]\nvenue_id = "iclr"\nyear = 2021\nmax = 1', {"expected_counts": 1}),
        ('[[papers]]\nvenue_id = "iclr"\nmax = 3', {"expected_counts": 1}),
        ('[[papers]]\nvenue_id = "icml"\nyear = 2020\nmin = 1', {"expected_counts": 1}),
        ('[[nulls]]\ntable = "papers"\ncolumn = "authors"\nmax_null_ratio = 0.2', {"expected_nulls": 1}),
        ('[[nulls]]\ntable = "papers"\ncolumn = "abstract"\nmax_null_ratio = 0.99', {"expected_nulls": 1}),
    ],
)
def test_release_is_held_to_what_a_person_expects(desk: Desk, expected: str, failing: dict[str, int]) -> None:
    desk.expect(expected)
    found = desk.checks("expected_counts", "expected_nulls", code=1 if failing else 0)
    assert {name: row["failing_rows"] for name, row in found.items() if row["result"] == "failed"} == failing


def test_changed_expectation_is_not_nothing_new_and_stops_a_run(desk: Desk) -> None:
    assert "nothing new" in desk.run()
    desk.expect('[[papers]]\nvenue_id = "iclr"\nyear = 2020\nmin = 2')
    assert "nothing new" not in desk.run()
    assert "nothing new" in desk.run()
    before = (desk.lake / "current").readlink()
    desk.expect('[[papers]]\nvenue_id = "iclr"\nyear = 2020\nmin = 3')
    assert "nothing is published, checks failed: expected_counts (1 row)" in desk.run(code=1)
    assert (desk.lake / "current").readlink() == before
    (kept,) = desk.lake.glob("runs/*/expected_counts.jsonl")
    assert json.loads(kept.read_text())["paper_count"] == 2


def test_own_check_stops_a_run_and_names_the_files_of_its_rows(desk: Desk) -> None:
    desk.own("late_papers", LATE_PAPERS.format(severity="error"))
    message = desk.run(code=1)
    assert "late_papers (2 rows)" in message and "Those of late_papers come from list.csv." in message
    assert desk.checks("late_papers", code=1)["late_papers"]["failing_rows"] == 2
    desk.own("late_papers", LATE_PAPERS.format(severity="warn"))
    assert "nothing new" not in desk.run()
    assert "late_papers" in desk.call("sql", "select check_name from checks where not passed")
    assert desk.checks("late_papers")["late_papers"]["result"] == "warning"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("copy papers to 'x.csv'", "only reads"),
        ("select * from read_csv('/etc/passwd')", "may not stand in `from`"),
        ("select * from '/etc/passwd'", "cannot run"),
        ("select 1; drop view papers", "one statement"),
        ("select titel from papers", "titel"),
    ],
)
def test_own_check_that_does_more_than_read_the_release_cannot_run(desk: Desk, sql: str, message: str) -> None:
    desk.own("bad", f"-- severity: warn\n-- meaning: never\n{sql}\n")
    found = desk.checks(code=1)
    assert found["bad"]["result"] == "cannot run" and message in found["bad"]["meaning"]
    assert found["unique_keys"]["result"] == "passed"
    assert "the check bad cannot run on these tables" in desk.run(code=1)


def test_own_check_without_a_header_or_with_a_taken_name_is_refused(desk: Desk) -> None:
    desk.own("bare", "select 1")
    assert "bare.sql: expected first lines" in desk.call("check", code=1)
    (desk.config / "own" / "bare.sql").unlink()
    desk.own("unique_keys", LATE_PAPERS.format(severity="warn"))
    assert "give yours another" in desk.call("check", code=1)


def test_what_an_editor_leaves_is_no_check_and_a_folder_is_refused(desk: Desk) -> None:
    desk.own("late", LATE_PAPERS.format(severity="warn"))
    (desk.config / "own" / ".#late.sql").symlink_to("someone@elsewhere.1234")
    (desk.config / "own" / "._late.sql").write_bytes(b"\x00\x05\xff")
    assert desk.checks("late")["late"]["result"] == "warning"
    (desk.config / "own" / "folder.sql").mkdir()
    assert "folder.sql is no regular file" in desk.call("check", code=1)


def test_a_sample_of_the_failing_rows_says_that_there_are_more(desk: Desk) -> None:
    desk.own("many", "-- severity: warn\n-- meaning: many\nselect i from range(1000) r(i)")
    assert "the first 2 rows; there are more (--rows N shows N of them)" in desk.call("check", "many", "--rows", "2")
    assert "the first" not in desk.call("check", "many", "--rows", "1000")


def test_endless_own_check_ends_with_the_time_of_a_query(desk: Desk) -> None:
    desk.own("endless", "-- severity: warn\n-- meaning: never\nselect count(*) from range(10000000000) a, range(1000) b")
    with (desk.config / "pipeline.toml").open("a") as file:
        file.write("[query]\ntime_seconds = 0.5\n")
    assert "it took more than 0.5 s" in desk.checks("endless", code=1)["endless"]["meaning"]


def test_every_release_is_checked_with_all(desk: Desk) -> None:
    (desk.folder / "list.csv").write_text(LIST + 'e,One more tide,"Lund, Peder",ICLR,2020\n')
    desk.run()
    desk.expect('[[papers]]\nvenue_id = "iclr"\nmin = 5')
    rows = json.loads(desk.call("check", "expected_counts", "--all", "--format", "json", code=1))
    current = (desk.lake / "current").readlink().name
    assert len(rows) >= 2 and rows[0]["release_id"] == current
    assert {row["result"] for row in rows if row["release_id"] == current} == {"passed"}
    assert desk.checks("expected_counts", "--at", "previous", code=1)["expected_counts"]["result"] == "failed"


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("[papers]\nmin = 1", r"papers should be blocks that begin with \[\[papers\]\]"),
        ("[[paper]]\nmin = 1", "unknown key 'paper'. Did you mean 'papers'"),
        ("[[papers]]\nmin = 1", "needs venue_id"),
        ('[[papers]]\nvenue_id = "iclr"\nmim = 1', r"\[\[papers\]\] 1: unknown key 'mim'. Did you mean 'min'"),
        ('[[papers]]\nvenue_id = "iclrr"\nmin = 1', "venue_id = 'iclrr' is not known. Did you mean 'iclr'"),
        ('[[papers]]\nvenue_id = "iclr"', "needs min, max or both"),
        ('[[papers]]\nvenue_id = "iclr"\nmin = 3\nmax = 2', "min = 3 is more than max = 2"),
        ('[[papers]]\nvenue_id = "iclr"\nmin = "3"', "should be int"),
        ('[[papers]]\nvenue_id = "iclr"\nyear = 20240\nmin = 3', "four digits"),
        ('[[nulls]]\ntable = "papers"\ncolumn = "titel"\nmax_null_ratio = 0', "column = 'titel' is not known"),
        ('[[nulls]]\ntable = "paper"\ncolumn = "title"\nmax_null_ratio = 0', "Did you mean 'papers'"),
        ('[[nulls]]\ntable = "papers"\ncolumn = "title"\nmax_null_ratio = 5', "from 0 to 1"),
        ('[[nulls]]\ntable = "papers"\ncolumn = "title"', "needs max_null_ratio"),
    ],
)
def test_wrong_expectation_is_named_with_its_block(desk: Desk, expected: str, message: str) -> None:
    desk.expect(expected)
    with pytest.raises(ConfigError, match=message):
        load_settings(desk.config)


def test_folder_of_own_checks_must_be_there(desk: Desk) -> None:
    (desk.config / "pipeline.toml").write_text('[checks]\nfolder = "onw"\n')
    with pytest.raises(ConfigError, match=r"pipeline\.toml \[checks\]: folder = 'onw': there is no folder"):
        load_settings(desk.config)


def test_shipped_expectations_are_examples_that_hold_when_uncommented(project: Path, tmp_path: Path) -> None:
    shutil.copy(project / "config" / "venues.csv", tmp_path)
    lines = (project / "config" / "expected.toml").read_text().splitlines()
    examples = [line.removeprefix("# ") for line in lines if line.startswith("# [[") or " = " in line]
    (tmp_path / "expected.toml").write_text("\n".join(examples))
    found = load_settings(tmp_path).expectations
    assert (len(found.papers), len(found.nulls)) == (1, 1)
    assert load_settings(project / "config").expectations.papers == ()


def test_check_that_cannot_run_on_an_old_release_does_not_stop_the_others(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    release = (desk.lake / "current").resolve()
    (path,) = (release / "papers").glob("*.parquet")
    table = pq.read_table(path)
    path.chmod(0o644)
    pq.write_table(table.drop_columns(["decision"]), path)
    found = desk.checks(code=1)
    assert found["known_values"]["result"] == "cannot run" and "decision" in found["known_values"]["meaning"]
    assert found["unique_keys"]["result"] == "passed"
