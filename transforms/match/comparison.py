"""This module compares candidate pairs: one column an aspect, null where a side has nothing to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl
from rapidfuzz import fuzz

from transforms.identifiers import SCHEME_ORDER
from transforms.match.author_keys import author_lines, author_texts, author_words, family_initials
from transforms.match.title_words import word_difference
from transforms.text import abstract_key
from transforms.venue_agreement import venue_agreement

OTHER_TITLE_RATIO = 0.5
"""Below it titles are wholly different: unrelated English titles reach 0.3 to 0.5 by common letters alone."""

CLOSE_TITLE_RATIO = 0.75
"""From here on titles may be one, reworded or with another subtitle."""

TELLING_WORDS, TELLING_WORDS_RATIO = 4, 0.8
"""So many words of names in common tell of a list, or so large a share of fewer."""

ALIKE_AUTHORS_RATIO = 0.6
"""From here on two lists of authors are one, whatever is missing or misread of it."""

SAME_FAMILIES_RATIO = 0.5
"""From here on two lists of family names are one."""

_TITLE_CUT_CHARACTERS = 8
"""A cut title shorter than this is a prefix of too much to agree with anything."""

_ABSTRACT_CHARACTERS = 500
"""How much of two abstracts is compared: enough to tell two texts on one subject apart."""

_SLICE_PAIRS = 200_000

_ASKED_OF_FEW = {
    "row",
    "record_key",
    "abstract",
    "abstract_key",
    "authors",
    "title_words",
    "venue",
    "venue_id",
}
"""Features of which columns of all pairs would be in vain."""


def compare_pairs(pairs: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """`pairs` (row_l, row_r, …) with what their records have in common or against each other, in the same order.

    Added columns; those marked ? are null where a side lacks what is compared, the others are never null:

    - titled_count, generic: how many of the two have a title; whether either title is generic or missing
    - titles_equal, title_is_start (a cut title is the start of the other), title_characters? (of the shorter),
      cut_title_characters?, title_ratio?
    - title_extends: one title is the start of the other, cut short or not
    - title_own_count? (content words that only one of the two titles has, slips of the pen not counted: the lesser of both
      sides), title_own_max?, titles_opposed (those words contradict),
      title_names_other_work ("study protocol"), titles_reordered (the words of both stand in another order)
    - title_numbers_differ, title_numbers_conflict: the numbers in the titles; in conflict where each has one of its own
    - kind_l?, kind_r?: what a title is that speaks of another paper (`title_kind`); kinds_differ; parts (both say so)
    - abstract_ratio?, abstract_characters (of the shorter), abstracts_equal: of the first 500 characters, and null, 0 and false
      where no rule asks (see `_abstracts`); abstract_is_boilerplate (of either)
    - authors_shared_count?, authors_equal?, authors_ratio? (words of the names shared, of the shorter list),
      families_ratio?, authors_fuzzy? (likeness of the lists as text, where they share too little), authors_missing_count
    - identifier_ratio?: likeness of the strongest identifiers, where they are in conflict
    - identifier_extends?: whether one identifier is a version of the other, or a supplement to it
    - identifier_shared?, identifier_conflict?: a scheme in which they agree; one of `SCHEME_ORDER` in which
      both are filled and disjoint
    - year_gap?, venues_agree, venues_differ (both known and not the same), volumes_agree?, numbers_agree?, pages_agree?
      (the first), page_gap?, last_pages_agree? ("221-8" ends as "221-228" does), same_place (venue, volume and first page)

    Venues and words of names are asked only of pairs where a rule may depend on them: see `_may_ask_more`, `_author_words`.
    """
    # In slices, as what is gathered of the two sides takes more room than what is said of them; venues in one, as a few
    # thousand stand in all pairs.
    slices = [_compared(part, features) for part in pairs.iter_slices(_SLICE_PAIRS)] or [_compared(pairs, features)]
    compared = pl.concat(slices, rechunk=True)
    same_place = (pl.col("venues_agree") & pl.col("volumes_agree") & pl.col("pages_agree")).fill_null(False)
    return pl.concat([compared, _venues(compared, features)], how="horizontal").with_columns(same_place=same_place)


def _compared(pairs: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """`pairs` with all columns but those on venues."""
    sides = _sides(pairs, features, [name for name in features.columns if name not in _ASKED_OF_FEW])
    aspects = sides.select(*_titles(), *_authors(), *_places(), *_boilerplate())
    compared = pl.concat([pairs, aspects, _title_ratios(sides).to_frame(), _identifiers(sides)], how="horizontal")
    compared = pl.concat([compared, _title_words(compared, features), _author_words(compared, features)], how="horizontal")
    return pl.concat([compared, _names(compared, features), _abstracts(compared, features)], how="horizontal")


def _sides(pairs: pl.DataFrame, features: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The columns of both records of each pair, as …_l and …_r."""
    chosen = features.select(columns)
    sides = (chosen[pairs[f"row_{side}"]].select(pl.all().name.suffix(f"_{side}")) for side in ("l", "r"))
    # Polars 2.1 panics where set operations meet columns in several chunks, one of them empty.
    return pl.concat(sides, how="horizontal").rechunk()


