"""This module is about the reader of HTML: tables of papers, lists of some sites, pages without either, damage."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transforms.readers.html_tables import READER
from transforms.readers.limits import ReadLimits


def page(*rows: str, head: str = "<title>Papers</title>") -> str:
    return f"<!DOCTYPE html><html><head>{head}</head><body><table>{''.join(rows)}</table></body></html>"


def row(*cells: str, tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


HEADER = row("Title", "Authors", tag="th")


def test_each_row_below_the_header_is_a_record(stage):
    staged = stage(page(HEADER, row("Tides", "Ann Lee, Bo Li"), row("Locks", "Cy Dow")))
    assert (staged.facts.reader, staged.facts.entries_counted) == ("html_tables", 2)
    assert staged.raw == [{"Title": "Tides", "Authors": "Ann Lee, Bo Li"}, {"Title": "Locks", "Authors": "Cy Dow"}]
    assert staged.fields[0] == {"title_raw": "Tides", "authors_raw": "Ann Lee, Bo Li"}
    assert staged.records["locator"].to_list() == ["table 1 row 2", "table 1 row 3"]


def test_a_header_may_be_of_plain_cells_and_stand_below_a_caption(stage):
    staged = stage(page("<tr><td colspan=2>All papers</td></tr>", row("Title", "Authors"), row("Tides", "Ann Lee")))
    assert staged.raw == [{"Title": "Tides", "Authors": "Ann Lee"}]


def test_where_a_title_links_to_is_its_address(stage):
    staged = stage(page(HEADER, row("<a href='https://pebbles.example/1'><b>Tides</b></a>", "Ann Lee")))
    assert staged.raw[0]["Title_href"] == "https://pebbles.example/1"
    assert staged.fields[0]["url_raw"] == "https://pebbles.example/1"


def test_a_column_of_addresses_gives_what_it_links_to_not_its_text(stage):
    cells = ("<a href='/t'>Tides</a>", "<a href='https://a.example/1.pdf'>pdf</a>", "<a href='https://a.example/1'>link</a>")
    fields = stage(page(row("Title", "PDF", "URL"), row(*cells), row("B", "https://b.example/2.pdf", ""))).fields
    assert fields[0] == {"title_raw": "Tides", "pdf_url_raw": "https://a.example/1.pdf", "url_raw": "https://a.example/1"}
    assert fields[1] == {"title_raw": "B", "pdf_url_raw": "https://b.example/2.pdf"}


def test_marked_up_cells_are_lines_of_text(stage):
    staged = stage(page(HEADER, row("H<sub>2</sub>O &lt; <i>pebbles</i>\n  &amp; co<script>x()</script>", "Ann Lee<br>Bo Li")))
    assert staged.raw == [{"Title": "H<sub>2</sub>O < pebbles & co", "Authors": "Ann Lee\nBo Li"}]


def test_a_table_in_a_cell_is_its_text_and_its_rows_are_none_of_the_list(stage):
    inner = "<table><tr><th>Title</th><th>Score</th></tr><tr><td>8</td><td>6</td></tr></table>"
    staged = stage(page(HEADER, row("Tides", inner)))
    assert staged.raw[0]["Authors"].split() == ["Title", "Score", "8", "6"]
    assert staged.facts.entries_counted == 1


def test_cells_that_span_rows_and_columns(stage):
    header = row("Day", "Title", tag="th")
    rows = "<tr><td rowspan=2>Monday</td><td>Tides</td></tr><tr><td>Locks</td></tr><tr><td colspan=2>Part 2</td></tr>"
    staged = stage(page(header, rows, row("Friday", "Ferries"), "<tr></tr>", header, row("", "")))
    assert [list(raw.values()) for raw in staged.raw] == [["Monday", "Tides"], ["Monday", "Locks"], ["Friday", "Ferries"]]


def test_several_tables_of_a_page_are_read_and_those_of_other_things_are_not(stage):
    other = "</table><table>" + row("Name", "Room", tag="th") + row("Tides", "12") + "</table><table>"
    staged = stage(page(HEADER, row("Tides", "A"), other, row("Paper title", "Year", tag="th"), row("Locks", "2020")))
    assert [fields["title_raw"] for fields in staged.fields] == ["Tides", "Locks"]
    assert staged.records["locator"].to_list() == ["table 1 row 2", "table 3 row 2"]
    assert staged.facts.form == "2 tables"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<html><head><title>404 Not Found</title></head><body>nginx</body></html>", "titled '404 Not Found' without a table"),
        ("<html><head><title>404 Not Found</title></head><body><table></table></body></html>", "'404 Not Found' with 1 tables"),
        ("<!doctype html><title>Sign in</title><form><input></form>", "'Sign in'"),
        (page(row("Name", "Room", tag="th"), row("A", "1")), "begin with 'Name; Room'"),
        (page(HEADER), "not filled in by a script"),
        (page(row("Title", "Tides"), row("Authors", "Ann Lee"), row("Year", "2020")), "titled 'Papers'"),
        ("<html></html>", "a page of HTML without a table"),
        ("<html><!-- <table>", "without a title"),
    ],
)
def test_a_page_without_a_table_of_papers_is_refused_with_its_title(stage, content, words):
    staged = stage(content)
    assert (staged.facts.verdict, staged.reasons) == ("not_a_paper_list", ["not_a_paper_list"])
    assert words in staged.rejects["message"][0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("declared", ["utf-8", "iso-8859-1", "gbk", "nonsense"])
def test_a_declared_encoding_that_lies_changes_nothing(stage, encoding, declared):
    content = page(HEADER, row("Über Öl und Äpfel", "Ann Lée"), head=f"<meta charset='{declared}'>")
    assert stage(content.encode(encoding)).fields == [{"title_raw": "Über Öl und Äpfel", "authors_raw": "Ann Lée"}]


def test_a_row_that_is_too_long_is_a_reject(stage):
    staged = stage(page(HEADER, row("A" * 300, "B"), row("Tides", "C")), limits=ReadLimits(entry_bytes=100))
    assert (len(staged.raw), staged.reasons) == (1, ["entry_too_long"])


LISTS = {
    "cvf": (
        """<html><dl><dt class="ptitle"><br><a href="/content/Lee_Tides.html">Tides</a></dt><dd><form><input><a href="#">Ann Lee
        </a>,</form><form><a href="#">Bo Li</a></form></dd><dd>[<a href="/Lee_Tides.pdf">pdf</a>]
        [<a href="http://arxiv.org/abs/2401.00001">arXiv</a>]<div class="bibref">
        @InProceedings{Lee_2023_X, author = {Lee, Ann}, booktitle = {Proceedings of Tides},
        year = {2023}, pages = {1-2}}</div></dd>
        <dt class="ptitle"><a href="/content/b.html">Locks</a></dt><dd></dd></dl></html>""",
        [
            {
                "title_raw": "Tides",
                "author_names_raw": ["Ann Lee", "Bo Li"],
                "url_raw": "https://openaccess.thecvf.com/content/Lee_Tides.html",
                "pdf_url_raw": "https://openaccess.thecvf.com/Lee_Tides.pdf",
                "arxiv_id_raw": "http://arxiv.org/abs/2401.00001",
                "venue_raw": "Proceedings of Tides",
                "year_raw": "2023",
                "pages_raw": "1-2",
            },
            {"title_raw": "Locks", "url_raw": "https://openaccess.thecvf.com/content/b.html"},
        ],
    ),
    "pmlr": (
        """<html><div class="paper"><p class="title">Tides</p><p class="details"><span class="authors">Ann Lee, Bo Li</span>;
        <span class="info"><i>Proceedings of Tides</i>, 1:1-2</span></p><p class="links">[<a href="https://a.example/1.html">abs</a>]
        [<a href="https://a.example/1.pdf">Download PDF</a>]</p></div>
        <div class="paper"><p class="title">Locks</p><span class="info"><i>Tides</i>,&nbsp;PMLR&nbsp;202:101-119</span></div>
        </html>""",
        [
            {
                "title_raw": "Tides",
                "authors_raw": "Ann Lee, Bo Li",
                "venue_raw": "Proceedings of Tides, 1:1-2",
                "url_raw": "https://a.example/1.html",
                "pdf_url_raw": "https://a.example/1.pdf",
            },
            {"title_raw": "Locks", "venue_raw": "Tides, PMLR 202:101-119", "volume_raw": "202", "pages_raw": "101-119"},
        ],
    ),
    "neurips": (
        """<html><ul><li><a title="paper title" href="/paper/1.html">Tides</a> <i>Ann Lee, Bo Li</i></li></ul></html>""",
        [{"title_raw": "Tides", "url_raw": "https://proceedings.neurips.cc/paper/1.html", "authors_raw": "Ann Lee, Bo Li"}],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_known_sites_are_read(stage, name):
    content, expected = LISTS[name]
    staged = stage(content)
    assert (staged.facts.form, staged.fields) == (name, expected)


QUICK = settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SAMPLES = [
    READER.example,
    page(HEADER, row("<a href='/1'>Tides</a>", row("x")), row("B")),
    *(text for text, _ in LISTS.values()),
]


@QUICK
@given(text=st.sampled_from(SAMPLES), cut=st.floats(0, 1))
def test_a_page_that_breaks_off_balances(stage, text, cut):
    assert "reader_failed" not in stage(text.encode()[: int(cut * len(text.encode()))]).reasons


@QUICK
@given(
    text=st.sampled_from(SAMPLES), flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7)), max_size=5)
)
def test_flipped_bits_balance(stage, text, flips):
    content = bytearray(text.encode())
    for place, bit in flips:
        content[int(place * len(content))] ^= 1 << bit
    assert "reader_failed" not in stage(bytes(content)).reasons


PIECES = [
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "<th>",
    "Title",
    "Authors",
    "x",
    "<td rowspan=3>",
    "<td colspan=9>",
    "<!--",
    "-->",
]
PIECES += [
    "<script>",
    "</script>",
    "<form>",
    "<p>",
    "<a href=x>",
    "<dt class='ptitle'>",
    "<div class='paper'>",
    "<li>",
    "\0",
    "&#0;",
    "<title>",
]


@QUICK
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40), rest=st.binary(max_size=20))
def test_any_order_of_tags_balances(stage, pieces, rest):
    content = f"<html><table>{HEADER}<tr><td>A<td>B".encode() + "".join(pieces).encode() + rest
    assert "reader_failed" not in stage(content).reasons


ENDLESS = ["<!--", "<script>", "<div>", "<table>", "<tr>", "<td>", "<tr><td rowspan=1000 colspan=1000>x", "&", "<a href=x>"]
ENDLESS += ["<table><tr><td>", f"<table>{HEADER}<tr><td>", "<dt class=ptitle>", "<a title='paper title'>"]


@pytest.mark.parametrize("piece", ENDLESS)
def test_what_is_repeated_without_end_takes_linear_time(stage, piece):
    begun = time.process_time()
    staged = stage(f"<html><table>{HEADER}<tr><td>A</td></tr>" + piece * (500_000 // len(piece)))
    assert "reader_failed" not in staged.reasons
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(
    "start",
    ["<td ", "<td class='", "<td\n/", "<!-- <i b='--><td '"],
    ids=["in a tag", "in quotes", "after a slash", "after a comment that looks like a tag"],
)
@pytest.mark.parametrize("attribute", ["a{}=1 ", "a{}='>' ", 'a{}="<"', "a<{}/", "a{}\f=\n1\t"])
def test_attributes_without_end_take_linear_time(stage, start, attribute):
    attributes = "".join(map(attribute.format, range(30_000)))
    began = time.process_time()
    staged = stage(page(HEADER, row("Tides", "Ann Lee"), f"<tr>{start}{attributes}'>Locks</td><td>Bo Li</td></tr>"))
    assert staged.raw[0] == {"Title": "Tides", "Authors": "Ann Lee"}
    assert time.process_time() - began < 5


def test_a_page_of_nothing_but_crowded_tags_is_refused_in_good_time(stage):
    began = time.process_time()
    assert stage(page(HEADER, "<a " * 300_000)).reasons == ["not_a_paper_list"]
    assert time.process_time() - began < 5


def test_a_tag_with_as_many_attributes_as_a_rich_page_has_is_read_to_its_end(stage):
    attributes = " ".join(f"data-{number}='{number}'" for number in range(50))
    staged = stage(page(HEADER, row(f"<a {attributes} href='https://pebbles.example/1'>Tides</a>", "Ann Lee")))
    assert staged.fields[0]["url_raw"] == "https://pebbles.example/1"


def test_the_real_table_has_as_many_papers_as_its_header_says(shared, stage):
    staged = stage((shared / "fixtures" / "iclr2024_weigq" / "iclr2024_submissions.max.html").read_bytes())
    assert (staged.records.height, staged.facts.entries_counted, staged.reasons) == (7215, 7215, [])
    assert staged.records["url_raw"].str.starts_with("https://openreview.net/forum?id=").all()
    assert stage((shared / "fixtures" / "iclr2024_weigq" / "iclr2024_statistics.html").read_bytes()).reasons == [
        "not_a_paper_list"
    ]
