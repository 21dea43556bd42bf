"""This module reads decisions, and takes tags apart into venue, year, decision and keywords."""

from __future__ import annotations

import polars as pl

from transforms.placeholders import without_placeholder

# In this order: "Desk Reject" holds "reject", "Accept (Oral)" holds "accept". ICLR 2023 called its orals
# notable-top-5% and its spotlights notable-top-25%.
_DECISION_WORDS = (
    ("desk_rejected", r"desk[\s_-]*reject"),
    ("withdrawn", r"withdr[ae]w"),
    ("rejected", r"\breject"),
    ("oral", r"\boral|top[\s-]*5\b"),
    ("spotlight", r"\bspotlight|top[\s-]*25\b"),
    ("poster", r"\bposter"),
    ("accepted", r"\baccept|\bconditional(?:ly)? accept|\bhighlight|\baward\b"),
)
_PRESENTATION = (
    r"(?:orals?|spotlights?|posters?|highlights?|notable[ -]top[ -]\d+%?|desk[ -]reject(?:ed)?|reject(?:ed)?|withdrawn?|"
    r"accept(?:ed)?)"
)
# In a venue a word such as "oral" decides nothing ("Journal of Oral Pathology") unless it stands behind a year.
_VENUE_DECISION = rf"(?i)(?:19|20)\d\d\W+(?:\w+\W+){{0,2}}?({_PRESENTATION}(?:\W+(?:submission|presentation|paper))?)\W*$"
_TAG_DECISION = (
    rf"(?i)^(?:accept(?:ed)?\W+)?(?:as\W+)?(?:an?\W+)?{_PRESENTATION}(?:\W+(?:submission|presentation|paper|session))?\W*$"
)
_TAG_VENUE = r"^((?:\p{Lu}|\d)[\p{L}&.+-]*(?:[ /-][\p{L}&.+-]+){0,4}) ((?:19|20)\d\d)(?:\W+(.+))?$"
_TAG_SEPARATOR = r"\s*[,;|\n]\s*"


def decision(text: pl.Expr) -> pl.Expr:
    """The decision a text such as "Accept (Poster)" or a status names; null where it names none.

    >>> texts = pl.Series(["Accept: notable-top-5%", "Desk Reject", "Withdraw", "Technical Paper", None])
    >>> pl.select(decision(pl.lit(texts))).to_series().to_list()
    ['oral', 'desk_rejected', 'withdrawn', None, None]
    """
    lower = text.str.to_lowercase()
    return pl.coalesce(*(pl.when(lower.str.contains(words)).then(pl.lit(code)) for code, words in _DECISION_WORDS))


def venue_decision(venue: pl.Expr) -> pl.Expr:
    """The decision that a venue's text ends in, behind its year: "ICLR 2024 poster"; null where there is none.

    >>> texts = pl.Series(["NeurIPS 2023 Spotlight", "ICLR 2024 Conference Withdrawn Submission", "Journal of Oral Pathology"])
    >>> pl.select(venue_decision(pl.lit(texts))).to_series().to_list()
    ['spotlight', 'withdrawn', None]
    """
    return decision(venue.str.extract(_VENUE_DECISION))


def without_venue_decision(venue: pl.Expr) -> pl.Expr:
    """A venue's text without the decision behind its year.

    >>> pl.select(without_venue_decision(pl.lit("NeurIPS 2023 Spotlight"))).item()
    'NeurIPS 2023'
    """
    named = venue.str.extract(_VENUE_DECISION).is_not_null()
    return pl.when(named).then(venue.str.replace(rf"(?i)\W+{_PRESENTATION}(?:\W+\w+)?\W*$", "")).otherwise(venue)


def split_tags(tags: pl.Series) -> pl.DataFrame:
    """The parts of tags, row by row: venue, year (as text), decision, and the rest as `keywords`.

    >>> split_tags(pl.Series(["ICLR 2024,Poster,graph learning"])).row(0)
    ('ICLR', '2024', 'poster', ['graph learning'])
    """
    distinct = tags.drop_nulls().unique(maintain_order=True).alias("tags")
    tag = pl.col("tag")
    kinds = (
        distinct.to_frame()
        .with_columns(tag=pl.col("tags").str.replace_all(_TAG_SEPARATOR, "\x02").str.split("\x02"))
        .explode("tag")
        .with_columns(tag.str.strip_chars())
        .filter(tag != "")
        .with_columns(
            venue=tag.str.extract(_TAG_VENUE, 1),
            year=pl.coalesce(tag.str.extract(_TAG_VENUE, 2), tag.str.extract(r"^((?:19|20)\d\d)$")),
            decision=pl.when(tag.str.contains(_TAG_DECISION))
            .then(decision(tag))
            .otherwise(decision(tag.str.extract(_TAG_VENUE, 3))),
        )
        .with_columns(is_rest=pl.all_horizontal(pl.col("venue", "year", "decision").is_null()))
        .group_by("tags", maintain_order=True)
        .agg(pl.col("venue", "year", "decision").drop_nulls().first(), tag.filter("is_rest").alias("keywords"))
    )
    return (
        tags.alias("tags")
        .to_frame()
        .join(kinds, on="tags", how="left", maintain_order="left")
        .select("venue", "year", "decision", pl.col("keywords").fill_null([]))
    )


def keywords(text: pl.Expr, tags: str | pl.Expr) -> pl.Expr:
    """The keywords of a list in one text and those among the tags, distinct, in order; an empty list where there are none.

    Separated by semicolons where there is one, else by "|" or newlines, else by commas.

    >>> rows = pl.DataFrame({"text": ["graphs; trees, woods;graphs", "a, b", None], "tags": [["maps"], [], []]})
    >>> rows.select(keywords(pl.col("text"), "tags")).to_series().to_list()
    [['graphs', 'trees, woods', 'maps'], ['a', 'b'], []]
    """
    bare = (
        pl.when(text.str.contains(r"^\[\s*['\"]"))
        .then(text.str.replace_all(r"^\[\s*['\"]|['\"]\s*\]$", "").str.replace_all(r"['\"]\s*,\s*['\"]", ";"))
        .otherwise(text)
    )
    separated = (
        pl.when(bare.str.contains(";", literal=True))
        .then(bare.str.replace_all(";", "\x02", literal=True))
        .when(bare.str.contains(r"[|\n]"))
        .then(bare.str.replace_all(r"[|\n]", "\x02"))
        .otherwise(bare.str.replace_all(",", "\x02", literal=True))
    )
    words = pl.concat_list(separated.str.split("\x02").fill_null([]), tags)
    trimmed = words.list.eval(without_placeholder(pl.element().str.strip_chars()).drop_nulls())
    return trimmed.list.unique(maintain_order=True)
