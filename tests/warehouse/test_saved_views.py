"""This module tests saved views: which of them a query gets, and what becomes of those that an older release cannot have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from warehouse.catalog import build_catalog
from warehouse.query import QueryError, QueryLimits, run_query
from warehouse.saved_queries import SavedQueryError, find_saved_query, read_own_query, read_saved_query, view_paths
from warehouse.views import saved_views_in

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def old_release(tmp_path: Path, write_release: Callable[[Path, Rows], Path], sound_rows: Rows) -> Path:
    """A release whose papers have no decision yet, and that has no links."""
    del sound_rows["links"]
    folder = write_release(tmp_path / "r1", sound_rows)
    path = folder / "papers" / "papers.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["decision"]), path)
    return folder


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("select title from papers", []),
        ("SELECT * FROM Link_Hosts join papers_by_venue_year using (venue)", ["link_hosts", "papers_by_venue_year"]),
        ('from "first_authors"', ["first_authors"]),
        ("select * from link_hosts_of_mine", []),
    ],
)
def test_a_query_gets_the_views_it_names(sql: str, names: list[str]) -> None:
    assert saved_views_in(sql) == names


@pytest.mark.parametrize("sql", ["show tables", "describe", "select * from duckdb_views()", "from information_schema.tables"])
def test_who_asks_what_there_is_gets_all(sql: str) -> None:
    assert saved_views_in(sql) == list(view_paths())


def test_a_view_that_an_older_release_cannot_have_says_so_and_no_other_query_breaks(old_release: Path, tmp_path: Path) -> None:
    def ask(sql: str) -> list[tuple[object, ...]]:
        return run_query(old_release, sql, spill_dir=tmp_path, limits=QueryLimits()).rows()

    assert ask("select sum(paper_count) from papers_by_venue_year") == [(2,)]
    assert {"link_hosts", "papers"} <= {row[0] for row in ask("show tables")}
    assert ask("select count(*) as link_hosts from papers") == [(2,)]
    with pytest.raises(QueryError, match=r"the view link_hosts cannot be had of this release.* links"):
        ask("select host from link_hosts")
    with pytest.raises(QueryError, match=r"the view decisions_by_venue_year cannot be had.*decision"):
        ask("select count(*) from decisions_by_venue_year")
    with pytest.raises(QueryError, match="this release has no table 'links': it was published before there was one"):
        ask("select url from links")
    with pytest.raises(QueryError, match=r"no column 'decision' here\. papers should have it: .* a release from before"):
        ask("select decision from papers")


def test_the_catalog_of_an_older_release_has_the_views_it_can_have(old_release: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(build_catalog(tmp_path, old_release)), read_only=True) as connection:
        assert connection.execute("select paper_count from papers_by_venue_year").fetchall() == [(1,), (1,)]
        with pytest.raises(duckdb.Error, match="cannot be had of this release"):
            connection.execute("from link_hosts").fetchall()


def test_the_catalog_has_views_and_their_meanings_also_when_it_is_attached(sound_release: Path, tmp_path: Path) -> None:
    path = build_catalog(tmp_path, sound_release)
    with duckdb.connect() as connection:
        connection.execute(f"attach '{path}' as lake (read_only)")
        for name in view_paths():
            connection.execute(f"select * from lake.{name}").fetchall()
        sql = "select table_name, column_name, comment from duckdb_columns() where database_name = 'lake'"
        comments = {(row[0], row[1]): row[2] for row in connection.execute(sql).fetchall()}
    for name, path in view_paths().items():
        for column, meaning in read_saved_query(path).columns.items():
            assert comments[name, column] == meaning


def test_a_paper_that_was_renamed_or_merged_into_is_compared_with_what_it_was(
    tmp_path: Path, write_release: Callable[[Path, Rows], Path]
) -> None:
    def release(name: str, papers: dict[str, str], moved: dict[str, str | None]) -> Path:
        given = {"work_id": "w", "authors": [], "keywords": [], "record_count": 1, "file_count": 1}
        aliases = [
            {"paper_id": old, "current_paper_id": now, "reason": "merged", "record_key": "k"} for old, now in moved.items()
        ]
        rows: Rows = {"papers": [given | {"paper_id": each, "title": title} for each, title in papers.items()]}
        return write_release(tmp_path / name, rows | {"paper_aliases": aliases})

    then = release("r1", {"p1": "renamed", "p2": "lesser", "p3": "kept", "p4": "was", "p5": "gone", "p6": "same"}, {"p0": "p3"})
    moved = {"p0": "p3", "p1": "p9", "p2": "p3", "p5": None}
    now = release("r2", {"p9": "renamed", "p3": "kept", "p4": "is", "p6": "same", "p7": "new"}, moved)
    saved = find_saved_query("changed_since")
    result = run_query(now, saved.sql, spill_dir=tmp_path, limits=QueryLimits(), beside={"since": then})
    assert [(row[0], row[1], row[5], row[6]) for row in result.rows()] == [
        ("new", "p7", [], None),
        ("changed", "p4", ["title"], "p4"),
        ("changed", "p9", ["paper_id"], "p1"),
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"select '\xff'", "expected a query in UTF-8"), (None, "no such file"), ("folder", "no regular file")],
)
def test_a_file_that_is_no_query_is_refused(content: bytes | str | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.sql"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    with pytest.raises(SavedQueryError, match=says):
        read_own_query(path)
