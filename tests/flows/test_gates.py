"""The gate through the command line: what a source may change, what holds it back, and what lets it through."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.cli import call

COUNT = 20


def rows(count: int = COUNT, word: str = "rivers") -> str:
    """A list of papers as CSV, with a column that fills no field, and one that is empty throughout."""
    lines = [
        f'k{i},Warm ice in {word} number {i},"Lee, Ann",{2000 + i},10.5555/{word}.{i},stack {i},\n' for i in range(1, count + 1)
    ]
    return "id,title,author,year,doi,stack,blank\n" + "".join(lines)


def objects(count: int = COUNT, **optional: int) -> str:
    """A list of papers as JSON; `optional` says of a key how many of the first records have it."""
    papers = [
        {"id": f"j{i}", "title": f"Dry bones of old whales, part {i}", "authors": ["Hana Sato"], "year": 2011}
        | {key: f"{key} of {i}" for key, many in optional.items() if i <= many}
        for i in range(1, count + 1)
    ]
    return json.dumps(papers)


class Night:
    """A lake with two configured sources: `club`, whose files change, and `zoo`, which must go on whatever club brings."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lake, self.club = folder, folder / "lake", folder / "club"

    def call(self, *words: object, code: int = 0) -> str:
        """What a command prints."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setenv("PAPERLAKE_CONFIG", str(self.folder / "config"))
            found = call([*map(str, words), "--lake", str(self.lake)])
        assert found == code, (words, out.getvalue(), err.getvalue())
        return out.getvalue() or err.getvalue()

    def run(self, *words: object, code: int = 0) -> dict[str, Any]:
        """The report of a run."""
        return json.loads(self.call("run", "--direct", *words, "--format", "json", code=code))

    def why(self) -> str:
        """Why club is held back by a run, which it is to be alone."""
        report = self.run(code=3)
        assert list(report["held_sources"]) == ["club"]
        return " ".join(report["held_sources"]["club"])

    def titles(self) -> set[str]:
        """The titles of the papers."""
        return {row["title"] for row in self.ask("select title from papers")}

    def ask(self, query: str) -> list[dict[str, Any]]:
        return json.loads(self.call("sql", query, "--format", "json"))

    def configure(self, block: str = "") -> None:
        """Replaces the settings of club."""
        text = f'[sources.club]\nlocation = "../club"\n{block}\n[sources.zoo]\nlocation = "../zoo/*.csv"\n'
        (self.folder / "config" / "sources.toml").write_text(text)

    def state(self) -> dict[str, Any]:
        return json.loads((self.lake / "state" / "gates.json").read_text())

    def copy(self, folder: Path) -> Night:
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        return Night(folder)


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Night:
    """The lake before anything changed; tests copy it."""
    night = Night(tmp_path_factory.mktemp("gates"))
    for name in ("config", "club", "zoo"):
        (night.folder / name).mkdir()
    (night.folder / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    night.configure()
    (night.club / "list.csv").write_text(rows())
    (night.club / "list.json").write_text(objects(award=1, keywords=18))
    (night.club / "few.csv").write_text(rows(3, "lakes"))
    with zipfile.ZipFile(night.club / "box.zip", "w") as box:
        for name in ("one.csv", "two.csv"):
            box.writestr(name, rows(10, name[:3]))
    (night.folder / "zoo" / "list.csv").write_text(rows(2, "zoos"))
    assert night.run()["row_counts"]["papers"] == 2 * COUNT + 3 + 20 + 2
    return night


@pytest.fixture
def night(evening: Night, tmp_path: Path) -> Night:
    return evening.copy(tmp_path)


def put(name: str, content: str) -> Callable[[Path], object]:
    return lambda club: (club / name).write_text(content)


def gone(*names: str) -> Callable[[Path], object]:
    return lambda club: [(club / name).unlink() for name in names]


def boxed(*names: str) -> Callable[[Path], object]:
    def write(club: Path) -> None:
        with zipfile.ZipFile(club / "box.zip", "w") as box:
            for name in names:
                box.writestr(name, rows(10, name[:3]))

    return write


def padded(count: int) -> str:
    """A list of about the bytes that one of `COUNT` has, whatever its count of records."""
    text = rows(count)
    return text + f"k99,{'A very long title ' * ((len(rows()) - len(text)) // 18)},,,,,\n"


ERROR_PAGE = "<html><body><h1>503</h1>" + "<p>The list is out of service today.</p>" * 34 + "</body></html>"
NO_TITLE = rows().replace("title,", "Beitrag,", 1)
NO_AUTHOR = "".join(f"{','.join([*line.split(',')[:2], *line.split(',')[4:]])}" for line in rows().splitlines(keepends=True))
EMPTY_AUTHOR = rows().replace('"Lee, Ann"', "")

CLOSED: list[tuple[str, Callable[[Path], object], list[str]]] = [
    ("larger by 30 %", put("list.csv", rows(26)), ["list.csv has", "bytes, where it had", "(+"]),
    ("fewer by 30 %", put("list.csv", rows(14)), ["list.csv has", "bytes, where it had", "(-"]),
    ("empty", put("list.csv", ""), ["list.csv was read as a list of papers, and is none now: the file is empty"]),
    (
        "an error page",
        put("list.csv", ERROR_PAGE),
        ["list.csv was read as a list of papers, and is none now", "a page of HTML"],
    ),
    ("another format", put("list.csv", objects(17)), ["was read by the reader delimited, and is now by json_records"]),
    ("fewer records of like size", put("list.csv", padded(5)), ["it has 49 records, where it had 63 (-22.2 %)"]),
    (
        "an unknown title",
        put("list.csv", NO_TITLE),
        ["the column 'title' is gone", "title in 20 of 20 records", '[sources.club] columns = {"Beitrag" = "title"}'],
    ),
    ("no author", put("list.csv", NO_AUTHOR), ["the column 'author' is gone; it filled authors in 20 of 20 records"]),
    ("empty authors", put("list.csv", EMPTY_AUTHOR), ["list.csv: the column 'author' is there but empty"]),
    (
        "no column of its own",
        put("list.csv", rows().replace("stack,", "pile,", 1)),
        ["the column 'stack' is gone, which had a value in 20 of 20 records", "'stack' may be 'pile' now"],
    ),
    ("a key of most", put("list.json", objects(award=1)), ["list.json: the column 'keywords' is gone"]),
    ("three of five files", gone("list.json", "few.csv", "list.csv"), ["2 files of it are there now, where 5 were"]),
    ("all files", gone("list.json", "few.csv", "list.csv", "box.zip"), ["no file"]),
    ("a member of an archive", boxed("one.csv"), ["it has 53 records, where it had 63 (-15.9 %)"]),
]

OPEN: list[tuple[str, Callable[[Path], object], list[str]]] = [
    ("larger by 10 %", put("list.csv", rows(22)), []),
    ("fewer by 10 %", put("list.csv", rows(18)), []),
    ("a new file", put("new.csv", rows(5, "seas")), []),
    ("a new file that is no list", put("new.txt", "Remember the milk.\n"), []),
    ("a known title", put("list.csv", rows().replace("title,", "Paper Title,", 1)), ["title is filled by 'Paper Title'"]),
    ("a column more", put("list.csv", rows().replace("\n", ",mark\n")), ["list.csv: new column 'mark' (no field)"]),
    ("a blank column less", put("list.csv", rows().replace(",blank", "").replace(",\n", "\n")), []),
    ("a rare key less", put("list.json", objects(keywords=18)), []),
    ("a key of most in fewer", put("list.json", objects(award=1, keywords=15)), []),
    ("a small file less", gone("few.csv"), ["few.csv is no longer at the source, and stays live; `paperlake forget`"]),
    ("another archive", boxed("one.csv", "two.csv"), []),
]


@pytest.mark.parametrize(("change", "words"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED])
def test_the_gate_closes_for(night: Night, change: Callable[[Path], object], words: list[str]) -> None:
    before = night.titles()
    change(night.club)
    why = night.why()
    assert [word for word in words if word not in why] == [], why
    assert night.titles() == before


@pytest.mark.parametrize(("change", "notes"), [row[1:] for row in OPEN], ids=[row[0] for row in OPEN])
def test_the_gate_is_open_for(night: Night, change: Callable[[Path], object], notes: list[str]) -> None:
    change(night.club)
    report = night.run()
    assert report["held_sources"] == {}
    said = " ".join(report["source_notes"])
    assert [note for note in notes if note not in said] == [], said
    assert night.run()["outcome"] == "nothing new"


def test_the_others_go_on_and_the_release_says_what_was_held(night: Night) -> None:
    (night.club / "list.csv").write_text(rows(4))
    (night.folder / "zoo" / "list.csv").write_text(rows(2, "parks"))
    report = night.run(code=3)
    assert report["outcome"] == "published"
    assert {title for title in night.titles() if "parks" in title or "zoos" in title} == {
        "Warm ice in parks number 1",
        "Warm ice in parks number 2",
    }
    told = json.loads((night.lake / "current" / "release.json").read_text())["held_sources"]["club"]
    assert told["reasons"] == report["held_sources"]["club"]
    assert told["last_good_at"] == night.state()["club"]["passed_at"]


def test_what_is_held_is_said_with_the_command_that_lets_it_through(night: Night) -> None:
    (night.club / "list.csv").write_text(rows(4))
    text = night.call("run", "--direct", code=3)
    assert "held back: club: it has 47 records, where it had 63 (-25.4 %); list.csv has " in text
    assert "; its last good files stay live, `paperlake run --accept club` lets what is there now through" in text
    assert f"run --accept club --lake {night.lake}" in text.partition("Try next:")[2]


def test_held_again_it_is_not_read_again(night: Night) -> None:
    (night.club / "list.csv").write_text(rows(4))
    why = night.run(code=3)
    again = night.run(code=3)
    assert again["held_sources"] == why["held_sources"]
    assert (again["outcome"], again["files_read"]) == ("nothing new", 0)
    assert "stage" not in again["seconds_by_step"]


NOTHING_NEW = """
import sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
from flows.cli import call
code = call(["run", "--lake", sys.argv[1], "--direct"])
data = [path for path in opened if path.endswith(".parquet") or "/raw/" in path or "/club/" in path]
print(code, [name for name in ("polars", "prefect", "duckdb", "pyarrow") if name in sys.modules], data)
"""


def test_with_nothing_new_a_held_source_costs_no_import_and_opens_no_data(night: Night) -> None:
    (night.club / "list.csv").write_text(rows(4))
    night.run(code=3)
    environment = os.environ | {"PAPERLAKE_CONFIG": str(night.folder / "config")}
    words = [sys.executable, "-c", NOTHING_NEW, str(night.lake)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == "3 [] []"


def test_accepted_it_goes_through_and_is_the_last_good_state(night: Night) -> None:
    (night.club / "list.csv").write_text(rows(4))
    night.run(code=3)
    (night.folder / "zoo" / "list.csv").write_text(rows(2, "parks"))
    night.run(code=3)  # a whole run in between, which tidies up what nobody needs
    report = night.run("--accept", "club")
    assert (report["held_sources"], report["files_read"]) == ({}, 0)  # read when it was judged
    assert report["row_counts"]["papers"] == 4 + COUNT + 3 + 20 + 2
    assert night.run()["outcome"] == "nothing new"
    (night.club / "list.csv").write_text(rows(2))
    assert "list.csv has" in night.why()


def test_accepted_unread_it_goes_through_too(night: Night) -> None:
    (night.club / "list.csv").write_text("")
    assert night.run("--accept", "club")["held_sources"] == {}
    assert night.run()["outcome"] == "nothing new"


def test_accepted_files_that_are_gone_stay_live_and_are_not_missed_again(night: Night) -> None:
    gone("list.json", "few.csv", "list.csv")(night.club)
    before = night.titles()
    night.run(code=3)
    report = night.run("--accept", "club")
    assert "3 files are no longer at the source, and stay live (few.csv, list.csv, list.json)" in report["source_notes"][0]
    assert night.run()["held_sources"] == {}
    assert night.titles() == before


@pytest.mark.parametrize(("word", "said"), [("clubb", "Did you mean 'club'?"), ("x", "Sources are: club, zoo.")])
def test_accept_wants_the_name_of_a_source(night: Night, word: str, said: str) -> None:
    assert said in night.call("run", "--direct", "--accept", word, code=2)


@pytest.mark.parametrize(
    ("block", "change"),
    [
        ("size_change_ratio = 0.9\nrecords_drop_ratio = 0.5", put("list.csv", rows(14))),
        ("hold_changed_columns = false", put("list.csv", rows().replace("stack,", "pile,", 1))),
        ("records_drop_ratio = 0.9", gone("list.json", "few.csv", "list.csv")),
        ('columns = {stack = "ignore"}', put("list.csv", rows().replace("stack,", "pile,", 1))),
    ],
)
def test_what_is_held_is_judged_anew_when_the_settings_change(
    night: Night, block: str, change: Callable[[Path], object]
) -> None:
    change(night.club)
    night.run(code=3)
    night.configure(block)
    assert night.run()["held_sources"] == {}


def test_the_patch_that_the_message_suggests_lets_renamed_columns_through(night: Night) -> None:
    night.configure('columns = {"stack" = "ignore"}')
    night.run()
    (night.club / "list.csv").write_text(rows().replace("id,title,author,", 'id,"Der ""Titel""",Leute,', 1))
    patch = night.why().partition("write in sources.toml: ")[2]
    columns = tomllib.loads(f"[sources.club]\n{patch.removeprefix('[sources.club] ')}")["sources"]["club"]["columns"]
    assert columns == {"stack": "ignore", 'Der "Titel"': "title", "Leute": "authors"}
    night.configure(patch.removeprefix("[sources.club] "))
    report = night.run()
    assert report["held_sources"] == {}
    assert "Warm ice in rivers number 7" in night.titles()


