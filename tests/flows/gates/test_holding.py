"""What becomes of a source that is held back: who goes on, what is said, and what lets it through."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from changing_lists import COUNT, ERROR_PAGE, Night, gone, put, rows


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
    look, accept = text.partition("Try next:")[2].split("\n")[1:3]
    assert look.endswith(f" sources --lake {night.lake}")
    assert accept.endswith(f" run --accept club --lake {night.lake}")


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


def test_files_of_the_command_line_are_not_judged(night: Night, tmp_path: Path) -> None:
    (night.club / "list.csv").write_text(rows(4))
    given = tmp_path / "given.csv"
    given.write_text("")
    assert night.run(given)["held_sources"] == {}
    assert night.run(code=3)["held_sources"].keys() == {"club"}


def test_a_source_that_is_named_otherwise_now_is_said_to_stay_live_until_it_is_forgotten(night: Night) -> None:
    config = night.folder / "config" / "sources.toml"
    config.write_text(config.read_text().replace("[sources.zoo]", "[sources.park]"))
    note = (
        "zoo: sources.toml has no source of this name any more, and 1 file stays live; `paperlake forget zoo` takes all of it "
        "out of the lake"
    )
    assert night.run()["source_notes"] == [note]
    assert night.run()["source_notes"] == [note]
    assert night.run(night.club / "few.csv")["source_notes"] == []  # not of the sources
    night.call("forget", "zoo")
    assert night.run()["source_notes"] == []


def test_what_is_held_of_a_source_that_is_named_otherwise_now_is_kept_no_longer(night: Night) -> None:
    (night.club / "list.csv").write_text(rows(4))
    night.run(code=3)
    config = night.folder / "config" / "sources.toml"
    text = config.read_text()
    config.write_text(text.replace("[sources.club]", "[sources.verein]"))
    assert night.run()["held_sources"] == {}  # a new source, which has nothing to be compared with
    assert night.state()["club"]["held"] is None
    config.write_text(text)
    assert "list.csv has" in night.why()


def test_forgotten_and_gone_a_file_is_not_missed(night: Night) -> None:
    gone("list.json", "few.csv", "list.csv")(night.club)
    night.call("forget", "club/list.json", "club/few.csv", "club/list.csv")
    assert night.run()["held_sources"] == {}


@pytest.mark.parametrize(
    ("change", "words", "held", "judged"),
    [
        (put("list.csv", rows(14)), [], ["list.csv has"], []),
        (put("list.csv", rows(14)), ["--accept", "club"], [], []),
        (put("list.csv", ERROR_PAGE), [], ["list.csv would be read as a list of papers no longer"], []),
        (put("list.csv", rows(19)), [], [], ["club"]),
        (lambda club: (club / "list.csv").write_bytes(gzip.compress(rows().encode())), [], [], ["club"]),
        (lambda club: (club / "list.csv").write_bytes(gzip.compress(rows(26).encode())), [], ["list.csv has"], []),
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
