"""Tests of transforms.text and transforms.markup: HTML, Markdown, white space, PDF traces, and keys."""

import string
import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.markup import plain
from transforms.text import _MAY_COMPOSE, abstract_key, clean_abstract, is_cut, letters_key, plain_text


def column(expression, values):
    return pl.DataFrame({"x": pl.Series(values, dtype=pl.String)}).select(expression(pl.col("x"))).to_series().to_list()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a  b\n\tc\u00a0d ", "a b c d"),
        ("soft\u00adhyphen, zero\u200bwidth", "softhyphen, zerowidth"),
        ("e\u0301tude", "étude"),
        ("eﬃcient ﬁlters", "efficient filters"),
        ("p &lt; 0.05 &amp; q &gt; 1", "p < 0.05 & q > 1"),
        ("twice &amp;lt; escaped", "twice < escaped"),
        ("Nystr&ouml;m and &#945;", "Nyström and α"),
        ("R&D at AT&T; so", "R&D at AT&T; so"),
        ("CO<sub>2</sub> at 10<sup>-3</sup>, the 19<sup>th</sup>", "CO₂ at 10⁻³, the 19th"),
        (
            "<jats:title>Abstract</jats:title><jats:p>We <jats:italic>do</jats:italic>.</jats:p><jats:p>So.</jats:p>",
            "We do. So.",
        ),
        ('<a href="https://x.org">here</a><br/>now<!-- not this -->', "here now"),
        ("if a < b and c > d, <mask> stays", "if a < b and c > d, <mask> stays"),
    ],
)
def test_entities_tags_and_white_space_are_resolved(given, expected):
    assert plain(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("**B**ig **M**odel", "Big Model"),
        ("*why* and _how_, ***both***", "why and how, both"),
        ("the _sign_\u2014here", "the sign\u2014here"),
        ("see [our page](https://a.github.io/b).", "see our page."),
        ("at [https://a.org/b_c](https://a.org/b_c).", "at https://a.org/b_c."),
        ("use `numpy` here", "use numpy here"),
    ],
)
def test_markdown_is_taken_out(given, expected):
    assert plain(given) == expected


@pytest.mark.parametrize(
    "text",
    [
        "ToolChain* beats A* and B*",
        "2*3*4 and 2**3**4",
        "snake_case_names, file_name.txt and __init__",
        "lists [1] (see below) and A[i] (of size n)",
        "a * b * c",
        "call run --fast now",
        "rows of ----- dashes",
        "https://a.org/x_y_z/~me?a=b*c*d",
        "about ~90% and 10~20 items",
        "labels in {0, 1} or {A, B}, a {",
        "a lone ` tick and don't",
    ],
)
def test_what_is_no_markup_stays(text):
    assert plain(text) == text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Ruszczy \u0301nski", "Ruszczyński"),
        ("the \u0301Etale site", "the Étale site"),
        ("Ruszczy´nski, Pe´rez, Mu¨ller, Franc¸ois", "Ruszczyński, Pérez, Müller, François"),
        ("don´t use ´this´", "don´t use ´this´"),
    ],
)
def test_accents_a_pdf_gave_apart_are_set_on_their_letters(given, expected):
    assert plain(given) == expected


def test_mojibake_is_repaired_and_true_text_is_not():
    assert column(plain_text, ["The cafÃ© â€” naÃ¯ve", "São Tomé, Ã and Â alone"]) == [
        "The café — naïve",
        "São Tomé, Ã and Â alone",
    ]


def test_null_blank_and_markup_alone_become_null():
    assert column(plain_text, [None, "", "  \n", "<p></p>", "x"]) == [None, None, None, None, "x"]


def test_plain_text_of_a_column_is_that_of_each_text():
    texts = ["plain", "a *b* c", "two  spaces", "\u00fcber", "5\\% of $n$", None]
    assert column(plain_text, texts) == [None if text is None else plain(text) for text in texts]


