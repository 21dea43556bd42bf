"""This module derives from each record what matching compares: keys of its title, authors, abstract, place and identifiers.

Features are one row a record key, numbered by `row` in the order of the record keys, so that `row_l < row_r` says the same
as `record_key_l < record_key_r`; pairs carry rows until they are published.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from transforms.identifiers import SCHEME_ORDER
from transforms.match.title_marks import core_title, title_edition, title_kind
from transforms.match.title_numbers import is_part, numbers_as_digits, title_numbers
from transforms.numbering import first_page_key, last_page_key, number_key, volume_key
from transforms.text import abstract_key, letters_key, words_key
from transforms.titles import is_generic_title, title_key
from transforms.venues import venue_key

CONTAINER_TITLES = 4
"""Different titles from which on an identifier or abstract belongs to what holds them, not to one paper: an issue DOI on
each meeting abstract, "No abstract available". Retitled papers carry two or three titles under one id, hardly ever four."""

RECURRING_YEARS = 3
"""Different years in which a title stands at one venue from which on it is a column's ("Chair's Message"), not a paper's: one
paper's online, print and reprint give two."""

_COLUMNS = (
    *("record_key", "title", "title_is_cut", "authors", "abstract", "abstract_is_cut"),
    *("venue_id", "venue", "venue_kind", "year", "volume", "number", "pages", "identifiers"),
)


def record_features(records: pl.DataFrame) -> pl.DataFrame:
    """The features of `records` (schema CLEAN_RECORDS), one row a record key, sorted by it.

    Where a record was seen several times, the appearance with the least record_id speaks for it. Missing values are null
    and empty lists; a key that holds no letter or digit is missing.
    """
    seen_once = records.select("record_id", *_COLUMNS).sort("record_key", "record_id").unique("record_key", keep="first")
    keyed = (
        seen_once.sort("record_key")
        .with_row_index("row")
        .with_columns(
            title_kind=title_kind(pl.col("title")),
            edition=title_edition(pl.col("title")),
            title_words=numbers_as_digits(words_key(core_title(pl.col("title")))),
            whole_key=title_key(pl.col("title")),
            venue_key=venue_key(pl.col("venue")),
            abstract_key=abstract_key(pl.col("abstract")),
        )
        .with_columns(title_key=pl.col("title_words").str.replace_all(" ", "", literal=True))
    )
    is_generic = (
        is_generic_title(pl.col("whole_key")).fill_null(True)
        | is_generic_title(pl.col("title_key")).fill_null(True)
        | pl.col("whole_key").str.contains(_GENERIC_WITHIN).fill_null(False)
    )
    features = keyed.select(
        "row",
        "record_key",
        "title_key",
        "title_words",
        is_generic.alias("is_generic_name"),
        (is_generic | _recurs()).alias("is_generic"),
        pl.col("title_is_cut").fill_null(False),
        title_numbers(pl.col("title_words")).fill_null([]).alias("title_numbers"),
        is_part(pl.col("title")).fill_null(False).alias("is_part"),
        "title_kind",
        "edition",
        "abstract",
        "abstract_key",
        pl.col("abstract_is_cut").fill_null(False),
        "year",
        "venue_id",
        "venue",
        "venue_kind",
        "venue_key",
        volume_key(pl.col("volume")).alias("volume_key"),
        number_key(pl.col("number")).alias("number_key"),
        first_page_key(pl.col("pages")).alias("first_page"),
        last_page_key(pl.col("pages")).alias("last_page"),
    )
    families = _family_keys(keyed)
    identifiers = _identifier_lists(evidence_identifiers(keyed))
    boilerplate = is_carried_by_many_titles("abstract_key") | pl.col("abstract_key").str.contains(_WITHDRAWN)
    return (
        features.with_columns(boilerplate.fill_null(False).alias("abstract_is_boilerplate"))
        .join(families, on="row", how="left", maintain_order="left")
        .join(identifiers, on="record_key", how="left", maintain_order="left")
        .with_columns(pl.col("families", "family_initials", "author_words", "identifiers", "schemes").fill_null([]))
    )


_GENERIC_WITHIN = r"^(?:.{0,12}editorscomments?.{0,10}|remarksfrom.{0,45}|.{0,12}editorial(?:notes?|introduction|board).{0,6})$"


