"""What the tests of exports share: a lake of the samples and of a list whose cells a spreadsheet would run."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flows.cli import call

HOSTILE = [
    {"title": "=1+1", "authors": ["Ann Lee", "Bo Li"], "venue": "@SUM(A1)", "year": 2020, "doi": "10.5555/h.1"},
    {"title": "' =cmd|' /C calc'!A0", "authors": ["Cy Day"], "venue": "Workshop: a/b", "year": 2021, "abstract": "-5 degrees"},
    {"title": "＝full width", "authors": ["Dee Fox"], "venue": "..", "year": 2021, "abstract": 'said "so", and\nmore; \x0b"'},
    {"title": "A = B", "authors": ["Ed Gay"], "abstract": "long " * 9_000, "url": "https://example.org/a"},
    {
        "title": "Tides, again",
        "authors": ["Fay Hill"],
        "year": 2022,
        "venue": "Pebble Letters",
        "keywords": "trees, woods; maps",
    },
]
SOURCES = """
[sources.samples]
location = "{samples}"
license = "CC-BY-4.0"
homepage = "https://example.org/samples"
citation = "The samples, fabricated."

[sources.own]
location = "own.json"
"""


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory, project: Path, samples: Path) -> Path:
    """A config with two sources, of which one states its terms."""
    folder = tmp_path_factory.mktemp("export-config")
    for name in ("pipeline.toml", "venues.csv"):
        (folder / name).write_bytes((project / "config" / name).read_bytes())
    (folder / "own.json").write_text(json.dumps(HOSTILE))
    (folder / "sources.toml").write_text(SOURCES.format(samples=samples))
    return folder


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory, config: Path) -> Path:
    """A lake of both sources; tests only read it."""
    path = tmp_path_factory.mktemp("export-lake") / "lake"
    before = os.environ.get("PAPERLAKE_CONFIG")
    os.environ["PAPERLAKE_CONFIG"] = str(config)
    try:
        assert call(["run", "--lake", str(path), "--direct"]) == 0
    finally:
        os.environ.pop("PAPERLAKE_CONFIG")
        if before is not None:
            os.environ["PAPERLAKE_CONFIG"] = before
    return path


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch, config: Path) -> Iterator[Path]:
    """The config is the one of the lake."""
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config))
    yield config


Export = Callable[..., Path]


@pytest.fixture
def export(tmp_path: Path, lake: Path, configured: Path) -> Export:
    """`export("papers", format="csv", …)`: the folder of an export that worked; `code` if it should not have."""
    numbers = iter(range(100))

    def run(*words: str, format: str = "csv", code: int = 0, to: Path | None = None) -> Path:
        folder = to or tmp_path / f"export{next(numbers)}"
        assert call(["export", *words, "--format", format, "--to", str(folder), "--lake", str(lake)]) == code
        return folder

    return run


def files_of(folder: Path) -> dict[str, str]:
    """The hash of every file below a folder, by its place."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(name="files_of")
def files_of_fixture() -> Callable[[Path], dict[str, str]]:
    """`files_of(folder)`."""
    return files_of
