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

MISSPELT_RATIO = 0.9
LONG_TITLE_CHARACTERS = 25
MISREAD_TITLE_RATIO = 0.85
SAME_WORDS_RATIO = 0.8
CLOSE_TITLE_RATIO = 0.75
NEAR_PAGES = 5
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

VERSION, KIND, PART = "version", "kind", "part"
"""What a rule says of how two papers of one work are related; see `_relation`."""

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
    relation: str | None = None


def decide_pairs(compared: pl.DataFrame) -> pl.DataFrame:
    """`compared` (see `compare_pairs`) with status, reason and strength; pairs that no rule names are left out."""
    order = list(RULES.items())
    first = pl.coalesce(pl.when(rule.holds.fill_null(False)).then(pl.lit(place)) for place, (_, rule) in enumerate(order))
    decided = compared.with_columns(rule=first.cast(pl.UInt32)).filter(pl.col("rule").is_not_null())
    verdicts = pl.DataFrame(
        [(place, rule.status, name, rule.strength, rule.relation) for place, (name, rule) in enumerate(order)],
        schema={"rule": pl.UInt32, "status": pl.String, "reason": pl.String, "strength": pl.Int8, "relation": pl.String},
        orient="row",
    )
    scheme = pl.coalesce(pl.when(pl.col("reason").str.contains("conflict")).then("identifier_conflict"), "identifier_shared")
    named = pl.col("reason").str.replace("{scheme}", scheme.fill_null(""), literal=True)
    joined = decided.join(verdicts, on="rule", how="left", maintain_order="left")
    return joined.with_columns(reason=named, relation=_relation()).drop("rule")


def _relation() -> pl.Expr:
    """What record l is to record r, in the words of `paper_relations`."""
    kinds = {"correction": ("correction_of", "has_correction"), "comment": ("comment_on", "has_comment")}
    spoken = [
        pl.when(pl.col(f"kind_{side}") == kind).then(pl.lit(words[place]))
        for kind, words in kinds.items()
        for place, side in enumerate(("l", "r"))
    ]
    preprint_l, preprint_r = (pl.col(f"is_preprint_{side}") for side in ("l", "r"))
    version = (
        pl.when(preprint_l & ~preprint_r)
        .then(pl.lit("preprint_of"))
        .when(preprint_r & ~preprint_l)
        .then(pl.lit("has_preprint"))
        .otherwise(pl.lit("version_of"))
    )
    return (
        pl.when(pl.col("relation") == KIND)
        .then(pl.coalesce(*spoken, pl.lit("version_of")))
        .when(pl.col("relation") == PART)
        .then(pl.lit("other_part_of"))
        .when(pl.col("relation") == VERSION)
        .then(version)
    )


_ratio = pl.col("title_ratio")
_numbers_conflict = pl.col("title_numbers_conflict")
_titles_equal = pl.col("titles_equal") & ~pl.col("editions_differ")
_own_count, _own_max = pl.col("title_own_count"), pl.col("title_own_max")
_agreeable = ~pl.col("titles_opposed") & ~_numbers_conflict & ~pl.col("editions_differ")
_same_words = (_own_max == 0).fill_null(False) & (_ratio >= SAME_WORDS_RATIO) & _agreeable & ~pl.col("title_numbers_differ")
_one_word_more = (_own_count == 0).fill_null(False) & (_own_max <= 1) & (_ratio >= NEAR_TITLE_RATIO) & _agreeable
_same_titles = _titles_equal | _same_words
_near_titles = _same_titles | _one_word_more & (pl.col("title_characters") >= LONG_TITLE_CHARACTERS)
_extends = (
    (_own_count == 0).fill_null(False) | pl.col("title_extends") & (pl.col("title_characters") >= TELLING_TITLE_CHARACTERS)
) & _agreeable
_close_titles = (_ratio >= CLOSE_TITLE_RATIO).fill_null(False) & _agreeable
_alike_titles = _near_titles | _extends | _close_titles
_other_titles = _ratio < OTHER_TITLE_RATIO
_own = ~pl.col("generic")
_own_titles_equal = _titles_equal & _own
_is_telling = pl.col("title_characters") >= TELLING_TITLE_CHARACTERS
_is_long = pl.col("title_characters") >= LONG_TITLE_CHARACTERS
_longest_start = pl.col("cut_title_characters") >= CUT_TITLE_CHARACTERS
_untitled = pl.col("titled_count") < 2

