"""This module attacks the SQL sandbox: each hostile statement is refused in a sentence and leaves no file behind."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.query import QueryError, QueryLimits, run_query
from warehouse.sandbox import _TABLE_FUNCTIONS, admit, open_release
from warehouse.views import add_saved_views

Ask = Callable[[str], list[tuple[object, ...]]]

LIMITS = QueryLimits(memory_bytes=256 << 20, time_seconds=20, spill_bytes=64 << 20)

# {release} is the release that is queried, {out} a folder beside it, {lake} the folder of both.
WRITES = [
    "copy papers to '{out}/x.csv'",
    "copy papers to '{release}/x.parquet'",
    "copy (select 1) to '{release}/papers/papers.parquet'",
    "copy (pivot papers on decision using count(*)) to '{release}/x.parquet'",
    "with a as (copy papers to '{release}/x.parquet') select * from a",
    "with a as materialized (copy papers to '{release}/x.parquet') select 1",
    "with a as (select 1), b as (copy a to '{release}/x.parquet') select * from b",
    "with\u00a0a as (/* ; */ copy papers to '{release}/x.parquet') select 1",
    "WITH a AS (CoPy papers TO '{release}/x.parquet') FROM a",
    "with a as (copy papers to '{release}/x.parquet') pivot a on \"Count\" using count(*)",
    "with a as ( -- pivot\n copy papers to '{release}/x.parquet') select * from (pivot a on \"Count\" using count(*))",
    "create table t as pivot papers on decision using count(*)",
    "explain copy papers to '{release}/x.parquet'",
    "explain analyze copy (select 1) to '{release}/z.parquet'",
    "explain (analyze) copy (select 1) to '{release}/z.parquet'",
    "explain (analyze, format json) copy (select 1) to '{release}/z.parquet'",
    "explain analyze with a as (copy papers to '{release}/z.parquet') select * from a",
    "explain analyze with a as (copy papers to '{release}/z.parquet') pivot a on \"Count\" using count(*)",
    "explain /* select 1 */ analyze copy (select 1) to '{release}/z.parquet'",
    "explain analyze create table t as select 1",
    "explain analyze insert into papers select * from papers",
    "explain drop view papers",
    "attach '{out}/x.db'",
    "attach '{release}/x.db'",
    "export database '{release}/e'",
    "import database '{release}'",
    "create table t as select 1",
    "create temp table t as select 1",
    "create view v as select 1",
    "create or replace view papers as select 1",
    "create macro f() as 1",
    "create secret s (type s3)",
    "create sequence s",
    "drop view papers",
    "alter view papers rename to q",
    "comment on view papers is 'x'",
    "insert into papers select * from papers",
    "with a as (select 1) insert into papers select * from a",
    "with a as (insert into papers values (1) returning *) select * from a",
    "with a as (delete from papers returning *) select * from a",
    "with a as (update papers set year = 1 returning *) select * from a",
    "delete from papers",
    "truncate papers",
    "update papers set year = 1",
    "merge into papers using links on true when matched then delete",
    "select 1 into t",
]
SETTINGS_AND_CODE = [
    "set enable_external_access = true",
    "set threads = 1",
    "set variable x = 1",
    "set variable x = (select count(*) from (pivot papers on decision using count(*)))",
    "reset all",
    "pragma database_list",
    "pragma enable_profiling",
    "call pragma_version()",
    "call enable_logging(storage = 'file', storage_path = '{out}')",
    "install httpfs",
    "load httpfs",
    "force install httpfs from 'http://example.org'",
    "update extensions",
    "prepare a as select 1",
    "execute a",
    "deallocate a",
    "checkpoint",
    "vacuum",
    "analyze",
    "use memory",
    "begin",
    "commit",
    "rollback",
    "detach memory",
    "select * from enable_logging(storage = 'file', storage_path = '{release}')",
    "select * from enable_profiling(save_location = '{release}/p.json')",
    "select * from checkpoint()",
    "select * from force_checkpoint()",
    "select * from add_grammar_extension('x')",
    "select * from register_external_resource('a', 'b', 'c')",
    "select * from query('select 1')",
    "select * from query('copy papers to ''{release}/x.parquet''')",
    "select * from query_table('papers')",
    "select * from query_table('{lake}/outside.csv')",
    "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
    "select * from main.query('select 1')",
    "select * from \"query\"('select 1')",
    "from (from (from Query('select 1')))",
    "select (select count(*) from query('select 1'))",
    "pivot (from query('select 1')) on col0 using count(*)",
    "pivot (from \"QUERY\"('select 1')) on col0 using count(*)",
    "pivot (from query/**/('select 1')) on col0 using count(*)",
    "select 1 union all from query('select 1')",
    "with recursive r as (select 1 as n union all from query('select 2')) from r",
    "select * from arrow_scan(1::pointer, 1::pointer, 1::pointer)",
    "select write_log('x')",
]
READS_OUTSIDE = [
    "select * from read_text('/etc/hostname')",
    "select * from read_blob('/etc/hostname')",
    "select * from read_csv('{lake}/outside.csv')",
    "select * from read_csv_auto('{lake}/outside.csv')",
    "select * from read_json('{lake}/outside.csv')",
    "select * from read_parquet('{release}/../../outside.parquet')",
    "select * from parquet_scan('{lake}/outside.parquet')",
    "select * from parquet_metadata('{lake}/outside.parquet')",
    "select * from parquet_kv_metadata('{lake}/outside.parquet')",
    "select * from sniff_csv('{lake}/outside.csv')",
    "select * from glob('{lake}/*')",
    "select * from sqlite_scan('{lake}/a.db', 't')",
    "select * from '{lake}/outside.csv'",
    "select * from '{lake}/outside.parquet'",
    "select * from '{release}/link.parquet'",
    'from "{lake}/outside.csv"',
    "select * from 'http://example.org/x.parquet'",
    "select * from 's3://example/x.parquet'",
    "describe '{lake}/outside.csv'",
    "summarize '{lake}/outside.parquet'",
    "pivot '{lake}/outside.parquet' on secret using count(*)",
    "pivot (from read_csv('{lake}/outside.csv')) on secret using count(*)",
    "select * from duckdb_secrets()",
    "select * from which_secret('s3://x', 's3')",
    "select * from duckdb_settings()",
    "select * from pg_settings",
    "pivot pg_settings on name using count(*)",
    "select * from pg_catalog.pg_settings",
    "show secret_directory",
    "select getenv('HOME')",
    "select current_setting('home_directory')",
    "select main.current_setting('home_directory')",
    "select list_transform([1], lambda x: current_setting('home_directory'))",
    "pivot papers on current_setting('home_directory') using count(*)",
]
SEVERAL_OR_NONE = [
    "",
    "   \n",
    ";",
    "-- select 1",
    "/* select 1 */",
    "select 1; select 2",
    "select 1; drop view papers",
    "select 1 /* ; */; -- \n copy papers to '{out}/x'",
    "pragma database_list; copy (select 1) to '{out}/y'",
    "call pragma_version(); drop view papers",
    "select 1\0; copy papers to '{out}/x'",
    "select '",
    "select $$",
    'select "',
    "select /* 1",
    "select \ud800",
    "\ufeff\ufeff",
    "selеct 1",  # the third e is Cyrillic
]
FAIR = [
    "select 1;",
    "(select 1)",
    "values (1)",
    "table papers",
    "from papers limit 1",
    "describe papers",
    "describe select title from papers",
    "show tables",
    "summarize papers",
    "with a as (select year from papers) select count(*) from a",
    "with recursive r as (select 1 as n union all select n + 1 from r where n < 5) select max(n) from r",
    "select title from papers union all select url from links",
    "explain select * from papers",
    "explain (select 1)",
    "explain analyze select 1",
    "explain (analyze, format json) select 'a)' from papers",
    "explain pivot papers on decision using count(*)",
    "explain analyze pivot papers on decision using count(*)",
    "pivot papers on decision using count(*) group by year",
    "pivot papers on decision in ('oral', 'poster') using count(*)",
    "select * from (pivot papers on decision using count(*))",
    "with a as (from papers) pivot a on decision using count(*)",
    "pivot (select 'copy' as \"copy\", 'insert; drop' as b) on b using count(*) -- copy",
    "unpivot (select 1 as a, 2 as b) on a, b",
    "select 'copy papers to x; drop' as update, $$delete$$ as b -- insert; \n",
    "select replace(title, 'a', 'b') from papers",
    "select * replace (upper(title) as title) from papers",
    "select * from range(3), generate_series(1, 2), unnest([1, 2])",
    "select unnest(authors) from papers",
    "select * from information_schema.tables",
    "select table_name from duckdb_tables() union all select view_name from duckdb_views()",
    "select j.key from json_each('{\"a\": 1}') j",
    "select raw ->> '$.title' from records",
    "select '日本語', '\u00a0'",
]


def snapshot(lake: Path) -> dict[str, str]:
    """Every file below a folder with a hash of its content."""
    files = (path for path in sorted(lake.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def lake(sound_release: Path) -> Iterator[Path]:
    """A lake with a release in it, and beside the release files that no query may see."""
    lake = sound_release.parents[1]
    (lake / "out").mkdir()
    (lake / "outside.csv").write_text("secret\nhidden\n", encoding="utf-8")
    pq.write_table(pa.table({"secret": ["hidden"]}), lake / "outside.parquet")
    link = sound_release / "link.parquet"
    link.symlink_to(lake / "outside.parquet")
    yield lake
    link.unlink()


@pytest.fixture(scope="module")
def shared_connection(lake: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One open release for tests that try many statements."""
    connection = open_release(lake / "releases" / "r0123", spill_dir=lake / "tmp", limits=LIMITS)
    add_saved_views(connection)
    yield connection
    connection.close()


