"""This module holds the rules of matching, in the order in which they are asked: the first that holds gives the verdict.

Vetoes stand first, then what matches, then what is only worth a look. Nothing here matches on what is missing: each matching
rule names the evidence it needs on both sides, in the words of `transforms.match.evidence`.
"""

from __future__ import annotations

import polars as pl

from transforms.match import evidence as e
from transforms.match.rule import ABSTRACT, APART, CUT_TITLE, IDENTIFIER, KIND, LOOSE_TITLE, PART, TITLE, VERSION, VETO, Rule
from transforms.match.title_comparison import CLOSE_TITLE_RATIO, OTHER_TITLE_RATIO, SAME_WORDS_RATIO

RULES: dict[str, Rule] = {
    # A title that speaks of another paper: an erratum, a reply.
    "speaks_of_other": Rule(
        "version", VETO, pl.col("kinds_differ") & (e.near_titles | e.extends & e.is_long) & e.own & e.is_telling, KIND
    ),
    "kinds_differ": Rule(APART, VETO, pl.col("kinds_differ") & ~e.untitled),
    # Parts of a series, and what differs by a number or says the opposite.
    "other_part": Rule(
        "version",
        VETO,
        e.numbers_conflict
        & pl.col("parts")
        & pl.col("kind_l").is_null()
        & pl.col("kind_r").is_null()
        & e.authors_share
        & (e.ratio >= OTHER_TITLE_RATIO)
        & ~pl.col("titles_equal"),
        PART,
    ),
    "other_part_unnumbered": Rule(
        "version",
        VETO,
        pl.col("part_of_either")
        & pl.col("title_numbers_differ")
        & e.none_has_own_words
        & (e.ratio >= SAME_WORDS_RATIO)
        & e.authors_share
        & ~e.shared
        & (e.volumes_differ | e.pages_differ),
        PART,
    ),
    "title_numbers_conflict": Rule(
        "no",
        VETO,
        e.numbers_conflict & ~pl.col("titles_equal") & ~e.shared & ((e.ratio >= CLOSE_TITLE_RATIO) | e.abstracts_same),
        work_strength=VETO,
    ),
    "titles_opposed": Rule(
        "no", VETO, pl.col("titles_opposed") & (e.ratio >= CLOSE_TITLE_RATIO) & ~e.shared, work_strength=VETO
    ),
    "other_edition": Rule(
        "version", VETO, pl.col("editions_differ") & pl.col("titles_equal") & e.authors_share & ~e.shared, VERSION
    ),
    # Two identifiers of one scheme are two papers, unless a place in print says that one of them is mistyped; with one title
    # and an author in common they are versions of one work: preprint, conference and journal, or the versioned DOIs of
    # figshare and DataCite, where venue and year may agree.
    "conflicting_{scheme}_same_place": Rule(
        "match",
        TITLE,
        e.conflict
        & e.near_titles
        & e.own
        & e.authors_share
        & (e.same_place | e.on_pages & e.titles_equal & ~e.venues_differ)
        & e.same_year
        & ~e.abstracts_other
        & ~e.numbers_differ,
    ),
    # What a site numbers its pages by changes when it is made anew: NIPS 2014 has two hashes for each of 411 papers.
    "other_page_of_{scheme}": Rule(
        "match",
        TITLE,
        e.conflict
        & e.sites_number
        & e.titles_equal
        & e.own
        & e.is_long
        & e.authors_same
        & e.venues_agree
        & e.same_year
        & ~e.abstracts_other
        & ~e.pages_differ,
    ),
    # Two letters of an identifier mistyped, and nothing else differs.
    "misspelt_{scheme}": Rule(
        "match",
        TITLE,
        e.conflict
        & (pl.col("identifier_ratio") >= e.MISSPELT_RATIO)
        & e.titles_equal
        & e.own
        & e.is_long
        & e.authors_same
        & e.venues_agree
        & e.volumes_agree
        & e.same_year
        & ~e.numbers_differ
        & ~e.pages_differ
        & ~e.abstracts_other
        & ~pl.col("identifier_extends"),
    ),
    "version_conflicting_{scheme}": Rule(
        "version", VETO, e.conflict & e.same_titles & e.own & e.authors_share & ~e.abstracts_other, VERSION
    ),
    "version_extending_{scheme}": Rule(
        "version", VETO, e.conflict & pl.col("identifier_extends") & e.near_titles & e.authors_can_agree, VERSION
    ),
    "version_conflicting_{scheme}_pages": Rule(
        "version",
        VETO,
        e.conflict & (e.extends | pl.col("title_extends")) & e.page_range_agrees & e.authors_same & e.years_near,
        VERSION,
    ),
    "conflicting_{scheme}_same_title": Rule(
        "possible", VETO, e.conflict & e.near_titles & e.own & e.is_telling & e.authors_missing & ~e.abstracts_other
    ),
    "conflicting_{scheme}_other_title": Rule(APART, VETO, e.conflict & ~e.shared & e.other_titles & ~e.abstracts_same),
    "conflicting_{scheme}": Rule("no", VETO, e.conflict),
    # An identifier that lies: copied from the row above, or an issue's on two of its abstracts.
    "same_{scheme}_other_paper": Rule(
        "no",
        VETO,
        e.shared & ~e.near_titles & (~pl.col("title_is_start") | e.abstracts_other) & e.authors_disjoint & ~e.abstracts_same,
    ),
    "same_{scheme}_other_text": Rule(
        "possible",
        VETO,
        e.shared & e.other_titles & ~e.abstracts_same & (e.authors_missing | e.abstracts_other | e.pages_differ),
    ),
    "same_{scheme}_other_place": Rule(
        "possible",
        VETO,
        e.shared & ~e.near_titles & ~e.extends & ~e.untitled & ~e.abstracts_same & e.volumes_differ & e.pages_differ,
    ),
    # A title may change between submission and print, and an author list may be misread: the identifier holds.
    "same_{scheme}": Rule("match", IDENTIFIER, e.shared),
    # From here on no identifier speaks. What one conference turned down and another took are two versions.
    "accepted_and_turned_down": Rule(
        "version",
        VETO,
        pl.col("taken_elsewhere")
        & e.near_titles
        & e.own
        & e.authors_share
        & ~(e.venues_agree & (pl.col("year_gap").fill_null(0) == 0)),
        VERSION,
    ),
    "turned_down_elsewhere": Rule(
        "version", TITLE, pl.col("printed_elsewhere") & e.near_titles & e.own & e.authors_share, VERSION
    ),
    "same_title_place": Rule(
        "match",
        TITLE,
        e.titles_equal
        & e.same_place
        & e.authors_can_agree
        & e.years_near
        & (e.own | e.generic_is_one)
        & (~e.issue_numbers_differ | e.page_range_agrees & e.is_long),
    ),
    "generic_same_issue": Rule(
        "match",
        TITLE,
        pl.col("generic_both") & ~e.untitled & e.in_issue & ~e.pages_differ & e.same_year_or_null & e.authors_same,
    ),
    "generic_same_page": Rule(
        "match",
        TITLE,
        pl.col("generic")
        & e.titles_equal
        & e.pages_agree
        & e.same_issue
        & e.venues_agree
        & e.same_year
        & e.authors_same
        & ~e.volumes_differ,
    ),
    # A team that edits a special issue writes one editorial; an editor in chief, one an issue.
    "generic_same_team": Rule(
        "match",
        TITLE,
        pl.col("generic_name")
        & e.titles_equal
        & pl.col("authors_equal")
        & (pl.col("authors_shared_count") >= 2)
        & e.venues_agree
        & e.same_year
        & e.no_conflict,
    ),
    "generic_title_same_place": Rule("possible", TITLE, e.titles_equal & pl.col("generic") & e.same_place),
    "generic_title": Rule(
        "possible",
        VETO,
        pl.col("generic") & ~e.untitled & e.titles_equal & e.authors_share & e.no_conflict & e.same_year & e.venues_agree,
    ),
    "generic_other_place": Rule(APART, VETO, pl.col("generic_name") & ~e.untitled & ~e.abstracts_same),
    "recurring_other_occasion": Rule("possible", VETO, pl.col("generic") & ~e.untitled & e.near_titles & e.other_occasion),
    "same_title_other_abstract": Rule(
        "possible",
        TITLE,
        e.near_titles & e.abstracts_other & e.pages_differ & ~(e.authors_same & e.venues_differ & e.is_telling),
    ),
    # Where it stands in print.
    "near_title_pages": Rule(
        "match",
        TITLE,
        e.near_titles & e.on_pages & e.authors_share & (e.years_near | e.venues_agree) & (~e.issue_numbers_differ | e.is_long),
    ),
    "near_title_page": Rule(
        "match",
        TITLE,
        e.near_titles
        & (e.on_page & e.authors_can_agree & e.years_near | e.in_series & e.own & e.authors_same)
        & (~e.issue_numbers_differ | e.is_long),
    ),
    "same_title_page_other_authors": Rule(
        "match",
        LOOSE_TITLE,
        e.own_titles_equal
        & e.is_telling
        & e.on_page
        & e.volumes_agree
        & e.same_year
        & pl.col("last_pages_agree").fill_null(False),
    ),
    "alike_title_page": Rule(
        "match",
        TITLE,
        (
            (e.extends | e.close_titles & e.page_range_agrees & (e.volumes_agree | e.same_year)) & e.on_page & e.authors_share
            | pl.col("title_extends") & e.is_long & e.on_pages & e.same_year & e.authors_same
        )
        & ~e.issue_numbers_differ
        & e.years_near,
    ),
    "page_authors": Rule(
        "match",
        LOOSE_TITLE,
        e.on_pages
        & ~e.issue_numbers_differ
        & ~e.venues_differ
        & e.authors_same
        & e.same_year
        & ~e.abstracts_other
        & ~e.numbers_conflict,
    ),
    "near_title_issue": Rule(
        "match",
        TITLE,
        e.near_titles
        & e.in_issue
        & (
            (~e.pages_differ & e.authors_can_agree & e.years_near)
            | e.authors_same & (~e.pages_differ | e.titles_equal & e.own & pl.col("kind_l").is_null())
        ),
    ),
    "alike_title_issue": Rule(
        "match", TITLE, (e.extends & ~e.other_part | e.misread) & e.in_issue & ~e.pages_differ & e.authors_share & e.years_near
    ),
    "title_within_issue": Rule(
        "match",
        LOOSE_TITLE,
        e.extends & ~e.other_part & e.is_long & e.in_issue & ~e.pages_differ & e.authors_can_agree & e.years_near,
    ),
    "untitled_same_place": Rule("match", TITLE, e.untitled & e.same_place & e.authors_same & e.same_year & ~e.abstracts_other),
    "untitled_same_issue": Rule(
        "match", ABSTRACT, e.untitled & e.in_issue & ~e.pages_differ & e.authors_same & e.years_near & ~e.abstracts_other
    ),
    # What it says.
    "same_title_abstract": Rule(
        "match", TITLE, e.near_titles & e.abstracts_same & e.authors_share & e.years_near & ~e.venues_differ & ~e.issues_differ
    ),
    "near_title_abstract": Rule(
        "match",
        LOOSE_TITLE,
        e.near_titles & e.abstracts_same & e.authors_can_agree & e.years_near & ~e.venues_differ & ~e.issues_differ,
    ),
    "same_text_volume": Rule("match", TITLE, e.near_titles & e.abstracts_same & e.authors_same & e.same_year & e.volumes_agree),
    "subtitle_abstract": Rule(
        "match",
        LOOSE_TITLE,
        e.extends & ~e.other_work & ~e.other_part & e.own & e.abstracts_same & e.authors_same & e.same_year & e.no_conflict,
    ),
    "close_title_abstract": Rule(
        "match",
        LOOSE_TITLE,
        e.close_titles & e.own & e.abstracts_same & e.authors_same & e.venues_agree & e.same_year & e.no_conflict,
    ),
    # Title, authors, year.
    "same_title_numbered": Rule(
        "match",
        TITLE,
        e.near_titles & e.own & e.is_long & e.authors_same & e.same_year & e.volumes_agree & e.numbers_agree & ~e.pages_differ,
    ),
    "same_title_authors": Rule("match", TITLE, e.own_titles & e.own & e.authors_share & e.no_conflict & e.same_year_or_null),
    "same_title_authors_venue": Rule(
        "match", TITLE, e.same_titles & e.own & e.is_long & e.authors_same & e.no_conflict & e.venues_agree & e.years_near
    ),
    # Nobody of the same family name has a paper of the same long title at one venue in one year: the given name is misread.
    "same_title_venue": Rule(
        "match",
        TITLE,
        e.own_titles_equal
        & e.is_telling
        & (e.people_agree | e.is_long & e.names_alike)
        & e.no_conflict
        & e.venues_agree
        & e.same_year,
    ),
    "same_title_one_conflict": Rule(
        "match",
        LOOSE_TITLE,
        e.near_titles
        & e.authors_same
        & e.venues_agree
        & e.same_year
        & (e.conflicts == 1)
        & ~e.pages_differ
        & (e.is_long | ~e.issue_numbers_differ),
    ),
    "alike_title_venue": Rule(
        "match",
        LOOSE_TITLE,
        (e.has_subtitle | e.misread & e.one_has_no_own_word & ~pl.col("title_numbers_differ"))
        & e.own
        & e.authors_same
        & e.no_conflict
        & e.venues_agree
        & e.same_year,
    ),
    "same_title_other_occasion": Rule("possible", TITLE, e.same_titles & e.authors_share & e.other_occasion),
    "version": Rule(
        "version",
        TITLE,
        (e.same_titles | e.abstracts_same & e.authors_same & e.close_titles | e.extends & e.abstracts_same)
        & e.own
        & e.authors_share
        & (e.issues_differ | e.venues_differ | (pl.col("year_gap") >= 1) | e.pages_differ),
        VERSION,
    ),
    "version_cut_title": Rule(
        "version",
        TITLE,
        pl.col("title_is_start") & e.longest_start & e.authors_share & (e.venues_differ | ~e.years_near),
        VERSION,
        CUT_TITLE,
    ),
    "same_title_other_authors": Rule("possible", LOOSE_TITLE, e.near_titles & e.authors_disjoint),
    "same_title_year": Rule(
        "match", LOOSE_TITLE, e.same_titles & e.is_telling & e.authors_missing & e.same_year & e.no_conflict
    ),
    "cut_title_authors": Rule(
        "match",
        CUT_TITLE,
        pl.col("title_is_start") & e.longest_start & e.authors_share & e.years_near & ~e.venues_differ & ~e.abstracts_other,
    ),
    "cut_title_abstract": Rule(
        "match", CUT_TITLE, pl.col("title_is_start") & e.abstracts_same & e.authors_can_agree & e.years_near
    ),
    "same_title_only": Rule("possible", ABSTRACT, e.own_titles_equal),
    # A record of an abstract alone has nothing else to agree by; clustering lets it join one paper only.
    "same_abstract_untitled": Rule("match", ABSTRACT, e.untitled & e.abstracts_same & e.authors_can_agree & e.years_near),
    "same_abstract_other_year": Rule("possible", CUT_TITLE, e.abstracts_same & ~e.years_near),
    "same_abstract_other_title": Rule("possible", CUT_TITLE, e.abstracts_same),
    "other_words": Rule(
        "possible",
        TITLE,
        e.close_titles & e.some_own_words & e.own & e.authors_share,
        work_strength=CUT_TITLE,
    ),
    "near_title_authors": Rule("possible", CUT_TITLE, e.alike_titles & e.own & e.authors_share),
    "other_title": Rule(APART, CUT_TITLE, (pl.col("titled_count") == 2) & ~pl.col("titles_equal")),
}
"""The rules by name, in the order in which they are asked; `{scheme}` becomes the identifier's scheme."""
