"""This module opens an SQLite database that nobody trusts: it reads rows of tables, and does nothing that the file says.

The file is opened read-only and immutable, so that no lock, journal or shared memory beside it is touched. No view, trigger,
virtual table or function of it is run, and no query works for longer or gives more than one over a sound file can.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from transforms.readers.base import RawFile

BROKEN = (sqlite3.Error, ValueError, OverflowError)
"""What a broken or forbidden table raises; ValueError is a name that is no UTF-8 or holds a NUL."""

_INSTRUCTIONS_A_BYTE = 20
_INSTRUCTIONS_LEAST = 10_000_000
_INSTRUCTIONS_BLOCK = 1_000_000
"""How much a query that counts or lists may work. A row takes four bytes and more, and counting it four instructions; pages
that point to each other in circles would keep it at work for ever."""

_TEXT_A_BYTE = 8
_TEXT_LEAST = 64 * 2**20
"""How much text a query may give. Nothing in a database is compressed: only rows that share pages, or defaults, give more."""

_ROW_IDS = ("rowid", "_rowid_", "oid")


class Database:
    """An open database; every method raises one of `BROKEN` where the file does not allow an answer."""

    def __init__(self, raw_file: RawFile) -> None:
        """Opens it. An immutable file with a write-ahead log is read as it stands, without the log."""
        address = f"{raw_file.path.absolute().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, isolation_level=None)
        self._size_bytes = raw_file.size_bytes
        self._connection.text_factory = lambda content: content.decode("utf-8", "surrogateescape")
        for setting in ("trusted_schema = off", "cell_size_check = on", "mmap_size = 0", "query_only = on"):
            self._connection.execute(f"pragma {setting}").close()
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, raw_file.limits.entry_bytes)
        self._connection.set_authorizer(_authorize)

    def close(self) -> None:
        """Closes it."""
        self._connection.close()

    def tables(self) -> list[str]:
        """The names of the real tables; what views and virtual tables show stands in tables too."""
        listed = self.rows("select name, sql from sqlite_master where type = 'table' order by rowid")
        is_virtual = [str(sql).lstrip()[:14].casefold() == "create virtual" for _, sql in listed]
        names = [name for (name, _), virtual in zip(listed, is_virtual, strict=True) if not virtual]
        return [name for name in names if isinstance(name, str) and not name.startswith("sqlite_")]

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns, without those that are computed: the file says how, and that is not run."""
        found = self.rows(f"pragma table_xinfo({quoted(table)})")
        return [name for _, name, _, _, _, _, hidden in found if not hidden]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        blocks = 1 + (_INSTRUCTIONS_LEAST + self._size_bytes * _INSTRUCTIONS_A_BYTE) // _INSTRUCTIONS_BLOCK
        countdown = iter(range(blocks))
        self._connection.set_progress_handler(lambda: next(countdown, None) is None, _INSTRUCTIONS_BLOCK)
        try:
            return list(self._bounded(self._connection.execute(query)))
        finally:
            self._connection.set_progress_handler(None, 0)

    def count(self, table: str) -> int:
        """How many rows a table has, by a walk of its own, where there is one through an index."""
        # count(*) would be a single instruction, which nothing can stop.
        return int(self.rows(f"select total(1) from {quoted(table)}")[0][0])

    def row_by_row(self, table: str, columns: list[str]) -> Iterator[tuple[Any, ...] | str]:
        """Each row of a table, or what is wrong with it where it alone cannot be read."""
        return self._bounded(self._row_by_row(table, columns))

    def _row_by_row(self, table: str, columns: list[str]) -> Iterator[tuple[Any, ...] | str]:
        name, taken = quoted(table), {column.casefold() for column in columns}
        values = ", ".join(map(quoted, columns))
        row_id = next((name for name in _ROW_IDS if name not in taken), None)
        try:
            rows = self._connection.execute(f"select {row_id}, {values} from {name} order by {row_id}") if row_id else None
        except sqlite3.OperationalError:  # a table without row ids
            rows = None
        if rows is None:
            yield from self._connection.execute(f"select {values} from {name}")
            return
        last: int | None = None
        while rows is not None:
            try:
                for row in rows:
                    last = row[0]
                    yield row[1:]
                return
            except BROKEN as error:
                problem = str(error)
            # Python's module looks one row ahead, and loses the row before one that fails: both are asked for alone.
            after = "" if last is None else f"where {row_id} > {last}"
            for attempt in range(2):
                found = self._connection.execute(f"select {row_id} from {name} {after} order by {row_id} limit 1").fetchone()
                if found is None and attempt:
                    return
                if found is None or (last is not None and found[0] <= last):
                    raise sqlite3.DatabaseError(problem)
                last = found[0]
                after = f"where {row_id} > {last}"
                yield self._row(f"select {values} from {name} where {row_id} = {last}")
            rows = self._connection.execute(f"select {row_id}, {values} from {name} {after} order by {row_id}")

    def _row(self, query: str) -> tuple[Any, ...] | str:
        """The one row of a query, or what is wrong with it."""
        try:
            return self._connection.execute(query).fetchone() or "its row id is found, but not the row"
        except BROKEN as error:
            return str(error)

    def _bounded(self, rows: Iterator[Any]) -> Iterator[Any]:
        """The rows, as long as they do not give more text than a sound file of this size can."""
        allowance = self._size_bytes * _TEXT_A_BYTE + _TEXT_LEAST
        for row in rows:
            allowance -= row_characters(row)
            if allowance < 0:
                raise sqlite3.DataError("it gives more text than the file has bytes: rows share their pages")
            yield row


def row_characters(row: tuple[object, ...] | str) -> int:
    """How many characters and bytes the texts of a row have."""
    return sum([len(value) for value in row if isinstance(value, (str, bytes))])


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    is_reading = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    is_reading |= action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo"
    is_counting = action == sqlite3.SQLITE_FUNCTION and second == "total"
    return sqlite3.SQLITE_OK if is_reading or is_counting else sqlite3.SQLITE_DENY
