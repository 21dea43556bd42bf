"""This module knows the headings of paper lists, in several languages, and the venue and year they name."""

from __future__ import annotations

import re

_HEADING_CHARACTERS = 150
_VENUE_WORDS = 14

_LIST_WORDS = re.compile(
    r"\b(?:papers?|abstracts?|accepted|proceedings|publications|posters|orals|articles|résumés|actes|contributions|beiträge"
    r"|kurzfassungen|zusammenfassungen|artículos|ponencias|resúmenes|artigos|resumos|articoli|статьи|доклады|тезисы)\b"
    r"|论文|論文|摘要|会议|會議|录用|接收|一覧|要旨|抄録|논문|초록",
    re.IGNORECASE,
)
"""Words that tell a heading of a list of papers."""

_FILLERS = re.compile(
    r"(?:\s|[-–—:：,，、/|#*=_()（）\[\]【】《》'’\"]"
    r"|\b(?:papers?|abstracts?|accepted|list|lists|all|of|the|at|in|for|from|by|and|on|to|with|main|track|long|short|full|oral"
    r"|poster|spotlight|posters|orals|publications|articles|submissions|proceedings"
    r"|liste|listes|des|de|du|der|die|das|la|le|les|el|los|las|y|et|und|résumés|actes|contributions|beiträge"
    r"|akzeptierte|angenommene|acceptés|aceptados|kurzfassungen|zusammenfassungen|artículos|ponencias|resúmenes|artigos|resumos"
    r"|lista|articoli|статьи|доклады|тезисы|список|конференции)\b"
    r"|论文|論文|列表|清单|一覧|リスト|摘要|会议|會議|录用|接收|的|年|要旨|抄録|の|논문|초록|목록)+",
    re.IGNORECASE,
)
"""What stands around the venue in a heading."""

_YEAR = re.compile(r"(?<!\d)(19[5-9]\d|20\d\d)(?!\d)")
_SHORT_YEAR = re.compile(r"(?<=\w)['’](\d\d)(?!\d)")
_ACRONYM = re.compile(r"\b\w*[A-Z]\w*[A-Z]\w*\b")
_VENUE_KIND = re.compile(r"\b(?:conference|workshop|symposium|journal|transactions|meeting|congress|letters|magazine)\b", re.I)
_PROSE = re.compile(r"\b(?:we|our|is|are|was|were|has|have|can|that|this paper|propose\w*|show\w*|present\w*)\b", re.IGNORECASE)
_TABLE_HEADER = re.compile(r"[A-Za-z_][,;|][A-Za-z_]|\S\t+\S")
_SENTENCE_END = re.compile(r"[.!?。！？;；]\s*$")


def heading_context(line: str) -> dict[str, object] | None:
    """The fields (venue_raw, year_raw) that a heading gives to the records below it, None where the line is no heading.

    A heading is short, no sentence, and either says that papers follow or names a venue with a year.

    >>> heading_context("ICLR 2024 论文列表")
    {'venue_raw': 'ICLR', 'year_raw': '2024'}
    >>> heading_context("# Papers of the Workshop on Tidal Computing, 2019")
    {'venue_raw': 'Workshop on Tidal Computing', 'year_raw': '2019'}
    >>> heading_context("Accepted abstracts")
    {}
    >>> heading_context("We met in 2019.") is heading_context("Sorting pebbles by sound") is None
    True
    """
    text = " ".join(line.split())
    if not text or len(text) > _HEADING_CHARACTERS or _SENTENCE_END.search(text):
        return None
    if _PROSE.search(text) or _TABLE_HEADER.search(line):
        return None
    year, rest = _without_year(text)
    venue = _trimmed(rest)
    is_venue = len(venue.split()) <= _VENUE_WORDS and bool(_ACRONYM.search(venue) or _VENUE_KIND.search(venue))
    if (venue and not is_venue) or not (year or _LIST_WORDS.search(text)):
        return None
    fields: dict[str, object] = {}
    if venue:
        fields["venue_raw"] = venue
    if year:
        fields["year_raw"] = year
    return fields


def says_papers(line: str) -> bool:
    """Whether a heading says in words that papers follow.

    >>> says_papers("NeurIPS 2022 accepted abstracts"), says_papers("Chapter 7, 2022")
    (True, False)
    """
    return heading_context(line) is not None and _LIST_WORDS.search(line) is not None


def _without_year(text: str) -> tuple[str, str]:
    """The year that a heading names, in four digits, and the heading without it."""
    if year := _YEAR.search(text):
        return year[1], f"{text[: year.start()]} {text[year.end() :]}"
    if year := _SHORT_YEAR.search(text):
        century = "20" if int(year[1]) < 50 else "19"
        return century + year[1], f"{text[: year.start()]} {text[year.end() :]}"
    return "", text


def _trimmed(text: str) -> str:
    """The heading without the words around the venue."""
    start = match.end() if (match := _FILLERS.match(text)) else 0
    kept = text[start:]
    for filler in _FILLERS.finditer(kept):
        if filler.end() == len(kept):
            return kept[: filler.start()]
    return kept
