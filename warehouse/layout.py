"""This module knows where everything lies in a lake."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transforms.schemas import SCHEMA_VERSION, PaperlakeError


class LakeError(PaperlakeError):
    """A lake that cannot be used as it is: nothing published yet, damaged, or written by a newer paperlake."""


class DamagedReleaseError(LakeError):
    """A release whose description is no description; the next run makes it anew, unless it is pinned."""


@dataclass(frozen=True, slots=True)
class Lake:
    """The paths of one lake; making one touches nothing on disk."""

    path: Path

    @property
    def raw_dir(self) -> Path:
        """Landed files, never changed: `<sha256[:2]>/<sha256>`."""
        return self.path / "raw"

    @property
    def work_dir(self) -> Path:
        """Stage outputs: `<stage>/<key>/`, named by a hash of what they were made from."""
        return self.path / "work"

    @property
    def releases_dir(self) -> Path:
        """Published releases: `<release_id>/<table>/*.parquet`."""
        return self.path / "releases"

    @property
    def current_link(self) -> Path:
        """Relative symbolic link to the current release."""
        return self.path / "current"

    @property
    def runs_dir(self) -> Path:
        """Run reports, and the failing rows of checks."""
        return self.path / "runs"

    @property
    def state_dir(self) -> Path:
        """The live set, the stat cache, what was built last, what was current when, the pin, and the lock."""
        return self.path / "state"

    @property
    def live_path(self) -> Path:
        """The names that are live."""
        return self.state_dir / "live.json"

    @property
    def live_copy_path(self) -> Path:
        """The same once more, in case that the file is lost."""
        return self.state_dir / "live_copy.json"

    @property
    def publications_path(self) -> Path:
        """The record of which release was current when."""
        return self.state_dir / "publications.jsonl"

    @property
    def pin_path(self) -> Path:
        """The release that is pinned, where one is."""
        return self.state_dir / "pin.json"

    @property
    def decisions_path(self) -> Path:
        """People's verdicts on pairs of records."""
        return self.path / "decisions.csv"

    @property
    def spill_dir(self) -> Path:
        """Where queries that do not fit in memory spill to."""
        return self.path / "tmp"

    @property
    def catalog_path(self) -> Path:
        """The derived DuckDB file."""
        return self.path / "paperlake.duckdb"

    def raw_path(self, sha256: str) -> Path:
        """Where the raw file with this hash lies."""
        return self.raw_dir / sha256[:2] / sha256

    def current_release(self) -> Path | None:
        """The folder of the current release, or None before the first was published.

        Where the pointer is lost or leads nowhere, the release that was current last is; the next run sets it anew.

        Raises:
            LakeError: a newer paperlake wrote the release, or its description is damaged.
        """
        if self.current_link.is_symlink():
            folder = self.releases_dir.resolve() / self.current_link.readlink().name
            if (folder / "release.json").is_file():
                read_release(folder)
                return folder
        from warehouse.publications import read_publications  # here: it imports this module, and is seldom needed

        folders = [self.releases_dir / each.release_id for each in read_publications(self)]
        return next((folder.resolve() for folder in reversed(folders) if (folder / "release.json").is_file()), None)

    def require_release(self) -> Path:
        """The folder of the current release.

        Raises:
            LakeError: nothing is published, with what to do.
        """
        self.require_lake()
        folder = self.current_release()
        if folder is None:
            raise LakeError(f"the lake {self.path} has no release yet: run `paperlake run FILES --lake {self.path}` first")
        return folder

    def require_lake(self) -> None:
        """Checks that there is a lake.

        Raises:
            LakeError: there is none, with what to do.
        """
        if not self.state_dir.is_dir():
            raise LakeError(f"there is no lake at {self.path.absolute()}: run `paperlake run FILES --lake {self.path}` first")


_WAY_OUT = (
    "if it is the current one and not pinned, the next `paperlake run` makes it anew; else put back a copy of the release, or "
    "take its folder out of the lake"
)


def read_release(folder: Path) -> dict[str, Any]:
    """The content of a release's `release.json`.

    Raises:
        LakeError: it is damaged, or its schema version is newer than this code's.
    """
    path = folder / "release.json"
    try:
        release: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        version = int(release["schema_version"])
        missing = {"release_id", "published_at", "tables", "files"} - release.keys()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedReleaseError(f"{path} is no release description: {error}; {_WAY_OUT}") from error
    if missing and version <= SCHEMA_VERSION:
        raise DamagedReleaseError(f"{path} is no release description: it lacks {', '.join(sorted(missing))}; {_WAY_OUT}")
    if version > SCHEMA_VERSION:
        raise LakeError(
            f"{path}: schema version {version} is newer than {SCHEMA_VERSION}, which this paperlake knows; upgrade paperlake"
        )
    return release
