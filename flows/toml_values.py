"""This module turns tables of TOML into frozen dataclasses, with every key and its type checked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from transforms.schemas import PaperlakeError
from warehouse.names import did_you_mean


class ConfigError(PaperlakeError):
    """A setting that is unknown, missing or of the wrong kind; the message names the file, the key and a suggestion."""

    exit_code = 2


_T = TypeVar("_T")


def build(kind: type[_T], values: Any, where: str, **fixed: object) -> _T:
    """An instance of the frozen dataclass `kind` from a TOML table, its keys and their types checked."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: expected a table of keys, found {values!r}")
    fields = {f.name: str(f.type).removesuffix(" | None") for f in dataclasses.fields(kind) if f.name not in fixed}  # type: ignore[arg-type]
    check_keys(values, fields, where)
    for key, value in values.items():
        accepted = _ACCEPTED[fields[key]]
        if not isinstance(value, accepted) or (isinstance(value, bool) and bool not in accepted):
            raise ConfigError(f"{where}: {key} = {value!r} should be {' or '.join(t.__name__ for t in accepted)}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{where}: {key} = {value!r} should be a finite number")
        if isinstance(value, int | float) and value < 0:
            raise ConfigError(f"{where}: {key} = {value!r} should not be negative")
    return kind(
        **fixed, **{key: _texts(value, key, where) if fields[key] == _TEXTS else value for key, value in values.items()}
    )


_TEXTS = "tuple[str, ...]"

_ACCEPTED: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "Mapping[str, str]": (dict,),
    "Mapping[str, Any]": (dict,),
    "str | Mapping[str, str]": (str, dict),
    _TEXTS: (str, list),
}


def _texts(value: str | list[Any], key: str, where: str) -> tuple[str, ...]:
    """One text or several, as several."""
    texts = [value] if isinstance(value, str) else value
    for text in texts:
        if not isinstance(text, str):
            raise ConfigError(f"{where}: {key} should be a text or a list of texts; it has {text!r}")
    return tuple(texts)


def check_keys(values: Mapping[str, Any], known: Any, where: str) -> None:
    """Raises `ConfigError` for a key that is not among those known, with the nearest of them."""
    for key in values:
        if key not in known:
            hint = did_you_mean(key, list(known), f"Known keys: {', '.join(known)}.")
            raise ConfigError(f"{where}: unknown key '{key}'. {hint}")