_authors_same = ((pl.col("families_ratio") >= 0.5) | (pl.col("authors_ratio") >= 0.6)).fill_null(False) & ~pl.col("initials_differ")
_authors_share = (
    (pl.col("authors_shared_count") >= 1) | (pl.col("authors_ratio") >= 0.34) | (pl.col("authors_fuzzy") >= 0.75)
).fill_null(False) & ~pl.col("initials_differ")
_authors_missing = pl.col("authors_missing_count") >= 1
_authors_disjoint = ~_authors_missing & ~_authors_share
_authors_can_agree = _authors_share | _authors_missing

_same_year = (pl.col("year_gap") == 0).fill_null(False)
_same_year_or_null = _same_year | pl.col("year_gap").is_null()
_years_near = pl.col("year_gap").fill_null(0) < YEARS_APART

_shared = pl.col("identifier_shared").is_not_null()
_conflict = pl.col("identifier_conflict").is_not_null()

_abstracts_same = ~pl.col("abstract_is_boilerplate") & (
    pl.col("abstracts_equal") & (pl.col("abstract_characters") >= MIN_ABSTRACT_CHARACTERS)
    | (pl.col("abstract_ratio") >= SAME_ABSTRACT_RATIO) & (pl.col("abstract_characters") >= ABSTRACT_PREFIX_CHARACTERS)
).fill_null(False)
_abstracts_other = (pl.col("abstract_ratio") < OTHER_ABSTRACT_RATIO).fill_null(False)

_same_place, _venues_differ, _venues_agree = pl.col("same_place"), pl.col("venues_differ"), pl.col("venues_agree")
_pages_agree, _volumes_agree = pl.col("pages_agree").fill_null(False), pl.col("volumes_agree").fill_null(False)
_numbers_agree = pl.col("numbers_agree").fill_null(False)
_page_range_agrees = pl.col("page_range_agrees").fill_null(False)
_pages_differ = (
    ~pl.col("pages_agree").fill_null(True)
    & (pl.col("page_gap") > NEAR_PAGES)
    & pl.col("page_letters_agree")
    & ~pl.col("last_pages_agree").fill_null(False)
)
_volumes_differ = ~pl.col("volumes_agree").fill_null(True)
_numbers_differ = ~pl.col("numbers_agree").fill_null(True) & ~(_page_range_agrees & _is_long)
_conflicts = pl.sum_horizontal(flag.cast(pl.Int8) for flag in (_volumes_differ, _numbers_differ, _pages_differ))
_issue_numbers_differ = ~pl.col("numbers_agree").fill_null(True)
_issues_differ = (_volumes_differ | _numbers_differ) & ~_pages_agree
# OCR misreads many letters of a title, but keeps its length.
_misread = (_ratio >= MISREAD_TITLE_RATIO).fill_null(False) & _agreeable & (_own_count <= 1)
_on_pages = _page_range_agrees & _volumes_agree
_on_page = (
    _pages_agree
    & ~_numbers_differ
    & ~_venues_differ
    & (_volumes_agree | ~_volumes_differ & (_same_year | _venues_agree & _years_near))
)
_in_issue = _venues_agree & _volumes_agree & _numbers_agree
_no_conflict = (_conflicts == 0) & ~_venues_differ
_other_occasion = (
    _venues_agree
    & (_volumes_differ | _issue_numbers_differ | (pl.col("year_gap") >= 1).fill_null(False))
    & (~_pages_agree | _volumes_differ)
)

# A generic title stands in every issue, most often on its first page: volume and first page say little of it. What says
# more is the issue's number or the last page, and authors where no such number is given; none of them may differ.
_same_issue = pl.col("numbers_agree").fill_null(True) & pl.col("last_pages_agree").fill_null(True)
_generic_is_one = _same_issue & (_numbers_agree | pl.col("last_pages_agree").fill_null(False) | _authors_share)

