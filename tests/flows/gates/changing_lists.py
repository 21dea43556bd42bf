"""This module has a lake with sources that change, the lists they are made of, and what may become of these."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from flows.cli import call

COUNT = 20


def rows(count: int = COUNT, word: str = "rivers") -> str:
    """A list of papers as CSV, with a column that fills no field, and one that is empty throughout."""
    lines = [
        f'k{i},Warm ice in {word} number {i},"Lee, Ann",{2000 + i},10.5555/{word}.{i},stack {i},\n' for i in range(1, count + 1)
    ]
    return "id,title,author,year,doi,stack,blank\n" + "".join(lines)


def objects(count: int = COUNT, **optional: int) -> str:
    """A list of papers as JSON; `optional` says of a key how many of the first records have it."""
    papers = [
        {"id": f"j{i}", "title": f"Dry bones of old whales, part {i}", "authors": ["Hana Sato"], "year": 2011}
        | {key: f"{key} of {i}" for key, many in optional.items() if i <= many}
        for i in range(1, count + 1)
    ]
    return json.dumps(papers)


class Night:
    """A lake with two configured sources: `club`, whose files change, and `zoo`, which must go on whatever club brings."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lake, self.club = folder, folder / "lake", folder / "club"

    def call(self, *words: object, code: int = 0) -> str:
        """What a command prints."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setenv("PAPERLAKE_CONFIG", str(self.folder / "config"))
            found = call([*map(str, words), "--lake", str(self.lake)])
        assert found == code, (words, out.getvalue(), err.getvalue())
        return out.getvalue() or err.getvalue()

    def run(self, *words: object, code: int = 0) -> dict[str, Any]:
        """The report of a run."""
        return json.loads(self.call("run", "--direct", *words, "--format", "json", code=code))

    def why(self) -> str:
        """Why club is held back by a run, which it is to be alone."""
        report = self.run(code=3)
        assert list(report["held_sources"]) == ["club"]
        return " ".join(report["held_sources"]["club"])

    def titles(self) -> set[str]:
        """The titles of the papers."""
        return {row["title"] for row in self.ask("select title from papers")}

    def ask(self, query: str) -> list[dict[str, Any]]:
        return json.loads(self.call("sql", query, "--format", "json"))

    def configure(self, block: str = "") -> None:
        """Replaces the settings of club."""
        text = f'[sources.club]\nlocation = "../club"\n{block}\n[sources.zoo]\nlocation = "../zoo/*.csv"\n'
        (self.folder / "config" / "sources.toml").write_text(text)

    def state(self) -> dict[str, Any]:
        return json.loads((self.lake / "state" / "gates.json").read_text())

    def copy(self, folder: Path) -> Night:
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        return Night(folder)


def put(name: str, content: str) -> Callable[[Path], object]:
    return lambda club: (club / name).write_text(content)


def gone(*names: str) -> Callable[[Path], object]:
    return lambda club: [(club / name).unlink() for name in names]


def boxed(*names: str) -> Callable[[Path], object]:
    def write(club: Path) -> None:
        with zipfile.ZipFile(club / "box.zip", "w") as box:
            for name in names:
                box.writestr(name, rows(10, name[:3]))

    return write


def padded(count: int) -> str:
    """A list of about the bytes that one of `COUNT` has, whatever its count of records."""
    text = rows(count)
    return text + f"k99,{'A very long title ' * ((len(rows()) - len(text)) // 18)},,,,,\n"


ERROR_PAGE = "<html><body><h1>503</h1>" + "<p>The list is out of service today.</p>" * 34 + "</body></html>"
NO_TITLE = rows().replace("title,", "Beitrag,", 1)
NO_AUTHOR = "".join(f"{','.join([*line.split(',')[:2], *line.split(',')[4:]])}" for line in rows().splitlines(keepends=True))
EMPTY_AUTHOR = rows().replace('"Lee, Ann"', "")


def tables(lake: Path) -> dict[str, str]:
    """The hash of each table but the one that depends on history."""
    found = sorted((lake / "current").resolve().glob("*/*.parquet"))
    return {
        path.parent.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found if path.parent.name != "paper_aliases"
    }
