"""The README: every command in it runs, in order, in a fresh copy, and prints what the README shows.

`pytest tests/flows/test_readme.py --regenerate` writes what the commands print into the README.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_VARYING = (
    (r"\br[0-9a-f]{16}\b", "r…"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "…"),
    (r"\b\d{8}T\d{6}-\d+\b", "…"),
    (r"(?m)^make\[\d\]:.*\n", ""),
)


def run_block(block: str, folder: Path, exports: list[str]) -> str:
    """The block with its commands' real output on standard output, what varies from run to run replaced by an ellipsis."""
    shown = []
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        command = line.removeprefix("$ ")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PAPERLAKE_", "PREFECT_", "MAKE", "MFLAGS"))}
        environment |= {"HOME": str(folder / ".home"), "COLUMNS": "120"}
        script = "\n".join([*exports, command])
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        if command.startswith("export "):
            exports.append(command)
        output = done.stdout.replace(str(folder), "…")
        for pattern, replacement in _VARYING:
            output = re.sub(pattern, replacement, output)
        shown.append(f"{line}\n{output.rstrip()}".rstrip())
    return "\n".join(shown) + "\n"


def test_every_command_in_the_readme_prints_what_it_shows(tmp_path: Path, project: Path, pytestconfig: pytest.Config) -> None:
    copy = tmp_path / "paperlake"
    ignore = shutil.ignore_patterns(".git", ".venv", "lake", "lists", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(project, copy, ignore=ignore)
    (copy / ".venv").symlink_to(project / ".venv")
    text = (project / "README.md").read_text(encoding="utf-8")
    exports: list[str] = []
    real = _BLOCK.sub(lambda block: run_block(block[0], copy, exports), text)
    if pytestconfig.getoption("--regenerate"):
        (project / "README.md").write_text(real, encoding="utf-8")
    assert real == (project / "README.md").read_text(encoding="utf-8")


def test_the_readme_names_every_format_and_shape(project: Path) -> None:
    from transforms.readers.registry import READERS
    from transforms.readers.shapes import SHAPES

    text = (project / "README.md").read_text(encoding="utf-8")
    assert [name for name in (*READERS, *(shape.name for shape in SHAPES)) if f"`{name}`" not in text] == []