PIECES = st.sampled_from(
    ["a", "B", "5", ".", ",", ";", " ", "  ", "\n", "\t", "*", "**", "_", "`", "``", "''", "'", "--", "---", "~", "#", "[",
     "](", ")", "$", "$x$", "$x^{2/p}$", "\\", "\\emph{", "{", "}", "\\%", "\\'e", "^2", "_{k}", "\\alpha", "\\cite{k}",
     "\\url{", "\\frac{1}{n}", "&", "&lt;", "&amp;", "<", ">", "<i>", "</i>", "<sub>2</sub>", "https://a.org/b_c", "\u0301",
     "\u00b4", "é", "α", "\u200b", "ﬁ"]
)  # fmt: skip


@settings(max_examples=400, derandomize=True, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_cleaning_a_clean_text_changes_nothing(text):
    once = column(plain_text, [text])
    assert column(plain_text, once) == once


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(max_size=40))
def test_any_text_can_be_cleaned_and_cleaning_it_again_changes_nothing(text):
    once = column(plain_text, [text.encode("utf8", "ignore").decode()])
    assert column(plain_text, once) == once


def test_abstract_loses_its_heading_and_a_placeholder_is_null():
    given = [
        "Abstract: We try.",
        "ABSTRACT We try.",
        "Abstract reasoning is hard.",
        "N/A",
        "No abstract available.",
        "Abstract Unavailable",
        "Paper was withdrawn.",
        "Funds are withdrawn.",
    ]
    assert column(clean_abstract, given) == [
        "We try.",
        "We try.",
        "Abstract reasoning is hard.",
        None,
        None,
        None,
        None,
        "Funds are withdrawn.",
    ]


def test_a_text_that_ends_in_an_ellipsis_is_cut():
    assert column(is_cut, ["We show th...", "so on \u2026 ", "We show this.", "", None]) == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Naïve Bayes", "naive  bayes."),
        ("TNF-α", "TNF-alpha"),
        ("Straße", "STRASSE"),
        ("Science & Art", "Science and Art"),
        ("x² in ℝ", "x2 in R"),
        ("an **A*** search", "an A* search"),
        ("$\\mathcal{O}(n)$ steps", "O(n) steps"),
        ("$\\varepsilon$-greedy", "ε-greedy"),
    ],
)
def test_keys_do_not_see_how_a_text_is_set(left, right):
    assert column(letters_key, [left]) == column(letters_key, [right]) == column(abstract_key, [right])


@pytest.mark.parametrize(
    ("left", "right"),
    [("Part I", "Part II"), ("数据挖掘", "数据库"), ("किताब", "कतब"), ("Занятость", "Занятие"), ("かき", "がき")],
)
def test_keys_keep_letters_and_vowel_signs_of_every_script(left, right):
    keys = column(letters_key, [left, right])
    assert None not in keys and keys[0] != keys[1]


def test_a_text_without_letters_has_no_key():
    assert column(letters_key, ["—", "", None]) == column(abstract_key, ["…", "", None]) == [None, None, None]


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=20), st.text(string.printable, max_size=20)), max_size=6))
def test_the_fast_way_to_a_key_and_the_full_one_give_one_key(texts):
    # A letter with an accent sends any text the full way.
    texts = [text.encode("utf8", "ignore").decode() for text in texts]
    assert column(letters_key, [f"{text} é" for text in texts]) == [f"{key or ''}e" for key in column(letters_key, texts)]


def test_nfc_changes_no_text_without_what_may_compose():
    every = [chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
    untouched = pl.Series(every).filter(~pl.Series(every).str.contains(_MAY_COMPOSE))
    assert len(untouched) > 100_000
    # Beside each other and beside a letter: what composes with the character before it is a mark, or Hangul.
    pairs = [*untouched, *(f"e{character}" for character in untouched), *(f"\u1100{character}" for character in untouched)]
    assert [text for text in pairs if unicodedata.normalize("NFC", text) != text] == []
