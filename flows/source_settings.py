"""This module is one block of sources.toml, and what is checked of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.toml_values import ConfigError, build, check_keys
from transforms.readers.columns_known import IGNORED_COLUMN
from transforms.staged_schemas import FIELDS
from warehouse.live import COMMAND_LINE
from warehouse.names import did_you_mean


@dataclass(frozen=True, slots=True)
class GateBounds:
    """`[gate]` of pipeline.toml: how far a source may be from its last good files before it is held back."""

    size_change_ratio: float = 0.25
    records_drop_ratio: float = 0.15
    hold_changed_columns: bool = True


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """`[fetch]` of pipeline.toml: how files are had from an address, and the limits. `bytes` is 0 for `limits.file_bytes`."""

    attempts: int = 5
    backoff_seconds: float = 1.0
    max_backoff_seconds: float = 120.0
    connect_timeout_seconds: float = 20.0
    read_timeout_seconds: float = 60.0
    total_seconds: float = 3600.0
    bytes: int = 0
    requests_per_minute: float = 60.0
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """One block of sources.toml.

    A `location` is an https address, or a folder, file or pattern relative to the config's folder. `columns` has
    `staged_schemas.FIELDS`. Headers and the query of an address may name secrets, `${NAME}`; they stand here as written.
    `sha256` has the hash by file name. A bound of the gate is None where the block does not set it.
    """

    name: str
    location: tuple[str, ...] = ()
    precedence: int = 100
    has_keys: bool = False
    venue: str | None = None
    year: int | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    license: str | None = None
    homepage: str | None = None
    citation: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    sha256: str | Mapping[str, str] = field(default_factory=dict)
    file_name: str | None = None
    fetch: Mapping[str, Any] = field(default_factory=dict)
    size_change_ratio: float | None = None
    records_drop_ratio: float | None = None
    hold_changed_columns: bool | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """The locations that are addresses."""
        return tuple(location for location in self.location if is_address(location))

    @property
    def in_tables(self) -> tuple[object, ...]:
        """What has a say in the content of a table."""
        return self.name, self.precedence, self.has_keys, self.venue, self.year, sorted(self.columns.items())


def is_address(location: str) -> bool:
    """Whether a location is an address and no path.

    >>> is_address("https://example.org/a.csv"), is_address("../lists/*.csv"), is_address("FTP://example.org/a")
    (True, False, True)
    """
    return "://" in location


def read_sources(content: Mapping[str, Any]) -> tuple[SourceSettings, ...]:
    """The sources of sources.toml, given as its content, by name.

    Raises:
        ConfigError: a key is unknown, missing or of the wrong kind, or a value cannot be what it is meant for.
    """
    check_keys(content, ["sources"], "sources.toml")
    blocks = content.get("sources", {})
    if not isinstance(blocks, Mapping):
        raise ConfigError(f"sources.toml: sources should be blocks that begin with [sources.NAME], found {blocks!r}")
    return tuple(_source(name, block, f"sources.toml [sources.{name}]") for name, block in sorted(blocks.items()))


def _source(name: str, block: Any, where: str) -> SourceSettings:
    if name == COMMAND_LINE:
        raise ConfigError(f"{where}: the name {COMMAND_LINE} is kept for paths given on the command line")
    source = build(SourceSettings, block, where, name=name)
    source = dataclasses.replace(source, columns=_columns(source.columns, where))
    if source.license is not None or source.homepage is not None or source.citation is not None:
        from flows.source_terms import check_terms

        check_terms(source, where)
    if source.year is not None and source.year > MAX_YEAR:
        raise ConfigError(f"{where}: year = {source.year} should be of four digits")
    if source.precedence > _MAX_PRECEDENCE:
        raise ConfigError(f"{where}: precedence = {source.precedence} should be at most {_MAX_PRECEDENCE}")
    if not source.location or not all(source.location):
        raise ConfigError(f'{where}: needs location = "…", a folder, file, pattern or address, or a list of them')
    check_ratio("records_drop_ratio", source.records_drop_ratio, where)
    check_fetch(build(FetchSettings, source.fetch, f"{where} fetch"), f"{where} fetch")
    if source.addresses or source.headers or source.sha256 or source.file_name or source.fetch:
        from flows.sources.fetch_addresses import check_fetched

        check_fetched(source, where)
    return source


MAX_YEAR, _MAX_PRECEDENCE = 9_999, 1_000_000  # the tables hold them in 16 and 32 bits


def check_ratio(key: str, value: float | None, where: str) -> None:
    """Raises `ConfigError` for a share that is more than all."""
    if value is not None and value > 1:
        raise ConfigError(f"{where}: {key} = {value} is a share, from 0 to 1")


def check_fetch(fetch: FetchSettings, where: str) -> None:
    """Raises `ConfigError` for limits under which nothing could be fetched."""
    for key in ("attempts", "connect_timeout_seconds", "read_timeout_seconds", "total_seconds"):
        if not getattr(fetch, key):
            raise ConfigError(f"{where}: {key} = 0 would let nothing be fetched; it should be more than that")


def _columns(given: Mapping[str, object], where: str) -> dict[str, str]:
    """The field of each column that a source names, by the field's full name; a field is named as in `papers`, or `authors`."""
    known = {name.removesuffix("_raw"): name for name in (column.name for column in FIELDS)}
    known |= {"source_key": "source_key", IGNORED_COLUMN: IGNORED_COLUMN}
    for column, name in given.items():
        if name not in known:
            hint = did_you_mean(str(name), known, f"Known fields: {', '.join(known)}.")
            raise ConfigError(f"{where}: columns: '{column}' = {name!r} is no field. {hint}")
    return {column: known[str(name)] for column, name in given.items()}