@pytest.fixture
def ask(lake: Path, shared_connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """A function that gives all rows of one query, on a release opened once for all tests: opening takes 0.1 s."""
    monkeypatch.setattr("warehouse.query.open_release", lambda *_, **__: shared_connection.cursor())
    monkeypatch.setattr("warehouse.query.add_saved_views", lambda *_: {})  # it has them
    names = {"{release}": lake / "releases" / "r0123", "{out}": lake / "out", "{lake}": lake}

    def rows(sql: str) -> list[tuple[object, ...]]:
        for name, path in names.items():
            sql = sql.replace(name, str(path))
        with run_query(names["{release}"], sql, spill_dir=lake / "tmp", limits=LIMITS) as result:
            return result.rows()

    return rows


@pytest.mark.parametrize("sql", WRITES + SETTINGS_AND_CODE + READS_OUTSIDE + SEVERAL_OR_NONE)
def test_hostile_statement_is_refused_in_a_sentence_and_leaves_no_file(lake: Path, ask: Ask, sql: str) -> None:
    before = snapshot(lake)
    with pytest.raises(QueryError) as refusal:
        ask(sql)
    message = str(refusal.value)
    assert message
    assert "Error:" not in message and "hidden" not in message
    assert snapshot(lake) == before


@pytest.mark.parametrize("sql", FAIR)
def test_fair_statement_is_answered(ask: Ask, sql: str) -> None:
    assert ask(sql)


def test_the_refusal_of_a_write_says_what_may_be_written_instead(ask: Ask) -> None:
    with pytest.raises(QueryError, match="only reads, and this is INSERT: write one SELECT"):
        ask("insert into papers values (1)")


def test_a_neighbouring_release_whose_name_begins_the_same_is_closed(lake: Path, ask: Ask) -> None:
    neighbour = lake / "releases" / "r01234"
    neighbour.mkdir()
    (neighbour / "x.parquet").write_bytes((lake / "outside.parquet").read_bytes())
    with pytest.raises(QueryError, match="only the tables of the release"):
        ask(f"select * from '{neighbour}/x.parquet'")


def test_python_variables_are_no_tables(shared_connection: duckdb.DuckDBPyConnection) -> None:
    secrets_here = pa.table({"a": [1]})
    assert duckdb.connect().execute("select * from secrets_here").fetchall() == [(1,)]
    with pytest.raises(duckdb.CatalogException, match="secrets_here does not exist"):
        shared_connection.execute(admit(shared_connection, "select * from secrets_here"))
    assert secrets_here.num_rows == 1


def test_table_function_not_on_the_list_is_refused(lake: Path) -> None:
    """Whatever this DuckDB has: a new one is refused until somebody has looked at it."""
    with contextlib.closing(open_release(lake / "releases" / "r0123", spill_dir=lake / "tmp", limits=LIMITS)) as connection:
        rows = connection.execute("select distinct function_name from duckdb_functions() where function_type like 'table%'")
        names = {str(row[0]) for row in rows.fetchall()}
        assert len(names) > 50
        for name in sorted(names - _TABLE_FUNCTIONS):
            with pytest.raises(QueryError, match=f"{name} may not stand in `from`"):
                admit(connection, f"select * from {name}('x')")


WORDS = """
explain analyze ( ) select 1 from papers with a as ; copy to , '{out}/f' '{release}/f' pivot on year using count(*) -- /* */
$$ ' " insert into values create table format json union * query {out} describe \\ e' $x$ for unpivot returning
"""


@settings(max_examples=800, derandomize=True, deadline=None)
@given(words=st.lists(st.sampled_from([*WORDS.split(), "\n", "\u00a0", "with a as (copy papers to '{out}/f')"]), max_size=14))
def test_no_shuffle_of_words_writes_a_file(lake: Path, shared_connection: duckdb.DuckDBPyConnection, words: list[str]) -> None:
    text = " ".join(words).replace("{out}", str(lake / "out")).replace("{release}", str(lake / "releases" / "r0123"))
    with contextlib.suppress(QueryError, duckdb.Error):
        shared_connection.execute(admit(shared_connection, text)).fetchall()
    assert not (lake / "releases" / "r0123" / "f").exists()
    assert list((lake / "out").iterdir()) == []


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    before=st.sampled_from(["", "explain ", "explain analyze ", "explain (analyze) ", "with b as (select 1), ", "/* x */ "]),
    name=st.sampled_from(["a", '"a"', "copy", "a(x)"]),
    materialized=st.sampled_from(["", "materialized ", "not materialized "]),
    gap=st.sampled_from(["", " ", "\n", "\u00a0", "/**/", "/* ( */", "-- )\n"]),
    verb=st.sampled_from(["copy", "COPY", "CoPy"]),
    what=st.sampled_from(["papers", "(select 1)", "(from papers)", "(pivot papers on decision using count(*))"]),
    after=st.sampled_from(["select 1", "from a", "pivot papers on decision using count(*)", "select * from (pivot a on x)"]),
)
def test_no_way_of_writing_copy_in_a_with_clause_gets_through(
    lake: Path,
    shared_connection: duckdb.DuckDBPyConnection,
    before: str,
    name: str,
    materialized: str,
    gap: str,
    verb: str,
    what: str,
    after: str,
) -> None:
    start = before if before.startswith("with") else f"{before}with "
    text = f"{start}{name} as {materialized}({gap}{verb}{gap or ' '}{what} to '{lake}/releases/r0123/f') {after}"
    with pytest.raises((QueryError, duckdb.ParserException)):
        admit(shared_connection, text)


def test_nothing_is_left_in_the_home_or_working_folder(lake: Path, tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from warehouse.query import QueryLimits, run_query\n"
        "lake = pathlib.Path(sys.argv[1])\n"
        "query = 'select count(distinct hash(range)) from range(1000000)'\n"
        "result = run_query(lake / 'releases' / 'r0123', query, spill_dir=lake / 'tmp', limits=QueryLimits())\n"
        "print(result.rows()); result.close()\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(lake)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[(1000000,)]"
    assert list(tmp_path.rglob("*")) == []
    assert not (lake / "tmp").exists()
