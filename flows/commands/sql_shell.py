"""This module is the shell of `paperlake sql`: statements and dot commands on one release, until a person has had enough."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import get_args

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from flows.commands import read_commands
from flows.commands.read_commands import print_rows, query_limits
from flows.commands.sql_completion import COMMANDS, Names, SqlCompleter
from flows.settings import load_settings
from transforms.schemas import TABLES, PaperlakeError
from warehouse.dictionary import COLUMNS, column_rows
from warehouse.history import find_release
from warehouse.layout import Lake
from warehouse.query import QueryLimits, Row, run_query
from warehouse.reader_lock import hold_while_alive
from warehouse.row_formats import Format, write_rows
from warehouse.sandbox import cap_process_memory, sql_tokens
from warehouse.saved_queries import saved_queries
from warehouse.views import sql_name

_HELP = """\
A statement ends with ; and may go over several lines. Tab completes the names of tables, columns and functions.
Ctrl-C stops a running query or clears what is typed, Ctrl-D ends, the arrow keys bring back earlier statements.
  .tables             the tables and views of the release, with their meaning
  .schema [TABLE]     the columns of a table or view, or of all tables
  .mode [FORMAT]      how rows are printed: table, csv, json, jsonl or markdown
  .release [RELEASE]  which release this is; or read another: its id, current, previous, or a date
  .help               this
  .quit               the end"""


class ShellError(PaperlakeError):
    """A dot command that is not there, or has not the words it wants."""


def open_shell(lake_path: Path | None, at: str | None, format: Format, timeout_seconds: float | None) -> int:
    """Answers statements typed at the terminal until the end of input; 0.

    Raises:
        PaperlakeError: there is no lake, or no such release, to begin with.
    """
    settings = load_settings()
    limits = query_limits(settings, timeout_seconds)
    shell = Shell(Lake(settings.lake_path(lake_path)), at, format, limits)
    if read_commands.owns_process:
        cap_process_memory(limits)
    prompt: PromptSession[str] = PromptSession(
        "paperlake> ",
        history=_history(),
        completer=SqlCompleter(lambda: shell.names),
        complete_while_typing=False,
        multiline=True,
        prompt_continuation="       ... ",
        key_bindings=_enter_ends_statements(),
    )
    print(f"{shell.which_release()}. Statements end with ;  .help tells more")
    while True:
        try:
            typed = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return 0
        if typed.strip() in (".quit", ".exit"):
            return 0
        shell.answer(typed)


class Shell:
    """One release, held so that pruning leaves it, and how its answers are printed."""

    def __init__(self, lake: Lake, at: str | None, format: Format, limits: QueryLimits) -> None:
        self._lake = lake
        self._format: Format = format
        self._limits = limits
        self._open(at)

    def answer(self, typed: str) -> None:
        """Prints the answer to a statement or dot command; an error as a sentence, for the shell goes on."""
        try:
            if typed.lstrip().startswith("."):
                self._command(*typed.split())
            elif typed.strip().strip(";").strip():
                self._print_query(typed)
        except PaperlakeError as error:
            _say(str(error))
        except KeyboardInterrupt:
            _say("interrupted")
        except Exception as error:  # noqa: BLE001 - whatever it is, what was typed before is not to be lost for it
            _say("interrupted" if "interrupted" in str(error).lower() else f"{type(error).__name__}: {error}")

    def which_release(self) -> str:
        """The release that is read, and whether another is current by now."""
        current = self._lake.require_release()
        if current == self._release_dir:
            return f"Release {self._release_dir.name}, the current one"
        return f"Release {self._release_dir.name}; the current one is {current.name}, which `.release current` reads"

    def _open(self, at: str | None) -> None:
        """Reads another release from here on."""
        release_dir = find_release(self._lake, at)
        self._hold = _Hold()
        hold_while_alive(self._hold, release_dir)
        self._release_dir = release_dir
        tables: dict[str, list[str]] = {}
        for table, column in self._rows(_COLUMNS_SQL):
            tables.setdefault(str(table), []).append(str(column))
        self.names = Names(tables, [str(row[0]) for row in self._rows(_FUNCTIONS_SQL)])

    def _rows(self, sql: str) -> list[Row]:
        """The answer to a question of the shell's own."""
        with run_query(self._release_dir, sql, spill_dir=self._lake.spill_dir, limits=self._limits) as result:
            return result.rows()

    def _print_query(self, sql: str) -> None:
        with run_query(self._release_dir, sql, spill_dir=self._lake.spill_dir, limits=self._limits) as result:
            write_rows(result.columns, result.types, result.batches(), self._format, sys.stdout)

    def _command(self, name: str, *words: str) -> None:
        """Does what a dot command says."""
        if name not in COMMANDS:
            raise ShellError(f"there is no {name}; the commands are {', '.join(COMMANDS)}")
        if len(words) > (name in (".schema", ".mode", ".release")):
            raise ShellError(f"{name} does not take '{' '.join(words)}'; .help tells what there is")
        word = words[0].removesuffix(";") if words else None
        if name == ".help":
            print(_HELP)
        elif name == ".tables":
            self._print_tables()
        elif name == ".schema":
            self._print_schema(word)
        elif name == ".mode":
            self._set_mode(word)
        else:
            if word is not None:
                self._open(word)
            print(self.which_release())

    def _print_tables(self) -> None:
        meanings = {query.name: query.grain for query in saved_queries()} | {
            name: table.grain for name, table in TABLES.items()
        }
        print_rows(("table", "what a row is"), [(name, meanings.get(name)) for name in self.names.tables], self._format)

    def _print_schema(self, name: str | None) -> None:
        if name is None or name in TABLES:
            print_rows(COLUMNS, column_rows(name), self._format)
            return
        if name not in self.names.tables:
            raise ShellError(f"there is no table '{name}'; .tables lists them")
        rows = [(str(row[0]), str(row[1])) for row in self._rows(f"describe {sql_name(name)}")]
        print_rows(("column", "type"), rows, self._format)

    def _set_mode(self, name: str | None) -> None:
        formats: dict[str, Format] = {format: format for format in get_args(Format)}
        if name is not None and name not in formats:
            raise ShellError(f"there is no mode '{name}'; the modes are {', '.join(formats)}")
        self._format = formats[name] if name else self._format
        print(f"rows are printed as {self._format}")


