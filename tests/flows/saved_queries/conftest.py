"""What the tests of saved queries share: lakes to ask, and how an answer is compared with the same worked out in Python."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from flows.cli import call

Row = dict[str, Any]
Tables = dict[str, list[Row]]

CLUB = 'location = "../lists/club*.csv"\nprecedence = 10'
ARCHIVE = 'location = "../lists/archive*.jsonl"\nprecedence = 20\nsize_change_ratio = 1'


class Scene:
    """A lake, and the name of its first release, which others followed."""

    def __init__(self, lake: Path) -> None:
        self.lake = lake
        self.first = (lake / "current").readlink().name

    def tables(self, release: str = "") -> Tables:
        """The rows of every table of a release, by default the current one."""
        folder = self.lake / "releases" / release if release else (self.lake / "current").resolve()
        return {path.name: pq.read_table(path).to_pylist() for path in folder.iterdir() if path.is_dir()}


def word(chance: random.Random) -> str:
    return "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(4))


def invented_papers() -> list[Row]:
    """Forty papers of three venues and two years; the word `gravel` rises, `sand` falls."""
    chance = random.Random(5)
    people = [f"{word(chance).title()} {word(chance).title()}" for _ in range(15)]
    papers = []
    for number in range(40):
        year = 2030 + number % 2
        words = [word(chance) for _ in range(12)] + (["gravel"] * 2 if year == 2031 or number < 6 else ["sand", "the"])
        papers.append(
            {
                "title": " ".join(word(chance) for _ in range(6)).capitalize(),
                "authors": "; ".join(chance.sample(people, chance.randint(1, 5))),
                "abstract": f"We study {' '.join(words)} where $\\gamma x$ holds, see https://www.example.org/{number}."
                if number % 5
                else "",
                "venue": ["Rocks", "Journal of Rubble", ""][number % 3],
                "year": str(year),
                "decision": ["oral", "poster", ""][number % 3],
                "code": f"https://github.com/invented/{number}" if number % 4 == 0 else "",
                "doi": f"10.5555/invented.{number}" if number % 2 else "",
            }
        )
    return papers


def write_lists(folder: Path, papers: list[Row]) -> None:
    """The papers in two sources that share some of them, one spelled otherwise."""
    folder.mkdir(exist_ok=True)
    club, archive = papers[:25], [dict(paper) for paper in papers[18:]]
    archive[0]["title"] = archive[0]["title"].upper()
    archive[1]["venue"] = "Journal of Sand"
    lines = [",".join(club[0]), *(",".join('"' + value.replace('"', '""') + '"' for value in paper.values()) for paper in club)]
    (folder / "club.csv").write_text("\n".join(lines) + "\n")
    (folder / "archive.jsonl").write_text("".join(json.dumps(paper) + "\n" for paper in archive) + '{"title": \n')


@pytest.fixture(scope="session")
def invented(tmp_path_factory: pytest.TempPathFactory, project: Path, samples: Path) -> Scene:
    """Two sources that share papers, and the samples; the release before lacks some and has other words in one."""
    folder = tmp_path_factory.mktemp("saved")
    shutil.copytree(project / "config", folder / "config", ignore=shutil.ignore_patterns("samples"))
    papers, lake = invented_papers(), folder / "lake"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAPERLAKE_CONFIG", str(folder / "config"))
        before = [dict(paper) for paper in papers[:35]]
        before[3] |= {"abstract": "Another abstract, of other words.", "decision": "poster", "year": "2029"}
        write_lists(folder / "lists", before)
        sources = f"[sources.club]\n{CLUB}\n[sources.archive]\n{ARCHIVE}\n"
        (folder / "config" / "sources.toml").write_text(sources)
        assert call(["run", "--lake", str(lake), "--direct"]) == 0
        scene = Scene(lake)
        write_lists(folder / "lists", papers)
        shutil.copytree(samples, folder / "samples")
        (folder / "config" / "sources.toml").write_text(f'{sources}[sources.samples]\nlocation = "../samples"\n')
        assert call(["run", "--lake", str(lake), "--direct"]) == 0
    return scene


@pytest.fixture(scope="session")
def seeds(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Scene:
    lake = tmp_path_factory.mktemp("seeds") / "lake"
    assert call(["run", str(shared / "seeds" / "000_8320cd2285091c9c.txt"), "--lake", str(lake), "--direct"]) == 0
    scene = Scene(lake)
    assert call(["run", str(shared / "seeds"), "--lake", str(lake), "--direct"]) == 0
    return scene


@pytest.fixture(params=["invented", "seeds"])
def scene(request: pytest.FixtureRequest) -> Scene:
    """Each lake in turn; the seeds are real."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def assert_answer(scene: Scene, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[Row]]:
    """Asserts that `paperlake query` gives these rows, sorted by `order` (`-name`: the greatest first, null last)."""

    def compare(name: str, expected: list[Row], order: str, **parameters: object) -> list[Row]:
        words = [word for each, value in parameters.items() for word in ("--param", f"{each}={value}")]
        capsys.readouterr()
        assert call(["query", name, *words, "--lake", str(scene.lake), "--format", "json"]) == 0
        rows: list[Row] = json.loads(capsys.readouterr().out)
        expected = sorted(expected, key=lambda row: [place(row, each) for each in order.split()])
        assert [list(row) for row in rows] == [list(row) for row in expected]
        assert [rounded(row) for row in rows] == [rounded(row) for row in expected]
        return rows

    return compare


def place(row: Row, name: str) -> tuple[bool, Any]:
    """Where a row stands by one column."""
    value = row[name.lstrip("-")]
    return value is None, 0 if value is None else -value if name[0] == "-" else value


def rounded(row: Row) -> Row:
    return {name: round(value, 9) if isinstance(value, float) else value for name, value in row.items()}
