"""`paperlake show`: one paper, by whatever a person has of it, with what each record says and what joined them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from flows.cli import call

FIRST = """id,title,author,booktitle,year,url,pages
a,Warm ice in cold rivers,"Lee, Ann and Okri, Ben",ICLR,2020,https://openreview.net/forum?id=WarmIce20,1-9
b,The dry bones of old whales,"Sato, Hana",Bone Letters,2011,https://example.org/whales/,
c,Old whales and their bones,"Lund, Peder",Bone Letters,2012,,
d,A ledger of small tides,"Lund, Peder",ICLR,2021,,
"""
SECOND = """key,title,author,year,doi,arxiv,booktitle,pmid,url,pages
x,Warm Ice in Cold Rivers!,Ann Lee; Ben Okri,2020,10.5555/ICE.20,2001.01234,Learning Representations,31234567,,1--9
y,Warm ice in cold rivers,Ann Lee; Ben Okri,2021,10.5555/ICE.20,,ICLR,,,1-10
z,"Strange \x1b[31mtides",Peder Lund,2022,,,ACL,,https://aclanthology.org/2022.acl-long.7,
w,流れる氷と川の地図,Hana Sato,2023,,,ACL,,,
"""
PREPRINT = """id,title,author,year,arxiv,journal
p,A ledger of small tides,Peder Lund,2020,2005.04321,arXiv preprint
"""


class Shelf:
    """A lake of two releases, and the words to try on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lake = folder, folder / "lake"
        for name, text in (("first.csv", FIRST), ("second.csv", SECOND), ("preprint.csv", PREPRINT)):
            (folder / name).write_text(text)
        assert call(["run", str(folder / "first.csv"), "--direct", "--lake", str(self.lake)]) == 0
        paths = [str(folder / name) for name in ("second.csv", "preprint.csv")]
        assert call(["run", *paths, "--direct", "--lake", str(self.lake)]) == 0


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("show"))


class Shower:
    """What `show` prints of the shelf's lake."""

    def __init__(self, shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
        self.lake, self.capsys = shelf.lake, capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        self.capsys.readouterr()
        found = call(["show", *words, "--lake", str(self.lake)])
        captured = self.capsys.readouterr()
        assert found == code, captured
        return captured.out + captured.err if code else captured.out

    def page(self, *words: str) -> dict[str, Any]:
        return json.loads(self(*words, "--format", "json"))

    def ask(self, query: str, *words: str) -> list[dict[str, Any]]:
        self.capsys.readouterr()
        assert call(["sql", query, "--lake", str(self.lake), "--format", "json", *words]) == 0
        return json.loads(self.capsys.readouterr().out)


@pytest.fixture
def show(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> Shower:
    return Shower(shelf, capsys)


ICE = "Warm ice in cold rivers"


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("10.5555/ice.20", ICE),
        ("10.5555/ICE.20", ICE),
        ("doi:10.5555/ice.20", ICE),
        ("doi 10.5555/ice.20", ICE),
        ("https://doi.org/10.5555/ICE.20", ICE),
        ("http://dx.doi.org/10.5555%2Fice.20", ICE),
        ("2001.01234", ICE),
        ("2001.01234v3", ICE),
        ("arXiv:2001.01234", ICE),
        ("https://arxiv.org/abs/2001.01234v2", ICE),
        ("https://arxiv.org/pdf/2001.01234.pdf", ICE),
        ("10.48550/arXiv.2001.01234", ICE),
        ("WarmIce20", ICE),
        ("openreview WarmIce20", ICE),
        ("https://openreview.net/pdf?id=WarmIce20", ICE),
        ("openreview.net/forum?id=WarmIce20", ICE),
        ("31234567", ICE),
        ("PMID: 31234567", ICE),
        ("https://pubmed.ncbi.nlm.nih.gov/31234567/", ICE),
        ("2022.acl-long.7", "Strange [31mtides"),
        ("https://aclanthology.org/2022.acl-long.7.pdf", "Strange [31mtides"),
        ("https://example.org/whales/", "The dry bones of old whales"),
        ("http://www.example.org/whales", "The dry bones of old whales"),
        ("HTTPS://WWW.Example.ORG/whales", "The dry bones of old whales"),
        ("The dry bones of old whales", "The dry bones of old whales"),
        ("  the DRY bones,  of old whäles! ", "The dry bones of old whales"),
        ("氷と川", "流れる氷と川の地図"),
        ("bones dry", "The dry bones of old whales"),
        ("The dry bone of old wales", "The dry bones of old whales"),
    ],
)
def test_paper_is_found_by_what_a_person_has_of_it(show: Shower, given: str, title: str) -> None:
    found = show.page(given)["paper"]["title"].replace("\x1b", "")
    assert found.rstrip("!").casefold() == title.casefold()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("10.5555/ice.21", "looked for doi 10.5555/ice.21"),
        ("https://arxiv.org/abs/2001.99999", "no paper is found by"),
        ("p00000000", "no paper is found by 'p00000000'"),
        ("k00000000#7", "no paper is found by"),
        ("ab" * 32 + ":1", "no paper is found by"),
        ("cold whales in a ledger", "the nearest titles are: p"),
        ("https://example.org/WHALES", "no paper is found by 'https://example.org/WHALES'\n"),
        ("???", "no paper is found by '???'"),
        ("x' or 1=1 --", "no paper is found by"),
        ("\x1b[31m", "no paper is found by '\\x1b[31m'"),
    ],
)
def test_what_is_nowhere_is_answered_with_a_sentence(show: Shower, given: str, message: str) -> None:
    said = show(given, code=1)
    assert message in said and "\x1b" not in said


