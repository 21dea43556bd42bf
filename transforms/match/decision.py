"""This module decides on compared pairs: an ordered list of named rules, of which the first that holds gives the verdict.

Vetoes stand first, then what matches, then what is only worth a look. A pair that no rule names is dropped. Nothing here
matches on what is missing: each matching rule names the evidence it needs on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from transforms.match.blocking import ABSTRACT_PREFIX_CHARACTERS, CUT_TITLE_CHARACTERS, MIN_ABSTRACT_CHARACTERS
from transforms.match.comparison import OTHER_TITLE_RATIO

NEAR_TITLE_RATIO = 0.9
"""From here on two titles are one with slips of the pen: over 40 characters, two letters changed each twenty."""

TELLING_TITLE_CHARACTERS = 15
"""A title with fewer letters ("Deep learning", "In memoriam A B") says too little where authors are missing."""

SAME_ABSTRACT_RATIO = 0.95
"""From here on two abstracts are one text: a hundred characters changed in a thousand give 0.9 to 0.95."""

OTHER_ABSTRACT_RATIO = 0.6
"""Below it abstracts are different texts; two on one subject reach 0.5 to 0.55 over their common length."""

YEARS_APART = 2
"""One year lies between online and print, or the heading of a list and the proceedings; with two, agreement in text alone
is no longer one paper. Equal titles and authors ask for more: of 284 such pairs one year apart in labelled sets, the ones
without a common volume or page were two papers in all but three."""

IDENTIFIER, TITLE, LOOSE_TITLE, CUT_TITLE, ABSTRACT = 5, 4, 3, 2, 1
"""How strong the evidence of a match is, and how strong a match a verdict of another kind forbids; see clustering."""

VETO = 9
"""Forbids a match of any strength."""

APART = "apart"
"""Status of a pair that is worth no row in `paper_matches`, but that weak evidence must not join by way of a third record."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A verdict and when it holds.

    `strength` is, for a match, how strong its evidence is; for any other status, up to what strength it keeps the two
    records apart when other records would join them (0: it does not).
    """

    status: str
    strength: int
    holds: pl.Expr
    reason: pl.Expr | None = None


def decide_pairs(compared: pl.DataFrame) -> pl.DataFrame:
    """`compared` (see `compare_pairs`) with status, reason and strength; pairs that no rule names are left out."""
    order = list(RULES.items())
    first = pl.coalesce(pl.when(rule.holds.fill_null(False)).then(pl.lit(place)) for place, (_, rule) in enumerate(order))
    decided = compared.with_columns(rule=first.cast(pl.UInt32)).filter(pl.col("rule").is_not_null())
    verdicts = pl.DataFrame(
        [(place, rule.status, name, rule.strength) for place, (name, rule) in enumerate(order)],
        schema={"rule": pl.UInt32, "status": pl.String, "reason": pl.String, "strength": pl.Int8},
        orient="row",
    )
    scheme = pl.coalesce(pl.when(pl.col("reason").str.contains("conflict")).then("identifier_conflict"), "identifier_shared")
    named = pl.col("reason").str.replace("{scheme}", scheme.fill_null(""), literal=True)
    joined = decided.join(verdicts, on="rule", how="left", maintain_order="left")
    return joined.with_columns(reason=named).drop("rule")


_titles_equal = pl.col("titles_equal")
_near_titles = _titles_equal | (pl.col("title_ratio") >= NEAR_TITLE_RATIO)
_other_titles = pl.col("title_ratio") < OTHER_TITLE_RATIO
_own_titles_equal = _titles_equal & ~pl.col("generic")
_is_telling = pl.col("title_characters") >= TELLING_TITLE_CHARACTERS
_longest_start = pl.col("cut_title_characters") >= CUT_TITLE_CHARACTERS

_authors_share = pl.col("authors_shared_count") >= 1
_authors_disjoint = pl.col("authors_shared_count") == 0
_authors_missing = pl.col("authors_missing_count") >= 1
_authors_can_agree = _authors_share | _authors_missing

_same_year = pl.col("year_gap") == 0
_years_near = pl.col("year_gap").fill_null(0) < YEARS_APART

_shared = pl.col("identifier_shared").is_not_null()
_conflict = pl.col("identifier_conflict").is_not_null()

_abstracts_same = ~pl.col("abstract_is_boilerplate") & (
    pl.col("abstracts_equal") & (pl.col("abstract_characters") >= MIN_ABSTRACT_CHARACTERS)
    | (pl.col("abstract_ratio") >= SAME_ABSTRACT_RATIO) & (pl.col("abstract_characters") >= ABSTRACT_PREFIX_CHARACTERS)
).fill_null(False)
_abstracts_other = (pl.col("abstract_ratio") < OTHER_ABSTRACT_RATIO).fill_null(False)

_same_place, _venues_differ = pl.col("same_place"), pl.col("venues_differ")
_pages_differ = ~pl.col("pages_agree").fill_null(True)
_pages_agree, _volumes_agree = pl.col("pages_agree").fill_null(False), pl.col("volumes_agree").fill_null(False)
_issues_differ = ~(pl.col("volumes_agree").fill_null(True) & pl.col("numbers_agree").fill_null(True)) & ~_pages_agree

# A generic title stands in every issue, most often on its first page: volume and first page say little of it. What says
# more is the issue's number or the last page, and authors where no such number is given; none of them may differ.
_same_issue = pl.col("numbers_agree").fill_null(True) & pl.col("last_pages_agree").fill_null(True)
_generic_is_one = _same_issue & (
    pl.col("numbers_agree").fill_null(False) | pl.col("last_pages_agree").fill_null(False) | _authors_share
)

RULES: dict[str, Rule] = {
    # Two identifiers of one scheme are two papers, whatever else agrees (promise 7); with one title and an author in common
    # they are versions of one work: preprint, conference and journal, or the versioned DOIs of figshare and DataCite, where
    # venue, year and pages may all agree.
    "version_conflicting_{scheme}": Rule("version", VETO, _conflict & _own_titles_equal & _authors_share & ~_abstracts_other),
    "conflicting_{scheme}_other_title": Rule(APART, VETO, _conflict & ~_shared & _other_titles & ~_abstracts_same),
    "conflicting_{scheme}": Rule("no", VETO, _conflict),
    # An identifier that lies: copied from the row above, or an issue's on two of its abstracts.
    "same_{scheme}_other_paper": Rule(
        "no",
        VETO,
        _shared & ~_near_titles & (~pl.col("title_is_start") | _abstracts_other) & _authors_disjoint & ~_abstracts_same,
    ),
    "same_{scheme}_other_text": Rule(
        "possible",
        VETO,
        _shared & _other_titles & ~_abstracts_same & (_authors_missing | _abstracts_other | _pages_differ),
    ),
    # A title may change between submission and print, and an author list may be misread: the identifier holds.
    "same_{scheme}": Rule("match", IDENTIFIER, _shared),
    # From here on no identifier speaks.
    "same_title_place": Rule(
        "match",
        TITLE,
        _titles_equal & _same_place & _authors_can_agree & _years_near & (~pl.col("generic") | _generic_is_one),
    ),
    "generic_title_same_place": Rule("possible", TITLE, _titles_equal & pl.col("generic") & _same_place),
    "title_numbers_conflict": Rule("no", VETO, pl.col("title_numbers_conflict") & (_near_titles | _abstracts_same)),
    # "Title. [Erratum appears in …]" stands on the paper's own page; the erratum itself does not.
    "same_place_longer_title": Rule(
        "match", TITLE, _same_place & _authors_share & _years_near & pl.col("title_extends") & ~pl.col("generic")
    ),
    "title_numbers_differ": Rule(
        "no",
        LOOSE_TITLE,
        pl.col("title_numbers_differ") & ~pl.col("title_is_start") & ~_same_place & (_near_titles | _abstracts_same),
    ),
    "marker_on_one_side": Rule("no", LOOSE_TITLE, pl.col("marker_differs") & (pl.col("titled_count") == 2)),
    "near_title_place": Rule("match", TITLE, _near_titles & _same_place & _authors_share & _years_near),
    "untitled_same_place": Rule(
        "match",
        TITLE,
        (pl.col("titled_count") == 0) & _same_place & pl.col("authors_equal") & _same_year & ~_abstracts_other,
    ),
    "same_title_abstract": Rule(
        "match", TITLE, _titles_equal & _abstracts_same & _authors_share & _years_near & ~_venues_differ & ~_issues_differ
    ),
    "same_title_other_abstract": Rule("possible", TITLE, _own_titles_equal & _abstracts_other & _pages_differ),
    "same_title_volume": Rule(
        "match",
        TITLE,
        _own_titles_equal & _authors_share & _volumes_agree & pl.col("venues_agree") & ~_issues_differ,
    ),
    "same_title_other_issue": Rule("possible", TITLE, _titles_equal & pl.col("venues_agree") & _issues_differ),
    "version_other_place": Rule("version", TITLE, _own_titles_equal & _authors_share & (_issues_differ | _venues_differ)),
    "version_other_year": Rule(
        "version", TITLE, _own_titles_equal & _authors_share & (pl.col("year_gap") >= 1) & ~_pages_agree
    ),
    "same_title_authors": Rule("match", TITLE, _own_titles_equal & _authors_share),
    "same_title_other_authors": Rule("possible", LOOSE_TITLE, _own_titles_equal & _authors_disjoint),
    "same_title_year": Rule(
        "match",
        LOOSE_TITLE,
        _own_titles_equal & _is_telling & _authors_missing & _same_year & ~_venues_differ & ~_issues_differ,
    ),
    "cut_title_authors": Rule(
        "match",
        CUT_TITLE,
        pl.col("title_is_start") & _longest_start & _authors_share & _years_near & ~_venues_differ & ~_abstracts_other,
    ),
    "cut_title_abstract": Rule(
        "match", CUT_TITLE, pl.col("title_is_start") & _abstracts_same & _authors_can_agree & _years_near
    ),
    "near_title_abstract": Rule(
        "match", LOOSE_TITLE, _near_titles & _abstracts_same & _authors_can_agree & _years_near & ~_venues_differ
    ),
    "same_title_only": Rule("possible", ABSTRACT, _own_titles_equal),
    # A record of an abstract alone has nothing else to agree by; clustering lets it join one paper only.
    "same_abstract_untitled": Rule(
        "match", ABSTRACT, (pl.col("titled_count") < 2) & _abstracts_same & _authors_can_agree & _years_near
    ),
    "same_abstract_other_year": Rule("possible", CUT_TITLE, _abstracts_same & ~_years_near),
    "same_abstract_other_title": Rule("possible", CUT_TITLE, _abstracts_same),
    "near_title_authors": Rule("possible", CUT_TITLE, _near_titles & ~pl.col("generic") & _authors_share),
    "other_title": Rule(APART, CUT_TITLE, (pl.col("titled_count") == 2) & ~_titles_equal),
}
"""The rules by name, in the order in which they are asked; `{scheme}` becomes the identifier's scheme."""
