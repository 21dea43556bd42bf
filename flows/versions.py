"""This module gives hashes of the code, so that a change of a rule makes what it made anew, and nothing else."""

from __future__ import annotations

import functools
import hashlib
import platform
import re
from importlib.metadata import version
from pathlib import Path

from flows.settings import PROJECT_DIR

LIBRARIES = (
    "polars",
    "pyarrow",
    "rapidfuzz",
    "ftfy",
    "pylatexenc",
    "duckdb",
    "orjson",
    "lxml",
    "fastexcel",
    "pyyaml",
)
"""The libraries whose release has a say in the tables."""


@functools.cache
def reading_version() -> str:
    """A hash of the code that turns a raw file into staged records."""
    return _hash(_imported("transforms.staging") | _imported("warehouse.archives"))


@functools.cache
def judging_version() -> str:
    """A hash of the code that reads files and compares them at the gate: it says whether a source passes."""
    own = {
        PROJECT_DIR / "flows" / "sources" / f"{name}.py" for name in ("gating", "column_moves", "column_guess", "unread_tables")
    }
    measures = {PROJECT_DIR / "warehouse" / "measures.py"}
    return _hash(_imported("transforms.staging") | _imported("warehouse.archives") | own | measures)


@functools.cache
def cleaning_version() -> str:
    """A hash of the code that turns staged records into clean ones."""
    return _hash(_imported("transforms.clean"))


@functools.cache
def features_version() -> str:
    """A hash of the code that derives from a clean record what matching compares, and of the code that made the record."""
    return _hash(_imported("transforms.clean") | _imported("transforms.match.features"))


@functools.cache
def matching_version() -> str:
    """A hash of the code that finds which clean records are one paper, and of the code that made them."""
    return _hash(_imported("transforms.clean") | _imported("transforms.match.matching") | _imported("transforms.match.hidden"))


@functools.cache
def merging_version() -> str:
    """A hash of the code that makes the tables of clean records and of what matching found."""
    return _hash(_imported("transforms.tables"))


def rules_by_stage() -> dict[str, str]:
    """The version of each stage's rules, by the stage's name: a release keeps them, so that a diff can tell what changed."""
    return {
        "reading": reading_version(),
        "cleaning": cleaning_version(),
        "matching": matching_version(),
        "merging": merging_version(),
    }


@functools.cache
def code_version() -> str:
    """A hash of all code that has a say in a release."""
    modules = ("steps", "paper_steps", "publishing_steps", "previous_releases", "reading", "cleaning")
    patterns = ("transforms/**/*.py", "warehouse/**/*.py", "warehouse/**/*.sql", *(f"flows/{name}.py" for name in modules))
    return _hash({path for pattern in patterns for path in PROJECT_DIR.glob(pattern)})


def _imported(module: str) -> set[Path]:
    """The project's files that a module is made of: its own, and those of all it imports, at its head or in its functions."""
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        path = PROJECT_DIR / f"{waiting.pop().replace('.', '/')}.py"
        if path in found or not path.is_file():
            continue
        found.add(path)
        # A parser would take half a second for them all.
        for package, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
            waiting += [package, *(f"{package}.{name}".lstrip(".") for name in _NAME.findall(names))]
    return found


_IMPORT = re.compile(r"^ *(?:from ([\w.]+) )?import (\([^)]*\)|[^\n]+)", re.MULTILINE)
_NAME = re.compile(r"\w+(?:\.\w+)*")


def _hash(paths: set[Path]) -> str:
    versions = [f"python {platform.python_version()}", *(f"{name} {version(name)}" for name in LIBRARIES)]
    digest = hashlib.sha256(";".join(versions).encode())
    for path in sorted(paths):
        digest.update(path.relative_to(PROJECT_DIR).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
