"""`paperlake query`: what it lists, what each file's header promises, parameters, files of one's own, and plots."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import duckdb
import pytest

from flows.cli import call
from warehouse.saved_queries import SQL_DIR, SavedQuery, bind_parameters, saved_queries, view_paths
from warehouse.sql_files import header_fields

FILES = sorted([*(SQL_DIR / "views").glob("*.sql"), *(SQL_DIR / "queries").glob("*.sql")])
HEADER_NAMES = {"title", "meaning", "grain", "parameter", "column", "plot", "example"}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """A lake of two releases."""
    lake = tmp_path_factory.mktemp("query") / "lake"
    for name in ("papers.csv", "papers.jsonl"):
        assert call(["run", str(samples / name), "--lake", str(lake), "--direct"]) == 0
    return lake


@pytest.fixture(autouse=True)
def _lake_is_the_default(lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PAPERLAKE_LAKE", str(lake))
    capsys.readouterr()


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints that ends well."""
    code = call(["query", *words])
    printed = capsys.readouterr()
    assert code == 0
    return printed.out


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_its_whole_header_and_lower_case_keywords(path: Path) -> None:
    sql = path.read_text()
    header = header_fields(sql, path, ("title", "meaning", "grain", "column", "plot", "example"))
    assert set(header) <= HEADER_NAMES
    assert all(len(header[name]) == 1 for name in ("title", "meaning", "grain", "plot", "example"))
    assert header["example"][0].startswith(f"paperlake query {path.stem} ") or header["example"] == [
        f"paperlake query {path.stem}"
    ]
    body = "\n".join(line for line in sql.splitlines() if not line.startswith("--"))
    keywords = [body[start:].split(maxsplit=1)[0] for start, kind in duckdb.tokenize(body) if kind == duckdb.token_type.keyword]
    assert keywords and not [word for word in keywords if word != word.lower()]
    assert re.search(r"\norder by\n?", body)


