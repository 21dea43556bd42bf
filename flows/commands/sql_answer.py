"""This module answers `paperlake sql`: where the query comes from, what its parameters are, and where its rows go."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from flows.commands.read_commands import answer
from flows.settings import ConfigError, load_settings
from warehouse.row_formats import TABLE_ROWS, FirstRows, Format, write_rows

if TYPE_CHECKING:
    from warehouse.query import QueryResult


@dataclass(frozen=True, slots=True)
class SqlRequest:
    """What `paperlake sql` was asked for, as it was typed."""

    query: str | None = None
    file: Path | None = None
    params: tuple[str, ...] = ()
    lake: Path | None = None
    at: str | None = None
    output: Path | None = None
    format: Format | None = None
    limit: int | None = None
    timeout: float | None = None


def answer_or_open_shell(request: SqlRequest) -> int:
    """Prints or writes the answer to the query; without one, on a terminal, opens the shell.

    Raises:
        ConfigError: the options exclude each other, or the query or a parameter is missing or malformed.
        PaperlakeError: the query is refused or fails, or the file cannot be written.
    """
    if request.limit is not None and request.limit < 0:
        raise ConfigError(f"--limit {request.limit}: expected a number of rows, or 0 for all")
    if request.output is not None and request.format is not None:
        raise ConfigError(
            f"--format {request.format} and -o {request.output} exclude each other: the file's ending says its format"
        )
    if request.query is None and request.file is None and _is_terminal():
        return _open_shell(request)
    text, values = read_query(request.query, request.file), parameter_values(request.params)
    with _named_parameters():
        if request.output is not None:
            return _write(request, request.output, text, values)
        return _print(request, text, values)


def read_query(query: str | None, file: Path | None) -> str:
    """The text of the query: as given, from a file, or from standard input where that is no terminal.

    Raises:
        ConfigError: both or neither are given, or the file cannot be read.
    """
    if query is not None and file is not None:
        raise ConfigError(f"expected one query, found a QUERY and -f {file}; leave one out")
    if query is not None:
        return query
    if file is not None and str(file) != "-":
        try:
            with file.open("rb") as source:
                return _text(source, f"-f {file}")
        except OSError as error:
            raise ConfigError(f"-f {file}: {error.strerror}") from error
    if sys.stdin is None or (file is None and sys.stdin.isatty()):
        raise ConfigError("no query: give a QUERY, or -f FILE; the shell wants a terminal to print to")
    text = _text(sys.stdin.buffer, "standard input")
    if not text.strip():
        raise ConfigError("no query: standard input is empty; give a QUERY, -f FILE, or pipe one in")
    return text


def parameter_values(given: Iterable[str]) -> dict[str, str]:
    """The values of `--param name=value` by name; a value is a text, which may be empty or hold more equals signs.

    >>> parameter_values(["venue=ICLR", "marks=a=b", "none="])
    {'venue': 'ICLR', 'marks': 'a=b', 'none': ''}

    Raises:
        ConfigError: one has not this form, holds bytes that are not UTF-8, or comes twice.
    """
    values: dict[str, str] = {}
    for text in given:
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ConfigError(f"--param {text}: expected text in UTF-8")
        found = _PARAMETER.fullmatch(text)
        if not found:
            raise ConfigError(f"--param {text}: expected name=value, such as --param year=2024 for $year in the query")
        name = found["name"].lower()
        if name in values:
            raise ConfigError(f"--param {text}: {name} has a value already ({values[name]})")
        values[name] = found["value"]
    return values


_PARAMETER = re.compile(r"(?P<name>[^\W\d]\w*|[1-9]\d*)=(?P<value>.*)", re.DOTALL)


def _is_terminal() -> bool:
    """Whether a person can be asked and answered."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _open_shell(request: SqlRequest) -> int:
    if request.params or request.output is not None or request.limit is not None:
        raise ConfigError("--param, -o and --limit want a QUERY; the shell, which opens without one, has none of them")
    from flows.commands.sql_shell import open_shell

    return open_shell(request.lake, request.at, request.format or "table", request.timeout)


def _text(source: BinaryIO, name: str) -> str:
    """The text of a query, which is not read further than a query may be long."""
    from warehouse.sandbox import LONGEST_QUERY_CHARACTERS

    content = source.read(4 * LONGEST_QUERY_CHARACTERS + 1)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: expected a query in UTF-8; byte {error.start + 1:,} is none of it") from error


def _print(request: SqlRequest, text: str, values: dict[str, str]) -> int:
    """Prints the answer on standard output."""
    with answer(text, request.lake, at=request.at, timeout_seconds=request.timeout, parameters=values) as result:
        print_result(result, request.format or "table", request.limit)
    return 0


def _write(request: SqlRequest, output: Path, text: str, values: dict[str, str]) -> int:
    """Writes the answer to a file, and says what was written."""
    from warehouse.row_files import output_path

    target = output_path(output, load_settings().lake_path(request.lake))
    with answer(
        text, request.lake, at=request.at, timeout_seconds=request.timeout, parameters=values, is_deferred=True
    ) as result:
        write_result_to(result, target, output, request.limit)
    return 0


def print_result(result: QueryResult, format: Format, limit: int | None) -> None:
    """Prints rows on standard output, at most `limit` of them; None is all, of a table its first, and 0 all of a table too."""
    batches = FirstRows(result.batches(), limit or None)
    most_rows = TABLE_ROWS if limit is None else limit or sys.maxsize
    write_rows(result.columns, result.types, batches, format, sys.stdout, table_rows=most_rows)
    _say_if_cut(batches.is_cut, limit)


def write_result_to(result: QueryResult, target: Path, output: Path, limit: int | None) -> None:
    """Writes rows to the file `target`, which a person called `output`, and says what was written."""
    from warehouse.row_files import write_result

    written = write_result(result, target, limit=limit or None)
    print(f"wrote {written.rows:,} row{'' if written.rows == 1 else 's'} to {output}")
    _say_if_cut(written.is_cut, limit)
    if written.cut_cells:
        texts = f"{written.cut_cells:,} text{' was' if written.cut_cells == 1 else 's were'}"
        print(f"paperlake: {texts} too long for an Excel cell and cut, ending in …; .csv keeps all", file=sys.stderr)


@contextmanager
def _named_parameters() -> Iterator[None]:
    """Says how to give a value for a parameter where one is missing."""
    from warehouse.query_parameters import ParameterError

    try:
        yield
    except ParameterError as error:
        hint = " (--param name=value gives one)" if error.is_missing else ""
        raise ConfigError(f"{error}{hint}") from error


def _say_if_cut(is_cut: bool, limit: int | None) -> None:
    if is_cut:
        print(f"paperlake: the first {limit:,} row{'' if limit == 1 else 's'}; there are more (--limit)", file=sys.stderr)
