"""This module reads what earlier releases say of paper ids, for the next one to resolve them; damaged tables say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from transforms.frames import frame_of
from transforms.schemas import PAPER_ALIASES, RECORDS, Table
from transforms.tables import PreviousRelease
from warehouse.layout import Lake
from warehouse.publications import not_taken_in, read_publications
from warehouse.release_files import is_sound, sound_table


def previous_releases(lake: Lake) -> list[PreviousRelease]:
    """What the current release says of ids, and after a rollback those published since; nothing before the first.

    Where the current release was damaged since, the sound one that was current before speaks too: it knows all ids that were
    published until then.
    """
    current = lake.current_release()
    releases = [*([current] if current else []), *(lake.releases_dir / name for name in not_taken_in(lake))]
    if current and not all(sound_table(current, table.name) for table in (RECORDS, PAPER_ALIASES)):
        releases += [release for release in _earlier(lake, current) if release not in releases and is_sound(lake, release)][:1]
    return [
        PreviousRelease(
            _sound_rows(release, RECORDS, ["record_key", "paper_id"]),
            _sound_rows(release, PAPER_ALIASES, PAPER_ALIASES.column_names()),
        )
        for release in releases
        if (release / "release.json").is_file()
    ]


def _earlier(lake: Lake, current: Path) -> Iterator[Path]:
    """The releases that were current before this one, from the last."""
    for publication in reversed(read_publications(lake)):
        if publication.release_id != current.name:
            yield lake.releases_dir.resolve() / publication.release_id


def _sound_rows(release: Path, table: Table, columns: list[str]) -> pl.DataFrame:
    """Some columns of a table of a release; no row where the table was damaged."""
    if not sound_table(release, table.name):
        return frame_of(table).select(columns)
    return pl.read_parquet(release / table.name / "*.parquet", columns=columns)