def likeness_ratios(left: Sequence[str], right: Sequence[str]) -> list[float]:
    """How alike two texts are, pair by pair, 0 to 1: twice their longest common subsequence over their joint length.

    A function per pair: no Polars expression does it. It is called on unequal texts only.

    >>> likeness_ratios(["abcd"], ["abce"])
    [0.75]
    """
    return [fuzz.ratio(text_l, text_r) / 100 for text_l, text_r in zip(left, right, strict=True)]


def _agree(name: str) -> pl.Expr:
    return pl.col(f"{name}_l") == pl.col(f"{name}_r")


def _titles() -> list[pl.Expr]:
    left, right = pl.col("title_key_l"), pl.col("title_key_r")
    cut_l = pl.when(pl.col("title_is_cut_l") & right.str.starts_with(left)).then(left.str.len_chars())
    cut_r = pl.when(pl.col("title_is_cut_r") & left.str.starts_with(right)).then(right.str.len_chars())
    cut = pl.max_horizontal(cut_l, cut_r)
    own_l = pl.col("title_numbers_l").list.set_difference("title_numbers_r")
    own_r = pl.col("title_numbers_r").list.set_difference("title_numbers_l")
    return [
        (left.is_not_null().cast(pl.UInt8) + right.is_not_null().cast(pl.UInt8)).alias("titled_count"),
        (pl.col("is_generic_l") | pl.col("is_generic_r")).alias("generic"),
        (pl.col("is_generic_l") & pl.col("is_generic_r")).alias("generic_both"),
        (pl.col("is_generic_name_l") | pl.col("is_generic_name_r")).alias("generic_name"),
        (left == right).fill_null(False).alias("titles_equal"),
        pl.min_horizontal(left.str.len_chars(), right.str.len_chars()).alias("title_characters"),
        cut.alias("cut_title_characters"),
        (cut >= _TITLE_CUT_CHARACTERS).fill_null(False).alias("title_is_start"),
        (left.str.starts_with(right) | right.str.starts_with(left)).fill_null(False).alias("title_extends"),
        (_agree("title_numbers").not_() & (left != right)).fill_null(False).alias("title_numbers_differ"),
        (
            ((own_l.list.len() > 0) & (own_r.list.len() > 0)).fill_null(False)
            | (own_l.list.len() + own_r.list.len() == 0)
            & (pl.col("title_numbers_l").list.len() > 1)
            & ~_agree("title_numbers").fill_null(True)
            & (pl.col("title_numbers_l").list.len() == pl.col("title_numbers_r").list.len())
        ).alias("title_numbers_conflict"),
        pl.col("edition_l").ne_missing(pl.col("edition_r")).alias("editions_differ"),
        pl.col("title_kind_l").alias("kind_l"),
        pl.col("title_kind_r").alias("kind_r"),
        pl.col("title_kind_l").ne_missing(pl.col("title_kind_r")).alias("kinds_differ"),
        *((pl.col(f"venue_kind_{side}") == "preprint").fill_null(False).alias(f"is_preprint_{side}") for side in ("l", "r")),
        (pl.col("is_translation_l") != pl.col("is_translation_r")).alias("one_is_translation"),
        (pl.col("is_part_l") | pl.col("is_part_r")).alias("part_of_either"),
        (pl.col("is_part_l") & pl.col("is_part_r")).alias("parts"),
    ]


