"""Releases looked through: each kind of fault is found, and a sound one has none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def shelf(timeline, tmp_path: Path) -> Any:
    copy = timeline[0].copy(tmp_path / "copy")
    copy.releases = timeline[1]
    return copy


def test_sound_releases_and_their_raw_files_have_no_finding(timeline) -> None:
    shelf, releases = timeline
    assert shelf.rows("verify") == []
    assert shelf.rows("verify", releases["first"], "--raw") == []
    assert shelf.rows("verify", "--all", "--raw") == []


def replace(path: Path, content: bytes) -> None:
    """Writes a file anew, so that one which is linked to from another release stays as it is there."""
    path.unlink()
    path.write_bytes(content)


def edit(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    def of(release: Path) -> None:
        path = release / "release.json"
        told = json.loads(path.read_text())
        change(told)
        path.write_text(json.dumps(told))

    return of


def other_bytes(release: Path) -> None:
    path = release / "papers" / "papers.parquet"
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    replace(path, bytes(content))


def rewritten(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    def of(release: Path) -> None:
        path = release / "ledger" / "ledger.parquet"
        table = change(pq.read_table(path, partitioning=None))
        path.unlink()
        pq.write_table(table, path)

    return of


def unbalanced(table: pa.Table) -> pa.Table:
    place = table.column_names.index("balanced")
    return table.set_column(place, table.schema.field("balanced"), pa.array([False] * table.num_rows))


FAULTS = {
    "a byte is another": (other_bytes, {("papers/papers.parquet", "other content")}),
    "a file is cut": (
        lambda r: replace(r / "links/links.parquet", b"PAR1"),
        {("links/links.parquet", "other size"), ("links/links.parquet", "unreadable")},
    ),
    "a file is gone": (
        lambda r: (r / "links/links.parquet").unlink(),
        {("links/links.parquet", "missing"), ("links", "missing")},
    ),
    "the readme is gone": (lambda r: (r / "README.md").unlink(), {("README.md", "missing")}),
    "a file is none of the release's": (lambda r: (r / "papers/b.txt").write_text("x"), {("papers/b.txt", "stray")}),
    "a link leads out of it": (lambda r: (r / "links/x").symlink_to("/"), {("links/x", "stray")}),
    "the folder has another name": (lambda r: r, {("release.json", "other id")}),
    "the description is no JSON": (lambda r: (r / "release.json").write_text("{"), {("release.json", "no description")}),
    "the description lacks its files": (edit(lambda told: told.pop("files")), {("release.json", "no description")}),
    "the description is of another shape": (edit(lambda told: told.update(files=[1])), {("release.json", "no description")}),
    "a count of rows is another": (
        edit(lambda told: told["tables"]["papers"].update(rows=0)),
        {("papers", "other row count")},
    ),
    "a file outside is named": (
        edit(lambda told: told["files"].append({"path": "../../live.json", "sha256": "0", "size_bytes": 1})),
        {("../../live.json", "missing"), ("release.json", "other id")},
    ),
    "the ledger does not balance": (
        rewritten(unbalanced),
        {("ledger/ledger.parquet", "other size"), ("ledger/ledger.parquet", "unbalanced")},
    ),
    "a column is gone, one is new, one has another type": (
        rewritten(
            lambda table: (
                table.drop_columns(["records_staged"])
                .append_column("more", pa.array([1] * table.num_rows))
                .set_column(0, "file_sha256", pa.array([b""] * table.num_rows))
            )
        ),
        {("ledger/ledger.parquet", "other size"), ("ledger/ledger.parquet", "other schema")},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_named(shelf, fault: str) -> None:
    damage, expected = FAULTS[fault]
    release = shelf.lake / "releases" / shelf.current()
    if fault == "the folder has another name":
        release = shutil.copytree(release, shelf.lake / "releases" / "r1234")
    damage(release)
    found = {(row["path"], row["problem"]) for row in shelf.rows("verify", release.name, code=1)}
    assert found == expected
    assert {row["release_id"] for row in shelf.rows("verify", "--all", code=1)} == {release.name}


def test_of_a_release_by_other_code_columns_that_came_later_are_not_missed(shelf) -> None:
    release = shelf.lake / "releases" / shelf.current()
    FAULTS["a column is gone, one is new, one has another type"][0](release)
    messages = {row["message"] for row in shelf.rows("verify", code=1) if row["problem"] == "other schema"}
    assert messages == {
        "column records_staged is missing",
        "column more is not in the contract",
        "column file_sha256 has type binary, expected string",
    } | {message for message in messages if message.endswith("may hold null, which its contract rules out")}
    edit(lambda told: told.update(code_version="another"))(release)
    messages = {row["message"] for row in shelf.rows("verify", code=1) if row["problem"] == "other schema"}
    assert "column records_staged is missing" not in messages
    assert "column more is not in the contract" in messages


def test_raw_files_are_looked_at_where_asked(shelf) -> None:
    (sha256,) = (row["file_sha256"] for row in shelf.rows("sql", "select file_sha256 from raw_files"))
    path = shelf.lake / "raw" / sha256[:2] / sha256
    replace(path, b"another")
    assert shelf.rows("verify") == []
    (row,) = shelf.rows("verify", "--raw", code=1)
    assert (row["path"], row["problem"]) == (f"raw/{sha256[:2]}/{sha256}", "raw damaged")
    path.unlink()
    assert [row["problem"] for row in shelf.rows("verify", "--raw", code=1)] == ["raw missing"]


def test_a_table_of_findings_is_printed_for_people_and_nothing_where_there_is_none(shelf) -> None:
    assert shelf.call("verify") == ""
    other_bytes(shelf.lake / "releases" / shelf.current())
    assert "other content" in shelf.call("verify", code=1)
    assert "exclude each other" in shelf.call("verify", "r1", "--all", code=2)
