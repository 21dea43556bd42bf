"""`paperlake profile`: tables of a release and files of any kind, beside the figures that a page states of itself."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from flows.cli import call


class Profiler:
    """What `profile` prints."""

    def __init__(self, lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.lake, self.capsys = lake, capsys

    def __call__(self, *words: object, code: int = 0) -> str:
        self.capsys.readouterr()
        found = call(["profile", *map(str, words), "--lake", str(self.lake)])
        captured = self.capsys.readouterr()
        assert found == code, captured
        return captured.err if code else captured.out

    def columns(self, *words: object) -> dict[str, dict[str, Any]]:
        return {column["column_name"]: column for column in json.loads(self(*words, "--format", "json"))["columns"]}

    def ask(self, query: str) -> list[dict[str, Any]]:
        self.capsys.readouterr()
        assert call(["sql", query, "--lake", str(self.lake), "--format", "json"]) == 0
        return json.loads(self.capsys.readouterr().out)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    path = tmp_path_factory.mktemp("profile") / "lake"
    assert call(["run", str(samples), "--direct", "--lake", str(path)]) == 0
    return path


@pytest.fixture
def profile(lake: Path, capsys: pytest.CaptureFixture[str]) -> Profiler:
    return Profiler(lake, capsys)


def test_table_of_a_release_has_a_profile_that_sql_agrees_with(profile: Profiler) -> None:
    found = profile.columns("papers")
    (expected,) = profile.ask(
        "select count(*) as rows, count(*) - count(abstract) as nulls, count(distinct title) as titles, "
        "min(length(title)) as least, max(length(title)) as most, round(avg(length(title)), 5) as mean, "
        "max(len(authors)) as authors, min(year) as first_year, count(distinct decision) as decisions from papers"
    )
    title, decision = found["title"], found["decision"]
    assert (title["row_count"], found["abstract"]["null_count"], title["distinct_count"]) == (
        expected["rows"],
        expected["nulls"],
        expected["titles"],
    )
    assert {name: title["lengths"][name] for name in ("min", "max", "mean")} == {
        "min": expected["least"],
        "max": expected["most"],
        "mean": expected["mean"],
    }
    assert found["authors"]["items"]["max"] == expected["authors"]
    assert found["year"]["values"]["min"] == expected["first_year"]
    assert decision["kind"] == "classes" and len(decision["classes"]) == expected["decisions"]
    counts = profile.ask("select decision, count(*) as n from papers where decision is not null group by all")
    assert {each["value"]: each["count"] for each in decision["classes"]} == {row["decision"]: row["n"] for row in counts}


def test_profile_is_printed_in_every_format_and_of_chosen_columns(profile: Profiler) -> None:
    text = profile("papers", "--columns", "title,year")
    assert "title" in text and "year" in text and "abstract" not in text and "█" in text
    rows = list(
        csv.DictReader(io.StringIO(profile("papers", "--columns", "title", "--columns", "decision", "--format", "csv")))
    )
    assert [row["column_name"] for row in rows] == ["title", "decision"]
    assert rows[0]["min_length"] and rows[0]["min_value"] == "" and rows[1]["class_counts"].startswith("[{")
    for format in ("jsonl", "markdown"):
        assert "decision" in profile("papers", "--columns", "decision", "--format", format)


def test_each_table_has_a_profile_and_the_same_one_each_time(profile: Profiler) -> None:
    from transforms.schemas import TABLES

    for table in TABLES.values():
        assert list(profile.columns(table.name)) == table.column_names()
    assert profile("records", "--format", "json") == profile("records", "--format", "json", "--at", "current")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["paper"], "there is no table or file 'paper'; did you mean 'papers'?"),
        (["papers", "--columns", "titel"], "has no column 'titel'; did you mean 'title'?"),
        (["papers; drop view papers"], "there is no table or file"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(profile: Profiler, words: list[str], message: str) -> None:
    assert message in profile(*words, code=1)


def test_parquet_csv_and_json_lines_of_the_same_rows_have_the_same_figures(profile: Profiler, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {
            "name": f"stone {place}",
            "weight": place / 4,
            "count": place,
            "found": f"2031-05-{place % 28 + 1:02}",
            "kind": "abc"[place % 3],
        }
        for place in range(40)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "stones.parquet")
    (tmp_path / "stones.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with (tmp_path / "stones.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    found = [profile.columns(tmp_path / f"stones.{suffix}") for suffix in ("parquet", "csv", "jsonl")]
    assert found[1] == found[2]
    assert {name: column["kind"] for name, column in found[1].items()} == {
        "name": "text",
        "weight": "number",
        "count": "integer",
        "found": "date",
        "kind": "classes",
    }
    assert found[0].keys() == found[1].keys() and found[0]["weight"] == found[1]["weight"]
    assert found[0]["found"]["kind"] == "text"  # a Parquet file says itself that these are strings


@pytest.mark.parametrize(
    ("content", "row_count"),
    [
        ("title,authors\nWarm Ice,Ann Lee\nCold Ice,Bo Li\n", 2),
        ("title;authors\nWarm Ice;Ann Lee\n", 1),
        ("title\nWarm Ice\nCold Ice\n", 2),
        ("title,authors,year\nWarm Ice,Ann Lee,2020\nCold Ice\nOld Ice,Bo Li,2021,extra\nNew Ice,Cy Mo,2022\n", 2),
    ],
)
def test_a_csv_file_of_ragged_rows_is_read_by_a_reader_and_never_by_its_raggedness(
    profile: Profiler, tmp_path: Path, content: str, row_count: int
) -> None:
    (tmp_path / "list.csv").write_text(content)
    found = profile.columns(tmp_path / "list.csv")
    assert list(found) == content.splitlines()[0].replace(";", ",").split(",")
    assert found["title"]["row_count"] == row_count


def test_list_that_a_reader_takes_is_profiled_by_its_raw_columns(profile: Profiler, samples: Path) -> None:
    found = profile.columns(samples / "references.bib")
    assert "title" in found and found["title"]["row_count"] == 3
    text = profile(samples / "references.bib")
    assert "read by bibtex" in text


def test_page_of_a_viewer_is_profiled_beside_what_it_states(profile: Profiler, samples: Path) -> None:
    found = profile.columns(samples / "viewer_page.txt")
    stated = [total for column in found.values() for total in column.get("stated", [])]
    assert stated and all(total["profiled"] == total["observed"] for total in stated)
    assert "What the file says of itself" in profile(samples / "viewer_page.txt")


def test_seed_page_has_the_profile_that_its_head_leads_one_to_expect(profile: Profiler, shared: Path) -> None:
    (page,) = (shared / "seeds").glob("001*.txt")
    found = profile.columns(page)
    kinds = {name: column["kind"] for name, column in found.items()}
    assert kinds == {**dict.fromkeys(("title", "url", "detail_url", "authors", "abstract", "pdf"), "text"), "tags": "classes"}
    assert {column["row_count"] for column in found.values()} == {100}
    for name, column in found.items():
        for total in column["stated"]:
            assert total["profiled"] == total["observed"], (name, total)
            bounds = {"met": total["declared"] == total["profiled"], "partial": total["declared"] != total["profiled"]}
            assert bounds[total["verdict"]], (name, total)
    lengths = {name: (column["lengths"]["min"], column["lengths"]["max"]) for name, column in found.items()}
    assert lengths["url"] == lengths["detail_url"] == (42, 42) and lengths["pdf"] == (71, 71)
    assert lengths["title"][0] >= 15 and lengths["title"][1] <= 138 and lengths["authors"][1] == 526


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "holds no rows that can be profiled"),
        ("prose.txt", b"Nothing here is a list of papers.\n", "holds no rows that can be profiled"),
        ("ragged.csv", b"a,b\n1,2\n3\n4,5,6\n", "holds no rows that can be profiled"),
        ("broken.parquet", b"PAR1 no", "holds no rows that can be profiled"),
    ],
)
def test_file_without_rows_is_refused_with_a_sentence(
    profile: Profiler, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert message in profile(tmp_path / name, code=1)
    assert "is a folder" in profile(tmp_path, code=1)
