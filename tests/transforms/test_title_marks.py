"""Marks of titles: what speaks of another paper, what describes the same one, and what is a subject of its own."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.match.title_marks import core_title, may_have_marks, title_edition, title_kind

ICE = "Warm ice in rivers"


def asked(titles: list[str | None], expression=core_title) -> list[str | None]:
    return pl.DataFrame({"title": titles}, {"title": pl.String}).select(expression(pl.col("title"))).to_series().to_list()


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        (f"Erratum: {ICE}", "correction"),
        (f"ERRATUM TO: {ICE}", "correction"),
        (f"Errata for {ICE}", "correction"),
        (f"Correction to: {ICE}", "correction"),
        (f"Correction: {ICE}", "correction"),
        (f"Author Correction: {ICE}", "correction"),
        (f"Publisher’s note: {ICE}", "correction"),
        (f'Corrigendum to "{ICE}" [J. Ice 3 (2010) 4-9]', "correction"),
        (f"Addendum to the article {ICE}", "correction"),
        (f"Retraction notice to '{ICE}'", "correction"),
        (f"Retraction: {ICE}", "correction"),
        (f"Expression of concern: {ICE}", "correction"),
        (f"{ICE} - Erratum", "correction"),
        (f"{ICE} (Correction)", "correction"),
        (f"{ICE} (vol 3, pg 4, 2010)", "correction"),
        (f"{ICE} (vol 71, art no 035101, 2005)", "correction"),
        ("Errata", "correction"),
        (f"Reply to: {ICE}", "comment"),
        ("Reply to Wu et al.", "comment"),
        ("Author's reply", "comment"),
        ("The authors' response", "comment"),
        ("Response to the letter by Wu", "comment"),
        (f"Response to '{ICE}'", "comment"),
        (f"Response: {ICE}", "comment"),
        (f"Comment on '{ICE}'", "comment"),
        (f"Comments on {ICE}", "comment"),
        (f"A comment on {ICE}", "comment"),
        (f"Re: {ICE}", "comment"),
        (f"Commentary: {ICE}", "comment"),
        (f"Discussion of: {ICE}", "comment"),
        (f"Discussion of '{ICE}'", "comment"),
        (f"Rejoinder: {ICE}", "comment"),
        (f"{ICE} - Reply", "comment"),
        (f"{ICE}: comment", "comment"),
        (f"{ICE}. Author reply", "comment"),
        (f"{ICE} - Discussion", "comment"),
        # Subjects of their own, and what only describes the same paper.
        ("Response to therapy in asthma", None),
        ("Responses to salt in ice", None),
        ("Response of rivers to ice", None),
        ("Correction for attenuation", None),
        ("Correction in the eye", None),
        ("Correction of scoliosis in children", None),
        ("Error correction", None),
        ("Error correction codes", None),
        ("Error correcting codes: a survey", None),
        ("Vision correction", None),
        ("Discussion of politics at school", None),
        ("Group discussion of ice", None),
        ("Re-reading the ice", None),
        ("Remarks on ice", None),
        ("Commenting on videos", None),
        ("Reply rates in surveys of letters", None),
        ("Letters to the dead", None),
        (f"RETRACTED: {ICE}", None),
        (f"Retracted article: {ICE}", None),
        (f"{ICE} [Erratum appears in J Ice 4]", None),
        (f"{ICE} [see comment]", None),
        (f"{ICE} (vol 3, 2010)", None),
        (f"Discussion paper: {ICE}", None),
        (f"{ICE} (panel discussion)", None),
        (f"{ICE} (with discussion)", None),
        (None, None),
    ],
)
def test_the_kind_of_a_title(title: str | None, kind: str | None) -> None:
    assert asked([title], title_kind) == [kind]


@pytest.mark.parametrize(
    "title",
    [
        f"Erratum: {ICE}",
        f"Correction to {ICE}",
        f"{ICE} - Erratum",
        f"{ICE} (vol 3, pg 4, 2010)",
        f"{ICE} (vol 3, 2010)",
        f'Corrigendum to "{ICE}" [J. Ice 3 (2010) 4-9]',
        f"Reply to: {ICE}",
        f"Comment on ‘{ICE}’",
        f"{ICE} - Reply",
        f"Tutorial: {ICE}",
        f"Keynote address - {ICE}",
        f"Retracted article: {ICE}",
        f"{ICE} (extended abstract)",
        f"{ICE} (invited talk)",
        f"{ICE} [Review] [97 refs]",
        f"[{ICE}] [Spanish]",
        f"{ICE}, 2nd edition",
        f"{ICE} (3rd ed.)",
        f"{ICE} [Erratum appears in J Ice 4]",
        f"“{ICE}”",
        ICE,
    ],
)
def test_the_core_of_a_marked_title_is_the_title(title: str) -> None:
    assert asked([title]) == [ICE]


@pytest.mark.parametrize(
    "title",
    [
        "Tutorial: XML",
        "Erratum",
        "Ice [1]",
        "[Ice]",
        "Introduction to ice",
        "Review articles in physics",
        "Correction for attenuation",
        "Response to therapy in asthma",
        "Ice (in rivers)",
        "Ice: a tutorial",
        "Panel data and rivers",
        "Note-taking in class",
        "Abstract algebra in rivers",
        "The new edition of the atlas of ice",
    ],
)
def test_a_title_of_its_own_is_its_core(title: str) -> None:
    assert asked([title]) == [title]


@pytest.mark.parametrize(
    ("title", "edition"),
    [
        ("Salt roads, 2nd edition", "2nd edition"),
        ("Salt roads. Second Edition.", "second edition"),
        ("Salt roads (3rd rev. ed.)", "3rd rev. ed."),
        ("Salt roads, revised and enlarged edition", "revised and enlarged edition"),
        ("Salt roads (5th ed.)", "5th ed."),
        ("Salt roads", None),
        ("The second edition of the salt roads", None),
        ("Salt roads in the 2nd century", None),
        ("Salted", None),
        (None, None),
    ],
)
def test_the_edition_of_a_title(title: str | None, edition: str | None) -> None:
    assert asked([title], title_edition) == [edition]


BEFORE = ["", "Erratum: ", "Reply to: ", "Tutorial: ", "RETRACTED: ", "[", "“", "Keynote - ", "Review: "]
TITLES = [
    ICE,
    "Rivers (of Asia): a survey",
    "Ice, salt & 3 rivers",
    "Über das Eis. Ein Bericht",
    "Ice [in Chinese waters]",
    "冰",
]
BEHIND = [
    *("", ".", " - Reply", ": comment", " [Review] [97 refs]", " (extended abstract)", ", 2nd ed.", "] [Spanish]", "”"),
    *(
        " (vol 3, pg 4, 2010)",
        " - Erratum",
        " (letter)",
        " [Erratum appears in J Ice 4]",
        " (J Ice (2010) 3 (4-9))",
        " - Tutorial",
    ),
]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.tuples(st.sampled_from(BEFORE), st.sampled_from(TITLES), st.sampled_from(BEHIND)).map("".join))
def test_the_core_of_a_core_is_itself(title: str) -> None:
    core = asked([title])
    assert asked(core) == core


def test_a_reply_to_a_comment_speaks_of_the_comment() -> None:
    assert asked(["Reply to 'Comment on warm ice'", "Reply to Comments on Bergeron"]) == [
        "Comment on warm ice",
        "Comments on Bergeron",
    ]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(alphabet="aeé :.-–([])\"'123IVx冰", max_size=40))
def test_of_no_title_is_nothing_left(title: str) -> None:
    (core,) = asked([title])
    assert core == title or len(core) >= 6


@pytest.mark.parametrize("before", [mark for mark in BEFORE if mark not in ("", "“")])
def test_a_mark_before_a_title_calls_for_a_look(before: str) -> None:
    assert may_have_marks(pl.Series([before + ICE])).item()


@pytest.mark.parametrize("behind", [mark for mark in BEHIND if mark not in ("", ".", "”")])
def test_a_mark_behind_a_title_calls_for_a_look(behind: str) -> None:
    assert may_have_marks(pl.Series([ICE + behind])).item()
    assert not may_have_marks(pl.Series([ICE])).item()
