"""This module compares candidate pairs: one column an aspect, null where a side has nothing to compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from transforms.identifiers import PROCEEDINGS_SCHEMES
from transforms.match.abstract_comparison import ABSTRACT_FEATURES, compare_abstracts, may_ask_abstracts
from transforms.match.author_comparison import (
    AUTHOR_FEATURES,
    SAME_FAMILIES_RATIO,
    compare_families,
    compare_names,
)
from transforms.match.place_comparison import PLACE_FEATURES, compare_identifiers, compare_places
from transforms.match.sides import agree, both_sides, filled
from transforms.match.title_comparison import CLOSE_TITLE_RATIO, OTHER_TITLE_RATIO, TITLE_FEATURES, compare_titles
from transforms.match.title_words import WordDifferences
from transforms.venue_agreement import VenueAgreements

SLICE_PAIRS = 1 << 17
"""So many pairs are compared at a time, as what is gathered of the two sides takes more room than what is said of them."""

_SIDES = (*TITLE_FEATURES, *AUTHOR_FEATURES, *PLACE_FEATURES, *ABSTRACT_FEATURES, "venue", "venue_id", "turned_down")


@dataclass(frozen=True, slots=True)
class CostlyAspect:
    """Columns that a few rules ask of a few pairs.

    `asked` says of which pairs a rule may ask them, `otherwise` what they hold of all others, and `compare` gives them, all
    of those columns, for pairs (as `outlined` gives them) and features. In the first column nothing is null then, so that null
    says of a pair that it was not compared in this aspect.
    """

    asked: pl.Expr
    otherwise: Mapping[str, pl.Expr]
    compare: Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame]


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
    - abstract_ratio?, abstract_characters (of the shorter, or at the start of one text twice), abstracts_equal: null, 0 and
      false where no rule asks (see `may_ask_abstracts`); abstract_is_boilerplate (of either)
    - authors_shared_count?, authors_equal?, families_ratio?, authors_missing_count; and, where a rule asks, authors_ratio?
      (words of the names shared, of the shorter list), authors_fuzzy? (likeness of the lists as text, where they share too
      little), initials_differ
    - identifier_shared?, identifier_conflict?: a scheme in which they agree; one of `SCHEME_ORDER` in which
      both are filled and disjoint
    - identifier_ratio?: likeness of the strongest identifiers, where they are in conflict and the titles may be one
    - identifier_extends?: whether one of those is a version of the other, or a supplement to it
    - year_gap?, volumes_agree?, numbers_agree?, pages_agree? (the first), later_pages_agree? (and it is not 1), page_gap?,
      last_pages_agree? ("221-8" ends as "221-228" does), pages_counted (those of a side say how many it has, not where they
      stand); venues_agree, venues_differ (both known and not the same), where a rule asks
    - taken_elsewhere: one side was turned down, the other accepted; printed_elsewhere: one was turned down nobody says where,
      and the other, with no word of a decision, has an identifier of some proceedings
    """
    outlines = outlined(pairs, features)
    for aspect in costly_aspects():
        outlines = with_aspect(outlines, aspect, outlines.select_seq(aspect.asked).to_series(), features)
    return outlines


