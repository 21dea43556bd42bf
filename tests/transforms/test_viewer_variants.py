"""Variants of dataset-viewer pages: none gives a wrong row; what the figures decide is read, what they do not is a reject."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from transforms.readers.base import Batch, RawFile
from transforms.readers.viewer_page import read

FOOTER = (
    "Subsets and Splits\nNo community queries yet\n"
    "The top public SQL queries from the community will appear here once available."
)
PAPERS = (
    "title stringlengths 12 60",
    "url stringlengths 25 25",
    "abstract stringlengths 40 200",
    "tags stringclasses 3 values",
)
ESSAYS = ("title stringlengths 12 60", "year int64 1.99k 2.02k", "essay stringlengths 40 200")
NOTES = ("left stringlengths 4 60", "right stringlengths 4 60")
TAGS = ("Oral", "Poster", "Spotlight")

Row = tuple[str, ...]


def papers(count: int) -> list[Row]:
    return [
        (
            f"How kettle number {place} sings",
            f"https://example.org/p/{place:03d}",
            f"We listened to kettle {place} for a whole winter, and it sang.",
            TAGS[place % 3],
        )
        for place in range(count)
    ]


def essays(count: int) -> list[Row]:
    return [
        (f"On the {place} uses of string", str(1990 + place), f"String is long; we measured {place} of them with some care.")
        for place in range(count)
    ]


def head(columns: tuple[str, ...], form: str) -> str:
    """The head in the form, from `name kind figure figure` for each column."""
    pieces = []
    for column in columns:
        name, kind, *figures = column.split(" ")
        if figures[-1] in ("values", "classes"):
            figures = [" ".join(figures)]
        pieces.append("\n".join([name, kind, *figures]) if form == "lines" else f"{name}\n{kind} " + "\n".join(figures))
    if form == "lines":
        return "\n".join(pieces) + "\n"
    return "\n| ".join(pieces) + "\n|\n|" + "---|" * len(columns) + "\n"


def body(rows: list[Row], form: str) -> str:
    return "".join(("\n".join(row) if form == "lines" else " | ".join(row) + " |") + "\n" for row in rows)


def page(columns: tuple[str, ...], rows: list[Row], form: str = "table", footer: str = FOOTER) -> str:
    return head(columns, form) + body(rows, form) + footer


@pytest.fixture
def read_page(tmp_path: Path):
    """Reads a page and proves that its spans are disjoint and cover it."""

    def _read(text: str) -> list[Batch]:
        data = text.encode()
        path = tmp_path / "page"
        path.write_bytes(data)
        batches = list(read(RawFile(path, len(data))))
        frames = [frame for batch in batches for frame in (batch.records, batch.rejects, batch.furniture)]
        spans = sorted(span for frame in frames for span in frame.select("span_start", "span_end").rows())
        assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == len(data)
        return batches

    return _read


def rows_of(batches: list[Batch]) -> list[Row]:
    return [tuple(json.loads(raw).values()) for batch in batches for raw in batch.records["raw"]]


def reasons(batches: list[Batch]) -> list[str]:
    return [reason for batch in batches for reason in batch.rejects["reason"]]


def with_cell(rows: list[Row], place: int, column: int, cell: str) -> list[Row]:
    """The rows, one of them with another cell."""
    row = rows[place]
    return [*rows[:place], (*row[:column], cell, *row[column + 1 :]), *rows[place + 1 :]]


def test_row_ends_within_a_title_make_no_row_of_its_pieces(read_page):
    """Read as cells, the five pieces would be a row and the beginning of one, with a word for an address."""
    rows = with_cell(papers(12), 5, 0, "Of |\nkettles |\nand |\npots |\nI sing")
    assert rows_of(read_page(page(PAPERS, rows))) == rows


@pytest.mark.parametrize(
    "cell",
    [
        "Kettles and pans |\npots, and also jugs |\nladles of some kind",
        "Kettles and pans |\n\nspoons and jugs |\nladles, which | sing",
    ],
)
def test_row_ends_within_a_title_whose_pieces_could_be_cut_rows_are_ambiguous(read_page, cell):
    rows = papers(12)
    batches = read_page(page(PAPERS, with_cell(rows, 5, 0, cell)))
    assert rows_of(batches) == rows[:5] + rows[6:]
    assert set(reasons(batches)) == {"ambiguous_row"}


def test_row_ends_that_could_stand_in_a_cell_or_between_two_are_ambiguous(read_page):
    """The cell before could hold them too, so its row is in doubt as well."""
    rows = [(f"left side {place}", f"right side {place}") for place in range(8)]
    batches = read_page(page(NOTES, with_cell(rows, 4, 0, "one end |\nanother end |\nthe left side")))
    assert rows_of(batches) == rows[:3] + rows[5:]
    assert reasons(batches) == ["ambiguous_row"]


def test_cell_that_begins_with_a_line_break_is_read_in_a_table(read_page):
    rows = with_cell(papers(12), 5, 2, "\nWe listened to a kettle that was new, all summer.")
    assert rows_of(read_page(page(PAPERS, rows).replace("| \nWe", "|\nWe"))) == rows


def test_line_break_that_title_or_abstract_could_hold_is_ambiguous_with_one_token_a_line(read_page):
    rows = essays(12)
    batches = read_page(page(ESSAYS, with_cell(rows, 5, 0, "On some uses of\nvery long string"), "lines"))
    assert rows_of(batches) == rows[:4] + rows[6:]
    assert reasons(batches) == ["ambiguous_row"]


def test_line_break_that_only_the_abstract_could_hold_is_read_with_one_token_a_line(read_page):
    last = "and then we measured all the others of them, with more care than before."
    rows = with_cell(essays(12), 5, 2, f"String is long; so we measured one,\n{last}")
    assert rows_of(read_page(page(ESSAYS, rows, "lines"))) == rows


def test_line_break_in_a_title_between_a_class_and_an_address_is_read_with_one_token_a_line(read_page):
    rows = with_cell(papers(12), 5, 0, "How a kettle\nsings again")
    assert rows_of(read_page(page(PAPERS, rows, "lines"))) == rows


def test_line_breaks_as_many_as_columns_give_no_row_that_breaks_the_figures(read_page):
    """Read as a row, the first three lines would have a word for a year and be too short."""
    rows = with_cell(essays(12), 5, 0, "On\nthe\nuse\nof string, again")
    batches = read_page(page(ESSAYS, rows, "lines"))
    assert set(rows_of(batches)) <= set(rows)
    assert len(rows_of(batches)) >= 10


@pytest.mark.parametrize("figures", ["1 2", "8k 9k", "0 90k", "58 59"])
@pytest.mark.parametrize("form", ["table", "lines"])
def test_figures_that_all_lie_lose_no_row_in_either_form(read_page, form, figures):
    texts = (f"{column.split(' ')[0]} stringlengths {figures}" for column in PAPERS[:3])
    columns = (*texts, "tags stringclasses 1 value")
    rows = with_cell(papers(20), 7, 2, "We listened to kettle\n7, a whole winter, and it sang.")
    assert rows_of(read_page(page(columns, rows, form))) == rows


@pytest.mark.parametrize("figures", ["1 2", "900 901"])
def test_figures_that_all_lie_of_texts_alone_lose_no_row(read_page, figures):
    columns = tuple(f"{column.split(' ')[0]} stringlengths {figures}" for column in NOTES)
    rows = [(f"left side {place}", f"right side {place}") for place in range(8)]
    for form in ("table", "lines"):
        assert rows_of(read_page(page(columns, rows, form))) == rows


def test_row_of_texts_alone_that_breaks_a_figure_is_not_made_part_of_the_row_before(read_page):
    """With one token a line the last column could hold all of it; that is as much a guess as the lie of the figure."""
    columns = ("one stringlengths 8 30", "two stringlengths 8 30", "six stringlengths 8 30", "all stringlengths 8 300")
    rows = with_cell(
        [tuple(f"{name} of row {place}" for name in ("one", "two", "six", "all")) for place in range(8)], 4, 0, "end"
    )
    batches = read_page(page(columns, rows, "lines"))
    assert set(rows_of(batches)) <= set(rows)
    assert set(reasons(batches)) == {"ambiguous_row"}


def test_figures_that_one_row_breaks_lose_no_row_with_one_token_a_line(read_page):
    rows = with_cell(papers(20), 7, 3, "Best paper")
    assert rows_of(read_page(page(PAPERS, rows, "lines"))) == rows
    rows = with_cell(essays(20), 7, 1, "1807")
    assert rows_of(read_page(page(ESSAYS, rows, "lines"))) == rows


def test_page_whose_figures_bound_nothing_is_read_in_time_with_one_token_a_line(read_page):
    columns = tuple(f"{column.split(' ')[0]} stringlengths 0 90k" for column in PAPERS[:3])
    rows = papers(100)
    for place in range(1, 100, 4):
        rows = with_cell(rows, place, 2, f"{rows[place][2]}\nIt sang,\nand we listened.")
    assert rows_of(read_page(page((*columns, PAPERS[3]), rows, "lines"))) == rows


def test_class_that_a_cut_row_seems_to_show_is_none(read_page):
    """The cut row's second line would be a fourth class, and its title and the class above part of an abstract."""
    rows = papers(12)
    text = head(PAPERS, "lines") + body(rows[:6], "lines") + "How a kettle sings\nhttps:\n" + body(rows[6:], "lines") + FOOTER
    batches = read_page(text)
    assert set(rows_of(batches)) <= set(rows)
    assert len(rows_of(batches)) >= 11


