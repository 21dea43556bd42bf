"""This module tells on standard error what a run is doing: a moving line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Say = Callable[[str], None]

listener: ContextVar[Say | None] = ContextVar("listener", default=None)
"""Who is told what a flow run called from this process does, besides its own log."""


@contextmanager
def progress() -> Iterator[Say]:
    """A function that is told in a short line what begins, for as long as the `with` block lasts."""
    if not sys.stderr.isatty():
        yield _say_plainly
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("starting") as status:

        def say(text: str) -> None:
            console.print(f"[dim]{text}[/dim]", highlight=False)
            status.update(text)

        yield say


def _say_plainly(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