def test_a_table_that_is_none_any_more_for_want_of_a_title_gets_a_patch_too(night: Night) -> None:
    plain = "id,title,author,year\n" + "".join(f'k{i},Warm ice in rivers number {i},"Lee, Ann {i}",2020\n' for i in range(20))
    (night.club / "list.csv").write_text(plain)
    night.run("--accept", "club")
    (night.club / "list.csv").write_text(plain.replace("title,author,", "Beitrag,Leute,", 1))
    why = night.why()
    assert "list.csv was read as a list of papers, and is none now" in why
    patch = why.partition("write in sources.toml: ")[2]
    assert patch == '[sources.club] columns = {"Beitrag" = "title", "Leute" = "authors"}'
    night.configure(patch.removeprefix("[sources.club] "))
    assert night.run()["held_sources"] == {}


def test_a_source_that_is_new_has_nothing_to_be_compared_with_but_must_be_readable(night: Night) -> None:
    blocks = (night.folder / "config" / "sources.toml").read_text()
    for name, text in (("good", rows(1, "ponds")), ("bad", ERROR_PAGE)):
        (night.folder / name).mkdir()
        (night.folder / name / "list.csv").write_text(text)
        blocks += f'[sources.{name}]\nlocation = "../{name}"\n'
    (night.folder / "config" / "sources.toml").write_text(blocks)
    report = night.run(code=3)
    assert list(report["held_sources"]) == ["bad"]
    assert "nothing of it can be read as a list of papers: list.csv: " in report["held_sources"]["bad"][0]
    assert "Warm ice in ponds number 1" in night.titles()


