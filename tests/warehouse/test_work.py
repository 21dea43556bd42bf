"""Work outputs: made once, and made again when damaged."""

from pathlib import Path

import polars as pl
import pytest

from warehouse.layout import Lake
from warehouse.work import Output, collect_garbage, output, work_key
from warehouse.work_writer import write_output


@pytest.fixture
def made(tmp_path: Path) -> Output:
    target = output(Lake(tmp_path), "stage", work_key("a", 1))
    return write_output(target, {"records": pl.DataFrame({"n": [1, 2]})}, {"records": 2})


def test_an_output_comes_back_as_written(made: Output) -> None:
    assert made.is_whole()
    assert made.facts() == {"records": 2}
    assert made.read("records")["n"].to_list() == [1, 2]


@pytest.mark.parametrize("damage", ["missing", "cut", "zeros", "no facts", "odd facts"])
def test_a_damaged_output_is_not_whole(made: Output, damage: str) -> None:
    path = made.path("records")
    size = path.stat().st_size
    if damage == "missing":
        path.unlink()
    elif damage in ("cut", "zeros"):
        path.write_bytes(bytes(size) if damage == "zeros" else path.read_bytes()[:-1])
    else:
        (made.folder / "facts.json").write_text("[]" if damage == "odd facts" else "{")
    assert not made.is_whole()
    assert write_output(made, {"records": pl.DataFrame({"n": [3]})}, {}).is_whole()


def test_garbage_is_what_the_last_run_did_not_use(made: Output, tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    other = write_output(output(lake, "clean", "k"), {}, {})
    assert collect_garbage(lake, {other.folder}) == 1
    assert (made.folder.exists(), other.folder.exists()) == (False, True)
