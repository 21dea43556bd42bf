"""This module tests `warehouse.open`: frames in one call, what it refuses, and that it stays on its release."""

from __future__ import annotations

import datetime
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warehouse
from warehouse.connection import Connection, MissingPackageError
from warehouse.layout import LakeError
from warehouse.query import QueryError, QueryLimits
from warehouse.query_parameters import ParameterError

PROJECT = Path(__file__).resolve().parents[2]
YEARS = "select title, year, authors from papers order by year"


@pytest.fixture
def lake(tmp_path: Path, write_release: Callable[..., Path]) -> Path:
    """A lake of two releases of two papers and three; the latter is current."""
    for name, titles in (("r1111", ["Gravel", "Sand"]), ("r2222", ["Gravel", "Sand", "Silt"])):
        papers = [
            {"paper_id": f"p{year}", "work_id": "w", "title": title, "year": year, "authors": ["Ada", "Ben"], "keywords": []}
            | {"record_count": 1, "file_count": 1}
            for year, title in enumerate(titles, start=2023)
        ]
        release = write_release(tmp_path / "lake" / "releases" / name, {"papers": papers})
        (release / "release.json").write_text(
            f'{{"schema_version": 1, "release_id": "{name}", "published_at": "2031-05-0{name[1]}T00:00:00+00:00",'
            f' "previous_release_id": null, "tables": {{}}, "files": []}}'
        )
    (tmp_path / "lake" / "state").mkdir()
    (tmp_path / "lake" / "current").symlink_to("releases/r2222")
    return tmp_path / "lake"


@pytest.fixture
def con(lake: Path) -> Iterator[Connection]:
    with warehouse.open(lake) as connection:
        yield connection


def test_an_answer_becomes_frames_of_each_kind_in_one_call(con: Connection) -> None:
    answer = con.sql(YEARS)
    assert (answer.columns, answer.types) == (["title", "year", "authors"], ["VARCHAR", "SMALLINT", "VARCHAR[]"])
    expected = [("Gravel", 2023, ["Ada", "Ben"]), ("Sand", 2024, ["Ada", "Ben"]), ("Silt", 2025, ["Ada", "Ben"])]
    assert answer.fetchall() == list(answer) == expected
    assert answer.pl().rows() == expected
    assert answer.pl().schema == {"title": pl.String, "year": pl.Int16, "authors": pl.List(pl.String)}
    assert isinstance(answer.arrow(), pa.Table) and answer.arrow().num_rows == 3
    assert pa.Table.from_batches(list(answer.arrow_batches(2))).equals(answer.arrow())
    for frame in (answer.df(), answer.pandas()):
        assert isinstance(frame, pd.DataFrame)
        assert list(frame["title"]) == ["Gravel", "Sand", "Silt"] and frame["year"].dtype == "int16"
    assert "the first 10 rows; there are more (pl() gives all)" in repr(con.sql("from range(11)"))


def test_types_stay_what_they_are_and_an_empty_answer_has_them_too(con: Connection) -> None:
    answer = con.sql(
        "select date '2031-05-07' as d, 1.50::decimal(9, 2) as m, {'a': 1} as s, null::bigint as n where $yes", {"yes": True}
    )
    assert answer.pl().schema == {"d": pl.Date, "m": pl.Decimal(9, 2), "s": pl.Struct({"a": pl.Int32}), "n": pl.Int64}
    assert answer.fetchall()[0][0] == datetime.date(2031, 5, 7)
    assert con.sql("select title, year from papers where false").pl().schema == {"title": pl.String, "year": pl.Int16}


def test_parameters_are_bound_by_name_or_place(con: Connection) -> None:
    assert con.sql("select title from papers where year = $year", {"year": 2024}).fetchall() == [("Sand",)]
    assert con.sql("select title from papers where year = ? and title = ?", ["2024", "Sand"]).fetchall() == [("Sand",)]
    assert con.sql("select $x", {"x": "1; drop view papers"}).fetchall() == [("1; drop view papers",)]


REFUSED = [
    ("select titel from papers", None, "no column 'titel' here. Did you mean 'title'?"),
    ("from paper", None, "no table 'paper'. Did you mean 'papers'?"),
    ("drop view papers", None, "a query here only reads, and this is DROP"),
    ("copy papers to 'x.csv'", None, "a query here only reads, and this is COPY"),
    ("from read_csv('/etc/passwd')", None, "may not stand in `from` here"),
    ("from '/etc/passwd'", None, ""),
    ("from frame", None, "there is no table 'frame'"),
    ("select 1; select 2", None, "expected one statement, found 2"),
    ("select $year", None, "the query has the parameter $year; no value is given for $year"),
    ("select $year", {"year": 1, "venue": 2}, "$venue is none of its parameters"),
    ("select ?", [1, 2], "the query has the parameter $1; 2 values given"),
    ("select ?, ?", [1], "the query has the parameters $1, $2; 1 value given"),
]


