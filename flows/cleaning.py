"""This module turns what `config/` says of a source and of venues into what cleaning is given."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from flows.settings import SourceSettings
from transforms.clean import SourceDefaults


def source_defaults(source: SourceSettings) -> SourceDefaults:
    """What holds for every record of a source that does not say otherwise."""
    return SourceDefaults(source.name, venue=source.venue, year=source.year, has_keys=source.has_keys)


def alias_frame(rows: Sequence[tuple[str, str, str, str]]) -> pl.DataFrame:
    """The rows of venues.csv (`settings.load_venue_aliases`) as a frame: alias, venue_id, name, kind."""
    return pl.DataFrame(rows, schema=dict.fromkeys(("alias", "venue_id", "name", "kind"), pl.String), orient="row")
