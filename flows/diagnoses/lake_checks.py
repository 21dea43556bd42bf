"""This module looks at a lake for `paperlake doctor`: what one may do there, the room it has, and hints of damage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from flows.commands.amounts import size_in_words
from flows.diagnoses.diagnosis import Finding, fail, found, ok, warn
from warehouse.decisions import read_decisions
from warehouse.disk_use import disk_use
from warehouse.lake_probe import Abilities, file_system_of, is_on_network, lost_raw_files, not_writable, space_left, try_folder
from warehouse.layout import Lake, read_release
from warehouse.live import read_live
from warehouse.lock_state import lock_state
from warehouse.pins import read_pin
from warehouse.publications import read_publications

_LEAST_FREE_BYTES = 2_000_000_000
"""What a first run should have: the 116,763 records of the benchmark make a lake of 0.35 GB from 0.04 GB of raw files."""

_LEAST_FREE_FILES = 10_000
_NAMED = 5


def check_lake(lake: Lake) -> Iterator[Finding]:
    """All that there is to look at in a lake, or of the place where one is to be."""
    place = _nearest(lake.path)
    is_there = lake.state_dir.is_dir()
    if is_there:
        yield ok("lake", str(lake.path.absolute()))
    elif lake.path.exists() and not lake.path.is_dir():
        yield fail("lake", f"{lake.path.absolute()} is a file", "name a folder with --lake, or PAPERLAKE_LAKE")
        return
    else:
        yield ok("lake", f"none yet at {lake.path.absolute()}: the first run makes it")
    yield from found("permissions", lambda: _check_abilities(lake, place, is_there=is_there))
    yield from found("space", lambda: _check_space(lake, place))
    if is_there:
        yield from found("lock", lambda: _check_lock(lake))
        yield from found("state", lambda: _check_state(lake))
        yield from found("release", lambda: _check_release(lake))


def _nearest(path: Path) -> Path:
    """The path, or the innermost of the folders above it that is there."""
    absolute = path.absolute()
    return next(each for each in (absolute, *absolute.parents) if each.is_dir())


def _check_abilities(lake: Lake, place: Path, *, is_there: bool) -> Iterator[Finding]:
    can = try_folder(place)
    if can.write is not None:
        what = "reading works, a run does not" if is_there else "the lake cannot be made there"
        yield (warn if is_there else fail)(
            "permissions", f"{place} cannot be written to ({can.write}): {what}", "run as the user that owns the lake"
        )
    else:
        closed = not_writable(lake) if is_there else []
        if closed:
            listed = ", ".join(closed[:_NAMED]) + (f" and {len(closed) - _NAMED} more" if len(closed) > _NAMED else "")
            yield fail(
                "permissions",
                f"of the lake, {listed} cannot be written to",
                "give the lake to the one user that runs paperlake (chown -R)",
            )
        else:
            yield ok("permissions", f"{place} can be written to")
        yield from _check_file_system(can)
    kind = file_system_of(place)
    if kind is not None and is_on_network(kind):
        yield warn(
            "file system",
            f"{kind}: its locks may not hold between machines",
            "let one machine alone run paperlake on this lake, or keep the lake on a disk of its own",
        )
    elif kind is not None:
        yield ok("file system", kind)


def _check_file_system(can: Abilities) -> Iterator[Finding]:
    """What the file system of the lake can do, where it cannot all."""
    elsewhere = "keep the lake on a file system of this system's own, as ext4, xfs or APFS"
    if can.rename is not None:
        yield fail("file system", f"files cannot be renamed ({can.rename}): nothing can be published", elsewhere)
    if can.symbolic_link is not None:
        yield fail("file system", f"there are no symbolic links ({can.symbolic_link}): nothing can be published", elsewhere)
    if can.lock is not None:
        yield fail("file system", f"there are no locks ({can.lock}): two runs at once would not see each other", elsewhere)
    if can.hard_link is not None:
        yield warn("file system", f"there are no hard links ({can.hard_link}): each release takes its full size", elsewhere)
    if not can.tells_case:
        yield ok("file system", "capital and small letters are one; nothing in a lake depends on it")


def _check_space(lake: Lake, place: Path) -> Iterator[Finding]:
    """The room there is, against what a run takes: another release, and work outputs that are made anew beside the old."""
    free_bytes, free_files = space_left(place)
    used = {area.area: area.disk_bytes for area in disk_use(lake)}
    current = lake.current_release()
    release_bytes = sum(path.stat().st_size for path in current.rglob("*") if path.is_file()) if current else 0
    needed = 2 * release_bytes + used["work"] if release_bytes else _LEAST_FREE_BYTES
    said = f"{size_in_words(free_bytes)} left; a run over everything anew may take {size_in_words(needed)}"
    do = "free some: `paperlake status` says what can go"
    if free_bytes < release_bytes:
        yield fail("space", f"{said}, and the current release alone has {size_in_words(release_bytes)}", do)
    elif free_bytes < needed:
        yield warn("space", said, do)
    else:
        yield ok("space", said)
    if free_files is not None and free_files < _LEAST_FREE_FILES:
        yield warn("space", f"the disk has room for {free_files:,} more files", "remove some of the many files on it")


def _check_lock(lake: Lake) -> Iterator[Finding]:
    state = lock_state(lake)
    if state.is_held and state.is_alive is False:
        yield warn("lock", state.described(), "look for a process that it started and that lives on, and end it")
    elif not state.is_held and state.pid is not None:
        yield warn("lock", state.described(), "look for what killed it (memory? a time limit?), then run again")
    else:
        yield ok("lock", state.described())


def _check_state(lake: Lake) -> Iterator[Finding]:
    """What people and runs have written down: the live set, the pin, the publications, the decisions."""
    pin, decisions = read_pin(lake), read_decisions(lake)
    read_publications(lake)
    live = read_live(lake)
    lost = lost_raw_files(lake, {name.sha256: name.size_bytes for name in live})
    if lost:
        listed = ", ".join(sha256[:12] for sha256 in lost[:_NAMED]) + (", …" if len(lost) > _NAMED else "")
        yield fail(
            "raw files",
            f"{len(lost)} of the live ones are missing or of another size: {listed}",
            "run again with --rehash and the original files, or `paperlake forget` them",
        )
    else:
        count = len({name.sha256 for name in live})
        yield ok("raw files", f"{count:,} live, all there (`paperlake verify --raw` looks into them)")
    if pin is not None:
        yield warn("pin", pin.described(), "`paperlake unpin` lets runs publish again")
    yield ok("decisions", f"{len(decisions):,} of people")


def _check_release(lake: Lake) -> Iterator[Finding]:
    folder = lake.current_release()
    if folder is None:
        yield warn("release", "none is published yet", "`paperlake run FILES`")
        return
    told = {file["path"]: file["size_bytes"] for file in read_release(folder)["files"]}
    amiss = [path for path, size in told.items() if not (folder / path).is_file() or (folder / path).stat().st_size != size]
    if amiss:
        yield fail(
            "release",
            f"{folder.name}: {', '.join(sorted(amiss)[:_NAMED])}: missing, or of another size than was written",
            "`paperlake verify` says all of it; `paperlake rollback previous` goes back to a whole one",
        )
    else:
        yield ok("release", f"{folder.name}: {len(told)} files of the right size (`paperlake verify` looks into them)")
