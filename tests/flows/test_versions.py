"""The version keys: code that has a say in a stage is in its key, code that has none is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows import versions


@pytest.fixture
def names(project: Path):
    return lambda module: {path.relative_to(project).as_posix() for path in versions._imported(module)}


def test_what_a_stage_imports_at_any_depth_is_in_its_key(names) -> None:
    assert names("transforms.staging") >= {
        "transforms/staging.py",
        "transforms/regrouping.py",
        "transforms/readers/registry.py",
        "transforms/readers/json_lines.py",
        "transforms/schemas.py",
    }
    assert "warehouse/unpacking.py" in names("warehouse.archives")
    assert names("transforms.clean") >= {"transforms/clean.py", "transforms/latex.py", "transforms/readers/field_values.py"}
    assert names("transforms.match.matching") >= {"transforms/match/decision.py", "transforms/match/verdicts.py"}


def test_what_comes_after_a_stage_is_not_in_its_key(names) -> None:
    assert not names("transforms.staging") & {"transforms/clean.py", "transforms/merge.py", "flows/steps.py"}
    assert not names("transforms.clean") & {"transforms/merge.py", "transforms/readers/registry.py", "transforms/staging.py"}
