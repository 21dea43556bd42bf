"""This module turns `config/` and the environment into frozen settings; nothing else reads `config/`."""

from __future__ import annotations

import csv
import dataclasses
import difflib
import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from transforms.readers.columns_known import IGNORED_COLUMN
from transforms.readers.limits import ReadLimits
from transforms.schemas import PaperlakeError
from transforms.staged_schemas import FIELDS
from warehouse.expectations import Expectations
from warehouse.live import COMMAND_LINE
from warehouse.sql_files import own_sql_files
from warehouse.unpacking import UnpackLimits

if TYPE_CHECKING:
    from warehouse.sandbox import QueryLimits

PROJECT_DIR = Path(__file__).resolve().parents[1]

_READ_LIMITS, _UNPACK_LIMITS = ReadLimits(), UnpackLimits()


class ConfigError(PaperlakeError):
    """A setting that is unknown, missing or of the wrong kind; the message names the file, the key and a suggestion."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class LakeSettings:
    """`[lake]` of pipeline.toml."""

    path: str = "lake"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """`[run]` of pipeline.toml."""

    wait_seconds: float = 600.0
    prune_grace_seconds: float = 3600.0


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
class SourceSettings:
    """One block of sources.toml. `location` is relative to the file's folder; `columns` has `staged_schemas.FIELDS`."""

    name: str
    location: str = ""
    precedence: int = 100
    has_keys: bool = False
    venue: str | None = None
    year: int | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    license: str | None = None
    homepage: str | None = None
    citation: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. `tables_key` is a hash of what has a say in the tables' content."""

    config_dir: Path
    lake: LakeSettings = field(default_factory=LakeSettings)
    run: RunSettings = field(default_factory=RunSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    checks: CheckSettings = field(default_factory=CheckSettings)
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
        raise ConfigError(f"{folder}: no such folder; PAPERLAKE_CONFIG names the folder that holds pipeline.toml")
    pipeline = _read_toml(folder / "pipeline.toml")
    sections = {
        "lake": LakeSettings,
        "run": RunSettings,
        "limits": LimitSettings,
        "query": QuerySettings,
        "checks": CheckSettings,
    }
    check_keys(pipeline, sections, "pipeline.toml")
    parts: dict[str, Any] = {
        name: build(kind, pipeline.get(name, {}), f"pipeline.toml [{name}]") for name, kind in sections.items()
    }
    sources = _sources(_read_toml(folder / "sources.toml"))
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


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _sources(content: Mapping[str, Any]) -> tuple[SourceSettings, ...]:
    check_keys(content, ["sources"], "sources.toml")
    sources = []
    for name, block in sorted(content.get("sources", {}).items()):
        where = f"sources.toml [sources.{name}]"
        if name == COMMAND_LINE:
            raise ConfigError(f"{where}: the name {COMMAND_LINE} is kept for paths given on the command line")
        source = build(SourceSettings, block, where, name=name)
        columns = _columns(source.columns, where)
        source = dataclasses.replace(source, columns=columns)
        if source.license is not None or source.homepage is not None or source.citation is not None:
            from flows.source_terms import check_terms

            check_terms(source, where)
        if source.year is not None and source.year > MAX_YEAR:
            raise ConfigError(f"{where}: year = {source.year} should be of four digits")
        if source.precedence > _MAX_PRECEDENCE:
            raise ConfigError(f"{where}: precedence = {source.precedence} should be at most {_MAX_PRECEDENCE}")
        if not source.location:
            raise ConfigError(f'{where}: needs location = "…", a folder, file or pattern')
        sources.append(source)
    return tuple(sources)


MAX_YEAR, _MAX_PRECEDENCE = 9_999, 1_000_000  # the tables hold them in 16 and 32 bits


def _columns(given: Mapping[str, object], where: str) -> dict[str, str]:
    """The field of each column that a source names, by the field's full name; a field is named as in `papers`, or `authors`."""
    known = {name.removesuffix("_raw"): name for name in (column.name for column in FIELDS)}
    known |= {"source_key": "source_key", IGNORED_COLUMN: IGNORED_COLUMN}
    for column, name in given.items():
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"Did you mean '{near[0]}'?" if near else f"Known fields: {', '.join(known)}."
            raise ConfigError(f"{where}: columns: '{column}' = {name!r} is no field. {hint}")
    return {column: known[str(name)] for column, name in given.items()}


_T = TypeVar("_T")


def build(kind: type[_T], values: Any, where: str, **fixed: object) -> _T:
    """An instance of the frozen dataclass `kind` from a TOML table, its keys and their types checked."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: expected a table of keys, found {values!r}")
    fields = {f.name: f for f in dataclasses.fields(kind) if f.name not in fixed}  # type: ignore[arg-type]
    check_keys(values, fields, where)
    for key, value in values.items():
        accepted = _ACCEPTED[str(fields[key].type).removesuffix(" | None")]
        if not isinstance(value, accepted) or (isinstance(value, bool) and bool not in accepted):
            raise ConfigError(f"{where}: {key} = {value!r} should be {' or '.join(t.__name__ for t in accepted)}")
        if isinstance(value, int | float) and value < 0:
            raise ConfigError(f"{where}: {key} = {value!r} should not be negative")
    return kind(**fixed, **values)


_ACCEPTED: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "Mapping[str, str]": (dict,),
}


def check_keys(values: Mapping[str, Any], known: Any, where: str) -> None:
    """Raises `ConfigError` for a key that is not among those known, with the nearest of them."""
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, list(known), n=1)
            hint = f"Did you mean '{near[0]}'?" if near else f"Known keys: {', '.join(known)}."
            raise ConfigError(f"{where}: unknown key '{key}'. {hint}")


def _tables_key(settings: Settings) -> str:
    """A hash of the settings that change a table, or may stop its publication.

    They are venue aliases, limits, expectations, a person's own checks, and of each source all but where its files are
    and under which terms.
    """
    venues = settings.config_dir / "venues.csv"
    digest = hashlib.sha256(venues.read_bytes() if venues.is_file() else b"")
    said = [
        dataclasses.replace(
            source, location="", columns=dict(sorted(source.columns.items())), license=None, homepage=None, citation=None
        )
        for source in settings.sources
    ]
    for part in (said, settings.limits, settings.expectations):
        digest.update(repr(part).encode())
    own_dir = settings.own_checks_dir
    if own_dir is not None and not own_dir.is_dir():
        raise ConfigError(f"pipeline.toml [checks]: folder = '{settings.checks.folder}': there is no folder {own_dir}")
    for path in own_sql_files(own_dir) if own_dir else ():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