def _boilerplate() -> list[pl.Expr]:
    return [(pl.col("abstract_is_boilerplate_l") | pl.col("abstract_is_boilerplate_r")).alias("abstract_is_boilerplate")]


def _authors() -> list[pl.Expr]:
    count_l, count_r = pl.col("families_l").list.len(), pl.col("families_r").list.len()
    missing = (count_l == 0).cast(pl.UInt8) + (count_r == 0).cast(pl.UInt8)
    shared = pl.col("families_l").list.set_intersection(pl.col("families_r")).list.len()
    return [
        missing.alias("authors_missing_count"),
        pl.when(missing == 0).then(shared).cast(pl.Int32).alias("authors_shared_count"),
        pl.when(missing == 0).then((shared == count_l) & (shared == count_r)).alias("authors_equal"),
        pl.when(missing == 0).then(shared / pl.min_horizontal(count_l, count_r)).alias("families_ratio"),
    ]


def _places() -> list[pl.Expr]:
    first_l, first_r, last_l, last_r = (pl.col(f"{name}_page_{side}") for name in ("first", "last") for side in ("l", "r"))
    digits_l, digits_r = (page.str.extract(r"(\d+)").cast(pl.Int64, strict=False) for page in (first_l, first_r))
    letters_agree = (first_l.str.extract(r"^([a-z]*)") == first_r.str.extract(r"^([a-z]*)")).fill_null(False)
    last_agree = last_l == last_r
    is_range = (last_l != first_l) & (last_r != first_r)
    # Pages from 1 on are a count more often than a place. "c37-c42" is 37-42 where one source leaves the letter out.
    last_digits_l, last_digits_r = (page.str.extract(r"(\d+)") for page in (last_l, last_r))
    one_plain = ~(first_l.str.contains(r"^[a-z]") & first_r.str.contains(r"^[a-z]"))
    digits_agree = one_plain & (digits_l == digits_r) & (last_digits_l == last_digits_r)
    return [
        (pl.col("year_l") - pl.col("year_r")).abs().alias("year_gap"),
        _agree("volume_key").alias("volumes_agree"),
        _agree("number_key").alias("numbers_agree"),
        (first_l == first_r).alias("pages_agree"),
        (digits_l - digits_r).abs().alias("page_gap"),
        letters_agree.alias("page_letters_agree"),
        last_agree.alias("last_pages_agree"),
        (((first_l == first_r) & last_agree | digits_agree) & is_range & (digits_l > 1)).alias("page_range_agrees"),
    ]


def _may_ask_more(compared: pl.DataFrame) -> pl.Series:
    """Whether a rule may ask for the venues of a pair or all words of its authors: those that cost most.

    Of other titles without an identifier in common none does, unless they stand on the same pages of one volume: half of the
    distinct pairs of venues, at some 20 µs each.
    """
    is_other = (pl.col("titled_count") == 2) & (pl.col("title_ratio") < OTHER_TITLE_RATIO) & ~pl.col("title_extends")
    on_pages = (pl.col("page_range_agrees") & pl.col("volumes_agree")).fill_null(False)
    is_open = pl.col("generic") | pl.col("identifier_shared").is_not_null() | on_pages
    return compared.select(is_open | ~is_other.fill_null(False)).to_series()


def _made_once(pairs: pl.DataFrame, values: pl.Series, key: Callable[[pl.Series], pl.Series]) -> list[pl.Series]:
    """The keys of both sides' values, made once for each record."""
    rows = pl.concat([pairs["row_l"], pairs["row_r"]]).unique().sort()
    keys = key(values.gather(rows)).rechunk()
    return [keys.gather(rows.search_sorted(pairs[f"row_{side}"])).rechunk().alias(f"key_{side}") for side in ("l", "r")]