def test_lines_over_at_the_end_of_a_page_are_ambiguous_where_the_last_cell_could_hold_them(read_page):
    rows = essays(8)
    batches = read_page(page(ESSAYS, rows, "lines", footer="On more uses of string\n19\n" + FOOTER))
    assert rows_of(batches) == rows[:-1]
    assert reasons(batches) == ["ambiguous_row"]


def test_lines_over_at_the_end_of_a_page_are_a_cut_row_where_the_last_cell_could_not_hold_them(read_page):
    rows = papers(8)
    batches = read_page(page(PAPERS, rows, "lines", footer="How another kettle sings\nhttps://exam\n" + FOOTER))
    assert (rows_of(batches), reasons(batches)) == (rows, ["cut_row"])


@pytest.mark.parametrize("form", ["table", "lines"])
def test_page_joined_to_a_long_line_that_was_cut_has_its_own_first_column(read_page, form):
    columns = (*PAPERS[:2], "abstract stringlengths 40 400", *PAPERS[3:])
    rows = papers(6)
    parts = (*rows[0][:2], "We listened to a kettle that never ends, " * 8)
    cut = "\n".join(parts) if form == "lines" else " | ".join(parts)
    batches = read_page(page(columns, rows, form, footer=cut) + page(columns, rows, form))
    assert (rows_of(batches), reasons(batches)) == (rows + rows, ["cut_row"])
    assert [json.loads(raw)["title"] for raw in batches[1].records["raw"]] == [row[0] for row in rows]


