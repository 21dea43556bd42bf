"""Pages of the dataset viewer, made by hand: every form and fault that a saved page is known to have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from transforms.readers.base import Batch, RawFile, ReadError, Sample
from transforms.readers.viewer_page import READER, read, sniff

HEAD = (
    "title\nstringlengths 5\n40\n| url\nstringlengths 25\n25\n| abstract\nstringlengths 20\n120\n"
    "| tags\nstringclasses 3\nvalues\n"
    "|\n|---|---|---|---|\n"
)
FOOTER = (
    "Subsets and Splits\nNo community queries yet\n"
    "The top public SQL queries from the community will appear here once available."
)
PEBBLES = ("Pebbles sorted by sound", "https://example.org/p/aaa", "We sort pebbles by the sound they make.", "Oral")
FERRIES = ("Ferries wait for the tide", "https://example.org/p/bbb", "A ferry that waits is late but dry, we show.", "Poster")
LADDERS = ("Ladders for short giants", "https://example.org/p/ccc", "Short giants climb too; here is how they do it.", "Oral")
KETTLES = ("Kettles that sing alone", "https://example.org/p/ddd", "Some kettles sing; we listened to a hundred.", "Spotlight")
THIMBLES = ("Thimbles as helmets", "https://example.org/p/eee", "A thimble fits an ant; we measure how well.", "Poster")
COLUMNS = ("title", "url", "abstract", "tags")


def table(*rows: tuple[str, ...], head: str = HEAD, footer: str = FOOTER) -> str:
    return head + "".join(" | ".join(row) + " |\n" for row in rows) + footer


def lines(*rows: tuple[str, ...], footer: str = FOOTER) -> str:
    head = (
        HEAD.partition("|\n|---")[0]
        .replace("| ", "")
        .replace("stringlengths ", "stringlengths\n")
        .replace("classes ", "classes\n")
    )
    return head + "".join("\n".join(row) + "\n" for row in rows) + footer


@pytest.fixture
def read_page(tmp_path: Path):
    """Reads a page and proves that its spans are disjoint and cover it."""

    def _read(page: str | bytes) -> list[Batch]:
        data = page.encode() if isinstance(page, str) else page
        path = tmp_path / "page"
        path.write_bytes(data)
        batches = list(read(RawFile(path, len(data))))
        frames = [frame for batch in batches for frame in (batch.records, batch.rejects, batch.furniture)]
        spans = sorted(span for frame in frames for span in frame.select("span_start", "span_end").rows())
        assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == len(data)
        return batches

    return _read


def rows_of(batches: list[Batch]) -> list[tuple[str, ...]]:
    return [tuple(json.loads(raw).values()) for batch in batches for raw in batch.records["raw"]]


def reasons(batches: list[Batch]) -> list[str]:
    return [reason for batch in batches for reason in batch.rejects["reason"]]


def kinds(batches: list[Batch]) -> list[str]:
    return [kind for batch in batches for kind in batch.furniture["kind"]]


def verdicts(batch: Batch) -> dict[tuple[str, str], str]:
    return {
        (name, statistic): verdict
        for name, statistic, verdict in batch.control_totals.select("column_name", "statistic", "verdict").rows()
    }


def test_table_gives_each_row_as_given_in_head_order(read_page):
    [batch] = read_page(table(PEBBLES, FERRIES))
    assert rows_of([batch]) == [PEBBLES, FERRIES]
    assert list(json.loads(batch.records["raw"][0])) == list(COLUMNS)
    assert batch.records["locator"].to_list() == ["row 1", "row 2"]
    assert batch.records["title_raw"].to_list() == [PEBBLES[0], FERRIES[0]]
    assert kinds([batch]) == ["page_head", "page_footer"]
    assert batch.form == "table"


def test_one_token_a_line_gives_the_same_records(read_page):
    batches = read_page(lines(PEBBLES, FERRIES, LADDERS))
    assert rows_of(batches) == [PEBBLES, FERRIES, LADDERS]
    assert batches[0].form == "one token a line"


def test_one_token_a_line_with_line_breaks_in_abstracts(read_page):
    broken = (FERRIES[0], FERRIES[1], "A ferry that waits\nis late but dry,\n\nwe show.", FERRIES[3])
    others = [KETTLES, LADDERS, THIMBLES]
    assert rows_of(read_page(lines(PEBBLES, broken, *others))) == [PEBBLES, broken, *others]


def test_one_token_a_line_with_a_line_break_that_two_columns_could_hold_is_ambiguous(read_page):
    """The break may stand in the abstract, or "we show." be a class and the title begin with "Poster"."""
    broken = (FERRIES[0], FERRIES[1], "A ferry that waits\nis late but dry,\n\nwe show.", FERRIES[3])
    batches = read_page(lines(PEBBLES, broken, LADDERS))
    assert rows_of(batches) == [PEBBLES]
    assert reasons(batches) == ["ambiguous_row"]


def test_span_of_a_record_holds_its_values_and_its_line_end(read_page):
    page = table(PEBBLES, FERRIES)
    [batch] = read_page(page)
    start, end = batch.records.select("span_start", "span_end").row(1)
    assert page.encode()[start:end].decode() == " | ".join(FERRIES) + " |\n"


def test_byte_order_mark_and_crlf_change_no_value_but_line_breaks_within(read_page):
    broken = (PEBBLES[0], PEBBLES[1], "We sort pebbles\nby the sound.", PEBBLES[3])
    data = b"\xef\xbb\xbf" + table(broken, FERRIES).replace("\n", "\r\n").encode()
    [batch] = read_page(data)
    assert rows_of([batch]) == [(broken[0], broken[1], "We sort pebbles\r\nby the sound.", broken[3]), FERRIES]
    assert kinds([batch])[0] == "byte_order_mark"
    lengths = batch.control_totals.filter(column_name="abstract", statistic="min_length")["observed"].to_list()
    assert lengths == [len(broken[2])]


def test_utf16_page_has_spans_of_its_own_bytes(read_page):
    assert rows_of(read_page(("\ufeff" + table(PEBBLES)).encode("utf-16-le"))) == [PEBBLES]


def test_pipe_in_a_title_is_settled_by_the_figures(read_page):
    piped = ("Ferries | Tides", "https://example.org/p/bbb", FERRIES[2], "Poster")
    assert rows_of(read_page(table(PEBBLES, piped, LADDERS))) == [PEBBLES, piped, LADDERS]


def test_pipes_and_row_ends_in_an_abstract_are_settled_by_the_figures(read_page):
    piped = (FERRIES[0], FERRIES[1], "We write p( x | y ) and |\nwe go on | and on until the tide.", "Poster")
    assert rows_of(read_page(table(PEBBLES, piped, LADDERS))) == [PEBBLES, piped, LADDERS]


def test_pipes_and_line_breaks_in_a_title_make_no_cut_row_of_it(read_page):
    head = HEAD.replace("5\n40", "5\n90")
    piped = ("A title | of | x | y\n that goes on for short giants", *FERRIES[1:])
    plain = [(f"A plain title of number {number}", *LADDERS[1:]) for number in range(3)]
    batches = read_page(table(*plain, piped, *plain, head=head))
    assert rows_of(batches) == [*plain, piped, *plain]


def test_escaped_pipe_and_pipe_without_spaces_part_no_cells(read_page):
    piped = (FERRIES[0], FERRIES[1], r"The norm \|x - y\| and p(x|y) and a \| b stay here.", "Poster")
    assert rows_of(read_page(table(piped))) == [piped]


def test_row_that_stays_ambiguous_is_a_reject_with_its_readings(read_page):
    head = "title\nstringlengths 3\n50\n| subtitle\nstringlengths 3\n50\n|\n|---|---|\n"
    [batch] = read_page(table(("One thing", "and another"), ("Left", "middle", "right"), ("Four", "and five"), head=head))
    assert rows_of([batch]) == [("One thing", "and another"), ("Four", "and five")]
    assert reasons([batch]) == ["ambiguous_row"]
    assert "title='Left'" in batch.rejects["message"][0] and "title='Left | middle'" in batch.rejects["message"][0]
    assert batch.rejects["locator"].to_list() == ["row 2"]


def test_the_same_row_is_read_where_a_length_settles_it(read_page):
    head = "title\nstringlengths 3\n9\n| subtitle\nstringlengths 3\n50\n|\n|---|---|\n"
    batches = read_page(table(("One thing", "and another"), ("Left", "middle", "right"), ("Four", "and five"), head=head))
    assert rows_of(batches)[1] == ("Left", "middle | right")


def test_known_class_settles_a_row(read_page):
    head = "tags\nstringclasses 2\nvalues\n| title\nstringlengths 3\n50\n|\n|---|---|\n"
    rows = [("Oral", f"Title {number}") for number in range(6)]
    assert rows_of(read_page(table(*rows, ("Oral", "Left", "right"), head=head)))[-1] == ("Oral", "Left | right")


def test_sole_reading_is_a_record_though_it_breaks_every_figure(read_page):
    odd = ("X", "no address", "short", "Unheard of")
    [batch] = read_page(table(PEBBLES, odd, FERRIES))
    assert rows_of([batch]) == [PEBBLES, odd, FERRIES]
    assert verdicts(batch)["title", "min_length"] == "contradicted"


def test_figures_that_lie_lose_no_row(read_page):
    head = (
        HEAD.replace("5\n40", "50\n60")
        .replace("25\n25", "3\n4")
        .replace("20\n120", "1\n2")
        .replace("classes 3\nvalues", "classes 1\nvalue")
    )
    [batch] = read_page(table(PEBBLES, FERRIES, LADDERS, head=head))
    assert rows_of([batch]) == [PEBBLES, FERRIES, LADDERS]
    assert verdicts(batch)["abstract", "max_length"] == "contradicted"
    assert verdicts(batch)["title", "min_length"] == "contradicted"
    assert verdicts(batch)["title", "max_length"] == "partial"
    assert verdicts(batch)["tags", "classes"] == "contradicted"
    assert "contradicted" in batch.note


@pytest.mark.parametrize("cut", [" | ".join(FERRIES)[:length] for length in (8, 40, 70, 90)])
def test_row_cut_by_the_end_of_the_file_is_a_reject(read_page, cut):
    batches = read_page(table(PEBBLES, footer=cut))
    assert rows_of(batches) == [PEBBLES]
    assert reasons(batches) == ["cut_row" if "|" in cut else "unrecognised_text"]


def test_row_cut_in_the_middle_of_the_page_takes_no_other_with_it(read_page):
    page = HEAD + " | ".join(PEBBLES) + " |\n" + " | ".join(FERRIES)[:80] + "\n" + " | ".join(LADDERS) + " |\n"
    batches = read_page(page)
    assert rows_of(batches) == [PEBBLES, LADDERS]
    assert reasons(batches) == ["cut_row"]


def test_row_cut_by_the_next_page_is_a_reject(read_page):
    batches = read_page(table(PEBBLES, footer=" | ".join(FERRIES)[:70]) + table(LADDERS))
    assert rows_of(batches) == [PEBBLES, LADDERS]
    assert reasons(batches) == ["cut_row"]
    assert [batch.control_totals["page"].unique().to_list() for batch in batches] == [[1], [2]]


def test_row_cut_before_its_footer_is_a_reject(read_page):
    batches = read_page(table(PEBBLES, footer=" | ".join(FERRIES)[:70] + "\n" + FOOTER))
    assert (rows_of(batches), reasons(batches), kinds(batches)) == ([PEBBLES], ["cut_row"], ["page_head", "page_footer"])


@pytest.mark.parametrize("between", ["", "\n", "\r\n\r\n"])
def test_two_pages_in_one_file_have_totals_of_their_own(read_page, between):
    first, second = read_page(table(PEBBLES, FERRIES) + between + table(LADDERS))
    assert rows_of([first, second]) == [PEBBLES, FERRIES, LADDERS]
    assert second.control_totals["column_name"].unique(maintain_order=True).to_list() == list(COLUMNS)
    assert second.control_totals["page"].unique().to_list() == [2]
    assert second.note.count("page ") >= 2
    assert first.note is None


def test_two_pages_with_one_token_a_line(read_page):
    assert rows_of(read_page(lines(PEBBLES, FERRIES) + lines(LADDERS))) == [PEBBLES, FERRIES, LADDERS]


def test_page_of_other_columns_after_a_page_without_line_end(read_page):
    other = "name\nstringlengths 1\n9\n|\n|---|\nAnn |\n"
    batches = read_page(table(PEBBLES) + other)
    assert [json.loads(raw) for raw in batches[1].records["raw"]] == [{"name": "Ann"}]


def test_empty_page_has_no_records_and_partial_totals(read_page):
    [batch] = read_page(HEAD + FOOTER)
    assert batch.records.is_empty() and batch.rejects.is_empty()
    assert set(verdicts(batch).values()) == {"partial"}
    assert batch.control_totals["observed"].null_count() == batch.control_totals.height == 7


def test_empty_cells_are_empty_texts(read_page):
    row = ("Pebbles sorted by sound", "", "We sort pebbles by the sound.", "")
    assert rows_of(read_page(table(row, FERRIES))) == [row, FERRIES]
    row = ("", "https://example.org/p/aaa", "We sort pebbles by the sound.", "Oral")
    assert rows_of(read_page(table(row, FERRIES))) == [row, FERRIES]


def test_cut_cells_count_towards_the_greatest_length_only(read_page):
    cut = (PEBBLES[0], PEBBLES[1], "We sort...", "Oral")
    [batch] = read_page(table(cut, FERRIES))
    totals = batch.control_totals.filter(column_name="abstract")
    assert totals["observed"].to_list() == [len(FERRIES[2]), len(FERRIES[2])]
    assert rows_of([batch])[0] == cut


def test_abstract_that_speaks_of_a_footer_is_not_cut_there(read_page):
    speaks = (PEBBLES[0], PEBBLES[1], "We study how\nSubsets and Splits\nof pebbles are made.", "Oral")
    assert rows_of(read_page(table(speaks, FERRIES))) == [speaks, FERRIES]
    others = [FERRIES, KETTLES, LADDERS, THIMBLES]
    assert rows_of(read_page(lines(speaks, *others))) == [speaks, *others]


@pytest.mark.parametrize(
    "footer",
    [
        "",
        "End of preview. Expand in Data Studio\n\nPrevious\n1\n2\n3\n...\n12\nNext\n",
        "End of preview. Expand in Dataset Viewer.\n",
        "Downloads last month\n45\nEdit dataset card\n",
        "End of preview. Expand in Data Studio⟨42⟩\n* * *\n"
        "  *  Previous⟨29⟩\n  * 1⟨43⟩\n  * Next ⟨44⟩\n\n\nDownloads last month\n    45\n",
    ],
)
def test_known_footers_are_furniture(read_page, footer):
    for page in (table(PEBBLES, FERRIES, footer=footer), lines(PEBBLES, FERRIES, LADDERS, footer=footer)):
        batches = read_page(page)
        assert reasons(batches) == []
        assert kinds(batches) == ["page_head", "page_footer"][: 2 if footer else 1]


def test_text_that_is_neither_row_nor_footer_is_a_reject(read_page):
    batches = read_page(table(PEBBLES, footer="Some words of nobody.\n"))
    assert (rows_of(batches), reasons(batches)) == ([PEBBLES], ["unrecognised_text"])
    batches = read_page(table(PEBBLES, footer=FOOTER + "\nSome words of nobody.\n"))
    assert (rows_of(batches), reasons(batches)) == ([PEBBLES], ["unrecognised_text"])
    assert kinds(batches) == ["page_head", "page_footer"]


def test_text_above_the_head_is_the_pages_own_or_a_reject(read_page):
    chrome = "Dataset Viewer\nAuto-converted to Parquet\nSplit (1)\ntrain · 1.14k rows\nSQL\nConsole\n\n"
    assert kinds(read_page(chrome + table(PEBBLES)))[0] == "page_preamble"
    batches = read_page("Notes of mine\n" + chrome + table(PEBBLES))
    assert reasons(batches) == ["unrecognised_text"]
    batches = read_page("Notes of mine\n" + table(PEBBLES))
    assert (reasons(batches), rows_of(batches)) == (["unrecognised_text"], [PEBBLES])


@pytest.mark.parametrize(
    "page",
    [
        "|  Paper Title stringlengths 3 30  |  year int64 1.99k 2.02k ⌀  |  \n| --- | --- |  \n"
        "|  Pebbles  |  2023  |  \n|  Tides  |  null  |  \n",
        "Paper Title stringlengths 3 30 | year int64 1.99k 2.02k  \n---|---  \nPebbles | 2023  \nTides | null  \n",
        "| Paper Title<br>stringlengths<br>3<br>30 | year<br>int64<br>1.99k<br>2.02k |\n"
        "| --- | --- |\n| Pebbles | 2023 |\n| Tides | null |\n",
        "Paper Title\nstringlengths 3 30 | year\nint64 1.99k 2.02k |\n|---|---|\nPebbles | 2023 |\nTides | null |\n",
        "Paper Title\n\nstringlengths\n3\n30\nyear\n\nint64\n1.99k\n2.02k\nPebbles\n2023\nTides\nnull\n",
    ],
)
def test_ways_of_writing_the_same_table(read_page, page):
    [batch] = read_page(page)
    assert [json.loads(raw) for raw in batch.records["raw"]] == [
        {"Paper Title": "Pebbles", "year": "2023"},
        {"Paper Title": "Tides", "year": "null"},
    ]
    assert batch.rejects.is_empty()
    assert verdicts(batch)["year", "max_value"] == "met"


def test_every_kind_of_column(read_page):
    head = (
        "id\nint64 1\n9\n| score\nfloat64 -0.5\n2.25\n| open\nbool 2\nclasses\n| names\nlistlengths 1\n3\n"
        "| seen\ntimestamp[us]date 2020-01-01\n"
        "2021-06-30\n| nothing\nnull\n| picture\nimagewidth (px) 320\n1.02k\n| odd\nfancykind 1 2\n"
        "|\n|---|---|---|---|---|---|---|---|\n"
    )
    row = ("1", "-0.5", "true", '["Ann", "Bo", "Cy"]', "2020-01-01 00:00:00", "null", "", "what")
    [batch] = read_page(table(row, head=head))
    assert rows_of([batch]) == [row]
    assert verdicts(batch) == {
        ("id", "min_value"): "met",
        ("id", "max_value"): "partial",
        ("score", "min_value"): "met",
        ("score", "max_value"): "partial",
        ("open", "classes"): "partial",
        ("names", "min_items"): "partial",
        ("names", "max_items"): "met",
        ("seen", "min_value"): "met",
        ("seen", "max_value"): "partial",
        ("picture", "min_width"): "partial",
        ("picture", "max_width"): "partial",
    }
    assert batch.control_totals.filter(column_name="seen")["declared"].to_list() == [None, None]


def test_one_column_page(read_page):
    batches = read_page("text\nstringlengths 5\n30\n|\n|---|\nWords of one |\nWords\nof two |\n")
    assert rows_of(batches) == [("Words of one",), ("Words\nof two",)]


def test_columns_of_one_name_are_kept_apart(read_page):
    [batch] = read_page("a\nstringlengths 1\n3\n| a\nstringlengths 1\n3\n|\n|---|---|\nx | y |\n")
    assert json.loads(batch.records["raw"][0]) == {"a": "x", "a (2)": "y"}


def test_note_says_that_a_page_is_partial(read_page):
    assert read_page(table(PEBBLES))[0].note == (
        "page 1: 1 row, a page of a larger set: bounds of title, abstract not all reached; 1 of 3 tags classes seen"
    )


def test_sniff_is_sure_of_both_forms_and_of_nothing_else():
    def confidence(text: str) -> float:
        return sniff(Sample(text.encode(), text, len(text.encode()))).confidence

    assert confidence(table(PEBBLES)) > 0.9
    assert confidence(lines(PEBBLES)) > 0.9
    assert confidence("title | year\n---|---\nPebbles | 2023\n") == 0
    assert confidence("title,year\nPebbles,2023\n") == 0
    assert confidence("We measure stringlengths 1 to 2 of pebbles.\n") == 0
    assert sniff(Sample(b"\x00", None, 1)).confidence == 0
    assert confidence(READER.example) > 0.9
    assert confidence(f"# How a page looks\n\n```\n{READER.example}```\n") < 0.5, "a manual that quotes a page"
    assert confidence(f"```\nx\n```\n{READER.example}") > 0.9


def test_file_without_a_page_is_a_read_error(tmp_path):
    path = tmp_path / "page"
    path.write_text("title,year\n")
    with pytest.raises(ReadError, match="head of a dataset viewer's page"):
        list(read(RawFile(path, 11)))


@pytest.mark.parametrize("filler", [" | ", " |\n", "a | b | c | d |\n", "\n", "x\n", "| | |\n", "Previous\n1\nx\n"])
def test_hostile_page_is_covered_and_does_not_hang(read_page, filler):
    for head in (HEAD, lines(footer="")):
        read_page(head + filler * (10_000 // len(filler)))
