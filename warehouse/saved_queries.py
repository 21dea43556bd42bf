"""This module knows the saved views and queries: one SQL file each, with a header that says what it answers.

A file of `warehouse/sql/views` has no parameter: it is a view beside the tables in `paperlake sql`, in `paperlake.duckdb`
and in `warehouse.open`. A file of `warehouse/sql/queries`, or one of a person's own, may have parameters. The header is
lines `-- name: value`: title, meaning, grain, `parameter: name type [= default]: meaning`, `column: name: meaning`,
`plot: bar|line|heat x=… y=… [color=…]` and example.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from transforms.schemas import PaperlakeError
from warehouse.names import nearest
from warehouse.sql_files import header_fields

SQL_DIR = Path(__file__).parent / "sql"

PARAMETER_KINDS = ("text", "integer", "count", "number", "boolean", "release")
"""An `integer` may be negative; a `count` is a whole number from 1 on."""

PLOT_KINDS = ("bar", "line", "heat")

_PARAMETER = re.compile(r"(?P<name>[a-z]\w*) (?P<kind>\w+)(?: = (?P<default>[^:]*?))?: (?P<meaning>\S.*)")
_PLOT_CHANNELS = ("x", "y", "color")
_TAKEN_SCHEMAS = ("main", "temp", "system", "memory", "information_schema", "pg_catalog")
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_LONGEST_FILE_BYTES = 4_000_000


class SavedQueryError(PaperlakeError):
    """A saved query that there is not, whose header is wrong, or whose parameters are; the message says what would do."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class SavedParameter:
    """One parameter of a saved query: one without a default must be given, and the default `null` is no value."""

    name: str
    kind: str
    meaning: str
    default: str | None = None

    @property
    def is_required(self) -> bool:
        """Whether it must be given."""
        return self.default is None


@dataclass(frozen=True, slots=True)
class Plot:
    """How an answer is drawn: the columns for the two axes and the colour. `a+b` are two columns as one label.

    `count` for a column that the answer does not have is the number of its rows.
    """

    kind: str
    x: str
    y: str
    color: str | None = None


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """One file with its header; `sql` is the whole text. `columns` are the meanings of the answer's columns."""

    name: str
    is_view: bool
    title: str
    meaning: str
    grain: str
    columns: Mapping[str, str]
    parameters: tuple[SavedParameter, ...]
    plot: Plot | None
    example: str
    sql: str


@dataclass(frozen=True, slots=True)
class BoundParameters:
    """What a saved query is run with: `values` bound to its `$name`s, and the releases for its schemas."""

    values: dict[str, object]
    releases: dict[str, str]


@cache
def view_paths() -> dict[str, Path]:
    """The files of the saved views by name."""
    return _paths("views")


@cache
def saved_queries() -> tuple[SavedQuery, ...]:
    """All saved views and queries, by name.

    Raises:
        SavedQueryError: a header is wrong.
        SchemaError: one is not there.
    """
    paths = view_paths() | _paths("queries")
    return tuple(read_saved_query(paths[name]) for name in sorted(paths))


def find_saved_query(name: str) -> SavedQuery:
    """The saved query of this name, or in this file (a path that ends in .sql).

    Raises:
        SavedQueryError: there is none; the message has the near name.
    """
    if name.endswith(".sql"):
        return read_own_query(Path(name))
    paths = view_paths() | _paths("queries")
    if name in paths:
        return read_saved_query(paths[name])
    raise SavedQueryError(
        f"there is no saved query '{name}'{_near(name, list(paths))}; `paperlake query` lists them, and a file of your own "
        "is given by its path, such as ./mine.sql"
    )


@cache
def read_saved_query(path: Path) -> SavedQuery:
    """The saved view or query in a file of `warehouse/sql`."""
    sql = path.read_text(encoding="utf-8")
    return _saved_query(path, sql, header_fields(sql, path, ("title", "meaning", "grain", "column", "plot", "example")))


def read_own_query(path: Path) -> SavedQuery:
    """The query in a person's own file; its header may leave out everything but its parameters.

    Raises:
        SavedQueryError: the file cannot be read, or its header is wrong.
    """
    try:
        if path.exists() and not path.is_file():
            raise SavedQueryError(f"{path} is no regular file; give the path of one")
        if path.stat().st_size > _LONGEST_FILE_BYTES:
            raise SavedQueryError(f"{path} has {path.stat().st_size:,} bytes; at most {_LONGEST_FILE_BYTES:,} are taken")
        sql = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SavedQueryError(f"{path}: expected a query in UTF-8, found other bytes at {error.start}") from error
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise SavedQueryError(f"{path}: {reason}; expected a file with a query") from error
    return _saved_query(path, sql, header_fields(sql, path, ()))


