"""This module publishes releases: a folder built aside, put in place by one rename, and pointed at by one swap."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from transforms.schemas import SCHEMA_VERSION
from warehouse.atomic import TEMPORARY_PREFIX, point_link, rename, sync, temporary_beside, write_file
from warehouse.landing import hash_file
from warehouse.layout import Lake, LakeError, read_release
from warehouse.pins import Pin, note_held, read_pin
from warehouse.publications import note_publication, read_publications, settle_publications
from warehouse.release_files import hash_files, is_sound, note_files, release_id_of


@dataclass(frozen=True, slots=True)
class Published:
    """What publishing came to: the release, whether it is new, whether a pin holds it back, and the rows of each table."""

    release_id: str
    is_new: bool
    row_counts: dict[str, int]
    pin: Pin | None = None


def begin_release(lake: Lake) -> Path:
    """An empty folder to build the next release in; what an unfinished run left is removed when the lock is taken."""
    folder = lake.releases_dir / f"{TEMPORARY_PREFIX}{os.getpid()}-release"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def publish_release(
    lake: Lake, building: Path, row_counts: dict[str, int], facts: Mapping[str, object], readme: Callable[[str], str]
) -> Published:
    """Makes the folder `building` the current release, unless its tables are those of the current one, or a pin holds it.

    The release id is a hash of the tables' bytes. A file that the current release holds byte for byte is hard-linked.
    `facts` (what it was made from) goes into `release.json`, what `readme` gives for the release id into `README.md`.
    A release that is held back stands among the others, to be looked at, and is not current.

    Raises:
        LakeError: the folder holds no table.
    """
    current = lake.current_release()
    if not (files := hash_files(building)):
        raise LakeError(f"{building} holds no table to publish")
    release_id = release_id_of(files)
    is_current = current is not None and current.name == release_id
    if current is not None and is_current and is_sound(lake, current):
        shutil.rmtree(building)
        if not lake.current_link.is_symlink() or lake.current_link.readlink().name != release_id:
            point_link(lake.current_link, f"{lake.releases_dir.name}/{release_id}")
        note_files(lake, current)
        return Published(release_id, False, row_counts)
    settle_publications(lake)  # before there is a new release: a lake of an earlier paperlake has no record yet
    _put_in_place(lake, building, release_id, row_counts, files, facts, readme)
    if not is_current and (pin := read_pin(lake)) is not None:
        note_held(lake, pin, release_id)
        return Published(release_id, True, row_counts, pin)
    point_link(lake.current_link, f"{lake.releases_dir.name}/{release_id}")
    run_id, because = (str(facts[name]) if facts.get(name) else None for name in ("run_id", "because"))
    note_publication(lake, release_id, "published", run_id=run_id, because=because)
    note_files(lake, lake.releases_dir / release_id)
    return Published(release_id, True, row_counts)


def _put_in_place(
    lake: Lake,
    building: Path,
    release_id: str,
    row_counts: dict[str, int],
    files: dict[str, str],
    facts: Mapping[str, object],
    readme: Callable[[str], str],
) -> None:
    """Lets the folder `building` become that of the release, by one rename."""
    current, target = lake.current_release(), lake.releases_dir / release_id
    if target.exists() and is_sound(lake, target):
        # Built before: by a run killed between its rename and its swap, or on the way back to an older live set.
        shutil.rmtree(building)
        return
    _link_unchanged(building, current, files)
    _write_synced(building / "README.md", readme(release_id))
    description = _description(lake, building, release_id, row_counts, files, facts)
    _write_synced(building / "release.json", json.dumps(description, indent=2, ensure_ascii=False) + "\n")
    for folder in (*building.iterdir(), building):
        sync(folder)
    damaged = temporary_beside(target)
    if target.exists():  # damaged since: what was just built takes its place
        rename(target, damaged)
    rename(building, target)
    shutil.rmtree(damaged, ignore_errors=True)


def list_releases(lake: Lake) -> list[dict[str, Any]]:
    """One row a release, that which was current last first; its columns are those of the table `paperlake releases` prints.

    Those that never were current stand at the end: the order is that of what happened, not of the clock.
    `current_at` is when it became current last, null for a release that never was: one that a pin holds back, or that a run
    killed before its end has left. `made_by` is the run that built it. Of a damaged one only its history is told.
    """
    current, pin = lake.current_release(), read_pin(lake)
    publications = read_publications(lake)
    last = {each.release_id: each for each in publications}
    places = {each.release_id: place for place, each in enumerate(publications)}
    rows = []
    for path in lake.releases_dir.glob("r*/release.json"):
        name = path.parent.name
        told = _told_by_description(path.parent)
        became = last.get(name)
        rows.append(
            {
                "release_id": name,
                "is_current": current is not None and current.name == name,
                "is_pinned": pin is not None and pin.release_id == name,
                "published_at": told.pop("published_at"),
                "current_at": became.at if became else None,
                "made_by": told.pop("made_by"),
                "because": became.because if became and told["papers"] is not None else told["because"],
                **{column: value for column, value in told.items() if column != "because"},
            }
        )
    rows.sort(key=lambda row: (row["is_current"], places.get(row["release_id"], -1), row["release_id"]), reverse=True)
    return rows


def _told_by_description(release_dir: Path) -> dict[str, Any]:
    """What the description of a release says for the list of releases; if it is damaged, that it is."""
    try:
        release = read_release(release_dir)
        return {
            "published_at": release["published_at"],
            "made_by": release.get("run_id"),
            "because": release.get("because"),
            **{table: release["tables"][table]["rows"] for table in _COUNTED_TABLES},
            "size_bytes": sum(file["size_bytes"] for file in release["files"]),
        }
    except (LakeError, KeyError, TypeError):
        columns = ("published_at", "made_by", *_COUNTED_TABLES, "size_bytes")
        return {**dict.fromkeys(columns), "because": f"damaged: `paperlake verify {release_dir.name}` says how"}


_COUNTED_TABLES = ("papers", "records", "raw_files")


def last_build(lake: Lake) -> dict[str, Any]:
    """What the last finished run built from which inputs: `inputs_key`, `release_id`, `summary`; empty if none did."""
    try:
        build: dict[str, Any] = json.loads((lake.state_dir / "last_build.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return build if isinstance(build, dict) else {}


def note_build(lake: Lake, inputs_key: str, release_id: str, summary: Mapping[str, object]) -> None:
    """Notes that these inputs gave this release, so that the next run knows there is nothing to do, and what to report."""
    build = {"inputs_key": inputs_key, "release_id": release_id, "summary": dict(summary)}
    write_file(lake.state_dir / "last_build.json", json.dumps(build, indent=2).encode())


def _link_unchanged(building: Path, current: Path | None, files: dict[str, str]) -> None:
    """Puts hard links to the current release's files in the place of equal ones, where the file system has them."""
    if current is None:
        return
    known = {file["path"]: file["sha256"] for file in read_release(current)["files"]}
    for path, sha256 in files.items():
        if known.get(path) != sha256 or not (current / path).is_file() or hash_file(current / path) != sha256:
            continue  # another file, or one that was damaged since: a link would carry the damage on
        link = building / path
        aside = link.with_name(f"{TEMPORARY_PREFIX}{link.name}")
        try:
            os.link(current / path, aside)
        except OSError:
            return  # no hard links here: the copy that was just written is as good
        aside.replace(link)


def _description(
    lake: Lake,
    building: Path,
    release_id: str,
    row_counts: dict[str, int],
    files: dict[str, str],
    facts: Mapping[str, object],
) -> dict[str, object]:
    before = (each.release_id for each in reversed(read_publications(lake)) if each.release_id != release_id)
    return {
        "schema_version": SCHEMA_VERSION,
        "release_id": release_id,
        "previous_release_id": next(before, None),  # of one that is made anew, as it was damaged, not that one itself
        "published_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        **facts,
        "tables": {name: {"rows": rows} for name, rows in sorted(row_counts.items())},
        "files": [
            {"path": path, "sha256": sha256, "size_bytes": (building / path).stat().st_size}
            for path, sha256 in sorted(files.items())
        ],
    }


def _write_synced(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
