"""This module finds the live raw files that a replay is to read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from flows.settings import ConfigError
from warehouse.layout import Lake, LakeError
from warehouse.live import LiveName, match_names, read_live
from warehouse.names import did_you_mean

_FILES_SQL = """
    -- One row a raw file of the release: how it was read, and its rejects by reason.
    with
    refused as (
        select file_sha256, reason, count(*) as rejects
        from rejects
        group by file_sha256, reason
    ),
    refused_by_file as (
        select file_sha256, list(reason) as reasons, list(rejects) as counts
        from refused
        group by file_sha256
    )
    select f.file_sha256, f.reader, l.records_clean, coalesce(r.reasons, []), coalesce(r.counts, [])
    from raw_files f
    left join ledger l using (file_sha256)
    left join refused_by_file r using (file_sha256)
    order by f.file_sha256
"""


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """Which raw files are meant; what is given narrows what else is given. `names` are those that `paperlake forget` takes."""

    names: tuple[str, ...] = ()
    rejects: str | None = None
    source: str | None = None
    reader: str | None = None
    all: bool = False


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """One live raw file to read again, and what the release says of it: nothing of one that landed since."""

    sha256: str
    source: str
    source_path: str
    size_bytes: int
    reader: str | None
    records: int | None
    rejects: int | None
    rejects_meant: int | None
    is_in_raw: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """The files to read again, by their path, and how many files with such rejects are not live any more."""

    files: tuple[ReplayFile, ...]
    forgotten_count: int = 0

    @property
    def hashes(self) -> frozenset[str]:
        """The files by their hash."""
        return frozenset(file.sha256 for file in self.files)


@dataclass(frozen=True, slots=True)
class _Read:
    """What the release says of a raw file."""

    reader: str | None
    records: int
    reasons: Counter[str]


def select_files(lake: Lake, lake_path: Path | None, release_id: str, request: ReplayRequest) -> Selection:
    """The live raw files that are meant, with what the release says of them.

    Raises:
        ConfigError: nothing is said of which files, a reason, reader or source is unknown, or no file is all that was said.
        LakeError: a name means no live file, or no file that is meant is live any more.
    """
    _require_choice(request)
    live, read = read_live(lake), _files_of(lake_path, release_id)
    hashes = {name.sha256 for name in live}
    if request.names:
        hashes &= {name.sha256 for given in request.names for name in match_names(live, given)}
    if request.source is not None:
        hashes &= _of_source(live, request.source)
    if request.reader is not None:
        hashes &= _of_reader(read, request.reader)
    forgotten = set[str]()
    if request.rejects is not None:
        refused = _of_reason(read, request.rejects)
        forgotten = refused - {name.sha256 for name in live}
        hashes &= refused
        if forgotten == refused:
            raise LakeError(
                f"no file with rejects of {request.rejects} is live any more ({len(forgotten)} forgotten), so none is read "
                "again; `paperlake run FILE` takes one in anew"
            )
    if not hashes:
        raise ConfigError("no live file is all that was asked for; leave a condition out, or see `paperlake ledger`")
    return Selection(tuple(_described(lake, live, read, hashes, request.rejects)), len(forgotten))


def _require_choice(request: ReplayRequest) -> None:
    """Checks that it was said which files are meant."""
    conditions = (request.names, request.rejects, request.source, request.reader)
    if not request.all and not any(each not in ((), None) for each in conditions):
        raise ConfigError("say what is to be read again: FILES, --rejects REASON, --source NAME, --reader NAME, or --all")
    if request.all and any(each not in ((), None) for each in conditions):
        raise ConfigError("--all means every live file; leave it out, or leave FILES, --rejects, --source and --reader out")


def _files_of(lake_path: Path | None, release_id: str) -> dict[str, _Read]:
    """What the release says of each raw file, by its hash."""
    from flows.commands.read_commands import answer

    with answer(_FILES_SQL, lake_path, at=release_id, caps_memory=False) as result:  # a run is to follow in this process
        return {
            str(sha256): _Read(reader, records or 0, Counter(dict(zip(reasons, counts, strict=True))))  # type: ignore[arg-type, call-overload]
            for sha256, reader, records, reasons, counts in result.rows()
        }


def _of_source(live: Iterable[LiveName], source: str) -> set[str]:
    names = Counter(name.source for name in live)
    if source not in names:
        raise ConfigError(f"--source {source}: no file of such a source is live. {_instead(source, names, 'file')}")
    return {name.sha256 for name in live if name.source == source}


def _of_reader(read: dict[str, _Read], reader: str) -> set[str]:
    readers = Counter(file.reader for file in read.values() if file.reader is not None)
    if reader not in readers:
        raise ConfigError(f"--reader {reader}: no file of the release was read by it. {_instead(reader, readers, 'file')}")
    return {sha256 for sha256, file in read.items() if file.reader == reader}


def _of_reason(read: dict[str, _Read], reason: str) -> set[str]:
    reasons = sum((file.reasons for file in read.values()), Counter[str]())
    if not reasons:
        raise ConfigError(f"--rejects {reason}: the release has no rejects, so there is nothing to read again")
    if reason not in reasons:
        raise ConfigError(
            f"--rejects {reason}: the release has no reject with this reason. {_instead(reason, reasons, 'reject')}"
        )
    return {sha256 for sha256, file in read.items() if file.reasons[reason]}


def _instead(given: str, known: Counter[str], thing: str) -> str:
    """What there is in the place of what was asked for, most first.

    >>> _instead("ragged_rows", Counter(broken_json=1, ragged_row=3), "reject")
    "Did you mean 'ragged_row'? There are: ragged_row (3 rejects), broken_json (1 reject)."
    """
    counted = sorted(known.items(), key=lambda entry: (-entry[1], entry[0]))
    listed = ", ".join(f"{name} ({count} {thing}{'' if count == 1 else 's'})" for name, count in counted)
    there_are = f"There are: {listed or 'none'}."
    hint = did_you_mean(given, known, there_are)
    return there_are if hint == there_are else f"{hint} {there_are}"


def _described(
    lake: Lake, live: Iterable[LiveName], read: dict[str, _Read], hashes: set[str], reason: str | None
) -> list[ReplayFile]:
    """The files by their path; one that is live under several names stands under the least of them."""
    least: dict[str, LiveName] = {}
    for name in sorted(live):
        if name.sha256 in hashes:
            least.setdefault(name.sha256, name)
    files = []
    for sha256, name in sorted(least.items(), key=lambda entry: entry[1]):
        told = read.get(sha256)
        counts: tuple[str | None, int | None, int | None, int | None] = (None, None, None, None)
        if told is not None:
            counts = (told.reader, told.records, told.reasons.total(), told.reasons[reason] if reason else None)
        files.append(ReplayFile(sha256, name.source, name.source_path, name.size_bytes, *counts, _is_in_raw(lake, name)))
    return files


def _is_in_raw(lake: Lake, name: LiveName) -> bool:
    """Whether the raw file is there, with its size; whether it is intact is looked at when it is read."""
    path = lake.raw_path(name.sha256)
    return path.is_file() and path.stat().st_size == name.size_bytes
