"""This module tests `paperlake sql`: where its query comes from, its parameters, its limit, and the files it writes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import duckdb
import fastexcel
import polars as pl
import pytest

from flows.cli import call


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    lake = tmp_path_factory.mktemp("sql") / "lake"
    assert call(["run", str(samples / "papers.csv"), str(samples / "papers.jsonl"), "--lake", str(lake), "--direct"]) == 0
    return lake


class Sql:
    """`paperlake sql` on the lake; standard input is what `piped` is set to."""

    def __init__(self, lake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._lake, self._capsys, self._monkeypatch = lake, capsys, monkeypatch

    def __call__(self, *words: object, code: int = 0, piped: bytes = b"") -> tuple[str, str]:
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped)))
        self._capsys.readouterr()
        assert call(["sql", *map(str, words), "--lake", str(self._lake)]) == code
        captured = self._capsys.readouterr()
        return captured.out, captured.err

    def rows(self, *words: object, piped: bytes = b"") -> list[dict[str, object]]:
        return json.loads(self(*words, "--format", "json", piped=piped)[0])


@pytest.fixture
def sql(lake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Sql:
    return Sql(lake, capsys, monkeypatch)


QUERY = "select count(*) as n from papers -- ünïcode\n"


def test_query_comes_as_an_argument_from_a_file_or_through_a_pipe(sql: Sql, tmp_path: Path) -> None:
    (tmp_path / "query.sql").write_bytes(b"\xef\xbb\xbf" + QUERY.encode() + b";\n")
    expected = sql.rows(QUERY)
    assert expected == [{"n": 7}]
    assert sql.rows("-f", tmp_path / "query.sql") == expected
    assert sql.rows("--file", "-", piped=QUERY.encode()) == expected
    assert sql.rows(piped=QUERY.encode()) == expected


@pytest.mark.parametrize(
    ("words", "piped", "sentence"),
    [
        ([], b"", "no query: standard input is empty"),
        (["select 1", "-f", "x.sql"], b"", "expected one query, found a QUERY and -f x.sql"),
        (["-f", "no/such.sql"], b"", "-f no/such.sql: No such file or directory"),
        (["-f", "."], b"", "-f .: Is a directory"),
        (["-f", "-"], b"select '\xff'", "standard input: expected a query in UTF-8; byte 9 is none of it"),
        (["select 1", "--param", "year"], b"", "--param year: expected name=value, such as --param year=2024"),
        (["select 1", "--param", "a b=1"], b"", "--param a b=1: expected name=value"),
        (["select 1", "--param", "=1"], b"", "--param =1: expected name=value"),
        (["select $y", "--param", "y=1", "--param", "Y=2"], b"", "--param Y=2: y has a value already (1)"),
        (
            ["select $year, $venue"],
            b"",
            "the query has the parameters $venue, $year; no value is given for $venue, $year (--param",
        ),
        (["select $year", "--param", "yaer=1"], b"", "the query has the parameter $year; no value is given for $year"),
        (["select $year", "--param", "year=1", "--param", "x=2"], b"", "$year; $x is none of its parameters"),
        (["select 1", "--param", "x=2"], b"", "the query has no parameter; $x is none of its parameters"),
        (["select 1", "--limit", "-1"], b"", "--limit -1: expected a number of rows"),
        (["select 1", "-o", "out.txt"], b"", "out.txt: its ending .txt names no format; known are .parquet, .csv, .json"),
        (["select 1", "-o", "a.csv", "--format", "csv"], b"", "--format csv and -o a.csv exclude each other"),
        (["select 1", "-o", "no/such/a.csv"], b"", "there is no folder"),
    ],
)
def test_wrong_words_are_answered_in_a_sentence(sql: Sql, words: list[str], piped: bytes, sentence: str) -> None:
    out, err = sql(*words, piped=piped, code=2)
    assert (sentence in err, out) == (True, "")


def test_several_statements_are_refused_wherever_they_come_from(sql: Sql) -> None:
    for words, piped in ((["select 1; select 2"], b""), (["-f", "-"], b"select 1; select 2")):
        assert "expected one statement, found 2" in sql(*words, piped=piped, code=1)[1]


def test_only_a_terminal_opens_the_shell(sql: Sql, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.commands.sql_shell.open_shell", lambda *options: print("shell", *options[1:]) or 0)
    assert sql("select 1 as x", "--format", "csv")[0].split() == ["x", "1"]
    monkeypatch.setattr("flows.commands.sql_answer._is_terminal", lambda: True)
    assert sql("--at", "current")[0] == "shell current table None\n"
    for words in (["--limit", "3"], ["-o", "a.csv"], ["--param", "a=1"]):
        assert "want a QUERY" in sql(*words, code=2)[1]


PARAMETERS = [
    ("select count(*) as n from papers where year = $year", "year=2031"),
    ("select count(*) as n from papers where year between $year and '2031'", "year=2031"),
    ("select count(*) as n from papers where $year is null or year in ($year)", "year=2031"),
    ("select count(*) as n from papers where year = ?", "1=2031"),
]


@pytest.mark.parametrize(("query", "given"), PARAMETERS)
def test_parameter_is_a_text_that_takes_the_type_it_is_compared_with(sql: Sql, query: str, given: str) -> None:
    assert sql.rows(query, "--param", given) == sql.rows("select count(*) as n from papers where year = 2031") != [{"n": 0}]


@pytest.mark.parametrize("value", ["007", "1; drop view papers", "'", "", "a=b", "$x", "--x", "é\n", "null", "true"])
def test_value_of_a_parameter_arrives_as_it_is_and_never_as_sql(sql: Sql, value: str) -> None:
    assert sql.rows("select $x as x, typeof($x) as kind", "--param", f"x={value}") == [{"x": value, "kind": "VARCHAR"}]
    assert sql.rows("select $n::int + 1 as n limit $l", "--param", "n=1", "--param", "l=1") == [{"n": 2}]


def test_number_computed_with_a_text_is_answered_with_how_to_write_it(sql: Sql) -> None:
    _, err = sql("select sum($n)", "--param", "n=1", code=1)
    assert "write $name::int" in err


@pytest.mark.parametrize("format", ["table", "csv", "json", "jsonl", "markdown"])
def test_limit_says_on_standard_error_that_there_is_more(sql: Sql, format: str) -> None:
    for limit, is_cut in ((2, True), (300, True), (301, False), (0, False)):
        out, err = sql("select 'row' as x from range(301)", "--limit", limit, "--format", format)
        assert out.count("row") - (format == "table") == (limit or 301)
        assert err == (f"paperlake: the first {limit} rows; there are more (--limit)\n" if is_cut else "")


def test_answers_are_written_to_files_with_their_types(sql: Sql, tmp_path: Path) -> None:
    query = "select title, year, authors, date '2031-01-02' as seen from papers order by title, paper_id"
    for ending in ("parquet", "csv", "json", "jsonl", "xlsx"):
        out, err = sql(query, "-o", tmp_path / f"out.{ending}")
        assert (out, err) == (f"wrote 7 rows to {tmp_path / f'out.{ending}'}\n", "")
    frame = pl.read_parquet(tmp_path / "out.parquet")
    assert frame.schema == {"title": pl.String, "year": pl.Int16, "authors": pl.List(pl.String), "seen": pl.Date}
    titles = frame["title"].to_list()
    assert [row["title"] for row in json.loads((tmp_path / "out.json").read_text())] == titles
    assert [json.loads(line)["title"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == titles
    assert pl.read_csv(tmp_path / "out.csv")["title"].to_list() == titles
    assert fastexcel.read_excel(tmp_path / "out.xlsx").load_sheet(0).to_polars()["title"].to_list() == titles


def test_file_is_written_whole_or_not_at_all_and_never_in_the_lake(sql: Sql, lake: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    assert "first 2 rows" in sql("select title from papers", "--limit", 2, "-o", path)[1]
    before = path.read_bytes()
    sql("select case when range < 200000 then 1 else error('too far') end from range(300000)", "-o", path, code=1)
    sql("select titel from papers", "-o", path, code=1)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    kept = sorted(lake.rglob("*"))
    for place in ("x.csv", "raw/x.csv", "current/papers/papers.parquet", "../lake/x.json"):
        assert "lies in the lake" in sql("select 1", "-o", lake / place, code=2)[1]
    assert sorted(lake.rglob("*")) == kept


def test_text_too_long_for_a_cell_is_said(sql: Sql, tmp_path: Path) -> None:
    _, err = sql("select repeat('x', 40000) as x", "-o", tmp_path / "out.xlsx")
    assert "1 text was too long for an Excel cell and cut" in err


def test_release_and_time_limit_hold_for_files_too(sql: Sql, tmp_path: Path) -> None:
    assert "there is no release 'r0000000000'" in sql("select 1", "-o", tmp_path / "a.csv", "--at", "r0000000000", code=1)[1]
    endless = "select count(*) from range(1000000000000) a, range(1000000) b"
    assert "time limit of 0.3 s" in sql(endless, "-o", tmp_path / "a.parquet", "--timeout", 0.3, code=1)[1]


def test_the_lakes_file_has_the_saved_views_too(lake: Path) -> None:
    with duckdb.connect(str(lake / "paperlake.duckdb"), read_only=True) as connection:
        names = [row[0] for row in connection.execute("select view_name from duckdb_views() where not internal").fetchall()]
        for name in names:
            connection.execute(f'select * from "{name}" limit 1').fetchall()
    assert len(names) > 18
