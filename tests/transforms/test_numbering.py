"""Tests of transforms.numbering: what exports and spreadsheets do to volumes, issues and pages."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.numbering import first_page_key, is_serial, last_page_key, number, number_key, pages, volume, volume_key


def one(expression, *texts):
    """What an expression makes of one row of texts."""
    columns = [f"c{place}" for place in range(len(texts))]
    frame = pl.DataFrame([texts], schema=dict.fromkeys(columns, pl.String), orient="row")
    return frame.select(expression(*map(pl.col, columns))).item()


def serial(numbers, venues):
    frame = pl.DataFrame({"number": numbers, "venue": venues}, schema_overrides={"number": pl.String})
    return set(frame.select(is_serial(pl.col("number"), pl.col("venue"), of=pl.lit("f"))).to_series())


VENUES = [f"Journal {place % 12}" for place in range(60)]


@pytest.mark.parametrize(
    ("numbers", "venues", "expected"),
    [
        (range(1, 61), VENUES, True),
        (reversed(range(900, 960)), VENUES, True),
        ((f"{place}.0" for place in range(60)), VENUES, True),
        ((str(place) if place % 3 else None for place in range(60)), VENUES, True),
        ((place % 40 + 1 for place in range(60)), VENUES, False),
        (range(1, 30), VENUES[:29], False),
        (range(1, 61), ["Weekly Science"] * 60, False),
        ((str(place + 60) if place < 30 else None for place in range(60)), ["Maps News"] * 30 + VENUES[:30], False),
        (range(100, 60100, 1000), VENUES, False),
        ((f"{place}" if place else "2 Suppl" for place in range(60)), VENUES, False),
        ([None] * 60, VENUES, False),
    ],
    ids=[
        "1 to 60",
        "backwards",
        "floats",
        "some missing",
        "issues",
        "few",
        "one journal",
        "one journal numbered",
        "far apart",
        "a supplement",
        "none",
    ],
)
def test_numbers_that_count_the_records_of_a_file_are_no_issues(numbers, venues, expected):
    assert serial([None if given is None else str(given) for given in numbers], venues) == {expected}


def test_a_file_of_issues_is_not_judged_by_a_file_that_counts():
    numbers = [str(place) for place in range(60)] + ["1", "2"] * 30
    frame = pl.DataFrame({"file": ["a"] * 60 + ["b"] * 60, "number": numbers, "venue": VENUES * 2})
    found = frame.select(is_serial(pl.col("number"), pl.col("venue"), of="file")).to_series().to_list()
    assert found == [True] * 60 + [False] * 60


@pytest.mark.parametrize(
    ("volume_raw", "number_raw", "expected"),
    [
        ("31 (2) (no pagination)", None, ("31", "2")),
        ("31 (2)", "5", ("31", "5")),
        ("12(3)", None, ("12", "3")),
        ("60 (1 Supplement 1)", None, ("60", "1 Supplement 1")),
        ("9 (no pagination)", None, ("9", None)),
        ("Vol. 3", "no. 4", ("3", "4")),
        ("Volume 14", "Issue 2", ("14", "2")),
        ("12.0", "3.0", ("12", "3")),
        ("9661 LNCS", None, ("9661 LNCS", None)),
        ("24 Suppl 3", None, ("24 Suppl 3", None)),
        ("[Epub ahead of print]", "var.pagings", (None, None)),
        ("N/A", "no pagination", (None, None)),
        ("abs/2301.12345", None, ("abs/2301.12345", None)),
        ("1", "1/2", ("1", "1/2")),
    ],
)
def test_volume_and_issue_are_told_apart(volume_raw, number_raw, expected):
    assert (one(volume, volume_raw), one(number, number_raw, volume_raw)) == expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("221-8", "221", "228"),
        ("221–228", "221", "228"),
        ("pp. 3--7", "3", "7"),
        ("998-1003", "998", "1003"),
        ("1990–1", "1990", "1991"),
        ("01-Oct", "1", "10"),
        ("Jan-13", "1", "13"),
        ("21-Aug", "21", "28"),
        ("Nov-19", "11", "19"),
        ("11-Sep", "11", "19"),
        ("S12-S15", "s12", "s15"),
        ("S12-5", "s12", "s15"),
        ("S109-12", "s109", "s112"),
        ("193S", "s193", None),
        ("14S-14S", "s14", "s14"),
        ("2S37-2S42", "2s37", "2s42"),
        ("HS-3-HS-13", "hs3", "hs13"),
        ("iii613-iii614", "iii613", "iii614"),
        ("iii--xii", "iii", "xii"),
        ("e1234", "e1234", None),
        ("0045-0051", "45", "51"),
        ("473-479,481", "473", "479"),
        ("532, 534-536", "532", None),
        ("284-+", "284", None),
        ("35+", "35", None),
        ("Suppl-48", None, None),
        ("t-51", None, None),
        ("June", None, None),
        ("2.05031E+15", None, None),
        ("Abstract", None, None),
        ("[Epub ahead of print]", None, None),
        (None, None, None),
    ],
)
def test_first_and_last_page_are_compared_in_full(text, first, last):
    assert (one(first_page_key, text), one(last_page_key, text)) == (first, last)


@pytest.mark.parametrize(
    ("text", "key"),
    [("031", "31"), ("31 (2)", "31"), ("Drug Discovery. 9", "9"), ("2017-January", "2017"), ("FEB.", None),
     ("Apr 25 [Epub ahead of print]", None), ("WS-13-18", "ws1318"), ("Part F127846", "127846"), ("A", "a"), ("--", None)],
)  # fmt: skip
def test_a_volume_is_compared_by_its_number(text, key):
    assert one(volume_key, text) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [("3", "3"), ("03", "3"), ("Supplement 1", "s1"), ("1 Supplement 1", "s1"), ("22 SUPPL. 1", "s1"), ("suppl_3", "s3"),
     ("sup1", "s1"), ("3Sup1", "s1"), ("5_suppl", "5"), ("12 Suppl", "12"), ("6/7", "6"), ("03-Apr", "3"),
     ("1-3, Sp. Iss. SI", "1"), ("14, Sp. Iss. SI", "14"), ("Pt A", "a"), ("2A", "2a"), ("May", None), ("Special Issue", None),
     ("3 MeetingAbstracts", "3"), (None, None)],
)  # fmt: skip
def test_an_issue_is_compared_by_its_number_or_its_supplement(text, key):
    assert one(number_key, text) == key


NUMBERING = st.from_regex(
    r"[ (]{0,2}(?:Vol\.? ?|no |pp\. |S|e)?\d{0,4}[-–(. ]{0,2}(?:\d{1,4}|Oct|Suppl|xii)?[)+ ]{0,2}", fullmatch=True
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.one_of(NUMBERING, st.text(max_size=12)))
def test_cleaning_what_is_clean_changes_nothing(text):
    text = text.encode("utf8", "ignore").decode()
    for clean in (pages, volume, number):
        once = one(clean, text)
        assert one(clean, once) == once
