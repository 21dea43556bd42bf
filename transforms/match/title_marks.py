"""This module tells a title from what sources write around it: "[Review] [97 refs]", "Tutorial:", "(vol 360, pg 542, 2009)".

What names another paper that the title only speaks of (an erratum to it, a reply to it) is the title's kind; what merely
describes the same paper is taken off, and what remains is the core title.
"""

from __future__ import annotations

import polars as pl

_CORRECTION = r"(?:errat(?:um|a)|corrigend(?:um|a)|corrections?|addend(?:um|a)|retraction(?: notice)?|retracted article: notice|publisher[’']?s? (?:note|correction)|expression of concern|author correction)"
_COMMENT = (
    r"(?:(?:the )?authors?[’']?s?[’']? (?:repl(?:y|ies)|response)|repl(?:y|ies)|rejoinder|responses?|comments?|commentary|discussion|re|"
    r"letter to the editor|(?:two|three|further) comments)"
)
_KINDS = {
    # "Erratum: …", "Correction to …", "… - Erratum", "… (vol 360, pg 542, 2009)"; not "Error correction codes".
    "correction": (
        rf"^\W*{_CORRECTION}(?:\W*$|\s*[:.\-–—\[(]|\s+(?:to|in|for|on|of the article|regarding)\b)",
        rf"[\-–—:.(\[]\s*{_CORRECTION}\W*$",
        r"\(\s*vol\.?\s*\d+[^()]*\b(?:pg|p|pp|page|art)\b[^()]*\)\W*$",
        r"\((?:[\p{L}& ]+)\((?:19|20)\d\d\)\W*\d+\W*\([\d–-]+\)\)?\W*$",
    ),
    # "Reply to …", "Comment on …", "Re: …", "… - Reply", "… (multiple letters)".
    "comment": (
        rf"^\W*(?:(?:an?|the|our|further) )?{_COMMENT}(?:\W*$|\s*:\s|\s+[-–—]\s|\s+(?:to|on|from)\b)|^\W*discussion of\b",
        rf"[:.?!\-–—(\[]\s*(?:the )?{_COMMENT}(?:\s+(?:to|by|from)\b[^()\[\]]*)?\W*(?:\[\d+\])?\W*$",
    ),
}
"""Patterns of a title that speaks of another paper, by kind."""

_KIND_BEFORE = rf"(?i)^\W*(?:(?:an?|the|our|further) )?(?:{_CORRECTION}|{_COMMENT})(?:\s*[:.–—\[(]\s*|\s+-\s+|\s+(?:to|in|for|on|of the article|regarding)\b[\s:]*(?:the article\b)?\W*)|^\W*discussion of\b\W*"
_KIND_BEHIND = rf"(?i)\s*[\-–—:.(\[]\s*(?:the )?(?:{_CORRECTION}|{_COMMENT}(?:\s+(?:to|by|from)\b[^()\[\]]*)?)\W*$|\s*\((?:multiple )?letters?\)(?:\s*\[\d+\])?\W*$"

_LABEL = (
    r"(?:(?:reprint|translation) of|(?:technical|research|working|discussion) (?:report|paper|note)(?: (?:no\.? ?)?[\d/-]+)?|tutorial|panel(?: (?:session|discussion|statement))?|invited (?:talk|paper)|keynote(?: (?:talk|address))?|poster|abstract|"
    r"demo(?:nstration)?|foreword|editorial|guest editorial|introduction|review(?:[- ]arti(?:cle|kel))?|(?:original|research|regular) "
    r"(?:article|paper|contribution)|article|retracted(?: article| paper)?|withdrawn|note|research note|short (?:communication|paper|report)|"
    r"brief (?:report|communication)|rapid communication|case report|original article|special issue|book review|medical progress|"
    r"\p{L}{2,6} (?:competition )?paper)"
)
_LABEL_BEFORE = rf"(?i)^\W*{_LABEL}(?:\s*[:.]\s+|\s+[-–—]\s+|[–—]\s*)"
_IN_BRACKETS = (
    r"(?:(?:panel|tutorial|poster|demo(?:nstration)?|keynote|invited|short|full|long|oral|plenary|summary|industrial|research)?\s*"
    r"(?:session|talk|abstract|paper|version|summary|statement|panel|tutorial|poster|demo(?:nstration)?|discussion|article|track|report)s?"
    r"(?: only)?|extended (?:abstract|version)|abstract only|preliminary (?:version|report)|working paper|(?:pre|re)print(?:ed)?|review|"
    r"survey|with discussion|invited|retracted|withdrawn|in press|updated submission[^()]*|updated?|revised)"
)
_MARGINAL_END = rf"(?i)\s*(?:\({_IN_BRACKETS}\)|\[[^\[\]]*\])\W*$"
_MARGINAL_INSIDE = rf"(?i)\s*\({_IN_BRACKETS}\)\s*([:.–—-])"
_LABEL_BEHIND = rf"(?i)\s+[-–—]\s+{_LABEL}\W*$"
_WHOLE_IN_BRACKETS = r"^\s*\[([^\[\]]{10,})\]\W*(?:\[[^\[\]]*\]\W*)*$"
_REFERENCE = r"(?i)\s*\((?:vol\.?\s*\d+[^()]*|[\p{L}& ]+\((?:19|20)\d\d\)[^()]*\([^()]*\))\)\W*$"
_NOTICE = r"(?i)[\s.]*\[(?:errat|correct|see comment|comment|republ|reprint|retract|publi).*$"
_MIN_CORE_CHARACTERS = 6
"""What is left must still be a title: "Tutorial: XML" is cut to nothing that could be compared."""


