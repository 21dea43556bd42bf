"""This module rolls back to an earlier release, and pins it: runs go on to build and check, but do not publish.

`state/pin.json` is written before the pointer moves, so that whatever was killed, no run publishes again what a person has
rolled back; `is_done` says whether the rollback came to its end, which the next command that holds the lock brings about.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from warehouse.atomic import point_link, remove_file, write_file
from warehouse.layout import Lake, LakeError
from warehouse.publications import RELEASE_ID, note_publication, pointed_at, read_publications, settle_publications
from warehouse.reader_lock import remove_unless_held


@dataclass(frozen=True, slots=True)
class Pin:
    """The release that stays current, since when and why, and the releases that were rolled back.

    `held` is the release that a run has built since and that the pin holds back.
    """

    release_id: str
    rolled_back: tuple[str, ...]
    because: str
    at: str
    is_done: bool = False
    held: str | None = None

    def described(self) -> str:
        """The pin in words, for messages."""
        return f"release {self.release_id} is pinned since {self.at[:16].replace('T', ' ')} UTC (because: {self.because})"


def read_pin(lake: Lake) -> Pin | None:
    """The pin of the lake, or None.

    Raises:
        LakeError: the file is damaged.
    """
    path = lake.pin_path
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        return _checked(Pin(**{**row, "rolled_back": tuple(row["rolled_back"])}))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise LakeError(
            f"{path} is damaged ({error}): nothing is published; remove it, and pin a release anew with `paperlake rollback`"
        ) from error


def _checked(pin: Pin) -> Pin:
    """The same pin, which names releases by their ids, and says when and why.

    Raises:
        ValueError: it does not.
    """
    for name in (pin.release_id, *pin.rolled_back, *([] if pin.held is None else [pin.held])):
        if RELEASE_ID.fullmatch(str(name)) is None:
            raise ValueError(f"{name!r} is no release id")
    datetime.fromisoformat(pin.at)
    return pin


def roll_back(lake: Lake, release_id: str, because: str) -> Pin:
    """Makes a release current and pins it; gives the pin. Call it while holding the lock."""
    current = lake.require_release()
    before = read_pin(lake)
    rolled_back = [*(before.rolled_back if before else ()), *([current.name] if current.name != release_id else [])]
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    pin = Pin(
        release_id,
        tuple(each for each in dict.fromkeys(rolled_back) if each != release_id),
        because,
        at,
        held=before.held if before and before.held != release_id else None,
    )
    settle_publications(lake)
    _write(lake, pin)
    finish_rollback(lake)
    return dataclasses.replace(pin, is_done=True)


def finish_rollback(lake: Lake) -> bool:
    """Brings a rollback to its end that was killed; whether there was one. Call it while holding the lock."""
    pin = read_pin(lake)
    if pin is None or pin.is_done:
        return False
    from warehouse.catalog import build_catalog  # here: most runs have nothing to finish

    if not (lake.releases_dir / pin.release_id / "release.json").is_file():
        raise LakeError(
            f"a rollback to {pin.release_id} was begun, and that release is gone; remove {lake.pin_path}, and roll back anew"
        )
    current = pointed_at(lake)
    if current is None or current.name != pin.release_id:
        point_link(lake.current_link, f"{lake.releases_dir.name}/{pin.release_id}")
    note_publication(lake, pin.release_id, "rolled_back", because=pin.because)
    build_catalog(lake.path, lake.releases_dir / pin.release_id)
    _write(lake, dataclasses.replace(pin, is_done=True))
    return True


def unpin(lake: Lake) -> Pin | None:
    """Takes the pin away, so that the next run publishes; gives what it was. Call it while holding the lock."""
    finish_rollback(lake)
    pin = read_pin(lake)
    if pin is not None:
        remove_file(lake.pin_path)
    return pin


def note_held(lake: Lake, pin: Pin, release_id: str) -> None:
    """Notes which release the pin holds back now; the one held before goes, if it never was current and nobody reads it."""
    _write(lake, dataclasses.replace(pin, held=release_id))
    if pin.held in (None, release_id) or pin.held in {each.release_id for each in read_publications(lake)}:
        return
    if (folder := lake.releases_dir / str(pin.held)).is_dir():
        remove_unless_held(folder)


def is_held(lake: Lake, release_id: object) -> Pin | None:
    """The pin, if it holds back this release, which is there."""
    pin = read_pin(lake)
    if pin is None or release_id not in (pin.held, *pin.rolled_back):
        return None
    return pin if Path(lake.releases_dir / str(release_id) / "release.json").is_file() else None


def _write(lake: Lake, pin: Pin) -> None:
    write_file(lake.pin_path, json.dumps(dataclasses.asdict(pin), indent=2, ensure_ascii=False).encode() + b"\n")
