"""This module puts DuckDB's errors into sentences that say what to write instead."""

from __future__ import annotations

import re

import duckdb

from transforms.schemas import TABLES
from warehouse.names import nearest
from warehouse.sandbox import QueryError, QueryLimits
from warehouse.saved_queries import view_paths

_NO_TABLE = re.compile(r'Table with name "?(?P<name>.+?)"? does not exist')
_NO_COLUMN = re.compile(
    r'Referenced column "(?P<bare>.+?)" (?:not found|was not found)|does not have a column named "(?P<qualified>.+?)"'
)
_NO_FUNCTION = re.compile(r"(?P<kind>\w+(?: \w+)?) with name (?P<name>\S+) does not exist")
_NEAR_NAME = re.compile(r'Did you mean "(?P<near>[^"]+)"')
_CANDIDATES = re.compile(r"Candidate (?:bindings|tables|Entries): (?P<names>.+)")
_HINT = re.compile(r' Use "SET [^"]*"[^.\n]*\.')
_KIND_PREFIX = re.compile(r"^[A-Za-z ]+ Error: ")


def query_error(error: duckdb.Error | MemoryError, limits: QueryLimits, *, timed_out: bool, sql: str = "") -> QueryError:
    """The sentence for an error of DuckDB; `sql` is used to find the tables whose columns were meant."""
    message = str(error)
    if timed_out:
        return time_limit_error(limits)
    if isinstance(error, (duckdb.OutOfMemoryException, MemoryError)):
        return _memory_error(message, limits)
    if isinstance(error, duckdb.InterruptException):
        return QueryError("the query was interrupted")
    if isinstance(error, duckdb.PermissionException):
        return QueryError(f"a query reads only the tables of the release ({', '.join(TABLES)}), no other file and no network")
    if found := _NO_TABLE.search(message):
        return _no_table_error(found["name"])
    if found := _NO_COLUMN.search(message):
        return _no_column_error(found["bare"] or found["qualified"], message, sql)
    if isinstance(error, duckdb.CatalogException) and (found := _NO_FUNCTION.search(message)):
        return _no_function_error(found["kind"].lower(), found["name"].rstrip("!"), message)
    if isinstance(error, duckdb.ParserException):
        return QueryError(f"the query cannot be read as SQL: {_plain(message)}")
    typed = (
        " A parameter is a text: where a number is computed with it, write $name::int." if "STRING_LITERAL" in message else ""
    )
    return QueryError(f"the query cannot be answered: {_plain(message)}{typed}")


def time_limit_error(limits: QueryLimits) -> QueryError:
    """The sentence for a query that took too long."""
    return QueryError(
        f"the query was stopped at its time limit of {limits.time_seconds:g} s; "
        "ask for fewer rows, give every join a condition, or raise the time limit"
    )


def _memory_error(message: str, limits: QueryLimits) -> QueryError:
    """The sentence for a query that needs more memory, or more disk to spill to, than it may have."""
    if "max_temp_directory_size" in message:
        what = f"its disk limit of {_size(limits.spill_bytes)} (beyond {_size(limits.memory_bytes)} of memory)"
    else:
        what = f"its memory limit of {_size(limits.memory_bytes)}"
    return QueryError(f"the query was stopped at {what}; ask for fewer rows or columns, or raise the limit")


def _no_table_error(name: str) -> QueryError:
    """The sentence for a table that is not there."""
    schema, _, table = name.rpartition(".")
    if name in TABLES:
        return QueryError(f"this release has no table '{name}': it was published before there was one")
    if table in TABLES:
        return QueryError(
            f"there is no table '{name}': {schema} is no release to compare with, or one from before there was such a table"
        )
    near = _near(table, [*TABLES, *view_paths()])
    return QueryError(f"there is no table '{name}'.{near} The tables of a release are {', '.join(TABLES)}")


def _no_column_error(name: str, message: str, sql: str) -> QueryError:
    """The sentence for a column that is not there: near names from the tables of the query, else DuckDB's candidates."""
    tables = _tables_in(sql)
    columns = [column for table in tables for column in TABLES[table].column_names()]
    found = _CANDIDATES.search(message)
    candidates = re.findall(r'"([^"]+)"', found["names"]) if found else []
    owners = [table for table in tables if name in TABLES[table].column_names()]
    near = "" if owners else _near(name, columns) or _near(name, candidates)
    if owners:
        near = f" {' and '.join(owners)} should have it: is it asked of another table, or of a release from before that?"
    if tables:
        listed = "; ".join(f"{table} has the columns {', '.join(TABLES[table].column_names())}" for table in tables)
    elif candidates:
        listed = f"the query has the columns {', '.join(candidates)}"
    else:
        near = near or _near(name, [column for table in TABLES.values() for column in table.column_names()])
        owners = [table.name for table in TABLES.values() if name in table.column_names()]
        listed = "the query names no table to take it from" + (f"; it stands in {', '.join(owners)}" if owners else "")
    text = "" if near or f'"{name}"' not in sql else f" A text stands in single quotes: '{name}'."
    return QueryError(f"there is no column '{name}' here.{near}{text} ({listed})")


def _no_function_error(kind: str, name: str, message: str) -> QueryError:
    """The sentence for a function, type or schema that is not there."""
    found = _NEAR_NAME.search(message)
    near = f" Did you mean '{found['near']}'?" if found else ""
    return QueryError(f"there is no {kind} '{name}'.{near}")


def _tables_in(sql: str) -> list[str]:
    """The tables of the release whose names stand in the text of a query, in the order of the contract.

    DuckDB's own `get_table_names` fails on views over Parquet.
    """
    words = set(re.findall(r"\w+", sql.lower()))
    return [table for table in TABLES if table in words]


def _near(name: str, names: list[str]) -> str:
    """` Did you mean '…'?` with the name most like `name`, or nothing."""
    near = nearest(name.lower(), names)
    return f" Did you mean '{near}'?" if near else ""


def _plain(message: str) -> str:
    """DuckDB's message with its place marker, without the error's class and hints about settings."""
    first, *rest = _HINT.sub("", _KIND_PREFIX.sub("", message)).strip().split("\n\n")
    place = [part for part in rest if part.startswith("LINE ")]
    return "\n".join([first.split("\n\tCandidate")[0].split("\n")[0], *place])


def _size(size_bytes: int) -> str:
    """A number of bytes for people.

    >>> _size(2 << 30)
    '2.0 GiB'
    """
    return f"{size_bytes / (1 << 30):.1f} GiB" if size_bytes >= 1 << 30 else f"{size_bytes / (1 << 20):.0f} MiB"
