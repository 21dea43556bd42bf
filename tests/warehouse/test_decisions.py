"""The file of decisions: edited by people, so every row is checked; added to without touching what stands there."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.decisions import (
    DecisionError,
    add_decision,
    new_decision,
    read_decisions,
    refuse_contradictions,
    verdicts_of,
)
from warehouse.layout import Lake

A, B, C, D = (f"k{letter * 24}" for letter in "abcd")
HEADER = "record_key_l,record_key_r,verdict,because\n"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


def write(lake: Lake, *rows: str, header: str = HEADER) -> None:
    lake.decisions_path.write_bytes((header + "".join(f"{row}\n" for row in rows)).encode())


def test_without_a_file_there_are_no_decisions(lake: Lake) -> None:
    assert read_decisions(lake) == ()


def test_rows_are_read_with_the_line_they_begin_on(lake: Lake) -> None:
    write(lake, f"{B},{A},same,one DOI", "", f'{A},{C},different,"two ""parts"",\nby their titles"', f"{C},{D},same,")
    found = [(d.pair, d.verdict, d.because, d.line) for d in read_decisions(lake)]
    assert found == [
        ((A, B), "same", "one DOI", 2),
        ((A, C), "different", 'two "parts",\nby their titles', 4),
        ((C, D), "same", "", 6),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + f"{HEADER}{A},{B},same,x\n".encode(),  # a byte order mark, as spreadsheets write
        f"{HEADER}{A},{B},same,x".replace("\n", "\r\n").encode(),  # their line ends, and no last one
        f"{HEADER} {A} , {B} , same ,x\n".encode(),
        f"{HEADER}{A},{B},same,x\n{A},{B},same,x\n{B},{A},same,again\n".encode(),  # said twice
        f"{HEADER}{A}#2,{B},same,x\n".encode(),
    ],
)
def test_what_people_and_spreadsheets_write_is_read(lake: Lake, content: bytes) -> None:
    lake.decisions_path.write_bytes(content)
    assert [(key_l[:25], key_r, verdict) for key_l, key_r, verdict in verdicts_of(read_decisions(lake))] == [(A, B, "same")]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([f"{A},{B},same"], "line 2: expected 4 cells"),
        ([f"{A},{B},same,x,y"], "line 2: expected 4 cells"),
        ([f"{A},{B},same,x", f"{A},{B},Same,x"], "line 3: the verdict is same or different, not 'Same'; did you mean 'same'?"),
        ([f"{A},{B},equal,x"], "line 2: the verdict is same or different, not 'equal'"),
        ([f"{A},{A},same,x"], f"line 2: {A} is paired with itself"),
        ([f"{A[:13]},{B},same,x"], f"as in records.record_key), found '{A[:13]}'; `paperlake decide` takes the first digits"),
        ([f"p1365c7772c1131f9,{B},same,x"], "found 'p1365c7772c1131f9'"),
        ([f",{B},same,x"], "found nothing"),
        ([f'{A},{B},same,"one\nreason"', f'{A},{C},same,"not closed', f"{A},{D},same,x"], "line 4: no row of CSV"),
    ],
)  # fmt: skip
def test_a_row_that_is_amiss_is_named_by_its_line(lake: Lake, rows: list[str], says: str) -> None:
    write(lake, *rows)
    with pytest.raises(DecisionError) as caught:
        read_decisions(lake)
    assert says in str(caught.value) and str(lake.decisions_path) in str(caught.value)
    assert caught.value.exit_code == 2


def test_another_header_and_another_encoding_are_named(lake: Lake) -> None:
    write(lake, header="record_key_l;record_key_r;verdict;because\n")
    with pytest.raises(
        DecisionError, match=r"line 1: expected the header record_key_l,record_key_r,verdict,because, found record"
    ):
        read_decisions(lake)
    lake.decisions_path.write_bytes(f"{HEADER}{A},{B},same,Müller\n".encode("latin-1"))
    with pytest.raises(DecisionError, match="line 2: expected UTF-8"):
        read_decisions(lake)


def test_a_folder_in_the_files_place_is_answered_in_a_sentence(lake: Lake) -> None:
    lake.decisions_path.mkdir(parents=True)
    with pytest.raises(DecisionError, match="cannot be read"):
        read_decisions(lake)


def test_a_contradiction_names_every_line_of_its_chain(lake: Lake) -> None:
    write(lake, f"{A},{B},same,x", f"{C},{D},same,not in it", f"{A},{C},different,y", f"{C},{B},same,z")
    with pytest.raises(DecisionError) as caught:
        read_decisions(lake)
    assert "lines 2, 4, 5 contradict each other" in str(caught.value)
    assert f"line 4: {A} different {C} (because: y)" in str(caught.value)
    assert "not in it" not in str(caught.value)


def test_one_pair_that_is_same_and_different_is_a_contradiction(lake: Lake) -> None:
    write(lake, f"{A},{B},same,x", f"{B},{A},different,y")
    with pytest.raises(DecisionError, match="lines 2, 3 contradict each other"):
        read_decisions(lake)


def test_different_chains_nothing(lake: Lake) -> None:
    write(lake, f"{A},{B},different,x", f"{B},{C},different,x", f"{A},{C},same,x")
    assert len(read_decisions(lake)) == 3


def test_the_first_decision_makes_the_file(lake: Lake) -> None:
    decision, is_new = add_decision(lake, new_decision(B, A, "same", 'a "reason", with\ntwo lines'))
    assert is_new and (decision.pair, decision.line) == ((A, B), 2)
    assert lake.decisions_path.read_text() == f'{HEADER}{A},{B},same,"a ""reason"", with\ntwo lines"\n'


@pytest.mark.parametrize(("before", "after"), [("", "\n"), ("\n", "\n"), ("\r\n", "\r\n")])
def test_what_stands_in_the_file_stays_as_it_is(lake: Lake, before: str, after: str) -> None:
    content = f"\ufeff{HEADER}\n {A},{B} ,same, by hand{before}".encode()
    lake.decisions_path.write_bytes(content)
    add_decision(lake, new_decision(C, D, "different", "é"))
    filled = b"\n" if before == "" else b""
    assert lake.decisions_path.read_bytes() == content + filled + f"{C},{D},different,é{after}".encode()
    assert len(read_decisions(lake)) == 2


def test_a_decision_that_stands_there_is_not_written_again(lake: Lake) -> None:
    add_decision(lake, new_decision(A, B, "same", "x"))
    content = lake.decisions_path.read_bytes()
    decision, is_new = add_decision(lake, new_decision(B, A, "same", "another reason"))
    assert (decision.line, decision.because, is_new) == (2, "x", False)
    assert lake.decisions_path.read_bytes() == content


def test_a_decision_that_contradicts_others_is_refused_with_them_and_nothing_is_written(lake: Lake) -> None:
    write(lake, f"{A},{B},same,x", f"{B},{C},same,y")
    content = lake.decisions_path.read_bytes()
    with pytest.raises(DecisionError) as caught:
        add_decision(lake, new_decision(A, C, "different", "z"))
    assert "lines 2, 3 and the new decision contradict each other" in str(caught.value)
    for said in (f"line 2: {A} same {B}", f"line 3: {B} same {C}", f"new: {A} different {C} (because: z)"):
        assert said in str(caught.value)
    assert lake.decisions_path.read_bytes() == content


def test_a_link_to_a_file_elsewhere_stays_a_link(lake: Lake, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.csv"
    elsewhere.write_text(HEADER)
    lake.decisions_path.symlink_to(elsewhere)
    add_decision(lake, new_decision(A, B, "same", "x"))
    assert lake.decisions_path.is_symlink() and A in elsewhere.read_text()


KEYS = st.sampled_from([f"k{letter * 24}" for letter in "abcdef0"])
DECISIONS = st.lists(st.tuples(KEYS, KEYS, st.sampled_from(["same", "different"])).filter(lambda d: d[0] != d[1]), max_size=9)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(DECISIONS)
def test_contradictions_are_found_wherever_a_chain_of_same_meets_a_different(rows: list[tuple[str, str, str]]) -> None:
    group = {key: key for row in rows for key in row[:2]}
    for left, right, verdict in rows:
        if verdict == "same":
            group = {key: group[left] if name == group[right] else name for key, name in group.items()}
    is_contradictory = any(verdict == "different" and group[left] == group[right] for left, right, verdict in rows)
    decisions = [new_decision(*row, "x") for row in rows]
    if is_contradictory:
        with pytest.raises(DecisionError):
            refuse_contradictions(decisions)
    else:
        refuse_contradictions(decisions)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(because=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_reason_is_read_back(tmp_path_factory: pytest.TempPathFactory, because: str) -> None:
    lake = Lake(tmp_path_factory.mktemp("lake"))
    add_decision(lake, new_decision(A, B, "same", because))
    (decision,) = read_decisions(lake)
    assert decision.because == because.replace("\r\n", "\n").replace("\r", "\n").strip()
    with lake.decisions_path.open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 2
