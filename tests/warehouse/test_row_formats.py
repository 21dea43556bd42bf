"""This module tests how rows are printed in each format, and that printing them is safe."""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import get_args

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.row_formats import Format, Written, quiet_when_reader_leaves, write_rows

PROJECT = Path(__file__).resolve().parents[2]


def printed(
    columns: list[str], rows: list[tuple[object, ...]], format: str, types: list[str] | None = None, **options: int
) -> str:
    out = io.StringIO()
    write_rows(columns, types or ["VARCHAR"] * len(columns), [rows[:1], rows[1:]], format, out, **options)  # type: ignore[arg-type]
    return out.getvalue()


def json_value(value: object, type: str = "VARCHAR") -> str:
    """One value as it stands in JSON text."""
    return printed(["v"], [(value,)], "jsonl", [type]).removeprefix('{"v": ').removesuffix("}\n")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (2**127 - 1, "170141183460469231731687303715884105727"),
        (1.5, "1.5"),
        (float("nan"), "null"),
        (float("inf"), "null"),
        (float("-inf"), "null"),
        (Decimal("1.10"), '"1.10"'),
        (datetime.date(2024, 5, 7), '"2024-05-07"'),
        (datetime.datetime(2024, 5, 7, 1, 2, 3), '"2024-05-07T01:02:03"'),
        (datetime.datetime(2024, 5, 7, tzinfo=datetime.UTC), '"2024-05-07T00:00:00+00:00"'),
        (datetime.time(1, 2), '"01:02:00"'),
        (datetime.timedelta(days=1), '"1 day, 0:00:00"'),
        (uuid.UUID(int=0), '"00000000-0000-0000-0000-000000000000"'),
        (b"\x00\xff", '"AP8="'),
        ('naïve "x"\n', '"naïve \\"x\\"\\n"'),
        ([1, None, [float("nan")]], "[1, null, [null]]"),
        ((1, 2), "[1, 2]"),
        ({"a": Decimal("1"), "b": None}, '{"a": "1", "b": null}'),
        ({1: "x"}, '{"1": "x"}'),
    ],
)
def test_json_value_follows_the_rules(value: object, text: str) -> None:
    assert json_value(value) == text


def test_integer_beyond_128_bits_is_a_number_and_the_same_digits_as_text_are_not() -> None:
    assert json_value("9" * 50, "BIGNUM") == "9" * 50
    assert json_value("9" * 50, "VARCHAR") == '"' + "9" * 50 + '"'


def test_every_type_of_duckdb_becomes_valid_json() -> None:
    with duckdb.connect() as connection:
        result = connection.execute("select * from test_all_types()")
        columns, types = ([str(column[place]) for column in result.description or []] for place in (0, 1))
        rows = result.fetchall()
    assert "hugeint" in printed(columns, rows, "table", types)
    objects = json.loads(printed(columns, rows, "json", types))
    assert len(objects) == 3 and list(objects[0]) == columns
    assert objects[0]["hugeint"] == -(2**127)


def test_json_is_one_array_and_json_lines_one_object_a_line() -> None:
    rows: list[tuple[object, ...]] = [(1, "a"), (2, None)]
    assert printed(["n", "t"], rows, "json") == '[\n{"n": 1, "t": "a"},\n{"n": 2, "t": null}\n]\n'
    assert printed(["n", "t"], rows, "jsonl") == '{"n": 1, "t": "a"}\n{"n": 2, "t": null}\n'


def test_no_row_is_an_empty_answer_in_every_format() -> None:
    assert printed(["n"], [], "json") == "[]\n"
    assert printed(["n"], [], "jsonl") == ""
    assert printed(["n"], [], "csv") == "n\r\n"
    assert printed(["n"], [], "markdown") == "| n |\n| --- |\n"
    assert "0 rows" in printed(["n"], [], "table")


def test_column_of_a_name_seen_before_is_numbered_in_json_and_kept_in_csv() -> None:
    assert json.loads(printed(["a", "a"], [(1, 2)], "json")) == [{"a": 1, "a_2": 2}]
    assert printed(["a", "a"], [(1, 2)], "csv") == "a,a\r\n1,2\r\n"


def test_csv_quotes_what_needs_it() -> None:
    rows: list[tuple[object, ...]] = [('say "x", y', "two\nlines", None, True, [1])]
    assert printed(["a", "b", "c", "d", "e"], rows, "csv") == 'a,b,c,d,e\r\n"say ""x"", y","two\nlines",,true,[1]\r\n'


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.text()), min_size=1))
def test_csv_and_json_lines_give_the_text_back(rows: list[tuple[str, str]]) -> None:
    rows = [tuple(text.encode("utf-8", "replace").decode() for text in row) for row in rows]  # type: ignore[misc]
    read = list(csv.reader(io.StringIO(printed(["a", "b"], rows, "csv"), newline="")))  # type: ignore[arg-type]
    assert read[1:] == [list(row) for row in rows]
    lines = printed(["a", "b"], rows, "jsonl").removesuffix("\n").split("\n")  # type: ignore[arg-type]
    assert [tuple(json.loads(line).values()) for line in lines] == rows


