"""This module is the options that several commands share, each with its one help text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from warehouse.row_formats import Format

LakeOption = Annotated[Path | None, Parameter(name="--lake", help="the lake's folder; default PAPERLAKE_LAKE, else ./lake")]
FormatOption = Annotated[Format, Parameter(name="--format", help="how rows are printed on standard output")]
AtOption = Annotated[
    str | None,
    Parameter(
        name="--at",
        help="the release to read: its id or the id's start, `previous`, or a date or time (UTC), for the one that was current "
        "then; default the current one",
    ),
]
TimeoutOption = Annotated[
    float | None, Parameter(name="--timeout", help="seconds the query may take; default from config/pipeline.toml")
]


def _not_negative(_: object, seconds: float | None) -> None:
    if seconds is not None and not seconds >= 0:
        raise ValueError("expected seconds, 0 or more")


WaitOption = Annotated[
    float | None,
    Parameter(name="--wait", validator=_not_negative, help="seconds to wait for a run; default from config/pipeline.toml"),
]
