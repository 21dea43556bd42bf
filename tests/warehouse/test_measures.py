"""The measures that the gate compares, and what it keeps from run to run."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from transforms.staging import STAGED_SCHEMAS
from warehouse.gates import Held, SourceState, held_files, held_outputs, read_gates, write_gates
from warehouse.layout import Lake
from warehouse.measures import FileMeasure, added, measure_columns, measure_file, values_of
from warehouse.work import Output, output
from warehouse.work_writer import write_output

FACTS = {"content_bytes": 90, "records": 3, "verdict": "read", "message": None, "reader": "json_records", "encoding": "utf-8"}


def staged(lake: Lake, raws: list[dict], columns: list[tuple], **fields: list) -> Output:
    """A stage output of records with these raw values, columns (name, field, decided_by, record_count) and fields."""
    target = output(lake, "stage", f"k{len(list(lake.work_dir.glob('stage/*')))}")
    records = pl.DataFrame({"ordinal": range(1, len(raws) + 1), "raw": [json.dumps(raw) for raw in raws], **fields})
    schema = STAGED_SCHEMAS["records"]
    records = records.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in schema.items() if name not in records)
    names = ("column_name", "field", "decided_by", "record_count")
    rows = [dict(zip(names, row, strict=True)) | {"position": number} for number, row in enumerate(columns, 1)]
    frames = {name: schema.to_frame() for name, schema in STAGED_SCHEMAS.items()}
    frames |= {"records": records.cast(dict(schema)), "column_map": pl.DataFrame(rows, schema=STAGED_SCHEMAS["column_map"])}
    write_output(target, frames, FACTS)
    return target


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def test_a_file_is_measured_by_the_facts_of_its_reading(lake: Lake) -> None:
    measure = measure_file(staged(lake, [{}], []))
    assert measure == FileMeasure(90, 3, "read", None, "json_records", "utf-8")
    assert measure.is_read


def test_a_field_is_filled_where_it_holds_something(lake: Lake) -> None:
    measure = measure_columns(
        staged(
            lake,
            [{}, {}, {}],
            [
                ("Title", "title", "name", 2),
                ("Title", None, "unknown", 1),
                ("notes", None, "unknown", 3),
                ("x", None, "config", 1),
            ],
            title_raw=["Ice", "", None],
            author_names_raw=[["Ann Lee"], [], None],
        )
    )
    assert measure.records == 3
    assert dict(measure.counts) == {"Title": 3, "notes": 3, "x": 1}
    assert measure.fields == {"Title": "title", "notes": None, "x": None}
    assert measure.ignored == {"x"}
    assert {field: count for field, count in measure.filled.items() if count} == {"title": 1, "author_names": 1}
    assert measure.feeding("title") == ["Title"]


def test_measures_of_files_add_up(lake: Lake) -> None:
    one = measure_columns(staged(lake, [{}], [("T", "title", "name", 1)], title_raw=["Ice"]))
    two = measure_columns(
        staged(lake, [{}, {}], [("T", "title", "name", 2), ("n", None, "unknown", 1)], title_raw=["Dew", None])
    )
    total = added([one, two])
    assert (total.records, dict(total.counts), total.filled["title"]) == (3, {"T": 3, "n": 1}, 2)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("title", ["Ice"]),
        ("content.title.value", ["Dew"]),
        ("a.b", ["dotted"]),
        ("by.name", ['["Ann", "Bo"]']),
        ("first - last", ["12"]),
        ("title|html", ["Ice"]),
        ("blank", []),
        ("none of them", []),
    ],
)
def test_values_are_found_where_a_column_says_they_are(lake: Lake, column: str, values: list[str]) -> None:
    raws = [
        {"title": "Ice", "a.b": "dotted", "by": [{"name": "Ann"}, {"name": "Bo"}, {}], "blank": ""},
        {"content": {"title": {"value": "Dew"}}, "first": "12", "last": 19, "blank": []},
    ]
    assert values_of(staged(lake, raws, []), [column]) == {column: values}


STATES = {
    "club": SourceState(
        frozenset({"a.csv", "b.csv"}), "2031-05-01T00:00:00+00:00", Held("k", ("too few",), "2031", ("out",), ("a1",))
    ),
    "zoo": SourceState(None, None, None),
}


def test_what_is_written_is_read(lake: Lake) -> None:
    write_gates(lake, STATES)
    assert read_gates(lake) == STATES
    assert held_files(lake) == {"a1"}
    assert held_outputs(lake) == {lake.work_dir / "stage" / "out"}


@pytest.mark.parametrize(
    ("held", "kept"),
    [
        ({"key": "k", "reasons": ["too few"], "since": "2031", "outputs": ["out"]}, True),
        ({"key": "k", "reasons": [], "since": "2031", "outputs": []}, False),
        ({"key": "k", "reasons": "too few", "since": "2031", "outputs": []}, False),
        ({"key": "k"}, False),
        ("k", False),
    ],
)
def test_of_a_damaged_state_what_is_whole_is_kept(lake: Lake, held: object, kept: bool) -> None:
    lake.state_dir.mkdir(parents=True)
    rows = {"club": {"paths": "a.csv", "passed_at": 3, "held": held}}
    (lake.state_dir / "gates.json").write_text(json.dumps(rows))
    state = read_gates(lake)["club"]
    assert (state.paths, state.passed_at, state.held is not None) == (None, None, kept)


@pytest.mark.parametrize("text", [None, "", "[]", "3", "{", '{"club": 1}'])
def test_without_a_readable_state_nothing_is_known(lake: Lake, text: str | None) -> None:
    lake.state_dir.mkdir(parents=True)
    if text is not None:
        (lake.state_dir / "gates.json").write_text(text)
    assert read_gates(lake) == {}
