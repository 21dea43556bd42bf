"""What a source may change, what holds it back, and which settings are suggested where columns moved."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from changing_lists import EMPTY_AUTHOR, ERROR_PAGE, NO_AUTHOR, NO_TITLE, Night, boxed, gone, objects, padded, put, rows, tables

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
    ("more in another encoding", lambda club: (club / "list.csv").write_text(rows(26), encoding="utf-16"), ["list.csv has"]),
    ("all files but one", gone("list.json", "few.csv", "box.zip"), ["1 file of it is there now, where 5 were"]),
    ("a member of an archive", boxed("one.csv"), ["it has 53 records, where it had 63 (-15.9 %)"]),
]

OPEN: list[tuple[str, Callable[[Path], object], list[str]]] = [
    ("larger by 10 %", put("list.csv", rows(22)), []),
    ("fewer by 10 %", put("list.csv", rows(18)), []),
    ("another encoding", lambda club: (club / "list.csv").write_text(rows(), encoding="utf-16"), []),
    ("compression", lambda club: (club / "list.csv").write_bytes(gzip.compress(rows().encode())), []),
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
    before = tables(night.lake)
    change(night.club)
    why = night.why()
    assert [word for word in words if word not in why] == [], why
    assert tables(night.lake) == before


@pytest.mark.parametrize(("change", "notes"), [row[1:] for row in OPEN], ids=[row[0] for row in OPEN])
def test_the_gate_is_open_for(night: Night, change: Callable[[Path], object], notes: list[str]) -> None:
    change(night.club)
    report = night.run()
    assert report["held_sources"] == {}
    said = " ".join(report["source_notes"])
    assert [note for note in notes if note not in said] == [], said
    assert night.run()["outcome"] == "nothing new"


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
    assert "whose columns have no known name: id, Beitrag, Leute, year" in why
    assert [word for word in ("say in sources.toml", "closest was") if word in why] == []
    patch = why.partition("write in sources.toml: ")[2]
    assert patch == '[sources.club] columns = {"Beitrag" = "title", "Leute" = "authors"}'
    night.configure(patch.removeprefix("[sources.club] "))
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
