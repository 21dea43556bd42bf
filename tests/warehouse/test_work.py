"""Work outputs: made once, and made again when damaged."""

from pathlib import Path

import polars as pl
import pytest

from warehouse.layout import Lake
from warehouse.work import DamagedOutputError, Output, collect_garbage, drop_damaged, output, work_key
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


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_a_flipped_bit_anywhere_in_a_frame_is_found_when_it_is_read_and_the_output_counts_as_gone(made: Output) -> None:
    content = made.path("records").read_bytes()
    description = (made.folder / "facts.json").read_bytes()
    for place in range(len(content)):
        flip(made.path("records"), place)
        with pytest.raises(DamagedOutputError, match="run again, and it is made anew"):
            made.read("records", ["n"])
        assert not made.is_whole()
        made.path("records").write_bytes(content)
        (made.folder / "facts.json").write_bytes(description)
    assert made.read("records")["n"].to_list() == [1, 2]


def test_a_flipped_bit_anywhere_in_the_facts_makes_an_output_not_whole(made: Output) -> None:
    path = made.folder / "facts.json"
    content = path.read_bytes()
    for place in range(len(content) - 1):
        flip(path, place)
        assert not made.is_whole()
        path.write_bytes(content)
    assert made.is_whole()


def test_damaged_outputs_are_dropped_at_once_and_sound_ones_stay(made: Output, tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    other = write_output(output(lake, "clean", "k"), {"records": pl.DataFrame({"n": [3]})}, {})
    flip(made.path("records"), made.path("records").stat().st_size // 2)
    assert made.is_whole()
    assert drop_damaged(lake) == 1
    assert (made.is_whole(), other.is_whole()) == (False, True)
