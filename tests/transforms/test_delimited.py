"""Tables with a header: every cell as given, every row accounted for."""

import codecs
import csv
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from transforms.readers.base import RawFile, Sample
from transforms.readers.delimited import READER, read, sniff
from transforms.readers.delimited_entries import Quoting, find_entries, split_cells
from transforms.readers.limits import ReadLimits

HEADER = "title,authors,year\n"


@pytest.fixture
def reading(stage):
    return lambda content: stage(content, reader=READER)


def sniffed(text: str) -> float:
    head = text.encode()
    return sniff(Sample(head, text, len(head))).confidence


@pytest.mark.parametrize(
    ("delimiter", "name"), [(",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "pipe")], ids=lambda value: repr(value)
)
def test_each_delimiter_is_found(reading, delimiter, name):
    found = reading(f"id{delimiter}Title\n1{delimiter}Sorting Pebbles\n")
    assert found.raw == [{"id": "1", "Title": "Sorting Pebbles"}]
    assert found.records.select("source_key", "title_raw", "locator").row(0) == ("1", "Sorting Pebbles", "row 1")
    assert found.facts.form == name


def test_values_stay_the_text_they_are(reading):
    found = reading('title,year,pages\n"",007,1.50\nNone, 2024 ,"a ""b"""\n')
    assert found.raw == [{"title": "", "year": "007", "pages": "1.50"}, {"title": "None", "year": " 2024 ", "pages": 'a "b"'}]


def test_a_quoted_cell_may_hold_line_ends_and_delimiters(reading):
    found = reading('title,abstract\nA,"one, two\r\nthree\n\nfour"\nB,short\n')
    assert [row["abstract"] for row in found.raw] == ["one, two\r\nthree\n\nfour", "short"]
    assert found.records["locator"].to_list() == ["row 1", "row 2"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_line_ends_and_byte_order_marks_are_no_part_of_a_value(reading, line_end, mark, encoding):
    text = line_end.join(["title,authors", "Über Kähne,Łukasz Nowak", ""])
    found = reading(mark + text.encode(encoding))
    assert found.raw == [{"title": "Über Kähne", "authors": "Łukasz Nowak"}]
    assert found.facts.encoding == encoding


def test_windows_1252_is_known_by_not_being_utf_8(reading):
    assert reading("title,year\n“Über” Kähne,2020\n".encode("cp1252")).raw[0]["title"] == "“Über” Kähne"


def test_a_row_with_too_few_or_too_many_cells_costs_only_itself(reading):
    found = reading(HEADER + "A,x,2020\nB,y\nC,z,2021,more\nD,w,2022\n")
    assert [row["title"] for row in found.raw] == ["A", "D"]
    assert found.rejects.select("reason", "text", "locator").rows() == [
        ("ragged_row", "B,y\n", "row 2"),
        ("ragged_row", "C,z,2021,more\n", "row 3"),
    ]


def test_empty_cells_beyond_the_header_are_no_fault(reading):
    assert reading(HEADER + "A,x,2020,,\n").raw == [{"title": "A", "authors": "x", "year": "2020"}]


def test_a_quote_that_is_never_closed_costs_one_line(reading):
    found = reading(HEADER + 'A,"x,2020\nB,y,2021\nC,z,2022\n')
    assert [row["title"] for row in found.raw] == ["B", "C"]
    assert found.rejects.select("reason", "text").rows() == [("unclosed_quote", 'A,"x,2020\n')]


def test_a_stray_quote_does_not_swallow_the_rows_up_to_the_next_quoted_cell(reading):
    found = reading(HEADER + 'A,"x,2020\nB,y,2021\nC,"Dow, Cy",2022\n')
    assert [row["title"] for row in found.raw] == ["B", "C"]


def test_many_unclosed_quotes_are_read_in_good_time(reading):
    found = reading(HEADER + 'a"b,"c\n' * 20_000)
    assert found.records.height == 0


def test_quotes_that_are_part_of_the_text_stay(reading):
    found = reading('title\tyear\n"Smart" pebbles\t2020\nThe "smart" one\t2021\n"Smart ""one"""\t2022\n')
    assert [row["title"] for row in found.raw] == ['"Smart" pebbles', 'The "smart" one', 'Smart "one"']


def test_columns_of_one_name_are_told_apart_and_unnamed_ones_numbered(reading):
    assert reading("title,note,note,\nA,1,2,3\n").raw == [{"title": "A", "note": "1", "note_2": "2", "column_4": "3"}]


def test_the_separator_line_of_excel_is_no_header(reading):
    assert reading("sep=;\ntitle;year\nA;2020\n").raw == [{"title": "A", "year": "2020"}]


def test_blank_lines_are_no_entries(reading):
    found = reading("\n" + HEADER + "\nA,x,2020\n\n\n")
    assert found.records.height == found.facts.entries_counted == 1


def test_a_header_without_rows_is_an_empty_list(reading):
    assert reading(HEADER).records.height == 0


def test_a_file_without_a_known_header_is_refused(reading):
    found = reading("name,size\nfoo,1\n")
    assert found.reasons == ["not_a_paper_list"]
    assert found.facts.message.startswith("expected a header")


def test_a_table_of_papers_is_known():
    assert sniffed(READER.example) > 0.9
    assert sniffed("Paper Title\tAuthor(s)\nPebbles\tAnn Lee\n") > 0.9


@pytest.mark.parametrize(
    "text",
    [
        "name,size,colour\nfoo,1,red\n",
        "Title, abstract and keywords must be given, as the editors say.\nNothing else, please.\n",
        "@article{lee,\n  title = {Pebbles},\n  year = 2020,\n}\n",
        "| title | year |\n|-------|------|\n| A     | 2020 |\n",
        "title | year\n--- | ---\nA | 2020\n",
        "title: Pebbles\nauthors: Ann, Bo\n",
        "Title\nPebbles are stones.\n\n" + "A paragraph of text follows here. " * 20 + "\n",
        "doi\nis what this is about\n",
        "",
    ],
)
def test_another_text_is_not_taken_for_a_table(text):
    assert sniffed(text) < 0.5


@pytest.mark.parametrize("mark", ["%", ">", "^", "~", "¦"])
def test_any_other_character_may_delimit(reading, mark):
    found = reading(
        f"title{mark}authors{mark}year\nSorting Pebbles{mark}Ann Lee{mark}2024\nTides, Locks{mark}Bo Li{mark}2023\n"
    )
    assert [list(row.values()) for row in found.raw] == [
        ["Sorting Pebbles", "Ann Lee", "2024"],
        ["Tides, Locks", "Bo Li", "2023"],
    ]


def test_the_separator_line_names_any_delimiter(reading):
    assert reading("sep=%\ntitle%year\nA, B; C%2020\n").raw == [{"title": "A, B; C", "year": "2020"}]


def test_lines_before_the_header_are_no_entries_and_are_quoted_in_the_note(stage):
    text = "Scopus\nEXPORT DATE: 6 May 2024\n\nAuthors,Title,Year\nAnn Lee,Sorting Pebbles,2024\nBo Li,Tides,2023\n"
    staged = stage(text)
    assert staged.records["title_raw"].to_list() == ["Sorting Pebbles", "Tides"]
    assert staged.facts.message == "before the header: Scopus / EXPORT DATE: 6 May 2024"


@pytest.mark.parametrize(
    "text",
    [
        "# Reading list\n\nThe columns are title, authors and year.\n\ntitle,authors,year\n\nwhich you fill in.\nNot so.\n",
        "import csv\nrows = []\nfor title, author in rows:\n    print(title, author)\n    print(2, 3)\n",
        "- title: Pebbles\n  authors: Ann\n- title: Tides\n  authors: Bo\n",
        "title: author: year\n",
        "cff-version: 1.2.0\nreferences:\n  - type: article\n    doi: 10.5555/a\n    title: Pebbles\n    year: 2020\n",
        "<list>\n<title>A</title><abstract>\n<title>B</title><abstract>\n<title>C</title><abstract>\n",
    ],
)
def test_a_text_that_speaks_of_columns_is_no_table(text):
    assert sniffed(text) < 0.5


def test_one_column_of_titles_is_a_table(reading):
    found = reading("Title\nSorting Pebbles, by Sound\n\nTides\n")
    assert found.raw == [{"Title": "Sorting Pebbles, by Sound"}, {"Title": "Tides"}]
    assert found.facts.form == "one column"
    assert reading("doi\n10.5555/a\n10.5555/b\n").records["doi_raw"].to_list() == ["10.5555/a", "10.5555/b"]


def test_single_quotes_quote_where_the_file_as_a_whole_says_so(reading):
    found = reading("'title','year'\n'Tides, Locks','2020'\n'The miller''s art','2021'\n")
    assert [row["title"] for row in found.raw] == ["Tides, Locks", "The miller's art"]
    found = reading("title,year\n'Tides' again,2020\nThe miller's art,2021\n")
    assert [row["title"] for row in found.raw] == ["'Tides' again", "The miller's art"]


def test_quotes_behind_backslashes_are_quotes_where_the_file_as_a_whole_says_so(reading):
    found = reading('title,year\n"A \\"smart\\" stone, or two",2020\n"\\\\alpha \\beta",2021\n')
    assert [row["title"] for row in found.raw] == ['A "smart" stone, or two', "\\\\alpha \\beta"]
    found = reading('title,year\n"In C:\\",2020\n"A ""smart"" stone",2021\n')
    assert [row["title"] for row in found.raw] == ["In C:\\", 'A "smart" stone']


def test_rows_that_lack_empty_cells_at_their_end_are_filled_where_the_file_does_so(reading):
    whole = "A,x,2020,,\nB,y,2021,10.5555/b,\nC,z,2022,,note\n"
    found = reading("title,authors,year,doi,note\n" + whole + "D,w,2023\nE,v,2024,10.5555/e\nF,u\n")
    assert [row["title"] for row in found.raw] == ["A", "B", "C", "D", "E"]
    assert found.raw[3]["note"] == ""
    assert found.rejects["text"].to_list() == ["F,u\n"]


def test_a_header_that_ends_in_delimiters_or_lacks_rs_row_names_is_no_fault(reading):
    assert reading("title,year,,\nA,2020\nB,2021\n").raw[0] == {"title": "A", "year": "2020"}
    assert reading("title,year\n1,A,2020\n2,B,2021\n").raw[0] == {"column_1": "1", "title": "A", "year": "2020"}


def test_ids_of_openreview_are_known_by_their_form(stage):
    rows = "2p_5F9sHN9\t6.0\tReject\nvyn49BUAkoD\t3.0\tAccept (Poster)\nnUoI0DKg_Ti\t3.0\tReject\n"
    for name in ("paper_id", ""):
        staged = stage(f"{name}\t0\tdecision\n{rows}")
        assert staged.records["openreview_id_raw"].to_list() == ["2p_5F9sHN9", "vyn49BUAkoD", "nUoI0DKg_Ti"]
    assert stage("paper_id\t0\tdecision\n" + rows.replace("vyn49BUAkoD", "12345")).facts.reader is None


def test_a_nul_byte_in_a_cell_costs_no_row(stage):
    rows = "".join(f"Pebbles {number},Ann Lee,2020\n" for number in range(200))
    staged = stage(HEADER + rows + "Ti\0des,Bo Li,2021\n" + rows)
    assert (staged.records.height, staged.reasons) == (401, [])
    assert staged.raw[200]["title"] == "Ti\0des"
    assert stage(HEADER + "Ti\0des,Bo Li,2021\n").reasons == ["binary"], "a short text with NUL bytes is none"


def test_limits_hold_for_columns_and_lines(stage):
    wide = "title,authors," + ",".join(f"c{n}" for n in range(100_000)) + "\n"
    assert stage(wide + "A\n").reasons == ["too_many_columns"]
    staged = stage(HEADER + "A," + "x" * 5_000 + ",2020\nB,y,2021\n", limits=ReadLimits(entry_bytes=1_000))
    assert (staged.reasons, [row["title"] for row in staged.raw]) == (["entry_too_long"], ["B"])


@given(
    st.lists(st.lists(st.text("ab,;\t\"'\r\n é|", max_size=8), min_size=2, max_size=2), max_size=8), st.sampled_from(",;\t|")
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_what_the_csv_module_writes_is_read_back(stage, rows, delimiter):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter).writerows([["title", "abstract"], *rows])
    found = stage(written.getvalue(), reader=READER)
    assert [list(row.values()) for row in found.raw] == rows


QUOTINGS = [Quoting(","), Quoting(",", "'"), Quoting(",", is_escaped=True), Quoting("^"), Quoting("|")]


@given(st.lists(st.text("ab,\"'\\^|\r\n", max_size=12)), st.sampled_from(QUOTINGS))
@settings(max_examples=800, deadline=None, derandomize=True)
def test_the_scan_for_quotes_and_the_csv_module_agree_on_every_entry(pieces, quoting):
    text = "".join(pieces)
    lines = io.StringIO(text, newline="")
    entries = list(find_entries(iter(lines.readline, ""), quoting, ReadLimits()))
    assert [cells is not None for cells in split_cells(entries, quoting)] == [entry.is_closed for entry in entries]
    assert "".join(entry.text for entry in entries).replace("\n", "").replace("\r", "") == text.replace("\n", "").replace(
        "\r", ""
    )


@given(st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_damaged_file_is_refused_or_balances(stage, data):
    content = bytearray((HEADER + 'Ä,"x, ""y""\nz",2020\nB,y,2021\n' * 3).encode())
    del content[data.draw(st.integers(0, len(content))) :]
    for position in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=4)) if content else ():
        content[position] ^= 1 << data.draw(st.integers(0, 7))
    content += data.draw(st.binary(max_size=10))
    assert set(stage(bytes(content), reader=READER).reasons) <= {"not_a_paper_list", "binary", "ragged_row", "unclosed_quote"}


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_random_bytes_are_refused(stage, content):
    assert stage(content, reader=READER).facts.verdict != "read"


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("cytology_screening", 1856),
        ("dblp_acm", 4910),
        ("diabetes", 1845),
        ("digital_work", 7159),
        ("haematology", 1415),
        ("mis_mixed", 5379),
    ],
)
def test_the_labelled_sets_are_read_whole(shared, name, count):
    path = shared / "bench" / "dedup" / name / "records.csv"
    batches = list(read(RawFile(path, path.stat().st_size)))
    assert sum(batch.records.height for batch in batches) == sum(batch.entries_counted or 0 for batch in batches) == count
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [json.loads(raw) for batch in batches for raw in batch.records["raw"]] == rows