def test_with_nothing_live_and_no_source_to_be_had_the_run_fails_and_names_each(night: Night) -> None:
    shutil.rmtree(night.lake)
    for path in (*night.club.iterdir(), *(night.folder / "zoo").iterdir()):
        path.unlink()
    (night.club / "list.csv").write_text(ERROR_PAGE)
    said = night.call("run", "--direct", code=1)
    assert "\n  club: nothing of it can be read as a list of papers" in said
    assert "\n  zoo: " in said
    (night.club / "list.csv").write_text(rows())
    assert list(night.run(code=3)["held_sources"]) == ["zoo"]


def test_back_to_what_was_good_nothing_is_held(night: Night) -> None:
    (night.club / "list.csv").write_text(rows(4))
    night.run(code=3)
    (night.club / "list.csv").write_text(rows())
    assert night.run()["outcome"] == "nothing new"
    assert night.state()["club"]["held"] is None


@pytest.mark.parametrize("damage", [None, "", "[]", "{}", '{"club": 3}', '{"club": {"paths": 1, "held": {"key": ""}}}', "\0"])
def test_a_lost_or_damaged_state_opens_no_gate(night: Night, damage: str | None) -> None:
    gone("list.json", "few.csv", "list.csv")(night.club)
    why = night.why()
    path = night.lake / "state" / "gates.json"
    path.unlink() if damage is None else path.write_text(damage)
    assert night.why() == why


