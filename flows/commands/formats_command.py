"""This module is `paperlake formats`: the formats that are read, and the shapes of records that are known."""

from __future__ import annotations

from flows.commands.read_commands import print_rows
from flows.settings import ConfigError
from transforms.readers.registry import READERS
from transforms.readers.shapes import SHAPES
from warehouse.names import did_you_mean
from warehouse.row_formats import Format


def print_formats(name: str | None, format: Format) -> int:
    """Prints the formats and shapes, or one of them with its whole example and the field of each of its columns.

    Raises:
        ConfigError: there is no format or shape of that name.
    """
    if name is None:
        listed = [("format", reader.name, reader.meaning, reader.example) for reader in READERS.values()]
        listed += [("shape", shape.name, shape.meaning, shape.example) for shape in SHAPES]
        if format == "table":
            listed = [(kind, called, meaning, _beginning(example)) for kind, called, meaning, example in listed]
        print_rows(("kind", "name", "meaning", "example"), listed, format)
        return 0
    reader = READERS.get(name)
    shape = next((shape for shape in SHAPES if shape.name == name), None)
    if reader is not None:
        account = "the spans of records, rejects and furniture cover the file" if reader.has_spans else "entries counted twice"
        rows = [("format", reader.name), ("meaning", reader.meaning), ("account", account)]
        example = reader.example
    elif shape is not None:
        fields = [(path, field.removesuffix("_raw")) for path, field in shape.fields.items()]
        rows = [("shape", shape.name), ("meaning", shape.meaning), *fields]
        example = shape.example
    else:
        known = [*READERS, *(shape.name for shape in SHAPES)]
        hint = did_you_mean(name, known, "All are listed by `paperlake formats`.")
        raise ConfigError(f"no format or shape is called '{name}'. {hint}")
    print_rows(("what", "is"), [*rows, ("example", example.strip())], format)
    return 0


def _beginning(example: str) -> str:
    """As much of an example as a table has room for; `paperlake formats NAME` shows all of it."""
    text = " ".join(example.split())
    return text if len(text) <= _BEGINNING_CHARACTERS else f"{text[: _BEGINNING_CHARACTERS - 1]}…"


_BEGINNING_CHARACTERS = 90
