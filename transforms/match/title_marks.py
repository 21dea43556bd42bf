"""This module tells a title from what sources write around it: "[Review] [97 refs]", "Tutorial:", "(vol 360, pg 542, 2009)".

What names another paper that the title only speaks of (an erratum to it, a reply to it) is the title's kind; what merely
describes the same paper is taken off, and what remains is the core title.
"""

from __future__ import annotations

import polars as pl

_CORRECTION = (
    r"(?:errat(?:um|a)|corrigend(?:um|a)|corrections?|addend(?:um|a)|retraction(?: notice)?|retracted article: notice|"
    r"publisher[’']?s? (?:note|correction)|expression of concern|author correction)"
)
# "Correction for attenuation" and "Correction in the eye" are subjects of their own.
_CORRECTS = (
    r"(?:corrections? (?:to|of the article|regarding)|"
    r"(?:errat(?:um|a)|corrigend(?:um|a)|addend(?:um|a)|retraction(?: notice)?|retracted article: notice|expression of concern)"
    r" (?:to|in|for|on|regarding|of the (?:article|paper))\b|retraction(?: notice)? of \W)"
)
_COMMENT = (
    r"(?:(?:the )?authors?[’']?s?[’']? (?:repl(?:y|ies)|response)|repl(?:y|ies)|rejoinder|responses?|comments?|commentary|"
    r"discussion|letter to the editor|(?:two|three|further) comments)"
)
# "Response to therapy" is a subject of its own; a response to a paper names it, in quotation marks or as what it is.
_COMMENTS_ON = (
    r"(?:(?:an?|the|our|further) )?(?:(?:(?:the )?authors?[’']?s?[’']? )?(?:repl(?:y|ies)|rejoinder) (?:to|by|from)|"
    r"(?:two |three |further )?comment(?:s|ary)? (?:on|to|by)|"
    r"(?:(?:the )?authors?[’']?s?[’']? )?responses? (?:to|from) (?:\W|(?:an?|the) (?:\w+ ){0,4}"
    r"(?:comment|commentary|letter|paper|article|editorial|critique)|comments? |letters? |a close look)|"
    r"discussion (?:of|on)(?:\s*:| \W| the (?:paper|article)| paper| article))"
)
_KINDS = {
    # "Erratum: …", "Correction to …", "… - Erratum", "… (vol 360, pg 542, 2009)"; not "Error correction codes".
    "correction": (
        rf"^\W*(?:{_CORRECTION}(?:\W*$|\s*[:.\-–—\[(])|{_CORRECTS})",
        rf"[\-–—:.,(\[]\s*{_CORRECTION}\W*$",
        r"\(\s*vol\.?\s*\d+[^()]*\b(?:pg|p|pp|page|art)\b[^()]*\)\W*$",
        r"\((?:[\p{L}& ]+)\((?:19|20)\d\d\)\W*\d+\W*\([\d–-]+\)\)?\W*$",
    ),
    # "Reply to …", "Comment on …", "Re: …", "… - Reply".
    "comment": (
        rf"^\W*(?:(?:{_COMMENT}|re)(?:\W*$|\s*:\s)|{_COMMENT}\s+[-–—]\s|{_COMMENTS_ON})",
        rf"[:.?!\-–—(\[]\s*(?:the )?{_COMMENT}(?:\s+(?:to|by|from)\b[^()\[\]]*)?\W*(?:\[\d+\])?\W*$",
    ),
}
"""Patterns of a title that speaks of another paper, by kind."""

_KIND_BEFORE = (
    rf"(?i)^\W*(?:(?:{_CORRECTION}|{_COMMENT}|re)\s*:\s*|(?:{_CORRECTION}|{_COMMENT})(?:\s*[.–—\[(]\s*|\s+-\s+)|"
    rf"{_CORRECTS}[\s:]*\W*|"
    r"(?:(?:an?|the|our|further) )?(?:(?:the )?authors?[’']?s?[’']? )?(?:repl(?:y|ies)|rejoinder|responses?|"
    r"(?:two |three |further )?comment(?:s|ary)?) (?:to|on|by|from)\b\W*|discussion (?:of|on)\b\W*)"
)
_KIND_BEHIND = (
    rf"(?i)\s*[\-–—:.,(\[]\s*(?:the )?(?:{_CORRECTION}|{_COMMENT}(?:\s+(?:to|by|from)\b[^()\[\]]*)?)\W*$|"
    r"\s*\((?:multiple )?letters?\)(?:\s*\[\d+\])?\W*$"
)

