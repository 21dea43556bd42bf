"""Markdown pages with tables of papers: each row a record, every byte accounted for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.readers import streaming
from transforms.readers.base import RawFile, Sample
from transforms.readers.limits import ReadLimits
from transforms.readers.markdown_cells import read_cell, split_row
from transforms.readers.markdown_tables import READER, sniff
from transforms.staging import StagedFrames, stage_file

TABLE = "| Title | Authors | Year |\n|---|:---:|---:|\n| Pebbles | Ann Lee, Bo Li | 2024 |\n| Tides | Cy Dow | 2023 |\n"
OTHER = "| Option | Default |\n|---|---|\n| lr | 0.1 |\n"


def confidence(text: str) -> float:
    return sniff(Sample(text.encode(), text, len(text.encode()))).confidence


def test_each_row_is_a_record_and_the_page_around_it_furniture(stage):
    staged = stage(f"# pebbles\n\nText | more.\n\n{TABLE}\nEnd.\n")
    assert staged.raw == [
        {"Title": "Pebbles", "Authors": "Ann Lee, Bo Li", "Year": "2024"},
        {"Title": "Tides", "Authors": "Cy Dow", "Year": "2023"},
    ]
    assert staged.furniture["kind"].to_list() == [
        *("heading", "separator", "text", "separator", "table_head", "table_rule", "separator", "text"),
    ]
    assert staged.text_of(staged.records)[0] == b"| Pebbles | Ann Lee, Bo Li | 2024 |\n"
    assert staged.records["locator"].to_list() == ["line 7", "line 8"]
    assert (staged.facts.reader, staged.facts.form) == ("markdown_tables", "tables")


def test_links_are_texts_or_addresses_as_their_column_asks(stage):
    staged = stage(
        "Paper | PDF | Authors | DOI\n---|---|---|---\n"
        "[Pebbles](https://a.org/1) | [pdf](https://a.org/1.pdf) | [Ann](https://ann.org), Bo | [DOI](https://doi.org/10.5555/1)\n"
        "[paper](https://arxiv.org/abs/2401.00001) | | Cy Dow |\n"
        "**Tides** <br> | https://a.org/3.pdf | Di Fox | 10.5555/3\n"
    )
    assert staged.raw[0]["Paper"] == "[Pebbles](https://a.org/1)"
    assert staged.fields == [
        {
            "title_raw": "Pebbles",
            "pdf_url_raw": "https://a.org/1.pdf",
            "authors_raw": "Ann, Bo",
            "doi_raw": "https://doi.org/10.5555/1",
            "url_raw": "https://a.org/1",
        },
        {"authors_raw": "Cy Dow", "url_raw": "https://arxiv.org/abs/2401.00001"},
        {
            "title_raw": "**Tides**",
            "pdf_url_raw": "https://a.org/3.pdf",
            "authors_raw": "Di Fox",
            "doi_raw": "10.5555/3",
        },
    ]


def test_tables_of_other_things_are_furniture_and_headings_give_venue_and_year(stage):
    staged = stage(
        f"# Sorter of ICLR 2021 pebble data\n\n{OTHER}\n## ICLR 2022\n{TABLE.replace('Year', 'Pages')}\n### Accepted papers\n"
        "| Title | Authors |\n|-|-|\n| Stones | Li |\n\n## Others\n| Title | Authors |\n|-|-|\n| Waves | Dow |\n"
    )
    assert staged.records.select("title_raw", "venue_raw", "year_raw").rows() == [
        ("Pebbles", "ICLR", "2022"),
        ("Tides", "ICLR", "2022"),
        ("Stones", "ICLR", "2022"),
        ("Waves", None, None),
    ]
    assert "other_table" in staged.furniture["kind"].to_list()


def test_a_row_with_too_many_cells_is_one_reject_unless_the_pipe_stands_in_mathematics(stage):
    staged = stage(
        TABLE + "| A | B | C | D |\n| On $p(x|y)$ | Ann | 2020 |\n| masked \\| pipe | Bo | 2021 |\n| short |\n| | | |\n"
    )
    assert staged.reasons == ["ragged_row"]
    assert [raw["Title"] for raw in staged.raw] == ["Pebbles", "Tides", "On $p(x|y)$", "masked | pipe", "short"]
    assert staged.furniture["kind"].to_list()[-1] == "empty_row"


def test_a_table_in_a_code_block_is_none(stage):
    staged = stage(f"```\n{TABLE}```\n{TABLE}")
    assert staged.records.height == 2
    assert staged.furniture["kind"].to_list()[:6] == ["code"] * 6


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_line_ends_and_encodings_make_no_difference(stage, line_end, encoding):
    text = TABLE.replace("Pebbles", "Kiesel für")
    assert stage(text.replace("\n", line_end).encode(encoding)).raw == stage(text).raw


def test_a_line_over_the_limit_is_one_reject(stage, monkeypatch):
    monkeypatch.setattr(streaming, "_BLOCK_BYTES", 300)
    staged = stage(TABLE + "| " + "x" * 5000 + " | a | 1 |\n" + "| Stones | Li | 2020 |\n", limits=ReadLimits(entry_bytes=1000))
    assert (staged.reasons, staged.records.height) == (["entry_too_long"], 3)


@pytest.mark.parametrize(
    "text",
    [
        OTHER,
        f"# tool\n\n{OTHER}",
        "a | b\nc | d\n",
        "| Title |\n|---|\n| Intro |\n",
        "Title | Authors\nPebbles | Lee\n",
        f"```\n{TABLE}```\n",
        "title|year\nA|2020\nB|2021\n",
        "",
    ],
)
def test_a_page_without_a_table_of_papers_is_no_list(text):
    assert confidence(text) <= 0.2


def test_a_page_with_a_table_of_papers_is_known_the_surer_the_more_of_it_is_one():
    assert confidence(READER.example) > 0.9
    assert 0.6 < confidence("Text.\n" * 100 + "\n" + TABLE) < 0.75


def test_cells_and_links_of_hostile_lines_are_found_in_bounded_time():
    for cell in ("[a[]" * 1250, "[x" * 2500, "<a " * 1600, "[a](" + "(" * 4000, "[a](b" * 900):
        read_cell(cell)
    assert len(split_row("|" * 100_000)) == 99_999
    assert read_cell("[a](b)" * 5000).targets == ()


def test_real_pages_give_a_record_for_each_line_of_their_table(shared):
    for name in ("README.md", "ranked_papers.md"):
        path = shared / "fixtures" / "iclr2022" / name
        frames = StagedFrames()
        facts = stage_file(RawFile(path, path.stat().st_size), frames)
        lines = [line for line in path.read_text().splitlines() if line.startswith("|")]
        assert (facts.reader, facts.reasons, facts.records) == ("markdown_tables", {}, len(lines) - 2)
        records = frames.frame("records")
        assert records["title_raw"].null_count() == 0
        assert records["url_raw"].str.starts_with("https://openreview.net/forum?id=").all()


@given(data=st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_damaged_page_is_refused_or_every_byte_is_accounted_for(stage, data):
    content = bytearray(f"# A\n{TABLE}\n```\n{OTHER}```\n{OTHER}{TABLE}".encode())
    del content[data.draw(st.integers(0, len(content))) :]
    for position in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=6)) if content else ():
        content[position] ^= 1 << data.draw(st.integers(0, 7))
    content += data.draw(st.binary(max_size=20))
    assert "reader_failed" not in stage(bytes(content)).reasons


def test_below_a_title_that_is_a_link_stand_the_authors_where_the_column_says_so(stage):
    badges = "[![Star](https://a.example/s.svg)](https://github.com/a/b)[![Venue](https://a.example/v.svg)]()"
    staged = stage(
        "| Title & Authors | Date |\n|---|---|\n"
        f"| {badges}<br>[**Tides**](https://a.example/1) <br> Ann Lee, Bo Li | 2024 |\n"
        "| Locks <br> and Ferries | 2023 |\n"
    )
    assert [(fields["title_raw"], fields.get("authors_raw")) for fields in staged.fields] == [
        ("**Tides**", "Ann Lee, Bo Li"),
        ("Locks   and Ferries", None),
    ]
    assert staged.fields[0]["url_raw"] == "https://a.example/1"


def test_emoji_at_the_ends_of_a_title_are_not_of_it_but_within_it_they_are(stage):
    staged = stage(
        "| Title | Year |\n|---|---|\n| :fire: [Tides](https://a.example/1) \U0001f525 | 2024 |\n| I \u2764 Tides: a | 1 |\n"
    )
    assert [fields["title_raw"] for fields in staged.fields] == ["Tides", "I \u2764 Tides: a"]
