"""This module is the limits that readers keep, light enough for the settings to import."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What keeps hostile files in bounds; `[limits]` of pipeline.toml, where each is told.

    The defaults are the product's. A reader that refuses for one of them names it, as in `limits.entry_bytes`.
    """

    entry_bytes: int = 16 * 2**20
    document_bytes: int = 256 * 2**20
    columns: int = 10_000


def more_than(name: str, limit: int) -> str:
    """What every message says of something that is more than a limit: which one it is, and where it is set.

    >>> more_than("columns", 10_000)
    'more than limits.columns = 10000 in pipeline.toml'
    """
    return f"more than limits.{name} = {limit} in pipeline.toml"