def test_markdown_cell_cannot_leave_its_cell() -> None:
    text = printed(["a|b", "c"], [("x | y\\|\nnext", "<b>`")], "markdown")
    assert text == "| a\\|b | c |\n| --- | --- |\n| x \\| y\\\\\\|<br>next | \\<b>\\` |\n"


def test_table_aligns_numbers_right_and_tells_null_from_empty_text() -> None:
    text = printed(["title", "year"], [("a", 7), ("", 2024), (None, None)], "table", ["VARCHAR", "SMALLINT"], width=40)
    assert "│ a     │    7 │" in text
    assert "│       │ 2024 │" in text
    assert "│ null  │ null │" in text
    assert text.endswith("3 rows\n")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0007581501137, "0.00075815"),
        (2 / 3, "0.666667"),
        (0.1 + 0.2, "0.3"),
        (2.0, "2.0"),
        (-999999.6, "-1000000.0"),
        (1234567.89, "1234568"),
        (123456789012345678.0, "1.23457e+17"),
        (1e-9, "1e-09"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ([0.1 + 0.2, {"share": 1 / 3}], '[0.3, {"share": 0.333333}]'),
        (Decimal("0.1234567890"), "0.1234567890"),
        (12345678, "12345678"),
    ],
)
def test_table_shows_six_digits_of_a_floating_point_number_and_all_of_others(value: object, shown: str) -> None:
    assert f"│ {shown} │" in printed(["v"], [(value,)], "table", ["DOUBLE"])


@pytest.mark.parametrize("format", [each for each in get_args(Format) if each != "table"])
def test_other_formats_than_the_table_keep_every_digit(format: str) -> None:
    assert "0.0007581501137" in printed(["v"], [(0.0007581501137,)], format, ["DOUBLE"])


def test_table_fits_the_width_and_shortens_long_text() -> None:
    text = printed(["title", "n"], [("gravel " * 100, 1)], "table", ["VARCHAR", "INTEGER"], width=50)
    assert "…" in text and max(map(len, text.splitlines())) == 50


def test_a_plain_terminal_is_as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "dumb")
    for width in (40, 150):
        out = Terminal()
        write_rows(["title"], ["VARCHAR"], [[("x" * 300,)]], "table", out, width=width)
        assert {len(line) for line in out.getvalue().splitlines()[:3]} == {width}


def test_table_of_more_columns_than_fit_becomes_a_block_a_row() -> None:
    columns = [f"column_{number}" for number in range(12)]
    text = printed(columns, [tuple(range(12))], "table", width=60)
    assert "row 1" in text and max(len(line.rstrip()) for line in text.splitlines()) <= 60
    assert [line.split() for line in text.splitlines() if "column_11" in line] == [["column_11", "11"]]


def test_table_says_when_it_is_cut_and_reads_no_further() -> None:
    def endless() -> Iterator[list[tuple[object, ...]]]:
        while True:
            yield [(1,)] * 3

    out = io.StringIO()
    assert write_rows(["n"], ["INTEGER"], endless(), "table", out, table_rows=5) == Written(5, is_cut=True)
    assert "the first 5 rows; there are more" in out.getvalue()


def test_table_shows_a_plan_as_it_is() -> None:
    plan = "┌───┐\n│ x │\n└───┘\n"
    assert printed(["explain_key", "explain_value"], [("physical_plan", plan)], "table", width=4) == plan


HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31m",
    "a\rb",
    "a\nb",
    "\x00",
    "\u202eevil",
    "\u2066x",
    "[red]x[/red]",
    ":smile:",
]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("width", [60, 8])
def test_nothing_a_terminal_would_obey_gets_into_a_table(value: str, width: int) -> None:
    for cell in (value, [value], {value: value}):
        text = printed([value, "b", "c"], [(cell, 1, 2)], "table", width=width)
        assert not any(character in text for character in "\x00\x07\x1b\x9b\r\u202e\u2066")
    assert "smile" in printed(["a"], [(":smile:",)], "table") and "[red]" in printed(["a"], [("[red]",)], "table")


def test_value_of_many_megabytes_is_cut_before_it_is_laid_out() -> None:
    assert len(printed(["a"], [("x" * 5_000_000,)], "table")) < 2_000


@pytest.mark.parametrize("format", ["csv", "json", "jsonl", "markdown"])
def test_rows_are_written_as_they_come(format: str) -> None:
    out = io.StringIO()

    def batches() -> Iterator[list[tuple[object, ...]]]:
        yield [("first",)]
        assert "first" in out.getvalue()
        yield [("second",)]

    assert write_rows(["t"], ["VARCHAR"], batches(), format, out) == Written(2)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", get_args(Format))
def test_reader_that_leaves_early_is_no_error(format: str) -> None:
    code = (
        "import sys\n"
        "from warehouse.row_formats import quiet_when_reader_leaves, write_rows\n"
        "with quiet_when_reader_leaves(sys.stdout):\n"
        "    batches = ([('x' * 100,)] * 1000 for _ in range(1000))\n"
        "    write_rows(['t'], ['VARCHAR'], batches, sys.argv[1], sys.stdout, table_rows=20000)\n"
    )
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", code, format], cwd=PROJECT, stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (0, "")


def test_other_errors_than_a_reader_that_left_are_not_swallowed() -> None:
    with pytest.raises(OSError, match="disk"), quiet_when_reader_leaves(io.StringIO()):
        raise OSError("disk full")
