"""Two fabricated releases compared, against a comparison in plain Python."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from transforms.schemas import SCHEMA_VERSION, TABLES
from warehouse.diff import Wanted, open_diff
from warehouse.layout import LakeError
from warehouse.sandbox import QueryLimits

Rows = dict[str, list[dict[str, Any]]]
FACTS = {"rules": {"reading": "1"}, "decisions": [], "settings_key": "", "without_identifiers": False}


@pytest.fixture
def release(tmp_path: Path, write_release: Callable[[Path, Rows], Path]) -> Callable[..., Path]:
    """A function that writes a release with its description."""

    def of(name: str, rows: Rows, **facts: object) -> Path:
        folder = write_release(tmp_path / name, rows)
        files = [
            {
                "path": path.relative_to(folder).as_posix(),
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "size_bytes": 1,
            }
            for path in folder.rglob("*.parquet")
        ]
        told = {"schema_version": SCHEMA_VERSION, "release_id": name, "published_at": "", "tables": {}, "files": files}
        (folder / "release.json").write_text(json.dumps({**told, **FACTS, **facts}))
        return folder

    return of


def summary(before: Path, after: Path, **limits: int) -> dict[str, tuple[int, int, int]]:
    """Rows added, removed and changed by table, of all causes."""
    with open_diff(before, after, spill_dir=before.parent / "spill", limits=QueryLimits(**limits)) as diff:
        total: dict[str, tuple[int, int, int]] = {}
        for each in diff.summary():
            known = total.get(each.table, (0, 0, 0))
            total[each.table] = (known[0] + each.added, known[1] + each.removed, known[2] + each.changed)
        return total


def rows_of(before: Path, after: Path, table: str, **wanted: Any) -> list[dict[str, object]]:
    with open_diff(before, after, spill_dir=before.parent / "spill", limits=QueryLimits()) as diff:
        columns = diff.columns(TABLES[table])
        return [dict(zip(columns, row, strict=True)) for batch in diff.rows(Wanted(table, **wanted)) for row in batch]


def counted(before: Rows, after: Rows) -> dict[str, tuple[int, int, int]]:
    """The same, by keys in dictionaries; equal rows of a table whose key is not unique cancel one by one."""
    found = {}
    for name, table in TABLES.items():
        old, new = ([{**dict.fromkeys(table.column_names()), **row} for row in rows.get(name, [])] for rows in (before, after))
        left = Counter(json.dumps(row) for row in old)
        right = Counter(json.dumps(row) for row in new)
        only_old, only_new = (
            Counter(str([json.loads(row)[key] for key in table.sort_key]) for row in rows.elements())
            for rows in (left - right, right - left)
        )
        both = sum((only_old & only_new).values())
        counts = (sum(only_new.values()) - both, sum(only_old.values()) - both, both)
        if any(counts):
            found[name] = counts
    return found


def disturb(rows: Rows, chance: random.Random) -> Rows:
    """The same rows but for some that are gone, changed, or there twice where that may be."""
    other = copy.deepcopy(rows)
    for name, table_rows in other.items():
        table = TABLES[name]
        for row in list(table_rows):
            fate = chance.random()
            if fate < 0.2 and name not in ("records", "papers", "paper_aliases"):  # whose loss may rename a paper
                table_rows.remove(row)
            elif fate < 0.5:
                rest = [column for column in table.columns if column.name not in (*table.sort_key, "paper_id", "record_key")]
                if not rest:
                    continue
                column = chance.choice(rest)
                values = {"string": "x", "bool": True, "list<string>": ["x", "y"], "float64": 0.5}
                row[column.name] = chance.choice([values.get(column.dtype, 7), *([None] if column.nullable else [])])
            elif fate < 0.7 and not table.unique:
                table_rows.append({**row, "message": chance.choice([row["message"], "other"])})
    return other


@pytest.mark.parametrize("seed", range(12))
def test_the_counts_of_every_table_are_those_of_a_plain_comparison(
    seed: int, sound_rows: Rows, release: Callable[..., Path]
) -> None:
    before = disturb(sound_rows, random.Random(seed))
    after = disturb(before, random.Random(seed + 100))
    folders = release("r1", before, rules={"reading": "1"}), release("r2", after, rules={"reading": "2"})
    assert summary(*folders) == counted(before, after)


def test_equal_releases_have_no_changes_and_need_no_table_opened(sound_rows: Rows, release: Callable[..., Path]) -> None:
    before, after = release("r1", sound_rows), release("r2", sound_rows)
    (after / "papers" / "papers.parquet").write_bytes(b"damaged since, but told to be the same")
    assert summary(before, after) == {}


def test_values_stand_side_by_side_as_text(sound_rows: Rows, release: Callable[..., Path]) -> None:
    other = copy.deepcopy(sound_rows)
    other["papers"][0].update(authors=["Ada Stone"], year=None, abstract="We sum gravel, again.", keywords=["gravel", "ünï"])
    rows = rows_of(release("r1", sound_rows), release("r2", other), "papers")
    assert [(row["field"], row["before"], row["after"]) for row in rows] == [
        ("authors", '["Ada Stone","Ben Pebble"]', '["Ada Stone"]'),
        ("abstract", "We sum gravel.", "We sum gravel, again."),
        ("year", "2023", None),
        ("keywords", '["gravel"]', '["gravel","ünï"]'),
    ]


def test_an_added_or_removed_row_stands_as_what_it_is(sound_rows: Rows, release: Callable[..., Path]) -> None:
    other = copy.deepcopy(sound_rows)
    other["papers"].pop()
    other["links"].clear()
    before, after = release("r1", sound_rows), release("r2", other)
    (paper,) = rows_of(before, after, "papers")
    assert (paper["change"], paper["field"], paper["before"], paper["after"]) == ("removed", None, "A Survey of Sand", None)
    (link,) = rows_of(after, before, "links")
    assert (link["change"], link["url"], link["before"], link["after"]) == (
        "added",
        "https://example.org/gravel",
        None,
        '{"kind":"code"}',
    )


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ({"p1": "ab", "p2": "c"}, {"q1": "ab", "p2": "c"}, {"p1": "q1"}),
        ({"p1": "abc"}, {"q1": "ab", "q2": "c"}, {"p1": "q1"}),
        ({"p1": "ab", "p2": "c"}, {"q1": "abc"}, {"p1": "q1"}),
        ({"p1": "ab", "p2": "c"}, {"p1": "abc"}, {}),
        ({"p1": "ab"}, {"p1": "a", "q2": "b"}, {}),
        ({"p1": "a"}, {"q1": "b"}, {}),
        ({"p1": "ab", "p2": "cd"}, {"q1": "ac", "q2": "bd"}, {"p1": "q1"}),
    ],
)
def test_a_paper_is_one_with_the_new_one_that_it_shares_most_records_with(
    sound_rows: Rows, release: Callable[..., Path], old: dict[str, str], new: dict[str, str], pairs: dict[str, str]
) -> None:
    def tables(papers: dict[str, str]) -> Rows:
        record, paper = sound_rows["records"][0], sound_rows["papers"][0]
        records = [
            {
                **record,
                "record_key": key,
                "paper_id": name,
                "ordinal": ord(key),
                "record_id": f"{record['file_sha256']}:{ord(key)}",
            }
            for name, keys in papers.items()
            for key in keys
        ]
        return {**sound_rows, "records": records, "papers": [{**paper, "paper_id": name} for name in papers]}

    before, after = release("r1", tables(old)), release("r2", tables(new))
    rows = [row for row in rows_of(before, after, "papers") if row["field"] == "paper_id"]
    assert {row["before"]: row["after"] for row in rows} == pairs
    back = [row for row in rows_of(after, before, "papers") if row["field"] == "paper_id"]
    assert {row["after"]: row["before"] for row in back} == pairs


def test_a_renamed_paper_that_shares_no_record_is_found_by_its_alias(sound_rows: Rows, release: Callable[..., Path]) -> None:
    other = copy.deepcopy(sound_rows)
    other["papers"][1]["paper_id"] = other["records"][1]["paper_id"] = "q2"
    other["records"][1]["record_key"] = "k9"
    before = release("r1", sound_rows)
    assert {row["change"] for row in rows_of(before, release("r2", other), "papers")} == {"added", "removed"}
    other["paper_aliases"].append({"paper_id": "p2", "current_paper_id": "q2", "reason": "renamed"})
    (row,) = rows_of(before, release("r3", other), "papers")
    assert (row["change"], row["field"], row["before"], row["after"]) == ("changed", "paper_id", "p2", "q2")


def test_a_table_in_several_files_is_one_table(sound_rows: Rows, release: Callable[..., Path]) -> None:
    other = copy.deepcopy(sound_rows)
    other["papers"][1]["title"] = "A Survey of Dunes"
    before, after = release("r1", sound_rows), release("r2", other)
    path = after / "papers" / "papers.parquet"
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.slice(0, 1), path)
    pq.write_table(table.slice(1), path.with_name("papers-2.parquet"))
    (row,) = rows_of(before, after, "papers")
    assert (row["paper_id"], row["before"], row["after"]) == ("p2", "A Survey of Sand", "A Survey of Dunes")


def test_a_table_or_column_that_one_release_has_not_is_no_fault(sound_rows: Rows, release: Callable[..., Path]) -> None:
    older = {name: rows for name, rows in sound_rows.items() if name != "column_map"}
    before, after = release("r1", older), release("r2", sound_rows)
    path = before / "papers" / "papers.parquet"
    pq.write_table(pq.read_table(path, partitioning=None).drop_columns(["pages"]), path)
    told = json.loads((before / "release.json").read_text())
    told["files"] = [{**file, "sha256": "other"} if file["path"].startswith("papers/") else file for file in told["files"]]
    (before / "release.json").write_text(json.dumps(told))
    assert summary(before, after) == {"column_map": (1, 0, 0)}


def test_with_little_memory_the_answer_is_the_same(sound_rows: Rows, release: Callable[..., Path]) -> None:
    papers = [{**sound_rows["papers"][0], "paper_id": f"p{n}", "abstract": f"{n} " * 300} for n in range(20_000)]
    before = release("r1", {**sound_rows, "papers": papers})
    after = release("r2", {**sound_rows, "papers": [{**paper, "abstract": paper["abstract"] + "."} for paper in papers]})
    assert summary(before, after, memory_bytes=60_000_000) == {"papers": (0, 0, 20_000)}


def test_a_damaged_release_is_named_in_a_sentence(sound_rows: Rows, release: Callable[..., Path]) -> None:
    other = copy.deepcopy(sound_rows)
    other["papers"].pop()
    before, after = release("r1", sound_rows), release("r2", other)
    (after / "papers" / "papers.parquet").write_bytes(b"PAR1 damaged PAR1")
    with pytest.raises(LakeError, match=r"r1 or r2 cannot be read: .*`paperlake verify` says more"):
        summary(before, after)
