"""This module names what compared pairs give as evidence: the expressions that the rules are written in.

Each is over the columns of `transforms.match.comparison.compare_pairs`, and false where a side lacks what it asks of, but for
`..._can_agree` and `..._near`, which say that nothing contradicts. Where it depends on an aspect in which the pair is not
compared yet it is null.
"""

from __future__ import annotations

import polars as pl

from transforms.match.author_comparison import ALIKE_AUTHORS_RATIO, SAME_FAMILIES_RATIO
from transforms.match.blocking import ABSTRACT_PREFIX_CHARACTERS, CUT_TITLE_CHARACTERS, MIN_ABSTRACT_CHARACTERS
from transforms.match.title_comparison import CLOSE_TITLE_RATIO, OTHER_TITLE_RATIO, SAME_WORDS_RATIO

NEAR_TITLE_RATIO = 0.9
"""From here on two titles are one with slips of the pen: over 40 characters, two letters changed each twenty."""

MISREAD_TITLE_RATIO = 0.85
"""From here on a title may be one that OCR misread: most of its letters stand, in their order."""

TELLING_TITLE_CHARACTERS = 15
"""A title with fewer letters ("Deep learning", "In memoriam A B") says too little where authors are missing."""

LONG_TITLE_CHARACTERS = 25
"""From here on a title is one paper's: columns ("Trade press news", "Ask the expert") have fewer letters."""

SUBTITLE_WORDS = 2
"""With so many words of its own, and a number among them, a title has a subtitle; with fewer it may be another part or year."""

NEAR_PAGES = 5
"""First pages that lie so near are one, mistyped, where all else agrees: real pairs have 2141 and 2142, 246-250 and 250-254."""

MISSPELT_RATIO = 0.9
"""From here on an identifier may be the other, mistyped: a digit of "10.1057/jit.2009.2" changed leaves 0.94."""

ALIKE_NAMES_RATIO = 0.7
"""From here on names may be one, a letter or two of them lost ("michael hlen" and "michael bohlen"), where all else agrees."""

FUZZY_AUTHORS_RATIO = 0.85
"""From here on two texts of names are one, misread ("daniel barbar" and "daniel barbara" reach 0.96)."""

SAME_ABSTRACT_RATIO = 0.95
"""From here on two abstracts are one text: a hundred characters changed in a thousand give 0.9 to 0.95."""

OTHER_ABSTRACT_RATIO = 0.6
"""Below it abstracts are different texts; two on one subject reach 0.5 to 0.55 over their common length."""

YEARS_APART = 2
"""One year lies between online and print, or the heading of a list and the proceedings; with two, agreement in text alone
is no longer one paper. Equal titles and authors ask for more: of 284 such pairs one year apart in labelled sets, the ones
without a common volume or page were two papers in all but three."""


EVIDENCE: dict[str, pl.Expr] = {}
"""The evidence by name, each made of columns of compared pairs and of evidence that stands before it."""


def _named(name: str, holds: pl.Expr) -> pl.Expr:
    """The column of some evidence, so that it is made once for all rules, and no rule is a tree of thousands of leaves."""
    EVIDENCE[f"{name}?"] = holds
    return pl.col(f"{name}?")


def _known(aspect: str, holds: pl.Expr) -> pl.Expr:
    """Whether it holds; null while the pair is not compared in an aspect, of which one column is then null."""
    return pl.when(pl.col(aspect).is_not_null()).then(holds.fill_null(False))


