"""This module keeps what a stage made, under a hash of what it was made from, so that it is made once.

An output is a folder `work/<stage>/<key>/` of Parquet files with `facts.json`, put in place by one rename. Nothing in
`work/` is needed to read a release; all of it can be deleted, and what was damaged on the disk is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.atomic import remove_file
from warehouse.layout import Lake, LakeError

if TYPE_CHECKING:
    import polars as pl


def work_key(*parts: object) -> str:
    """A key for an output made from `parts`: a hash of their JSON.

    >>> work_key("stage", 1) == work_key("stage", 1) != work_key("stage", 2)
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


class DamagedOutputError(LakeError):
    """A stage output that is no more what was written; it counts as not there now, so whoever needs it next makes it anew."""


@dataclass(frozen=True, slots=True)
class Output:
    """One stage output: the folder that holds it."""

    folder: Path

    def is_whole(self) -> bool:
        """Whether it is there, with every file of the size it was written with; what is in them is looked at by `read`."""
        try:
            return all(_has_size(self.folder / name, size) for name, (size, _) in self._description()["files"].items())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False

    def is_sound(self) -> bool:
        """Whether every byte of it is what was written."""
        try:
            files = self._description()["files"]
            return self.is_whole() and all(checksum(self.folder / name) == crc32 for name, (_, crc32) in files.items())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False

    def facts(self) -> dict[str, Any]:
        """The facts it was written with."""
        facts: dict[str, Any] = self._description()["facts"]
        return facts

    def path(self, name: str) -> Path:
        """Where its frame `name` lies."""
        return self.folder / f"{name}.parquet"

    def read(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Its frame `name`, or some columns of it.

        Raises:
            DamagedOutputError: the file is not what was written, by its checksum, which costs 0.3 s a GB. Neither LZ4 nor
                Polars would tell: of 200 flipped bits 74 gave another frame without an error.
        """
        return read_outputs({"": self}, name, columns).drop("of")

    def sound_path(self, name: str) -> Path:
        """Where its frame `name` lies, after a look at whether its bytes are those that were written.

        Raises:
            DamagedOutputError: they are not.
        """
        path = self.path(name)
        try:
            if checksum(path) != self._description()["files"][path.name][1]:
                raise ValueError("its bytes are not those that were written")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._damaged(path, error) from error
        return path

    def _damaged(self, path: Path, error: Exception) -> DamagedOutputError:
        self.drop()
        return DamagedOutputError(f"{path} is damaged ({error}); run again, and it is made anew")

    def drop(self) -> None:
        """Lets it count as not there."""
        if self.folder.is_dir():
            remove_file(self._facts_path)

    @property
    def _facts_path(self) -> Path:
        return self.folder / "facts.json"

    def _description(self) -> dict[str, Any]:
        """What `describe` wrote.

        Raises:
            ValueError: it is another text now.
        """
        text, _, crc32 = self._facts_path.read_text(encoding="utf-8").rstrip("\n").partition("\n")
        if f"{zlib.crc32(text.encode()):08x}" != crc32:
            raise ValueError(f"{self._facts_path} is not what was written")
        description: dict[str, Any] = json.loads(text)
        return description


def read_outputs(outputs: Mapping[str, Output], name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The frames `name` of several outputs as one, in their order; a column `of` tells by its key which output a row is of.

    They are scanned together: a file read by itself costs 2 ms, however little it holds. There must be one at least.

    Raises:
        DamagedOutputError: one of the files is not what was written, see `Output.read`.
    """
    import polars as pl

    paths = {str(each.sound_path(name)): of for of, each in outputs.items()}
    scan = pl.scan_parquet(list(paths), glob=False, include_file_paths="of")
    try:
        frame = (scan.select(*columns, "of") if columns else scan).collect()
    except pl.exceptions.PolarsError as error:  # what was written is no Parquet that is read now
        raise next(iter(outputs.values()))._damaged(Path(next(iter(paths))), error) from error
    return frame.with_columns(pl.col("of").replace_strict(paths, return_dtype=pl.String))


def describe(folder: Path, facts: Mapping[str, object]) -> None:
    """Writes `facts.json` for the files in the folder of an output: the facts, each file's size and checksum, and its own."""
    files = {path.name: (path.stat().st_size, checksum(path)) for path in sorted(folder.iterdir())}
    text = json.dumps({"facts": facts, "files": files})
    (folder / "facts.json").write_text(f"{text}\n{zlib.crc32(text.encode()):08x}\n", encoding="utf-8")


def checksum(path: Path) -> int:
    """The CRC-32 of a file: 3 GB/s here, where SHA-256 has 1.2; it is to find what a disk did, not what a person did."""
    crc32 = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            crc32 = zlib.crc32(chunk, crc32)
    return crc32


_CHUNK_BYTES = 1 << 20


def _has_size(path: Path, size: int) -> bool:
    """Whether a Parquet file has its size, and its marks at both ends, which a file lost in a power failure has not."""
    with path.open("rb") as file:
        begins = file.read(len(_PARQUET_MARK)) == _PARQUET_MARK
        ends_at = file.seek(-len(_PARQUET_MARK), os.SEEK_END) + len(_PARQUET_MARK)
        return begins and ends_at == size and file.read() == _PARQUET_MARK


_PARQUET_MARK = b"PAR1"


def output(lake: Lake, stage: str, key: str) -> Output:
    """The output of `stage` under `key`, there or not."""
    return Output(lake.work_dir / stage / key)


def collect_garbage(lake: Lake, keep: set[Path]) -> int:
    """Removes every output whose folder is not in `keep`; returns how many."""
    removed = 0
    for folder in sorted(lake.work_dir.glob("*/*")):
        if folder not in keep:
            shutil.rmtree(folder)
            removed += 1
    return removed


def drop_damaged(lake: Lake) -> int:
    """Lets every output that is damaged count as not there; returns how many. It reads all of `work/`."""
    damaged = [found for folder in sorted(lake.work_dir.glob("*/*")) if not (found := Output(folder)).is_sound()]
    for found in damaged:
        found.drop()
    return len(damaged)