class _Hold:
    """Lives as long as the shell reads a release."""


_COLUMNS_SQL = """
    select table_name, column_name
    from duckdb_columns()
    where not internal and schema_name = 'main'
    order by table_name, column_index
"""

_FUNCTIONS_SQL = """
    select distinct function_name
    from duckdb_functions()
    where function_type in ('scalar', 'aggregate', 'macro') and regexp_full_match(function_name, '[a-z][a-z0-9_]*')
    order by all
"""


def _say(sentence: str) -> None:
    print(f"paperlake: {sentence}", file=sys.stderr)


def _history() -> History:
    """What was typed before, kept in the user's state folder (XDG base directories); where none can be, in memory."""
    try:
        state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        path = Path(state, "paperlake", "history")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.open("ab").close()
        return FileHistory(str(path))
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return InMemoryHistory()


def _enter_ends_statements() -> KeyBindings:
    """Enter takes what is typed if it is whole: a dot command, or a statement that ends with a semicolon; else a new line."""
    bindings = KeyBindings()

    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_whole(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings


def is_whole(text: str) -> bool:
    """Whether what is typed can be answered: nothing, a dot command, or what ends with a semicolon outside of text and notes.

    >>> [is_whole(text) for text in ("", ".tables", "select 1", "select 1;", "select ';", "select ';';", "select 1; -- why;")]
    [True, True, False, True, False, True, True]
    """
    if not text.strip() or text.lstrip().startswith("."):
        return True
    return ";" in [word for _, word in sql_tokens(text)[-1:]]