def test_bytes_that_are_no_text_are_refused(show: Shower) -> None:
    assert "'\\udcff': expected text in UTF-8" in show("\udcff", code=2)


def test_several_papers_are_listed_to_choose_from(show: Shower) -> None:
    said = show("old whales", code=1)
    assert "The dry bones of old whales" in said and "Old whales and their bones" in said
    assert "means 2 papers by its words of the title; name one by its id" in said


def test_records_and_starts_of_ids_mean_their_paper(show: Shower) -> None:
    for row in show.ask("select paper_id, record_key, record_id, file_sha256, ordinal from records"):
        short = f"{row['file_sha256'][:12]}:{row['ordinal']}"
        for given in (
            row["paper_id"],
            row["paper_id"].upper(),
            row["record_key"],
            row["record_key"][:12],
            row["record_id"],
            short,
        ):
            assert show.page(given)["paper"]["paper_id"] == row["paper_id"]


def test_every_field_says_where_it_came_from_and_what_other_records_say(show: Shower) -> None:
    page = show.page("10.5555/ice.20")
    records = {row["record_id"]: f"{row['file_name']} {row['locator']}" for row in page["records"]}
    origins = show.ask(f"select field, record_id from field_origins where paper_id = '{page['paper_id']}'")
    assert {row["field"]: row["record_id"] for row in origins} == {
        name: field["record_id"] for name, field in page["fields"].items() if field["record_id"]
    }
    assert {name: field["value"] for name, field in page["fields"].items()}["authors"] == ["Ann Lee", "Ben Okri"]
    otherwise = {
        name: {each["given"]: [records[key] for key in each["record_ids"]] for each in field["otherwise"]}
        for name, field in page["fields"].items()
        if field["otherwise"]
    }
    taken = {name: page["fields"][name]["value"] for name in otherwise}
    assert otherwise.keys() == {"venue", "year", "pages"} and str(taken["year"]) not in otherwise["year"]
    assert sorted({*otherwise["pages"], taken["pages"].replace("–", "-")}) == ["1-10", "1-9"]
    text = show("10.5555/ice.20")
    for place in ("first.csv, row 1", "second.csv, row 1", "second.csv, row 2", "otherwise: ", "doi ", "WarmIce20"):
        assert place in text


def test_rules_that_joined_the_records_are_named(show: Shower) -> None:
    page = show.page("10.5555/ice.20")
    pairs = show.ask(
        "select m.reason from paper_matches m join records r on r.record_key = m.record_key_l "
        f"where r.paper_id = '{page['paper_id']}' and m.status = 'match'"
    )
    assert sorted(pair["reason"] for pair in page["pairs"]) == sorted(pair["reason"] for pair in pairs) != []
    assert "match: same_doi" in show("10.5555/ice.20")


