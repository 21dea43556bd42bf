"""This module keeps the live set: the raw files a release is made from, and the names they came under."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

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
    path = lake.live_path
    if not path.exists():
        return frozenset()
    try:
        return frozenset(LiveName(**row) for row in json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise LakeError(f"{path} is damaged ({error}); restore it, or remove it and run again with all files") from error


def write_live(lake: Lake, names: Iterable[LiveName]) -> None:
    """Replaces the live set."""
    rows = ",\n".join(json.dumps(asdict(name), ensure_ascii=False, sort_keys=True) for name in sorted(names))
    write_file(lake.live_path, f"[\n{rows}\n]\n".encode())


def add_names(live: frozenset[LiveName], landed: Iterable[LiveName]) -> frozenset[LiveName]:
    """The live set after `landed`: in a configured source a file supersedes the one of the same relative name."""
    new = set(landed)
    superseded = {(name.source, name.source_path) for name in new if name.source != COMMAND_LINE}
    return frozenset({name for name in live if (name.source, name.source_path) not in superseded} | new)


def earlier_contents(before: Iterable[LiveName], landed: Iterable[LiveName]) -> list[LiveName]:
    """The names of command-line files that were live before with other content than what `landed` has under that name."""
    given = {(name.source_path, name.sha256) for name in landed if name.source == COMMAND_LINE}
    paths = {path for path, _ in given}
    return sorted(
        name
        for name in before
        if name.source == COMMAND_LINE and name.source_path in paths and (name.source_path, name.sha256) not in given
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
    """The live names that `given` means: a source, a path below its source, a base name, or the first digits of a hash.

    A file of the command line is live by its content, so all its names there are meant together.

    Raises:
        LakeError: it means nothing, or files of different content under one base name or hash prefix.
    """
    names = sorted(live)
    whole_source = {name for name in names if name.source == given}
    if whole_source:
        return whole_source
    below = given.removeprefix("./")
    found = {name for name in names if name.source_path == below} or {name for name in names if name.file_name == given}
    if not found and len(given) >= _LEAST_HASH_DIGITS:
        found = {name for name in names if name.sha256.startswith(given.lower())}
    if not found:
        known = ", ".join(sorted({name.source_path for name in names})[:5]) or "nothing"
        raise LakeError(f"'{given}' is no live source, file name or hash; live are: {known}")
    if len({name.sha256 for name in found}) > 1:
        choices = ", ".join(f"{name.sha256[:12]} ({name.source}/{name.source_path})" for name in sorted(found))
        raise LakeError(f"'{given}' means several files; name one by its hash: {choices}")
    by_content = {name.sha256 for name in found if name.source == COMMAND_LINE}
    return found | {name for name in names if name.source == COMMAND_LINE and name.sha256 in by_content}


_LEAST_HASH_DIGITS = 8
