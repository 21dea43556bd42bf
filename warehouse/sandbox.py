"""This module opens a release for untrusted SQL: a locked connection, and the statements that may run on it.

The connection alone is no sandbox. Tried on DuckDB 2.0.1, with external access off, the release an allowed directory and
the configuration locked: `copy … to` writes into the release; so does `with a as (copy … to …) select …`, whose type is
SELECT; `explain analyze copy …` runs while its type is EXPLAIN; `query('…')` hides a statement in a string; `create`
works in memory. So a statement is admitted by what it parses to: one SELECT whose syntax tree holds only nodes that
read and only table functions known to be harmless, or EXPLAIN of one. A PIVOT without a list of values has no tree to
look at (its type is MULTI), so its words are looked at instead, more strictly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from transforms.schemas import TABLES, PaperlakeError
from warehouse.reader_lock import hold_while_alive
from warehouse.views import parquet_files, sql_name, sql_text, view_sql

LONGEST_QUERY_CHARACTERS = 1_100_000
"""A list of 150,000 numbers fits (1 MB); its syntax tree takes 22 MB and 1.5 s, and both grow with the text."""


class QueryError(PaperlakeError):
    """A query that is refused or fails; the message says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may take: memory, time at work (not while its reader pauses), threads, disk space to spill to."""

    memory_bytes: int = 2_000_000_000
    time_seconds: float = 60.0
    threads: int = 2
    spill_bytes: int = 20_000_000_000


def open_release(
    release_dir: Path, *, spill_dir: Path, limits: QueryLimits, beside: Mapping[str, Path] | None = None
) -> duckdb.DuckDBPyConnection:
    """A locked in-memory connection with one view a table of the release; give it only statements that `admit` passes.

    `beside` are other releases by the name of the schema that their tables stand in: `{"since": …}` gives `since.papers`.

    Raises:
        QueryError: the folder holds no table, or one that cannot be read.
    """
    connection = duckdb.connect(":memory:", config=dict(_config(spill_dir, limits)))
    try:
        _add_views(connection, release_dir, "main")
        for schema, other_dir in (beside or {}).items():
            connection.execute(f"create schema {sql_name(schema)}")
            _add_views(connection, other_dir, schema)
        connection.execute(_lock_sql(release_dir, *(beside or {}).values()))
    except BaseException:
        connection.close()
        raise
    return connection


def admit(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """The one statement of `sql`, if it is one that only reads the release.

    Raises:
        QueryError: it is anything else, or does not parse; or `duckdb.Error` from the parser itself.
    """
    statement = _only_statement(connection, sql)
    kind = _kind(statement)
    if kind == "MULTI":
        _check_words(connection, statement.query)
    elif kind == "EXPLAIN":
        _check_tree(connection, _explained(statement.query))
    elif kind == "SELECT":
        _check_tree(connection, statement.query)
    else:
        raise _not_a_read(kind)
    return statement


def sql_tokens(text: str) -> list[tuple[int, str]]:
    """The words of a statement with the byte each begins at, as DuckDB's own tokenizer finds them, without comments."""
    content = text.encode()
    tokens = duckdb.tokenize(text)
    ends = [start for start, _ in tokens[1:]] + [len(content)]
    return [
        (start, content[start:end].decode().strip())
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind != duckdb.token_type.comment
    ]


def cap_process_memory(limits: QueryLimits) -> None:
    """Sets a ceiling on this process's memory, for a process that does nothing but answer one query.

    DuckDB's memory limit does not count what a function builds in one value: `repeat('abc', 1000000000)` took 5.8 GB and
    20 s under a limit of 200 MB, deaf to interrupts. With the ceiling it ends at once as out of memory. Where the system
    knows no such ceiling nothing happens.
    """
    try:
        import resource

        page_count = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
        ceiling = page_count * resource.getpagesize() + limits.memory_bytes + (1 << 30)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard == resource.RLIM_INFINITY or ceiling < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (ceiling, hard))
    except (ImportError, OSError, ValueError):
        return


# ---------------------------------------------------------------------------------------------------------------------
# The connection

_LOCKED = {
    "allow_persistent_secrets": "false",
    "allow_community_extensions": "false",
    "allow_extension_repositories": "forbidden",
    "show_behavior": "table",
}
"""`show secret_directory` would name a folder of the machine: `show` is for tables. Stored secrets are not looked for."""