def evidence_identifiers(records: pl.DataFrame) -> pl.DataFrame:
    """The identifiers that speak for one paper: distinct rows (record_key, scheme, value), those of containers left out.

    `records` has record_key, title, authors and identifiers. A container's identifier stands with four or more titles that
    are no spellings of one: they begin in as many ways, or are by first authors of three or more family names.
    """
    first_family = pl.col("authors").list.first().struct.field("family").alias("first_family")
    listed = (
        records.select("record_key", "title", first_family, identifier="identifiers")
        .explode("identifier")
        .unnest("identifier")
        .filter(pl.col("scheme").is_not_null() & pl.col("value").is_not_null())
    )
    # Few identifiers stand on as many records as a container's needs, so few titles need their keys.
    frequent = listed.filter(pl.len().over("scheme", "value") >= CONTAINER_TITLES)
    beginnings = pl.col("title_key").str.slice(0, _BEGINNING_CHARACTERS).drop_nulls().n_unique().over("scheme", "value")
    families = letters_key(pl.col("first_family")).drop_nulls().n_unique().over("scheme", "value")
    containers = frequent.with_columns(title_key=title_key(pl.col("title"))).filter(
        is_carried_by_many_titles("scheme", "value"),
        (beginnings >= CONTAINER_TITLES) | (families >= _CONTAINER_FAMILIES),
    )
    own = listed.join(containers, on=["scheme", "value"], how="anti")
    return own.select("record_key", "scheme", "value").unique().sort("record_key", "scheme", "value")


_BEGINNING_CHARACTERS = 12
"""How far spellings of one title begin alike: they differ in a plural, a subtitle or a hyphen, rarely in the second word."""

_CONTAINER_FAMILIES = 3
"""A first author's name may be misread in one source, hardly in two ways in one paper's records."""

_WITHDRAWN = (
    r"^(?:the|this)?(?:paper|submission|article|manuscript|work|preprint)?(?:hasbeen|was|is)?"
    r"(?:withdrawn|retracted|removed)(?:bytheauthors?|byarxiv|fromarxiv|due)"
)
"""How the notice begins that stands in the abstract's place when a paper is withdrawn; it says nothing of the paper."""


def scheme_rank(scheme: pl.Expr, order: Iterable[str] = SCHEME_ORDER) -> pl.Expr:
    """How strong an identifier's scheme is, 0 the strongest; schemes not in `order` come after all others.

    >>> pl.select(scheme_rank(pl.lit("doi"), ["openreview", "doi"])).item()
    1
    """
    ranks = {name: rank for rank, name in enumerate(order)}
    return scheme.replace_strict(ranks, default=len(ranks), return_dtype=pl.UInt32)


def is_carried_by_many_titles(*key: str) -> pl.Expr:
    """Whether the value in the columns `key` stands with `CONTAINER_TITLES` or more different title keys; null stays null.

    >>> frame = pl.DataFrame({"doi": ["x"] * 4 + ["y"], "title_key": ["a", "b", "c", "d", "e"]})
    >>> frame.filter(is_carried_by_many_titles("doi"))["doi"].unique().to_list()
    ['x']
    """
    many = pl.col("title_key").drop_nulls().n_unique().over(*key) >= CONTAINER_TITLES
    return pl.when(pl.all_horizontal(pl.col(name).is_not_null() for name in key)).then(many)


def _recurs() -> pl.Expr:
    years = pl.col("year").drop_nulls().n_unique().over("title_key", "venue_key")
    return ((years >= RECURRING_YEARS) & pl.col("venue_key").is_not_null()).fill_null(False)


def _family_keys(keyed: pl.DataFrame) -> pl.DataFrame:
    """Rows (row, families, first_family, family_initials, author_words): family names folded and distinct, with the first
    letter of the given name, and all words of two letters or more.

    A group author counts with its whole name. Words find names that a source has glued together or split otherwise.
    """
    authors = keyed.select("row", author="authors").explode("author").unnest("author")
    authors = authors.select("row", "name", "given", family=pl.coalesce("family", "name")).drop_nulls(["name", "family"])
    # Few distinct names stand for many authors, and folding is the dear part.
    folded = (
        authors.select("name", "given", "family")
        .unique()
        .with_columns(
            family_key=letters_key(pl.col("family")),
            words=words_key(pl.col("name")).str.split(" "),
            initial=letters_key(pl.col("given")).str.head(1),
        )
        .with_columns(family_initial=pl.concat_str("family_key", pl.lit(" "), "initial"))
    )
    return (
        authors.join(folded, on=["name", "given", "family"], how="left", maintain_order="left", nulls_equal=True)
        .drop_nulls("family_key")
        .group_by("row", maintain_order=True)
        .agg(
            families=pl.col("family_key").unique().sort(),
            first_family=pl.col("family_key").first(),
            family_initials=pl.col("family_initial").drop_nulls().unique().sort(),
            author_words=pl.col("words").list.explode(),
        )
        .with_columns(pl.col("author_words").list.eval(pl.element().filter(pl.element().str.len_chars() > 1).unique().sort()))
    )


def _identifier_lists(identifiers: pl.DataFrame) -> pl.DataFrame:
    """Rows (record_key, identifiers as `scheme:value`, schemes), both lists distinct and the strongest scheme first."""
    ranked = identifiers.with_columns(rank=scheme_rank(pl.col("scheme"))).sort("record_key", "rank", "scheme", "value")
    text = pl.concat_str("scheme", pl.lit(":"), "value")
    return ranked.group_by("record_key", maintain_order=True).agg(
        identifiers=text, schemes=pl.col("scheme").unique(maintain_order=True)
    )
