"""This module is `paperlake verify`: what is amiss in a release, listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from flows.commands.cli_options import FormatOption, LakeOption

if TYPE_CHECKING:
    from pathlib import Path

    from warehouse.layout import Lake


def verify(
    release: Annotated[
        str | None,
        Parameter(help="which: its id or the id's start, `previous`, or a date or time; default the current one"),
    ] = None,
    /,
    *,
    all: Annotated[bool, Parameter(negative=(), help="look through every release of the lake")] = False,
    raw: Annotated[bool, Parameter(negative=(), help="look at the raw files too that it was made from")] = False,
    lake: LakeOption = None,
    format: FormatOption = "table",
) -> int:
    """Look a release through: each file's sha256, size and schema, the counts of rows, the id, the ledger, stray files.

    Every finding is a row; exit code 1 if there is one. A current release that is damaged is made anew by the next run.

    Example: paperlake verify --all --raw
    """
    import sys

    from flows.commands.read_commands import print_rows
    from flows.settings import ConfigError, load_settings
    from flows.versions import code_version
    from warehouse.layout import Lake
    from warehouse.verify import Verifier

    if all and release is not None:
        raise ConfigError("--all and a release exclude each other")
    found = Lake(load_settings().lake_path(lake))
    found.require_lake()
    verifier, rows, count, advice = Verifier(found, code_version()), [], 0, ""
    for folder in _folders(found, release, is_all=all):
        findings = verifier.findings(folder)
        if findings and folder.name == found.current_link.resolve().name:
            advice = _let_it_be_made_anew(found)
        findings += verifier.raw_findings(folder) if raw else []
        rows += [(each.release_id, each.path, each.problem, each.message) for each in findings]
        count += 1
    if rows or format != "table":
        print_rows(("release_id", "path", "problem", "message"), rows, format)
    of = f"{count} release{'' if count == 1 else 's'}, {verifier.bytes_hashed:,} bytes looked through"
    print(f"{of}: {len(rows)} finding{'' if len(rows) == 1 else 's'}{advice}" if rows else f"{of}: sound", file=sys.stderr)
    return 1 if rows else 0


def _let_it_be_made_anew(lake: Lake) -> str:
    """Lets the next run look at every byte of the current release, also where no stat tells of the damage."""
    from contextlib import suppress

    from warehouse.pins import read_pin
    from warehouse.release_files import doubt_files

    with suppress(OSError):  # in a lake that one may only read
        doubt_files(lake)
    if read_pin(lake) is None:
        return "; the next `paperlake run` makes the current release anew"
    return "; the current release is pinned, and not made anew: put back a copy of it, or roll back to another"


def _folders(lake: Lake, release: str | None, *, is_all: bool) -> list[Path]:
    """The folders to look through. One that is damaged is found by its whole id, though no reader would find it."""
    from warehouse.history import find_release

    if is_all:
        return sorted(path for path in lake.releases_dir.glob("r*") if path.is_dir())
    if release is not None:
        by_id = [path for path in lake.releases_dir.glob("r*") if path.name == release.lower()]
        return by_id or [find_release(lake, release)]
    pointed = lake.current_link.is_symlink() and lake.releases_dir / lake.current_link.readlink().name
    return [pointed] if pointed and pointed.is_dir() else [lake.require_release()]