@pytest.mark.parametrize("saved", saved_queries(), ids=lambda saved: saved.name)
def test_a_header_names_the_columns_parameters_and_plot_of_its_query(
    saved: SavedQuery, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ask(capsys, saved.name, "--format", "csv").splitlines()[0].split(",")
    assert columns == list(saved.columns)
    assert all(saved.columns.values())
    wanted = set(duckdb.extract_statements(saved.sql)[0].named_parameters)
    assert wanted == {parameter.name for parameter in saved.parameters if parameter.kind != "release"}
    assert saved.is_view == (not saved.parameters)
    assert saved.plot is not None
    for channel in filter(None, (saved.plot.x, saved.plot.y, saved.plot.color)):
        assert channel == "count" or set(channel.split("+")) <= set(columns)


@pytest.mark.parametrize("saved", saved_queries(), ids=lambda saved: saved.name)
def test_an_example_runs_as_it_is_written(saved: SavedQuery, capsys: pytest.CaptureFixture[str]) -> None:
    _, command, *words = shlex.split(saved.example)
    assert call([command, *words]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("saved", saved_queries(), ids=lambda saved: saved.name)
def test_a_query_gives_the_same_to_sql_and_is_drawn_in_the_terminal(
    saved: SavedQuery, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ask(capsys, saved.name, "--plot").splitlines()
    assert lines[0].startswith(saved.title)
    assert len(lines) > 1
    if saved.is_view:
        rows = ask(capsys, saved.name, "--format", "jsonl")
        assert call(["sql", f"select * from {saved.name}", "--format", "jsonl"]) == 0
        assert sorted(capsys.readouterr().out.splitlines()) == sorted(rows.splitlines())


def test_figures_that_are_no_counts_stand_once_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    """Bars add up what shares a place: counts may be, ratios may not."""
    for saved in saved_queries():
        assert saved.plot is not None
        figure = saved.plot.color if saved.plot.kind == "heat" else None
        places = {saved.plot.x, saved.plot.y} if figure else {saved.plot.x, saved.plot.y, saved.plot.color} - {None}
        figures = (
            [figure]
            if figure
            else [each for each in places if each and each.split("_")[-1] in ("mean", "median", "ratio", "log2")]
        )
        if not figures or figures[0].endswith("count"):
            continue
        rows = json.loads(ask(capsys, saved.name, "--format", "json"))
        keys = [tuple(row[name] for name in sorted(each for each in places if each and each not in figures)) for row in rows]
        assert len(keys) == len(set(keys)), saved.name


def test_it_lists_every_view_and_query(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(ask(capsys, "--format", "json"))
    assert [row["name"] for row in rows] == sorted(path.stem for path in FILES)
    assert {row["name"] for row in rows if row["kind"] == "view"} == set(view_paths())
    assert next(row for row in rows if row["name"] == "coauthor_pairs")["parameters"] == "author, min_papers, max_authors"


def test_describe_shows_header_and_sql(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        ask(capsys, "coauthor_pairs", "--describe").strip() == (SQL_DIR / "queries" / "coauthor_pairs.sql").read_text().strip()
    )


def test_rows_go_into_a_file_and_a_limit_holds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    all_rows = ask(capsys, "authors_by_venue", "--format", "csv").splitlines()
    assert len(all_rows) > 4
    assert ask(capsys, "authors_by_venue", "--format", "csv", "--limit", "3").splitlines() == all_rows[:4]
    assert "wrote 3 rows to" in ask(capsys, "authors_by_venue", "--limit", "3", "-o", str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").read_text().splitlines() == all_rows[:4]
    ask(capsys, "authors_by_venue", "-o", str(tmp_path / "a.parquet"))
    assert len(duckdb.sql(f"from '{tmp_path}/a.parquet'").fetchall()) == len(all_rows) - 1


def test_a_release_is_chosen_by_at_and_compared_by_since(capsys: pytest.CaptureFixture[str]) -> None:
    now, then = (json.loads(ask(capsys, "source_overlap", "--format", "json", *at)) for at in ([], ["--at", "previous"]))
    assert now[0]["paper_count"] > then[0]["paper_count"]
    new = json.loads(ask(capsys, "changed_since", "--format", "json"))
    assert len([row for row in new if row["change"] == "new"]) == now[0]["paper_count"] - then[0]["paper_count"]
    assert json.loads(ask(capsys, "changed_since", "--param", "since=current", "--format", "json")) == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["papers_by_venue"], 2, "did you mean 'papers_by_venue_year'?"),
        (["../queries/coauthor_pairs"], 2, "there is no saved query '../queries/coauthor_pairs'"),
        (["coauthor_pairs", "--param", "min_paper=2"], 2, "has no parameter 'min_paper' (did you mean 'min_papers'?)"),
        (["link_hosts", "--param", "a=2"], 2, "has no parameter 'a'; it has none"),
        (["coauthor_pairs", "--param", "min_papers=two"], 2, "takes a whole number from 1 on, not 'two'"),
        (["coauthor_pairs", "--param", "min_papers=99999999999999999999"], 2, "takes a whole number"),
        (["coauthor_pairs", "--param", "min_papers"], 2, "expected name=value"),
        (["coauthor_pairs", "--param", "min_papers=1", "--param", "min_papers=2"], 2, "has a value already"),
        (["changed_since", "--param", "since=r' or 1"], 1, "means no release"),
        (["changed_since", "--param", "since=../../raw"], 1, "means no release"),
        (["link_hosts", "--limit", "-1"], 2, "expected a number of rows"),
        (["link_hosts", "--plot", "a.gif"], 2, "expected one file that ends in .html, .svg, .png"),
        (["link_hosts", "--plot", "no/such/folder/a.svg"], 2, "there is no folder"),
        (["link_hosts", "--plot", "-o", "a.csv"], 2, "give one of them"),
        (["link_hosts", "-o", "a.pdf"], 2, "names no format"),
        (["no/such/file.sql"], 2, "no such file"),
        (["abstract_lengths", "--param", "bin_characters=0"], 2, "takes a whole number from 1 on, not '0'"),
        (["abstract_lengths", "--param", "bin_characters=-5"], 2, "takes a whole number from 1 on, not '-5'"),
        (["coauthor_pairs", "--param", "author=\udcff"], 2, "expected text in UTF-8"),
        (["--plot"], 2, "expected the name of a saved view or query"),
        (["--describe"], 2, "expected the name of a saved view or query"),
        (["--param", "a=b"], 2, "expected the name of a saved view or query"),
        (["--limit", "3"], 2, "expected the name of a saved view or query"),
    ],
)
def test_a_wrong_word_is_answered_in_a_sentence(
    words: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["query", *words]) == code
    printed = capsys.readouterr()
    assert says in " ".join(printed.err.split())
    assert printed.out == "" and "Traceback" not in printed.err


def test_a_plot_is_not_written_into_the_lake(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["query", "link_hosts", "--plot", str(lake / "plot.svg")]) == 2
    assert "lies in the lake" in capsys.readouterr().err
    assert not (lake / "plot.svg").exists()


def test_plot_is_drawn_into_each_kind_of_file_alike_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heads = {"a.html": b"<!doctype html>", "a.svg": b"<svg", "a.png": b"\x89PNG", "b.svg": b"<svg"}
    for name, head in heads.items():
        words = ["papers_by_venue_year", "--plot", str(tmp_path / name)]
        ask(capsys, *(words if name[0] == "a" else [*words[1:], words[0]]))
        assert (tmp_path / name).read_bytes().startswith(head)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


OWN = """-- title: Mine
-- parameter: least integer: the least year
-- parameter: name text = null: a venue
-- parameter: exact boolean = false: whether the year is to be that one
-- plot: bar x=n y=venue
select venue, count(*) as n
from papers
where year >= $least and ($name is null or venue = $name) and (not $exact or year = $least)
group by venue
order by n desc, venue
"""


def test_a_query_of_ones_own_runs_from_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.sql").write_text(OWN)
    rows = json.loads(ask(capsys, str(tmp_path / "mine.sql"), "--param", "least=2000", "--format", "json"))
    assert len(rows) > 1
    one = ask(
        capsys, str(tmp_path / "mine.sql"), "--param", "least=2000", "--param", f"name={rows[0]['venue']}", "--format", "json"
    )
    assert json.loads(one) == rows[:1]
    assert "Mine: n" in ask(capsys, str(tmp_path / "mine.sql"), "--param", "least=2000", "--plot")
    assert ask(capsys, str(tmp_path / "mine.sql"), "--describe").strip() == OWN.strip()


@pytest.mark.parametrize(
    ("sql", "words", "says"),
    [
        (OWN, [], "needs --param least=… (integer: the least year)"),
        (OWN, ["--param", "least=2000", "--param", "exact=perhaps"], "takes true or false, not 'perhaps'"),
        ("-- parameter: a date: b\nselect 1", [], "with a type of text, integer"),
        ("-- parameter: main release: b\nselect 1", [], "cannot stand in the schema main"),
        ("-- plot: pie x=a\nselect 1", [], "expected `-- plot: bar|line|heat"),
        ("select 1 as a", ["--plot"], "does not say how it is drawn"),
        ("-- plot: bar x=a y=b\nselect 1 as a", ["--plot"], "the plot needs the column 'b'; the answer has a"),
        ("-- plot: bar x=a y=b\nselect 'x' as a, 'y' as b", ["--plot"], "which is to hold numbers"),
        ("select $a", [], "no value is given for $a; declare it at the top: `-- parameter: its_name text: what it means`"),
        ("select $a", ["--param", "a=1"], "$a stands in its SQL: add `-- parameter: a text: what it means` at its top"),
        ("-- parameter: top count = 5: b\nselect $top", ["--param", "top=0"], "takes a whole number from 1 on"),
        ("copy (select 1) to 'x.csv'", [], "only reads"),
        ("select * from '/etc/passwd'", [], "there is no table '/etc/passwd'"),
    ],
)
def test_what_is_wrong_in_a_file_of_ones_own_is_said(
    sql: str, words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.sql").write_text(sql)
    assert call(["query", str(tmp_path / "mine.sql"), *words]) in (1, 2)
    assert says in " ".join(capsys.readouterr().err.split())


def test_defaults_are_of_their_kinds() -> None:
    for saved in saved_queries():
        bound = bind_parameters(saved, {})
        kinds = {parameter.name: parameter.kind for parameter in saved.parameters}
        types = {"text": str, "integer": int, "count": int, "number": float, "boolean": bool}
        assert all(value is None or type(value) is types[kinds[name]] for name, value in bound.values.items())
        assert bound.values.keys() | bound.releases.keys() == kinds.keys()
