"""SQLite databases: tables of papers are read, nothing of the file is run, every row is accounted for."""

import random
import sqlite3
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transforms.readers.limits import ReadLimits


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """`database("create …; insert …")`: the bytes of a database made by these statements."""
    folder = tmp_path_factory.mktemp("made")

    def make(script: str, *, rows: dict[str, list[tuple]] | None = None) -> bytes:
        path = folder / "made.db"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.executescript(script)
        for table, values in (rows or {}).items():
            connection.executemany(f"insert into {table} values ({', '.join('?' * len(values[0]))})", values)
        connection.commit()
        connection.close()
        return path.read_bytes()

    return make


PAPERS = "create table papers (id integer primary key, title text, authors text, year int, score real);"
ROWS = {"papers": [(7, "Sorting Pebbles by Sound", "Ann Lee; Bo Li", 2024, 7.5), (9, "Tides", None, 2023, None)]}


def test_every_row_of_a_table_of_papers_is_a_record_with_its_values_as_given(stage, database):
    staged = stage(database(PAPERS, rows=ROWS))
    assert staged.facts.reader == "sqlite"
    assert staged.raw == [
        {"id": 7, "title": "Sorting Pebbles by Sound", "authors": "Ann Lee; Bo Li", "year": 2024, "score": 7.5},
        {"id": 9, "title": "Tides", "authors": None, "year": 2023, "score": None},
    ]
    assert staged.records["locator"].to_list() == ["papers row 1", "papers row 2"]
    assert staged.fields[1] == {"source_key": "9", "title_raw": "Tides", "year_raw": "2023"}


def test_a_table_that_tells_no_papers_is_named_and_no_reject(stage, database):
    staged = stage(database(PAPERS + "create table venues (id int, name text); create view v as select 1 as title", rows=ROWS))
    assert (staged.records.height, staged.reasons) == (2, [])
    assert staged.facts.message == "not read, as no column tells papers: venues"


def test_a_database_without_papers_is_no_list_of_papers(stage, database):
    staged = stage(database("create table venues (id int, name text)"))
    assert staged.reasons == ["not_a_paper_list"]
    assert "venues (id, name)" in staged.facts.message


@pytest.mark.parametrize(
    "script",
    [
        "create table papers (id int, title text); create table authors (id int, name text);"
        "create table paper_authors (id int, paper_id int, author_id int);"
        "insert into papers values (1, 'A'), (2, 'B'); insert into authors values (5, 'Ann Lee'), (6, 'Bo Li');"
        "insert into paper_authors values (1, 1, 6), (2, 1, 5), (3, 2, 5)",
        "create table Papers (paperId text, title text); create table authors (paper_id text, name text, position int);"
        "insert into Papers values ('1', 'A'), ('2', 'B');"
        "insert into authors values ('1', 'Ann Lee', 10), ('1', 'Bo Li', 9), ('2', 'Ann Lee', 1)",
    ],
    ids=["linked", "named in the link, by position"],
)
def test_author_names_in_tables_of_their_own_come_with_their_paper(stage, database, script):
    staged = stage(database(script))
    assert staged.records["author_names_raw"].to_list() == [["Bo Li", "Ann Lee"], ["Ann Lee"]]
    assert staged.raw[0]["authors"] == ["Bo Li", "Ann Lee"]
    assert "author names are from" in staged.facts.message


def test_a_table_with_its_own_authors_is_not_joined(stage, database):
    script = "create table authors (paper_id int, name text); insert into authors values (7, 'Cy Day');"
    assert stage(database(PAPERS + script, rows=ROWS)).records["authors_raw"].to_list() == ["Ann Lee; Bo Li", None]


def test_ids_of_openreview_are_known_by_their_form(stage, database):
    rows = {"submissions": [("fMX07g3prp", "A"), ("rhgIgTSSxW", "B"), ("H9DYMIpz9c", "C")]}
    staged = stage(database("create table submissions (url_id text primary key, title text)", rows=rows))
    assert staged.records["openreview_id_raw"].to_list() == ["fMX07g3prp", "rhgIgTSSxW", "H9DYMIpz9c"]
    assert staged.column_map["decided_by"].to_list()[0] == "format"


def test_values_of_any_kind_become_json(stage, database):
    rows = {"t": [("A", b"\xff\xfe", 2.0, float("inf"), 2**40)]}
    staged = stage(database("create table t (title, content blob, f real, inf real, big int)", rows=rows))
    assert staged.raw == [{"title": "A", "content": "base64://4=", "f": 2.0, "inf": "Infinity", "big": 2**40}]


def test_text_that_is_no_utf_8_costs_a_character(stage, database):
    content = database("create table t (title text)", rows={"t": [("Kiesel und Sand",)]})
    assert stage(content.replace(b"und", b"\xfcnd")).raw == [{"title": "Kiesel \ufffdnd Sand"}]