def test_without_stage_outputs_the_last_good_files_are_read_again_to_judge(night: Night) -> None:
    shutil.rmtree(night.lake / "work")
    (night.club / "list.csv").write_text(rows(4))
    assert "it has 47 records, where it had 63" in night.why()


def test_files_of_the_command_line_are_not_judged(night: Night, tmp_path: Path) -> None:
    (night.club / "list.csv").write_text(rows(4))
    given = tmp_path / "given.csv"
    given.write_text("")
    assert night.run(given)["held_sources"] == {}
    assert night.run(code=3)["held_sources"].keys() == {"club"}


def test_forgotten_and_gone_a_file_is_not_missed(night: Night) -> None:
    gone("list.json", "few.csv", "list.csv")(night.club)
    night.call("forget", "club/list.json", "club/few.csv", "club/list.csv")
    assert night.run()["held_sources"] == {}


def test_the_abstract_that_each_of_many_pages_lost_is_seen_over_all_of_them(night: Night) -> None:
    def pages(key: str) -> None:
        for i in range(12):
            paper = {"id": f"p{i}", "title": f"On heat below the frost, part {i}", key: "Heat is warm."}
            (night.club / f"page{i:02}.json").write_text(json.dumps([paper]))

    pages("abstract")
    assert night.run()["held_sources"] == {}
    (night.club / "page00.json").write_text(
        json.dumps([{"id": "p0", "title": "On heat below the frost, part 0", "x": "Heat i"}])
    )
    assert night.run()["held_sources"] == {}  # one of one tells nothing
    pages("gist_of_it")
    assert "12 files: the column 'abstract' is gone" in night.why()