def bind_parameters(query: SavedQuery, given: Mapping[str, str]) -> BoundParameters:
    """The values of all parameters of a query: those given, checked by their kind, and the defaults of the others.

    Raises:
        SavedQueryError: one is not there, has a wrong value, or is missing.
    """
    known = {parameter.name: parameter for parameter in query.parameters}
    for name in given:
        if name not in known:
            listed = f"; its parameters are: {', '.join(known)}" if known else "; it has none"
            raise SavedQueryError(
                f"{query.name} has no parameter '{name}'{_near(name, list(known))}{listed}{_undeclared(query, name)}"
            )
    if missing := [each for each in query.parameters if each.is_required and each.name not in given]:
        wanted = "; ".join(f"--param {each.name}=… ({each.kind}: {each.meaning})" for each in missing)
        raise SavedQueryError(f"{query.name} needs {wanted}")
    bound = BoundParameters({}, {})
    for parameter in query.parameters:
        value = given.get(parameter.name, parameter.default or "")
        if parameter.kind == "release":
            bound.releases[parameter.name] = value
        else:
            is_null = value == "null" and parameter.name not in given
            bound.values[parameter.name] = None if is_null else _value(query, parameter, value)
    return bound


# ---------------------------------------------------------------------------------------------------------------------


def _paths(folder: str) -> dict[str, Path]:
    return {path.stem: path for path in sorted((SQL_DIR / folder).glob("*.sql"))}


def _saved_query(path: Path, sql: str, header: Mapping[str, list[str]]) -> SavedQuery:
    columns = [line.partition(": ") for line in header.get("column", [])]
    return SavedQuery(
        name=path.stem,
        is_view=path == view_paths().get(path.stem),
        title=header.get("title", [path.stem])[0],
        meaning=header.get("meaning", [""])[0],
        grain=header.get("grain", [""])[0],
        columns={name: meaning for name, _, meaning in columns},
        parameters=tuple(_parameter(path, line) for line in header.get("parameter", [])),
        plot=_plot(path, header["plot"][0]) if header.get("plot") else None,
        example=header.get("example", [""])[0],
        sql=sql,
    )


def _parameter(path: Path, line: str) -> SavedParameter:
    found = _PARAMETER.fullmatch(line)
    if found is None or found["kind"] not in PARAMETER_KINDS:
        kinds = ", ".join(PARAMETER_KINDS)
        raise SavedQueryError(
            f"{path}: expected `-- parameter: name type [= default]: meaning`, with a type of {kinds}; found `{line}`"
        )
    if found["kind"] == "release" and found["name"] in _TAKEN_SCHEMAS:
        raise SavedQueryError(f"{path}: the tables of a release cannot stand in the schema {found['name']}; call it `since`")
    return SavedParameter(found["name"], found["kind"], found["meaning"], found["default"])


def _plot(path: Path, line: str) -> Plot:
    kind, *pairs = line.split()
    channels = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    if kind not in PLOT_KINDS or len(channels) != len(pairs) or not {"x", "y"} <= channels.keys() <= set(_PLOT_CHANNELS):
        raise SavedQueryError(f"{path}: expected `-- plot: {'|'.join(PLOT_KINDS)} x=… y=… [color=…]`; found `{line}`")
    if kind == "heat" and "color" not in channels:
        raise SavedQueryError(f"{path}: a heat plot needs color=…, the column of its figures; found `{line}`")
    return Plot(kind, channels["x"], channels["y"], channels.get("color"))


def _value(query: SavedQuery, parameter: SavedParameter, text: str) -> object:
    """The value of a parameter's text, by its kind."""
    if parameter.kind == "text":
        return text
    try:
        if parameter.kind == "boolean":
            return _TRUTHS[text.lower()]
        if parameter.kind in ("integer", "count"):
            if (1 if parameter.kind == "count" else -(1 << 63)) <= (number := int(text)) < 1 << 63:
                return number
        elif abs(real := float(text)) < float("inf"):
            return real
    except (KeyError, ValueError):
        pass
    raise SavedQueryError(
        f"{query.name}: the parameter {parameter.name} ({parameter.meaning}) takes {_EXPECTED[parameter.kind]}, not '{text}'"
    )


_EXPECTED = {
    "boolean": "true or false",
    "integer": "a whole number",
    "count": "a whole number from 1 on",
    "number": "a number",
}


def _undeclared(query: SavedQuery, name: str) -> str:
    """How to declare a parameter that stands in the SQL of a person's own query, but not at its top."""
    if not re.search(rf"\${re.escape(name)}\b", query.sql, re.IGNORECASE):
        return ""
    return f". ${name} stands in its SQL: add `-- parameter: {name} text: what it means` at its top"


def _near(name: str, names: list[str]) -> str:
    """`. Did you mean '…'?` with the name most like `name`, or nothing."""
    near = nearest(name.lower(), names, least_ratio=0.5)
    return f" (did you mean '{near}'?)" if near else ""