def _config(spill_dir: Path, limits: QueryLimits) -> Mapping[str, str]:
    """What the connection is made with. Python variables are no tables: `select * from df` must not find one."""
    return _LOCKED | {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
        "threads": str(max(1, limits.threads)),
        "memory_limit": f"{limits.memory_bytes}B",
        "temp_directory": str(spill_dir.absolute()),
        "max_temp_directory_size": f"{limits.spill_bytes}B",
    }


def _add_views(connection: duckdb.DuckDBPyConnection, release_dir: Path, schema: str) -> None:
    """Makes a view for each table of the release, in the schema, and holds the release for as long as the connection lives."""
    hold_while_alive(connection, release_dir)
    if not [table.name for table in TABLES.values() if _add_view(connection, release_dir, table.name, schema)]:
        raise QueryError(f"{release_dir}: expected folders of Parquet files named {', '.join(TABLES)}; found none of them")


def _add_view(connection: duckdb.DuckDBPyConnection, release_dir: Path, name: str, schema: str) -> bool:
    """Whether the release has the table, of which a view now stands. Reading 14 footers takes about 15 ms in all."""
    files = parquet_files(release_dir, TABLES[name])
    if not files:
        return False
    try:
        connection.execute(view_sql(TABLES[name], files, schema))
    except duckdb.Error as error:
        raise QueryError(f"{files[0].parent}: cannot be read as Parquet: {str(error).splitlines()[0]}") from error
    return True


def _lock_sql(*release_dirs: Path) -> str:
    """The statements after which nothing but the releases can be read and no setting changed.

    A folder is named with its slash, so that `r1` does not allow `r12` whatever DuckDB does about it (2.0 adds one).
    What a Parquet file says of itself is read once, as releases do not change: 2 ms less a query on a million papers.
    """
    folders = ", ".join(sql_text(f"{folder.absolute()}/") for folder in release_dirs)
    return (
        "set enable_progress_bar = false; "
        "set global parquet_metadata_cache = true; "
        f"set allowed_directories = [{folders}]; "
        "set enable_external_access = false; "
        "set lock_configuration = true"
    )


# ---------------------------------------------------------------------------------------------------------------------
# What is admitted

_READ_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""Of the nodes that hold a query, those that read. The others are {INSERT,UPDATE,DELETE,COPY}_QUERY_NODE in a `with`."""

_TABLE_FUNCTIONS = frozenset(
    {
        *("range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"),
        *("histogram", "histogram_values", "test_all_types", "icu_calendar_names", "pg_timezone_names"),
        *("duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_functions", "duckdb_keywords"),
        *("duckdb_schemas", "duckdb_tables", "duckdb_types", "duckdb_views", "pragma_table_info", "pragma_version"),
    }
)
"""Functions that may stand in `from`. Unknown ones are refused: of DuckDB 2.0's, some read files, some run SQL given as
text, some change settings, and some take an address in memory."""

_CLOSED_FUNCTIONS = frozenset({"current_setting", "getenv", "getvariable", "write_log"})
_CLOSED_TABLES = frozenset({"pg_settings"})
"""They tell folders and names of the machine, or write into DuckDB's log."""

_WRITE_WORDS = frozenset(
    {
        *("alter", "attach", "call", "copy", "create", "delete", "detach", "drop", "execute", "export", "import"),
        *("insert", "install", "load", "merge", "pragma", "prepare", "reset", "set", "truncate", "update", "vacuum"),
    }
)
"""A statement that begins with one of them, or has it in a `with`, is MULTI too as soon as it holds a PIVOT."""


def _only_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """The statement of a text that holds exactly one."""
    if len(sql) > LONGEST_QUERY_CHARACTERS:
        raise QueryError(f"the query has {len(sql):,} characters; at most {LONGEST_QUERY_CHARACTERS:,} are taken")
    if "\0" in sql:
        raise QueryError("the query holds a NUL character, which SQL has no use for; remove it")
    if any("\ud800" <= character <= "\udfff" for character in sql):
        raise QueryError("the query holds bytes that are not UTF-8; write it in UTF-8")
    statements = connection.extract_statements(sql)
    if not statements:
        raise QueryError("the query is empty; try `select title from papers limit 10`")
    if len(statements) > 1:
        raise QueryError(f"expected one statement, found {len(statements)}; ask them one at a time")
    return statements[0]


