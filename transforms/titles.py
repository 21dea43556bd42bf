"""This module cleans titles, and makes the keys by which titles are compared."""

from __future__ import annotations

import polars as pl

from transforms.text import letters_key, plain_texts

# Titles that name a part of a volume, not a work of their own: they recur in every issue. As title keys.
_GENERIC_TITLE = (
    r"^(?:a?guest|associate|deputy|senior|chief|generalchairs?|programchairs?|chairs?)*"
    r"(?:editorial(?:s|board|introduction|note|notes|preface|comment|comments|statement|team|foreword|overview|index)?|"
    r"editors?(?:inchief)?s?(?:comments?|notes?|introduction|message|preface|page|corner|choice|desk|foreword|remarks|letter|column)|"
    r"(?:letters?|notes?|messages?|words?|comments?|remarks|introduction)(?:from|by|of|to)(?:the)?(?:guest|general|program|programme|new)*(?:editors?(?:inchief)?|chairs?|president|publisher)|"
    r"(?:front|back|end|prefatory)(?:matter|cover|page|pages)(?:text)?|preface|foreword|forward|prologue|epilogue|afterword|"
    r"(?:introduction|introductory(?:remarks|note|comments))|(?:introduction|preface|foreword|editorial)to(?:the|this)(?:special)?(?:issue|section|volume|proceedings)|"
    r"(?:special)?(?:issue|section)(?:introduction|editorial)|(?:the)?specialissue|inthisissue|about(?:this|the)(?:issue|cover|authors?)|"
    r"(?:volume|issue|publication|journal|subscription|copyright|ordering|author|authors|conference|general)information|"
    r"(?:author|authors|subject|keyword|keywords|volume|cumulative|annual|reviewer|title|name)s?index(?:es)?|index|"
    r"(?:table|list)?of?contents|contents|toc|list(?:of)?(?:authors|reviewers|referees|contributors|committees?|participants)|"
    r"(?:reviewers?|referees?|contributors|participants)|(?:technical|steering|program|programme|organizing|organising|conference|reviewing)*committees?|"
    r"acknowledge?ments?(?:to|of)?(?:the)?(?:reviewers|referees)?|thanks?(?:you)?to(?:the|our)?(?:reviewers|referees)|"
    r"(?:call|callsfor|callfor)papers?|callforparticipation|calendar|announcements?|news|newsandnotes|newsandviews|newsletter|"
    r"erratum|errata|corrigendum|corrigenda|correction|corrections|addendum|retraction|retractionnotice|publishersnote|"
    r"(?:book|books|media|software|product)reviews?|booksreceived|reviews|reviewarticles?|obituary|inmemoriam|"
    r"letters?|lettertotheeditor|letterstotheeditor|correspondence|comments?|commentary|discussion|reply|response|rejoinder|authorsreply|authorsresponse|"
    r"abstracts?|posters?|posterabstracts?|posterpresentations?|oralpresentations?|keynotes?|keynotes?(?:address|speech|talk|speakers?)|invited(?:talks?|papers?|speakers?)|"
    r"panel(?:s|discussion)?|panelsession|tutorials?|workshops?|welcome|welcome(?:message|address)|summary|overview|conclusions?|background|appendix|miscellaneous|miscellany|untitled|"
    r"titlepage|cover|coverpage|coverimage|masthead|imprint|colophon|dedication|frontispiece|bibliography|references|glossary|advertisement|notice|notices)"
    r"(?:(?:vol|volume|no|number|issue|part)*[\d]*)*$"
)


_PLACEHOLDER = (
    r"(?i)^(?:[^\p{L}\p{N}]*|n\s*/\s*a|none|null|nan|unknown(?: title)?|untitled(?: (?:paper|document|submission))?|tba|tbd|"
    r"title|\[?(?:no title|title not (?:available|found)|not available|title unknown)(?: available)?\]?|"
    r"\[?(?:this )?(?:paper|submission|article) (?:has been |was |is )?withdrawn"
    r"(?: by (?:the )?(?:authors?|submitters?))?\]?|withdrawn)\.?$"
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
    """A title without the full stop that its source has set; null for a placeholder."""
    is_set = plain.str.ends_with(".") & ~plain.str.contains(_OWN_FULL_STOP)
    bare = pl.when(is_set).then(plain.str.strip_suffix(".").str.strip_chars()).otherwise(plain)
    return pl.when(~bare.str.contains(_PLACEHOLDER)).then(bare)
