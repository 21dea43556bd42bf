"""This module cleans titles, and makes the keys by which titles are compared."""

from __future__ import annotations

import polars as pl

from transforms.identifiers import DOI_ALONE
from transforms.placeholders import without_placeholder
from transforms.text import letters_key, plain_texts

# Titles that name a part of a volume, not a work of their own: they recur in every issue, and in the labelled sets they
# are what merges by mistake. Written as title keys: no spaces, no apostrophes.
_EDITOR = r"(?:guest|associate|senior|special|founding|new|general|program|programme|conference|technical|area)*"
_OFFICE = r"(?:co)?(?:editors?(?:inchief)?s?|chairs?(?:man|mans|persons?)?s?|presidents?|treasurers?|publishers?|secretarys?)"
_WRITING = (
    r"(?:comments?|notes?|introduction|messages?|preface|page|corner|choice|desk|foreword|remarks?|letter|column|report|"
    r"statement|welcome)"
)
_GENERIC_TITLES = (
    rf"{_EDITOR}editorials?(?:board|introduction|notes?|preface|comments?|statement|team|foreword|overview|index)?",
    rf"(?:from)?(?:the)?{_EDITOR}{_OFFICE}{_WRITING}?",
    rf"(?:an?)?{_WRITING}(?:from|by|of|to)(?:the)?{_EDITOR}{_OFFICE}",
    rf"(?:from|by)(?:the)?{_EDITOR}{_OFFICE}(?:desk)?",
    r"(?:front|back|end|prefatory)(?:matter|cover|pages?)(?:text)?|(?:title|cover|half)?(?:page|title)|cover(?:image|art)?|masthead|frontispiece",
    r"preface|foreword|prologue|epilogue|afterword|imprint|colophon|dedication|introductory(?:remarks|note|comments)",
    r"(?:introduction|preface|foreword|editorial)(?:to(?:the|this)?(?:special)?(?:issue|section|volume|proceedings|track|minitrack))?",
    r"(?:the|this)?(?:special)?(?:issue|section)(?:introduction|editorial)?|inthisissue|aboutth(?:is|e)(?:issue|cover|authors?)",
    r"(?:volume|issue|publication|journal|subscription|copyright|ordering|authors?|conference|general)information",
    r"(?:authors?|subject|keywords?|volume|cumulative|annual|reviewer|title|name)*index(?:es)?",
    r"(?:table|list)?(?:of)?contents|toc|list(?:of)?(?:authors|reviewers|referees|contributors|committees?|participants)",
    r"(?:\p{L}{2,10})?(?:reviewers|referees)|contributors|participants",
    r"(?:technical|steering|program|programme|organi[sz]ing|conference|reviewing)*committees?",
    r"acknowledge?ments?(?:toreviewers|ofreviewers|toreferees)?|thanks?(?:you)?to(?:the|our)?(?:reviewers|referees)",
    r"call(?:s)?for(?:papers|participation|proposals)|calendar|announcements?|news(?:andnotes|andviews|letter)?|careerforum",
    r"erratum|errata|corrigend(?:um|a)|corrections?|addend(?:um|a)|retraction(?:notice)?|publishersnote|notices?",
    r"(?:book|media|software|product|article)?reviews?(?:articles?|column)?|book(?:s)?(?:received|reviewcolumn)|obituary|inmemoriam",
    r"letters?(?:totheeditor)?|correspondence|comment(?:s|ary)?|discussion|repl(?:y|ies)|response|rejoinder|authors?(?:reply|response)",
    r"(?:poster|meeting|conference|oral)?abstracts?|(?:poster|oral)(?:s|presentations?|session)?",
    r"keynotes?(?:address|speech|talk|speakers?)?|invited(?:talks?|papers?|speakers?)",
    r"panels?(?:discussion|session)?|tutorials?|workshops?|welcome(?:message|address)?",
    r"summary|overview|conclusions?|background|appendix|miscellan(?:eous|y)|articles|reports|standards|surveys|interview|untitled",
    r"bibliography|references|glossary|advertisements?|indexofadvertisers",
)
_GENERIC_TITLE = rf"^(?:{'|'.join(_GENERIC_TITLES)})(?:(?:vol(?:ume)?|no|number|issue|part)*\d*)*$"