def test_versions_of_the_work_stand_with_their_relation(show: Shower) -> None:
    page = show.page("2005.04321")
    (version,) = page["versions"]
    assert version["relation"] == "preprint_of"
    assert show.page(version["paper_id"])["versions"][0]["relation"] == "has_preprint"
    text = show("2005.04321")
    assert version["paper_id"] in text and "preprint_of" in text and "Compared with other papers" in text


def test_earlier_id_leads_to_the_paper_and_says_so(show: Shower) -> None:
    (alias,) = show.ask("select * from paper_aliases where reason = 'renamed'")
    text = show(alias["paper_id"])
    assert f"'{alias['paper_id']}' was an earlier id of this paper" in text and alias["current_paper_id"] in text
    assert "Earlier ids that lead here" in text
    assert show.page(alias["paper_id"], "--at", "previous")["paper"]["paper_id"] == alias["paper_id"]


def test_paper_of_an_earlier_release_is_shown_as_it_was(show: Shower) -> None:
    before, now = show.page(ICE, "--at", "previous"), show.page("10.5555/ice.20")
    assert (before["paper"]["record_count"], now["paper"]["record_count"]) == (1, 3)
    assert before["paper"]["paper_id"] in [alias["paper_id"] for alias in now["aliases"]]


def test_nothing_that_a_terminal_would_obey_is_printed(show: Shower) -> None:
    assert "\x1b" not in show("2022.acl-long.7")


def test_decisions_and_papers_that_are_gone_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shelf = Shelf(tmp_path)
    show = Shower(shelf, capsys)
    papers = [row["paper_id"] for row in show.ask("select paper_id from papers where title like '%whales%' order by title")]
    lake = ["--lake", str(shelf.lake)]
    assert call(["decide", *papers, "same", "--because", "one letter, printed twice", *lake]) == 0
    assert call(["run", "--direct", *lake]) == 0
    text = show("dry bones")
    assert "decided same: one letter, printed twice (line 2 of decisions.csv)" in text and "decided_same" in text
    assert call(["forget", "second.csv", *lake]) == 0
    assert call(["run", "--direct", *lake]) == 0
    gone = show.ask("select paper_id from paper_aliases where reason = 'gone' order by paper_id")[0]
    assert f"the paper {gone['paper_id']} is gone" in show(gone["paper_id"], code=1)


def test_a_release_from_before_there_were_notes_and_decisions_is_shown_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf(tmp_path)
    show = Shower(shelf, capsys)
    release = (shelf.lake / "current").resolve()
    for name in ("record_notes", "paper_relations"):
        for path in (release / name).iterdir():
            path.unlink()
    (path,) = (release / "papers").glob("*.parquet")
    pq.write_table(pq.read_table(path).drop_columns(["decision"]), path)
    assert "10.5555/ice.20" in show(ICE)
    assert show.page(ICE)["paper"]["decision"] is None


def test_a_text_of_many_screens_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake, path = tmp_path / "lake", tmp_path / "long.jsonl"
    rows = [{"title": "k" * 900, "abstract": "a" * 40_000}, {"title": "short", "abstract": "b"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert call(["run", str(path), "--lake", str(lake), "--direct"]) == 0
    capsys.readouterr()
    assert call(["show", "k" * 900, "--lake", str(lake)]) == 0
    assert "… (40,000 characters; --format json has all)" in " ".join(capsys.readouterr().out.split())
    assert call(["show", "kkk", "--lake", str(lake)]) == 1
    assert f"{'k' * 99}…" in capsys.readouterr().err


def test_looking_up_an_id_imports_neither_a_frame_library_nor_a_reader(shelf: Shelf) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from flows.cli import call; "
        f"code = call(['show', '10.5555/ice.20', '--lake', {str(shelf.lake)!r}]); "
        "print(code, [name for name in ('polars', 'pyarrow', 'prefect', 'lxml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_matches_and_decisions_take_a_release(show: Shower) -> None:
    def count(*words: str) -> int:
        show.capsys.readouterr()
        assert call(["matches", "--limit", "0", "--format", "json", "--lake", str(show.lake), *words]) == 0
        return len(json.loads(show.capsys.readouterr().out))

    assert count("--at", "previous") < count()
    assert call(["decisions", "--at", "previous", "--lake", str(show.lake)]) == 0
