"""Tests of transforms.titles: cleaned titles, title keys, generic titles."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.titles import clean_title, is_generic_title, title_key


def cleaned(title, subtitle=None):
    row = pl.DataFrame({"title": [title], "subtitle": [subtitle]}, schema={"title": pl.String, "subtitle": pl.String})
    return row.select(clean_title(pl.col("title"), pl.col("subtitle"))).item()


def is_generic(title):
    return pl.select(is_generic_title(title_key(pl.lit(title, pl.String)))).item()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Learning to  Map\n the World.", "Learning to Map the World"),
        ("{BERT} and $\\ell_1$ \\emph{norms}", "BERT and ℓ₁ norms"),
        ("Where are we?", "Where are we?"),
        ("Maps Everywhere!", "Maps Everywhere!"),
        ("A History of Maps, Inc.", "A History of Maps, Inc."),
        ("Maps, Charts, etc.", "Maps, Charts, etc."),
        ("Maps of the U.S.", "Maps of the U.S."),
        ("A Long Title That Was...", "A Long Title That Was..."),
        ("On Gravel. .", "On Gravel"),
        ("ON GRAVEL", "ON GRAVEL"),
        ("Tutorial: On Gravel (panel session)", "Tutorial: On Gravel (panel session)"),
    ],
)
def test_a_title_loses_markup_and_the_full_stop_its_source_set(given, expected):
    assert cleaned(given) == expected


@pytest.mark.parametrize(
    "placeholder",
    [None, "", " ", "N/A", "None", "null", "Untitled", "[]", "-", "Title not available", "Withdrawn",
     "Paper withdrawn by authors", "This paper has been withdrawn by the authors.", "<p></p>",
     "[No title]", "Untitled.", "[Title missing]", "doi:10.5555/gravel", "10.5555/gravel"],
)  # fmt: skip
def test_a_placeholder_is_no_title(placeholder):
    assert cleaned(placeholder) is None


@pytest.mark.parametrize(
    "title", ["None of the Above", "Unknown Unknowns", "Withdrawn Goods: A Market View", "Title Races", "It"]
)
def test_a_title_that_only_looks_like_a_placeholder_stays(title):
    assert cleaned(title) == title


@pytest.mark.parametrize(
    ("title", "subtitle", "expected"),
    [
        ("Maps", "A Survey", "Maps: A Survey"),
        ("Maps:", "A Survey", "Maps: A Survey"),
        ("Why Maps?", "A Survey", "Why Maps? A Survey"),
        ("Maps: A Survey", "a survey", "Maps: A Survey"),
        ("Maps", "N/A", "Maps"),
        (None, "A Survey", None),
    ],
)
def test_a_subtitle_joins_its_title_unless_it_stands_there_already(title, subtitle, expected):
    assert cleaned(title, subtitle) == expected


@pytest.mark.parametrize(
    "title",
    ["Editorial", "Editorial.", "Guest Editor's Introduction", "Editor's Comments", "EDITORIAL 26 - 2", "Front Matter",
     "Preface", "Volume Information", "Author Index", "Introduction", "Introduction to the Special Issue", "Erratum",
     "Table of Contents", "Book Reviews", "Message from the Program Chairs", "Chair's Message", "Editorial Volume 10, Issue 1"],
)  # fmt: skip
def test_a_title_that_recurs_in_every_issue_is_generic(title):
    assert is_generic(title) is True


@pytest.mark.parametrize(
    "title",
    ["Editorial Decisions in Science", "Introduction to Maps", "Erratum to: Maps of the World", "Index Structures for Maps",
     "Discussion Forums in Online Courses", "Abstracts as Summaries", "Posterior Sampling", "The Front Matters", "Reply Trees"],
)  # fmt: skip
def test_a_title_of_a_work_is_not_generic(title):
    assert is_generic(title) is False


def test_no_title_is_neither_generic_nor_not():
    assert is_generic(None) is None and is_generic("—") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Semi-Supervised Learn-\ning", "Semisupervised Learning"),
        ("TNF-α in Mice", "TNF-&alpha; in mice"),
        ("TNF-α in Mice", "TNF-alpha in Mice"),
        ("$\\beta$-VAE", "β-VAE"),
        ("The 21st Century", "The 21 st Century"),
        ('Na\\"{i}ve Bayes', "Naive Bayes"),
        ("Erdős and Gödel", "Erdos and Godel"),
        ("Caf\u0065\u0301s", "Cafés"),
        ("Research &amp; Development", "Research and Development"),
        ("CO<sub>2</sub> Sinks", "CO2 sinks"),
        ("“Smart” Maps — a Survey", '"Smart" maps: a survey.'),
        ("The e\ufb03cient o\ufb00ice", "The efficient office"),
        ("µ-Calculus", "μ-calculus"),
    ],
)
def test_title_keys_are_equal_however_a_title_is_set(one, other):
    def key(title):
        return pl.select(title_key(pl.lit(cleaned(title), pl.String))).item()

    assert key(one) == key(other) is not None


@pytest.mark.parametrize(
    ("one", "other"), [("Maps I", "Maps II"), ("C Programs", "D Programs"), ("α-Maps", "β-Maps"), ("地図", "地面")]
)
def test_title_keys_keep_titles_apart(one, other):
    assert pl.select(title_key(pl.lit(one)) != title_key(pl.lit(other))).item()


TITLE = st.lists(
    st.sampled_from(
        [
            "On",
            "Gravel",
            ".",
            "...",
            " ",
            "Inc.",
            "&amp;",
            "\\emph{x}",
            "$\\alpha$",
            "<i>",
            "-",
            "[",
            "]",
            "α",
            "é",
            ":",
            "*",
            "_",
        ]
    ),
    max_size=7,
).map("".join)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(TITLE)
def test_a_clean_title_is_the_title(title):
    once = cleaned(title)
    assert cleaned(once) == once