def outlined(pairs: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
    """`pairs` with all columns but those of the costly aspects, and what is needed to ask for these."""
    sides = both_sides(pairs, features, _SIDES)
    titles = compare_titles(sides)
    parts = [titles, compare_families(sides), compare_places(sides), compare_identifiers(sides, titles)]
    compared = pl.concat([pairs, *parts, sides.select_seq(*_flags())], how="horizontal")
    abstracts = compare_abstracts(compared, may_ask_abstracts(sides, compared), features)
    return pl.concat([compared, abstracts], how="horizontal")


def _flags() -> list[pl.Expr]:
    return [
        agree("venue_id").alias("venue_ids_agree"),
        (pl.col("venue_l").is_not_null() & pl.col("venue_r").is_not_null()).alias("both_venues"),
        (pl.col("abstract_is_boilerplate_l") | pl.col("abstract_is_boilerplate_r")).alias("abstract_is_boilerplate"),
        (_turned_down("l", _is_taken("r")) | _turned_down("r", _is_taken("l"))).alias("taken_elsewhere"),
        (_turned_down("l", _is_in_proceedings("l", "r")) | _turned_down("r", _is_in_proceedings("r", "l"))).alias(
            "printed_elsewhere"
        ),
    ]


def _turned_down(side: str, other_is: pl.Expr) -> pl.Expr:
    """Whether a conference turned down one record, which then stands in no volume, and the other is what is asked of it.

    Who screens papers for a review turns down some that stand in journals.
    """
    is_submission = pl.col(f"volume_key_{side}").is_null() & pl.col(f"first_page_{side}").is_null()
    return (pl.col(f"turned_down_{side}") & is_submission & other_is).fill_null(False)


def _is_taken(side: str) -> pl.Expr:
    is_meeting = pl.col(f"venue_{side}").is_not_null() & pl.col(f"venue_kind_{side}").ne_missing(pl.lit("journal"))
    return ~pl.col(f"turned_down_{side}") & is_meeting


def _is_in_proceedings(side: str, other: str) -> pl.Expr:
    """Whether nobody says which conference turned down one record, and the other stands in one's proceedings."""
    is_printed = pl.col(f"schemes_{other}").list.first().is_in(PROCEEDINGS_SCHEMES)
    return pl.col(f"venue_{side}").is_null() & pl.col(f"turned_down_{other}").is_null() & is_printed


def with_aspect(outlines: pl.DataFrame, aspect: CostlyAspect, asked: pl.Series, features: pl.DataFrame) -> pl.DataFrame:
    """`outlines` with the columns of an aspect: of the pairs that are `asked` compared, of all others what it has otherwise."""
    return filled(outlines.with_columns_seq(**aspect.otherwise), asked, aspect.compare(outlines.filter(asked), features))


def costly_aspects() -> tuple[CostlyAspect, CostlyAspect, CostlyAspect]:
    """Words of titles, venues, and names of authors; what is learned of words and venues lasts as long as these are kept.

    Of other titles without an identifier in common no rule asks for venues or names, unless they stand on the same pages of
    one volume.
    """
    is_other = (pl.col("titled_count") == 2) & (pl.col("title_ratio") < OTHER_TITLE_RATIO) & ~pl.col("title_extends")
    on_pages = (pl.col("page_range_agrees") & pl.col("volumes_agree")).fill_null(False)
    may_ask = pl.col("generic") | pl.col("identifier_shared").is_not_null() | on_pages | ~is_other.fill_null(False)
    return _words(), _venues(may_ask), _names(may_ask)


def _words() -> CostlyAspect:
    differences = WordDifferences()
    none_own = pl.when("titles_equal").then(pl.lit(0, pl.Int32))
    flags = dict.fromkeys(("titles_opposed", "title_names_other_work", "titles_reordered"), pl.lit(False))
    return CostlyAspect(
        asked=(~pl.col("titles_equal") & (pl.col("title_ratio") >= OTHER_TITLE_RATIO)).fill_null(False),
        otherwise={**flags, "title_own_count": none_own, "title_own_max": none_own},
        compare=lambda pairs, features: differences.of(both_sides(pairs, features, ["title_words"])),
    )


def _venues(may_ask: pl.Expr) -> CostlyAspect:
    same_id, agreements = pl.col("venue_ids_agree"), VenueAgreements()

    def compare(pairs: pl.DataFrame, features: pl.DataFrame) -> pl.DataFrame:
        said = agreements.of(both_sides(pairs, features, ["venue"]))
        return pl.DataFrame({"venues_agree": said == "agree", "venues_differ": said == "differ"})

    return CostlyAspect(
        asked=may_ask & pl.col("both_venues") & same_id.is_null(),
        otherwise={"venues_agree": may_ask & same_id.fill_null(False), "venues_differ": may_ask & ~same_id.fill_null(True)},
        compare=compare,
    )


def _names(may_ask: pl.Expr) -> CostlyAspect:
    """Of families that agree it is asked only whether other people may bear them, so not of other titles."""
    near = (pl.col("title_ratio") >= CLOSE_TITLE_RATIO).fill_null(False)
    families_agree = (pl.col("families_ratio") >= SAME_FAMILIES_RATIO).fill_null(False)
    is_told = families_agree & (pl.col("first_authors_agree") | ~near)
    flags, ratios = dict.fromkeys(("initials_differ", "families_only"), pl.lit(False)), ("authors_ratio", "authors_fuzzy")
    return CostlyAspect(
        asked=may_ask & (pl.col("authors_missing_count") == 0) & ~is_told,
        otherwise={**flags, **dict.fromkeys(ratios, pl.lit(None, pl.Float64))},
        compare=compare_names,
    )
