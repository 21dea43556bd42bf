"""This module is the commands on the releases of a lake: `releases`, `rollback`, `unpin` and `prune`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from flows.commands.cli_options import FormatOption, LakeOption, WaitOption

if TYPE_CHECKING:
    from pathlib import Path

    from flows.settings import Settings
    from warehouse.layout import Lake
    from warehouse.pins import Pin


def releases(
    *,
    history: Annotated[
        bool, Parameter(negative=(), help="list each time that a release became current, and why, also of those removed since")
    ] = False,
    lake: LakeOption = None,
    format: FormatOption = "table",
) -> int:
    """List the releases of the lake, the current one first: when each was current last, what made it, and how large it is.

    Example: paperlake releases --format json
    """
    from dataclasses import asdict

    from flows.commands.read_commands import print_rows
    from flows.settings import load_settings
    from warehouse.layout import Lake
    from warehouse.publications import read_publications
    from warehouse.release import list_releases

    found = Lake(load_settings().lake_path(lake))
    found.require_release()
    if history:
        rows = [asdict(each) for each in reversed(read_publications(found))]
    else:
        rows = list_releases(found)
        if format == "table":
            rows = [_short(row) for row in rows]
    print_rows(list(rows[0]), [tuple(row.values()) for row in rows], format)
    return 0


def rollback(
    release: Annotated[str, Parameter(help="which to go back to: its id or the id's start, `previous`, or a date or time")],
    /,
    *,
    because: Annotated[str, Parameter(help="why, for whoever looks at the history later")],
    lake: LakeOption = None,
    wait: WaitOption = None,
) -> int:
    """Make an earlier release current again, and pin it: what was rolled back is not published again.

    While a release is pinned, runs land, build and check, and say what they hold back (exit code 3); `paperlake unpin` lets
    them publish again. The release is looked through first: one that is damaged is refused. The current one can be pinned
    too.

    Example: paperlake rollback previous --because "the new list has its titles cut"
    """
    from flows.settings import ConfigError
    from flows.versions import code_version
    from warehouse.history import find_release
    from warehouse.layout import LakeError
    from warehouse.pins import roll_back
    from warehouse.verify import Verifier

    if not because.strip():
        raise ConfigError("--because: give a reason; who looks at the history later will want to know it")
    with _locked(lake, wait, "paperlake rollback") as (found, _):
        target = find_release(found, release)
        if faults := Verifier(found, code_version()).findings(target):
            listed = "".join(f"\n  {each.path}: {each.problem}: {each.message}" for each in faults[:5])
            raise LakeError(f"release {target.name} is damaged, so nothing is changed:{listed}")
        before = found.require_release()
        roll_back(found, target.name, " ".join(because.split()))
    if before.name == target.name:
        print(f"release {target.name} is current already, and is pinned now")
    else:
        print(f"release {target.name} is current and pinned; {before.name} is rolled back")
    print("runs go on to build and check, and publish nothing until `paperlake unpin`")
    return 0


def unpin(*, lake: LakeOption = None, wait: WaitOption = None) -> int:
    """Take the pin of `paperlake rollback` away, so that the next run publishes what it builds.

    Example: paperlake unpin
    """
    from warehouse import pins

    with _locked(lake, wait, "paperlake unpin") as (found, _):
        pin = pins.unpin(found)
    print("nothing was pinned" if pin is None else _what_follows(pin))
    return 0


def prune(
    *,
    keep: Annotated[int, Parameter(help="how many releases to keep, those that were current last")],
    dry_run: Annotated[bool, Parameter(negative=(), help="say what would go, and remove nothing")] = False,
    grace: Annotated[
        float | None,
        Parameter(help="seconds to leave a release to its readers after it was current; default from config/pipeline.toml"),
    ] = None,
    lake: LakeOption = None,
    wait: WaitOption = None,
    format: FormatOption = "table",
) -> int:
    """Remove old releases; a paper id that one of them published still resolves through `paper_aliases`.

    The current release stays, a pinned one, one that was rolled back until another is published, and one that a reader
    holds: each command and each connection of ours does. Other readers, say a DuckDB client on paperlake.duckdb, have the
    time of --grace.

    Example: paperlake prune --keep 10 --dry-run
    """
    from flows.commands.read_commands import print_rows
    from flows.settings import ConfigError
    from warehouse.prune import prune_releases

    if keep < 1:
        raise ConfigError(f"--keep {keep}: expected 1 or more; the current release stays in any case")
    if grace is not None and not grace >= 0:
        raise ConfigError(f"--grace {grace:g}: expected seconds, 0 or more")
    with _locked(lake, wait, "paperlake prune") as (found, settings):
        grace_seconds = settings.run.prune_grace_seconds if grace is None else grace
        told = prune_releases(found, keep, grace_seconds=grace_seconds, dry_run=dry_run)
    gone = "would go" if dry_run else "removed"
    rows = [(each.release_id, "stays" if each.stays else gone, each.why, each.freed_bytes) for each in told]
    print_rows(("release_id", "what", "why", "freed_bytes"), rows, format)
    return 0


@contextmanager
def _locked(lake_path: Path | None, wait: float | None, command: str) -> Iterator[tuple[Lake, Settings]]:
    """The lake, its lock held and what a killed rollback left undone done."""
    from flows.progress import progress
    from flows.settings import load_settings
    from warehouse.layout import Lake
    from warehouse.lock import hold_lock
    from warehouse.pins import finish_rollback
    from warehouse.publications import settle_publications

    settings = load_settings()
    lake = Lake(settings.lake_path(lake_path))
    lake.require_release()
    wait_seconds = settings.run.wait_seconds if wait is None else wait
    with progress() as say, hold_lock(lake, wait_seconds=wait_seconds, on_wait=say, command=command):
        finish_rollback(lake)
        settle_publications(lake)
        yield lake, settings


def _what_follows(pin: Pin) -> str:
    then = f"release {pin.release_id} is no longer pinned: the next `paperlake run` publishes what it builds"
    again = pin.held or next(iter(reversed(pin.rolled_back)), None)
    if again is None:
        return then
    what = f"rolled back (because: {pin.because})" if again in pin.rolled_back else "held back"
    return f"{then}; from what is live and decided now that may be {again}, which was {what}"


def _short(row: dict[str, object]) -> dict[str, object]:
    """A row of `list_releases` that fits a line."""
    state = ", ".join(word for word, is_so in (("current", row["is_current"]), ("pinned", row["is_pinned"])) if is_so)
    at = row["current_at"]
    return {
        "release_id": row["release_id"],
        "state": state or ("" if at else "never current"),
        "current_at": str(at or row["published_at"])[:16].replace("T", " "),
        **{name: row[name] for name in ("papers", "raw_files", "size_bytes", "because")},
    }
