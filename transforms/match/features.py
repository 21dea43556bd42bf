"""This module derives from each record what matching compares: keys of its title, authors, abstract, place and identifiers.

Features are one row a record key, numbered by `row` in the order of the record keys, so that `row_l < row_r` says the same
as `record_key_l < record_key_r`; pairs carry rows until they are published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from transforms.identifiers import SCHEME_ORDER
from transforms.match.author_keys import author_keys
from transforms.match.title_features import title_features
from transforms.numbering import first_page_key, last_page_key, number_key, volume_key
from transforms.selective import on_distinct, on_rows
from transforms.text import abstract_key, letters_key
from transforms.titles import title_key
from transforms.venues import venue_key

CONTAINER_TITLES = 4
"""Different titles from which on an identifier or abstract belongs to what holds them, not to one paper: an issue DOI on
each meeting abstract, "No abstract available". Retitled papers carry two or three titles under one id, hardly ever four."""

RECURRING_YEARS = 3
"""Different years in which a title stands at one venue from which on it is a column's ("Chair's Message"), not a paper's: one
paper's online, print and reprint give two."""

ABSTRACT_START_CHARACTERS = 150
"""How much of an abstract its key is made of: two abstracts that agree so far are one text, or boilerplate."""

_COLUMNS = (
    *("record_key", "title", "title_is_cut", "authors", "abstract"),
    *("venue_id", "venue", "venue_kind", "year", "volume", "number", "pages", "identifiers"),
)


def record_features(records: pl.DataFrame) -> pl.DataFrame:
    """The features of `records` (schema CLEAN_RECORDS), one row a record key, sorted by it.

    Where a record was seen several times, the appearance with the least record_id speaks for it. Missing values are null
    and empty lists; a key that holds no letter or digit is missing. `authors` and `abstract` are kept as they are, for what
    is compared of few pairs only.
    """
    keyed = _one_a_key(records).with_row_index("row")
    # The parts are columns of texts, one after another; side by side they use both cores.
    with ThreadPoolExecutor() as threads:
        parts = (
            threads.submit(author_keys, keyed["authors"]),
            threads.submit(title_features, keyed["title"]),
            threads.submit(_place_keys, keyed),
            threads.submit(keyed.select, abstract_start_key(pl.col("abstract")).alias("abstract_key")),
        )
        features = pl.concat([keyed, *(part.result() for part in parts)], how="horizontal")
    # Joined to the keys alone: a join copies all columns, abstracts and authors too.
    listed = _identifier_lists(evidence_identifiers(keyed))
    identifiers = keyed.select("record_key").join(listed, on="record_key", how="left", maintain_order="left")
    boilerplate = is_carried_by_many_titles("abstract_key") | pl.col("abstract_key").str.contains(_WITHDRAWN)
    return (
        features.drop("title", "identifiers", "volume", "number", "pages")
        .with_columns(
            pl.col("title_is_cut").fill_null(False),
            (pl.col("is_generic_name") | _recurs()).alias("is_generic"),
            boilerplate.fill_null(False).alias("abstract_is_boilerplate"),
        )
        .hstack(identifiers.select(pl.col("identifiers", "schemes").fill_null([])))
    )


def _one_a_key(records: pl.DataFrame) -> pl.DataFrame:
    """The columns of `records` that matching reads, sorted by record key; of each key the row of the least record_id."""
    is_new = (pl.col("record_key") != pl.col("record_key").shift(1)).fill_null(True)
    if records["record_key"].is_sorted() and records.select(is_new.all()).item():
        return records.select(_COLUMNS)  # not copied: a million lists of authors take 500 MiB
    order = records.select("record_key", "record_id").with_row_index("place").sort("record_key", "record_id")
    return records.select(_COLUMNS)[order.filter(is_new)["place"]]


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


def abstract_start_key(abstract: pl.Expr) -> pl.Expr:
    """The letters of an abstract's first hundred and fifty characters, by which abstracts are brought together.

    >>> pl.select(abstract_start_key(pl.lit("We show: a * b."))).item()
    'weshowab'
    """
    return abstract_key(abstract.str.slice(0, ABSTRACT_START_CHARACTERS))


_PLAIN_PAGES = r"^([1-9]\d{0,5})(?:-([1-9]\d{0,5}))?$"


_TRANSLATED = r"(?i)\binternational edition\b|\bint\.? ed\b|\benglish (?:edition|translation|version)\b|\bengl?\.? transl"
"""A journal of translations: "Angewandte Chemie International Edition"."""


def _place_keys(keyed: pl.DataFrame) -> pl.DataFrame:
    """The columns is_translation and venue_key, volume_key, number_key, first_page and last_page, each text read once."""
    pages = keyed["pages"]
    # Nine in ten are "376-383" or "376"; the patterns for all that else occurs cost fifty times as much.
    first, last = pages.str.extract(_PLAIN_PAGES, 1), pages.str.extract(_PLAIN_PAGES, 2)
    is_short = (last.str.len_bytes() < first.str.len_bytes()).fill_null(False)
    rest = pages.is_not_null() & (first.is_null() | is_short)
    return pl.DataFrame(
        {
            "is_translation": on_distinct(keyed["venue"], lambda texts: texts.str.contains(_TRANSLATED)).fill_null(False),
            "venue_key": on_distinct(keyed["venue"], lambda texts: _of(venue_key, texts)),
            "volume_key": on_distinct(keyed["volume"], lambda texts: _of(volume_key, texts)),
            "number_key": on_distinct(keyed["number"], lambda texts: _of(number_key, texts)),
            "first_page": on_rows(
                first, rest, lambda _: on_distinct(pages.filter(rest), lambda texts: _of(first_page_key, texts))
            ),
            "last_page": on_rows(
                last, rest, lambda _: on_distinct(pages.filter(rest), lambda texts: _of(last_page_key, texts))
            ),
        }
    )


def _of(key: Callable[[pl.Expr], pl.Expr], texts: pl.Series) -> pl.Series:
    return texts.alias("text").to_frame().select(key(pl.col("text"))).to_series()


def _recurs() -> pl.Expr:
    own_year = pl.when(pl.col("title_kind").is_null()).then("year")
    years = own_year.drop_nulls().n_unique().over("title_key", "venue_key")
    return ((years >= RECURRING_YEARS) & pl.col("venue_key").is_not_null()).fill_null(False)


def _identifier_lists(identifiers: pl.DataFrame) -> pl.DataFrame:
    """Rows (record_key, identifiers as `scheme:value`, schemes), both lists distinct and the strongest scheme first."""
    ranked = identifiers.with_columns(rank=scheme_rank(pl.col("scheme"))).sort("record_key", "rank", "scheme", "value")
    text = pl.concat_str("scheme", pl.lit(":"), "value")
    return ranked.group_by("record_key", maintain_order=True).agg(
        identifiers=text, schemes=pl.col("scheme").unique(maintain_order=True)
    )
