"""This module cuts a file into blocks of whole lines, and a block into its lines, as columns and without copying them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import polars as pl
import pyarrow as pa

from transforms.readers.base import RawFile
from transforms.readers.streaming import Line, byte_lines

BLOCK_BYTES = 8 * 2**20
"""How much is read at once: enough that what an expression costs by itself does not count, and some 100 MB in memory."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of a file: their bytes, and where the first one begins in the file."""

    content: bytes
    start: int

    def lines(self) -> Iterator[Line]:
        r"""The lines one by one; \n, \r\n and \r end a line."""
        start = self.start
        for line in self.content.splitlines(keepends=True):
            yield Line(line, start, len(line))
            start += len(line)

    def line_table(self, first_number: int) -> pl.DataFrame | None:
        r"""The lines as a table: `line`, its text without white space around it, `number`, `span_start`, `span_end`.

        None where a line ends in a bare \r, or where the bytes are not UTF-8.
        """
        if b"\r" in self.content and self.content.count(b"\r") != self.content.count(b"\r\n"):
            return None
        content = pa.py_buffer(self.content)
        codes = pl.Series(pl.from_arrow(pa.UInt8Array.from_buffers(pa.uint8(), len(self.content), [None, content])))
        ends = (codes == ord("\n")).arg_true().cast(pl.Int64) + 1
        if not self.content.endswith(b"\n"):
            ends.append(pl.Series([len(self.content)], dtype=pl.Int64))
        edges = pl.concat([pl.Series([0], dtype=pl.Int64), ends]).rechunk()
        lines = pa.LargeStringArray.from_buffers(len(ends), edges.to_arrow().buffers()[1], content)
        try:
            lines.validate(full=True)
        except pa.ArrowInvalid:
            return None
        return pl.DataFrame({"line": pl.from_arrow(lines), "span_end": ends + self.start}).select(
            pl.col("line").str.strip_chars(" \t\r\n"),
            number=pl.int_range(first_number, pl.len() + first_number, dtype=pl.Int64),
            span_start=pl.col("span_end").shift(1, fill_value=self.start),
            span_end="span_end",
        )


def blocks(raw_file: RawFile, start: int) -> Iterator[Block | Line]:
    r"""The lines of a file from byte `start` on, in blocks; a line that fits in no block comes by itself, perhaps cut.

    A file whose lines end in \r alone, as on old Macs, comes line by line.
    """
    with raw_file.path.open("rb") as file:
        while True:
            file.seek(start)
            content = file.read(BLOCK_BYTES)
            if not content:
                return
            is_last = start + len(content) >= raw_file.size_bytes
            end = len(content) if is_last else content.rfind(b"\n") + 1
            if end:
                yield Block(content if end == len(content) else content[:end], start)
                start += end
                continue
            for line in byte_lines(raw_file.path, start, raw_file.limits.entry_bytes):
                yield line
                start += line.size_bytes
                if not line.content.endswith(b"\r"):
                    break


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, the next one being made in another thread while one is used: Polars and PyArrow let both run."""
    with ThreadPoolExecutor(max_workers=1) as executor:
        coming = executor.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = executor.submit(next, items, None)
            yield item
