"""This module is the command `sql`, as it is typed; `flows.commands.sql_answer` does what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from flows.commands.cli_options import AtOption, LakeOption, TimeoutOption
from warehouse.row_formats import TABLE_ROWS, Format


def sql(
    query: Annotated[
        str | None,
        Parameter(help="one SELECT (or VALUES, PIVOT, DESCRIBE, SHOW, SUMMARIZE, EXPLAIN) in DuckDB's SQL"),
    ] = None,
    /,
    *,
    file: Annotated[
        Path | None,
        Parameter(name=["--file", "-f"], allow_leading_hyphen=True, help="a file with the query; - for standard input"),
    ] = None,
    param: Annotated[
        list[str] | None,
        Parameter(
            name="--param",
            negative=(),
            allow_leading_hyphen=True,
            help="name=value, once a parameter: the value of $name in the query",
        ),
    ] = None,
    lake: LakeOption = None,
    at: AtOption = None,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="write all rows to a .parquet, .csv, .json, .jsonl or .xlsx file")
    ] = None,
    format: Annotated[Format | None, Parameter(help="how rows are printed on standard output; default table")] = None,
    limit: Annotated[
        int | None, Parameter(help=f"how many rows at most; 0 for all; default all, of a table the first {TABLE_ROWS}")
    ] = None,
    timeout: TimeoutOption = None,
) -> int:
    """Answer a question from a release, read-only and sandboxed; without a query, on a terminal, open a shell.

    The value of a parameter is bound, never pasted. It is a text, as one in single quotes is: `year = $year` works, and
    where nothing says a type it is written out, as in `year + $years::int`.

    Example: paperlake sql 'select title from papers where venue_id = $venue order by year' --param venue=iclr -o papers.xlsx
    """
    from flows.commands.sql_answer import SqlRequest, answer_or_open_shell

    return answer_or_open_shell(SqlRequest(query, file, tuple(param or ()), lake, at, output, format, limit, timeout))
