"""This module checks what sources.toml states of a source's terms: its licence, its page and how to cite it."""

from __future__ import annotations

import re

from flows.source_settings import SourceSettings
from flows.toml_values import ConfigError
from transforms.word_sets import word_set
from warehouse.names import nearest

_KNOWN = word_set(
    "CC0-1.0 CC-BY-3.0 CC-BY-4.0 CC-BY-SA-3.0 CC-BY-SA-4.0 CC-BY-NC-4.0 CC-BY-NC-SA-4.0 CC-BY-NC-ND-4.0 CC-BY-ND-4.0 "
    "ODbL-1.0 ODC-By-1.0 PDDL-1.0 CDLA-Permissive-2.0 CDLA-Sharing-1.0 O-UDA-1.0 MIT Apache-2.0 BSD-2-Clause BSD-3-Clause "
    "GPL-3.0-only LGPL-3.0-only MPL-2.0 Unlicense ISC EUPL-1.2 etalab-2.0 OGL-UK-3.0"
)
"""Licences that lists of papers come under, as SPDX spells them (https://spdx.org/licenses)."""

_SPDX = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.+-]{0,62}[A-Za-z0-9+])?")
_ADDRESS = re.compile(r"https?://[^\s/.]+\.[^\s\"<>]+")
_MOST_CHARACTERS = 2_000


def check_terms(source: SourceSettings, where: str) -> None:
    """Checks the keys license, homepage and citation of a block.

    Raises:
        ConfigError: a licence is neither an SPDX id nor an address, a page is no address, or a citation is no text.
    """
    if source.license is not None and not _ADDRESS.fullmatch(source.license):
        _check_spdx(source.license, where)
    if source.homepage is not None and not _ADDRESS.fullmatch(source.homepage):
        raise ConfigError(f"{where}: homepage = {source.homepage!r} should be an address, such as https://example.org/list")
    if source.citation is not None and not 0 < len(source.citation.strip()) <= len(source.citation) <= _MOST_CHARACTERS:
        raise ConfigError(f"{where}: citation should be a text of at most {_MOST_CHARACTERS:,} characters")


def _check_spdx(license: str, where: str) -> None:
    if license in _KNOWN:
        return
    bare = _bare(license)
    meant = next((known for known in sorted(_KNOWN) if _bare(known) == bare), None)
    if meant is None and _SPDX.fullmatch(license):
        return  # one of the 700 others
    near = meant or nearest(license, sorted(_KNOWN))
    hint = f" Did you mean '{near}'?" if near else ""
    raise ConfigError(
        f"{where}: license = {license!r} should be an SPDX id, such as CC-BY-4.0 (https://spdx.org/licenses), or the address "
        f"of its text.{hint}"
    )


def _bare(license: str) -> str:
    return re.sub(r"[^a-z0-9]", "", license.lower())
