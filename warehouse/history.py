"""This module finds a release of a lake by what a person calls it: its id, its place before the current one, or a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from pathlib import Path

from warehouse.layout import Lake, LakeError, read_release
from warehouse.publications import read_publications

_ID_START = re.compile(r"r[0-9a-f]{1,16}")


def find_release(lake: Lake, at: str | None = None) -> Path:
    """The folder of the release that `at` means: an id or its start, `current`, `previous`, or a date or time in UTC.

    A date means the end of that day, a time the release that was current then. None means the current one.

    Raises:
        LakeError: there is no such release, or several begin so; the message lists those there are.
    """
    current = lake.require_release()
    if at is None or at == "current":
        return current
    if at == "previous":
        return _previous(lake, current)
    if _ID_START.fullmatch(at.lower()):
        return _by_id(lake, at.lower())
    return _by_time(lake, at)


def _previous(lake: Lake, current: Path) -> Path:
    """The release that was current before this one became so; of those removed since, the one before."""
    for publication in reversed(read_publications(lake)):
        folder = lake.releases_dir / publication.release_id
        if publication.release_id != current.name and (folder / "release.json").is_file():
            read_release(folder)
            return folder.resolve()
    raise LakeError(f"there is no release before {current.name}{_listed(lake)}")


def _by_id(lake: Lake, start: str) -> Path:
    found = sorted(path.parent for path in lake.releases_dir.glob(f"{start}*/release.json"))
    if len(found) != 1:
        problem = "several releases begin with" if found else "there is no release"
        raise LakeError(f"{problem} '{start}'{_listed(lake)}")
    read_release(found[0])
    return found[0].resolve()


def _by_time(lake: Lake, at: str) -> Path:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise LakeError(
            f"'{at}' means no release: expected an id (r…) or its start, `current`, `previous`, or a date or time such as "
            f"2031-05-07 or 2031-05-07T18:30{_listed(lake)}"
        ) from error
    if len(at) <= len("2031-05-07"):
        moment = datetime.combine(moment, time.max)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    until = [each for each in read_publications(lake) if each.moment <= moment]
    if not until:
        raise LakeError(f"no release was published until {at}{_listed(lake)}")
    folder = lake.releases_dir / until[-1].release_id
    if not (folder / "release.json").is_file():
        raise LakeError(f"the release {folder.name}, which was current at {at}, has been removed{_listed(lake)}")
    read_release(folder)
    return folder.resolve()


def _listed(lake: Lake) -> str:
    names = sorted(path.parent.name for path in lake.releases_dir.glob("r*/release.json"))
    return f"; `paperlake releases` lists them ({len(names)})" if len(names) > 1 else f"; the lake has {', '.join(names)}"
