"""This module tells what kind of entry a paper is: by the type its source gives, else by the kind of its venue."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Kind = Literal[
    "article",
    "paper",
    "chapter",
    "book",
    "proceedings",
    "doctoral_thesis",
    "masters_thesis",
    "report",
    "preprint",
    "dataset",
    "software",
    "other",
]

_TYPES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("dataset", re.compile(r"data\s?sets?|data|dbase")),
    ("software", re.compile(r"software|comp|computer program|code")),
    ("masters_thesis", re.compile(r"master.*|mthesis")),
    ("doctoral_thesis", re.compile(r"ph\.?d.*|thes|.*(?:thesis|dissertation).*")),
    ("preprint", re.compile(r".*preprint.*|posted.content|unpublished.*|unpb|manuscript|working paper|informal.*")),
    ("report", re.compile(r"tech.*|rprt|.*report.*")),
    ("chapter", re.compile(r"in(?:collection|book)|chap|echap|.*(?:chapter|section).*|s(?:ec|upp)book.*")),
    ("proceedings", re.compile(r"(?:mv)?proceedings|conf|(?:edited )?proceedings.volume")),
    ("paper", re.compile(r"inproceedings|cpaper|conference|.*(?:conference|proceedings|workshop).*")),
    ("book", re.compile(r"(?:mv)?book|ebook|edbook|edited.book|monograph|(?:mv)?(?:collection|reference)")),
    ("article", re.compile(r"jour|ejour|jfull|mgzn|news|abst|.*(?:article|journal|review|editorial|letter|survey|erratum).*")),
)
"""What types are called by BibTeX, RIS, CSL, Crossref, Zotero, Scopus and the Web of Science, asked in order."""

_VENUE_KINDS: Mapping[str, Kind] = {
    "conference": "paper",
    "workshop": "paper",
    "journal": "article",
    "preprint": "preprint",
    "book": "chapter",
}
_VENUES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("preprint", re.compile(r"\b(?:arxiv|\w+rxiv|corr|preprints?|ssrn)\b")),
    ("paper", re.compile(r"\b(?:conferences?|conf|symposi(?:um|a)|workshops?|proceedings|proc|congress|meetings?)\b")),
    ("article", re.compile(r"\b(?:journal|transactions|letters|annals|reviews?|magazine|bulletin|quarterly|archives|acta)\b")),
    ("chapter", re.compile(r"\b(?:lecture notes|lncs|handbook|encyclopa?edia)\b")),
)


def entry_kind(paper: Mapping[str, object], kinds: Mapping[str, str]) -> Kind:
    """The kind of a row of `papers`; `kinds` are those of the curated venues, by venue_id.

    >>> entry_kind({"type": "journal article"}, {}), entry_kind({"type": "cpaper"}, {}), entry_kind({"type": "thes"}, {})
    ('article', 'paper', 'doctoral_thesis')
    >>> entry_kind({"venue_id": "iclr"}, {"iclr": "conference"}), entry_kind({"venue": "Pebble Letters"}, {})
    ('paper', 'article')
    >>> entry_kind({"venue": "Pebbles", "volume": "3"}, {}), entry_kind({"title": "Sorting"}, {})
    ('article', 'other')
    """
    given = str(paper.get("type") or "").strip()
    for kind, words in _TYPES:
        if words.fullmatch(given):
            return kind
    if known := _VENUE_KINDS.get(kinds.get(str(paper.get("venue_id")), "")):
        return known
    venue = str(paper.get("venue") or "").lower()
    for kind, words in _VENUES:
        if words.search(venue):
            return kind
    # Papers of journals have a volume; those of conferences whose name does not say so most often have none.
    return "article" if venue and paper.get("volume") else "paper" if venue else "other"
