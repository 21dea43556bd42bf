"""This module is `paperlake export`: a release's tables, papers or an answer as files for other tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from flows.commands.cli_options import AtOption, LakeOption, TimeoutOption
from warehouse.exports.request import ExportFormat

if TYPE_CHECKING:
    from flows.settings import Settings
    from warehouse.exports.contents import Contents, ExportedTable
    from warehouse.exports.exporting import Surroundings
    from warehouse.exports.request import Query
    from warehouse.layout import Lake


def export(
    *tables: Annotated[str, Parameter(help="the tables; default all, for bibtex, ris and csl-json the papers")],
    format: Annotated[ExportFormat, Parameter(help="how they are written")] = "parquet",
    to: Annotated[Path | None, Parameter(help="the folder to make; default exports/RELEASE-FORMAT in the lake")] = None,
    query: Annotated[
        str | None, Parameter(help="export the answer to a saved query, by its name or file, or to one SELECT in SQL")
    ] = None,
    param: Annotated[
        list[str] | None, Parameter(negative=(), allow_leading_hyphen=True, help="name=value, once a parameter of the query")
    ] = None,
    where: Annotated[
        str | None, Parameter(help="a condition on papers, in SQL: other tables keep what belongs to the papers it holds for")
    ] = None,
    split: Annotated[
        str | None,
        Parameter(help="parts and shares, such as train=0.8,validation=0.1,test=0.1, by sha256 of work_id: no work is parted"),
    ] = None,
    partition_by: Annotated[
        str | None, Parameter(help="columns such as venue_id,year: a folder a value (parquet, csv, jsonl)")
    ] = None,
    bom: Annotated[bool, Parameter(negative=(), help="CSV begins with a byte order mark, which Excel wants for UTF-8")] = False,
    raw_cells: Annotated[
        bool, Parameter(negative=(), help="CSV without the ' before texts that a spreadsheet may run (beginning with = + - @)")
    ] = False,
    replace: Annotated[bool, Parameter(negative=(), help="replace what an earlier export put into the folder")] = False,
    lake: LakeOption = None,
    at: AtOption = None,
    timeout: TimeoutOption = None,
) -> int:
    """Write tables, papers or an answer into a folder, described and checksummed, for other tools.

    Beside them stand README.md (a data dictionary), datapackage.json (Frictionless), croissant.json (Croissant) and
    SHA256SUMS. The same release and options give the same bytes. Tables that are of no one paper (raw_files, ledger, …) are
    whole whatever --where, --split and --partition-by say.

    Example: paperlake export papers authorships --to out --format csv --where "year >= 2020"
    """
    from flows.settings import load_settings
    from warehouse.exports.exporting import export_release
    from warehouse.exports.folder import export_target, exports_dir_of
    from warehouse.exports.request import ExportRequest, check_request, parse_split
    from warehouse.history import find_release
    from warehouse.layout import Lake

    settings = load_settings()
    found = Lake(settings.lake_path(lake))
    asked, releases = _query(query, param or [])
    request = ExportRequest(
        format=format,
        tables=tables,
        query=asked,
        where=where,
        split=parse_split(split) if split is not None else (),
        partition_by=tuple(name.strip() for name in partition_by.split(",")) if partition_by is not None else (),
        has_bom=bom,
        keeps_raw_cells=raw_cells,
        kinds=_venue_kinds(settings, format),
    )
    check_request(request)
    release_dir = find_release(found, at)
    target = export_target(to or exports_dir_of(found) / f"{release_dir.name}-{format}", found, replaces=replace)
    surroundings = _surroundings(settings, found, timeout, releases)
    _print(export_release(release_dir, request, target, surroundings), target)
    return 0


def _query(text: str | None, given: Sequence[str]) -> tuple[Query | None, Mapping[str, str]]:
    """What `--query` asks for, with the releases for its schemas: a saved query, a person's own file, or SQL."""
    from flows.commands.sql_answer import parameter_values
    from flows.settings import ConfigError
    from warehouse.exports.request import Query
    from warehouse.saved_queries import bind_parameters, find_saved_query

    values = parameter_values(given)
    if text is None:
        if values:
            raise ConfigError("--param gives a value to a --query; there is none")
        return None, {}
    if not (_NAME.fullmatch(text) or text.endswith(".sql")):
        return Query("query", text, parameters=values), {}
    saved = find_saved_query(text)
    bound = bind_parameters(saved, values)
    meaning = saved.grain or saved.meaning or saved.title
    return Query(_safe_name(saved.name), saved.sql, meaning, bound.values), bound.releases


_NAME = re.compile(r"\w+")


def _safe_name(name: str) -> str:
    """The name of a person's file as one that a file and a resource of a data package may have."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-") or "query"


def _venue_kinds(settings: Settings, format: ExportFormat) -> Mapping[str, str]:
    """The kinds of the curated venues, which references need."""
    from flows.settings import load_venue_aliases
    from warehouse.exports.request import CITATION_FORMATS

    if format not in CITATION_FORMATS:
        return {}
    return {venue_id: kind for _, venue_id, _, kind in load_venue_aliases(settings)}


def _surroundings(settings: Settings, lake: Lake, timeout: float | None, releases: Mapping[str, str]) -> Surroundings:
    import dataclasses

    from flows.commands import read_commands
    from flows.settings import ConfigError
    from warehouse.exports.exporting import Surroundings
    from warehouse.exports.terms import SourceTerms
    from warehouse.history import find_release

    limits = settings.query_limits()
    if timeout is not None:
        if not timeout > 0:
            raise ConfigError(f"--timeout {timeout:g}: expected seconds above 0")
        limits = dataclasses.replace(limits, time_seconds=timeout)
    terms = {
        source.name: SourceTerms(source.name, source.license, source.homepage, source.citation) for source in settings.sources
    }
    beside = {schema: find_release(lake, other) for schema, other in releases.items()}
    return Surroundings(lake.spill_dir, limits, terms, beside, caps_memory=read_commands.owns_process)


def _print(contents: Contents, target: Path) -> None:
    """Prints what was exported, a line a table, and what there is to say of it."""
    from warehouse.exports.terms import terms_sentences

    size_bytes = sum(file.size_bytes for file in contents.files())
    print(f"exported release {contents.release_id} to {target}: {len(contents.files()):,} files, {size_bytes:,} bytes")
    width = max(len(table.name) for table in contents.tables)
    for table in contents.tables:
        print(f"  {table.name:<{width}}  {table.counted.rows:>11,} rows  {_place(table)}")
    for sentence in (*contents.notes, *terms_sentences(contents.terms)):
        print(sentence)


def _place(table: ExportedTable) -> str:
    if len(table.files) == 1:
        return f"{table.files[0].place}" + (f", sheet {', '.join(table.sheets)}" if table.sheets else "")
    return f"{len(table.files):,} files in {table.name}/"
