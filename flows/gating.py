"""This module decides at the gate which sources go on with what they brought, and which keep what was good last."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from flows.settings import ConfigError, Settings


def require_sources(settings: Settings, names: Iterable[str]) -> None:
    """Checks that each name is that of a configured source.

    Raises:
        ConfigError: one is not, with the nearest that is.
    """
    known = [source.name for source in settings.sources]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean '{near[0]}'?" if near else f"Sources are: {', '.join(known) or 'none'}."
            raise ConfigError(f"--accept {name}: sources.toml has no source of this name. {hint}")
