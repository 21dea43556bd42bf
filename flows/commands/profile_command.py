"""This module is `paperlake profile`: what is in the columns of a table, or of a file, landed or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from flows.commands.cli_options import AtOption, LakeOption
from transforms.schemas import TABLES, PaperlakeError
from warehouse.names import did_you_mean

if TYPE_CHECKING:
    import duckdb

    from flows.settings import Settings

ProfileFormat = Literal["text", "csv", "json", "jsonl", "markdown"]


@dataclass(frozen=True, slots=True)
class Profiled:
    """What is profiled: its name for people, its connection and table, whether its texts may be numbers, and what it states.

    `stated` are the control totals of a file that has figures of its own, as in the table `control_totals`.
    """

    name: str
    connection: duckdb.DuckDBPyConnection
    table: str
    reads_numbers: bool = False
    stated: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


def profile(
    table: Annotated[
        str, Parameter(help="a table of a release; or a file: Parquet, CSV, JSON lines, or any list paperlake reads")
    ],
    /,
    *,
    columns: Annotated[
        tuple[str, ...], Parameter(negative=(), help="only these columns; several with commas, or the option again")
    ] = (),
    lake: LakeOption = None,
    at: AtOption = None,
    format: Annotated[ProfileFormat, Parameter(help="how it is printed on standard output")] = "text",
) -> int:
    """Profile columns: nulls, distinct values, lengths, classes with counts, numbers, dates, with histograms.

    The definitions are those of the dataset viewer, so that the profile of a list can be laid beside the figures in the head of
    a page of it: a string column is one of classes where it has 10 distinct values or fewer, or 1,000 or fewer that are a fifth
    of its rows or fewer. Of a file that a reader takes the raw columns are profiled, and the figures it states of itself stand
    beside those found.

    Example: paperlake profile papers --columns title,decision
    """
    from flows.commands.profile_text import print_profile
    from flows.settings import load_settings
    from warehouse.profiles import column_types, profile_columns

    settings = load_settings()
    with _opened(table, lake, at, settings) as profiled:
        chosen = _chosen(columns, list(column_types(profiled.connection, profiled.table)), profiled.name)
        found = profile_columns(profiled.connection, profiled.table, chosen, reads_numbers=profiled.reads_numbers)
        print_profile(profiled.name, found, profiled.stated, profiled.notes, format)
    return 0


@contextmanager
def _opened(name: str, lake_path: Path | None, at: str | None, settings: Settings) -> Iterator[Profiled]:
    """The table of the release, else the file, that is called so.

    Raises:
        PaperlakeError: there is neither, or the file holds no rows that can be read.
    """
    from flows.settings import ConfigError
    from warehouse.history import find_release
    from warehouse.layout import Lake
    from warehouse.sandbox import open_release

    path = Path(name)
    if name not in TABLES and path.exists():
        if at is not None:
            raise ConfigError(f"--at {at}: {name} is a file, and of no release")
        with _opened_file(path, settings) as profiled:
            yield profiled
        return
    lake = Lake(settings.lake_path(lake_path))
    release = find_release(lake, at)
    with open_release(release, spill_dir=lake.spill_dir, limits=settings.query_limits()) as connection:
        rows = connection.execute("select view_name from duckdb_views() where not internal order by view_name").fetchall()
        known = [str(row[0]) for row in rows]
        if name not in known:
            hint = did_you_mean(name, known, f"tables are: {', '.join(known)}")
            raise PaperlakeError(f"there is no table or file '{name}'; {hint}")
        yield Profiled(f"{name} of release {release.name}", connection, name)


@contextmanager
def _opened_file(path: Path, settings: Settings) -> Iterator[Profiled]:
    """The rows of a file: as they are in Parquet, CSV and JSON lines, else the raw columns of the records in it."""
    import tempfile

    import duckdb

    from warehouse.profile_files import FILE_TABLE, is_read_directly, open_file

    limits = settings.query_limits()
    with tempfile.TemporaryDirectory(prefix="paperlake-") as folder_name, ExitStack() as stack:
        folder = Path(folder_name)
        notes: tuple[str, ...] = ()
        if path.is_file() and path.stat().st_size and is_read_directly(path):
            try:
                connection = stack.enter_context(open_file(path, spill_dir=folder, limits=limits))
            except duckdb.Error as error:
                notes = (f"not read as {path.suffix[1:]} but by a reader: {str(error).splitlines()[0]}",)
            else:
                yield Profiled(path.name, connection, FILE_TABLE)
                return
        from flows.commands.profile_reading import raw_lines

        lines = raw_lines(path, settings, folder)
        connection = stack.enter_context(open_file(lines.path, spill_dir=folder, limits=limits))
        said = (*notes, *lines.notes)
        yield Profiled(path.name, connection, FILE_TABLE, reads_numbers=True, stated=lines.control_totals, notes=said)


def _chosen(given: Sequence[str], known: Sequence[str], name: str) -> list[str]:
    """The columns that are asked for, in the order of the table; all where none is."""
    asked = [part for word in given for part in ([word] if word in known else word.split(","))]
    for column in asked:
        if column not in known:
            hint = did_you_mean(column, known, f"columns are: {', '.join(known)}")
            raise PaperlakeError(f"{name} has no column '{column}'; {hint}")
    return [column for column in known if not asked or column in asked]
