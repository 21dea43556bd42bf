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
from transforms.match.blocking import ABSTRACT_PREFIX_CHARACTERS
from transforms.match.title_features import title_features
from transforms.numbering import first_page_key, last_page_key, number_key, volume_key
from transforms.schemas import TURNED_DOWN
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

COMPARED_ABSTRACT_CHARACTERS = 500
"""How much of an abstract is carried along to be compared; abstracts whole are half of all that a list of papers holds."""

_PIECES = r"(?s)[jkqxzJKQXZ].{31}"
"""The pieces of an abstract by which it is found where it has another start: 32 characters from each rare letter on. Rare
letters cut two texts at the same places, wherever they stand; they come three times in 300 characters of English. If a share s
of one abstract's text is in the other too, about 1 - exp(-s n / 100) of such pairs share a piece: 0.98 at s = 0.8 and
n = 500 characters."""

RECORD_COLUMNS = (
    *("record_key", "record_id", "title", "title_is_cut", "authors", "abstract"),
    *("venue_id", "venue", "venue_kind", "decision", "year", "volume", "number", "pages", "identifiers"),
)
"""The columns of CLEAN_RECORDS that matching reads."""


def record_features(records: pl.DataFrame) -> pl.DataFrame:
    """The features of `records` (schema CLEAN_RECORDS), one row a record key, sorted by it: see `joint_features`."""
    return joint_features(own_features(records))


def own_features(records: pl.DataFrame) -> pl.DataFrame:
    """What is derived of each of `records` (`RECORD_COLUMNS`) by itself, row by row, whatever the others are.

    Of authors and abstracts only what is compared is kept: texts of the names, and the start with the pieces of the whole.
    """
    records = records.select(RECORD_COLUMNS)
    # Each part of all records, not all parts of some: the patterns of titles and pages take 0.05 s to be read, each time.
    # The dearest first.
    parts: tuple[Callable[[], pl.DataFrame], ...] = (
        lambda: title_features(records["title"]),
        lambda: author_keys(records["authors"]),
        lambda: _slim(records),
        lambda: _place_keys(records),
    )
    with ThreadPoolExecutor(2) as pool:
        made = [pool.submit(part) for part in parts]
        titles, authors, slim, places = (part.result() for part in made)
    kept = records.drop("authors", "decision", "volume", "number", "pages", *slim.columns, strict=False)
    return pl.concat([kept, slim, authors, titles, places], how="horizontal")


def _slim(records: pl.DataFrame) -> pl.DataFrame:
    """What is kept of abstracts, their keys, and two flags."""
    abstract = pl.col("abstract")
    long = pl.when(abstract.str.len_bytes() >= ABSTRACT_PREFIX_CHARACTERS).then(abstract)
    # Small letters are made of the pieces, a quarter of the text.
    pieces = long.str.extract_all(_PIECES).list.eval(pl.element().str.to_lowercase().hash(2))
    return records.select(
        # Joined to nothing, as a slice alone keeps the whole text in memory.
        pl.concat_str(abstract.str.slice(0, COMPARED_ABSTRACT_CHARACTERS), pl.lit("")).alias("abstract"),
        abstract_start_key(abstract).alias("abstract_key"),
        pieces.alias("abstract_pieces"),
        pl.col("title_is_cut").fill_null(False),
        pl.col("decision").is_in(TURNED_DOWN).alias("turned_down"),
    )


def joint_features(own: pl.DataFrame) -> pl.DataFrame:
    """The features of records from those of each, one row a record key, sorted by it.

    Where a record was seen several times, the appearance with the least record_id speaks for it. Missing values are null
    and empty lists; a key that holds no letter or digit is missing. `author_names`, `author_initials` and `abstract` are kept
    for what is compared of few pairs only.
    """
    features = _one_a_key(own).with_row_index("row")
    with ThreadPoolExecutor() as threads:
        lists = threads.submit(_identifier_lists, features)
        recurs = threads.submit(_recurs, features)
        is_boilerplate = _is_boilerplate(features)
        return features.drop("title", "identifiers").with_columns(
            *lists.result().get_columns(),
            (features["is_generic_name"] | recurs.result()).alias("is_generic"),
            is_boilerplate.alias("abstract_is_boilerplate"),
        )


def in_one_piece(columns: list[pl.Series]) -> pl.DataFrame:
    """The columns, each in one piece, as they are gathered from time and again.

    The list is emptied on the way, so that a column is in memory twice, not all of them.
    """
    columns.reverse()
    return pl.DataFrame([columns.pop().rechunk() for _ in range(len(columns))])


