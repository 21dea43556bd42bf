"""What the columns of tools' exports are called, and where they go: the rows of tests/data/column_exports.toml."""

import tomllib
from pathlib import Path

import pytest

from transforms.readers.mapping import Mapper

EXPORTS = tomllib.loads((Path(__file__).parents[1] / "data" / "column_exports.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("tool", EXPORTS)
def test_the_columns_of_an_export_go_where_their_tool_means_them(tool: str):
    expected = EXPORTS[tool]["fields"]
    fields = Mapper().fields(EXPORTS[tool]["columns"])
    assert {name: fields.get(name) for name in expected} == expected
    assert not {"IS", "3", "2 Jan 2025", "2025/01/02", "2025-01-02", "SOUND; STONE", "#7"} & set(map(str, fields.values()))
