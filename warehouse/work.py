"""This module keeps what a stage made, under a hash of what it was made from, so that it is made once.

An output is a folder `work/<stage>/<key>/` of Parquet files with `facts.json`, put in place by one rename. Nothing in
`work/` is needed to read a release; all of it can be deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.layout import Lake, LakeError

if TYPE_CHECKING:
    import polars as pl


def work_key(*parts: object) -> str:
    """A key for an output made from `parts`: a hash of their JSON.

    >>> work_key("stage", 1) == work_key("stage", 1) != work_key("stage", 2)
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Output:
    """One stage output: the folder that holds it."""

    folder: Path

    def is_whole(self) -> bool:
        """Whether it is there, with every file of the size it was written with."""
        try:
            sizes = self._description()["sizes"]
            return all(_is_whole(self.folder / name, size) for name, size in sizes.items())
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
        """Its frame `name`, or some columns of it."""
        import polars as pl

        try:
            return pl.read_parquet(self.path(name), columns=list(columns) if columns else None, glob=False)
        except pl.exceptions.PolarsError as error:
            raise LakeError(f"{self.path(name)} is damaged ({error}); remove {self.folder} and run again") from error

    def _description(self) -> dict[str, Any]:
        description: dict[str, Any] = json.loads((self.folder / "facts.json").read_text(encoding="utf-8"))
        return description


def _is_whole(path: Path, size: int) -> bool:
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