ratio = pl.col("title_ratio")
numbers_conflict = pl.col("title_numbers_conflict")
titles_equal = _named("titles_equal", pl.col("titles_equal") & ~pl.col("editions_differ"))
own_count, own_max = pl.col("title_own_count"), pl.col("title_own_max")
one_has_no_own_word = _named("one_has_no_own_word", _known("titles_opposed", own_count == 0))
none_has_own_words = _named("none_has_own_words", _known("titles_opposed", own_max == 0))
one_more_at_most = _named("one_more_at_most", _known("titles_opposed", own_max <= 1))
few_own_words = _named("few_own_words", _known("titles_opposed", own_count <= 1))
some_own_words = _named("some_own_words", _known("titles_opposed", own_count >= 1))
subtitle_words = _named("subtitle_words", _known("titles_opposed", own_max >= SUBTITLE_WORDS))
agreeable = _named("agreeable", ~pl.col("titles_opposed") & ~numbers_conflict & ~pl.col("editions_differ"))
is_telling = _named("is_telling", pl.col("title_characters") >= TELLING_TITLE_CHARACTERS)
is_long = _named("is_long", pl.col("title_characters") >= LONG_TITLE_CHARACTERS)
other_work = _named("other_work", pl.col("title_names_other_work") | pl.col("titles_reordered"))
same_in_number_and_order = _named(
    "same_in_number_and_order", agreeable & ~pl.col("title_numbers_differ") & ~pl.col("titles_reordered")
)
same_words = _named("same_words", none_has_own_words & (ratio >= SAME_WORDS_RATIO) & same_in_number_and_order)
one_word_more = _named(
    "one_word_more",
    one_has_no_own_word & one_more_at_most & (ratio >= NEAR_TITLE_RATIO) & is_long & same_in_number_and_order & ~other_work,
)
same_titles = _named("same_titles", titles_equal | same_words)
near_titles = _named("near_titles", same_titles | one_word_more)
extends = _named(
    "extends",
    (one_has_no_own_word | pl.col("title_extends") & (pl.col("title_characters") >= TELLING_TITLE_CHARACTERS)) & agreeable,
)
other_part = _named("other_part", pl.col("part_of_either") & pl.col("title_numbers_differ"))
# A content word more is another paper where the authors are not the same: "Structure-from-motion revisited" and "Global …".
own_titles = _named("own_titles", same_titles | one_word_more & pl.col("authors_equal"))
close_titles = _named("close_titles", (ratio >= CLOSE_TITLE_RATIO).fill_null(False) & agreeable)
alike_titles = _named("alike_titles", near_titles | extends | close_titles)
other_titles = _named("other_titles", (ratio < OTHER_TITLE_RATIO).fill_null(False))
own = _named("own", ~pl.col("generic"))
own_titles_equal = _named("own_titles_equal", titles_equal & own)
has_subtitle = _named(
    "has_subtitle",
    extends & is_long & ~other_work & ~pl.col("part_of_either") & (~pl.col("title_numbers_differ") | subtitle_words),
)
longest_start = _named("longest_start", (pl.col("cut_title_characters") >= CUT_TITLE_CHARACTERS).fill_null(False))
untitled = _named("untitled", pl.col("titled_count") < 2)

initials_differ = pl.col("initials_differ")
names_same = _named("names_same", _known("initials_differ", pl.col("authors_ratio") >= ALIKE_AUTHORS_RATIO))
names_near = _named("names_near", _known("initials_differ", pl.col("authors_fuzzy") >= FUZZY_AUTHORS_RATIO))
names_alike = _named("names_alike", _known("initials_differ", pl.col("authors_fuzzy") >= ALIKE_NAMES_RATIO))
people_agree = _named("people_agree", (pl.col("authors_shared_count") >= 1).fill_null(False))
families_same = _named("families_same", (pl.col("families_ratio") >= SAME_FAMILIES_RATIO).fill_null(False))
authors_same = _named("authors_same", (families_same | names_same) & ~initials_differ)
authors_share = _named("authors_share", (people_agree | names_same | names_near) & ~initials_differ)
authors_missing = _named("authors_missing", pl.col("authors_missing_count") >= 1)
authors_disjoint = _named("authors_disjoint", ~authors_missing & ~authors_share)
authors_can_agree = _named("authors_can_agree", authors_share | authors_missing)

same_year = _named("same_year", (pl.col("year_gap") == 0).fill_null(False))
same_year_or_null = _named("same_year_or_null", same_year | pl.col("year_gap").is_null())
years_near = _named("years_near", pl.col("year_gap").fill_null(0) < YEARS_APART)

shared = _named("shared", pl.col("identifier_shared").is_not_null())
conflict = _named("conflict", pl.col("identifier_conflict").is_not_null())

