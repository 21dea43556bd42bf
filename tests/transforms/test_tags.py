"""Tests of transforms.tags: decisions, tags, keywords."""

import polars as pl
import pytest

from transforms.schemas import DECISIONS
from transforms.tags import decision, keywords, split_tags, venue_decision, without_venue_decision


def value(expression, text):
    return pl.select(expression(pl.lit(text, pl.String))).item()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Accept (Poster)", "poster"),
        ("Accept: poster", "poster"),
        ("Accept (Oral)", "oral"),
        ("Accept: notable-top-5%", "oral"),
        ("Accept: notable-top-25%", "spotlight"),
        ("Spotlight", "spotlight"),
        ("Accept", "accepted"),
        ("Highlight", "accepted"),
        ("Reject", "rejected"),
        ("Rejected", "rejected"),
        ("Withdraw", "withdrawn"),
        ("Withdrawn", "withdrawn"),
        ("Desk Reject", "desk_rejected"),
        ("Desk Rejected Submission", "desk_rejected"),
        ("Technical Paper", None),
        ("Temporal Logic", None),
        ("", None),
        (None, None),
    ],
)
def test_a_decision_is_one_of_seven_codes(text, code):
    assert value(decision, text) == code
    assert code is None or code in DECISIONS


@pytest.mark.parametrize(
    ("text", "code", "rest"),
    [
        ("ICLR 2024 poster", "poster", "ICLR 2024"),
        ("NeurIPS 2023 Spotlight", "spotlight", "NeurIPS 2023"),
        ("ICLR 2023 notable top 5%", "oral", "ICLR 2023"),
        ("ICLR 2024 Conference Withdrawn Submission", "withdrawn", "ICLR 2024 Conference"),
        ("ICLR 2024", None, "ICLR 2024"),
        ("Journal of Oral Pathology", None, "Journal of Oral Pathology"),
        ("Poster Sessions 2020", None, "Poster Sessions 2020"),
        (None, None, None),
    ],
)
def test_a_venue_may_end_in_a_decision_behind_its_year(text, code, rest):
    assert (value(venue_decision, text), value(without_venue_decision, text)) == (code, rest)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("ICLR 2024,Poster", ("ICLR", "2024", "poster", [])),
        ("ICLR 2024,Accept (oral),graphs, maps", ("ICLR", "2024", "oral", ["graphs", "maps"])),
        ("NeurIPS 2023 Spotlight", ("NeurIPS", "2023", "spotlight", [])),
        ("Reject; ICML 2022", ("ICML", "2022", "rejected", [])),
        ("graphs|oral history", (None, None, None, ["graphs", "oral history"])),
        ("2024", (None, "2024", None, [])),
        ("", (None, None, None, [])),
        (None, (None, None, None, [])),
    ],
)
def test_tags_come_apart(tags, expected):
    assert split_tags(pl.Series([tags], dtype=pl.String)).row(0) == expected


def test_tags_keep_the_order_of_the_rows():
    tags = pl.Series(["a", None, "ICLR 2024,Poster", "a"])
    assert split_tags(tags)["keywords"].to_list() == [["a"], [], [], ["a"]]


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ("graphs; maps, charts ;graphs", [], ["graphs", "maps, charts"]),
        ("graphs, maps", ["maps", "trees"], ["graphs", "maps", "trees"]),
        ("['graphs', 'deep maps']", [], ["graphs", "deep maps"]),
        ("a|b", [], ["a", "b"]),
        ("", [], []),
        (None, ["x"], ["x"]),
    ],
)
def test_keywords_are_split_and_distinct(text, tags, expected):
    rows = pl.DataFrame({"text": [text], "tags": [tags]}, schema={"text": pl.String, "tags": pl.List(pl.String)})
    assert rows.select(keywords(pl.col("text"), "tags")).item().to_list() == expected