def _author_words(compared: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Columns authors_ratio and families_only (no more words in common than family names).

    Null and false where a list is missing or no rule asks: of families that agree it is asked only whether other people may
    bear them, so not of other titles, nor of the same names: half of the pairs.
    """
    may_ask = _may_ask_more(compared) & (compared["authors_missing_count"] == 0)
    agree = (compared["families_ratio"] >= SAME_FAMILIES_RATIO).fill_null(False)
    near = (compared["title_ratio"] >= CLOSE_TITLE_RATIO).fill_null(False)
    equal = may_ask & near & compared["authors_equal"].fill_null(False)
    left, right = _made_once(compared.filter(equal), features["authors"], author_lines)
    same = pl.Series([False]).new_from_index(0, compared.height).scatter(equal.arg_true(), left == right)
    asked = may_ask & ~(agree & (same | ~near))
    pairs = compared.filter(asked).select("row_l", "row_r", shared="authors_shared_count")
    words = pl.col("key_l").list.set_intersection("key_r").list.len()
    word_count = pl.min_horizontal(pl.col("key_l").list.len(), pl.col("key_r").list.len())
    keys = _made_once(pairs, features["authors"], author_words)
    found = pairs.with_columns(keys).select(
        # "Wei Wang" and "Wei Zhang", the British and the European Thoracic Society share most of few words.
        authors_ratio=pl.when((words >= TELLING_WORDS) | (words / word_count >= TELLING_WORDS_RATIO))
        .then((words / word_count).fill_nan(0))
        .otherwise(0.0),
        families_only=(pl.col("shared") > 0) & (words <= pl.col("shared")),
    )
    nothing = pl.DataFrame({"authors_ratio": [None], "families_only": [False]}, schema=found.schema)
    return pl.DataFrame(
        [column.new_from_index(0, asked.len()).scatter(asked.arg_true(), found[column.name]) for column in nothing]
    )


def _venues(compared: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Columns venues_agree and venues_differ; both are false where no rule asks for them."""
    asked = _may_ask_more(compared)
    agreement = venue_agreement(_sides(compared.filter(asked), features, ["venue", "venue_id"]))
    said = pl.Series([None], dtype=pl.String).new_from_index(0, compared.height).scatter(asked.arg_true(), agreement)
    return pl.DataFrame(
        {"venues_agree": (said == "agree").fill_null(False), "venues_differ": (said == "differ").fill_null(False)}
    )


def _title_words(compared: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Columns of `word_difference`: title_own_count, title_own_max (null for titles with too little in common), and flags."""
    texts = compared.select("row_l", "row_r", equal="titles_equal", ratio="title_ratio").with_row_index("pair")
    grey = texts.filter(~pl.col("equal"), pl.col("ratio") >= OTHER_TITLE_RATIO)
    words = (features["title_words"].gather(grey[f"row_{side}"]).to_list() for side in ("l", "r"))
    found = [word_difference(left.split(), right.split()) for left, right in zip(*words, strict=True)]
    counted = grey.select("pair").with_columns(
        pl.Series("own_min", [min(d.own_l, d.own_r) for d in found], pl.Int32),
        pl.Series("own_max", [max(d.own_l, d.own_r) for d in found], pl.Int32),
        *(pl.Series(name, [getattr(d, name) for d in found], pl.Boolean) for name in ("opposed", "other_work", "reordered")),
    )
    return texts.join(counted, on="pair", how="left", maintain_order="left").select(
        pl.when("equal").then(0).otherwise("own_min").alias("title_own_count"),
        pl.when("equal").then(0).otherwise("own_max").alias("title_own_max"),
        pl.col("opposed").fill_null(False).alias("titles_opposed"),
        pl.col("other_work").fill_null(False).alias("title_names_other_work"),
        pl.col("reordered").fill_null(False).alias("titles_reordered"),
    )


def _names(compared: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Columns authors_fuzzy and initials_differ: what is asked of the names of few pairs, from the lists as they are.

    authors_fuzzy: likeness of the words of the names, where titles are near and too few words are shared. initials_differ: no
    given name or initial agrees where family names do: other people of one family name.
    """
    near = (compared["title_ratio"] >= CLOSE_TITLE_RATIO).fill_null(False)
    doubtful = (
        near & (compared["authors_missing_count"] == 0) & (compared["authors_ratio"] < ALIKE_AUTHORS_RATIO).fill_null(False)
    )
    fuzzy = pl.Series("authors_fuzzy", [None], dtype=pl.Float64).new_from_index(0, compared.height)
    asked = compared.filter(doubtful)
    if asked.height:
        left, right = (author_texts(features["authors"].gather(asked[f"row_{side}"])).to_list() for side in ("l", "r"))
        ratios = [fuzz.token_sort_ratio(one, other) / 100 for one, other in zip(left, right, strict=True)]
        fuzzy = fuzzy.scatter(doubtful.arg_true(), pl.Series(ratios, dtype=pl.Float64))
    differ = pl.Series("initials_differ", [False], dtype=pl.Boolean).new_from_index(0, compared.height)
    alone = near & compared["families_only"].fill_null(False)
    asked = compared.filter(alone)
    if asked.height:
        sides = {side: features["authors"].gather(asked[f"row_{side}"]).rechunk() for side in ("l", "r")}
        lists = pl.DataFrame({side: family_initials(authors) for side, authors in sides.items()})
        counts = pl.DataFrame({side: authors.list.len() for side, authors in sides.items()})
        others = lists.select(pl.col("l").list.set_intersection("r").list.len() == 0).to_series()
        known = (lists["l"].list.len() == counts["l"]) & (lists["r"].list.len() == counts["r"])
        differ = differ.scatter(alone.arg_true(), others & known)
    return pl.DataFrame([fuzzy, differ])


def _title_ratios(sides: pl.DataFrame) -> pl.Series:
    equal = _agree("title_key").fill_null(False)
    titles = sides.select("title_key_l", "title_key_r", title_ratio=pl.when(equal).then(1.0)).with_row_index("pair")
    return _filled_ratios(titles, "title_ratio")["title_ratio"]


def _abstracts(compared: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """Columns abstract_ratio, abstract_characters and abstracts_equal, of the first `_ABSTRACT_CHARACTERS`.

    Asked only where a rule may depend on it: not of one title under one identifier, and of wholly other titles at one place
    only where the abstracts begin alike. That is every second pair of abstracts, and one record in six.
    """
    starts = (features["abstract_key"].gather(compared[f"row_{side}"]) for side in ("l", "r"))
    pairs = compared.select(
        *(
            "row_l",
            "row_r",
            "titles_equal",
            "editions_differ",
            "title_ratio",
            "identifier_shared",
            "identifier_conflict",
            "page_range_agrees",
        ),
        *(start.alias(f"start_{side}") for start, side in zip(starts, ("l", "r"), strict=True)),
    ).with_row_index("pair")
    is_shared = pl.col("identifier_shared").is_not_null()
    is_one = pl.col("titles_equal") & ~pl.col("editions_differ") & is_shared & pl.col("identifier_conflict").is_null()
    has_support = (pl.col("title_ratio") >= OTHER_TITLE_RATIO).fill_null(True) | is_shared | pl.col("page_range_agrees")
    asked = pairs.filter(
        pl.col("start_l").is_not_null() & pl.col("start_r").is_not_null(), has_support | _agree("start"), ~is_one
    )
    keys = _made_once(asked, features["abstract"], _abstract_keys)
    asked = asked.with_columns(keys)
    asked = asked.with_columns(characters=pl.min_horizontal(pl.col("key_l", "key_r").str.len_chars()))
    # Over the common length, as one abstract may be cut short, with or without saying so.
    cut = asked.select(
        "pair", pl.col("key_l", "key_r").str.slice(0, pl.col("characters")), abstract_ratio=pl.when(_agree("key")).then(1.0)
    )
    told = asked.select("pair", "characters", equal=_agree("key")).join(_filled_ratios(cut, "abstract_ratio"), on="pair")
    return pairs.join(told, on="pair", how="left", maintain_order="left").select(
        "abstract_ratio",
        pl.col("characters").fill_null(0).alias("abstract_characters"),
        pl.col("equal").fill_null(False).alias("abstracts_equal"),
    )


def _abstract_keys(abstracts: pl.Series) -> pl.Series:
    starts = abstracts.str.slice(0, _ABSTRACT_CHARACTERS).alias("abstract").to_frame()
    return starts.select(abstract_key(pl.col("abstract"))).to_series()


def _filled_ratios(texts: pl.DataFrame, name: str) -> pl.DataFrame:
    """Rows (pair, `name`): likenesses where it is null and both texts are there; `texts` is (pair, left, right, name)."""
    left, right = texts.columns[1:3]
    unknown = texts.filter(pl.col(name).is_null(), pl.col(left).is_not_null(), pl.col(right).is_not_null())
    ratios = pl.Series("ratio", likeness_ratios(unknown[left].to_list(), unknown[right].to_list()), pl.Float64)
    filled = texts.select("pair", name).join(unknown.select("pair", ratios), on="pair", how="left", maintain_order="left")
    return filled.select("pair", pl.coalesce(name, "ratio").alias(name))


def _identifiers(sides: pl.DataFrame) -> pl.DataFrame:
    """Columns identifier_shared and identifier_conflict: the least scheme by name where there are several."""
    with_both = sides.select("identifiers_l", "identifiers_r", "schemes_l", "schemes_r").with_row_index("pair")
    with_both = with_both.filter(pl.col("identifiers_l").list.len() > 0, pl.col("identifiers_r").list.len() > 0)
    shared = pl.col("identifiers_l").list.set_intersection("identifiers_r")
    agreeing = shared.list.eval(pl.element().str.extract(r"^([^:]*):", 1).unique())
    both_filled = pl.col("schemes_l").list.set_intersection("schemes_r")
    # The known schemes give a paper one identifier, so two are two papers; others may give it several.
    first_l, first_r = (pl.col(f"identifiers_{side}").list.first() for side in ("l", "r"))
    bare_l, bare_r = (first.str.replace(r"[./](?:v\d+|s\d{3})$", "") for first in (first_l, first_r))
    schemes = with_both.select(
        "pair", first_l=first_l, first_r=first_r, bare_l=bare_l, bare_r=bare_r, agreeing=agreeing, both_filled=both_filled
    ).select(
        *("pair", "first_l", "first_r"),
        identifier_shared=pl.col("agreeing").list.min(),
        identifier_extends=_extends_identifier(),
        identifier_conflict=pl.col("both_filled")
        .list.set_intersection(list(SCHEME_ORDER))
        .list.set_difference("agreeing")
        .list.min(),
    )
    conflicting = schemes.filter(pl.col("identifier_conflict").is_not_null())
    ratios = likeness_ratios(conflicting["first_l"].to_list(), conflicting["first_r"].to_list())
    alike = conflicting.select("pair", pl.Series("identifier_ratio", ratios, pl.Float64))
    pairs = sides.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("pair"))
    told = schemes.drop("first_l", "first_r").join(alike, on="pair", how="left")
    return pairs.join(told, on="pair", how="left", maintain_order="left").drop("pair")


def _extends_identifier() -> pl.Expr:
    """Whether one identifier is the other with a version or a supplement behind it ("…/v1" and "…/v2", "….s001", "…u")."""
    left, right = pl.col("bare_l"), pl.col("bare_r")
    behind = [longer.str.slice(shorter.str.len_chars()) for longer, shorter in ((left, right), (right, left))]
    starts = [left.str.starts_with(right), right.str.starts_with(left)]
    # "…/ice.1" and "…/ice.10" are two papers.
    return pl.any_horizontal(start & ~rest.str.contains(r"^\d") for start, rest in zip(starts, behind, strict=True)).fill_null(
        False
    )
