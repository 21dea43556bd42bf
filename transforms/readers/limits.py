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
