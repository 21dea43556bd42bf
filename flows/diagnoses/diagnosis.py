"""This module is what `paperlake doctor` finds: one finding a thing looked at, with what to do where it is amiss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from transforms.schemas import PaperlakeError

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `fail` is what stops a run, `warn` what may, or what makes it other than people expect."""

    state: State
    subject: str
    message: str
    do: str = ""


def ok(subject: str, message: str) -> Finding:
    """A finding that all is well."""
    return Finding("ok", subject, message)


def warn(subject: str, message: str, do: str) -> Finding:
    """A finding that something may go amiss."""
    return Finding("warn", subject, message, do)


def fail(subject: str, message: str, do: str) -> Finding:
    """A finding that a run cannot do."""
    return Finding("fail", subject, message, do)


def found(subject: str, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What a look at something finds; a look that fails itself is a finding too, and stops no other."""
    try:
        yield from look()
    except PaperlakeError as error:
        yield fail(subject, str(error), "")
    except Exception as error:  # noqa: BLE001 - whatever is broken here, the rest is still to be looked at
        yield fail(subject, f"cannot be looked at: {type(error).__name__}: {error}", "mend what the message names")
