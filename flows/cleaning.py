"""This module gives cleaning what `config/` says of a source and of venues, and lets files be worked on in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import polars as pl

from flows.handovers import FileOutput
from flows.settings import SourceSettings
from transforms.clean import SourceDefaults

AT_ONCE = 2
"""Batches cleaned at a time: a third of the work on one is Python's, or one column's, and leaves the other core idle."""

Given = TypeVar("Given")
Batch = TypeVar("Batch")


def each_side_by_side(work: Callable[[Given, Batch], object], batches: Iterable[tuple[Given, Batch]]) -> None:
    """Does `work` for each pair of arguments, `AT_ONCE` at a time; after a failure nothing more is begun."""
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        for done in [pool.submit(work, *batch) for batch in batches]:
            done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def batches_of(entries: Iterable[FileOutput], size: int) -> list[list[FileOutput]]:
    """The files in batches of about `size` staged records; a larger file is a batch of its own."""
    batches: list[list[FileOutput]] = []
    filled = 0
    for entry in entries:
        record_count = entry.staged.facts()["records"]
        if not batches or filled + record_count > size:
            batches.append([])
            filled = 0
        batches[-1].append(entry)
        filled += record_count
    return batches


def source_defaults(source: SourceSettings) -> SourceDefaults:
    """What holds for every record of a source that does not say otherwise."""
    return SourceDefaults(source.name, venue=source.venue, year=source.year, has_keys=source.has_keys)


def alias_frame(rows: Sequence[tuple[str, str, str, str]]) -> pl.DataFrame:
    """The rows of venues.csv (`settings.load_venue_aliases`) as a frame: alias, venue_id, name, kind."""
    return pl.DataFrame(rows, schema=dict.fromkeys(("alias", "venue_id", "name", "kind"), pl.String), orient="row")
