"""This module tests the checks: a sound release passes all, and each fault is found by the check made for it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transforms.schemas import CHECKS, RELATIONS, TABLES, SchemaError
from warehouse.checks import CHECKS_DIR, Check, all_checks, check_rows, run_checks

Rows = dict[str, list[dict[str, Any]]]
FILE_A, FILE_B = "a" * 64, "b" * 64


Failures = Callable[..., dict[str, int]]


@pytest.fixture
def failures(tmp_path: Path, write_release: Callable[..., Path]) -> Failures:
    """A function that gives the failing rows of each failed check on these tables, of all checks or only of one."""

    def failed(rows: Rows, only: str | None = None) -> dict[str, int]:
        checks = [check for check in all_checks() if only in (None, check.name)]
        results = run_checks(write_release(tmp_path / "r1", rows), keep_failing_in=None, checks=checks)
        assert [result.name for result in results] == [check.name for check in checks] != []
        return {result.name: result.failing_rows for result in results if not result.passed}

    return failed


def test_sound_release_passes_every_check(sound_rows: Rows, failures: Failures) -> None:
    assert failures(sound_rows) == {}


def test_release_without_any_paper_passes(sound_rows: Rows, failures: Failures) -> None:
    kept = ("raw_files", "ledger", "rejects", "furniture")
    rows: Rows = {name: sound_rows[name] if name in kept else [] for name in TABLES if name != "checks"}
    rows["raw_files"] = rows["raw_files"][:1]
    rows["ledger"] = [rows["ledger"][0] | {"bytes_records": 0, "bytes_rejects": 70, "records_staged": 0, "records_clean": 0}]
    rows["rejects"][0] |= {"span_start": 10, "span_end": 80}
    assert failures(rows) == {}


def test_release_with_nothing_in_it_passes(failures: Failures) -> None:
    assert failures({"papers": []}) == {}


def change(table: str, place: int, **values: object) -> Callable[[Rows], None]:
    """A fault: some columns of one row have other values."""

    def do(rows: Rows) -> None:
        rows[table][place] |= values

    return do


def add(table: str, **values: object) -> Callable[[Rows], None]:
    """A fault: the last row once more, with other values in some columns."""

    def do(rows: Rows) -> None:
        rows[table].append(rows[table][-1] | values)

    return do


def remove(table: str, place: int) -> Callable[[Rows], None]:
    """A fault: one row is not there."""

    def do(rows: Rows) -> None:
        del rows[table][place]

    return do


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ("ledger_balances", change("ledger", 1, balanced=False)),
        ("ledger_balances", change("ledger", 1, records_staged=2)),
        ("ledger_balances", change("ledger", 0, size_bytes=81)),
        ("ledger_agrees_with_tables", remove("ledger", 1)),
        ("ledger_agrees_with_tables", remove("raw_files", 1)),
        ("ledger_agrees_with_tables", remove("records", 2)),
        ("ledger_agrees_with_tables", remove("rejects", 0)),
        ("ledger_agrees_with_tables", change("rejects", 0, record_id=f"{FILE_A}:3")),
        ("ledger_agrees_with_tables", remove("furniture", 0)),
        ("ledger_agrees_with_tables", change("ledger", 0, bytes_records=64, bytes_rejects=6)),
        ("spans_cover_files", change("records", 0, span_end=41)),
        ("spans_cover_files", change("records", 0, span_start=11)),
        ("spans_cover_files", change("records", 1, span_end=79)),
        ("spans_cover_files", change("records", 1, span_end=81)),
        ("spans_cover_files", change("furniture", 0, span_start=1)),
        ("spans_cover_files", change("furniture", 0, span_start=5, span_end=5)),
        ("spans_are_known", change("records", 0, span_start=None, span_end=None)),
        ("spans_are_known", change("rejects", 0, span_end=None)),
        ("papers_have_records", change("records", 1, paper_id="p1")),
        ("papers_have_records", change("papers", 0, record_count=3)),
        ("papers_have_records", change("papers", 0, file_count=1)),
        ("foreign_keys", change("authorships", 0, paper_id="p7")),
        ("foreign_keys", change("identifiers", 0, paper_id="p7")),
        ("foreign_keys", change("links", 0, paper_id="p7")),
        ("foreign_keys", change("records", 0, paper_id="p7")),
        ("foreign_keys", change("record_notes", 0, record_id=f"{FILE_A}:7")),
        ("foreign_keys", change("field_origins", 0, paper_id="p7")),
        ("foreign_keys", change("field_origins", 0, record_id=f"{FILE_A}:7")),
        ("foreign_keys", change("paper_matches", 0, record_key_l="k7")),
        ("foreign_keys", change("paper_matches", 0, record_key_r="k7")),
        ("foreign_keys", change("paper_relations", 0, paper_id="p7")),
        ("foreign_keys", change("paper_relations", 0, other_paper_id="p7")),
        ("relations_are_mutual", remove("paper_relations", 1)),
        ("relations_are_mutual", change("paper_relations", 1, relation="correction_of")),
        ("relations_are_mutual", add("paper_relations", paper_id="p1", relation="version_of")),
        ("relations_are_mutual", change("papers", 1, work_id="w2")),
        *(
            ("foreign_keys", change(table, 0, file_sha256="c" * 64))
            for table in ("records", "rejects", "furniture", "control_totals", "column_map", "ledger")
        ),
        ("origins_agree", remove("field_origins", 0)),
        ("origins_agree", change("papers", 1, volume="7")),
        ("origins_agree", change("papers", 1, decision=None)),
        ("origins_agree", change("papers", 0, keywords=[])),
        ("origins_agree", change("field_origins", 0, field="titel")),
        ("origins_agree", change("field_origins", 0, record_id=f"{FILE_A}:2")),
        ("orphans", change("raw_files", 1, verdict="unreadable")),
        ("orphans", change("records", 1, record_key="k1")),
        ("orphans", change("rejects", 0, record_id=f"{FILE_A}:1")),
        ("empty_authors", change("column_map", 0, field="authors")),
        ("empty_authors", change("column_map", 0, field="author_names")),
        ("empty_authors", change("authorships", 0, name="—")),
        ("empty_authors", change("authorships", 0, name=" 7 ")),
        ("aliases_resolve", change("paper_aliases", 0, current_paper_id="p7")),
        ("aliases_resolve", change("paper_aliases", 0, paper_id="p2")),
        ("aliases_resolve", change("paper_aliases", 0, reason="gone")),
        ("aliases_resolve", change("paper_aliases", 1, reason="renamed")),
        ("authorship_positions", change("authorships", 1, position=3)),
        ("authorship_positions", change("authorships", 0, position=0)),
        ("authorship_positions", remove("authorships", 0)),
        ("authorship_positions", change("authorships", 0, name="Someone Else")),
        ("authorship_positions", change("papers", 1, authors=["Ada Stone"])),
        ("known_values", change("papers", 0, decision="Accept (oral)")),
        ("known_values", change("links", 0, kind="video")),
        ("known_values", change("record_notes", 0, note="odd")),
        ("known_values", change("raw_files", 0, verdict="fine")),
        ("known_values", change("paper_matches", 0, relation="sequel_of")),
        ("known_values", change("paper_relations", 0, relation="sequel_of")),
        ("control_totals_contradicted", change("control_totals", 0, verdict="contradicted")),
        ("years_are_plausible", change("papers", 0, year=1664)),
        ("years_are_plausible", change("papers", 0, year=2101)),
        ("placeholder_titles", change("papers", 0, title="N/A")),
        ("placeholder_titles", change("papers", 0, title="[Withdrawn]")),
        ("placeholder_titles", change("papers", 0, title=" ")),
        ("control_characters", change("papers", 0, title="On\x07 Gravel")),
        ("control_characters", change("papers", 0, title="On\nGravel")),
        ("control_characters", change("papers", 0, title="On\x00Gravel")),
        ("control_characters", change("papers", 0, abstract="We sum\x85 gravel.")),
        ("control_characters", change("papers", 0, abstract="We sum \ufffd gravel.")),
        ("control_characters", change("papers", 0, venue="Rocks\x1b[31m")),
        ("control_characters", change("papers", 0, publisher="Grav\x02el & Sons")),
        ("control_characters", change("papers", 0, pages="3\t7")),
        ("control_characters", change("papers", 0, keywords=["gravel", "sa\x00nd"])),
        ("control_characters", change("authorships", 1, name="Ben\nPebble")),
        *(("unique_keys", add(table.name)) for table in TABLES.values() if table.unique and table.name != "checks"),
    ],
)
def test_fault_is_found_by_its_check(sound_rows: Rows, failures: Failures, check: str, fault: Callable[[Rows], None]) -> None:
    fault(sound_rows)
    assert failures(sound_rows, check)[check] > 0


@pytest.mark.parametrize(
    ("check", "no_fault"),
    [
        ("years_are_plausible", change("papers", 0, year=None)),
        ("years_are_plausible", change("papers", 0, year=1665)),
        ("placeholder_titles", change("papers", 0, title="None of the Above: On Ballots")),
        ("placeholder_titles", change("papers", 0, title="Editorial")),
        ("placeholder_titles", change("papers", 0, title=None)),
        ("control_characters", change("papers", 0, title="Größe – naïve 日本語 ∑")),
        ("control_characters", change("papers", 0, abstract="Two\nparagraphs\tof gravel")),
        ("control_characters", change("authorships", 0, name="José Ångström-李")),
        ("empty_authors", change("column_map", 0, field="title")),
        ("empty_authors", change("authorships", 0, name="李")),
        ("origins_agree", change("field_origins", 0, record_id=f"{FILE_B}:1")),
        ("orphans", change("records", 2, record_key="k1")),
        ("orphans", change("raw_files", 0, verdict="unreadable")),
        ("unique_keys", add("rejects")),
        ("known_values", change("papers", 0, decision=None)),
        ("spans_are_known", change("records", 2, span_start=None)),
    ],
)
def test_what_is_no_fault_passes(sound_rows: Rows, failures: Failures, check: str, no_fault: Callable[[Rows], None]) -> None:
    no_fault(sound_rows)
    assert failures(sound_rows, check) == {}


def test_key_of_every_table_with_unique_rows_is_checked() -> None:
    sql = next(check.sql for check in all_checks() if check.name == "unique_keys")
    for table in TABLES.values():
        assert (f"from {table.name}\n    group by {', '.join(table.sort_key)}\n" in sql) == table.unique


def test_failing_rows_are_kept_and_those_of_passing_checks_are_not(
    sound_rows: Rows, tmp_path: Path, write_release: Callable[..., Path]
) -> None:
    for paper in sound_rows["papers"]:
        paper["year"] = 1600
    release = write_release(tmp_path / "r1", sound_rows)
    results = run_checks(release, keep_failing_in=tmp_path / "runs" / "run1")
    failed = [result for result in results if not result.passed]
    assert [(result.name, result.severity, result.failing_rows) for result in failed] == [("years_are_plausible", "warn", 2)]
    assert failed[0].columns == ("paper_id", "title", "year")
    assert failed[0].sample[0] == ("p1", "On the Sums of Gravel", 1600)
    assert [path.name for path in (tmp_path / "runs" / "run1").iterdir()] == ["years_are_plausible.jsonl"]
    assert failed[0].kept_in is not None
    kept = [json.loads(line) for line in failed[0].kept_in.read_text(encoding="utf-8").splitlines()]
    assert [row["paper_id"] for row in kept] == ["p1", "p2"]


def test_every_failing_row_is_counted_and_the_kept_ones_are_limited(
    sound_rows: Rows, tmp_path: Path, write_release: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warehouse.checks._KEPT_ROWS", 3000)
    check = Check("many", "error", "there are many", "select range as n from range(5000)")
    release = write_release(tmp_path / "r1", sound_rows)
    (result,) = run_checks(release, keep_failing_in=tmp_path, checks=[check])
    assert result.failing_rows == 5000 and len(result.sample) == 5
    assert result.kept_in is not None
    assert len(result.kept_in.read_text(encoding="utf-8").splitlines()) == 3000


def test_results_become_rows_of_the_table_of_checks(sound_release: Path) -> None:
    rows = check_rows(run_checks(sound_release, keep_failing_in=None))
    assert [row["check_name"] for row in rows] == [check.name for check in all_checks()]
    assert all(list(row) == CHECKS.column_names() for row in rows)


def test_every_check_says_what_it_means_and_shows_its_rows_in_order() -> None:
    for check in all_checks():
        assert check.severity in {"error", "warn"} and len(check.meaning) > 20
        assert "order by" in check.sql.splitlines()[-1] or "\norder by" in check.sql


def test_check_without_a_header_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare.sql").write_text("-- meaning: something\nselect 1\n", encoding="utf-8")
    monkeypatch.setattr("warehouse.checks.CHECKS_DIR", tmp_path)
    with pytest.raises(SchemaError, match=r"bare\.sql: expected first lines `-- severity"):
        all_checks.__wrapped__()


def test_table_that_lacks_a_column_is_named_with_the_check(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "papers").mkdir()
    pq.write_table(pa.table({"paper_id": ["p1"]}), tmp_path / "papers" / "papers.parquet")
    with pytest.raises(SchemaError, match=r"the check .* cannot run on these tables"):
        run_checks(tmp_path, keep_failing_in=None)


def test_known_values_lists_the_words_of_the_contract() -> None:
    sql = (CHECKS_DIR / "known_values.sql").read_text(encoding="utf-8")
    found = re.findall(r"from (\w+)\s+where (\w+) not in \(([^)]*)\)", sql)
    listed = {(table, column): tuple(re.findall(r"'(\w+)'", words)) for table, column, words in found}
    wanted = {(table.name, column.name): column.words for table in TABLES.values() for column in table.columns if column.words}
    assert listed == {key: words for key, words in wanted.items() if key != ("checks", "severity")}


def test_the_check_of_relations_knows_the_inverses_of_the_contract() -> None:
    sql = (CHECKS_DIR / "relations_are_mutual.sql").read_text(encoding="utf-8")
    assert dict(re.findall(r"\('(\w+)', '(\w+)'\)", sql)) == RELATIONS
    assert all(RELATIONS[inverse] == relation for relation, inverse in RELATIONS.items())
