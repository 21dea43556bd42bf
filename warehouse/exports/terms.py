"""This module says under which terms the sources of a release may be used: as sources.toml states it, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceTerms:
    """What is stated of a source: its licence (an SPDX id or an address), its page, and how it wants to be cited."""

    name: str
    license: str | None = None
    homepage: str | None = None
    citation: str | None = None


def license_page(license: str) -> str:
    """The page of a licence: of an SPDX id the one in its list.

    >>> license_page("CC-BY-4.0"), license_page("https://example.org/terms")
    ('https://spdx.org/licenses/CC-BY-4.0.html', 'https://example.org/terms')
    """
    return license if "://" in license else f"https://spdx.org/licenses/{license}.html"


def licenses(terms: Sequence[SourceTerms]) -> list[str]:
    """The licences stated, each once, in the order of the sources.

    >>> licenses([SourceTerms("a", "CC-BY-4.0"), SourceTerms("b"), SourceTerms("c", "CC-BY-4.0")])
    ['CC-BY-4.0']
    """
    return list(dict.fromkeys(source.license for source in terms if source.license))


def terms_sentences(terms: Sequence[SourceTerms]) -> list[str]:
    """What is to be said of the sources in sentences: their licences, and which state none.

    >>> terms_sentences([SourceTerms("a", "CC-BY-4.0", "https://a.org")])
    ['Source a (https://a.org): licence CC-BY-4.0.']
    >>> terms_sentences([SourceTerms("command_line")])
    ['No licence is stated for command_line: ask where it comes from before you share it.']
    """
    stated = [
        f"Source {source.name}{f' ({source.homepage})' if source.homepage else ''}: licence {source.license}."
        for source in terms
        if source.license
    ]
    cited = [f"Cite {source.name} as: {source.citation}" for source in terms if source.citation]
    unknown = ", ".join(source.name for source in terms if not source.license)
    silent = [f"No licence is stated for {unknown}: ask where it comes from before you share it."] if unknown else []
    return [*stated, *cited, *silent]