RULES: dict[str, Rule] = {
    # A title that speaks of another paper: an erratum, a reply.
    "kinds_same_place": Rule(
        "match",
        TITLE,
        pl.col("kinds_differ") & _near_titles & _own & _same_place & _authors_share & _same_year
        & pl.col("last_pages_agree").fill_null(False),
    ),
    "speaks_of_other": Rule("version", VETO, pl.col("kinds_differ") & (_near_titles | _extends & _is_long) & _own & _is_telling, KIND),
    "kinds_differ": Rule(APART, VETO, pl.col("kinds_differ") & ~_untitled & ~_shared),
    # Parts of a series, and what differs by a number or says the opposite.
    "same_pages_other_number": Rule(
        "match",
        TITLE,
        _numbers_conflict & _own & (_ratio >= NEAR_TITLE_RATIO) & _page_range_agrees & ~_volumes_differ & _venues_agree & _authors_same
        & _same_year,
    ),
    "other_part": Rule(
        "version", VETO, _numbers_conflict & pl.col("parts") & pl.col("kind_l").is_null() & pl.col("kind_r").is_null() & _authors_share & (_ratio >= OTHER_TITLE_RATIO) & ~pl.col("titles_equal"), PART
    ),
    "other_part_unnumbered": Rule(
        "version",
        VETO,
        pl.col("part_of_either") & pl.col("title_numbers_differ") & (_own_max == 0) & (_ratio >= SAME_WORDS_RATIO) & _authors_share
        & ~_shared & (_volumes_differ | _pages_differ),
        PART,
    ),
    "title_numbers_conflict": Rule("no", VETO, _numbers_conflict & ~pl.col("titles_equal") & ~_shared & ((_ratio >= CLOSE_TITLE_RATIO) | _abstracts_same)),
    "titles_opposed": Rule("no", VETO, pl.col("titles_opposed") & (_ratio >= CLOSE_TITLE_RATIO) & ~_shared),
    "other_edition": Rule("version", VETO, pl.col("editions_differ") & pl.col("titles_equal") & _authors_share & ~_shared, VERSION),
    # Two identifiers of one scheme are two papers, unless a place in print says that one of them is mistyped; with one title and
    # an author in common they are versions of one work: preprint, conference and journal, or the versioned DOIs of figshare
    # and DataCite, where venue and year may agree.
    "conflicting_{scheme}_same_place": Rule(
        "match",
        TITLE,
        _conflict & _near_titles & _own & _authors_share & _same_place & _same_year & ~_abstracts_other & ~_numbers_differ,
    ),
    # Two letters of an identifier mistyped, and nothing else differs.
    "misspelt_{scheme}": Rule(
        "match",
        TITLE,
        _conflict & (pl.col("identifier_ratio") >= MISSPELT_RATIO) & _titles_equal & _own & _is_long & _authors_same & _venues_agree
        & _volumes_agree & _same_year & ~_numbers_differ & ~_pages_differ & ~_abstracts_other & ~pl.col("identifier_extends"),
    ),
    "version_conflicting_{scheme}": Rule(
        "version", VETO, _conflict & _same_titles & _own & _authors_share & ~_abstracts_other, VERSION
    ),
    "version_extending_{scheme}": Rule(
        "version", VETO, _conflict & pl.col("identifier_extends") & _near_titles & _authors_can_agree, VERSION
    ),
    "version_conflicting_{scheme}_pages": Rule(
        "version", VETO, _conflict & (_extends | pl.col("title_extends")) & _page_range_agrees & _authors_same & _years_near, VERSION
    ),
    "conflicting_{scheme}_same_title": Rule(
        "possible", VETO, _conflict & _near_titles & _own & _is_telling & _authors_missing & ~_abstracts_other
    ),
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
    "same_{scheme}_other_place": Rule(
        "possible", VETO, _shared & ~_near_titles & ~_extends & ~_untitled & ~_abstracts_same & _volumes_differ & _pages_differ
    ),
    # A title may change between submission and print, and an author list may be misread: the identifier holds.
    "same_{scheme}": Rule("match", IDENTIFIER, _shared),
    # From here on no identifier speaks.
    "same_title_place": Rule(
        "match",
        TITLE,
        _titles_equal & _same_place & _authors_can_agree & _years_near & (_own | _generic_is_one)
        & (~_issue_numbers_differ | _page_range_agrees & _is_long),
    ),
    "generic_same_issue": Rule(
        "match",
        TITLE,
        pl.col("generic_both") & ~_untitled & _in_issue & ~_pages_differ & _same_year_or_null & _authors_same,
    ),
    "generic_same_page": Rule(
        "match", TITLE, pl.col("generic") & _titles_equal & _pages_agree & _same_issue & _venues_agree & _same_year & _authors_same & ~_volumes_differ
    ),
    # A team that edits a special issue writes one editorial; an editor in chief, one an issue.
    "generic_same_team": Rule(
        "match",
        TITLE,
        pl.col("generic_name") & _titles_equal & pl.col("authors_equal") & (pl.col("authors_shared_count") >= 2) & _venues_agree & _same_year
        & _no_conflict,
    ),
    "generic_title_same_place": Rule("possible", TITLE, _titles_equal & pl.col("generic") & _same_place),
    "recurring_title_page": Rule(
        "match",
        TITLE,
        pl.col("generic") & ~pl.col("generic_name") & (_near_titles | _extends) & _on_page & _volumes_agree & _authors_same & _same_year,
    ),
    "generic_title": Rule(
        "possible", VETO, pl.col("generic") & ~_untitled & _titles_equal & _authors_share & _no_conflict & _same_year & _venues_agree
    ),
    "generic_other_place": Rule(APART, VETO, pl.col("generic_name") & ~_untitled & ~_abstracts_same),
    "recurring_other_occasion": Rule("possible", VETO, pl.col("generic") & ~_untitled & _near_titles & _other_occasion),
    "same_title_other_abstract": Rule(
        "possible", TITLE, _near_titles & _abstracts_other & _pages_differ & ~(_authors_same & _venues_differ & _is_telling)
    ),
    # Where it stands in print.
    "near_title_pages": Rule("match", TITLE, _near_titles & _on_pages & _authors_share & (_years_near | _venues_agree) & (~_issue_numbers_differ | _is_long)),
    "near_title_page": Rule(
        "match", TITLE, _near_titles & _on_page & _authors_can_agree & _years_near & (~_issue_numbers_differ | _is_long)
    ),
    "same_title_page_other_authors": Rule(
        "match",
        LOOSE_TITLE,
        _own_titles_equal & _is_telling & _on_page & _volumes_agree & _same_year & pl.col("last_pages_agree").fill_null(False),
    ),
    "alike_title_page": Rule(
        "match",
        TITLE,
        (_extends | _close_titles & _page_range_agrees & (_volumes_agree | _same_year)) & _on_page & ~_issue_numbers_differ & _authors_share & _years_near,
    ),
    "page_authors": Rule(
        "match",
        LOOSE_TITLE,
        _on_pages & ~_issue_numbers_differ & ~_venues_differ & _authors_same & _same_year & ~_abstracts_other & ~_numbers_conflict,
    ),
    "near_title_issue": Rule(
        "match",
        TITLE,
        _near_titles & _in_issue & ((~_pages_differ & _authors_can_agree & _years_near) | _authors_same & (~_pages_differ | _titles_equal & _own)),
    ),
    "alike_title_issue": Rule(
        "match", TITLE, (_extends | _misread) & _in_issue & ~_pages_differ & _authors_share & _years_near
    ),
    "title_within_issue": Rule(
        "match", LOOSE_TITLE, _extends & _is_long & _in_issue & ~_pages_differ & _authors_can_agree & _years_near
    ),
    "untitled_same_place": Rule("match", TITLE, _untitled & _same_place & _authors_same & _same_year & ~_abstracts_other),
    "untitled_same_issue": Rule(
        "match", ABSTRACT, _untitled & _in_issue & ~_pages_differ & _authors_same & _years_near & ~_abstracts_other
    ),
    # What it says.
    "same_title_abstract": Rule(
        "match", TITLE, _near_titles & _abstracts_same & _authors_share & _years_near & ~_venues_differ & ~_issues_differ
    ),
    "near_title_abstract": Rule(
        "match", LOOSE_TITLE, _near_titles & _abstracts_same & _authors_can_agree & _years_near & ~_venues_differ & ~_issues_differ
    ),
    "same_text_volume": Rule("match", TITLE, _near_titles & _abstracts_same & _authors_same & _same_year & _volumes_agree),
    "close_title_abstract": Rule(
        "match",
        LOOSE_TITLE,
        _close_titles & _own & _abstracts_same & _authors_same & _venues_agree & _same_year & _no_conflict,
    ),
    # Title, authors, year.
    "same_title_numbered": Rule(
        "match",
        TITLE,
        _near_titles & _own & _is_long & _authors_same & _same_year & _volumes_agree & _numbers_agree & ~_pages_differ,
    ),
    "same_title_authors": Rule("match", TITLE, _near_titles & _own & _authors_share & _no_conflict & _same_year_or_null),
    "same_title_authors_venue": Rule(
        "match", TITLE, _near_titles & _own & _is_long & _authors_same & _no_conflict & _venues_agree & _years_near
    ),
    # Nobody of the same family name has a paper of the same long title at one venue in one year: the given name is misread.
    "same_title_venue": Rule(
        "match",
        TITLE,
        _own_titles_equal & _is_telling & (pl.col("authors_shared_count") >= 1) & _no_conflict & _venues_agree & _same_year,
    ),
    "same_title_one_conflict": Rule(
        "match", LOOSE_TITLE, _near_titles & _authors_same & _venues_agree & _same_year & (_conflicts == 1) & ~_pages_differ
    ),
    "alike_title_venue": Rule(
        "match",
        LOOSE_TITLE,
        (_extends & _is_long & ~pl.col("part_of_either") | _misread & (_own_count == 0)) & _own & _authors_same & _no_conflict & _venues_agree & _same_year,
    ),
    "same_title_other_occasion": Rule("possible", TITLE, _same_titles & _authors_share & _other_occasion),
    "version": Rule(
        "version",
        TITLE,
        (_same_titles | _extends & _abstracts_same) & _own & _authors_share & (_issues_differ | _venues_differ | (pl.col("year_gap") >= 1) | _pages_differ),
        VERSION,
    ),
    "version_cut_title": Rule(
        "version",
        TITLE,
        pl.col("title_is_start") & _longest_start & _authors_share & (_venues_differ | ~_years_near),
        VERSION,
    ),
    "same_title_other_authors": Rule("possible", LOOSE_TITLE, _near_titles & _authors_disjoint),
    "same_title_year": Rule("match", LOOSE_TITLE, _near_titles & _is_telling & _authors_missing & _same_year & _no_conflict),
    "cut_title_authors": Rule(
        "match",
        CUT_TITLE,
        pl.col("title_is_start") & _longest_start & _authors_share & _years_near & ~_venues_differ & ~_abstracts_other,
    ),
    "cut_title_abstract": Rule(
        "match", CUT_TITLE, pl.col("title_is_start") & _abstracts_same & _authors_can_agree & _years_near
    ),
    "same_title_only": Rule("possible", ABSTRACT, _own_titles_equal),
    # A record of an abstract alone has nothing else to agree by; clustering lets it join one paper only.
    "same_abstract_untitled": Rule("match", ABSTRACT, _untitled & _abstracts_same & _authors_can_agree & _years_near),
    "same_abstract_other_year": Rule("possible", CUT_TITLE, _abstracts_same & ~_years_near),
    "same_abstract_other_title": Rule("possible", CUT_TITLE, _abstracts_same),
    "other_words": Rule("possible", TITLE, _close_titles & (_own_count >= 1).fill_null(False) & _own & _authors_share),
    "near_title_authors": Rule("possible", CUT_TITLE, _alike_titles & _own & _authors_share),
    "other_title": Rule(APART, CUT_TITLE, (pl.col("titled_count") == 2) & ~pl.col("titles_equal")),
}
"""The rules by name, in the order in which they are asked; `{scheme}` becomes the identifier's scheme."""