_NO_TITLE = (
    r"na|n/?t|title|(?:no|unknown|missing) title(?: available)?|title (?:not (?:available|found)|unknown|missing|unavailable)|"
    r"untitled(?: (?:paper|document|submission))?|"
    r"(?:(?:this )?(?:paper|submission|article) (?:has been |was |is )?)?withdrawn(?: by (?:the )?(?:authors?|submitters?))?"
)
# What may stand before a full stop that belongs to the title: an abbreviation, initials, an ellipsis.
_OWN_FULL_STOP = r"(?:\.\.|\b(?i:inc|ltd|co|corp|jr|sr|vs|etc|al|vol|no|st|dr|i\.e|e\.g|u\.s|u\.k)|\b\p{L}\.\p{L}|\s\p{Lu})\.$"


def clean_title(title: pl.Expr, subtitle: pl.Expr) -> pl.Expr:
    r"""A title as plain text with its subtitle behind ": ", without the full stop some sources set; null for a placeholder.

    >>> titles = pl.Series([r"A  {BERT} for \emph{maps}.", "Learning, Inc.", "N/A", "Maps: a survey"])
    >>> subtitles = pl.Series(["with atlases", None, None, "A survey"])
    >>> pl.select(clean_title(pl.lit(titles), pl.lit(subtitles))).to_series().to_list()
    ['A BERT for maps: with atlases', 'Learning, Inc.', None, 'Maps: a survey']
    """
    both = pl.struct(title.alias("title"), subtitle.alias("subtitle"))
    return both.map_batches(_clean_titles, return_dtype=pl.String, is_elementwise=True)


def title_key(title: pl.Expr) -> pl.Expr:
    """The letters and digits of a cleaned title, by which titles are compared; null where it has none.

    NFKD, lower-case, accents stripped, Greek spelled out, "&" as "and", no spaces and no punctuation; every script keeps
    its letters.

    >>> pl.select(title_key(pl.lit("Naïve Bayes: α-Stable & Robust!"))).item()
    'naivebayesalphastableandrobust'
    """
    return letters_key(title)


def is_generic_title(title_key: pl.Expr) -> pl.Expr:
    """Whether a title key names a part of a volume ("Editorial", "Front Matter", "Volume 3 Index"); null for a null key.

    >>> keys = pl.Series("k", ["editorscomments", "volumeinformation", "editorialdecisionsinscience", "erratum"])
    >>> pl.select(is_generic_title(pl.lit(keys))).to_series().to_list()
    [True, True, False, True]
    """
    return title_key.str.contains(_GENERIC_TITLE)


def _clean_titles(pairs: pl.Series) -> pl.Series:
    titles = pairs.struct.unnest()
    # Columns, not expressions: Polars would run the Python function of `plain_text` for each mention of it.
    plain = titles.select(plain_texts(titles["title"]).alias("title"), plain_texts(titles["subtitle"]).alias("subtitle"))
    main, rest = pl.col("title"), pl.col("subtitle")
    is_new = ~main.str.to_lowercase().str.contains(rest.str.to_lowercase(), literal=True)
    joint = pl.when(main.str.contains(r"[:?!.]$")).then(pl.lit(" ")).otherwise(pl.lit(": "))
    joined = pl.when(is_new).then(pl.concat_str(main, joint, rest)).otherwise(main)
    return plain.select(_own_title(main), _own_title(rest)).select(joined).to_series()


def _own_title(plain: pl.Expr) -> pl.Expr:
    """A title without the full stop that its source has set; null for a placeholder, and for a DOI in its place."""
    is_set = plain.str.ends_with(".") & ~plain.str.contains(_OWN_FULL_STOP)
    bare = pl.when(is_set).then(plain.str.replace(r"(?:\s*\.)+$", "").str.strip_chars()).otherwise(plain)
    return pl.when(~bare.str.contains(DOI_ALONE)).then(without_placeholder(bare, _NO_TITLE))
