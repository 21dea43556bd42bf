"""Exports: every table in every format, described, checksummed, the same bytes each time; nothing in them runs."""

import csv
import json
import re
import subprocess
import zipfile
from pathlib import Path

import duckdb
import fastexcel
import polars as pl
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

from flows.cli import call
from transforms.schemas import TABLES
from warehouse.exports.row_writers import unguarded

FORMATS = ["parquet", "csv", "jsonl", "xlsx", "bibtex", "ris", "csl-json"]


def published(lake: Path, table: str) -> pl.DataFrame:
    return pl.read_parquet(lake / "current" / table / "*.parquet")


@pytest.mark.parametrize("format", FORMATS)
def test_an_export_is_described_checksummed_and_the_same_bytes_each_time(export, files_of, lake, format) -> None:
    first, second = export(format=format), export(format=format)
    assert files_of(first) == files_of(second)
    subprocess.run(["sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS"], cwd=first, check=True)
    sums = {line.split("  ", 1)[1] for line in (first / "SHA256SUMS").read_text().splitlines()}
    assert sums | {"SHA256SUMS"} == set(files_of(first))
    readme = (first / "README.md").read_text()
    release_id = (lake / "current").resolve().name
    package = json.loads((first / "datapackage.json").read_text())
    assert release_id in readme and package["paperlake"]["release_id"] == release_id
    assert str(lake) not in "".join((first / name).read_text() for name in ("README.md", "datapackage.json", "croissant.json"))
    rows = {resource["name"]: resource.get("rows", resource.get("entries")) for resource in package["resources"]}
    assert rows["papers"] == published(lake, "papers").height
    if format in FORMATS[:4]:
        assert rows == {name: published(lake, name).height for name in TABLES}
        assert all(f"`{column.name}`" in readme for table in TABLES.values() for column in table.columns)


def test_parquet_holds_the_tables_with_the_meanings_of_their_columns(export, lake) -> None:
    folder = export(format="parquet")
    for name, table in TABLES.items():
        assert_frame_equal(pl.read_parquet(folder / f"{name}.parquet"), published(lake, name))
        fields = pq.read_schema(folder / f"{name}.parquet")
        assert [fields.field(i).metadata[b"description"].decode() for i in range(len(fields))] == [
            column.meaning for column in table.columns
        ]


def test_csv_with_raw_cells_is_read_by_duckdb_as_the_tables(export, lake) -> None:
    folder = export("--raw-cells")
    for name, table in TABLES.items():
        types = {c.name: "varchar" if c.dtype.startswith("list") or c.dtype == "string" else "double" for c in table.columns}
        types |= {c.name: "boolean" for c in table.columns if c.dtype == "bool"}
        read = duckdb.sql(
            f"from read_csv('{folder / name}.csv', columns={types}, max_line_size=10000000, allow_quoted_nulls=false)"
        ).pl()
        want = published(lake, name).with_columns(
            *(
                pl.col(c.name).map_elements(lambda v: json.dumps(v.to_list(), ensure_ascii=False), pl.String)
                for c in table.columns
                if c.dtype.startswith("list")
            ),
            *(pl.col(c.name).cast(pl.Float64) for c in table.columns if types[c.name] == "double"),
        )
        assert_frame_equal(read, want)


def test_csv_is_rfc_4180_and_holds_a_byte_order_mark_on_request(export) -> None:
    plain, marked = export("papers"), export("papers", "--bom")
    content = (plain / "papers.csv").read_bytes()
    assert (marked / "papers.csv").read_bytes() == b"\xef\xbb\xbf" + content
    rows = list(csv.reader(content.decode().splitlines(keepends=True), strict=True))
    assert {len(row) for row in rows} == {len(TABLES["papers"].columns)}
    assert content.endswith(b"\r\n") and content.count(b"\r\n") == len(rows)


def test_no_cell_of_csv_runs_numbers_stay_numbers_and_the_guard_comes_off(export, lake) -> None:
    folder = export("papers", "control_totals", "paper_matches")
    for table in ("papers", "control_totals", "paper_matches"):
        with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row, want in zip(rows, published(lake, table).to_dicts(), strict=True):
            for name, value in want.items():
                if isinstance(value, str):
                    assert not re.match(r"[\s'\"]*[=+\-@＝]", row[name]) or row[name].startswith("'")
                    assert unguarded(row[name]) == value
                elif isinstance(value, int | float) and not isinstance(value, bool):
                    assert float(row[name]) == value
    titles = (folder / "papers.csv").read_text()
    assert "'=1+1" in titles and "'＝full width" in titles and ",A = B," in titles and "'@SUM(A1)" in titles


def test_json_lines_hold_the_tables(export, lake) -> None:
    folder = export(format="jsonl")
    for name in TABLES:
        rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        assert rows == published(lake, name).to_dicts()


def test_a_workbook_has_a_sheet_a_table_in_which_texts_are_texts(export, lake) -> None:
    folder = export(format="xlsx")
    book = fastexcel.read_excel(folder / "tables.xlsx")
    assert book.sheet_names == list(TABLES)
    papers = book.load_sheet("papers").to_polars()
    assert papers["title"].to_list() == published(lake, "papers")["title"].to_list()
    longest = max(papers["abstract"].drop_nulls(), key=len)
    assert len(longest) == 32_767 and longest.endswith("…")
    assert re.search(r"[1-9] longer texts are cut", (folder / "README.md").read_text())
    with zipfile.ZipFile(folder / "tables.xlsx") as parts:
        assert not any(b"<f>" in parts.read(name) for name in parts.namelist())


