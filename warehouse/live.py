"""This module keeps the live set: the raw files a release is made from, and the names they came under."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from warehouse.atomic import write_file
from warehouse.layout import Lake, LakeError

COMMAND_LINE = "command_line"
"""The source of files given on the command line; they stay live by their hash until they are forgotten."""


@dataclass(frozen=True, slots=True, order=True)
class LiveName:
    """One name under which a raw file is live."""

    source: str
    source_path: str
    sha256: str
    size_bytes: int

    @property
    def file_name(self) -> str:
        """The base name."""
        return self.source_path.rsplit("/", 1)[-1]

    def paths(self) -> list[str]:
        """Its path and those of the folders or archives it stands in, innermost first."""
        paths = [self.source_path]
        while "/" in paths[-1]:
            paths.append(paths[-1].rpartition("/")[0])
        return paths


@dataclass(frozen=True, slots=True)
class LiveFile:
    """One live raw file, with the least of its names (by source precedence, then by name)."""

    sha256: str
    source: str
    file_name: str
    source_path: str
    size_bytes: int


def read_live(lake: Lake) -> frozenset[LiveName]:
    """The names that are live now.

    Raises:
        LakeError: the file that holds them is damaged.
    """
    return read_names(lake.live_path)


def read_names(path: Path) -> frozenset[LiveName]:
    """The names in a file that `write_live` wrote; none where there is no file.

    Raises:
        LakeError: the file is damaged.
    """
    if not path.exists():
        return frozenset()
    try:
        return frozenset(LiveName(**row) for row in json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise LakeError(f"{path} is damaged ({error}); restore it, or remove it and run again with all files") from error


def write_live(lake: Lake, names: Iterable[LiveName]) -> None:
    """Replaces the live set, and before it the copy that a run takes where the live set is lost or damaged."""
    rows = ",\n".join(json.dumps(asdict(name), ensure_ascii=False, sort_keys=True) for name in sorted(names))
    for path in (lake.live_copy_path, lake.live_path):
        write_file(path, f"[\n{rows}\n]\n".encode())


def add_names(
    live: frozenset[LiveName], landed: Iterable[LiveName], given: Iterable[tuple[str, str]] = ()
) -> frozenset[LiveName]:
    """The live set after `landed`: in a configured source a file supersedes the one of the same relative name.

    `given` is source and path of the files that landed. A file also supersedes what is live below its path: the members of
    the archive that it was or is, those included that the new one has no more.
    """
    new = set(landed)
    files = {(name.source, name.source_path) for name in new} | set(given)
    superseded = {file for file in files if file[0] != COMMAND_LINE}
    return frozenset({name for name in live if superseded.isdisjoint((name.source, path) for path in name.paths())} | new)


def earlier_contents(
    before: Iterable[LiveName], landed: Iterable[LiveName], given: Iterable[tuple[str, str]] = ()
) -> list[LiveName]:
    """The names of command-line files that were live before with other content than what `landed` has under that name.

    Of an archive in `given` also those that it has no more.
    """
    found = {(name.source_path, name.sha256) for name in landed if name.source == COMMAND_LINE}
    paths = {path for path, _ in found} | {path for source, path in given if source == COMMAND_LINE}
    return sorted(
        name
        for name in before
        if name.source == COMMAND_LINE and (name.source_path, name.sha256) not in found and not paths.isdisjoint(name.paths())
    )


def live_files(live: Iterable[LiveName], precedence: Callable[[str], int]) -> list[LiveFile]:
    """One entry a raw file, sorted by hash; the source of least precedence number, then least name, speaks for it.

    Of several names in that source the one with the least base name, then the least path, stands. A file of the command
    line has no path but its base name, as the folder it was given in must make no difference to a release.
    """
    by_hash: dict[str, list[LiveName]] = {}
    for name in sorted(live):
        by_hash.setdefault(name.sha256, []).append(name)
    files = []
    for sha256, names in sorted(by_hash.items()):
        source = min((precedence(name.source), name.source) for name in names)[1]
        least = min((name for name in names if name.source == source), key=lambda name: (name.file_name, name.source_path))
        path = least.file_name if source == COMMAND_LINE else least.source_path
        files.append(LiveFile(sha256, source, least.file_name, path, least.size_bytes))
    return files


def match_names(live: Iterable[LiveName], given: str) -> set[LiveName]:
    """The live names that `given` means: a source, a path below it (with or without the source), a base name, or a hash.

    A path or base name may be that of an archive or folder, and means all in it. A hash may be its first digits. A file of
    the command line is live by its content, so all its names there are meant together.

    Raises:
        LakeError: it means nothing, or files of different content under one base name or hash prefix.
    """
    names = sorted(live)
    whole_source = {name for name in names if name.source == given}
    if whole_source:
        return whole_source
    meant = _named(names, given.removeprefix("./"))
    if not meant and len(given) >= _LEAST_HASH_DIGITS:
        by_hash = {name for name in names if name.sha256.startswith(given.lower())}
        meant = {name.sha256: {n for n in by_hash if n.sha256 == name.sha256} for name in by_hash}
    if not meant:
        known = ", ".join(sorted({name.source_path for name in names})[:5]) or "nothing"
        raise LakeError(f"'{given}' is no live source, file name or hash; live are: {known}")
    if len({frozenset(name.sha256 for name in found) for found in meant.values()}) > 1:
        choices = ", ".join(sorted(_choice(place, found) for place, found in meant.items()))
        raise LakeError(f"'{given}' means several; name one by its hash, or by source and path: {choices}")
    found = set().union(*meant.values())
    by_content = {name.sha256 for name in found if name.source == COMMAND_LINE}
    return found | {name for name in names if name.source == COMMAND_LINE and name.sha256 in by_content}


_LEAST_HASH_DIGITS = 8


def _named(names: Iterable[LiveName], given: str) -> dict[str, set[LiveName]]:
    """The names at and below each place that has this path, else this base name: by place, for a file with its hash."""
    exact: dict[str, set[LiveName]] = {}
    by_base: dict[str, set[LiveName]] = {}
    for name in names:
        for path in name.paths():
            place = f"{name.source}/{path}"
            if given in (path, place):
                exact.setdefault(place, set()).add(name)
            elif given == path.rpartition("/")[2]:
                by_base.setdefault(place, set()).add(name)
    return _apart(exact or by_base)


def _apart(by_place: Mapping[str, set[LiveName]]) -> dict[str, set[LiveName]]:
    """The places, each content of a file apart: under one name of the command line several may be live."""
    apart: dict[str, set[LiveName]] = {}
    for place, found in by_place.items():
        is_file = all(place == f"{name.source}/{name.source_path}" for name in found)
        for name in found:
            apart.setdefault(f"{place} {name.sha256}" if is_file else place, set()).add(name)
    return apart


def _choice(place: str, found: set[LiveName]) -> str:
    hashes = sorted({name.sha256[:12] for name in found})
    return f"{place} ({len(found)} files)" if len(hashes) > 1 else f"{hashes[0]} ({place.partition(' ')[0]})"
