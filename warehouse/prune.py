"""This module removes old releases, and leaves alone what anybody may still need: readers, a pin, ids that must resolve."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from warehouse.atomic import remove_leftovers
from warehouse.layout import Lake
from warehouse.pins import read_pin
from warehouse.publications import not_taken_in, read_publications
from warehouse.reader_lock import no_reader, remove_unless_held

_IN_USE = "in use: a reader holds it; run again later"


@dataclass(frozen=True, slots=True)
class Pruned:
    """One release, whether it stays, and why. `freed_bytes` counts only files that no release that stays shares."""

    release_id: str
    stays: bool
    why: str
    freed_bytes: int = 0


def prune_releases(lake: Lake, keep: int, *, grace_seconds: float, dry_run: bool = False) -> list[Pruned]:
    """Removes all releases but the `keep` that were current last, and those that must stay; says what became of each.

    Call it while holding the lock. A release goes by a rename first: killed, the next run or prune removes the rest.
    """
    current = lake.require_release()
    if not dry_run:
        remove_leftovers(lake.releases_dir)
    reasons = _reasons_to_stay(lake, current, keep, grace_seconds)
    told = [_judge(folder, reasons) for folder in _newest_first(lake)]
    told = _with_freed_bytes(lake, told)
    if not dry_run:
        told = [each if each.stays else _remove(lake, each) for each in told]
    return told


def prunable(lake: Lake, keep: int, *, grace_seconds: float) -> list[Pruned]:
    """What `prune_releases` would say if nobody read a release; it asks for no lock, so it is in no reader's way."""
    current = lake.current_release()
    if current is None:
        return []
    reasons = _reasons_to_stay(lake, current, keep, grace_seconds)
    folders = _newest_first(lake)
    told = [Pruned(folder.name, folder.name in reasons, reasons.get(folder.name, "old")) for folder in folders]
    return _with_freed_bytes(lake, told)


def _reasons_to_stay(lake: Lake, current: Path, keep: int, grace_seconds: float) -> Mapping[str, str]:
    pin = read_pin(lake)
    now = datetime.now(UTC)
    publications = read_publications(lake)
    ended = {before.release_id: after.moment for before, after in pairwise(publications)}
    was_current = {each.release_id for each in publications}
    newest = [folder.name for folder in _newest_first(lake) if folder.name in was_current][:keep]
    within = [name for name, at in ended.items() if (now - at).total_seconds() < grace_seconds]
    reasons = dict.fromkeys(newest, f"one of the {keep} newest")
    reasons |= dict.fromkeys(within, f"was current within {grace_seconds:g} s: its readers have time to finish")
    reasons |= dict.fromkeys(not_taken_in(lake), "rolled back: the next release has yet to learn where its paper ids lead")
    if pin is not None:
        reasons |= {pin.release_id: "pinned"} | ({pin.held: "held back by the pin"} if pin.held else {})
    return reasons | {current.name: "current"}


def _newest_first(lake: Lake) -> list[Path]:
    """The folders of the releases, that which was current last first; at the end those that never were."""
    last = {each.release_id: place for place, each in enumerate(read_publications(lake))}
    folders = [folder for folder in lake.releases_dir.glob("r*") if folder.is_dir() and not folder.is_symlink()]
    return sorted(folders, key=lambda folder: (last.get(folder.name, -1), folder.name), reverse=True)


def _judge(folder: Path, reasons: Mapping[str, str]) -> Pruned:
    if (why := reasons.get(folder.name)) is not None:
        return Pruned(folder.name, True, why)
    with no_reader(folder) as is_free:
        if not is_free:
            return Pruned(folder.name, True, _IN_USE)
    return Pruned(folder.name, False, "old")


def _with_freed_bytes(lake: Lake, told: Sequence[Pruned]) -> list[Pruned]:
    """The same with the bytes that go with each release, from the oldest: a file goes with the last of its links."""
    gone, freed = Counter[tuple[int, int]](), {}
    for each in reversed([each for each in told if not each.stays]):
        freed[each.release_id] = 0
        for stat in _stats(lake.releases_dir / each.release_id):
            gone[stat.st_dev, stat.st_ino] += 1
            if gone[stat.st_dev, stat.st_ino] == stat.st_nlink:
                freed[each.release_id] += stat.st_size
    return [replace(each, freed_bytes=freed.get(each.release_id, 0)) for each in told]


def _stats(folder: Path) -> list[os.stat_result]:
    return [path.lstat() for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]


def _remove(lake: Lake, each: Pruned) -> Pruned:
    if remove_unless_held(lake.releases_dir / each.release_id):
        return each
    return Pruned(each.release_id, True, _IN_USE)  # since it was looked at
