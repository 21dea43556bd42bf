"""This module writes rows into a file of a person's choice: Parquet, CSV, JSON, JSON lines or Excel, whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from transforms.schemas import PaperlakeError
from warehouse.atomic import rename, sync, temporary_beside
from warehouse.row_formats import Batches, FirstRows, distinct_names, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from warehouse.query import QueryResult

FileFormat = Literal["parquet", "csv", "json", "jsonl", "xlsx"]

FILE_FORMATS: dict[str, FileFormat] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".xlsx": "xlsx",
}
"""The format that each ending of a file's name asks for."""


class OutputError(PaperlakeError):
    """A file that cannot be written where, or as, it was asked for; the message says what would do."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What was written: how many rows, whether there were more, and how many texts an Excel cell could not hold whole."""

    path: Path
    rows: int
    is_cut: bool = False
    cut_cells: int = 0


def file_format(path: Path) -> FileFormat:
    """The format that the name of a file asks for.

    >>> file_format(Path("papers.CSV"))
    'csv'

    Raises:
        OutputError: its ending is none of those known.
    """
    _check_ending(path, FILE_FORMATS)
    return FILE_FORMATS[path.suffix.lower()]


def output_path(path: Path, lake_dir: Path, endings: Collection[str] = tuple(FILE_FORMATS)) -> Path:
    """Where a file given as `path`, with one of these endings, really is to be written, links followed.

    Raises:
        OutputError: its ending is another, it lies in the lake, is no file, or its folder is not there.
    """
    _check_ending(path, endings)
    target = path.resolve()
    if target.is_relative_to(lake_dir.resolve()):
        raise OutputError(f"{path} lies in the lake {lake_dir}, which only runs write to; choose a place outside it")
    if target.is_dir():
        raise OutputError(f"{path} is a folder; give the name of a file, such as {path / 'papers.csv'}")
    if target.exists() and not target.is_file():
        raise OutputError(f"{path} is no regular file; give the name of one, or of a file that is not there yet")
    if not target.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {target.parent}; make it first")
    return target


def _check_ending(path: Path, endings: Collection[str]) -> None:
    if path.suffix.lower() not in endings:
        ending = f"its ending {path.suffix}" if path.suffix else "it has no ending, which"
        raise OutputError(f"{path}: {ending} names no format; known are {', '.join(endings)}")


def write_result(result: QueryResult, path: Path, *, limit: int | None = None, format: FileFormat | None = None) -> WrittenFile:
    """Writes the rows of a query, at most `limit` of them, in `format`, by default the one that the name asks for.

    The file stands under its name once it is whole; until then, and after an error, what was there before stays. Parquet
    keeps the types; see `warehouse.query.QueryResult.arrow_batches`.

    Raises:
        OutputError: the file cannot be written, or does not hold so many rows.
        QueryError: the query fails, or reaches a limit.
    """
    format = format or file_format(path)
    if format == "parquet":
        return write_parquet_file(*result.arrow_batches(for_parquet=True), path, limit=limit)
    result.start()
    batches = FirstRows(result.batches(), limit)
    written = write_rows_file(result.columns, result.types, batches, path, format)
    return WrittenFile(path, written.rows, batches.is_cut, written.cut_cells)


def write_rows_file(
    columns: Sequence[str], types: Sequence[str], batches: Batches, path: Path, format: Literal["csv", "json", "jsonl", "xlsx"]
) -> WrittenFile:
    """Writes rows of Python values; `types` are DuckDB's names.

    Raises:
        OutputError: the file cannot be written, or does not hold so many rows.
    """
    with finished_file(path) as temporary:
        if format == "xlsx":
            from warehouse.row_sheets import SheetFullError, write_sheet

            try:
                rows, cut_cells = write_sheet(columns, batches, temporary)
            except SheetFullError as error:
                raise OutputError(f"{path}: {error}") from error
            return WrittenFile(path, rows, cut_cells=cut_cells)
        with temporary.open("w", encoding="utf-8", newline="") as out:
            return WrittenFile(path, write_rows(columns, types, batches, format, out).rows)


def write_parquet_file(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch], path: Path, *, limit: int | None = None
) -> WrittenFile:
    """Writes Arrow batches as one Parquet file; a name that several columns have gets a number.

    Raises:
        OutputError: the file cannot be written, or its schema is one that Parquet has no form for.
    """
    import pyarrow as pa

    from warehouse.parquet import parquet_writer

    names = distinct_names(schema.names)
    schema = pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])
    first, rows = FirstRows(batches, limit), 0
    renamed = (batch.rename_columns(names) for batch in first)
    with finished_file(path) as temporary, temporary.open("wb") as file:
        try:
            begin = next(renamed, pa.RecordBatch.from_pylist([], schema=schema))
            with parquet_writer(file, begin) as writer:
                for batch in chain([begin], renamed):
                    writer.write_batch(batch)
                    rows += batch.num_rows
        except pa.ArrowNotImplementedError as error:
            raise OutputError(f"{path}: Parquet has no form for a column of the answer: {error}") from error
    return WrittenFile(path, rows, first.is_cut)


@contextmanager
def finished_file(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to; after the block the file stands at `path`, or on an error is gone.

    Raises:
        OutputError: the system does not let it be written. A full disk stays the `OSError` it is.
    """
    temporary = temporary_beside(path)
    try:
        yield temporary
        sync(temporary)
        rename(temporary, path)
    except OSError as error:
        if error.errno is None or error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EPIPE):
            raise
        raise OutputError(f"{path} cannot be written: {os.strerror(error.errno).lower()}") from error
    finally:
        temporary.unlink(missing_ok=True)
