"""This module tests the data dictionary: complete, the same every time, and a table in Markdown."""

from __future__ import annotations

import re

from transforms.schemas import TABLES
from warehouse.dictionary import COLUMNS, TABLE_COLUMNS, column_rows, release_readme, table_rows


def test_readme_names_every_table_and_column_with_its_meaning() -> None:
    readme = release_readme("r0123", {"papers": 12345})
    assert readme.startswith("# Release r0123\n")
    assert "| [`papers`](#papers) | 12,345 |" in readme
    for table in TABLES.values():
        section = readme.split(f"\n### {table.name}\n")[1].split("\n### ")[0]
        assert table.grain[1:] in section
        for column in table.columns:
            null = "yes" if column.nullable else "no"
            assert f"| `{column.name}` | `{column.dtype}` | {null} | {column.meaning} |" in section.replace("\\|", "|")


def test_readme_is_the_same_whatever_the_order_of_the_counts() -> None:
    counts = {name: number for number, name in enumerate(TABLES)}
    assert release_readme("r", counts) == release_readme("r", dict(reversed(counts.items())))


def test_readme_takes_further_sentences_and_an_id_that_is_known_later() -> None:
    readme = release_readme("{release_id}", {}, ["It was made from 3 raw files."])
    assert readme.replace("{release_id}", "r9").startswith("# Release r9\n")
    assert "\n\nIt was made from 3 raw files.\n\n" in readme


def test_readme_holds_no_path_and_no_date() -> None:
    assert not re.search(r"20\d\d-\d\d|/home|/tmp|/work", release_readme("r0123", {}))


def test_every_line_of_a_markdown_table_has_as_many_cells() -> None:
    for block in re.findall(r"(?:^\|.*\n)+", release_readme("r0123", {}), flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_rows_for_the_command_have_one_a_table_and_one_a_column() -> None:
    assert [row[0] for row in table_rows()] == list(TABLES)
    assert all(len(row) == len(TABLE_COLUMNS) for row in table_rows())
    assert {row[0]: row[1] for row in table_rows({"papers": 3})} == {**dict.fromkeys(TABLES), "papers": 3}
    assert len(column_rows()) == sum(len(table.columns) for table in TABLES.values())
    assert all(len(row) == len(COLUMNS) for row in column_rows())
    assert [row[1] for row in column_rows("links")] == ["paper_id", "url", "kind"]
