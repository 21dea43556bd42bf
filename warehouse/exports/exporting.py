"""This module makes an export: it writes the files, describes them, and puts the folder in its place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transforms.schemas import TABLES
from warehouse.exports.contents import Contents, ExportedTable
from warehouse.exports.croissant import croissant
from warehouse.exports.datapackage import data_package
from warehouse.exports.folder import PACKAGE, building_folder, write_sums
from warehouse.exports.readme import export_readme
from warehouse.exports.request import CITATION_FORMATS, ExportError, ExportRequest, check_request
from warehouse.exports.selection import PAPER_OF, Selection
from warehouse.exports.table_files import write_citations, write_query, write_tables
from warehouse.exports.terms import SourceTerms
from warehouse.landing import hash_file
from warehouse.layout import LakeError, read_release
from warehouse.query import run_query
from warehouse.row_sheets import LONGEST_TEXT
from warehouse.sandbox import QueryLimits, cap_process_memory, open_release


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an export is made with: a folder to spill to, limits on what a person wrote in SQL, and what is stated of sources.

    `beside` are the releases that a query names as schemas. `caps_memory` says that this process does nothing else, so that
    its memory may be capped while it evaluates what a person wrote.
    """

    spill_dir: Path
    limits: QueryLimits
    terms: Mapping[str, SourceTerms]
    beside: Mapping[str, Path]
    caps_memory: bool = False


def export_release(release_dir: Path, request: ExportRequest, target: Path, surroundings: Surroundings) -> Contents:
    """Exports a release into the folder `target` (see `folder.export_target`); what is in it.

    Memory does not grow with the tables: rows are read, sorted on disk where they need sorting, and written in batches.

    Raises:
        ExportError: what is asked for does not go together, makes too many files, or is not in the release.
        LakeError: the release is damaged.
        QueryError: a condition or query is refused, fails or reaches a limit.
    """
    check_request(request)
    release = read_release(release_dir)
    _require_tables(release, request)
    _require_intact(release_dir, release, request)
    with building_folder(target) as building:
        tables, sources = _write(building, release_dir, request, surroundings)
        contents = Contents(
            request=request,
            release_id=str(release["release_id"]),
            schema_version=int(release["schema_version"]),
            published_at=str(release["published_at"]),
            tables=tables,
            terms=[surroundings.terms.get(name, SourceTerms(name)) for name in sources],
            notes=_notes(request, tables),
        )
        _describe(building, contents)
    return contents


def _require_tables(release: Mapping[str, Any], request: ExportRequest) -> None:
    """Raises `ExportError` if a table is asked for by its name that the release, an older one, has not."""
    for name in request.tables:
        if name not in release["tables"]:
            raise ExportError(f"release {release['release_id']} was published before there was a table {name}; leave it out")


def _require_intact(release_dir: Path, release: Mapping[str, Any], request: ExportRequest) -> None:
    """Raises `LakeError` unless the files that are read are what was published: the checksums are to vouch for that.

    Hashing the papers of a lake of a million takes less than a second. What a query reads is not known; it is not looked at.
    """
    names = {*request.table_names(), "papers", "raw_files"}
    for file in release["files"]:
        path = release_dir / file["path"]
        if file["path"].partition("/")[0] in names and not (path.is_file() and hash_file(path) == file["sha256"]):
            state = "not what was published" if path.exists() else "missing"
            raise LakeError(
                f"{file['path']} of release {release_dir.name} is {state}: `paperlake verify {release_dir.name}` says more; "
                "nothing is exported"
            )


def _write(
    building: Path, release_dir: Path, request: ExportRequest, surroundings: Surroundings
) -> tuple[list[ExportedTable], list[str]]:
    """Writes the files with rows; what is in them, and the sources of the release."""
    spill_dir, limits = surroundings.spill_dir, surroundings.limits
    connection = open_release(release_dir, spill_dir=spill_dir, limits=limits)
    try:
        found = connection.execute("select distinct source from raw_files order by source").fetchall()
        sources = [str(source) for (source,) in found]
        if request.query is not None:
            query = request.query
            if surroundings.caps_memory:
                cap_process_memory(limits)
            with run_query(
                release_dir,
                query.sql,
                spill_dir=spill_dir,
                limits=limits,
                parameters=query.parameters,
                beside=surroundings.beside,
            ) as result:
                return [write_query(building, request, result, query.meaning)], sources
        selection = Selection(connection, release_dir, request, limits, caps_memory=surroundings.caps_memory)
        if request.format in CITATION_FORMATS:
            return [write_citations(building, request, selection)], sources
        return write_tables(building, request, selection), sources
    finally:
        connection.close()


def _describe(building: Path, contents: Contents) -> None:
    """Writes the descriptions and the checksums of all files."""
    sums = {str(file.place): file.sha256 for file in contents.files()}
    texts = {
        "README.md": export_readme(contents),
        PACKAGE: _json(data_package(contents)),
        "croissant.json": _json(croissant(contents)),
    }
    for name, text in texts.items():
        (building / name).write_text(text, encoding="utf-8", newline="")
        sums[name] = hash_file(building / name)
    write_sums(building, sums)


def _json(content: Mapping[str, object]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _notes(request: ExportRequest, tables: Sequence[ExportedTable]) -> list[str]:
    """What there is to say of these files that their format does not tell."""
    notes = []
    is_apart = request.where is not None or bool(request.split)
    if whole := [table.name for table in tables if is_apart and table.name in TABLES and table.name not in PAPER_OF]:
        notes.append(f"Exported whole, as their rows are of no one paper: {', '.join(whole)}.")
    if request.partition_by and (flat := [table.name for table in tables if not table.in_folders]):
        notes.append(f"Not partitioned, as they lack {' or '.join(request.partition_by)}: {', '.join(flat)}.")
    guarded = sum(table.counted.guarded_cells for table in tables)
    if request.format == "csv" and request.keeps_raw_cells:
        notes.append("Cells are as they are: in a spreadsheet, those that begin with = + - @ may run. Import them as text.")
    elif request.format == "csv":
        notes.append(
            "Texts that a spreadsheet may run (beginning with = + - @, behind any quotes and spaces) have ' before them: "
            f"{guarded:,} cells. Numbers have not. To undo it, drop a ' before such a text. --raw-cells "
            "writes none: paperlake and other programs then read every text as it is."
        )
    if request.format == "csv":
        notes.append("No value is an empty field, an empty text a quoted one; lists are JSON arrays.")
    if request.query is not None:
        notes.append("Rows are in the order of the query; where it has none, they may come in another order each time.")
    if request.format == "xlsx":
        cut = sum(table.counted.cut_cells for table in tables)
        notes.append(
            f"An Excel cell holds {LONGEST_TEXT:,} characters: {cut:,} longer texts are cut and end in …; csv and parquet hold "
            "all of them. Every text is a text, whatever it begins with."
        )
    if many := [table.name for table in tables if len(table.sheets) > 1]:
        notes.append(f"More rows than a sheet holds go on in further sheets: {', '.join(many)}.")
    if request.format in CITATION_FORMATS:
        notes.append(
            "Keys are family name, year and first word of the title. Of several identifiers of one scheme the least is given; "
            "what has no field of its own is told by the address of its page."
        )
    return notes
