"""This module is the command `query`: it lists the saved views and queries, runs one, and draws its answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from flows.commands.cli_options import AtOption, FormatOption, LakeOption, TimeoutOption
from flows.settings import ConfigError

if TYPE_CHECKING:
    from warehouse.query import QueryResult
    from warehouse.saved_queries import Plot

_PLOT_ENDINGS = (".html", ".svg", ".png")
"""What `warehouse.plots.write_plot` tells the kind of file by."""


def query(
    name: Annotated[
        str | None, Parameter(help="a saved view or query, or a file of your own (mine.sql); none lists them")
    ] = None,
    /,
    *,
    param: Annotated[
        list[str] | None, Parameter(name="--param", negative=(), help="a parameter's value, as name=value; repeatable")
    ] = None,
    describe: Annotated[bool, Parameter(negative=(), help="show its header and its SQL instead of running it")] = False,
    plot: Annotated[
        list[str] | None,
        Parameter(
            name="--plot",
            negative=(),
            consume_multiple=(0, 2),
            help="draw it: as bars in the terminal, or into FILE.html (works without a network), FILE.svg or FILE.png",
        ),
    ] = None,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="write the rows to FILE.parquet, .csv, .json, .jsonl or .xlsx")
    ] = None,
    limit: Annotated[int | None, Parameter(help="how many rows at most; 0 for all")] = None,
    lake: LakeOption = None,
    at: AtOption = None,
    format: FormatOption = "table",
    timeout: TimeoutOption = None,
) -> int:
    """List the saved views and queries, or run one, and draw its answer.

    A view is also there by its name in `paperlake sql` and in paperlake.duckdb. A file of your own begins with lines as
    --describe shows them; its parameters stand there, and as $name in its SQL.

    Example: paperlake query papers_by_venue_year --plot
    """
    name, plot_file = _name_and_plot(name, plot)
    if limit is not None and limit < 0:
        raise ConfigError(f"--limit {limit}: expected a number of rows, or 0 for all")
    if output is not None and plot is not None:
        raise ConfigError("--output writes rows and --plot draws them: give one of them")
    if name is None:
        if param or describe or plot is not None or output is not None or limit is not None:
            raise ConfigError("expected the name of a saved view or query, or a file of your own; `paperlake query` lists them")
        return _list(format)
    from warehouse.saved_queries import bind_parameters, find_saved_query

    saved = find_saved_query(name)
    if describe:
        from warehouse.row_tables import printable

        print("\n".join(printable(line) for line in saved.sql.strip().splitlines()))
        return 0
    if plot is not None and saved.plot is None:
        raise ConfigError(f"{name} does not say how it is drawn: add a line such as `-- plot: bar x=paper_count y=venue`")
    from flows.commands.read_commands import answer
    from flows.commands.sql_answer import parameter_values, print_result, write_result_to

    bound = bind_parameters(saved, parameter_values(param or []))
    file = output or plot_file
    target = _target(file, lake, _PLOT_ENDINGS if plot_file else None)
    options: dict[str, Any] = {"at": at, "timeout_seconds": timeout, "is_deferred": output is not None}
    with (
        _declared_parameters(name),
        answer(saved.sql, lake, parameters=bound.values, beside=bound.releases, **options) as result,
    ):
        if saved.plot is not None and plot is not None:
            _draw(saved.title, saved.plot, result, target, limit)
        elif target is not None and file is not None:
            write_result_to(result, target, file, limit)
        else:
            print_result(result, format, limit)
    return 0


def _list(format: FormatOption) -> int:
    """Prints the saved views and queries."""
    from flows.commands.read_commands import print_rows
    from warehouse.saved_queries import saved_queries

    rows = [
        (
            saved.name,
            "view" if saved.is_view else "query",
            saved.title,
            ", ".join(parameter.name for parameter in saved.parameters),
        )
        for saved in saved_queries()
    ]
    print_rows(("name", "kind", "title", "parameters"), rows, format)
    return 0


@contextmanager
def _declared_parameters(name: str) -> Iterator[None]:
    """Says how to declare a parameter that stands in the SQL of a query, but not at its top; each that is has a value."""
    from warehouse.query_parameters import ParameterError

    try:
        yield
    except ParameterError as error:
        raise ConfigError(f"{name}: {error}; declare it at the top: `-- parameter: its_name text: what it means`") from error


def _name_and_plot(name: str | None, plot: Sequence[str] | None) -> tuple[str | None, Path | None]:
    """The query and the file to draw into. What follows `--plot` is a file by its ending, else the query."""
    words = list(plot or [])
    files = [word for word in words if word.lower().endswith(_PLOT_ENDINGS)]
    others = [word for word in words if word not in files]
    if len(files) > 1 or len(others) + (name is not None) > 1:
        wrong = others[-1] if others else files[-1]
        raise ConfigError(
            f"--plot {wrong}: expected one file that ends in {', '.join(_PLOT_ENDINGS)}, or none for the terminal"
        )
    return (others[0] if others else name), (Path(files[0]) if files else None)


def _target(path: Path | None, lake_path: Path | None, endings: Sequence[str] | None) -> Path | None:
    """Where the file is to be written; checked before the query runs."""
    if path is None:
        return None
    from flows.settings import load_settings
    from warehouse.row_files import FILE_FORMATS, output_path

    return output_path(path, load_settings().lake_path(lake_path), endings or tuple(FILE_FORMATS))


def _draw(title: str, plot: Plot, result: QueryResult, target: Path | None, limit: int | None) -> None:
    """Draws the answer into the file, or into the terminal."""
    from warehouse.drawings import read_drawing
    from warehouse.row_formats import FirstRows

    drawing = read_drawing(plot, result.columns, result.types, FirstRows(result.batches(), limit or None))
    if target is None:
        from warehouse.row_bars import write_bars

        write_bars(title, drawing, sys.stdout)
        return
    from warehouse.plots import write_plot

    write_plot(target, title, drawing)
    print(f"drawn into {target}")