_EDITION = (
    r"(?i)[\s,:(\[.–—-]*\b((?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|revised|new|"
    r"enlarged|expanded|international|updated)(?: (?:and |, )?(?:revised|enlarged|expanded|updated))* (?:ed\b\.?|edn\b\.?|edition))\W*$"
)


_MARK_WORDS = [
    *("errat", "corrig", "correct", "addend", "retract", "withdrawn", "concern", "publisher", "repl", "rejoinder", "respon"),
    *("comment", "discuss", "letter", "re:", "tutorial", "panel", "talk", "keynote", "poster", "abstract", "demo", "foreword"),
    *("editorial", "introduc", "review", "article", "artikel", "paper", "contribution", "note", "communication", "report"),
    *("special issue", "medical progress", "session", "summary", "statement", "survey", "track", "version", "print", "press"),
    *("updat", "revis", "edition", " ed.", " ed)", " ed ", "edn", "vol", "translation of", "of the article", "["),
    *("(19", "(20"),
]
"""A title without any of these has no mark; some are words that many titles have."""


def may_have_marks(titles: pl.Series) -> pl.Series:
    """Whether a title holds a word that stands in marks: those of which the rest here is asked.

    >>> may_have_marks(pl.Series(["Erratum: Ice", "Ice [German]", "Ice, 2nd ed.", "Warm ice"])).to_list()
    [True, True, True, False]
    """
    return titles.str.contains_any(_MARK_WORDS, ascii_case_insensitive=True) | titles.str.ends_with(" ed")


def title_edition(title: pl.Expr) -> pl.Expr:
    """The edition that a title names at its end, in lower case; null where it names none.

    >>> titles = pl.Series(["Salt roads, 2nd edition", "Salt roads (3rd ed.)", "Salt roads"])
    >>> pl.select(title_edition(pl.lit(titles))).to_series().to_list()
    ['2nd edition', '3rd ed.', None]
    """
    return title.str.extract(_EDITION).str.to_lowercase()


def title_kind(title: pl.Expr) -> pl.Expr:
    """`correction` or `comment` where a title speaks of another paper; null for a title of its own, and for null.

    >>> titles = pl.Series(
    ...     [
    ...         "Erratum: Warm ice in rivers",
    ...         "Warm ice in rivers (vol 36, pg 54, 2009)",
    ...         "Warm ice in rivers - Reply",
    ...         "Comment on 'Warm ice in rivers'",
    ...         "Error correction of codes",
    ...         "Warm ice. [Erratum appears in J Ice 4]",
    ...         "RETRACTED: Warm ice",
    ...         "Responses of ice to salt",
    ...     ]
    ... )
    >>> pl.select(title_kind(pl.lit(titles))).to_series().to_list()
    ['correction', 'correction', 'comment', 'comment', None, None, None, None]
    """
    bare = title.str.replace(_NOTICE, "")
    return pl.coalesce(
        pl.when(pl.any_horizontal(bare.str.contains(f"(?i){pattern}") for pattern in patterns)).then(pl.lit(kind))
        for kind, patterns in _KINDS.items()
    )


def core_title(title: pl.Expr) -> pl.Expr:
    """A title without the marks that describe the same paper; the title as it stands where too little would be left.

    >>> titles = pl.Series(
    ...     [
    ...         "Warm ice in rivers. [Review] [97 refs]",
    ...         "Tutorial: Warm ice in rivers",
    ...         "Warm ice (panel session): of rivers",
    ...         "[Warm ice in rivers]. [Spanish]",
    ...         "Warm ice in rivers (extended abstract)",
    ...         "Ice [1]",
    ...     ]
    ... )
    >>> for core in pl.select(core_title(pl.lit(titles))).to_series():
    ...     print(core)
    Warm ice in rivers
    Warm ice in rivers
    Warm ice: of rivers
    Warm ice in rivers
    Warm ice in rivers
    Ice [1]
    """
    core = title.str.replace(_NOTICE, "").str.replace(_EDITION, "").str.replace(_WHOLE_IN_BRACKETS, "$1")
    for _ in range(2):
        core = core.str.replace(_MARGINAL_END, "")
    core = core.str.replace(_REFERENCE, "").str.replace(_LABEL_BEHIND, "").str.replace(_MARGINAL_INSIDE, "$1")
    core = core.str.replace(_KIND_BEFORE, "").str.replace(_LABEL_BEFORE, "").str.replace(_KIND_BEHIND, "")
    core = core.str.strip_chars(""" .'"“”‘’«»""" + "\u201e")
    is_enough = core.str.len_chars() >= _MIN_CORE_CHARACTERS
    return pl.when(is_enough).then(core).otherwise(title)
