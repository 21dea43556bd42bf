"""This module is `paperlake sources`: how each source does, and with `check` whether it can be had now."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from flows.commands.cli_options import FormatOption, LakeOption
from warehouse.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flows.settings import Settings, SourceSettings
    from flows.sources.source_trials import Trial
    from warehouse.row_formats import Format

sources = App(name="sources")


@sources.default
def list_sources(*, lake: LakeOption = None, format: FormatOption = "table") -> int:
    """List the sources: where each is, how it does, when it was had last, and what is live of it.

    Files and bytes are those that are live, records and rejects those of the current release. A source that is held back or
    failed keeps its last good files live. `paperlake sources check` tries each source now.

    Example: paperlake sources
    """
    from flows.commands.read_commands import print_rows
    from flows.settings import load_settings
    from flows.sources.source_states import source_rows
    from warehouse.layout import Lake

    settings = load_settings()
    found = Lake(settings.lake_path(lake))
    rows = source_rows(settings, found, lake)
    if not found.state_dir.is_dir():
        _say(f"there is no lake at {found.path.absolute()}: no run has made it yet", format)
    if not rows:
        print(f"no source: describe one in {settings.config_dir / 'sources.toml'}, or give files (`paperlake run FILES`)")
        return 0
    told = [row.as_dict() for row in rows]
    if format == "table":
        columns = ("source", "state", "last_success", "files", "size_bytes", "records", "rejects", "location")
        told = [{**{name: row[name] for name in columns}, "location": ", ".join(row["location"]) or None} for row in told]
    print_rows(list(told[0]), [tuple(row.values()) for row in told], format)
    if format == "table":
        from warehouse.row_tables import printable

        for row in rows:
            if row.why is not None:
                print(f"{row.source}: {row.state}: {printable(row.why)}")
    return 0


@sources.command
def check(
    *names: Annotated[str, Parameter(help="sources to try; none tries each")],
    lake: LakeOption = None,
    format: FormatOption = "table",
) -> int:
    """Check sources.toml, and try each source: whether its files are there and can be read, or its server answers.

    Nothing is landed, and nothing changed in the lake. Exit code 1 if a source fails, 2 if sources.toml is wrong.

    Example: paperlake sources check
    """
    from flows.commands.read_commands import print_rows
    from flows.settings import load_settings
    from flows.sources.source_trials import try_sources
    from warehouse.layout import Lake

    settings = load_settings()
    chosen = _named(settings, names)
    if not chosen:
        _say("sources.toml is valid, and has no source", format)
        return 0
    trials = try_sources(settings, chosen, Lake(settings.lake_path(lake)))
    columns = ("source", "location", "is_ok", "files", "size_bytes", "message")
    print_rows(columns, [tuple(getattr(trial, column) for column in columns) for trial in trials], format)
    _say(_summary(trials), format)
    return 0 if all(trial.is_ok for trial in trials) else 1


def _named(settings: Settings, names: Iterable[str]) -> list[SourceSettings]:
    """The sources of these names, or all.

    Raises:
        ConfigError: there is no source of a name.
    """
    from flows.settings import ConfigError

    known = {source.name: source for source in settings.sources}
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, f"Sources are: {', '.join(known) or 'none'}.")
            raise ConfigError(f"sources.toml has no source '{name}'. {hint}")
    return [known[name] for name in dict.fromkeys(names)] or list(settings.sources)


def _summary(trials: list[Trial]) -> str:
    """How many sources can be had."""
    names = dict.fromkeys(trial.source for trial in trials)
    failed = dict.fromkeys(trial.source for trial in trials if not trial.is_ok)
    said = (
        f"sources.toml is valid; {len(names) - len(failed)} of {len(names)} source{'' if len(names) == 1 else 's'} can be had"
    )
    return f"{said}, not: {', '.join(failed)}" if failed else said


def _say(text: str, format: Format) -> None:
    """Says a line for people: below the table, or on standard error where rows are for a program."""
    print(text, file=sys.stdout if format == "table" else sys.stderr, flush=True)
