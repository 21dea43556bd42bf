"""Pages of abstracts: headings, paragraphs, and every byte accounted for."""

import codecs
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.readers.abstract_list import READER, sniff
from transforms.readers.base import Sample
from transforms.readers.headings import heading_context

PEBBLES = (
    "We sort pebbles by the sound they make when they fall. Our method needs one microphone and no light at all. On three "
    "beaches it sorts faster than people do, and on the fourth, where the wind is strong, just as fast. The pebbles were not "
    "harmed, and all of them lie where they lay before."
)
FERRIES = (
    "Ferries wait for the tide, and locks wait for the ferries. We show that a lock that opens before it is asked shortens the "
    "queue by a third, prove that no schedule does better than by a half, and give results for two rivers and one canal. The "
    "canal's keeper agrees with them."
)
KITES = (
    "A kite that is let go does not come back. In this paper we ask how long it takes until somebody else flies it, and find "
    "that in towns with one hill or more it takes a week. Experiments with forty kites, of which thirty-one were seen again, "
    "agree with our model up to a day."
)


@pytest.fixture
def reading(stage):
    return lambda content: stage(content, reader=READER)


def abstracts(staged):
    return [row["abstract"] for row in staged.raw]


def context(staged):
    return staged.records.select("venue_raw", "year_raw").rows()


def sniffed(text: str, is_whole: bool = True) -> float:
    head = text.encode()
    return sniff(Sample(head, text, len(head) + (not is_whole))).confidence


def wrapped(text: str, width: int = 60) -> str:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def test_paragraphs_become_records_with_the_venue_and_year_of_the_heading(reading):
    found = reading(f"ICLR 2024 论文列表\n\n{PEBBLES}\n\n{FERRIES}")
    assert abstracts(found) == [PEBBLES, FERRIES]
    assert context(found) == [("ICLR", "2024")] * 2
    assert found.records["abstract_raw"].to_list() == [PEBBLES, FERRIES]
    assert found.kinds == ["heading", "separator", "separator"]


def test_a_span_is_the_paragraph_with_its_line_end(reading):
    found = reading(f"Papers of ACL 2023\n\n{PEBBLES}\n\n{FERRIES}\n")
    assert found.text_of(found.records)[0].decode() == f"{PEBBLES}\n"


def test_wrapped_lines_are_one_paragraph_with_its_line_ends_as_given(reading):
    found = reading(f"NeurIPS 2022 accepted abstracts\n\n{wrapped(PEBBLES)}\n\n{wrapped(FERRIES)}\n\n{wrapped(KITES)}\n")
    assert abstracts(found) == [wrapped(PEBBLES), wrapped(FERRIES), wrapped(KITES)]


@pytest.mark.parametrize("width", [40, 72, 120])
def test_a_wrapped_paragraph_that_begins_like_a_heading_is_not_split(reading, width):
    text = wrapped(f"Accepted papers at ICLR 2023 and NeurIPS 2022 differ in length. {PEBBLES}", width)
    assert abstracts(reading(f"{text}\n\n{wrapped(KITES, width)}\n")) == [text, wrapped(KITES, width)]


def test_paragraphs_one_a_line_need_no_empty_lines_between(reading):
    found = reading(f"ICLR 2024\n{PEBBLES}\n{FERRIES}\n{KITES}\n")
    assert abstracts(found) == [PEBBLES, FERRIES, KITES]
    assert context(found) == [("ICLR", "2024")] * 3


def test_without_a_heading_there_is_no_venue_and_no_year(reading):
    found = reading(f"{PEBBLES}\n\n{FERRIES}\n\n{KITES}\n")
    assert abstracts(found) == [PEBBLES, FERRIES, KITES]
    assert context(found) == [(None, None)] * 3


def test_each_heading_governs_what_follows_it(reading):
    found = reading(f"ICLR 2024 papers\n\n{PEBBLES}\n\nAbstracts of COLM 2025\n\n{FERRIES}\n\nAccepted papers\n\n{KITES}\n")
    assert context(found) == [("ICLR", "2024"), ("COLM", "2025"), ("COLM", "2025")]
    assert found.kinds.count("heading") == 3


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_line_ends_marks_and_trailing_empty_lines_are_no_part_of_an_abstract(reading, line_end, mark, encoding):
    text = line_end.join(["ICLR 2024 论文列表", "", PEBBLES, "", FERRIES, "", "  ", ""])
    found = reading(mark + text.encode(encoding))
    assert abstracts(found) == [PEBBLES, FERRIES]
    assert context(found) == [("ICLR", "2024")] * 2
    assert found.kinds == (["byte_order_mark"] if mark else []) + ["heading", "separator", "separator", "separator"]


@pytest.mark.parametrize(
    "flaw",
    [
        "Sorting Pebbles by Sound",
        "N/A",
        "- one\n- two\n- three, which is longer",
        "TY  - JOUR\nAU  - Lee, A.\nTI  - Pebbles\nER  - ",
        "x" * 300,
    ],
)
def test_what_is_no_abstract_is_a_reject_and_not_furniture(reading, flaw):
    found = reading(f"ICLR 2024 papers\n\n{PEBBLES}\n\n{flaw}\n\n{FERRIES}\n")
    assert abstracts(found) == [PEBBLES, FERRIES]
    assert found.rejects.select("reason", "text").rows() == [("not_an_abstract", f"{flaw}\n")]


