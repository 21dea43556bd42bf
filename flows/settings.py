"""This module turns `config/` and the environment into frozen settings; nothing else reads `config/`."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.source_settings import FetchSettings, GateBounds, SourceSettings, check_fetch, check_ratio, read_sources
from flows.toml_values import ConfigError, build, check_keys
from transforms.readers.limits import ReadLimits
from warehouse.expectations import Expectations
from warehouse.sql_files import own_sql_files
from warehouse.unpacking import UnpackLimits

if TYPE_CHECKING:
    from warehouse.sandbox import QueryLimits

__all__ = [
    "PROJECT_DIR",
    "CheckSettings",
    "ConfigError",
    "FetchSettings",
    "GateBounds",
    "LakeSettings",
    "LimitSettings",
    "QuerySettings",
    "RunSettings",
    "Settings",
    "SourceSettings",
    "load_settings",
    "load_venue_aliases",
]

PROJECT_DIR = Path(__file__).resolve().parents[1]

_READ_LIMITS, _UNPACK_LIMITS = ReadLimits(), UnpackLimits()


@dataclass(frozen=True, slots=True)
class LakeSettings:
    """`[lake]` of pipeline.toml."""

    path: str = "lake"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """`[run]` of pipeline.toml."""

    wait_seconds: float = 600.0
    prune_grace_seconds: float = 3600.0
    reports_kept: int = 1000


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """`[limits]` of pipeline.toml."""

    file_bytes: int = 8_000_000_000
    entry_bytes: int = _READ_LIMITS.entry_bytes
    document_bytes: int = _READ_LIMITS.document_bytes
    columns: int = _READ_LIMITS.columns
    unpacked_bytes: int = _UNPACK_LIMITS.unpacked_bytes
    unpacked_ratio: int = _UNPACK_LIMITS.unpacked_ratio
    archive_files: int = _UNPACK_LIMITS.archive_files


@dataclass(frozen=True, slots=True)
class QuerySettings:
    """`[query]` of pipeline.toml."""

    memory_bytes: int = 2_000_000_000
    spill_bytes: int = 20_000_000_000
    time_seconds: float = 60.0
    threads: int = 2


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """`[checks]` of pipeline.toml. `folder` holds a person's own checks; it is relative to the file's folder, "" for none."""

    folder: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. `tables_key` is a hash of what has a say in the tables' content."""

    config_dir: Path
    lake: LakeSettings = field(default_factory=LakeSettings)
    run: RunSettings = field(default_factory=RunSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    checks: CheckSettings = field(default_factory=CheckSettings)
    gate: GateBounds = field(default_factory=GateBounds)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    expectations: Expectations = field(default_factory=Expectations)
    sources: tuple[SourceSettings, ...] = ()
    tables_key: str = ""

    def lake_path(self, given: str | Path | None) -> Path:
        """The lake's folder: as given, else `PAPERLAKE_LAKE`, else `[lake] path`."""
        return Path(given or os.environ.get("PAPERLAKE_LAKE") or self.lake.path)

    @property
    def own_checks_dir(self) -> Path | None:
        """The folder of a person's own checks, if they have one."""
        return self.config_dir / self.checks.folder if self.checks.folder else None

    def source(self, name: str) -> SourceSettings:
        """The source called `name`; one that has no block (any more) has the defaults."""
        return next((source for source in self.sources if source.name == name), SourceSettings(name))

    def gate_bounds(self, source: SourceSettings) -> GateBounds:
        """How far this source may be from its last good files: as its block says, else as `[gate]` does."""
        given = {f.name: getattr(source, f.name) for f in dataclasses.fields(GateBounds)}
        return dataclasses.replace(self.gate, **{key: value for key, value in given.items() if value is not None})

    def fetch_settings(self, source: SourceSettings) -> FetchSettings:
        """How this source is fetched: as its block says, else as `[fetch]` does."""
        merged = dataclasses.replace(self.fetch, **source.fetch)
        return merged if merged.bytes else dataclasses.replace(merged, bytes=self.limits.file_bytes)

    def read_limits(self) -> ReadLimits:
        """The limits that readers keep."""
        return ReadLimits(**{f.name: getattr(self.limits, f.name) for f in dataclasses.fields(ReadLimits)})

    def query_limits(self) -> QueryLimits:
        """The limits on a query, and on a person's own checks."""
        from warehouse.sandbox import QueryLimits

        return QueryLimits(**{f.name: getattr(self.query, f.name) for f in dataclasses.fields(QueryLimits)})

    def unpack_limits(self) -> UnpackLimits:
        """The limits on compressed files and archives."""
        return UnpackLimits(**{f.name: getattr(self.limits, f.name) for f in dataclasses.fields(UnpackLimits)})

    def reading_key(self, source: SourceSettings) -> tuple[object, ...]:
        """What has a say in how a file of this source is read."""
        limits = (dataclasses.astuple(self.read_limits()), dataclasses.astuple(self.unpack_limits()))
        return sorted(source.columns.items()), limits


def load_settings(config_dir: Path | None = None) -> Settings:
    """The settings in `config_dir` (default: `PAPERLAKE_CONFIG`, else the project's own `config/`).

    Raises:
        ConfigError: a file is missing or broken, or a key is unknown or of the wrong kind.
    """
    folder = config_dir or Path(os.environ.get("PAPERLAKE_CONFIG") or PROJECT_DIR / "config")
    if not folder.is_dir():
        raise ConfigError(f"{folder.absolute()}: no such folder; PAPERLAKE_CONFIG names the folder that holds pipeline.toml")
    pipeline = _read_toml(folder / "pipeline.toml")
    sections = {
        "lake": LakeSettings,
        "run": RunSettings,
        "limits": LimitSettings,
        "query": QuerySettings,
        "checks": CheckSettings,
        "gate": GateBounds,
        "fetch": FetchSettings,
    }
    check_keys(pipeline, sections, "pipeline.toml")
    parts: dict[str, Any] = {
        name: build(kind, pipeline.get(name, {}), f"pipeline.toml [{name}]") for name, kind in sections.items()
    }
    check_ratio("records_drop_ratio", parts["gate"].records_drop_ratio, "pipeline.toml [gate]")
    check_fetch(parts["fetch"], "pipeline.toml [fetch]")
    sources = read_sources(_read_toml(folder / "sources.toml"))
    settings = Settings(folder, **parts, sources=sources)
    if expected := _read_toml(folder / "expected.toml"):
        from flows.expected import read_expectations

        settings = dataclasses.replace(settings, expectations=read_expectations(expected, settings))
    return dataclasses.replace(settings, tables_key=_tables_key(settings))


def load_venue_aliases(settings: Settings) -> list[tuple[str, str, str, str]]:
    """The rows of `venues.csv`: alias, venue_id, name, kind.

    Raises:
        ConfigError: the file is missing, or its header is another.
    """
    path = settings.config_dir / "venues.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    header = ["alias", "venue_id", "name", "kind"]
    if not rows or rows[0] != header:
        raise ConfigError(
            f"venues.csv: expected the header {','.join(header)}, found {','.join(rows[0]) if rows else 'an empty file'}"
        )
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header) or not all(row):
            raise ConfigError(f"venues.csv row {number}: expected four filled cells, found {row}")
    return [(alias, venue_id, name, kind) for alias, venue_id, name, kind in rows[1:]]