def _kind(statement: duckdb.Statement) -> str:
    """The statement's type by name; `update extensions` has one that DuckDB's own Python module does not know."""
    try:
        return statement.type.name
    except ValueError:
        return "something else"


def _explained(text: str) -> str:
    """The statement that an EXPLAIN is about: what follows `explain`, `analyze` and `( options )`.

    A group in parentheses is taken for options only where it begins like options; otherwise it is part of the statement.
    Taking too little for options leaves a text that does not parse, which is refused.
    """
    tokens = sql_tokens(text)
    words = [word.lower() for _, word in tokens]
    place = 2 if words[1:2] == ["analyze"] else 1
    if words[place : place + 1] == ["("] and words[place + 1] in {"analyze", "format"}:
        place = words.index(")", place) + 1
    return text.encode()[tokens[place][0] :].decode() if place < len(tokens) else ""


def _check_tree(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """Raises `QueryError` where the syntax tree of `text` holds more than reading.

    The tree is DuckDB's own (`json_serialize_sql`), which refuses whatever is no SELECT.
    """
    row = connection.execute("select json_serialize_sql(?::varchar)", [text]).fetchall()[0]
    try:
        tree = json.loads(row[0], object_hook=_checked_node)
    except RecursionError as error:
        raise QueryError("the query is nested too deeply; take it apart with `with`") from error
    if tree["error"] or len(tree["statements"]) != 1:
        raise _not_a_read("EXPLAIN of another kind")


def _checked_node(node: dict[str, Any]) -> dict[str, Any] | None:
    """A node of a syntax tree that only reads, called for each as the tree is parsed; constants are dropped.

    Walking the finished tree instead took three times as long for a list of 150,000 numbers.

    Raises:
        QueryError: the node does more than read.
    """
    if node.get("class") == "CONSTANT":
        return None
    kind = str(node.get("type", ""))
    if kind.endswith("NODE") and kind not in _READ_NODES:
        raise _not_a_read(kind.removesuffix("_NODE").removesuffix("_QUERY"))
    if kind == "TABLE_FUNCTION":
        _check_table_function(str(node["function"].get("function_name", "")))
    elif str(node.get("function_name", "")).lower() in _CLOSED_FUNCTIONS:
        raise _closed(str(node["function_name"]))
    elif kind == "BASE_TABLE" and str(node.get("table_name", "")).lower() in _CLOSED_TABLES:
        raise _closed(str(node["table_name"]))
    return node


def _check_table_function(name: str) -> None:
    """Raises `QueryError` where a function that stands in `from` is not known to be harmless."""
    if name.lower() not in _TABLE_FUNCTIONS:
        raise QueryError(
            f"the function {name} may not stand in `from` here: a query reads only the tables of the release "
            f"({', '.join(TABLES)}), no file, no network and no SQL given as text"
        )


def _check_words(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """Raises `QueryError` where a PIVOT's text holds a word that writes or a function that may not stand in `from`.

    A column with such a name is meant as a column when it stands in double quotes.
    """
    words = [word for _, word in sql_tokens(text)]
    for word in words:
        if word.lower() in _WRITE_WORDS:
            raise QueryError(
                f"a query that holds PIVOT may not hold the word {word}, for a query only reads; "
                f'if it is the name of a column, write "{word}"'
            )
    rows = connection.execute("select distinct function_name from duckdb_functions() where function_type like 'table%'")
    table_functions = {str(row[0]) for row in rows.fetchall()}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name = word.strip('"').replace('""', '"').lower()
        if following == "(" and name in table_functions:
            _check_table_function(name)
        if (following == "(" and name in _CLOSED_FUNCTIONS) or name in _CLOSED_TABLES:
            raise _closed(name)


def _not_a_read(kind: str) -> QueryError:
    """The refusal of a statement that is no query."""
    return QueryError(
        f"a query here only reads, and this is {kind.replace('_', ' ')}: "
        "write one SELECT (or VALUES, DESCRIBE, SHOW TABLES, SUMMARIZE, PIVOT), or EXPLAIN of one"
    )


def _closed(name: str) -> QueryError:
    """The refusal of a function or table that tells about the machine."""
    return QueryError(f"{name} is closed here: a query reads the tables of the release and nothing of the machine")
