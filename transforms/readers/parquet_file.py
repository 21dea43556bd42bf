"""This module reads Parquet files, row group by row group.

What JSON has no type for becomes text (`plain_values`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import has_paper_columns, unique_names
from transforms.readers.mapping import Mapper
from transforms.readers.plain_values import plain_value

_MAGIC = b"PAR1"
_BATCH_ROWS = 10_000
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
        ReadError: `broken_parquet`, or `not_a_paper_list` where no column is recognised.
        OSError: the file could not be read now, such as for a fault of the disk.
    """
    try:
        file = pq.ParquetFile(raw_file.path)
        names = unique_names(file.schema_arrow.names)
        row_counts = [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]
    except _BROKEN as error:
        raise ReadError("broken_parquet", f"expected a Parquet file: {_verdict(error)}") from error
    with file:
        if not has_paper_columns(names):
            raise ReadError(
                "not_a_paper_list",
                f"expected a column for titles, abstracts or identifiers; found {', '.join(names)[:200] or 'none'}",
            )
        builder = BatchBuilder(Mapper(given=raw_file.columns))
        for index, row_count in enumerate(row_counts):
            yield from _row_group(file, index, row_count, names, builder, sum(row_counts[:index]))
    yield builder.take(entries_counted=0, form=f"{len(names)} columns")


def _row_group(
    file: pq.ParquetFile, index: int, row_count: int, names: list[str], builder: BatchBuilder, first_row: int
) -> Iterator[Batch]:
    """The rows of one row group, and a reject where there are not as many as the footer says."""
    read_count, problem = 0, f"the footer says {row_count} rows"
    try:
        for batch in file.iter_batches(_BATCH_ROWS, row_groups=[index]):
            for row in zip(*(_values(column) for column in batch.columns), strict=True):
                read_count += 1
                builder.record(dict(zip(names, row, strict=True)), locator=f"row {first_row + read_count}")
            yield builder.take()
    except _BROKEN as error:
        problem = f"{problem}, but {_verdict(error)}"
    if read_count == row_count:
        yield builder.take(entries_counted=row_count)
        return
    message = f"row group {index + 1} gave {read_count} rows: {problem}"
    builder.reject("broken_parquet", message, text="", locator=f"row {first_row + read_count + 1}")
    yield builder.take(entries_counted=read_count + 1)


def _values(column: pa.Array) -> list[object]:
    """The values of a column as JSON has them."""
    kind = column.type
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
