"""This module is what the tests of the gate share: a lake before anything changed."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from changing_lists import COUNT, Night, objects, rows

sys.path.pop(0)

collect_ignore = ["changing_lists.py"]


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Night:
    """The lake before anything changed; tests copy it."""
    night = Night(tmp_path_factory.mktemp("gates"))
    for name in ("config", "club", "zoo"):
        (night.folder / name).mkdir()
    (night.folder / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    night.configure()
    (night.club / "list.csv").write_text(rows())
    (night.club / "list.json").write_text(objects(award=1, keywords=18))
    (night.club / "few.csv").write_text(rows(3, "lakes"))
    with zipfile.ZipFile(night.club / "box.zip", "w") as box:
        for name in ("one.csv", "two.csv"):
            box.writestr(name, rows(10, name[:3]))
    (night.folder / "zoo" / "list.csv").write_text(rows(2, "zoos"))
    assert night.run()["row_counts"]["papers"] == 2 * COUNT + 3 + 20 + 2
    return night


@pytest.fixture
def night(evening: Night, tmp_path: Path) -> Night:
    return evening.copy(tmp_path)
