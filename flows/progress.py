"""This module tells on standard error what a run is doing: a moving line on a terminal, plain lines elsewhere, or JSON."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from flows.run_log import chosen_format, json_handler, log_line, writing_to

if TYPE_CHECKING:
    from rich.status import Status

Say = Callable[[str], None]

listener: ContextVar[Say | None] = ContextVar("listener", default=None)
"""Who is told what a flow run called from this process does, besides its own log."""


@contextmanager
def progress() -> Iterator[Say]:
    """A function that is told in a short line what begins, for as long as the `with` block lasts.

    Lines of the log are written too, as `--log-format` says. On a terminal those that are no warning only pass by: of a
    thousand files the last one read is what a person wants to see, and a file gets them all.
    """
    if chosen_format.get() == "json":
        with _lines(json_handler()) as say:
            yield say
    elif not sys.stderr.isatty():
        with _lines(_PlainLines()) as say:
            yield say
    else:
        from rich.console import Console
        from rich.markup import escape

        console = Console(stderr=True)
        with console.status("starting") as status, writing_to(_PassingLines(status)):

            def say(text: str) -> None:
                console.print(text, style="dim", markup=False, highlight=False)
                status.update(escape(text))

            yield say


@contextmanager
def _lines(handler: logging.Handler) -> Iterator[Say]:
    """A function that writes a line to `handler`, to which the log is written meanwhile."""
    with writing_to(handler):
        yield lambda text: log_line(handler, logging.INFO, text)


class _PlainLines(logging.Handler):
    """Prints each line; one that only closes a log of JSON, as the report says the same, is left out."""

    def emit(self, record: logging.LogRecord) -> None:
        if not getattr(record, "is_reported", False):
            print(_text(record), file=sys.stderr, flush=True)


class _PassingLines(logging.Handler):
    """Shows each line beside the moving mark of a terminal until the next; a warning stays."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status

    def emit(self, record: logging.LogRecord) -> None:
        from rich.markup import escape

        if record.levelno >= logging.WARNING:
            self.status.console.print(_text(record), markup=False, highlight=False, style="yellow")
        elif not getattr(record, "is_reported", False):
            self.status.update(escape(_text(record)))


def _text(record: logging.LogRecord) -> str:
    level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
    return level + record.getMessage()
