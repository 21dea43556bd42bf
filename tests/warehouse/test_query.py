"""This module tests answers, limits and error sentences of queries on a release."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from warehouse.query import QueryError, QueryLimits, QueryResult, run_query
from warehouse.query_clock import QueryClock

PROJECT = Path(__file__).resolve().parents[2]
WIDE = QueryLimits(memory_bytes=512 << 20, time_seconds=30, spill_bytes=64 << 20)
ENDLESS = "select count(*) from range(1000000000000) a, range(1000000) b"

Ask = Callable[..., QueryResult]


@pytest.fixture
def ask(sound_release: Path, tmp_path: Path) -> Ask:
    """A function that runs one query on the sound release, with the limits given."""

    def run(sql: str, limits: QueryLimits = WIDE, **options: object) -> QueryResult:
        return run_query(sound_release, sql, spill_dir=tmp_path / "spill", limits=limits, **options)  # type: ignore[arg-type]

    return run


def test_answer_has_columns_types_and_rows(ask: Ask) -> None:
    with ask("select title, year, authors from papers order by paper_id") as result:
        assert result.columns == ["title", "year", "authors"]
        assert result.types == ["VARCHAR", "SMALLINT", "VARCHAR[]"]
        assert result.rows() == [
            ("On the Sums of Gravel", 2023, ["Ada Stone", "Ben Pebble"]),
            ("A Survey of Sand", 2024, []),
        ]


def test_every_table_is_listed_and_can_be_counted(ask: Ask) -> None:
    from transforms.schemas import TABLES
    from warehouse.saved_queries import view_paths

    assert {row[0] for row in ask("show tables").rows()} == {*TABLES, *view_paths()}
    for name in (*TABLES, *view_paths()):
        assert len(ask(f"select count(*) from {name}").rows()) == 1


def test_several_files_of_a_table_are_read_as_one(tmp_path: Path, write_release: Callable[..., Path]) -> None:
    release = write_release(tmp_path / "r1", {"links": [{"paper_id": "p1", "url": "u1", "kind": "code"}]})
    (release / "links" / "links.parquet").rename(release / "links" / "0.parquet")
    write_release(tmp_path / "r1", {"links": [{"paper_id": "p2", "url": "u2", "kind": "code"}]})
    rows = run_query(release, "select url from links order by url", spill_dir=tmp_path, limits=WIDE).rows()
    assert rows == [("u1",), ("u2",)]


def test_another_release_stands_beside_in_a_schema_of_its_own(
    ask: Ask, tmp_path: Path, write_release: Callable[..., Path]
) -> None:
    older = write_release(tmp_path / "r1", {"links": [{"paper_id": "p1", "url": "older", "kind": "code"}]})
    rows = ask("select l.url, s.url from links l join since.links s using (paper_id)", beside={"since": older}).rows()
    assert rows == [("https://example.org/gravel", "older")]
    for query in ("select 1 from since.links", "from read_parquet('/etc/hosts')"):
        with pytest.raises(QueryError):
            ask(query)
    with pytest.raises(QueryError, match="may not stand in `from`"):
        ask(f"from read_parquet('{older}/links/links.parquet')", beside={"since": older})


@pytest.mark.parametrize("folder", ["it's here", "a b", 'say "x"', "x=1", "[a]", "日本", "a,b", "{c}", "%2e", "#1"])
def test_the_lake_may_lie_in_a_folder_of_any_name(tmp_path: Path, write_release: Callable[..., Path], folder: str) -> None:
    release = write_release(tmp_path / folder / "r1", {"links": [{"paper_id": "p1", "url": "u1", "kind": "code"}]})
    with run_query(release, "select * from links", spill_dir=tmp_path / folder / "tmp", limits=WIDE) as result:
        assert result.columns == ["paper_id", "url", "kind"]
        assert result.rows() == [("p1", "u1", "code")]


def test_parameters_are_values_and_never_sql(ask: Ask) -> None:
    assert ask("select ?", parameters=["1; drop view papers"]).rows() == [("1; drop view papers",)]
    assert ask("select title from papers where year = $year", parameters={"year": 2024}).rows() == [("A Survey of Sand",)]


def test_rows_come_in_batches_as_they_are_asked_for(ask: Ask) -> None:
    with ask("select * from range(1000000000000)") as result:
        first = next(iter(result.batches()))
    assert first[:2] == [(0,), (1,)]
    assert len(first) < 10_000


def test_order_is_kept_and_exact_where_python_has_no_type_for_it(ask: Ask) -> None:
    with ask("select interval '1 month' as i, range as n from range(3) order by n desc; -- why not") as result:
        assert result.columns == ["i", "n"]
        assert result.rows() == [("1 month", 2), ("1 month", 1), ("1 month", 0)]
    assert ask("select timestamp_ns '2024-01-02 00:00:00.123456789' as t").rows() == [("2024-01-02 00:00:00.123456789",)]


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("select titel from papers", "no column 'titel' here. Did you mean 'title'?"),
        ("select p.titel from papers p", "no column 'titel' here. Did you mean 'title'?"),
        ("select title from papers where yaer = 2024", "no column 'yaer' here. Did you mean 'year'?"),
        ("select (select nam from authorships limit 1) from papers", "no column 'nam' here. Did you mean 'name'?"),
        ("select titel", "no column 'titel' here. Did you mean 'title'?"),
        ("select title", "no column 'title' here"),
        ("select titl from (select title from papers)", "no column 'titl' here. Did you mean 'title'?"),
        ("select bb from (select 1 as bbb)", "no column 'bb' here. Did you mean 'bbb'?"),
        ("select zzzzzz from links", "(links has the columns paper_id, url, kind)"),
        ("from paper", "no table 'paper'. Did you mean 'papers'?"),
        ("select a.title from papers p join authorships a using (paper_id)", "no column 'title' here. papers should have it"),
        ("with x as (select year from papers) select title from x", "is it asked of another table"),
        ("from since.papers", "no table 'since.papers': since is no release to compare with"),
        ("from authors", "no table 'authors'. Did you mean 'authorships'?"),
        ("select * from papers join identifier using (paper_id)", "no table 'identifier'. Did you mean 'identifiers'?"),
        ("describe paperz", "no table 'paperz'. Did you mean 'papers'?"),
        ("pivot paper on decision using count(*)", "no table 'paper'. Did you mean 'papers'?"),
        ("from zzzzzz", "The tables of a release are papers, authorships"),
        ("select lenght(title) from papers", "no scalar function 'lenght'. Did you mean 'length'?"),
        ("selct 1", 'cannot be read as SQL: syntax error at or near "selct"'),
        ("select count(*) from papers group by", "cannot be read as SQL"),
        ("select 'a'::int", "cannot be answered: Could not convert string 'a'"),
        ("select sum(title) from papers", "cannot be answered: No function matches"),
        ("select ?", "the query has the parameter $1; no value is given for $1"),
        ("select " + "(" * 5000 + "1" + ")" * 5000, "cannot be read as SQL: Max expression depth"),
        ("select '" + "a" * 1_200_000 + "'", "the query has 1,200,009 characters; at most 1,100,000"),
    ],
)
def test_error_is_a_sentence_with_the_near_name(ask: Ask, sql: str, sentence: str) -> None:
    with pytest.raises(QueryError) as refusal:
        ask(sql)
    assert sentence in str(refusal.value)
    for internal in ("Error:", "Candidate", "LINE 1: select title", "SET "):
        assert internal not in str(refusal.value)


def test_query_of_one_megabyte_is_answered(ask: Ask) -> None:
    numbers = ",".join(map(str, range(150_000)))
    assert ask(f"select count(*) from papers where year in ({numbers})").rows() == [(2,)]


def test_endless_query_is_stopped_at_the_time_limit_and_the_limit_named(ask: Ask) -> None:
    for sql in (ENDLESS, "with recursive r as (select 1 as n union all select n + 1 from r) select count(*) from r"):
        with pytest.raises(QueryError, match=r"time limit of 0\.3 s"):
            ask(sql, QueryLimits(time_seconds=0.3))


def test_endless_query_that_already_gave_rows_is_stopped_too(ask: Ask) -> None:
    with (
        pytest.raises(QueryError, match=r"time limit of 0\.5 s"),
        ask(f"select * from range(10000) union all {ENDLESS}", QueryLimits(time_seconds=0.5)) as result,
    ):
        result.rows()


def test_error_that_comes_after_the_first_rows_is_a_sentence_too(ask: Ask) -> None:
    late = "select case when range < 2000000 then 1 else error('too far') end from range(3000000)"
    with pytest.raises(QueryError, match="cannot be answered: too far"), ask(late) as result:
        result.rows()


def test_time_at_work_adds_up_and_the_time_a_reader_takes_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("warehouse.query_clock.time", SimpleNamespace(monotonic=lambda: now[0]))
    with duckdb.connect() as connection:
        clock = QueryClock(connection, QueryLimits(time_seconds=10))
        for at_work, pause, left in ((4, 100, 6), (5, 100, 1), (3, 0, 0)):
            with clock.running():
                now[0] += at_work
            assert clock._left_seconds == left
            now[0] += pause


def test_query_deaf_to_its_interrupt_is_reported_from_another_thread(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.query_clock._GRACE_SECONDS", 0.0)
    reported: list[str] = []
    # A function that builds one value of 600 MB is deaf for a second or so.
    with pytest.raises(QueryError, match="time limit"):
        ask(
            "select length(repeat(repeat('ab', 1000), 300000))",
            QueryLimits(time_seconds=0.02),
            when_stuck=lambda error: reported.append(str(error)),
        )
    assert len(reported) == 1 and "time limit of 0.02 s" in reported[0]


@pytest.mark.parametrize(
    ("sql", "limit"),
    [
        ("select string_agg(repeat('x', 1000)) from range(1000000)", "memory limit of 100 MiB"),
        ("select count(*) from (select * from range(100000000) order by hash(range))", "disk limit of 20 MiB"),
    ],
)
def test_query_that_needs_too_much_is_stopped_and_the_limit_named(ask: Ask, sql: str, limit: str) -> None:
    with pytest.raises(QueryError) as refusal:
        ask(sql, QueryLimits(memory_bytes=100 << 20, spill_bytes=20 << 20, time_seconds=60)).rows()
    assert limit in str(refusal.value)


def test_one_huge_value_ends_at_the_ceiling_of_the_process(sound_release: Path, tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("the ceiling is known to hold on Linux")
    code = (
        "import sys, pathlib\n"
        "from warehouse.query import QueryError, QueryLimits, run_query\n"
        "from warehouse.sandbox import cap_process_memory\n"
        "limits = QueryLimits(memory_bytes=200 << 20)\n"
        "cap_process_memory(limits)\n"
        "release = pathlib.Path(sys.argv[1])\n"
        "print(run_query(release, 'select 1', spill_dir=release.parent, limits=limits).rows())\n"
        "try:\n"
        "    run_query(release, \"select length(repeat('abc', 1000000000))\", spill_dir=release.parent, limits=limits)\n"
        "except QueryError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(sound_release)], cwd=PROJECT, capture_output=True, text=True)
    assert done.stderr == ""
    assert "[(1,)]" in done.stdout and "memory limit of 200 MiB" in done.stdout


def test_release_without_a_readable_table_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="expected folders of Parquet files named papers"):
        run_query(tmp_path, "select 1", spill_dir=tmp_path, limits=WIDE)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "papers.parquet").write_bytes(b"PAR1 not really PAR1")
    with pytest.raises(QueryError, match="cannot be read as Parquet"):
        run_query(tmp_path, "select 1", spill_dir=tmp_path, limits=WIDE)


def test_querying_imports_no_frame_library() -> None:
    code = (
        "import sys, warehouse.query, warehouse.row_formats, warehouse.dictionary, warehouse.catalog, warehouse.checks\n"
        "print([name for name in ('polars', 'pyarrow', 'pandas', 'numpy', 'rich', 'prefect') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_text_in_double_quotes_is_answered_with_single_ones(ask: Ask) -> None:
    with pytest.raises(QueryError, match=r"no column 'ICLR' here\. A text stands in single quotes: 'ICLR'"):
        ask('select title from papers where venue = "ICLR"')
