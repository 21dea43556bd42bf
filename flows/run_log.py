"""This module is the log of a run: lines that carry the run, the step, the source and the file, as text or as JSON.

All of it goes through the standard library's logger `paperlake`, so that whoever calls paperlake from their own program
takes it like any other log. A message says by itself what it is about, source and file included, as Prefect keeps nothing
else of a line; the same stands in attributes of the record (`FIELDS`). Whoever wants the lines elsewhere adds a handler to
the logger. For Prefect its own setting does: `PREFECT_LOGGING_EXTRA_LOGGERS=paperlake` sends every line that is written
within a flow run or a task run to the log of that run. What goes by way of `flows.progress.Say` (which step begins, who
holds the lock) is not written to the logger, as a flow run tells its own log that already.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from transforms.schemas import PaperlakeError

LogFormat = Literal["text", "json"]

FIELDS = ("run_id", "step", "source", "file", "lake")
"""What a line says of where it belongs. In JSON they follow `time`, `level` and `message`, null where there is none."""

logger = logging.getLogger("paperlake")
"""What everything is written to. Without a handler it is silent, as a library should be."""

chosen_format: ContextVar[LogFormat] = ContextVar("chosen_format", default="text")
"""How the command that runs now writes its log."""

_fields: ContextVar[dict[str, str]] = ContextVar("log_fields", default={})  # noqa: B039 - never changed in place


class LogFormatError(PaperlakeError):
    """A format of the log that there is not."""

    exit_code = 2


@contextmanager
def log_fields(**fields: str) -> Iterator[None]:
    """Lets every line that is written in a `with` block carry these of `FIELDS`, and an error that leaves it, too."""
    token = _fields.set({**_fields.get(), **fields})
    try:
        yield
    except BaseException as error:
        if not hasattr(error, _NOTED):
            setattr(error, _NOTED, _fields.get())
        raise
    finally:
        _fields.reset(token)


def fields_of(error: BaseException) -> dict[str, str]:
    """What an error that left a block of `log_fields` belongs to."""
    fields: dict[str, str] = getattr(error, _NOTED, {})
    return fields


_NOTED = "paperlake_log_fields"


def log_file(level: int, source: str, file: str, message: str, **figures: object) -> None:
    """Writes a line on one file of a source. `figures` are counts, sizes and words that JSON has as keys of their own."""
    with log_fields(source=source, file=file):
        logger.log(level, "%s: %s", shown(f"{source}/{file}"), shown(message), extra={"figures": figures})


def log_source(level: int, source: str, message: str, **figures: object) -> None:
    """Writes a line on a source."""
    with log_fields(source=source):
        logger.log(level, "%s: %s", shown(source), shown(message), extra={"figures": figures})


def shown(text: str) -> str:
    """`text` on one line, with nothing in it that a terminal would obey."""
    if text.isprintable():
        return text
    from warehouse.row_tables import printable  # here: it brings a tenth of a second of imports, and is seldom needed

    return printable(text)


def take_log_format(words: Sequence[str]) -> tuple[list[str], LogFormat]:
    """The words of a command line without `--log-format`, and the format; without one what `PAPERLAKE_LOG_FORMAT` says.

    Raises:
        LogFormatError: there is no such format.

    >>> take_log_format(["run", "a.csv", "--log-format", "json"])
    (['run', 'a.csv'], 'json')
    """
    kept, given, by = list(words), os.environ.get("PAPERLAKE_LOG_FORMAT") or "text", "PAPERLAKE_LOG_FORMAT"
    options = kept[: kept.index("--")] if "--" in kept else kept
    for place in [place for place, word in enumerate(options) if word.partition("=")[0] == OPTION][::-1]:
        _, is_joined, value = kept[place].partition("=")
        if not is_joined:
            value = kept[place + 1] if place + 1 < len(options) else ""
        del kept[place : place + (1 if is_joined else 2)]
        if by != OPTION:  # the last one counts
            given, by = value, OPTION
    for format in get_args(LogFormat):
        if given == format:
            return kept, format
    raise LogFormatError(f"{by} is {given!r}: expected {' or '.join(get_args(LogFormat))}")


OPTION = "--log-format"


class _Fields(logging.Filter):
    """Puts `FIELDS` on every record, whichever handler takes it."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name in FIELDS:
            setattr(record, name, _fields.get().get(name))
        return True


class JsonLines(logging.Formatter):
    """A record as one JSON object: `time` (UTC), `level`, `message`, `FIELDS`, then the figures of the line by name."""

    def format(self, record: logging.LogRecord) -> str:
        """The object, on one line."""
        row: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **{name: getattr(record, name, None) for name in FIELDS},
        }
        figures = getattr(record, "figures", {})
        # A name that is no Unicode, as a file's may be, is escaped, so that whatever reads the line can.
        return json.dumps(row | {name: figures[name] for name in figures if name not in row}, default=str)


def json_handler() -> logging.Handler:
    """A handler that writes JSON lines to standard error, wherever that leads now."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    return handler


@contextmanager
def writing_to(handler: logging.Handler) -> Iterator[None]:
    """Lets the logger write to a handler of the command line for a `with` block, and to no handler of its parents."""
    propagated = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False  # Prefect gives the root logger a handler that would print each line again
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated


def log_line(handler: logging.Handler, level: int, text: str, **figures: object) -> None:
    """Writes a line to one handler alone."""
    record = logger.makeRecord(logger.name, level, "", 0, text, (), None, extra={"figures": figures})
    _FIELDS_FILTER.filter(record)
    handler.handle(record)


def log_end(message: str, **figures: object) -> None:
    """Writes what a run came to. The report says the same to people, so that only a log of JSON or of others shows it."""
    logger.info("%s", shown(message), extra={"figures": figures, "is_reported": True})


def log_failure(error: BaseException | None, message: str, exit_code: int) -> None:
    """Writes the last line of a command that failed, as JSON."""
    token = _fields.set({**_fields.get(), **(fields_of(error) if error else {})})
    try:
        log_line(json_handler(), logging.ERROR, message, exit_code=exit_code)
    finally:
        _fields.reset(token)


_FIELDS_FILTER = _Fields()
logger.addFilter(_FIELDS_FILTER)
logger.addHandler(logging.NullHandler())
logger.setLevel(logging.INFO)
