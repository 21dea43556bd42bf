"""This module writes stage outputs (see `warehouse.work`), some rows at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.atomic import rename, temporary_beside
from warehouse.work import Output, describe

if TYPE_CHECKING:
    import polars as pl


class OutputWriter:
    """Writes an output's frames, some rows at a time, so that none of them need be held whole. One file a frame."""

    def __init__(self, folder: Path, schemas: Mapping[str, pl.Schema]) -> None:
        self._folder, self._schemas = folder, schemas
        self._writers: dict[str, pq.ParquetWriter] = {}

    def append(self, name: str, rows: pl.DataFrame) -> None:
        """Adds rows to the frame `name`, which has the schema given for it."""
        if rows.height:
            table = rows.to_arrow()
            if name not in self._writers:
                # Long texts, read back whole: statistics and dictionaries would cost a sixth of the time and save nothing.
                self._writers[name] = pq.ParquetWriter(
                    self._path(name), table.schema, compression="lz4", write_statistics=False, use_dictionary=False
                )
            self._writers[name].write_table(table)

    def clear(self) -> None:
        """Drops all rows written so far."""
        self.close()
        for name in self._schemas:
            self._path(name).unlink(missing_ok=True)

    def close(self) -> None:
        """Ends every file."""
        while self._writers:
            self._writers.popitem()[1].close()

    def finish(self) -> None:
        """Ends every file; a frame without rows gets a file too."""
        self.close()
        for name, schema in self._schemas.items():
            if not self._path(name).exists():
                schema.to_frame().write_parquet(self._path(name))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.parquet"


@contextmanager
def writing_output(target: Output, schemas: Mapping[str, pl.Schema], facts: dict[str, object]) -> Iterator[OutputWriter]:
    """Writes an output whole, replacing a damaged one; `facts` are filled by then. An exception leaves nothing."""
    target.folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(target.folder)
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    writer = OutputWriter(temporary, schemas)
    try:
        yield writer
        writer.finish()
    except BaseException:
        with suppress(OSError, pa.ArrowException):
            writer.close()
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    describe(temporary, facts)
    if target.folder.exists():
        shutil.rmtree(target.folder)
    rename(temporary, target.folder)


def write_output(target: Output, frames: Mapping[str, pl.DataFrame], facts: Mapping[str, object]) -> Output:
    """Writes an output whole, replacing a damaged one."""
    with writing_output(target, {name: frame.schema for name, frame in frames.items()}, dict(facts)) as writer:
        for name, frame in frames.items():
            writer.append(name, frame)
    return target
