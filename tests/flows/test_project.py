"""The project itself: three packages that resolve inside it, locks without addresses, and nothing of one machine."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest


@pytest.mark.parametrize("package", ["flows", "transforms", "warehouse"])
def test_the_packages_resolve_inside_the_project(package: str, project: Path) -> None:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert Path(str(spec.origin)).resolve() == project / package / "__init__.py"


def test_no_module_of_flows_carries_the_name_of_an_installed_package(project: Path) -> None:
    own = {path.stem for path in (project / "flows").glob("*.py")} - {"__init__"}
    assert not own & set(sys.stdlib_module_names)
    assert not [name for name in own if importlib.util.find_spec(name)]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_the_locks_pin_with_hashes_and_name_no_address(lock: str, project: Path) -> None:
    text = (project / lock).read_text()
    assert "://" not in text
    requirements = re.findall(r"^\w.*", text, re.MULTILINE)
    pins = re.findall(r"^([\w.\-]+)(?:\[.*?\])?==[^\n]+\\\n    --hash=sha256:", text, re.MULTILINE)
    assert len(pins) == len(requirements) > 50
    wanted = tomllib.loads((project / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.split(r"[<>=~!\[ ]", name)[0] for name in wanted} <= set(pins)
    assert {"hatchling", "editables"} <= set(pins)


def test_no_tracked_file_names_a_path_of_one_machine_or_a_registry(project: Path) -> None:
    pattern = r"(^|[^A-Za-z0-9_.])/(work|farm|root|home)/[a-z]|pypi\.org|pythonhosted|registry\.npmjs"
    found = subprocess.run(
        ["git", "grep", "-nIE", pattern, "--", ".", ":!tests/flows/test_project.py"],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert found.stdout == ""


def test_no_python_file_is_longer_than_400_lines(project: Path) -> None:
    files = [path for room in ("flows", "transforms", "warehouse", "tests") for path in (project / room).rglob("*.py")]
    assert not {str(path): n for path in files if (n := len(path.read_text().splitlines())) > 400}


def test_the_import_law_names_every_module_that_the_warehouse_may_not_import(project: Path) -> None:
    contracts = tomllib.loads((project / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (law,) = (
        contract
        for contract in contracts
        if contract.get("source_modules") == ["warehouse"] and "transforms.merge" in str(contract)
    )
    rooms = [path for path in (project / "transforms").iterdir() if path.name[0] != "_" and path.stem != "schemas"]
    assert set(law["forbidden_modules"]) == {f"transforms.{path.stem}" for path in rooms}
