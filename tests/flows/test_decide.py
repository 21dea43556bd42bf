"""People overrule matching: `decide`, `decisions` and `matches`, and what the next runs make of it."""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from flows.cli import call
from warehouse.layout import Lake
from warehouse.lock import hold_lock

PAPERS = """id,title,author,year,doi
a,Warm ice in cold rivers,"Lee, Ann and Okri, Ben",2020,10.5555/ice.a
b,Warm ice in cold rivers,"Lee, Ann and Okri, Ben",2020,
c,Warm ice in cold rivers,"Lee, Ann and Okri, Ben",2020,10.5555/ice.c
d,The dry bones of old whales,"Sato, Hana",2011,
e,"Old whales, dry bones","Sato, Hana",2011,
"""
MORE = """id,title,author,year
f,A ledger of small tides,"Lund, Peder",2015
"""
ONE_DOI = """id,title,author,year,doi
g,A ledger of small tides,"Lund, Peder",2015,10.5555/tides
h,The ledger of small tides,"Lund, Peder",2015,10.5555/tides
"""


class Pond:
    """A lake of five records, and the words to try on it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.lake, self.capsys = folder, folder / "lake", capsys
        (folder / "list.csv").write_text(PAPERS)
        (folder / "more.csv").write_text(MORE)
        self.run("list.csv")

    def call(self, *words: object, code: int = 0) -> str:
        """What a command prints: its output, or where it is to fail its error."""
        self.capsys.readouterr()
        found = call([*map(str, words), "--lake", str(self.lake)])
        captured = self.capsys.readouterr()
        assert found == code, captured
        return captured.err if code else captured.out

    def run(self, *names: str, code: int = 0) -> str:
        return self.call("run", *(self.folder / name for name in names), "--direct", code=code)

    def ask(self, query: str) -> list[dict]:
        return json.loads(self.call("sql", query, "--format", "json"))

    def keys(self) -> dict[str, str]:
        """The record key of each record, by the id it has in its file."""
        rows = self.ask("select json_extract_string(raw, '$.id') as id, record_key from records")
        return {row["id"]: row["record_key"] for row in rows}

    def papers(self) -> str:
        """The papers by the ids of their records, as `ab c d e`."""
        query = """
            select string_agg(json_extract_string(raw, '$.id'), '' order by raw) as ids
            from records group by paper_id order by ids
        """
        return " ".join(row["ids"] for row in self.ask(query))

    def decide(self, first: str, second: str, verdict: str, code: int = 0) -> str:
        """Decides on two records by their ids in the file, or on what is no such id."""
        keys = self.keys()
        return self.call(
            "decide", keys.get(first, first), keys.get(second, second), verdict, "--because", "seen in print", code=code
        )

    def tables(self) -> dict[str, str]:
        release = (self.lake / "current").resolve()
        return {p.parent.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(release.rglob("*.parquet"))}


@pytest.fixture
def pond(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Pond:
    pond = Pond(tmp_path, capsys)
    assert len(pond.keys()) == 5
    return pond


def test_decisions_are_kept_by_the_next_run_and_by_all_later_ones(pond: Pond) -> None:
    before = pond.papers()
    assert before.split()[-2:] == ["d", "e"]
    assert "joins papers" in pond.decide("d", "e", "same")
    assert "apart" in pond.decide("a", "c", "different")
    assert pond.papers() == before  # a release is what it was
    assert "decisions: 2 of people" in pond.run()
    assert pond.papers().split()[-1] == "de"
    pairs = pond.ask("select reason, status, blocking_rules from paper_matches where reason like 'decided%' order by reason")
    assert [(row["reason"], row["status"]) for row in pairs] == [("decided_different", "no"), ("decided_same", "match")]
    assert all("decision" in row["blocking_rules"] for row in pairs)
    (alias,) = pond.ask("select reason from paper_aliases where current_paper_id in (select paper_id from papers)")
    assert alias["reason"] == "merged"
    assert "nothing new" in pond.run()
    pond.run("more.csv")
    assert {"de", "f"} <= set(pond.papers().split())
    (pond.lake / "decisions.csv").unlink()
    pond.run()
    assert pond.papers().replace(" f", "") == before


def test_ids_of_papers_taken_apart_and_joined_lead_on(pond: Pond) -> None:
    (pond.folder / "one_doi.csv").write_text(ONE_DOI)
    pond.run("one_doi.csv")
    keys, papers = pond.keys(), "select record_key, paper_id from records where raw like '%tides%'"
    (whole,) = {row["paper_id"] for row in pond.ask(papers)}
    pond.decide("g", "h", "different")
    pond.run()
    apart = {row["record_key"]: row["paper_id"] for row in pond.ask(papers)}
    assert len(set(apart.values())) == 2 and whole not in apart.values()  # one DOI of two papers names neither
    (alias,) = pond.ask("select paper_id, current_paper_id, reason from paper_aliases")
    assert alias == {"paper_id": whole, "current_paper_id": min(apart.values()), "reason": "split"}
    (pond.lake / "decisions.csv").unlink()
    pond.decide("g", "h", "same")
    pond.run()
    assert {row["paper_id"] for row in pond.ask(papers)} == {whole}
    aliases = pond.ask("select paper_id, current_paper_id, reason from paper_aliases order by paper_id")
    joined = sorted((apart[keys["g"]], apart[keys["h"]]))
    assert aliases == [{"paper_id": paper, "current_paper_id": whole, "reason": "merged"} for paper in joined]


def test_the_release_does_not_depend_on_the_order_of_decisions_or_of_files(pond: Pond, tmp_path: Path) -> None:
    for pair, verdict in (("de", "same"), ("bc", "same"), ("ac", "different")):
        pond.decide(*pair, verdict)
    pond.run("more.csv")
    header, *lines = (pond.lake / "decisions.csv").read_text().splitlines()
    want = {name: table for name, table in pond.tables().items() if name != "paper_aliases"}
    for number, order in enumerate(itertools.permutations(lines)):
        if number % 2:
            continue  # three of six are enough
        lake = tmp_path / f"other{number}"
        lake.mkdir()
        swapped = [",".join((cells[1], cells[0], cells[2], "otherwise")) for cells in (line.split(",") for line in order)]
        (lake / "decisions.csv").write_text("\n".join((header, *swapped)))
        for name in ("more.csv", "list.csv"):
            assert call(["run", str(tmp_path / name), "--lake", str(lake), "--direct"]) == 0
        release = (lake / "current").resolve()
        found = {p.parent.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in release.rglob("*.parquet")}
        assert {name: table for name, table in found.items() if name != "paper_aliases"} == want


def test_another_reason_for_a_decision_makes_no_release(pond: Pond) -> None:
    pond.decide("d", "e", "same")
    pond.run()
    path = pond.lake / "decisions.csv"
    path.write_text(path.read_text().replace("seen in print", '"told by Hana,\nin a letter"'))
    assert "nothing new" in pond.run()
    assert "told by Hana" in pond.call("decisions", "--format", "csv")


def test_a_decision_on_a_record_that_is_gone_is_kept_and_counted(pond: Pond) -> None:
    pond.run("more.csv")
    pond.decide("d", "f", "same")
    pond.run()
    assert "df" in pond.papers()
    pond.call("forget", "more.csv")
    out = pond.run()
    assert "decisions: 1 of people; 1 without effect, as a record is not in the lake" in out
    assert pond.papers().split()[-2:] == ["d", "e"]
    pond.run("more.csv")
    assert "df" in pond.papers()


@pytest.mark.parametrize("words", [[], ["--dry-run"], ["--strict"]])
def test_a_file_whose_decisions_contradict_each_other_stops_the_run(pond: Pond, words: list[str]) -> None:
    keys, path = pond.keys(), pond.lake / "decisions.csv"
    release = (pond.lake / "current").resolve()
    rows = ((keys["a"], keys["b"], "same", "x"), (keys["b"], keys["c"], "same", "y"), (keys["a"], keys["c"], "different", "z"))
    path.write_text("record_key_l,record_key_r,verdict,because\n" + "".join(f"{','.join(row)}\n" for row in rows))
    error = pond.run("more.csv", *words, code=2) if not words else pond.call("run", "--direct", *words, code=2)
    assert f"{path} lines 2, 3, 4 contradict each other" in error
    assert "line 4: " in error and "(because: z)" in error
    assert (pond.lake / "current").resolve() == release
    assert "more.csv" not in (pond.lake / "state" / "live.json").read_text()


def test_a_contradiction_is_refused_when_it_is_decided(pond: Pond) -> None:
    pond.decide("a", "b", "same")
    pond.decide("b", "c", "same")
    before = (pond.lake / "decisions.csv").read_text()
    error = pond.decide("a", "c", "different", code=2)
    assert "lines 2, 3 and the new decision contradict each other" in error and "seen in print" in error
    assert (pond.lake / "decisions.csv").read_text() == before


def test_records_are_meant_by_key_start_id_or_paper(pond: Pond) -> None:
    keys = pond.keys()
    ids = {row["record_key"]: row for row in pond.ask("select record_key, record_id, paper_id from records")}
    d, e = ids[keys["d"]], ids[keys["e"]]
    of_spreadsheet = keys["d"].upper() + "\r"
    forms = (keys["d"], keys["d"][:13], d["record_id"], d["record_id"][:8] + ":4", d["paper_id"], d["paper_id"][:12])
    for first in (*forms, of_spreadsheet):
        out = pond.call("decide", first, e["paper_id"], "same", "--because", "x")
        assert "line 2 of" in out and "The dry bones of old whales" in out
    assert len((pond.lake / "decisions.csv").read_text().splitlines()) == 2


def test_an_id_that_was_a_paper_once_is_the_paper_it_leads_to(pond: Pond) -> None:
    pond.decide("d", "e", "same")
    pond.run()
    (alias,) = pond.ask("select paper_id, current_paper_id from paper_aliases where reason = 'merged'")
    out = pond.call("decide", alias["paper_id"], pond.keys()["a"], "different", "--because", "x")
    assert alias["current_paper_id"] in out


@pytest.mark.parametrize(
    ("first", "second", "code", "says"),
    [
        ("kffffffffffff", "d", 1, "there is no record 'kffffffffffff' in the current release"),
        ("k", "d", 2, "'k' is too short"),
        ("p0000000000000000", "d", 1, "there is no paper 'p0000000000000000'"),
        ("10.5555/ice.a", "d", 2, "'10.5555/ice.a' is no record or paper: expected a record key"),
        ("d", "d", 2, "a decision is on two"),
        ("00000000:1", "d", 1, "there is no record"),
    ],
)
def test_what_means_no_record_is_answered_in_a_sentence(pond: Pond, first: str, second: str, code: int, says: str) -> None:
    assert says in pond.decide(first, second, "same", code=code)
    assert not (pond.lake / "decisions.csv").exists()


def test_a_paper_is_taken_apart_by_the_keys_of_its_records_only(pond: Pond) -> None:
    pond.decide("d", "e", "same")
    pond.run()
    (row,) = pond.ask("select paper_id from papers where record_count = 2 and title like '%whales%'")
    paper = row["paper_id"]
    assert "give the keys of the two records that differ" in pond.decide(paper, "d", "different", code=2)
    assert "give the keys of the two records that differ" in pond.decide(paper, paper, "different", code=2)
    (pond.lake / "decisions.csv").unlink()
    assert f"takes paper {paper} (2 records) apart" in pond.decide("d", "e", "different")


def test_the_same_list_twice_gives_records_whose_keys_differ_by_number(pond: Pond, tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text(MORE + MORE.splitlines()[1] + "\n")
    pond.run("twice.csv")
    (second,) = pond.ask("select record_key from records where record_key like '%#2'")
    start = second["record_key"][:13]
    assert f"{start}#2" in pond.decide(f"{start}#2", start, "same")


def test_two_decisions_at_once_are_both_written(pond: Pond) -> None:
    keys = pond.keys()
    pairs = [("a", "d"), ("b", "d"), ("c", "d"), ("a", "e")]
    words = [sys.executable, "-m", "flows.cli", "decide"]
    started = [
        subprocess.Popen([*words, keys[left], keys[right], "different", "--because", "x", "--lake", str(pond.lake)])
        for left, right in pairs
    ]
    assert [process.wait(timeout=60) for process in started] == [0] * len(pairs)
    assert len((pond.lake / "decisions.csv").read_text().splitlines()) == 1 + len(pairs)


def test_a_decision_waits_for_a_run_no_longer_than_it_is_told(pond: Pond) -> None:
    keys, lake = pond.keys(), Lake(pond.lake)
    with hold_lock(lake, wait_seconds=0, on_wait=print, command="a test"):
        error = pond.call("decide", keys["d"], keys["e"], "same", "--because", "x", "--wait", 0, code=4)
    assert "is locked by process" in error and not lake.decisions_path.exists()


def test_matches_show_both_records_and_what_matching_says_of_them(pond: Pond) -> None:
    out = pond.call("matches")
    assert "Lee, Ann and Okri, Ben" in out and "list.csv, row 1" in out and "doi 10.5555/ice.a" in out
    rows = json.loads(pond.call("matches", "--format", "json"))
    assert {row["status"] for row in rows} >= {"match", "possible"}
    row = next(row for row in rows if row["status"] == "match")
    assert row["title_l"] == row["title_r"] == "Warm ice in cold rivers" and row["year_l"] == "2020"
    for format in ("csv", "jsonl", "markdown", "table"):
        assert pond.call("matches", "--format", format) and pond.call("matches", "--possible", "--format", format)


def test_matches_can_be_narrowed(pond: Pond) -> None:
    def shown(*words: object) -> list[dict]:
        return json.loads(pond.call("matches", *words, "--format", "json"))

    everything = shown("--limit", 0)
    assert len(everything) > 1 and shown("--limit", 1) == everything[:1]
    assert "the first 1 of" in pond.call("matches", "--limit", 1)
    for status in ("match", "version", "possible", "no"):
        assert shown("--status", status) == [row for row in everything if row["status"] == status]
    assert shown("--possible") == shown("--status", "possible")
    reason = everything[0]["reason"]
    assert shown("--reason", reason) == [row for row in everything if row["reason"] == reason]
    assert f"did you mean '{reason}'?" in pond.call("matches", "--reason", reason + "s", code=1)
    paper = everything[0]["paper_id_l"]
    assert shown("--paper", paper[:10]) == [row for row in everything if paper in (row["paper_id_l"], row["paper_id_r"])]
    assert "there is no paper" in pond.call("matches", "--paper", "p0000000000000000", code=1)
    assert "is no paper id" in pond.call("matches", "--paper", "k123456", code=2)


def test_what_people_decided_stands_last_among_matches(pond: Pond) -> None:
    pond.decide("d", "e", "same")
    pond.run()
    rows = json.loads(pond.call("matches", "--format", "json"))
    assert rows[-1]["reason"] == "decided_same" and "decided_same" not in {row["reason"] for row in rows[:-1]}


def test_decisions_are_listed_with_the_titles_of_their_papers(pond: Pond) -> None:
    assert pond.call("decisions", "--format", "json") == "[]\n"
    pond.decide("d", "e", "same")
    keys = pond.keys()
    with (pond.lake / "decisions.csv").open("a") as file:
        file.write(f"{keys['a']},k{'0' * 24},different,gone\n")
    first, second = json.loads(pond.call("decisions", "--format", "json"))
    assert (first["line"], first["verdict"], first["because"]) == (2, "same", "seen in print")
    assert {first["title_l"], first["title_r"]} == {"The dry bones of old whales", "Old whales, dry bones"}
    assert None in (second["title_l"], second["title_r"])
    assert "not in the lake" in pond.call("decisions")


def test_a_run_without_identifiers_matches_by_the_rest_and_is_a_release_of_its_own(pond: Pond) -> None:
    with_identifiers = pond.tables()
    assert len([ids for ids in pond.papers().split() if set(ids) & set("ac")]) == 2  # two DOIs, two papers
    out = pond.call("run", "--direct", "--without-identifiers")
    assert "identifiers were left out of matching" in out and "published: release" in out
    assert "abc" in pond.papers().split()
    assert {row["value"] for row in pond.ask("from identifiers")} == {"10.5555/ice.a", "10.5555/ice.c"}
    again = pond.call("run", "--direct", "--without-identifiers")
    assert "nothing new" in again and "identifiers were left out of matching" in again
    pond.run()
    found = pond.tables()
    assert {name for name in found if found[name] != with_identifiers[name]} <= {"paper_aliases"}
