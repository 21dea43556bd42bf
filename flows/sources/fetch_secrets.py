"""This module fills secrets in where a source's block names them, and takes them out of all that is shown or kept.

`${NAME}` is a variable of the environment, `${block:NAME}` a Secret block of Prefect. Everything else in paperlake sees only
the text as it is written in sources.toml.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from transforms.schemas import PaperlakeError

MARK = re.compile(r"\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|block:[a-z0-9][a-z0-9-]*")


class SecretError(PaperlakeError):
    """A secret that is named but not to be had; the source that names it cannot be fetched."""


def wrong_mark(text: str) -> str | None:
    """The first mark in a text that names no secret as it should; None where all do.

    >>> wrong_mark("Bearer ${HF_TOKEN}"), wrong_mark("${block:my-token}"), wrong_mark("${HF TOKEN}"), wrong_mark("${OPEN")
    (None, None, '${HF TOKEN}', '${')
    """
    for found in MARK.finditer(text):
        if not _NAME.fullmatch(found[1]):
            return found[0]
    return "${" if "${" in MARK.sub("", text) else None


def unset_variables(texts: Iterable[str]) -> list[str]:
    """The variables of the environment that texts name and that are not set, or are empty.

    >>> unset_variables(["Bearer ${NO_SUCH_TOKEN}", "${block:my-token}", "${PATH}"])
    ['NO_SUCH_TOKEN']
    """
    names = dict.fromkeys(found[1] for text in texts for found in MARK.finditer(text) if not found[1].startswith("block:"))
    return [name for name in names if not os.environ.get(name, "").strip()]


class Secrets:
    """The secrets filled in so far; it shows none of them."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def filled(self, text: str, *, in_address: bool = False) -> str:
        """The text with its secrets; in an address they are quoted as the value of a query is.

        Raises:
            SecretError: one is not to be had, or cannot stand there.
        """
        return MARK.sub(lambda found: self._value(found[0], found[1], in_address=in_address), text)

    def redacted(self, text: str) -> str:
        """The text with the marks in place of the secrets, in whatever case: names of hosts come back in lower case."""
        marks = {form.casefold(): mark for secret, mark in self._marks.items() for form in _forms(secret)}
        if not marks:
            return text
        longest_first = "|".join(re.escape(form) for form in sorted(marks, key=len, reverse=True))
        return re.sub(longest_first, lambda found: marks.get(found[0].casefold(), "${…}"), text, flags=re.IGNORECASE)

    def repeated_in(self, path: Path) -> str | None:
        """The mark of a secret that stands in a file as it is; None where none does, of those too long to do so by chance."""
        marks = {form.encode(): mark for secret, mark in self._marks.items() for form in _forms(secret)}
        marks = {form: mark for form, mark in marks.items() if len(form) >= _TELLING_BYTES}
        if not marks:
            return None
        longest, end = max(map(len, marks)), b""
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                text = end + chunk
                if found := next((mark for form, mark in marks.items() if form in text), None):
                    return found
                end = text[-longest:]
        return None

    def _value(self, mark: str, name: str, *, in_address: bool) -> str:
        value = (_of_block(name.removeprefix("block:")) if name.startswith("block:") else _of_environment(name)).strip()
        if not value.isprintable() or (not in_address and not value.isascii()):
            raise SecretError(f"the value of {mark} cannot stand there: it holds other than printed characters")
        self._marks[value] = mark
        return quote(value, safe="") if in_address else value


_TELLING_BYTES, _CHUNK_BYTES = 8, 2**20


def _forms(secret: str) -> set[str]:
    """How a secret may stand in a text: as it is, or quoted as in an address."""
    return {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}


def _of_environment(name: str) -> str:
    value = os.environ.get(name, "")
    if not value.strip():
        what = "is empty" if name in os.environ else "is not set"
        raise SecretError(f"the environment variable {name}, which its block names, {what}: set it where paperlake runs")
    return value


def _of_block(name: str) -> str:
    from prefect.blocks.system import Secret  # here: only a source that names a block pays for Prefect

    try:
        block: Any = Secret.load(name, _sync=True)  # type: ignore[call-arg]
        value = block.get()
    except Exception as error:  # noqa: BLE001 - whatever Prefect's client raises, the source alone is affected
        reason = type(error).__name__ if not isinstance(error, ValueError) else "there is none of that name"
        raise SecretError(
            f"the Secret block '{name}' of Prefect, which its block names, could not be had ({reason}): "
            f"`prefect block ls` lists the blocks, and PREFECT_API_URL says whose"
        ) from None
    if not isinstance(value, str) or not value.strip():
        raise SecretError(f"the Secret block '{name}' of Prefect, which its block names, holds no text")
    return value
