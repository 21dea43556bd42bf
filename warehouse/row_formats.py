"""This module prints rows: as a table for people, as CSV, JSON, JSON lines or Markdown for whatever comes next.

All but the table stream: a batch is written as it comes. Dates and times are ISO text, decimals, intervals and UUIDs
strings, blobs base64. Only the table imports rich.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, Literal, TextIO, TypeVar

Format = Literal["table", "csv", "json", "jsonl", "markdown"]

_Rows = TypeVar("_Rows", bound=Any)

Row = Sequence[object]
Batches = Iterable[Sequence[Row]]

TABLE_ROWS = 200
"""Most rows a table shows; who wants all takes another format."""

_WIDTH_WITHOUT_TERMINAL = 120


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows were written, and whether there were more."""

    rows: int
    is_cut: bool = False


def write_rows(
    columns: Sequence[str],
    types: Sequence[str],
    batches: Batches,
    format: Format,
    out: TextIO,
    *,
    width: int | None = None,
    table_rows: int = TABLE_ROWS,
    wraps: bool = False,
) -> Written:
    """Writes rows to `out`; `types` are DuckDB's names, used for aligning and for integers too wide for 128 bits.

    `width` (characters of a table's line) is by default the terminal's, or 120 where there is none. A text too wide for
    its column of a table is cut, or with `wraps` goes on below.
    """
    if format == "table":
        from warehouse.row_tables import write_table  # rich: 0.1 s

        return write_table(columns, types, batches, out, width or terminal_width(out), table_rows, wraps=wraps)
    writers: dict[str, Callable[[Sequence[str], Iterator[list[object]], TextIO], int]] = {
        "csv": _write_csv,
        "json": _write_json,
        "jsonl": _write_jsonl,
        "markdown": _write_markdown,
    }
    return Written(writers[format](columns, _plain_rows(types, batches), out))


class FirstRows(Generic[_Rows]):
    """At most `limit` rows of batches (lists, or Arrow's), all where it is None; afterwards `is_cut` tells if there were more.

    >>> first = FirstRows([[1, 2], [3, 4], [5]], 3)
    >>> list(first), first.is_cut
    ([[1, 2], [3]], True)
    """

    def __init__(self, batches: Iterable[_Rows], limit: int | None) -> None:
        self.is_cut = False
        self._batches = batches
        self._limit = limit

    def __iter__(self) -> Iterator[_Rows]:
        """The batches, the last one cut to what is left of the limit."""
        left = self._limit
        for batch in self._batches:
            if left is None:
                yield batch
            elif len(batch) <= left:
                left -= len(batch)
                yield batch
            else:
                self.is_cut = True
                if left:
                    yield batch[:left]
                return


@contextmanager
def quiet_when_reader_leaves(out: TextIO) -> Iterator[None]:
    """Within it, a reader of `out` that has left (`paperlake sql … | head`) ends the writing without an error.

    `out` then leads nowhere, so that Python's own flush at exit does not complain either.
    """
    try:
        yield
        out.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, out.fileno())
        os.close(nowhere)


def plain_value(value: object) -> object:
    """`value` as JSON can hold it: null, boolean, number, string, list or object.

    >>> import datetime, decimal
    >>> plain_value([datetime.date(2024, 5, 7), decimal.Decimal("1.50"), float("nan"), b"ab", {"a": (1, None)}])
    ['2024-05-07', '1.50', None, 'YWI=', {'a': [1, None]}]
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [plain_value(member) for member in value]
    if isinstance(value, dict):
        return {_key_text(key): plain_value(member) for key, member in value.items()}
    if isinstance(value, bytes | bytearray | memoryview):
        import base64

        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def cell_text(value: object) -> str:
    """A value of `plain_value` as the text of one cell: nothing for null, JSON for booleans, lists and objects.

    >>> [cell_text(value) for value in (None, True, 2.0, "a", ["é"])]
    ['', 'true', '2.0', 'a', '["é"]']
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else _json(value)


def distinct_names(columns: Sequence[str]) -> list[str]:
    """The names of the columns; a name seen before gets a number, for an object, or a Parquet file, holds each once.

    >>> distinct_names(["a", "a", "b", "a_1", "a"])
    ['a', 'a_2', 'b', 'a_1', 'a_3']
    """
    names: list[str] = []
    taken = set(columns)
    for column in columns:
        name, number = column, 1
        while name in names or (number > 1 and name in taken):
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def terminal_width(out: TextIO) -> int:
    """How many characters a line of `out` may have."""
    return shutil.get_terminal_size((_WIDTH_WITHOUT_TERMINAL, 24)).columns if out.isatty() else _WIDTH_WITHOUT_TERMINAL


# ---------------------------------------------------------------------------------------------------------------------


def _plain_rows(types: Sequence[str], batches: Batches) -> Iterator[list[object]]:
    """The rows of all batches as plain values."""
    wide = [place for place, kind in enumerate(types) if kind == "BIGNUM"]
    for row in chain.from_iterable(batches):
        plain = [plain_value(value) for value in row]
        for place in wide:  # DuckDB gives them as digits; Python reads no more than 4300 of them
            digits = plain[place]
            if isinstance(digits, str) and len(digits) <= 4300:
                plain[place] = int(digits)
        yield plain


def _write_csv(columns: Sequence[str], rows: Iterator[list[object]], out: TextIO) -> int:
    """Writes CSV as RFC 4180 has it: a header, CR LF at line ends, quotes where needed."""
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    count = 0
    for count, row in enumerate(rows, start=1):  # noqa: B007 - the count is what remains
        writer.writerow([cell_text(value) for value in row])
    return count


def _write_json(columns: Sequence[str], rows: Iterator[list[object]], out: TextIO) -> int:
    """Writes one JSON array of objects, one a line."""
    names = distinct_names(columns)
    count = 0
    out.write("[")
    for count, row in enumerate(rows, start=1):
        out.write(("\n" if count == 1 else ",\n") + _json(dict(zip(names, row, strict=True))))
    out.write("\n]\n" if count else "]\n")
    return count


def _write_jsonl(columns: Sequence[str], rows: Iterator[list[object]], out: TextIO) -> int:
    """Writes one JSON object a line."""
    names = distinct_names(columns)
    count = 0
    for count, row in enumerate(rows, start=1):  # noqa: B007
        out.write(_json(dict(zip(names, row, strict=True))) + "\n")
    return count


def _write_markdown(columns: Sequence[str], rows: Iterator[list[object]], out: TextIO) -> int:
    """Writes a Markdown table."""
    out.write(_markdown_line(columns) + _markdown_line(["---"] * len(columns)))
    count = 0
    for count, row in enumerate(rows, start=1):  # noqa: B007
        out.write(_markdown_line([cell_text(value) for value in row]))
    return count


def _markdown_line(cells: Sequence[str]) -> str:
    """One line of a Markdown table; pipes, backslashes and angle brackets escaped, line breaks as `<br>`."""
    escaped = (re.sub(r"([\\|<`])", r"\\\1", cell) for cell in cells)
    return "| " + " | ".join(re.sub(r"\r\n|[\r\n\v\f\x85\u2028\u2029]", "<br>", cell) for cell in escaped) + " |\n"


def _json(value: object) -> str:
    """`value` as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _key_text(key: object) -> str:
    """The key of a map as that of a JSON object."""
    return key if isinstance(key, str) else cell_text(plain_value(key))
