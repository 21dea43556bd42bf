"""This module remembers what was fetched, and keeps what was fetched in part; both only in `lake/state/`.

The memory saves work and no more: a damaged one means that everything is fetched anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from warehouse.atomic import sync, write_file
from warehouse.layout import Lake
from warehouse.live import LiveName

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an address whose file has landed. `landed_as` is below, SHA-256 and size of each raw file.

    `address` is as sources.toml has it, without secrets. `limits` are those an archive was looked into under. `asked_at` is
    when the server said last that it has this content, `fetched_at` when it came.
    """

    source: str
    address: str
    source_path: str
    etag: str | None
    last_modified: str | None
    sha256: str
    size_bytes: int
    fetched_at: str
    asked_at: str
    landed_as: tuple[tuple[str, str, int], ...]
    limits: tuple[int, ...]

    def names(self) -> list[LiveName]:
        """The names under which it landed."""
        return [
            LiveName(self.source, f"{self.source_path}/{below}" if below else self.source_path, sha256, size_bytes)
            for below, sha256, size_bytes in self.landed_as
        ]

    def is_in(self, lake: Lake) -> bool:
        """Whether all that it landed as is still in the lake."""
        return bool(self.landed_as) and all(lake.raw_path(sha256).exists() for _, sha256, _ in self.landed_as)


class FetchMemory:
    """What is known of each source and address."""

    def __init__(self, lake: Lake) -> None:
        self._path = lake.state_dir / "fetched.json"
        self.note: str | None = None
        self._known: dict[tuple[str, str], Known] = {}
        self._is_changed = False
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            if content["format"] != _FORMAT:
                raise ValueError(f"its format is {content['format']!r}")
            self._known = {(known.source, known.address): known for known in map(_known, content["addresses"])}
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.note = f"{self._path} is damaged: everything that comes from an address is fetched anew"

    def of(self, source: str, address: str) -> Known | None:
        """What is known of one address of a source."""
        return self._known.get((source, address))

    def all(self) -> list[Known]:
        """Everything, by source and address."""
        return [self._known[key] for key in sorted(self._known)]

    def keep(self, known: Known) -> None:
        """Replaces what is known of an address."""
        self._known[known.source, known.address] = known
        self._is_changed = True

    def keep_only(self, addresses: Iterable[tuple[str, str]]) -> None:
        """Drops what is known of others than these sources and addresses, which nobody asks any more."""
        others = self._known.keys() - set(addresses)
        for key in others:
            del self._known[key]
        self._is_changed |= bool(others)

    def save(self) -> None:
        """Writes it, where it changed."""
        if self._is_changed:
            rows = ",\n".join(json.dumps(dataclasses.asdict(known), sort_keys=True) for known in self.all())
            write_file(self._path, f'{{"format": {_FORMAT}, "addresses": [\n{rows}\n]}}\n'.encode())


_TEXTS = ("source", "address", "source_path", "sha256", "fetched_at", "asked_at")


def _known(row: dict[str, Any]) -> Known:
    """One row, every value of the kind it should be."""
    landed = tuple((str(below), str(sha256), int(size_bytes)) for below, sha256, size_bytes in row["landed_as"])
    limits = tuple(int(limit) for limit in row["limits"])
    known = Known(**{**row, "landed_as": landed, "limits": limits})
    if not all(isinstance(getattr(known, name), str) for name in _TEXTS) or not isinstance(known.size_bytes, int):
        raise TypeError("a value of another kind")
    if any(not isinstance(value, str | None) for value in (known.etag, known.last_modified)):
        raise TypeError("a value of another kind")
    return known


@dataclass(frozen=True, slots=True)
class PartFacts:
    """What a file that is being fetched, or was in part, is: by what the server knows it, and how long it is to be."""

    etag: str | None = None
    last_modified: str | None = None
    is_dated: bool = False
    total_bytes: int | None = None
    is_whole: bool = False

    @property
    def validator(self) -> str | None:
        """By what a server can say that the rest belongs to what one has; None where nothing is sure enough.

        A weak ETag is not (RFC 9110, 13.1.5), nor a date within a minute of the answer (8.8.2.2): `is_dated` says it is not.
        """
        if self.etag and not self.etag.startswith("W/"):
            return self.etag
        return self.last_modified if self.is_dated else None


class Part:
    """The file that an address is fetched into, kept from attempt to attempt and from run to run."""

    def __init__(self, lake: Lake, source: str, address: str) -> None:
        key = hashlib.sha256(f"{source}\0{address}".encode()).hexdigest()[:32]
        self.path = _folder(lake) / key
        self._facts_path = _folder(lake) / f"{key}.json"
        self.facts = self._read_facts()

    def size(self) -> int:
        """How many bytes are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def is_whole(self) -> bool:
        """Whether all of it is there."""
        return self.facts.is_whole and self.path.exists() and self.facts.total_bytes == self.size()

    def begin(self, facts: PartFacts) -> BinaryIO:
        """The file opened empty, for content that the server describes so."""
        self.discard()
        self._facts_path.parent.mkdir(parents=True, exist_ok=True)
        self._write_facts(facts)
        return self.path.open("wb")

    def extend(self) -> BinaryIO:
        """The file opened at its end."""
        return self.path.open("ab")

    def tail(self, size: int) -> bytes:
        """Its last bytes."""
        with self.path.open("rb") as file:
            file.seek(-size, os.SEEK_END)
            return file.read(size)

    def finish(self) -> None:
        """Notes that all of it is there, and safe against a power failure."""
        sync(self.path)
        self._write_facts(dataclasses.replace(self.facts, is_whole=True, total_bytes=self.size()))

    def discard(self) -> None:
        """Removes it, the file first: facts without a file do no harm."""
        self.path.unlink(missing_ok=True)
        self._facts_path.unlink(missing_ok=True)
        self.facts = PartFacts()

    def _read_facts(self) -> PartFacts:
        try:
            facts = PartFacts(**json.loads(self._facts_path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return PartFacts()
        is_sound = all(isinstance(value, str | None) for value in (facts.etag, facts.last_modified))
        return facts if is_sound and isinstance(facts.total_bytes, int | None) else PartFacts()

    def _write_facts(self, facts: PartFacts) -> None:
        self.facts = facts
        write_file(self._facts_path, json.dumps(dataclasses.asdict(facts)).encode())


def remove_other_parts(lake: Lake, parts: Iterable[Part]) -> None:
    """Removes what was fetched in part of addresses that no source has any more. Call it only while holding the lock."""
    kept = {part.path.name for part in parts}
    for path in _entries(lake):
        if path.name.removesuffix(".json") not in kept:
            path.unlink(missing_ok=True)


def _entries(lake: Lake) -> Iterator[Path]:
    folder = _folder(lake)
    if folder.is_dir():
        yield from folder.iterdir()


def _folder(lake: Lake) -> Path:
    return lake.state_dir / "fetching"