def test_names_that_are_no_utf_8_cost_their_table_only(stage, database):
    content = database(PAPERS + "create table kraeuter (a text)", rows=ROWS).replace(b"kraeuter", b"kr\xe4\xe4uter")
    staged = stage(content)
    assert (staged.records.height, staged.reasons) == (2, ["unread_part"])
    assert staged.rejects["locator"].to_list() == ["table kr\ufffd\ufffduter"]


def test_a_refusal_that_names_columns_that_are_no_utf_8_can_be_written(stage, database):
    content = database("create table others (a text, kraeuter text)").replace(b"kraeuter", b"kr\xe4\xe4uter")
    assert "others (a, kr\ufffd\ufffduter)" in stage(content).facts.message


def test_columns_hidden_row_ids_and_tables_without_row_ids_are_read(stage, database):
    rows = {"a": [("x", 1)], "b": [("y",)]}
    script = "create table a (title text, rowid int);"
    script += 'create table b (title text primary key) without rowid; create table "c "" d" (title)'
    assert [row["title"] for row in stage(database(script, rows=rows)).raw] == ["x", "y"]


def test_a_row_over_the_limit_costs_only_itself(stage, database):
    rows = {"t": [(1, "A", "x"), (2, "B", "x" * 9_000), (3, "C", "y" * 3_000), (4, "D", "x")]}
    staged = stage(
        database("create table t (id integer primary key, title text, abstract text)", rows=rows),
        limits=ReadLimits(entry_bytes=4_000),
    )
    assert [row["title"] for row in staged.raw] == ["A", "C", "D"]
    assert staged.rejects.select("reason", "locator").rows() == [("broken_row", "t row 2")]


def test_too_many_columns_cost_their_table(stage, database):
    wide = "create table wide (title text, " + ", ".join(f"c{n}" for n in range(60)) + ");"
    staged = stage(database(PAPERS + wide, rows=ROWS), limits=ReadLimits(columns=50))
    assert (staged.records.height, staged.reasons) == (2, ["unread_part"])
    assert "limits.columns = 50" in staged.rejects["message"][0]


def test_nothing_of_the_file_is_run(stage, database):
    generated = (
        "create table t (title text, n int generated always as (hex(title)) virtual); insert into t (title) values ('A')"
    )
    staged = stage(database("create table papers (title text); insert into papers values ('P');" + generated))
    assert staged.raw == [{"title": "P"}, {"title": "A"}]
    assert staged.reasons == []


def test_virtual_tables_are_not_opened_but_their_content_is_a_table(stage, database):
    try:
        content = database("create virtual table papers using fts5(title, abstract); insert into papers values ('A', 'B')")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite has no full-text search")
    assert stage(content).reasons == ["not_a_paper_list"]


def test_a_database_in_wal_mode_is_read_without_its_log(stage, database):
    assert stage(database("pragma journal_mode = wal;" + PAPERS, rows=ROWS)).records.height == 2


@pytest.mark.parametrize("leads_to", ["itself", "one leaf"])
def test_pages_that_lead_to_the_wrong_page_come_to_an_end(stage, database, leads_to):
    rows = {"t": [(n, f"Pebbles {n}", "x" * 300) for n in range(5_000)]}
    content = bytearray(
        database("pragma page_size = 512; create table t (id integer primary key, title text, abstract text)", rows=rows)
    )
    inner = [at for at in range(512, len(content), 512) if content[at] == 5]
    target = inner[0] if leads_to == "itself" else next(at for at in range(512, len(content), 512) if content[at] == 13)
    for at in inner[1:] if leads_to == "one leaf" else inner:
        cells = struct.unpack(">H", content[at + 3 : at + 5])[0]
        for cell in struct.unpack(f">{cells}H", content[at + 12 : at + 12 + 2 * cells]):
            content[at + cell : at + cell + 4] = struct.pack(">I", target // 512 + 1)
    assert stage(bytes(content)).facts.verdict in ("read", "unreadable")


@pytest.fixture(scope="module")
def sound(database):
    rows = {"papers": [(n, f"Pebbles {n}", "Ann Lee; Bo Li" * (n % 9), 2000 + n, n / 4) for n in range(60)]}
    extra = "create table authors (paper_id int, name text); insert into authors values (1, 'Ann Lee');"
    extra += "create index i on papers (year);"
    return database("pragma page_size = 512;" + PAPERS + extra, rows=rows)


@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 40), cut=st.floats(0, 1))
def test_a_damaged_database_never_fails_and_always_balances(stage, sound, seed, count, cut):
    dice = random.Random(seed)
    content = bytearray(sound)
    for _ in range(count):
        content[dice.randrange(100, len(content))] ^= 1 << dice.randrange(8)
    size = len(content) if cut < 0.5 else int(cut * len(content))
    staged = stage(bytes(content[:size]))
    assert "reader_failed" not in staged.reasons


def test_real_database(stage, shared):
    staged = stage((shared / "fixtures/iclr2024_weigq/assets/iclr2024.db").read_bytes())
    assert (staged.records.height, staged.reasons) == (7_215, [])
    assert staged.records["openreview_id_raw"].null_count() == 0