def load_deployments(settings: Settings) -> tuple[Path, Any]:
    """The file `prefect.yaml`, and what is in it, as it stands there; see `flows.orchestration.deployments` for what it means.

    Raises:
        ConfigError: the file is missing, or is no YAML.
    """
    import yaml

    path = settings.config_dir / "prefect.yaml"
    try:
        return path, yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path}: {error.strerror}; it holds the deployments, as config/prefect.yaml of paperlake does"
        ) from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} is no YAML: {' '.join(str(error).split())}") from error


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _tables_key(settings: Settings) -> str:
    """A hash of the settings that change a table, or may stop its publication.

    They are venue aliases, limits, expectations, a person's own checks, and of each source all but where its files are,
    how they are had, under which terms, and the bounds of its gate.
    """
    venues = settings.config_dir / "venues.csv"
    digest = hashlib.sha256(venues.read_bytes() if venues.is_file() else b"")
    said = [source.in_tables for source in settings.sources]
    for part in (said, settings.limits, settings.expectations):
        digest.update(repr(part).encode())
    own_dir = settings.own_checks_dir
    if own_dir is not None and not own_dir.is_dir():
        raise ConfigError(f"pipeline.toml [checks]: folder = '{settings.checks.folder}': there is no folder {own_dir}")
    for path in own_sql_files(own_dir) if own_dir else ():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
