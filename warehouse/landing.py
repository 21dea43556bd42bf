"""This module lands files: copies them unchanged into the lake under their SHA-256, once each."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from transforms.schemas import PaperlakeError
from warehouse.atomic import rename, sync, temporary_beside
from warehouse.layout import Lake
from warehouse.live import COMMAND_LINE, LiveName
from warehouse.names import unicode_name
from warehouse.stat_cache import Part, StatCache, stat_key
from warehouse.unpacking import UnpackError, UnpackLimits

_CHUNK_BYTES = 1 << 20


class LandError(PaperlakeError):
    """A file that cannot be landed: missing, unreadable, no regular file, too large, or changing while it is read."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file to land: where it stands, its source, and its path below the source's folder."""

    path: Path
    source: str
    source_path: str


@dataclass(frozen=True, slots=True)
class Landed:
    """What landing found: the names, and how many files were copied, or known by size, mtime and inode and not opened.

    `given` is source and path of every file that was there; an archive has its names below that path. `failed` says of a
    configured source why one of its files could not be landed; nothing of that source is among the names then.
    """

    names: tuple[LiveName, ...]
    copied_count: int
    unopened_count: int
    given: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)


def find_files(given: Path, lake: Lake) -> list[tuple[Path, str]]:
    """The regular files at `given`, each with its path below it (its base name for a file), sorted.

    Folders are searched through; hidden entries, symbolic links inside them, special files and the lake itself are left
    out. A file or folder named itself may be a link. A name is written as `warehouse.names.unicode_name` does.

    Raises:
        LandError: nothing is there, it is neither a file nor a folder, lies inside the lake, or cannot be searched.
    """
    return search(given, lake).files


@dataclass(frozen=True, slots=True)
class Search:
    """The files found at a path, and how many entries that are not hidden were left out, by kind: link, special."""

    files: list[tuple[Path, str]]
    left_out: Counter[str] = field(default_factory=Counter)


def search(given: Path, lake: Lake) -> Search:
    """What `find_files` gives, and what was left out of it.

    Raises:
        LandError: as `find_files` says.
    """
    require_path(given)
    own = lake.path.resolve()
    if given.resolve().is_relative_to(own):
        raise LandError(f"{given}: lies inside the lake {lake.path}; a lake is not made of its own files")
    if not given.is_dir():
        return Search([(given, unicode_name(given.name))])
    found = Search([])
    for folder, folders, names in os.walk(given, onerror=_raise_unsearchable):
        found.left_out["link"] += sum(name[0] != "." and Path(folder, name).is_symlink() for name in folders)
        folders[:] = sorted(name for name in folders if name[0] != "." and Path(folder, name).resolve() != own)
        for path in (Path(folder, name) for name in sorted(names) if name[0] != "."):
            if (kind := _kind(path)) == "file":
                found.files.append((path, unicode_name(path.relative_to(given).as_posix())))
            elif kind:
                found.left_out[kind] += 1
    return found


