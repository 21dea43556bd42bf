"""What is exported: conditions, queries, splits and partitions; what is refused; and what an export never does to a folder."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset
import pytest
from polars.testing import assert_frame_equal

from flows.cli import call
from transforms.schemas import TABLES
from warehouse.exports.request import ExportError, parse_split
from warehouse.exports.selection import PAPER_OF


def published(lake: Path, table: str) -> pl.DataFrame:
    return pl.read_parquet(lake / "current" / table / "*.parquet")


def test_a_condition_on_papers_keeps_what_belongs_to_them(export, lake, capsys) -> None:
    folder = export("--where", "year >= 2031 and 'Hana Sato' = any(authors)", format="parquet")
    printed = capsys.readouterr().out
    papers = pl.read_parquet(folder / "papers.parquet")
    ids = papers["paper_id"]
    want = published(lake, "papers").filter(pl.col("year") >= 2031, pl.col("authors").list.contains("Hana Sato"))
    assert_frame_equal(papers, want)
    assert 0 < papers.height < published(lake, "papers").height
    for name, table in TABLES.items():
        rows, all_rows = pl.read_parquet(folder / f"{name}.parquet"), published(lake, name)
        if name in PAPER_OF and "paper_id" in table.column_names():
            assert_frame_equal(rows, all_rows.filter(pl.col("paper_id").is_in(ids.implode())))
        elif name not in PAPER_OF:
            assert_frame_equal(rows, all_rows)
    assert "Exported whole, as their rows are of no one paper: paper_matches, paper_aliases, rejects" in printed
    assert "Only papers for which this holds" in (folder / "README.md").read_text()


@pytest.mark.parametrize(
    "condition",
    [
        "year >= 2030) union all select paper_id from papers where (true",
        "year >= 2030) or (true",
        "true\n) or (true",
        "true) order by (title",
        "true) limit (1",
        "true) group by (paper_id",
        "true; drop table papers",
        "paper_id in (select content from read_text('/etc/passwd'))",
        "title = getenv('HOME')",
        "year = $year",
        "yaer > 2020",
        "sum(year) > 1",
        "",
        " ",
        "year > ",
    ],
)
def test_a_condition_is_one_expression_that_only_reads(lake, tmp_path, configured, capsys, condition) -> None:
    assert call(["export", "papers", "--where", condition, "--to", str(tmp_path / "out"), "--lake", str(lake)]) in (1, 2)
    assert "paperlake: " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_condition_may_ask_a_saved_view(export, lake) -> None:
    most = "(select v.venue from papers_by_venue_year as v order by v.paper_count desc, v.venue limit 1)"
    papers = pl.read_parquet(export("papers", "--where", f"venue = {most}", format="parquet") / "papers.parquet")
    assert papers["venue"].n_unique() == 1


def test_parts_of_a_split_never_share_a_work_and_follow_its_hash(export, lake) -> None:
    folder = export("--split", "train=0.6,validation=0.2,test=0.2", format="parquet")
    works = dict(published(lake, "papers").select("paper_id", "work_id").rows())
    parts = {}
    for part in ("train", "validation", "test"):
        for paper_id in pl.read_parquet(folder / "papers" / f"{part}.parquet")["paper_id"]:
            parts[paper_id] = part
    assert set(parts) == set(works)
    for paper_id, work_id in works.items():
        place = int(hashlib.sha256(work_id.encode()).hexdigest()[:8], 16) / 2**32
        assert parts[paper_id] == ("train" if place < 0.6 else "validation" if place < 0.8 else "test")
    for name in ("authorships", "records", "links"):
        for part in ("train", "validation", "test"):
            ids = pl.read_parquet(folder / name / f"{part}.parquet")["paper_id"]
            assert all(parts[paper_id] == part for paper_id in ids)
    joined = pl.concat(
        [pl.read_parquet(folder / "record_notes" / f"{part}.parquet") for part in ("train", "validation", "test")]
    )
    assert joined.height == published(lake, "record_notes").height
    assert (folder / "ledger.parquet").is_file() and not (folder / "ledger").exists()


def test_references_are_split_alike(export) -> None:
    tables, references = (export("papers", "--split", "a=0.5,b=0.5", format=f) for f in ("jsonl", "csl-json"))
    for part in ("a", "b"):
        titles = [json.loads(line)["title"] or "" for line in (tables / "papers" / f"{part}.jsonl").read_text().splitlines()]
        assert [item["title"] for item in json.loads((references / "papers" / f"{part}.json").read_text())] == titles


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ("train=0.8,test=0.1", "the shares add up to 0.9"),
        ("train=0.8,test=0.3", "the shares add up to 1.1"),
        ("train=1,test=0", "above 0"),
        ("train=0.5,train=0.5", "stands twice"),
        ("Train=1", "is no part"),
        ("../x=1", "is no part"),
        ("train", "is no part"),
        ("train=80%,test=20%", "such as 0.1"),
        ("a=nan,b=0.5", "such as 0.1"),
        ("", "is no part"),
    ],
)
def test_a_split_that_does_not_add_up_is_refused(split, message) -> None:
    with pytest.raises(ExportError, match=message):
        parse_split(split)


def test_thirds_add_up() -> None:
    assert [part.end for part in parse_split("a=0.333,b=0.333,c=0.334")][-1] == 2**32


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
def test_hive_folders_are_read_back_as_the_table(export, lake, format) -> None:
    folder = export("papers", "authorships", "ledger", "--partition-by", "venue_id,year", format=format)
    reader = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json"}[format]
    options = ", all_varchar = true, max_line_size = 10000000" if format == "csv" else ""
    for name in ("papers", "authorships"):
        files = f"{reader}('{folder}/{name}/**/*.{format}', hive_partitioning = true{options})"
        got = duckdb.sql(f"select paper_id, venue_id, year::int as year from {files} order by all").fetchall()
        want = published(lake, name).select("paper_id").join(published(lake, "papers"), on="paper_id")
        assert got == sorted(
            want.select("paper_id", "venue_id", "year").rows(), key=lambda r: (r[0], r[1] or "~", r[2] or 9999)
        )
    assert (folder / "papers" / "venue_id=iclr" / "year=2031").is_dir()
    assert "Not partitioned, as they lack venue_id or year: ledger." in (folder / "README.md").read_text()


def test_hive_folders_are_read_by_polars_pyarrow_and_pandas(export, lake) -> None:
    folder = export("papers", "--partition-by", "venue_id,year", format="parquet")
    want = published(lake, "papers").select("paper_id", "venue_id", "year").sort("paper_id")
    by_polars = pl.read_parquet(folder / "papers" / "**/*.parquet", hive_partitioning=True)
    by_pyarrow = pl.from_arrow(pyarrow.dataset.dataset(folder / "papers", partitioning="hive").to_table())
    for rows in (by_polars, by_pyarrow):
        assert_frame_equal(rows.select(want.columns).sort("paper_id"), want, check_dtypes=False)
    # pandas makes partitions categories, and pyarrow cannot yet make one of those with a null (26.0).
    folder = export("papers", "--partition-by", "venue_id", "--where", "venue_id is not null", format="parquet")
    assert len(pd.read_parquet(folder / "papers")) == want["venue_id"].drop_nulls().len()


def test_folders_of_odd_values_are_safe(export, lake) -> None:
    folder = export("papers", "--partition-by", "venue")
    names = {path.name for path in (folder / "papers").iterdir()}
    assert {"venue=Workshop%3A%20a%2Fb", "venue=%40SUM%28A1%29", "venue=__HIVE_DEFAULT_PARTITION__"} <= names
    assert len(names) == published(lake, "papers")["venue"].n_unique()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["paper"], "there is no table 'paper'; did you mean 'papers'"),
        (["first_authors"], "it is a saved query: --query first_authors"),
        (["links", "--format", "bibtex"], "takes the table papers"),
        (["--partition-by", "yaer"], "no exported table has a column 'yaer'; did you mean 'year'"),
        (["papers", "--partition-by", "authors"], "authors is a list"),
        (["papers", "--partition-by", "year,year"], "names a column twice"),
        (["papers", "--partition-by", "abstract"], "too long for the name of a folder"),
        (["--partition-by", "year", "--format", "xlsx"], "not with xlsx"),
        (["--split", "a=1", "--format", "xlsx"], "one workbook"),
        (["--bom", "--format", "jsonl"], "go with --format csv"),
        (["papers", "--query", "select 1"], "goes with no tables"),
        (["--query", "select 1", "--where", "true"], "goes with no --where"),
        (["--query", "select 1", "--format", "ris"], "use --where"),
        (["--query", "papers_by_venu"], "did you mean 'papers_by_venue_year'"),
        (["--query", "copy papers to 'x'"], "only reads"),
        (["--param", "a=1"], "there is none"),
        (["--at", "r0000"], "no release"),
        (["--timeout", "0"], "above 0"),
    ],
)
def test_what_does_not_go_together_is_refused_and_leaves_nothing(lake, tmp_path, configured, capsys, words, message) -> None:
    target = tmp_path / "out"
    words = words if "--format" in words else [*words, "--format", "csv"]
    assert call(["export", *words, "--to", str(target), "--lake", str(lake)]) in (1, 2)
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl", "xlsx"])
def test_an_answer_is_exported(export, lake, format) -> None:
    sql = "select year, count(*) as papers, list(title order by title) as titles from papers where year >= $year "
    sql += "group by 1 order by 1"
    folder = export("--query", sql, "--param", "year=2030", format=format)
    package = json.loads((folder / "datapackage.json").read_text())
    (resource,) = package["resources"]
    assert [(field["name"], field["type"]) for field in resource["schema"]["fields"]] == [
        ("year", "integer"),
        ("papers", "integer"),
        ("titles", "array"),
    ]
    assert package["paperlake"]["sql"] == sql and package["paperlake"]["parameters"] == {"year": "2030"}
    if format == "parquet":
        years = published(lake, "papers").filter(pl.col("year") >= 2030)["year"].unique().sort()
        assert pl.read_parquet(folder / "query.parquet")["year"].to_list() == years.to_list()


def test_a_saved_query_is_exported_under_its_name(export) -> None:
    folder = export("--query", "papers_by_venue_year")
    assert (folder / "papers_by_venue_year.csv").read_text().startswith("venue")
    assert "`papers_by_venue_year`" in (folder / "README.md").read_text()


def test_an_export_stands_in_the_lake_by_default_under_the_release_and_format(lake, tmp_path, configured, capsys) -> None:
    copy = tmp_path / "lake"
    subprocess.run(["cp", "-a", str(lake), str(copy)], check=True)
    assert call(["export", "links", "--lake", str(copy)]) == 0
    name = (copy / "current").resolve().name
    assert (copy / "exports" / f"{name}-parquet" / "links.parquet").is_file()
    for place in ("releases/x", "raw", "state/x", "x", "exports", "."):
        assert call(["export", "links", "--lake", str(copy), "--to", str(copy / place), "--replace"]) == 2
        assert "the lake" in capsys.readouterr().err
    link = tmp_path / "link"
    link.symlink_to(copy / "releases")
    assert call(["export", "links", "--lake", str(copy), "--to", str(link / "x")]) == 2
    assert call(["export", "links", "--lake", str(copy), "--to", str(tmp_path), "--replace"]) == 2


def test_only_what_an_export_put_there_is_replaced(export, files_of, tmp_path, capsys) -> None:
    folder = export("papers", "--partition-by", "year")
    before = files_of(folder)
    export("links", to=folder, code=2)
    assert "is not empty" in capsys.readouterr().err
    (folder / "papers" / "notes.txt").write_text("mine")
    export("links", "--replace", to=folder, code=2)
    assert "papers/notes.txt, which no export put there" in capsys.readouterr().err
    (folder / "papers" / "notes.txt").unlink()
    assert files_of(folder) == before
    export("links", "--replace", to=folder)
    assert "links.csv" in files_of(folder) and not (folder / "papers").exists()
    other = tmp_path / "other"
    other.mkdir()
    export("links", to=other)
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "thesis.tex").write_text("mine")
    export("links", "--replace", to=tmp_path / "third", code=2)
    assert "is no export" in capsys.readouterr().err and (tmp_path / "third" / "thesis.tex").read_text() == "mine"
    export("links", to=tmp_path / "third" / "thesis.tex", code=2)


@pytest.mark.parametrize("format", ["parquet", "csv", "bibtex"])
def test_nothing_is_exported_of_a_release_that_is_damaged(lake, configured, tmp_path, capsys, format) -> None:
    shutil.copytree(lake, tmp_path / "lake", symlinks=True)
    file = tmp_path / "lake" / "current" / "papers" / "papers.parquet"
    content = file.read_bytes()
    for damaged, said in ((content[:99] + b"?" + content[100:], "not what was published"), (None, "is missing")):
        file.unlink()
        if damaged is not None:
            file.write_bytes(damaged)
        words = ["export", "--format", format, "--to", str(tmp_path / "out"), "--lake", str(tmp_path / "lake")]
        assert call(words) == 1
        assert said in (error := capsys.readouterr().err) and "paperlake verify r" in error
        assert [path.name for path in tmp_path.iterdir()] == ["lake"]


def test_a_table_that_an_older_release_has_not_is_named(lake, configured, tmp_path, capsys) -> None:
    shutil.copytree(lake, tmp_path / "lake", symlinks=True)
    release = (tmp_path / "lake" / "current").resolve()
    told = json.loads((release / "release.json").read_text())
    told["tables"].pop("column_map")
    told["files"] = [file for file in told["files"] if "column_map" not in file["path"]]
    (release / "release.json").write_text(json.dumps(told))
    shutil.rmtree(release / "column_map")
    words = ["export", "--format", "csv", "--lake", str(tmp_path / "lake"), "--to", str(tmp_path / "out")]
    assert call([*words, "column_map"]) == 2
    assert "was published before there was a table column_map" in capsys.readouterr().err
    assert call(words) == 0
    assert (tmp_path / "out" / "papers.csv").exists() and not (tmp_path / "out" / "column_map.csv").exists()


def test_an_export_that_fails_leaves_what_was_there(export, files_of, tmp_path, monkeypatch, capsys) -> None:
    folder = export("papers")
    before = files_of(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("warehouse.exports.exporting.croissant", full)
    export("links", "--replace", to=folder, code=1)
    assert "no space left on the disk" in capsys.readouterr().err
    assert files_of(tmp_path) == before and not list(tmp_path.glob(".tmp-*"))


@pytest.mark.parametrize("place", [Path("/proc/out"), Path("/proc/deep/out")])
def test_a_folder_that_cannot_be_written_to_is_named(export, capsys, place) -> None:
    export("links", to=place, code=2)
    assert "/proc" in (said := capsys.readouterr().err) and "cannot be written to" in said and "Error" not in said


def test_an_export_that_was_moved_aside_when_its_replacement_was_killed_comes_back(export, files_of, tmp_path) -> None:
    folder = export("papers", to=tmp_path / "out")
    before = files_of(folder)
    (tmp_path / ".tmp-999999999-out").mkdir()
    folder.rename(tmp_path / ".tmp-999999999-out.replaced")
    export("links", "--where", "year(", to=folder, code=1)
    assert files_of(tmp_path) == {f"out/{place}": sha256 for place, sha256 in before.items()}
    folder.rename(tmp_path / ".tmp-999999999-out.replaced")
    export("links", to=folder)
    assert "links.csv" in files_of(folder) and [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_export_left_is_removed_by_the_next_one(export, tmp_path) -> None:
    (left := tmp_path / ".tmp-999999999-out").mkdir()
    (running := tmp_path / f".tmp-{os.getppid()}-out").mkdir()
    export("links", to=tmp_path / "out")
    assert not left.exists() and running.exists()