def tables(lake: Path) -> dict[str, str]:
    """The hash of each table but the one that depends on history."""
    found = sorted((lake / "current").resolve().glob("*/*.parquet"))
    return {
        path.parent.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found if path.parent.name != "paper_aliases"
    }


def test_killed_anywhere_about_the_gate_the_next_run_holds_what_is_to_be_held(night: Night, tmp_path: Path) -> None:
    (night.club / "list.csv").write_text(rows(4))
    (night.folder / "zoo" / "list.csv").write_text(rows(2, "parks"))

    def run(lake: Path, **crash: str) -> int:
        environment = os.environ | {"PAPERLAKE_CONFIG": str(night.folder / "config")} | crash
        words = [sys.executable, "-m", "flows.cli", "run", "--direct", "--lake", str(lake)]
        return subprocess.run(words, env=environment, capture_output=True, check=False).returncode

    undisturbed, log = tmp_path / "undisturbed", tmp_path / "points"
    shutil.copytree(night.lake, undisturbed, symlinks=True)
    assert run(undisturbed, PAPERLAKE_CRASH_LOG=str(log)) == 3
    points = log.read_text().splitlines()
    stage, gate = points.index("after step stage"), points.index("after step gate")
    written = [number for number in range(stage, gate) if points[number] == "after rename to state"]
    assert len(written) >= 2  # the live set, and what the gate keeps
    near = [points.index("after step land"), stage, *written]
    for number in near:
        lake = tmp_path / str(number)
        shutil.copytree(night.lake, lake, symlinks=True)
        assert run(lake, PAPERLAKE_CRASH_AT=str(number + 1)) == -signal.SIGKILL, points[number]
        killed = Night(night.folder)
        killed.lake = lake
        assert killed.run(code=3)["held_sources"].keys() == {"club"}, points[number]
        assert tables(lake) == tables(undisturbed), points[number]
        shutil.rmtree(lake)