def _kind(path: Path) -> str | None:
    """What an entry of a folder is; None where it has gone since the folder was listed."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return "file" if stat.S_ISREG(mode) else "link" if stat.S_ISLNK(mode) else "special"


def _raise_unsearchable(error: OSError) -> None:
    raise LandError(f"{error.filename}: cannot be searched: {error.strerror}") from error


def require_path(given: Path) -> None:
    """Checks that a path given leads to a file or folder.

    Raises:
        LandError: it does not.
    """
    if not given.exists():
        hint = "; an address is fetched as a source: give it a block in sources.toml" if _ADDRESS.match(str(given)) else ""
        raise LandError(f"{given}: no such file or folder{hint}")
    if not given.is_dir() and not given.is_file():
        raise LandError(f"{given}: neither a file nor a folder")


_ADDRESS = re.compile(r"https?:/")


def land_files(
    lake: Lake,
    incoming: Iterable[Incoming],
    *,
    max_bytes: int,
    limits: UnpackLimits = UnpackLimits(),  # noqa: B008 - frozen
    rehash: bool = False,
) -> Landed:
    """Lands files and says under which hash each lies; a file known by its stat is not opened unless `rehash`.

    An archive lands as the files in it, each under a name below the archive's, and itself where not all of it can be read.
    The lake's own copy of a file that is opened is looked at too, and replaced if it is not what its name says. A file that
    is gone since it was listed is left out, as if it had gone a moment earlier.

    Raises:
        LandError: a file of the command line cannot be landed; those before it stay in `raw/`, where they do no harm.
    """
    cache = StatCache.read(lake, limits)
    landed = _Tally()
    for file in incoming:
        if file.source in landed.failed:
            continue
        try:
            parts = None if rehash else cache.parts(file.path)
            if parts is None:
                parts = _land(lake, file, cache, landed, max_bytes=max_bytes)
            else:
                landed.unopened_count += 1
        except _GoneError:
            landed.notes.append(f"{file.source_path}: gone since its folder was listed; left out")
            continue
        except LandError as error:
            if file.source == COMMAND_LINE:
                raise
            landed.failed[file.source] = str(error)
            continue
        landed.given.append((file.source, file.source_path))
        landed.names += [LiveName(file.source, name_of(file.source_path, part), *part[1:]) for part in parts]
    cache.save()
    return Landed(
        tuple(name for name in landed.names if name.source not in landed.failed),
        landed.copied_count,
        landed.unopened_count,
        tuple(file for file in landed.given if file[0] not in landed.failed),
        tuple(landed.notes),
        landed.failed,
    )


def name_of(source_path: str, part: Part) -> str:
    """The path of a raw file that the file at `source_path` landed as."""
    return f"{source_path}/{part.below}" if part.below else source_path


class _GoneError(LandError):
    """A file that is gone since it was listed."""


@dataclass
class _Tally:
    """What landing has found so far."""

    names: list[LiveName] = field(default_factory=list)
    given: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    copied_count: int = 0
    unopened_count: int = 0


def _land(lake: Lake, file: Incoming, cache: StatCache, tally: _Tally, *, max_bytes: int) -> list[Part]:
    """The raw files that a file is: itself or, of an archive, the files in it; copied into the lake where they are new."""
    from warehouse.archives import opened_archive  # here: a run with nothing new reads no archive

    copy = _copy(lake, file.path, max_bytes)
    parts, is_archive, is_read = list[Part](), False, False
    try:
        with suppress(UnpackError), opened_archive(copy.path, cache.limits, lake.raw_dir) as archive:
            if archive is not None:
                is_archive = True
                for member in archive.members():
                    parts.append(Part(member.name, member.sha256, member.size_bytes))
                    tally.copied_count += _keep(lake, member.path, parts[-1])
                is_read = archive.is_read
                if note := archive.note():
                    tally.notes.append(f"{file.source_path}: {note}")
        if not is_read:  # staging makes one reject of an archive, which says what is wrong with it
            parts.append(Part("", copy.sha256, copy.size_bytes))
            tally.copied_count += _keep(lake, copy.path, parts[-1])
    finally:
        copy.path.unlink(missing_ok=True)
    cache.remember(file.path, copy.stat, parts, is_archive=is_archive)
    return parts


@dataclass(frozen=True, slots=True)
class _Copy:
    """A temporary copy in the lake, and the stat of the file as it was copied."""

    path: Path
    sha256: str
    size_bytes: int
    stat: list[int]


def _copy(lake: Lake, path: Path, max_bytes: int) -> _Copy:
    with _open_regular(path) as source:
        before = os.fstat(source.fileno())
        if before.st_size > max_bytes:
            raise LandError(f"{path}: {before.st_size} bytes, more than limits.file_bytes = {max_bytes} in pipeline.toml")
        lake.raw_dir.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(lake.raw_dir / "landing")
        digest, size_bytes = hashlib.sha256(), 0
        with temporary.open("wb") as copy:
            while size_bytes <= before.st_size and (chunk := _read_chunk(source, path)):  # its writer may never end
                digest.update(chunk)
                size_bytes += len(chunk)
                copy.write(chunk)
        key = stat_key(before)
        if stat_key(os.fstat(source.fileno())) != key or size_bytes != before.st_size:
            temporary.unlink()
            raise LandError(f"{path}: changed while it was read; run again when its writer is done")
    return _Copy(temporary, digest.hexdigest(), size_bytes, key)


def _keep(lake: Lake, temporary: Path, part: Part) -> bool:
    """Moves a temporary file to where the raw file of its hash lies; whether it was not there before, or was damaged."""
    target = lake.raw_path(part.sha256)
    if target.exists() and target.stat().st_size == part.size_bytes and hash_file(target) == part.sha256:
        return False
    target.parent.mkdir(exist_ok=True)
    sync(temporary)
    temporary.chmod(0o444)
    rename(temporary, target)
    return True


def landed_hash(lake: Lake, prefix: str) -> str | None:
    """The hash of the one raw file in the lake, live or not, whose hash begins with these eight or more digits."""
    if not _HASH_PREFIX.fullmatch(prefix):
        return None
    found = [path.name for path in (lake.raw_dir / prefix[:2].lower()).glob(f"{prefix.lower()}*")]
    return found[0] if len(found) == 1 else None


_HASH_PREFIX = re.compile(r"[0-9a-fA-F]{8,64}")


def hash_file(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_chunk(source: BinaryIO, path: Path) -> bytes:
    try:
        return source.read(_CHUNK_BYTES)
    except OSError as error:
        raise LandError(f"{path}: cannot be read: {error.strerror or error}") from error


def _open_regular(path: Path) -> BinaryIO:
    """The file opened for reading; a FIFO put in its place is not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError as error:
        raise _GoneError(f"{path}: no such file any more") from error
    except OSError as error:
        raise LandError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LandError(f"{path}: no regular file")
    return os.fdopen(descriptor, "rb")
