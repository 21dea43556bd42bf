"""This module tests the lake's DuckDB file: what is in it, who can open it, and that it is replaced whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from transforms.schemas import TABLES
from warehouse.catalog import build_catalog
from warehouse.saved_queries import view_paths


def opened(path: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(path), read_only=True)


def test_catalog_has_a_view_a_table_and_names_its_release(tmp_path: Path, sound_release: Path) -> None:
    path = build_catalog(tmp_path, sound_release)
    assert path == tmp_path / "paperlake.duckdb"
    with opened(path) as connection:
        views = {row[0] for row in connection.execute("select view_name from duckdb_views() where not internal").fetchall()}
        assert views == {*TABLES, *view_paths(), "current_release"}
        assert connection.execute("from current_release").fetchall() == [("r0123", str(sound_release))]
        assert connection.execute("select title from papers order by title").fetchall()[0] == ("A Survey of Sand",)


def test_meanings_stand_beside_views_and_columns(tmp_path: Path, sound_release: Path) -> None:
    with opened(build_catalog(tmp_path, sound_release)) as connection:
        sql = "select table_name, column_name, comment from duckdb_columns() where not internal"
        comments = {(row[0], row[1]): row[2] for row in connection.execute(sql).fetchall() if row[0] in TABLES}
        grains = dict(connection.execute("select view_name, comment from duckdb_views() where not internal").fetchall())
    for table in TABLES.values():
        assert grains[table.name] == table.grain
        for column in table.columns:
            assert comments[table.name, column.name] == column.meaning


def test_catalog_is_opened_from_any_folder_in_another_process(
    tmp_path: Path, write_release: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / 'it\'s a "lake" x=1'
    write_release(lake / "releases" / "r1", {"links": [{"paper_id": "p", "url": "u", "kind": "code"}]})
    monkeypatch.chdir(lake)
    path = build_catalog(Path(), Path("releases/r1"))
    assert path.is_absolute()
    (tmp_path / "elsewhere").mkdir()
    code = "import duckdb, sys; print(duckdb.connect(sys.argv[1], read_only=True).execute('from links').fetchall())"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=tmp_path / "elsewhere", capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[('p', 'u', 'code')]"


def test_catalog_is_replaced_while_a_reader_has_it_open(tmp_path: Path, write_release: Callable[..., Path]) -> None:
    old = write_release(tmp_path / "r1", {"links": [{"paper_id": "p", "url": "old", "kind": "code"}]})
    new = write_release(tmp_path / "r2", {"links": [{"paper_id": "p", "url": "new", "kind": "code"}]})
    path = build_catalog(tmp_path, old)
    code = (
        "import duckdb, sys\n"
        "connection = duckdb.connect(sys.argv[1], read_only=True)\n"
        "print('open', flush=True); sys.stdin.readline()\n"
        "print(connection.execute('select url from links').fetchall())\n"
    )
    reader = subprocess.Popen([sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None and reader.stdout.readline() == "open\n"
    build_catalog(tmp_path, new)
    assert reader.communicate("\n")[0] == "[('old',)]\n"
    with opened(path) as connection:
        assert connection.execute("select url from links").fetchall() == [("new",)]


def test_release_behind_a_link_is_named_by_its_own_folder(tmp_path: Path, sound_release: Path) -> None:
    (tmp_path / "current").symlink_to(sound_release)
    with opened(build_catalog(tmp_path, tmp_path / "current")) as connection:
        assert connection.execute("select release_id from current_release").fetchall() == [("r0123",)]
        sql = connection.execute("select string_agg(sql) from duckdb_views() where not internal").fetchall()[0][0]
    assert f"{tmp_path}/current" not in sql


def test_old_duckdb_can_open_the_file(tmp_path: Path, sound_release: Path) -> None:
    """Bytes 12 to 20 hold the version of the storage format: 64 is that of DuckDB 1.0."""
    head = build_catalog(tmp_path, sound_release).read_bytes()[:20]
    assert head[8:12] == b"DUCK"
    assert int.from_bytes(head[12:20], "little") == 64


def test_failure_leaves_the_old_file_and_no_other(
    tmp_path: Path, sound_release: Path, write_release: Callable[..., Path]
) -> None:
    before = build_catalog(tmp_path, sound_release).read_bytes()
    broken = write_release(tmp_path / "broken", {"links": []})
    (broken / "links" / "links.parquet").write_bytes(b"no Parquet")
    with pytest.raises(duckdb.Error):
        build_catalog(tmp_path, broken)
    assert (tmp_path / "paperlake.duckdb").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "paperlake.duckdb"]
