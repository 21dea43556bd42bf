"""The pipeline end to end on the samples, in this process: same in, same out; nothing lost; nothing done twice."""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.cli import call

Words = list[object]


def paperlake(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    code = call([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def ask(capsys: pytest.CaptureFixture[str], lake: Path, query: str) -> list[dict]:
    code, out, err = paperlake(capsys, "sql", query, "--lake", lake, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def tables(lake: Path) -> dict[str, str]:
    release = (lake / "current").resolve()
    return {p.parent.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(release.rglob("*.parquet"))}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """A lake with the samples in it; tests only read it."""
    lake = tmp_path_factory.mktemp("run") / "lake"
    assert call(["run", str(samples), "--lake", str(lake), "--direct"]) == 0
    return lake


GOLDEN = {
    "papers": "select * exclude (work_id) from papers order by title nulls last, paper_id",
    "authorships": "select p.title, a.* exclude (paper_id) from authorships a join papers p using (paper_id) order by all",
    "identifiers": "select p.title, i.* exclude (paper_id) from identifiers i join papers p using (paper_id) order by all",
    "links": "select p.title, l.* exclude (paper_id) from links l join papers p using (paper_id) order by all",
    "records": "select f.file_name, r.ordinal, r.locator, r.span_start, r.span_end, r.source_key, p.title, r.raw "
    "from records r join raw_files f using (file_sha256) join papers p using (paper_id) order by all",
    "rejects": "select f.file_name, r.* exclude (file_sha256) from rejects r join raw_files f using (file_sha256) order by all",
    "raw_files": "select * exclude (file_sha256, sniff_confidence, size_bytes) from raw_files order by file_name",
    "column_map": "select f.file_name, c.* exclude (file_sha256) from column_map c join raw_files f using (file_sha256) "
    "order by all",
    "control_totals": "select * exclude (file_sha256) from control_totals order by all",
    "ledger": "select f.file_name, l.* exclude (file_sha256) from ledger l join raw_files f using (file_sha256) order by all",
}


@pytest.mark.parametrize("table", GOLDEN)
def test_the_samples_give_the_golden_rows(
    lake: Path, capsys: pytest.CaptureFixture[str], table: str, pytestconfig: pytest.Config, project: Path
) -> None:
    code, out, err = paperlake(capsys, "sql", GOLDEN[table], "--lake", lake, "--format", "jsonl")
    assert code == 0, err
    golden = project / "tests" / "data" / "golden" / f"{table}.jsonl"
    if pytestconfig.getoption("--regenerate"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(out, encoding="utf-8")
    assert out == golden.read_text(encoding="utf-8")


def test_every_byte_and_record_of_the_samples_is_accounted_for(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, lake, "select count(*) as n from ledger where not balanced") == [{"n": 0}]
    assert paperlake(capsys, "ledger", "--lake", lake)[0] == 0
    (row,) = ask(capsys, lake, "select sum(records_clean) as clean, (select count(*) from records) as n from ledger")
    assert row["clean"] == row["n"] > 0


def test_a_second_run_publishes_nothing(lake: Path, samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = paperlake(capsys, "run", samples, "--lake", lake, "--direct")
    assert code == 0
    assert "nothing new since release" in out
    # What is told is the release's, though this run rejected nothing.
    assert "rejected: 4 (1 broken_json, 1 not_a_paper_list, 1 unclosed_value, 1 unread_part)" in out
    assert len(json.loads(paperlake(capsys, "releases", "--lake", lake, "--format", "json")[1])) == 1


NOTHING_NEW = """
import sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
from flows.cli import call
code = call(["run", sys.argv[1], "--lake", sys.argv[2], "--direct"])
data = [path for path in opened if path.endswith(".parquet") or "/raw/" in path or path.startswith(sys.argv[1])]
print(code, [name for name in ("polars", "prefect", "duckdb", "pyarrow") if name in sys.modules], data)
"""


def test_a_run_with_nothing_new_opens_no_data_and_imports_nothing_heavy(lake: Path, samples: Path) -> None:
    words = [sys.executable, "-c", NOTHING_NEW, str(samples), str(lake)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 [] []"


def test_one_by_one_in_any_order_is_the_same_as_at_once(tmp_path: Path, samples: Path) -> None:
    files = [samples / name for name in ("viewer_page.txt", "abstracts.txt", "papers.json")]
    at_once = tmp_path / "at_once"
    assert call(["run", *map(str, files), "--lake", str(at_once), "--direct"]) == 0
    want = tables(at_once)
    for number, order in enumerate(itertools.permutations(files)):
        slow = tmp_path / str(number)
        for file in order:
            assert call(["run", str(file), "--lake", str(slow), "--direct"]) == 0
        assert {k: v for k, v in tables(slow).items() if k != "paper_aliases"} == {
            k: v for k, v in want.items() if k != "paper_aliases"
        }


@pytest.mark.parametrize("threads", ["1", "3"])
def test_threads_hash_seed_and_folder_make_no_difference(lake: Path, samples: Path, tmp_path: Path, threads: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for file in samples.iterdir():
        (elsewhere / file.name).write_bytes(file.read_bytes())
    other = tmp_path / "other"
    words = [sys.executable, "-m", "flows.cli", "run", *sorted(map(str, elsewhere.iterdir()), reverse=True)]
    environment = {**os.environ, "POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": threads, "TZ": "Asia/Tokyo"}
    subprocess.run([*words, "--lake", str(other), "--direct"], env=environment, check=True, capture_output=True)
    assert tables(other) == tables(lake)


def test_every_id_ever_published_resolves(tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = tmp_path / "lake"
    paperlake(capsys, "run", samples / "abstracts.txt", "--lake", lake, "--direct")
    before = {row["paper_id"] for row in ask(capsys, lake, "select paper_id from papers")}
    paperlake(capsys, "run", samples / "viewer_page.txt", "--lake", lake, "--direct")
    after = {row["paper_id"] for row in ask(capsys, lake, "select paper_id from papers")}
    aliases = {row["paper_id"]: row for row in ask(capsys, lake, "from paper_aliases")}
    assert before - after == set(aliases)
    assert [row["reason"] for row in aliases.values()] == ["renamed"]  # the abstract that the page's record brought a title to
    assert {row["current_paper_id"] for row in aliases.values()} <= after


def test_a_forgotten_file_leaves_the_next_release(tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = tmp_path / "lake"
    paperlake(capsys, "run", samples / "papers.csv", samples / "papers.json", "--lake", lake, "--direct")
    (row,) = ask(capsys, lake, "select file_sha256 from raw_files where file_name = 'papers.csv'")
    code, out, _ = paperlake(capsys, "forget", "papers.csv", "--erase", "--lake", lake)
    assert code == 0
    assert "forgot command_line/papers.csv" in out
    assert not (lake / "raw" / row["file_sha256"][:2] / row["file_sha256"]).exists()
    assert paperlake(capsys, "run", "--lake", lake, "--direct")[0] == 0
    assert ask(capsys, lake, "select file_name from raw_files") == [{"file_name": "papers.json"}]
    assert {row["reason"] for row in ask(capsys, lake, "from paper_aliases")} >= {"gone"}
    code, _, err = paperlake(capsys, "forget", "papers.csv", "--lake", lake)
    assert (code, "live are: papers.json" in err) == (1, True)


def test_a_file_forgotten_before_can_still_be_erased_by_its_hash(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    paperlake(capsys, "run", samples / "papers.csv", "--lake", lake, "--direct")
    (row,) = ask(capsys, lake, "select file_sha256 from raw_files")
    raw = lake / "raw" / row["file_sha256"][:2] / row["file_sha256"]
    assert paperlake(capsys, "forget", "papers.csv", "--lake", lake)[0] == 0
    assert raw.exists()
    assert paperlake(capsys, "forget", row["file_sha256"][:12], "--lake", lake)[0] == 1
    assert paperlake(capsys, "forget", row["file_sha256"][:12], "--erase", "--lake", lake)[0] == 0
    assert not raw.exists()


def test_files_that_are_no_lists_are_rejects_and_the_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"empty.txt": b"", "noise.bin": bytes(range(256)) * 50, "prose.txt": b"Dear Ann,\n\nthank you.\n"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    lake = tmp_path / "lake"
    code, _, err = paperlake(capsys, "run", *(tmp_path / name for name in files), "--lake", lake, "--direct")
    assert code == 0, err
    rows = ask(capsys, lake, "select f.file_name, r.reason from rejects r join raw_files f using (file_sha256) order by 1")
    assert {row["file_name"]: row["reason"] for row in rows} == {
        "empty.txt": "empty_file",
        "noise.bin": "binary",
        "prose.txt": "not_a_paper_list",
    }
    assert ask(capsys, lake, "select count(*) as n, bool_and(balanced) as balanced from ledger") == [{"n": 3, "balanced": True}]
    assert ask(capsys, lake, "select count(*) as n from papers") == [{"n": 0}]


def test_a_file_that_its_reader_gives_up_on_is_one_reject_and_the_rest_is_published(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes((samples / "papers.parquet").read_bytes()[:-200] + b"PAR1")
    lake = tmp_path / "lake"
    code, _, err = paperlake(capsys, "run", broken, samples / "papers.csv", "--lake", lake, "--direct")
    assert code == 0, err
    query = "select file_name, verdict, balanced from raw_files join ledger using (file_sha256) order by file_name"
    assert ask(capsys, lake, query) == [
        {"file_name": "broken.parquet", "verdict": "unreadable", "balanced": True},
        {"file_name": "papers.csv", "verdict": "read", "balanced": True},
    ]


def test_an_error_of_the_disk_while_reading_is_no_verdict_on_the_file(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    from transforms.readers.registry import READERS

    def fail(_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    lake = tmp_path / "lake"
    with monkeypatch.context() as patched:
        patched.setitem(READERS, "delimited", dataclasses.replace(READERS["delimited"], read=fail))
        code, _, err = paperlake(capsys, "run", samples / "papers.csv", "--lake", lake, "--direct")
        assert (code, os.strerror(errno.EIO) in err) == (1, True)
    assert paperlake(capsys, "run", samples / "papers.csv", "--lake", lake, "--direct")[0] == 0
    assert ask(capsys, lake, "select count(*) as n from papers") == [{"n": 4}]


def test_a_dry_run_says_what_would_happen_and_touches_nothing(
    tmp_path: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    code, out, _ = paperlake(capsys, "run", samples, "--lake", lake, "--dry-run", "--format", "json")
    plan = json.loads(out)
    assert code == 0
    assert plan["would_publish"]
    assert {Path(file["path"]).name: file["reader"] for file in plan["files"]}["README.md"] is None
    assert all(file["reader"] for file in plan["files"] if not file["path"].endswith("README.md"))
    assert not lake.exists()


def test_a_dry_run_after_a_run_finds_nothing_new(lake: Path, samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = paperlake(capsys, "run", samples, "--lake", lake, "--dry-run")
    assert "nothing new: no release would be built" in out


def test_a_dry_run_knows_the_columns_that_a_source_names(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config, lists = tmp_path / "config", tmp_path / "lists"
    config.mkdir()
    lists.mkdir()
    (lists / "a.csv").write_text("Benennung,Leute\nSails for Satellites,Ann Lee\nAnchors for Agents,Bo Li\n")
    (config / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config))
    readers = []
    for columns in ("", 'columns = {Benennung = "title"}\n'):
        (config / "sources.toml").write_text(f'[sources.club]\nlocation = "../lists/*.csv"\n{columns}')
        _, out, _ = paperlake(capsys, "run", "--lake", tmp_path / "lake", "--dry-run", "--format", "json")
        readers += [file["reader"] for file in json.loads(out)["files"]]
    assert readers == [None, "delimited"]


def test_a_configured_source_gives_keys_venue_and_year_and_supersedes_by_name(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config, lists, lake = tmp_path / "config", tmp_path / "lists", tmp_path / "lake"
    config.mkdir()
    lists.mkdir()
    (config / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    block = '[sources.club]\nlocation = "../lists/*.csv"\nvenue = "ICLR"\nyear = 2031\nhas_keys = true\n'
    (config / "sources.toml").write_text(block)
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config))
    (lists / "a.csv").write_text("id,title,authors\n7,Sails for Satellites,Ann Lee\n8,Anchors for Agents,Bo Li\n")
    assert paperlake(capsys, "run", "--lake", lake, "--direct")[0] == 0
    keys = {row["source_key"]: row["record_key"] for row in ask(capsys, lake, "from records")}
    assert ask(capsys, lake, "select distinct venue_id, year from papers") == [{"venue_id": "iclr", "year": 2031}]
    (lists / "a.csv").write_text("id,title,authors\n7,Sails for Small Satellites,Ann Lee\n")
    assert paperlake(capsys, "run", "--lake", lake, "--direct", "--accept", "club")[0] == 0
    assert ask(capsys, lake, "select title from papers") == [{"title": "Sails for Small Satellites"}]
    assert {row["source_key"]: row["record_key"] for row in ask(capsys, lake, "from records")} == {"7": keys["7"]}
