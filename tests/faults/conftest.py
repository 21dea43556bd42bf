"""This module is what the tests of faults share: a small lake with a history, what undisturbed runs make of it, and forks."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import oracle

sys.path.pop(0)

collect_ignore = ["changing_sources.py", "fork_server.py", "oracle.py", "prefect_server.py", "soak.py"]

HEADER = "id,title,author,year,doi,abstract\n"
LIST = {
    "a": 'a,Warm ice in cold rivers,"Lee, Ann",2020,,Ice is warm.\n',
    "b": 'b,On heat below the frost,"Okri, Ben",2020,,Heat is below.\n',
    "c": 'c,The dry bones of old whales,"Sato, Hana",2011,,Bones are dry.\n',
    "d": 'd,A ledger of small tides,"Lund, Peder",2015,10.5555/tides,\n',
}
MORE = HEADER + 'x,Salt of the inland seas,"Roy, Uma",2001,,Salt.\ny,Warm ice in cold rivers,"Lee, Ann",2020,,\n'
OTHER = [{"title": "Nine ways to fold a map", "authors": ["Vera Kust"], "year": 1999}, {"title": "Dust", "year": 1998}]


class Pond:
    """A lake small enough to be disturbed many times, with its sources and settings beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lake, self.lists = folder, folder / "lake", folder / "lists"
        self.environment = {"PAPERLAKE_CONFIG": str(folder / "config")}

    def copy(self, folder: Path) -> Pond:
        """The same, to be disturbed. Times stay, inodes do not, as in a lake that was copied."""
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        return Pond(folder)

    def words(self, *more: object) -> list[str]:
        return ["run", "--direct", "--lake", str(self.lake), *map(str, more)]

    def call(self, *words: object, code: int | None = 0) -> str:
        return oracle.said(*words, "--lake", self.lake, code=code, **self.environment)

    def run(self, *more: object, code: int | None = 0) -> dict[str, Any] | str:
        """The report of a run, or what it said where it is to fail."""
        text = oracle.said(*self.words(*more, "--format", "json"), code=code, **self.environment)
        return json.loads(text) if text.startswith("{") else text

    def write(self, name: str, text: str) -> Path:
        (self.lists / name).write_text(text)
        return self.lists / name

    def add(self) -> None:
        """Puts two more lists into the source: what the next run has to land."""
        self.write("more.csv", MORE)
        self.write("other.json", json.dumps(OTHER))

    def assert_same(self, undisturbed: dict[str, str]) -> None:
        oracle.assert_same(self.lake, undisturbed)

    def release(self) -> Path:
        return self.lake / "releases" / oracle.current(self.lake)


@pytest.fixture(scope="session")
def pond(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Pond:
    """A lake of three releases, whose last has aliases, and that has been looked at once; tests copy it."""
    pond = Pond(tmp_path_factory.mktemp("pond"))
    for folder in (pond.folder / "config", pond.lists):
        folder.mkdir()
    (pond.folder / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    (pond.folder / "config" / "sources.toml").write_text('[sources.club]\nlocation = "../lists"\nhas_keys = true\n')
    (pond.folder / "config" / "pipeline.toml").write_text("[gate]\nsize_change_ratio = 100.0\nrecords_drop_ratio = 1.0\n")
    rows = dict(LIST)
    for old, new in (("", ""), ("2011,,", "2011,10.5555/bones,"), ("Heat is below.", "Heat is far below.")):
        rows = {key: row.replace(old, new) for key, row in rows.items()}
        pond.write("list.csv", HEADER + "".join(rows.values()))
        assert pond.run()["outcome"] == "published"
    (aliases,) = oracle.rows("sql", "select count(*) as n from paper_aliases", "--lake", pond.lake)
    assert aliases["n"] > 0, "or nothing is told of what mending does to them"
    return pond


@pytest.fixture(scope="session")
def unchanged(pond: Pond) -> dict[str, str]:
    """The tables of the lake."""
    return oracle.tables(pond.lake)


@pytest.fixture(scope="session")
def added(pond: Pond, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The tables after an undisturbed run that lands two more lists."""
    other = pond.copy(tmp_path_factory.mktemp("added"))
    other.add()
    assert other.run()["outcome"] == "published"
    return oracle.tables(other.lake)


@pytest.fixture(params=["nothing new", "two new lists"])
def disturbed(request: pytest.FixtureRequest, pond: Pond, tmp_path: Path) -> tuple[Pond, dict[str, str]]:
    """A lake to be damaged, with or without new lists, and the tables that the next run is to reach all the same."""
    copy = pond.copy(tmp_path / "pond")
    if request.param == "two new lists":
        copy.add()
        return copy, request.getfixturevalue("added")
    return copy, request.getfixturevalue("unchanged")


@pytest.fixture(scope="session")
def forks(pond: Pond, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., tuple[int, str, float]]]:
    """Runs a command in a process that may be killed: exit code, output, seconds."""
    forks = oracle.Forks(tmp_path_factory.mktemp("forks"))
    other = pond.copy(tmp_path_factory.mktemp("warm"))
    other.add()
    forks.warm_up(*other.words(), **other.environment)
    yield forks.run
    forks.close()


@pytest.fixture(scope="session")
def whole() -> Any:
    """What must hold after every fault."""
    return oracle