PIECES = [
    "title",
    "authors",
    "year",
    ",",
    ";",
    "\t",
    "|",
    "%",
    '"',
    "'",
    '\\"',
    "\\",
    "\n",
    "\r\n",
    "\r",
    " ",
    "é",
    "A",
    "2020",
    "10.5555/a",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.sampled_from(["", "title,authors\n", "x\ntitle;year\nA;1\nB;2\n"]),
)
@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_refused_or_accounted_for(stage, text, beginning):
    assert "reader_failed" not in stage(beginning + text).reasons


NAMES = st.sampled_from(
    ["title", "doi", "Code", "github", "project", "authors", "paper_title", "100 %", 'a"b', "x\\y", "id", "Author(s) ID"]
)


@given(st.lists(NAMES, min_size=2, max_size=7, unique=True), st.data())
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_read_in_columns_are_what_they_are_one_by_one(stage, monkeypatch, names, data):
    cells = st.sampled_from(["", "A", "é\u2028", 'q"', "\\", "%s", "\x1b", " ", "None"])
    rows = data.draw(st.lists(st.lists(cells, min_size=len(names), max_size=len(names)), max_size=5))
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["title", *names], *([f"Pebbles {number}", *row] for number, row in enumerate(rows))])
    fast = stage(text.getvalue())
    with monkeypatch.context() as patched:
        patched.setattr("transforms.readers.delimited.text_records", lambda *_: None)
        slow = stage(text.getvalue())
    assert_frame_equal(fast.records, slow.records)
    assert_frame_equal(fast.column_map, slow.column_map)