def test_a_table_of_more_rows_than_a_sheet_goes_on_in_another(export, lake, monkeypatch) -> None:
    monkeypatch.setattr("warehouse.exports.workbook.MOST_ROWS", 10)
    folder = export("papers", format="xlsx")
    book = fastexcel.read_excel(folder / "papers.xlsx")
    assert book.sheet_names[:2] == ["papers", "papers (2)"]
    titles = [title for name in book.sheet_names for title in book.load_sheet(name).to_polars()["title"].to_list()]
    assert titles == published(lake, "papers")["title"].to_list()
    assert "go on in further sheets: papers" in (folder / "README.md").read_text()


def test_the_data_package_is_valid_and_its_rows_keep_its_schemas_and_keys(export) -> None:
    import frictionless

    report = frictionless.Package(str(export("--raw-cells") / "datapackage.json")).validate()
    assert report.valid, report.flatten(["name", "rowNumber", "fieldName", "type", "note"])[:10]
    for words in (["--split", "train=0.5,test=0.5"], ["--partition-by", "venue_id,year"]):
        package = frictionless.Package(str(export("papers", "authorships", "links", *words) / "datapackage.json"))
        assert package.validate().valid
    for format in ("bibtex", "ris", "csl-json"):
        assert frictionless.Package(str(export(format=format) / "datapackage.json")).validate().valid
    for format in ("parquet", "jsonl", "xlsx"):
        frictionless.Package.from_descriptor(str(export(format=format) / "datapackage.json"))


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_mlcroissant_loads_the_records(export, lake, format) -> None:
    import mlcroissant

    folder = export("papers", "authorships", "ledger", "--split", "train=0.6,test=0.4", format=format)
    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors and not dataset.metadata.ctx.issues.warnings
    papers = {record["papers/paper_id"]: record for record in dataset.records("papers")}
    want = {row["paper_id"]: row for row in published(lake, "papers").to_dicts()}
    assert {key.decode() for key in papers} == set(want)
    for record in papers.values():
        row = want[record["papers/paper_id"].decode()]
        assert record["papers/split"] in (b"train", b"test")
        assert record["papers/year"] == row["year"] and record["papers/record_count"] == row["record_count"]
        authors = record["papers/authors"]
        assert ([a.decode() for a in authors] if format != "csv" else json.loads(authors)) == row["authors"]
    assert len(list(dataset.records("authorships"))) == published(lake, "authorships").height
    assert all(record["ledger/balanced"] for record in dataset.records("ledger"))


def test_mlcroissant_tells_partitions_by_their_folders(export, lake) -> None:
    import mlcroissant

    folder = export("papers", "--partition-by", "venue_id,year", format="parquet")
    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    got = {
        (record["papers/paper_id"], record["papers/venue_id"], record["papers/year"]) for record in dataset.records("papers")
    }
    null = "__HIVE_DEFAULT_PARTITION__"
    rows = published(lake, "papers").select("paper_id", "venue_id", pl.col("year").cast(pl.String)).fill_null(null).rows()
    assert got == {tuple(value.encode() for value in row) for row in rows}


@pytest.mark.parametrize("format", ["xlsx", "bibtex"])
def test_mlcroissant_takes_what_has_files_only(export, format) -> None:
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(export(format=format) / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors and not dataset.metadata.record_sets


def test_licences_and_pages_are_those_of_the_sources_and_none_is_invented(export, lake, capsys) -> None:
    folder = export("papers")
    printed = capsys.readouterr().out
    package, croissant = (json.loads((folder / name).read_text()) for name in ("datapackage.json", "croissant.json"))
    licence = "https://spdx.org/licenses/CC-BY-4.0.html"
    assert package["licenses"] == [{"name": "CC-BY-4.0", "path": licence}]
    assert package["homepage"] == croissant["url"] == "https://example.org/samples"
    assert croissant["license"] == [licence] and croissant["citeAs"] == "The samples, fabricated."
    unknown = "No licence is stated for own: ask where it comes from before you share it."
    assert unknown in printed and unknown in package["description"] and unknown in (folder / "README.md").read_text()
    sources = {source["name"]: source["license"] for source in package["paperlake"]["sources"]}
    assert sources == {"own": None, "samples": "CC-BY-4.0"}


@pytest.mark.parametrize("format", ["bibtex", "ris", "csl-json"])
def test_what_is_exported_comes_back_as_the_same_papers(export, lake, tmp_path, format) -> None:
    folder = export(format=format)
    again = tmp_path / "again"
    (exported,) = (path for path in folder.iterdir() if path.stem == "papers")
    assert call(["run", str(exported), "--lake", str(again), "--direct"]) == 0

    def papers(path: Path) -> list[tuple]:
        identifiers = published(path, "identifiers").group_by("paper_id").agg(ids=pl.format("{}:{}", "scheme", "value").sort())
        columns = ("title", "authors", "abstract", "venue", "year", "volume", "number", "pages", "pdf_url")
        frame = published(path, "papers").join(identifiers, on="paper_id", how="left").select(*columns, "ids")
        return sorted(map(repr, frame.rows()))

    assert papers(again) == papers(lake)
