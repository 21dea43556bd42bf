"""Releases: content decides the id, and publication is one swap."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from transforms.schemas import SCHEMA_VERSION, TABLES
from warehouse.layout import Lake, LakeError
from warehouse.parquet import write_table
from warehouse.release import begin_release, list_releases, publish_release
from warehouse.verify import Verifier


def build(lake: Lake, *names: str) -> tuple[Path, dict[str, int]]:
    """An unpublished release whose only rows are links with these addresses."""
    from transforms.frames import frame_of

    folder = begin_release(lake)
    frames = {name: frame_of(table) for name, table in TABLES.items()}
    frames["links"] = pl.DataFrame([{"paper_id": "p", "url": n, "kind": "other"} for n in names], schema=frames["links"].schema)
    for name, frame in frames.items():
        write_table(frame, TABLES[name], folder)
    return folder, {name: frame.height for name, frame in frames.items()}


def publish(lake: Lake, *names: str) -> str:
    folder, counts = build(lake, *names)
    return publish_release(lake, folder, counts, {"inputs_key": "x"}, "# release {}\n".format).release_id


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path)
    lake.state_dir.mkdir()
    return lake


def test_current_leads_to_what_was_published_last(lake: Lake) -> None:
    publish(lake, "a")
    second = publish(lake, "b")
    assert lake.require_release().name == second
    assert not Path(lake.current_link.readlink()).is_absolute()
    assert (lake.require_release() / "README.md").read_text() == f"# release {second}\n"


def test_the_same_tables_again_are_no_new_release(lake: Lake) -> None:
    first = publish(lake, "a")
    folder, counts = build(lake, "a")
    again = publish_release(lake, folder, counts, {}, str)
    assert (again.release_id, again.is_new) == (first, False)
    assert len(list_releases(lake)) == 1
    assert not folder.exists()


def test_going_back_to_earlier_content_goes_back_to_its_release(lake: Lake) -> None:
    first = publish(lake, "a")
    publish(lake, "b")
    assert publish(lake, "a") == first
    assert lake.require_release().name == first
    assert len(list_releases(lake)) == 2


def test_a_file_that_did_not_change_is_linked_and_not_copied(lake: Lake) -> None:
    first = lake.releases_dir / publish(lake, "a")
    second = lake.releases_dir / publish(lake, "b")
    assert (first / "papers/papers.parquet").stat().st_ino == (second / "papers/papers.parquet").stat().st_ino
    assert (first / "links/links.parquet").stat().st_ino != (second / "links/links.parquet").stat().st_ino


def gone(release: Path) -> None:
    (release / "release.json").unlink()


def emptied(release: Path) -> None:
    (release / "release.json").write_text("")


def flipped(release: Path) -> None:
    path = release / "links" / "links.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize("is_current", [True, False])
@pytest.mark.parametrize("damage", [gone, emptied, flipped])
def test_a_damaged_release_is_put_in_place_anew_when_it_is_built_again(
    lake: Lake, damage: Callable[[Path], None], is_current: bool
) -> None:
    publish(lake, "a")
    name = publish(lake, "b")
    if not is_current:
        publish(lake, "c")
    elif damage is emptied:
        pytest.skip("nothing is built on a current release that does not say what it is")
    damage(lake.releases_dir / name)
    assert publish(lake, "b") == name
    assert lake.require_release().name == name
    assert Verifier(lake, "").findings(lake.releases_dir / name) == []
    assert sorted(path.name for path in lake.releases_dir.iterdir()) == sorted(row["release_id"] for row in list_releases(lake))


def test_a_damaged_release_is_listed_as_such_beside_the_others(lake: Lake) -> None:
    first, second = publish(lake, "a"), publish(lake, "b")
    for text in ("", "[]", '{"schema_version": 1, "release_id": 1, "published_at": "", "tables": {}, "files": []}'):
        (lake.releases_dir / first / "release.json").write_text(text)
        told = list_releases(lake)
        assert [(row["release_id"], row["papers"], row["because"]) for row in told] == [
            (second, 0, None),
            (first, None, f"damaged: `paperlake verify {first}` says how"),
        ]


def test_a_current_release_without_its_description_is_refused_with_what_to_do(lake: Lake) -> None:
    emptied(lake.releases_dir / publish(lake, "a"))
    with pytest.raises(LakeError, match="take its folder out of the lake"):
        lake.require_release()


def test_a_lake_of_a_newer_paperlake_is_refused_in_a_sentence(lake: Lake) -> None:
    path = lake.releases_dir / publish(lake, "a") / "release.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema_version": SCHEMA_VERSION + 1}))
    with pytest.raises(LakeError, match=r"newer than .* upgrade paperlake"):
        lake.require_release()


def test_an_empty_place_is_no_lake_and_says_what_to_do(lake: Lake) -> None:
    with pytest.raises(LakeError, match="has no release yet: run `paperlake run FILES"):
        lake.require_release()
    with pytest.raises(LakeError, match="there is no lake"):
        Lake(lake.path / "nowhere").require_release()


def test_a_damaged_file_of_the_current_release_is_not_linked_into_the_next(lake: Lake) -> None:
    first = lake.releases_dir / publish(lake, "a")
    (first / "papers/papers.parquet").write_bytes(b"PAR1 damaged PAR1")
    second = lake.releases_dir / publish(lake, "b")
    assert pl.read_parquet(second / "papers/papers.parquet").height == 0


@pytest.mark.parametrize("fault", ["missing", "dangling"])
def test_without_its_pointer_the_release_published_last_is_current_and_the_next_run_points_again(
    lake: Lake, fault: str
) -> None:
    publish(lake, "a")
    second = publish(lake, "b")
    lake.current_link.unlink()
    if fault == "dangling":
        lake.current_link.symlink_to("releases/r0")
    assert lake.require_release().name == second
    assert publish(lake, "b") == second
    assert lake.current_link.resolve().name == second
