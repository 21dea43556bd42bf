"""This module lands files: copies them unchanged into the lake under their SHA-256, once each."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from transforms.schemas import PaperlakeError
from warehouse.atomic import rename, temporary_beside, write_file
from warehouse.layout import Lake
from warehouse.live import LiveName

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
    """What landing found: the names, and how many files were copied, or known by size, mtime and inode and not opened."""

    names: tuple[LiveName, ...]
    copied_count: int
    unopened_count: int


def find_files(given: Path, lake: Lake) -> list[tuple[Path, str]]:
    """The regular files at `given`, each with its path below it (its base name for a file), sorted.

    Folders are searched through; hidden entries, symbolic links inside them, special files and the lake itself are left
    out. A file or folder named itself may be a link. A name that is no Unicode is written with backslash escapes.

    Raises:
        LandError: nothing is there, it is neither a file nor a folder, lies inside the lake, or cannot be searched.
    """
    require_path(given)
    own = lake.path.resolve()
    if given.resolve().is_relative_to(own):
        raise LandError(f"{given}: lies inside the lake {lake.path}; a lake is not made of its own files")
    if given.is_dir():
        found = []
        for folder, folders, names in os.walk(given, onerror=_raise_unsearchable):
            folders[:] = sorted(name for name in folders if name[0] != "." and Path(folder, name).resolve() != own)
            found += [Path(folder, name) for name in sorted(names) if not name.startswith(".")]
        regular = [path for path in found if stat.S_ISREG(path.lstat().st_mode)]
        return [(path, unicode_name(path.relative_to(given).as_posix())) for path in regular]
    return [(given, unicode_name(given.name))]


def unicode_name(name: str) -> str:
    r"""A file name as text that can be written as UTF-8: bytes that are not become backslash escapes.

    >>> unicode_name("caf\udce9.csv")
    'caf\\udce9.csv'
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _raise_unsearchable(error: OSError) -> None:
    raise LandError(f"{error.filename}: cannot be searched: {error.strerror}") from error


def require_path(given: Path) -> None:
    """Checks that a path given leads to a file or folder.

    Raises:
        LandError: it does not.
    """
    if not given.exists():
        raise LandError(f"{given}: no such file or folder")
    if not given.is_dir() and not given.is_file():
        raise LandError(f"{given}: neither a file nor a folder")


def known_hash(lake: Lake, path: Path, cache: dict[str, list[object]]) -> str | None:
    """The hash of a file that was landed before and has the same size, mtime and inode since; else None."""
    entry = cache.get(str(path.resolve()))
    if not isinstance(entry, list) or len(entry) != _CACHE_CELLS:
        return None
    *known, sha256 = entry
    return str(sha256) if known == _stat_key(path.stat()) and lake.raw_path(str(sha256)).exists() else None


def land_files(lake: Lake, incoming: Iterable[Incoming], *, max_bytes: int, rehash: bool = False) -> Landed:
    """Lands files and says under which hash each lies; a file known by its stat is not opened unless `rehash`.

    With `rehash` the lake's own copies are looked at too, and one that is not what its name says is replaced.

    Raises:
        LandError: a file cannot be landed; those before it stay in `raw/`, where they do no harm.
    """
    cache = read_stat_cache(lake)
    names, copied_count, unopened_count = [], 0, 0
    changed = False
    for file in incoming:
        sha256 = None if rehash else known_hash(lake, file.path, cache)
        if sha256 is not None:
            unopened_count += 1
            size_bytes = file.path.stat().st_size
        else:
            sha256, size_bytes, is_new, key = _copy(lake, file.path, max_bytes, verify=rehash)
            copied_count += is_new
            cache[str(file.path.resolve())] = [*key, sha256]
            changed = True
        names.append(LiveName(file.source, file.source_path, sha256, size_bytes))
    if changed:
        write_file(lake.state_dir / "stat_cache.json", json.dumps(cache, sort_keys=True, indent=0).encode())
    return Landed(tuple(names), copied_count, unopened_count)


def read_stat_cache(lake: Lake) -> dict[str, list[object]]:
    """Size, mtime in nanoseconds, inode and hash by absolute path; a damaged cache is an empty one, as it saves work only."""
    try:
        cache = json.loads((lake.state_dir / "stat_cache.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cache if isinstance(cache, dict) else {}


_CACHE_CELLS = 4


def _stat_key(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _copy(lake: Lake, path: Path, max_bytes: int, *, verify: bool) -> tuple[str, int, bool, list[int]]:
    """Hash, size, whether it is new to the lake, and the stat of the file as it was copied."""
    with _open_regular(path) as source:
        before = os.fstat(source.fileno())
        if before.st_size > max_bytes:
            raise LandError(f"{path}: {before.st_size} bytes, more than limits.file_bytes = {max_bytes} in pipeline.toml")
        lake.raw_dir.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(lake.raw_dir / "landing")
        digest, size_bytes = hashlib.sha256(), 0
        with temporary.open("wb") as copy:
            while chunk := _read_chunk(source, path):
                digest.update(chunk)
                size_bytes += len(chunk)
                copy.write(chunk)
            copy.flush()
            os.fsync(copy.fileno())
        key = _stat_key(before)
        if _stat_key(os.fstat(source.fileno())) != key or size_bytes != before.st_size:
            temporary.unlink()
            raise LandError(f"{path}: changed while it was read; run again when its writer is done")
    sha256 = digest.hexdigest()
    target = lake.raw_path(sha256)
    if target.exists() and target.stat().st_size == size_bytes and (not verify or hash_file(target) == sha256):
        temporary.unlink()
        return sha256, size_bytes, False, key
    target.parent.mkdir(exist_ok=True)
    temporary.chmod(0o444)
    rename(temporary, target)
    return sha256, size_bytes, True, key


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
    except OSError as error:
        raise LandError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LandError(f"{path}: no regular file")
    return os.fdopen(descriptor, "rb")