def _one_a_key(own: pl.DataFrame) -> pl.DataFrame:
    """`own` sorted by record key; of each key the row of the least record_id."""
    is_new = (pl.col("record_key") != pl.col("record_key").shift(1)).fill_null(True)
    if own["record_key"].is_sorted() and own.select(is_new.all()).item():
        return own.drop("record_id")  # not copied, as half of the memory of a match would be
    order = own.select("record_key", "record_id").with_row_index("place").sort("record_key", "record_id")
    return own.drop("record_id")[order.filter(is_new)["place"]]


def evidence_identifiers(records: pl.DataFrame) -> pl.DataFrame:
    """The identifiers that speak for one paper: distinct rows (record_key, scheme, value), those of containers left out.

    `records` has record_key, title, authors and identifiers. A container's identifier stands with four or more titles that
    are no spellings of one: they begin in as many ways, or are by first authors of three or more family names.
    """
    first = pl.col("authors").list.first()
    first_name = pl.coalesce(first.struct.field("family"), first.struct.field("name"))
    own = _own_identifiers(records, "record_key", first_name.str.extract(r"(\S+)\s*$"))
    return own.select("record_key", "scheme", "value").unique().sort("record_key", "scheme", "value")


def _own_identifiers(records: pl.DataFrame, of: str, first_family: pl.Expr) -> pl.DataFrame:
    """Rows (`of`, scheme, value), `of` being a column that tells records apart; those of containers are left out.

    `first_family` gives the last word of the first author's family name.
    """
    listed = (
        records.select(of, "title", first_family.alias("first_family"), identifier="identifiers")
        .filter(pl.col("identifier").list.len() > 0)
        .explode("identifier")
        .unnest("identifier")
        .filter(pl.col("scheme").is_not_null() & pl.col("value").is_not_null())
    )
    # Few identifiers stand on as many records as a container's needs, so few titles need their keys.
    frequent = listed.filter(_is_frequent(listed.select("scheme", "value"), CONTAINER_TITLES))
    beginnings = pl.col("title_key").str.slice(0, _BEGINNING_CHARACTERS).drop_nulls().n_unique().over("scheme", "value")
    families = letters_key(pl.col("first_family")).drop_nulls().n_unique().over("scheme", "value")
    containers = frequent.with_columns(title_key=title_key(pl.col("title"))).filter(
        is_carried_by_many_titles("scheme", "value"),
        (beginnings >= CONTAINER_TITLES) | (families >= _CONTAINER_FAMILIES),
    )
    return listed.join(containers, on=["scheme", "value"], how="anti").select(of, "scheme", "value")


def _is_frequent(keys: pl.DataFrame, least: int) -> pl.Series:
    """Whether a key stands in `least` rows or more; by hashes, so that by chance one may that does not.

    Counts over the groups of a million texts cost ten times as much, and only frequent keys have counts that matter.
    """
    hashes = keys.hash_rows()
    ordered = hashes.sort()
    return hashes.is_in(ordered.filter(ordered == ordered.shift(least - 1)).unique().implode())


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


def _is_boilerplate(features: pl.DataFrame) -> pl.Series:
    """Whether an abstract stands with many titles, or says no more than that the paper was withdrawn."""
    known = features.select("row", "abstract_key", "title_key").drop_nulls("abstract_key")
    frequent = known.filter(_is_frequent(known.select("abstract_key"), CONTAINER_TITLES))
    rows = frequent.filter(is_carried_by_many_titles("abstract_key"))["row"]
    is_withdrawn = features["abstract_key"].str.contains(_WITHDRAWN).fill_null(False)
    return is_withdrawn.scatter(rows, True)


def _recurs(features: pl.DataFrame) -> pl.Series:
    """Whether a title stands at one venue in many years."""
    key = ("title_key", "venue_key")
    known = features.select("row", *key, "year", "title_kind").drop_nulls(key)
    own_year = pl.when(pl.col("title_kind").is_null()).then("year")
    frequent = known.filter(_is_frequent(known.select(key), RECURRING_YEARS))
    rows = frequent.filter(own_year.drop_nulls().n_unique().over(key) >= RECURRING_YEARS)["row"]
    return pl.Series([False]).new_from_index(0, features.height).scatter(rows, True)


def _identifier_lists(features: pl.DataFrame) -> pl.DataFrame:
    """The columns identifiers (as `scheme:value`) and schemes, both lists distinct and the strongest scheme first."""
    ranked = _own_identifiers(features, "row", pl.col("first_family")).with_columns(rank=scheme_rank(pl.col("scheme")))
    text = pl.concat_str("scheme", pl.lit(":"), "value")
    lists = (
        ranked.sort("row", "rank", "scheme", "value")
        .group_by("row", maintain_order=True)
        .agg(identifiers=text, schemes=pl.col("scheme").unique(maintain_order=True))
    )
    # Joined to the rows alone: a join copies all columns, abstracts and authors too.
    joined = features.select("row").join(lists, on="row", how="left", maintain_order="left")
    return joined.select(pl.col("identifiers", "schemes").fill_null([]))
