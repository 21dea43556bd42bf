"""This module reads Parquet files, row group by row group.

What JSON has no type for becomes text (`plain_values`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from transforms.readers.base import BATCH_ROWS, Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import has_paper_columns, unique_names
from transforms.readers.limits import more_than
from transforms.readers.mapping import Mapper
from transforms.readers.openreview_ids import is_id_name, openreview_columns
from transforms.readers.plain_values import plain_value

_MANY_ROWS = 1_000_000
"""A file of so many rows is refused if it has not a byte for each: a few kilobytes may hold billions of equal rows."""

_MAGIC = b"PAR1"
_SAMPLE_ROWS = 1_000
_BROKEN = (pa.ArrowException, OSError, ValueError, OverflowError, RuntimeError)
"""What PyArrow raises at broken files; RuntimeError comes from encryption, OverflowError from dates beyond year 9999.

An OSError is among them only without a number: PyArrow's own verdict. One with a number is the machine's, and may pass.
"""


def sniff(sample: Sample) -> Sniff:
    """Whether the file begins with Parquet's magic bytes; its columns stand at its end, and are looked at in `read`."""
    if sample.head.startswith(_MAGIC):
        return Sniff(0.99, "it begins with Parquet's magic bytes")
    return Sniff(0.0, "it does not begin with Parquet's magic bytes")


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The rows as records; the entries are counted by the file's footer. What is broken of a row group is one reject.

    Raises:
        ReadError: `broken_parquet`, `too_many_columns`, `document_too_large`, or `not_a_paper_list`: no column is known.
        OSError: the file could not be read now, such as for a fault of the disk.
    """
    try:
        # Texts of a dictionary are held once, however many rows have them: a file of 1 kB may have a gigabyte of them.
        texts = [name for name, kind in _top_level(pq.read_schema(raw_file.path)) if pa.types.is_string(kind)]
        file = pq.ParquetFile(raw_file.path, read_dictionary=texts)
        names = unique_names(file.schema_arrow.names)
        row_counts = [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]
    except _BROKEN as error:
        raise ReadError("broken_parquet", f"expected a Parquet file: {_verdict(error)}") from error
    with file:
        if len(names) > raw_file.limits.columns:
            message = f"{len(names)} columns: {more_than('columns', raw_file.limits.columns)}"
            raise ReadError("too_many_columns", message)
        if file.metadata.num_rows > max(_MANY_ROWS, raw_file.size_bytes):
            message = f"{file.metadata.num_rows} rows in {raw_file.size_bytes} bytes: more than one a byte, as in a bomb"
            raise ReadError("document_too_large", message)
        found = _found(file, names)
        if not (found or has_paper_columns(names)):
            raise ReadError(
                "not_a_paper_list",
                f"expected a column for titles, abstracts or identifiers; found {', '.join(names)[:200] or 'none'}",
            )
        builder = BatchBuilder(Mapper(given=raw_file.columns, found=found))
        for index, row_count in enumerate(row_counts):
            group = _RowGroup(index, row_count, sum(row_counts[:index]))
            yield from _row_group(file, group, names, builder, raw_file.limits.entry_bytes)
    yield builder.take(entries_counted=0, form=f"{len(names)} columns")


@dataclass(frozen=True, slots=True)
class _RowGroup:
    """A row group: its place in the file, how many rows the footer says it has, and how many stand before it."""

    index: int
    row_count: int
    rows_before: int


def _top_level(schema: pa.Schema) -> list[tuple[str, pa.DataType]]:
    return [(field.name, field.type) for field in schema]


def _found(file: pq.ParquetFile, names: list[str]) -> dict[str, str]:
    """The fields that the values of columns tell, by the first rows."""
    places = [place for place, name in enumerate(names) if is_id_name(name)]
    columns = [file.schema_arrow.names[place] for place in places]
    if not columns or len(set(columns)) < len(columns):
        return {}
    try:
        batch = next(file.iter_batches(_SAMPLE_ROWS, columns=columns), None)
    except _BROKEN as error:
        _verdict(error)
        return {}  # what is broken of it is told when the rows are read
    if batch is None or batch.num_columns != len(columns):
        return {}
    return openreview_columns([names[place] for place in places], list(zip(*map(_values, batch.columns), strict=True)))


def _row_group(file: pq.ParquetFile, group: _RowGroup, names: list[str], builder: BatchBuilder, limit: int) -> Iterator[Batch]:
    """The rows of one row group, and a reject where there are not as many as the footer says."""
    read_count, row_count, problem = 0, group.row_count, f"the footer says {group.row_count} rows"
    try:
        for batch in file.iter_batches(BATCH_ROWS, row_groups=[group.index]):
            for row in zip(*(_values(column) for column in batch.columns), strict=True):
                read_count += 1
                locator = f"row {group.rows_before + read_count}"
                if (size := sum([len(value) for value in row if isinstance(value, str)])) > limit:
                    message = f"a row of {size} characters: {more_than('entry_bytes', limit)}"
                    builder.reject("entry_too_long", message, text=str(row[0]), locator=locator)
                else:
                    builder.record(dict(zip(names, row, strict=True)), locator=locator)
                if builder.is_full:
                    yield builder.take()
    except _BROKEN as error:
        problem = f"{problem}, but {_verdict(error)}"
    if read_count == row_count:
        yield builder.take(entries_counted=row_count)
        return
    message = f"row group {group.index + 1} gave {read_count} rows: {problem}"
    builder.reject("broken_parquet", message, text="", locator=f"row {group.rows_before + read_count + 1}")
    yield builder.take(entries_counted=read_count + 1)


def _values(column: pa.Array) -> list[object]:
    """The values of a column as JSON has them."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        texts, places = _values(column.dictionary), column.indices.to_pylist()
        if any(place is not None and not 0 <= place < len(texts) for place in places):
            raise ValueError(f"a value is none of the {len(texts)} in its column's dictionary")
        return [None if place is None else texts[place] for place in places]
    if pa.types.is_timestamp(kind):
        return [text and text.replace(" ", "T", 1) for text in column.cast(pa.string()).to_pylist()]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:
            return list(column.to_pylist())
        except UnicodeDecodeError:
            return [
                value if value is None else value.decode("utf-8", "replace")
                for value in column.cast(pa.large_binary()).to_pylist()
            ]
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return list(column.to_pylist())
    return [plain_value(value) for value in column.to_pylist()]


def _verdict(error: Exception) -> str:
    """What PyArrow says of a broken file, as a sentence.

    Raises:
        OSError: the error tells nothing of the file.
    """
    if isinstance(error, OSError) and error.errno is not None:
        raise error
    return " ".join(str(error).split())[:300]


READER = Reader(
    name="parquet",
    meaning="Parquet with recognisable columns",
    has_spans=False,
    example="(binary: begins and ends with the bytes PAR1)\n",
    sniff=sniff,
    read=read,
)
