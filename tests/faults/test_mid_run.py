"""Damage done while a run is under way, right before one of its steps: it fails in a sentence or heals, and nothing is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.handovers import RunOrder
from flows.pipeline import run_pipeline
from flows.settings import load_settings
from transforms.schemas import PaperlakeError
from warehouse.layout import Lake


def cut(path: Path) -> None:
    path.chmod(0o644)
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


HARM: dict[str, Callable[[Path], None]] = {"cut": cut, "flipped": flip, "removed": remove}


def run_with(pond, step: str, harm: Callable[[], object]) -> str | None:
    """Runs, with `harm` done right before `step`; what the run died of, in a sentence."""
    order = RunOrder(Lake(pond.lake), load_settings(pond.folder / "config"))
    done = []

    def call(function: Callable, *arguments: object):
        if function.__name__ == step and not done:
            done.append(harm())
        return function(*arguments)

    try:
        run_pipeline(order, call, wait_seconds=0)
    except PaperlakeError as error:
        assert done, f"there is no step {step}"
        return str(error)
    assert done, f"there is no step {step}"
    return None


@pytest.fixture
def running(pond, tmp_path: Path):
    copy = pond.copy(tmp_path / "pond")
    copy.add()
    return copy


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize(("stage", "step"), [("stage", "clean"), ("stage", "merge"), ("clean", "match"), ("clean", "merge")])
def test_outputs_of_a_stage_that_are_damaged_are_made_anew_in_the_same_run(
    running, added, stage: str, step: str, harm: str
) -> None:
    def damage() -> None:
        for path in (running.lake / "work" / stage).glob("*/records.parquet"):
            HARM[harm](path)

    assert run_with(running, step, damage) is None
    running.assert_same(added)
    assert running.run()["outcome"] == "nothing new"


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("name", ["pairs.parquet", "clusters.parquet", "facts.json"])
def test_damaged_outputs_of_matching_are_made_anew(running, added, name: str, harm: str) -> None:
    def damage() -> None:
        for path in (running.lake / "work" / "match").glob(f"*/{name}"):
            HARM[harm](path)

    run_with(running, "merge", damage)
    running.run()
    running.assert_same(added)


@pytest.mark.parametrize("harm", HARM)
def test_outputs_that_are_damaged_between_two_runs_are_made_anew(running, added, harm: str) -> None:
    for path in (running.lake / "work").glob("*/*/*.parquet"):
        HARM[harm](path)
    running.run()
    running.assert_same(added)


@pytest.mark.parametrize("harm", HARM)
def test_a_raw_file_that_is_damaged_before_it_is_read_stops_the_run_and_the_next_lands_it_again(
    running, added, whole, harm: str
) -> None:
    known = set((running.lake / "raw").glob("*/*"))

    def damage() -> None:
        for path in set((running.lake / "raw").glob("*/*")) - known:
            HARM[harm](path)

    error = run_with(running, "stage", damage)
    assert error is not None
    assert "the lake's copy of" in error
    whole.assert_whole(running.lake)
    while "the lake's copy of" in str(running.run(code=None)):  # one file a run is found; each is landed again then
        whole.assert_whole(running.lake)
    running.assert_same(added)


@pytest.mark.parametrize("step", ["clean", "match", "merge", "check", "publish"])
def test_what_people_do_to_sources_and_state_while_a_run_works_is_for_the_next(running, added, step: str) -> None:
    def damage() -> None:
        shutil.move(running.lists / "more.csv", running.folder / "more.csv")
        (running.lake / "current").unlink()
        (running.lake / "state" / "last_build.json").unlink()

    assert run_with(running, step, damage) is None
    running.assert_same(added)


@pytest.mark.parametrize("step", ["match", "merge", "check", "publish"])
def test_the_current_release_is_damaged_while_the_next_is_built(running, added, step: str) -> None:
    def damage() -> None:
        for table in ("records", "papers", "paper_aliases"):
            path = running.release() / table / f"{table}.parquet"
            content = path.read_bytes()
            path.unlink()
            path.write_bytes(content[:-9])

    run_with(running, step, damage)
    running.run()
    running.assert_same(added)


SOURCE_HARM: dict[str, Callable[[Path], object]] = {
    "vanishes": Path.unlink,
    "is cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "is emptied": lambda path: os.truncate(path, 0),
    "grows": lambda path: path.write_text(path.read_text() + 'z,Later,"Bo, Al",2002,,\n'),
    "becomes a folder": lambda path: (path.unlink(), path.mkdir()),
    "becomes a fifo": lambda path: (path.unlink(), os.mkfifo(path)),
    "cannot be read": lambda path: (path.unlink(), path.symlink_to("/proc/self/mem")),
    "may not be read": lambda path: path.chmod(0),
}


@pytest.mark.parametrize("harm", SOURCE_HARM)
def test_a_source_file_that_changes_between_its_listing_and_its_reading_harms_nothing(
    running, added, whole, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows import landing_step

    if harm == "may not be read" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    path, listed, done = running.lists / "more.csv", landing_step.find_incoming, []
    kept = path.read_bytes()

    def list_and_harm(*arguments: object, **options: object) -> object:
        found = listed(*arguments, **options)
        if not done:
            done.append(SOURCE_HARM[harm](path))
        return found

    monkeypatch.setattr(landing_step, "find_incoming", list_and_harm)
    running.run(code=None)
    assert done
    whole.assert_whole(running.lake)
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.write_bytes(kept)
    running.run("--accept", "club")
    whole.assert_whole(running.lake)
    found = whole.tables(running.lake, without=whole.OF_HISTORY)  # a paper that stood there for one run is an alias now
    assert found == {name: digest for name, digest in added.items() if whole.OF_HISTORY not in name}
