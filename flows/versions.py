"""This module gives hashes of the code, so that a change of a rule makes what it made anew, and nothing else."""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib.metadata import version

from flows.settings import PROJECT_DIR

_LIBRARIES = (
    "polars",
    "pyarrow",
    "rapidfuzz",
    "ftfy",
    "pylatexenc",
    "duckdb",
    "orjson",
    "lxml",
    "bibtexparser",
    "fastexcel",
    "pyyaml",
)
"""The libraries whose release has a say in the tables."""


@functools.cache
def reading_version() -> str:
    """A hash of the code that turns a raw file into staged records."""
    unpacking = ("warehouse/unpacking.py", "warehouse/archives.py", "warehouse/archive_formats.py")
    return _hash(
        "transforms/schemas.py", "transforms/frames.py", "transforms/staging.py", "transforms/readers/*.py", *unpacking
    )


@functools.cache
def cleaning_version() -> str:
    """A hash of the code that turns staged records into clean ones."""
    return _hash("transforms/*.py", "transforms/readers/field_values.py", without=_AFTER_CLEANING)


@functools.cache
def matching_version() -> str:
    """A hash of the code that finds which clean records are one paper."""
    return _hash("transforms/*.py", "transforms/match/*.py", without=_AFTER_CLEANING)


_AFTER_CLEANING = frozenset(("aliases", "ledger", "merge", "paper_ids", "staging", "tables"))
"""Modules of the transforms that neither cleaning nor matching imports."""


@functools.cache
def code_version() -> str:
    """A hash of all code that has a say in a release."""
    return _hash("transforms/**/*.py", "warehouse/**/*.py", "warehouse/**/*.sql", "flows/steps.py")


def _hash(*patterns: str, without: frozenset[str] = frozenset()) -> str:
    versions = [f"python {platform.python_version()}", *(f"{name} {version(name)}" for name in _LIBRARIES)]
    digest = hashlib.sha256(";".join(versions).encode())
    for path in sorted({path for pattern in patterns for path in PROJECT_DIR.glob(pattern) if path.stem not in without}):
        digest.update(path.relative_to(PROJECT_DIR).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
