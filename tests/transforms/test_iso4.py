"""Tests of transforms.iso4."""

import pytest

from transforms.iso4 import AbbreviatedNames, abbreviates, is_abbreviation

NAMES = AbbreviatedNames(
    [
        (("journal", "tide", "research"), "jtr"),
        (("journal", "tidal", "research"), "jtalr"),
        (("journal", "tidings", "research"), "jtir"),
        (("annals", "internal", "tides"), "ait"),
        (("proceedings", "national", "tide", "academy"), "pnta"),
        (("tides",), "tides"),
        ((), "nothing"),
    ]
)


@pytest.mark.parametrize(
    ("short", "full", "expected"),
    [
        ("tides", "tides", True),
        ("med", "medicine", True),
        ("natl", "national", True),
        ("mgmt", "management", True),
        ("j", "journal", True),
        ("br", "british", True),
        ("can", "canadian", True),
        ("can", "cancer", False),
        ("br", "brain", False),
        ("n", "national", False),
        ("me", "medicine", False),
        ("science", "sciences", False),
        ("medicine", "med", False),
        ("", "tides", False),
    ],
)
def test_a_word_is_short_for_another(short, full, expected):
    assert abbreviates(short, full) is expected


@pytest.mark.parametrize(
    ("short", "full", "expected"),
    [
        ("j tide res", "journal tide research", True),
        ("journal tide res", "journal tide research", True),
        ("journal tide research", "journal tide research", False),
        ("j tide", "journal tide research", False),
        ("j res tide", "journal tide research", False),
        ("tid", "tides", False),
        ("", "", False),
    ],
)
def test_words_abbreviate_a_name_word_by_word(short, full, expected):
    assert is_abbreviation(short.split(), full.split()) is expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("journal tide research", "jtr"),
        ("j tide res", "jtr"),
        ("j tidal res", "jtalr"),
        ("j tid res", None),  # either of two
        ("ann intern tides", "ait"),
        ("proceedings natl tide acad", "pnta"),
        ("tides", None),  # one word is no abbreviation
        ("", None),
    ],
)
def test_an_abbreviation_means_a_name_only_where_it_is_the_only_one(words, expected):
    assert NAMES.meant_by(words.split()) == expected
