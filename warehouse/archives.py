"""This module takes the files out of an archive: a zip or a tar is a folder of raw files, and so is an archive in it.

A member's name is a name and never a path on disk; what lands is the members, and the archive itself only where not all of it
could be read.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from warehouse.archive_formats import MEMBER_ERRORS, Entry, archive_kind, entries, looks_like_archive
from warehouse.atomic import temporary_beside
from warehouse.names import DistinctNames, member_name
from warehouse.unpacking import MAX_LAYERS, Content, UnpackError, UnpackLimits, unpacked


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive: its safe name below it, and the temporary file that holds it, removed unless it is moved away."""

    name: str
    path: Path
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a member, or where `name` is None the archive or the rest of it, is not read."""

    name: str | None
    reason: str
    message: str


@dataclass
class Allowance:
    """What may still be taken out of an archive and the archives in it."""

    files: int
    bytes: int


@dataclass
class Archive:
    """An archive that is being read: what came of it is known once `members` has come to its end."""

    path: Path
    kind: str
    limits: UnpackLimits
    folder: Path
    depth: int
    allowance: Allowance
    member_count: int = 0
    faults: list[Fault] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    _names: DistinctNames = field(default_factory=DistinctNames)

    def members(self) -> Iterator[Member]:
        """The files in it and in archives in it, one at a time; one that cannot be had is a fault, and the others go on."""
        try:
            for entry in entries(self.path, self.kind, self.limits):
                if kind := _left_out_as(entry):
                    self.left_out[kind] += 1
                else:
                    yield from self._member(entry)
        except UnpackError as error:
            self.faults.append(Fault(None, error.reason, str(error)))

    @property
    def is_read(self) -> bool:
        """Whether its members are all there is to say of it, so that it need not land itself."""
        return bool(self.member_count) and not self.faults

    def verdict(self) -> tuple[str, str]:
        """Reason and message of the one reject that it is itself, where it landed."""
        if not self.faults:
            if not self.member_count:
                return "empty_archive", f"a {self.kind} without a file to read{_listed(self.left_out)}"
            return "archive_not_read", (
                f"a {self.kind} whose files were not read: it stands more than {MAX_LAYERS} archives deep, or landed when a "
                "limit was lower; unpack it, or run again with it"
            )
        reasons = {fault.reason for fault in self.faults}
        of_members = [f"{fault.name} ({fault.message})" for fault in self.faults if fault.name is not None]
        parts = [fault.message for fault in self.faults if fault.name is None]
        if of_members:
            more = f" and {len(of_members) - _NAMED} more" if len(of_members) > _NAMED else ""
            parts.append(f"not read of it: {', '.join(of_members[:_NAMED])}{more}")
        others = f"; its other files ({self.member_count}) are" if self.member_count else ""
        return reasons.pop() if len(reasons) == 1 else "broken_archive", f"a {self.kind}: {'; '.join(parts)}{others}"

    def note(self) -> str | None:
        """What was left out of it on purpose, None where nothing was."""
        return f"left out{_listed(self.left_out)}" if self.left_out else None

    def _member(self, entry: Entry) -> Iterator[Member]:
        name = self._names.take(member_name(entry.name))
        temporary = temporary_beside(self.folder / f"member-{self.depth}")
        try:
            self._refuse(entry)
            self.allowance.files -= 1
            self.allowance.bytes -= entry.size_bytes
            member = Member(name, temporary, _take_out(entry, temporary), entry.size_bytes)
            yield from self._with_nested(member)
        except UnpackError as error:
            self.faults.append(Fault(name, error.reason, str(error)))
        finally:
            temporary.unlink(missing_ok=True)

    def _refuse(self, entry: Entry) -> None:
        """Raises what can be said against a member before it is read; none turns out larger than the list says."""
        if entry.fault:
            raise UnpackError(*entry.fault)
        over = self.limits.excess(entry.size_bytes, entry.packed_bytes)
        if not over and entry.size_bytes > self.allowance.bytes:
            over = f"with those before it larger than limits.unpacked_bytes = {self.limits.unpacked_bytes} in pipeline.toml"
        if not over and self.allowance.files <= 0:
            over = f"one more than limits.archive_files = {self.limits.archive_files} in pipeline.toml"
        if over:
            raise UnpackError("unpacked_too_large", over)

    def _with_nested(self, member: Member) -> Iterator[Member]:
        """A member, or if it is an archive the files in it; also itself where it has faults or holds nothing."""
        try:
            with opened_archive(member.path, self.limits, self.folder, self.depth + 1, self.allowance) as archive:
                if archive is not None:
                    for inner in archive.members():
                        self.member_count += 1
                        yield replace(inner, name=f"{member.name}/{inner.name}")
                    self.left_out.update(archive.left_out)
                    if archive.is_read:
                        return
        except UnpackError as error:  # it lands, and its own reject will say why
            self.allowance.bytes -= error.content_bytes
        self.member_count += 1
        yield member


@contextmanager
def opened_archive(
    path: Path, limits: UnpackLimits, folder: Path, depth: int = 1, allowance: Allowance | None = None
) -> Iterator[Archive | None]:
    """The archive that a file is, or None where it is none or stands too deep in others; `folder` is for temporary files.

    Raises:
        UnpackError: a compressed archive that cannot be decompressed.
    """
    if depth > MAX_LAYERS or not looks_like_archive(path):
        yield None
        return
    allowance = allowance or Allowance(limits.archive_files, limits.unpacked_bytes)
    within = replace(limits, unpacked_bytes=min(limits.unpacked_bytes, allowance.bytes)) if depth > 1 else limits
    with unpacked(path, within, folder, name=f"archive-{depth}") as content:
        if depth > 1 and content.compression:
            allowance.bytes -= content.size_bytes
        kind = archive_kind(content.path)
        yield Archive(content.path, kind, limits, folder, depth, allowance) if kind else None


def raw_files_in(path: Path, limits: UnpackLimits, folder: Path) -> Iterator[Member]:
    """The raw files that a file would land as, each at its path until the next is asked for; temporary ones in `folder`.

    A file that is no archive is one, of an empty name; an archive is the files in it, and itself where not all can be read.
    """
    is_read = False
    with suppress(UnpackError), opened_archive(path, limits, folder) as archive:
        if archive is not None:
            yield from archive.members()
            is_read = archive.is_read
    if not is_read:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        yield Member("", path, sha256, path.stat().st_size)


@contextmanager
def content_of(path: Path, limits: UnpackLimits, folder: Path) -> Iterator[Content]:
    """The content of a raw file for a reader: as `unpacking.unpacked`, and an archive is refused, as its files are raw files.

    Raises:
        UnpackError: as `unpacked` says, or with the verdict on an archive.
    """
    with opened_archive(path, limits, folder) as archive:
        if archive is not None:
            for _ in archive.members():
                pass  # each is looked at, as only that tells whether it can be read
            raise UnpackError(*archive.verdict())
    with unpacked(path, limits, folder) as content:
        yield content


_NAMED = 5


def _left_out_as(entry: Entry) -> str | None:
    """As what a member is left out, as it would be in a folder; None for one that is a file to read."""
    if entry.kind != "file":
        return entry.kind
    parts = entry.name.replace("\\", "/").split("/")
    is_hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return "hidden" if is_hidden or "__MACOSX" in parts else None


def _listed(left_out: Counter[str]) -> str:
    return f" ({', '.join(f'{count} {kind}' for kind, count in sorted(left_out.items()))})" if left_out else ""


def _take_out(entry: Entry, target: Path) -> str:
    """Writes a member to `target`; the SHA-256 of it."""
    digest, size_bytes = hashlib.sha256(), 0
    try:
        with entry.open() as stream, target.open("wb") as file:
            while piece := stream.read(_PIECE_BYTES):
                digest.update(piece)
                size_bytes += len(piece)
                file.write(piece)
    except MEMBER_ERRORS as error:
        raise UnpackError("broken_archive", f"damaged: {error or type(error).__name__}") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise UnpackError("broken_archive", f"damaged: {error}") from error
    if size_bytes != entry.size_bytes:
        raise UnpackError("broken_archive", f"damaged: {size_bytes} bytes instead of {entry.size_bytes}")
    return digest.hexdigest()


_PIECE_BYTES = 1 << 18
