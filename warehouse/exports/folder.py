"""This module puts an export in its place: built in a folder beside it, renamed at the end, and never over anything else."""

from __future__ import annotations

import errno
import glob
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.atomic import TEMPORARY_PREFIX, crash_point, rename, sync, temporary_beside
from warehouse.exports.request import ExportError
from warehouse.layout import Lake

SUMS = "SHA256SUMS"
PACKAGE = "datapackage.json"


def exports_dir_of(lake: Lake) -> Path:
    """The folder of the lake that exports may stand in."""
    return lake.path / "exports"


def export_target(given: Path, lake: Lake, *, replaces: bool) -> Path:
    """Where an export given as `given` is to stand, links followed.

    Raises:
        ExportError: something stands there that must not be replaced, or it lies in a part of the lake that is not for it.
    """
    target = given.resolve()
    lake_dir = lake.path.resolve()
    exports_dir = exports_dir_of(lake).resolve()
    if target == lake_dir or lake_dir.is_relative_to(target):
        raise ExportError(
            f"--to {given} is the lake, or holds it; choose a folder of its own, such as {exports_dir_of(lake)}/NAME"
        )
    if target.is_relative_to(lake_dir) and exports_dir not in target.parents:
        raise ExportError(
            f"--to {given} lies in the lake {lake.path}, which only runs write to; choose {exports_dir_of(lake)}/NAME"
        )
    if target.exists() and not target.is_dir():
        raise ExportError(f"--to {given} is a file; an export is a folder: give the name of one")
    if target.is_dir() and any(target.iterdir()):
        if not replaces:
            raise ExportError(f"--to {given} is not empty; give another folder, or --replace if an export stands there")
        _check_export(target, given)
    return target


@contextmanager
def building_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside `target` that takes its place after the block, or on an error is gone."""
    building = temporary_beside(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _settle_leftovers(target)
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise  # told as everywhere
        raise ExportError(f"{building.parent} cannot be written to: {error.strerror}; give another folder by --to") from error
    try:
        yield building
        for path in sorted(building.rglob("*")):
            sync(path)
        sync(building)
        _put_in_place(building, target)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def write_sums(building: Path, sums: dict[str, str]) -> None:
    """Writes the sha256 of each file, as `sha256sum -c` reads them."""
    lines = "".join(f"{sha256}  {place}\n" for place, sha256 in sorted(sums.items()))
    (building / SUMS).write_text(lines, encoding="utf-8", newline="")


def _put_in_place(building: Path, target: Path) -> None:
    """Renames the finished folder; what it replaces is moved aside before, and removed after."""
    if not target.exists() or not any(target.iterdir()):
        rename(building, target)
        return
    old = temporary_beside(target.with_name(f"{target.name}{_REPLACED}"))
    target.replace(old)
    crash_point(f"after {target.name} was moved aside")
    rename(building, target)
    shutil.rmtree(old)


_REPLACED = ".replaced"
"""What the name of an export that is being replaced ends in."""


def _check_export(folder: Path, given: Path) -> None:
    """Raises `ExportError` unless all that is in a folder is what an earlier export put there, by its names."""
    try:
        package = json.loads((folder / PACKAGE).read_text(encoding="utf-8"))
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
        is_export = "release_id" in package["paperlake"]
    except (OSError, ValueError, KeyError, TypeError):
        is_export = False
    if not is_export:
        raise ExportError(
            f"--replace: {given} is no export of paperlake (it has no {PACKAGE} and {SUMS} of one); remove it yourself"
        )
    known = {SUMS, *(line.partition("  ")[2] for line in lines)}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder).as_posix()
        if (path.is_symlink() or not path.is_dir()) and place not in known:
            raise ExportError(f"--replace: {given} also holds {place}, which no export put there; move it away first")


def _settle_leftovers(target: Path) -> None:
    """Removes what an export to the same place left that was killed; what it was about to replace comes back."""
    name = glob.escape(target.name)
    for left in (
        *target.parent.glob(f"{TEMPORARY_PREFIX}*-{name}"),
        *target.parent.glob(f"{TEMPORARY_PREFIX}*-{name}{_REPLACED}"),
    ):
        number, _, rest = left.name.removeprefix(TEMPORARY_PREFIX).partition("-")
        if not left.is_dir() or not number.isdigit() or _is_running(int(number)):
            continue
        if rest == f"{target.name}{_REPLACED}" and not target.exists():
            left.replace(target)
        elif rest in (target.name, f"{target.name}{_REPLACED}"):
            shutil.rmtree(left, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
