"""This module is the commands that change a lake without running the pipeline: `catalog` and `forget`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flows.progress import progress
from flows.settings import load_settings
from warehouse.landing import landed_hash
from warehouse.layout import Lake
from warehouse.live import COMMAND_LINE, match_names, read_live, write_live
from warehouse.lock import hold_lock


def rebuild_catalog(lake_path: Path | None) -> int:
    """Writes the lake's DuckDB file anew."""
    from warehouse.catalog import build_catalog

    lake = Lake(load_settings().lake_path(lake_path))
    print(build_catalog(lake.path, lake.require_release()))
    return 0


def forget_files(names: Sequence[str], lake_path: Path | None, *, erase: bool, wait_seconds: float | None) -> int:
    """Takes the raw files that `names` mean out of the live set, and with `erase` out of `raw/`."""
    settings = load_settings()
    lake = Lake(settings.lake_path(lake_path))
    lake.require_lake()
    wait_seconds = settings.run.wait_seconds if wait_seconds is None else wait_seconds
    with progress() as say, hold_lock(lake, wait_seconds=wait_seconds, on_wait=say, command="paperlake forget"):
        live = read_live(lake)
        kept = {given: landed_hash(lake, given) for given in names} if erase else {}
        live_hashes = {name.sha256 for name in live}
        not_live = {sha256 for sha256 in kept.values() if sha256 and sha256 not in live_hashes}
        dropped = {name for given in names if kept.get(given) not in not_live for name in match_names(live, given)}
        write_live(lake, live - dropped)
        still_live = {name.sha256 for name in live - dropped}
        gone = sorted(({name.sha256 for name in dropped} - still_live) | not_live)
        if erase:
            for sha256 in gone:
                lake.raw_path(sha256).unlink(missing_ok=True)
    for name in sorted(dropped):
        erased = " and erased it" if erase and name.sha256 in gone else ""
        print(f"forgot {name.source}/{name.source_path} ({name.sha256[:12]}){erased}")
    for sha256 in sorted(not_live):
        print(f"erased {sha256[:12]}, which was forgotten before")
    if any(name.source != COMMAND_LINE for name in dropped):
        print("files that still stand in the folder of their source land again with the next run of the sources.")
    print("`paperlake run` without files publishes a release without them; releases published before still hold their records.")
    return 0
