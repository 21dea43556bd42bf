"""This module keeps the record of which release was current when: one line each time one became current.

`state/publications.jsonl` is written after the pointer has moved. Killed in between, the pointer itself tells what the line
would have said: readers add it in their mind, the next writer to the file. A lake of an earlier paperlake has no such file;
its releases were current in the order that they were built on each other. No order here relies on the clock.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from warehouse.atomic import write_file
from warehouse.layout import Lake, LakeError, read_release

Action = Literal["published", "rolled_back"]

RELEASE_ID = re.compile(r"r[0-9a-f]{1,16}")
"""What a release is called; a name that is read from a file must not lead out of the lake."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One time that a release became current: when (UTC), by what, by which run, and why."""

    release_id: str
    at: str
    action: Action
    run_id: str | None = None
    because: str | None = None

    @property
    def moment(self) -> datetime:
        """When it was, as a time."""
        return datetime.fromisoformat(self.at)


def read_publications(lake: Lake) -> tuple[Publication, ...]:
    """Each time that a release became current, in order; the last one is of the current release.

    Raises:
        LakeError: the record is damaged.
    """
    known = _recorded(lake)
    current = pointed_at(lake)
    if current is None or (known and known[-1].release_id == current.name):
        return known
    return (*known, _told_by_pointer(lake, current))


def note_publication(
    lake: Lake, release_id: str, action: Action, *, run_id: str | None = None, because: str | None = None
) -> None:
    """Records that the release has just become current; call it after the pointer has moved, while holding the lock."""
    known = list(_recorded(lake))
    if not known or known[-1].release_id != release_id:
        known.append(Publication(release_id, _now(), action, run_id, because))
    elif lake.publications_path.exists():
        return
    _write(lake, known)


def settle_publications(lake: Lake) -> None:
    """Writes the line that a killed run or rollback did not come to write; call it while holding the lock."""
    known = read_publications(lake)
    if known and (known != _recorded(lake) or not lake.publications_path.exists()):
        _write(lake, known)


def pointed_at(lake: Lake) -> Path | None:
    """The folder of the release that the pointer leads to; None where it leads to none."""
    if not lake.current_link.is_symlink():
        return None
    folder = lake.releases_dir / lake.current_link.readlink().name
    return folder if (folder / "release.json").is_file() else None


def not_taken_in(lake: Lake) -> list[str]:
    """The releases that were current once and whose paper ids the current one may not know, as it is older.

    A release knows the ids of all that were current when it was built: it was built on the one of them that was current,
    and on what that one did not know. So after a rollback the releases published since are not known.
    """
    current = lake.current_release()
    if current is None:
        return []
    publications = read_publications(lake)
    built = [i for i, each in enumerate(publications) if each.release_id == current.name and each.action == "published"]
    if built:
        later = publications[built[-1] + 1 :]
    else:  # built while a pin held it back, and made current by hand
        at = datetime.fromisoformat(read_release(current)["published_at"])
        later = tuple(each for each in publications if each.moment > at)
    return list(dict.fromkeys(each.release_id for each in later if each.release_id != current.name))


def _recorded(lake: Lake) -> tuple[Publication, ...]:
    """What the file says; where there is none, what the releases say of themselves."""
    path = lake.publications_path
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return tuple(_publication(json.loads(line)) for line in lines if line.strip())
    except FileNotFoundError:
        return _told_by_releases(lake)
    except (ValueError, TypeError, KeyError) as error:
        raise LakeError(
            f"{path} is damaged ({error}): expected one JSON object a line with release_id, at and action; mend or remove it "
            "(then releases count as current in the order they were built on each other)"
        ) from error


def _publication(row: dict[str, Any]) -> Publication:
    publication = Publication(**row)
    if RELEASE_ID.fullmatch(str(publication.release_id)) is None:
        raise ValueError(f"{publication.release_id!r} is no release id")
    if publication.moment.tzinfo is None:
        raise ValueError(f"at = {publication.at} has no time zone")
    return publication


def _told_by_releases(lake: Lake) -> tuple[Publication, ...]:
    """Each release after the one it was built on; when, by a clock that may have been turned back, decides only else."""
    releases = {each["release_id"]: each for each in (read_release(path.parent) for path in _descriptions(lake))}
    placed: dict[str, dict[str, Any]] = {}
    for each in sorted(releases.values(), key=lambda release: (release["published_at"], release["release_id"])):
        chain = [each]
        while (before := releases.get(chain[-1].get("previous_release_id"))) is not None and before not in chain:
            chain.append(before)
        placed |= {release["release_id"]: release for release in reversed(chain) if release["release_id"] not in placed}
    return tuple(
        Publication(each["release_id"], each["published_at"], "published", each.get("run_id"), each.get("because"))
        for each in placed.values()
    )


def _descriptions(lake: Lake) -> list[Path]:
    return sorted(lake.releases_dir.glob("r*/release.json"))


def _told_by_pointer(lake: Lake, current: Path) -> Publication:
    """What is not written yet: the pointer is as old as the time that it was moved."""
    at = datetime.fromtimestamp(lake.current_link.lstat().st_mtime, UTC).isoformat(timespec="milliseconds")
    from warehouse.pins import read_pin

    pin = read_pin(lake)
    if pin is not None and pin.release_id == current.name:
        return Publication(current.name, at, "rolled_back", None, pin.because)
    release = read_release(current)
    return Publication(current.name, at, "published", release.get("run_id"), release.get("because"))


def _write(lake: Lake, publications: list[Publication] | tuple[Publication, ...]) -> None:
    lines = "".join(json.dumps(asdict(each), ensure_ascii=False) + "\n" for each in publications)
    write_file(lake.publications_path, lines.encode())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