GOOD = {"a": rows(), "b": rows(19), "c": rows(21), "d": rows().replace("Warm", "Cold"), "e": rows().replace("Ann", "Bo")}
BAD = {"empty": "", "page": ERROR_PAGE, "few": rows(9), "many": rows(40), "renamed": NO_TITLE, "cut": NO_AUTHOR}


@pytest.fixture(scope="module")
def alone(evening: Night, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """The tables that each good list gives by itself."""
    found = {}
    for name, text in GOOD.items():
        night = evening.copy(tmp_path_factory.mktemp(f"alone-{name}"))
        shutil.rmtree(night.lake)
        (night.club / "list.csv").write_text(text)
        night.run()
        found[name] = tables(night.lake)
    assert len({json.dumps(each) for each in found.values()}) == len(GOOD)
    return found


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dumps=st.lists(st.sampled_from([*GOOD, *BAD]), min_size=1, max_size=5))
def test_whatever_came_the_release_is_what_the_last_good_lists_give_alone(
    evening: Night, alone: dict[str, dict[str, str]], tmp_path_factory: pytest.TempPathFactory, dumps: list[str]
) -> None:
    night = evening.copy(tmp_path_factory.mktemp("dumps"))
    last = "a"
    for name in dumps:
        (night.club / "list.csv").write_text({**GOOD, **BAD}[name])
        night.run(code=0 if name in GOOD else 3)
        last = name if name in GOOD else last
        assert tables(night.lake) == alone[last]
    shutil.rmtree(night.folder)


@pytest.mark.parametrize(
    ("change", "words", "held", "judged"),
    [
        (put("list.csv", rows(14)), [], ["list.csv has"], []),
        (put("list.csv", rows(14)), ["--accept", "club"], [], []),
        (put("list.csv", ERROR_PAGE), [], ["list.csv would be read as a list of papers no longer"], []),
        (put("list.csv", rows(19)), [], [], ["club"]),
        (gone("list.json", "few.csv", "list.csv", "box.zip"), [], ["no file"], []),
    ],
)
def test_a_dry_run_says_what_would_be_held_and_changes_nothing(
    night: Night, change: Callable[[Path], object], words: list[str], held: list[str], judged: list[str]
) -> None:
    change(night.club)
    before = {path: path.stat().st_mtime_ns for path in night.lake.rglob("*")}
    plan = json.loads(night.call("run", "--dry-run", *words, "--format", "json"))
    said = " ".join(plan["held_sources"].get("club", []))
    assert bool(said) == bool(held)
    assert all(word in said for word in held), said
    assert plan["judged_sources"] == judged
    assert {path: path.stat().st_mtime_ns for path in night.lake.rglob("*")} == before