@pytest.mark.parametrize(
    ("line", "venue", "year"),
    [
        ("ICLR 2024 论文列表", "ICLR", "2024"),
        ("ICLR2024论文列表", "ICLR", "2024"),
        ("# NeurIPS 2022 accepted abstracts", "NeurIPS", "2022"),
        ("Papers of ACL 2023", "ACL", "2023"),
        ("List of accepted papers, CVPR'21", "CVPR", "2021"),
        ("Liste der Beiträge zur KI 2019", "zur KI", "2019"),
        ("Articles acceptés à la conférence TALN 2018", "à la conférence TALN", "2018"),
        ("Accepted Papers", None, None),
        ("International Conference on Machine Learning 2021", "International Conference on Machine Learning", "2021"),
        ("2023", None, "2023"),
    ],
)
def test_a_heading_names_venue_and_year(line, venue, year):
    assert heading_context(line) == {
        name: value for name, value in (("venue_raw", venue), ("year_raw", year)) if value is not None
    }


@pytest.mark.parametrize(
    "line",
    [
        "Sorting Pebbles by Sound",
        "In this paper, we propose a method for learning the",
        "title,authors,abstract,year",
        "It was accepted in 2019.",
        PEBBLES,
        "",
    ],
)
def test_other_lines_are_no_headings(line):
    assert heading_context(line) is None


def test_a_list_of_abstracts_is_known():
    assert sniffed(READER.example) > 0.8
    assert sniffed(f"{PEBBLES}\n\n{FERRIES}\n\n{KITES}\n") > 0.6
    assert sniffed(f"ICLR 2024 论文列表\n\n{PEBBLES}\n\n{FERRIES}\n\n{KITES[:40]}", is_whole=False) > 0.8
    assert sniffed(f"ICLR 2024 论文列表\n\n{wrapped(PEBBLES)}\n\n{wrapped(FERRIES)}\n") > 0.8


README = (
    "# pebbles\n\nA tool that sorts pebbles.\n\n## Installing\n\n```\npip install pebbles\n```\n\n" + KITES + "\n\n## Usage\n\n"
    "Call `sort()`.\n"
)
ARTICLE = "\n\n".join(
    [
        "Sorting Pebbles by Sound",
        "1 Introduction",
        f"{PEBBLES} See Section 2.",
        "Some do not [3].",
        f"{FERRIES} Figure 1 tells.",
        KITES,
    ]
)
LOG = "".join(
    f"2024-05-01 12:00:{second:02} INFO worker took the next pebble and sorted it in 0.{second} s\n" for second in range(60)
)
RULES = "\n\n".join(["Everybody must be quiet on the beach after sunset, " * 6 + "or leave."] * 5)


@pytest.mark.parametrize(
    "text", [README, ARTICLE, LOG, RULES, "", PEBBLES, "ICLR 2024 论文列表\n", "def f():\n    return 1\n" * 9]
)
def test_other_prose_is_not_taken_for_a_list_of_abstracts(text):
    assert sniffed(text) < 0.5


@given(st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_damaged_file_is_refused_or_every_byte_is_accounted_for(stage, data):
    mark, encoding = data.draw(
        st.sampled_from([(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")])
    )
    content = bytearray(mark + f"ICLR 2024 论文列表\r\n\r\n{wrapped(PEBBLES)}\n\n{FERRIES}\r\n\n".encode(encoding))
    del content[data.draw(st.integers(0, len(content))) :]
    for position in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=4)) if content else ():
        content[position] ^= 1 << data.draw(st.integers(0, 7))
    content += data.draw(st.binary(max_size=10))
    assert set(stage(bytes(content), reader=READER).reasons) <= {"binary", "bad_encoding", "not_an_abstract"}


@given(st.text("ab \n\r\té论", max_size=60))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_any_text_is_covered(stage, text):
    assert stage(text, reader=READER).facts.verdict == "read"


@pytest.mark.parametrize("name", ["000", "004"])
def test_the_seeds_are_read_as_they_should_be(shared, name, reading):
    (seed,) = (shared / "seeds").glob(f"{name}*.txt")
    expected = (shared / "expected" / "seeds" / f"{name}_abstracts.jsonl").read_text(encoding="utf-8").splitlines()
    found = reading(seed.read_bytes())
    assert [{"abstract": abstract} for abstract in abstracts(found)] == [json.loads(line) for line in expected]
    assert context(found) == [("ICLR", "2024")] * len(expected)
    assert found.rejects.height == 0


def test_two_abstracts_without_a_heading_are_refused_with_a_reason_that_does_not_contradict_itself():
    text = "\n\n".join(["We sort pebbles by the sound they make, and our results show that it works on every beach. " * 3] * 2)
    found = sniff(Sample(text.encode(), text, len(text)))
    assert found.confidence < 0.5
    assert "3 abstracts are needed" in found.reason