abstracts_same = _named(
    "abstracts_same",
    ~pl.col("abstract_is_boilerplate")
    & (
        pl.col("abstracts_equal") & (pl.col("abstract_characters") >= MIN_ABSTRACT_CHARACTERS)
        | (pl.col("abstract_ratio") >= SAME_ABSTRACT_RATIO) & (pl.col("abstract_characters") >= ABSTRACT_PREFIX_CHARACTERS)
    ).fill_null(False),
)
abstracts_other = _named("abstracts_other", (pl.col("abstract_ratio") < OTHER_ABSTRACT_RATIO).fill_null(False))

venues_differ, venues_agree = pl.col("venues_differ"), pl.col("venues_agree")
pages_agree = _named("pages_agree", pl.col("pages_agree").fill_null(False))
volumes_agree = _named("volumes_agree", pl.col("volumes_agree").fill_null(False))
same_place = _named("same_place", venues_agree & volumes_agree & pages_agree)
numbers_agree = _named("numbers_agree", pl.col("numbers_agree").fill_null(False))
page_range_agrees = _named("page_range_agrees", pl.col("page_range_agrees").fill_null(False))
pages_differ = _named(
    "pages_differ",
    ~pl.col("pages_agree").fill_null(True)
    & (pl.col("page_gap") > NEAR_PAGES)
    & pl.col("page_letters_agree")
    & ~pl.col("last_pages_agree").fill_null(False)
    & ~(pl.col("pages_counted") & venues_agree & own & pl.col("numbers_agree").fill_null(True)),
)
volumes_differ = _named("volumes_differ", ~pl.col("volumes_agree").fill_null(True))
numbers_differ = _named("numbers_differ", ~pl.col("numbers_agree").fill_null(True) & ~(page_range_agrees & is_long))
conflicts = _named(
    "conflicts", pl.sum_horizontal(flag.cast(pl.Int8) for flag in (volumes_differ, numbers_differ, pages_differ))
)
issue_numbers_differ = _named("issue_numbers_differ", ~pl.col("numbers_agree").fill_null(True))
sites_number = _named("sites_number", pl.col("identifier_conflict").is_in(["cvf", "neurips", "pmlr"]))
issues_differ = _named("issues_differ", (volumes_differ | numbers_differ) & ~pages_agree)
# OCR misreads many letters of a title, but keeps its length.
misread = _named("misread", (ratio >= MISREAD_TITLE_RATIO).fill_null(False) & agreeable & few_own_words)
on_pages = _named("on_pages", page_range_agrees & volumes_agree)
on_page = _named(
    "on_page",
    pages_agree
    & ~numbers_differ
    & ~venues_differ
    & (volumes_agree | ~volumes_differ & (same_year | venues_agree & years_near)),
)
# A book of a series bears its own name and the series': "Contributions to Nephrology", "Experimental Models for …".
in_series = _named(
    "in_series",
    titles_equal & is_long & pl.col("later_pages_agree").fill_null(False) & volumes_agree & same_year & ~issue_numbers_differ,
)
in_issue = _named("in_issue", venues_agree & volumes_agree & numbers_agree)
no_conflict = _named("no_conflict", (conflicts == 0) & ~venues_differ)
other_occasion = _named(
    "other_occasion",
    venues_agree
    & (volumes_differ | issue_numbers_differ | (pl.col("year_gap") >= 1).fill_null(False))
    & (~pages_agree | volumes_differ),
)

# A generic title stands in every issue, most often on its first page: volume and first page say little of it. What says
# more is the issue's number or the last page, and authors where no such number is given; none of them may differ.
same_issue = _named("same_issue", pl.col("numbers_agree").fill_null(True) & pl.col("last_pages_agree").fill_null(True))
generic_is_one = _named(
    "generic_is_one", same_issue & (numbers_agree | pl.col("last_pages_agree").fill_null(False) | authors_share)
)


def with_evidence(compared: pl.DataFrame) -> pl.DataFrame:
    """`compared` with a column for each name of evidence, made in as few steps as they build on one another."""
    for step in _STEPS:
        compared = compared.with_columns_seq(step)
    return compared


def _steps() -> list[list[pl.Expr]]:
    step: dict[str, int] = {}
    for name, holds in EVIDENCE.items():
        step[name] = 1 + max((step.get(column, -1) for column in holds.meta.root_names()), default=-1)
    numbers = range(max(step.values()) + 1)
    return [[EVIDENCE[name].alias(name) for name in step if step[name] == number] for number in numbers]


_STEPS = _steps()