@pytest.mark.parametrize("length", [10, 18, 40, 60, len(FOOTER) - 9])
@pytest.mark.parametrize("form", ["table", "lines"])
def test_footer_cut_at_the_end_of_the_file_is_a_footer(read_page, form, length):
    batches = read_page(page(PAPERS, papers(6), form, footer=FOOTER[:length]))
    assert (rows_of(batches), reasons(batches)) == (papers(6), [])
    assert batches[-1].furniture["kind"].to_list() == ["page_head", "page_footer"]


@pytest.mark.parametrize("form", ["table", "lines"])
def test_page_of_more_than_a_hundred_rows_is_read_whole(read_page, form):
    rows = papers(250)
    batches = read_page(page(PAPERS, rows, form))
    assert rows_of(batches) == rows
    assert "250 rows, more than the 100 that a page holds" in batches[0].note


@pytest.mark.parametrize("form", ["table", "lines"])
@pytest.mark.parametrize(
    "text",
    [
        "我们提出一种测量水壶歌声的新方法，并在一百个水壶上验证。" * 2,
        "Kettles 🎉 that sing 🔥 all winter, and then some more 👍🏽!",
    ],
)
def test_chinese_text_and_emoji_count_as_characters(read_page, form, text):
    columns = (*PAPERS[:2], f"abstract stringlengths {len(text)} {len(text)}", PAPERS[3])
    rows = [(*row[:2], text, row[3]) for row in papers(6)]
    batches = read_page(page(columns, rows, form))
    assert rows_of(batches) == rows
    totals = batches[0].control_totals.filter(column_name="abstract")
    assert totals["verdict"].to_list() == ["met", "met"]


def test_note_of_a_page_of_very_many_columns_is_short(read_page):
    columns = tuple(f"c{place} stringlengths 1 9" for place in range(300))
    [batch] = read_page(page(columns, [tuple("ab" for _ in columns)]))
    assert batch.note is not None and len(batch.note) < 400
    assert "and 280 more" in batch.note


def test_very_many_pages_share_batches_and_keep_their_numbers(read_page):
    rows = [("left side", "right side")]
    batches = read_page(page(NOTES, rows, footer="") * 450)
    assert rows_of(batches) == rows * 450
    assert len(batches) < 250
    pages = [number for batch in batches for number in batch.control_totals["page"].unique().sort()]
    assert pages == list(range(1, 451))
    assert batches[-1].note is not None and batches[-1].note.endswith("and 430 pages more")