_LABEL = (
    r"(?:(?:reprint|translation) of|(?:technical|research|working|discussion) (?:report|paper|note)(?: (?:no\.? ?)?[\d/-]+)?|"
    r"tutorial|panel(?: (?:session|discussion|statement))?|invited (?:talk|paper)|keynote(?: (?:talk|address))?|poster|"
    r"abstract|demo(?:nstration)?|foreword|editorial|guest editorial|introduction|review(?:[- ]arti(?:cle|kel))?|"
    r"(?:original|research|regular) (?:article|paper|contribution)|article|retracted(?: article| paper)?|withdrawn|note|"
    r"short (?:communication|paper|report)|brief (?:report|communication)|rapid communication|case report|special issue|"
    r"book review|medical progress|\p{L}{2,6} (?:competition )?paper)"
)
_LABEL_BEFORE = rf"(?i)^\W*{_LABEL}(?:\s*[:.]\s+|\s+[-–—]\s+|[–—]\s*)"
_LABEL_BEHIND = rf"(?i)\s+[-–—]\s+{_LABEL}\W*$"
_IN_BRACKETS = (
    r"(?:(?:panel|tutorial|poster|demo(?:nstration)?|keynote|invited|short|full|long|oral|plenary|summary|industrial|"
    r"research)?\s*"
    r"(?:session|talk|abstract|paper|version|summary|statement|panel|tutorial|poster|demo(?:nstration)?|discussion|article|"
    r"track|report)s?(?: only)?|extended (?:abstract|version)|abstract only|preliminary (?:version|report)|working paper|"
    r"(?:pre|re)print(?:ed)?|review|survey|with discussion|invited|retracted|withdrawn|in press|updated submission[^()]*|"
    r"updated?|revised)"
)
_MARGINAL_END = rf"(?i)\s*(?:\({_IN_BRACKETS}\)|\[[^\[\]]*\])\W*$"
_MARGINAL_INSIDE = rf"(?i)\s*\({_IN_BRACKETS}\)\s*([:.–—-])"
_WHOLE_IN_BRACKETS = r"^\s*\[([^\[\]]{10,})\]\W*(?:\[[^\[\]]*\]\W*)*$"
_REFERENCE = r"(?i)\s*\((?:vol\.?\s*\d+[^()]*|[\p{L}& ]+\((?:19|20)\d\d\)[^()]*\([^()]*\))\)\W*$"
_NOTICE = r"(?i)[\s.]*\[(?:errat|correct|see comment|comment|republ|reprint|retract|publi).*$"
_MIN_CORE_CHARACTERS = 6
"""What is left must still be a title: "Tutorial: XML" is cut to nothing that could be compared."""


_EDITION = (
    r"(?i)[\s,:(\[.–—-]*\b((?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|revised|new|"
    r"enlarged|expanded|international|updated)(?: (?:and |, )?(?:rev\.?|revised|enlarged|expanded|updated))* "
    r"(?:ed\b\.?|edn\b\.?|edition))\W*$"
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
    ...         "Responses to salt in ice",
    ...         "Correction for salt",
    ...         "Reply to Wu et al.",
    ...     ]
    ... )
    >>> pl.select(title_kind(pl.lit(titles))).to_series().to_list()
    ['correction', 'correction', 'comment', 'comment', None, None, None, None, None, 'comment']
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
    ...         "Responses to salt in ice",
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
    Responses to salt in ice
    Ice [1]
    """
    return title.map_batches(_core_titles, return_dtype=pl.String, is_elementwise=True)


def _core_titles(titles: pl.Series) -> pl.Series:
    """In steps, not as one expression, which would ask each pattern once more for each mention of what it leaves."""
    title, core = pl.col("title"), pl.col("core")
    bare = title.str.replace(_NOTICE, "").str.replace(_EDITION, "").str.replace(_WHOLE_IN_BRACKETS, "$1")
    for _ in range(2):
        bare = bare.str.replace(_MARGINAL_END, "")
    bare = bare.str.replace(_REFERENCE, "").str.replace(_LABEL_BEHIND, "").str.replace(_MARGINAL_INSIDE, "$1")
    cores = titles.alias("title").to_frame().select(title, core=bare, speaks=title_kind(title).is_not_null())
    named = pl.when("speaks").then(core.str.replace(_KIND_BEFORE, "")).otherwise(core)
    cores = cores.with_columns(core=named.str.replace(_LABEL_BEFORE, ""))
    unkind = pl.when("speaks").then(core.str.replace(_KIND_BEHIND, "")).otherwise(core)
    cores = cores.with_columns(core=unkind.str.strip_chars(""" .'"“”‘’«»""" + "\u201e"))
    is_enough = core.str.len_chars() >= _MIN_CORE_CHARACTERS
    return cores.select(pl.when(is_enough).then(core).otherwise(title)).to_series()