@pytest.mark.parametrize(("query", "parameters", "sentence"), REFUSED)
def test_what_cannot_be_answered_is_refused_at_once_in_a_sentence(
    con: Connection, query: str, parameters: dict[str, object] | None, sentence: str
) -> None:
    frame = pl.DataFrame({"a": [1]})  # which SQL must not find
    with pytest.raises(QueryError) as refusal:
        con.sql(query, parameters)
    assert sentence in str(refusal.value) and frame.height


def test_error_on_the_way_is_a_sentence_in_every_form(lake: Path, con: Connection) -> None:
    late = con.sql("select case when range < 200000 then 1 else error('too far') end from range(300000)")
    for form in (late.fetchall, late.pl, late.df, late.arrow, lambda: list(late.arrow_batches())):
        with pytest.raises(QueryError, match="too far"):
            form()
    with warehouse.open(lake, limits=QueryLimits(time_seconds=0.3)) as hasty:
        endless = hasty.sql("select count(*) from range(1000000000000) a, range(1000000) b")
        with pytest.raises(QueryError, match=r"time limit of 0\.3 s"):
            endless.pl()


def test_missing_package_is_named_with_what_would_do_instead(con: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for form, sentence in ((con.sql("select 1").df, "pandas is not installed"), (con.sql("select 1").pl, "or take arrow()")):
        with pytest.raises(MissingPackageError, match=sentence):
            form()


def test_several_answers_and_threads_read_at_a_time(con: Connection) -> None:
    first, second = con.sql(YEARS).arrow_batches(1), con.sql("from range(3)").arrow_batches(1)
    assert [(one.num_rows, two.num_rows) for one, two in zip(first, second, strict=True)] == [(1, 1)] * 3
    answer = con.sql(YEARS)
    batches = answer.arrow_batches(1)
    assert next(batches).num_rows == 1 and len(answer.fetchall()) == answer.pl().height == 3
    assert [batch.num_rows for batch in batches] == [1, 1]
    counts: list[object] = []
    threads = [threading.Thread(target=lambda: counts.append(con.sql(YEARS).pl().height)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [3] * 8


def test_connection_stays_on_its_release_and_at_opens_an_older_one(lake: Path, con: Connection) -> None:
    assert con.release_id == "r2222" and "r2222 of 2031-05-02" in repr(con)
    (lake / "current").unlink()
    (lake / "current").symlink_to("releases/r1111")
    assert con.sql("select count(*) from papers").fetchall() == [(3,)]
    for at in ("r1", "2031-05-01", None):
        with warehouse.open(str(lake), at) as older:
            assert (older.release_id, older.sql("select count(*) from papers").fetchall()) == ("r1111", [(2,)])


def test_closed_connection_and_missing_lake_are_said_to_be_so(lake: Path, tmp_path: Path) -> None:
    with warehouse.open(lake) as con:
        assert "papers" in con.tables()
    con.close()
    with pytest.raises(QueryError, match="connection is closed"):
        con.sql("select 1")
    assert "closed" in repr(con)
    with pytest.raises(LakeError, match="there is no lake at"):
        warehouse.open(tmp_path / "nowhere")
    with pytest.raises(LakeError, match="there is no release 'r9'"):
        warehouse.open(lake, "r9")


def test_parameter_error_is_a_query_error() -> None:
    assert issubclass(ParameterError, QueryError)


def test_importing_the_warehouse_imports_nothing_slow() -> None:
    slow = ("duckdb", "polars", "pyarrow", "pandas", "transforms.schemas")
    code = f"import sys, warehouse; print([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_text_asked_again_is_bound_to_its_own_values_and_types(con: Connection) -> None:
    asked = "select title, $value as value from papers where year = $year"
    for value, kind in ((1, "INTEGER"), (2**40, "BIGINT"), ("x", "VARCHAR"), ([1.5], "DECIMAL(2,1)[]")):
        for year, title in ((2023, "Gravel"), (2025, "Silt")):
            answer = con.sql(asked, {"value": value, "year": year})
            assert [row[0] for row in answer.fetchall()] == [title]
            assert answer.pl()["title"].to_list() == [title] and answer.columns == ["title", "value"]
            assert answer.types[1] == kind or isinstance(value, list)
    with pytest.raises(ParameterError):
        con.sql(asked, {"value": 1})
    with pytest.raises(QueryError):
        con.sql(asked, {"value": 1, "year": "no year"}).fetchall()


def test_what_was_refused_once_is_refused_again_and_views_are_there_for_remembered_texts(con: Connection) -> None:
    for _ in range(2):
        with pytest.raises(QueryError):
            con.sql("drop view papers")
        with pytest.raises(QueryError):
            con.sql("select no_such_column from papers")
        assert con.sql("select year from papers_by_venue_year").columns == ["year"]
