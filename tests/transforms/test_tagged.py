"""Tagged text: RIS, EndNote, ISI, Medline and others by one mechanism, every byte accounted for."""

import codecs

import pytest

from transforms.readers.base import RawFile, Sample
from transforms.readers.limits import ReadLimits
from transforms.readers.tagged import READERS

BY_NAME = {reader.name: reader for reader in READERS}

RIS = "TY  - JOUR\nAU  - Lee, Ann\nAU  - Li, Bo\nTI  - Pebbles\nJO  - J. Pebbles\nPY  - 2024\nSP  - 11\nEP  - 19\nER  - \n"


def confidence(text: str, name: str) -> float:
    return BY_NAME[name].sniff(Sample(text.encode(), text, len(text.encode()))).confidence


@pytest.mark.parametrize("name", BY_NAME)
def test_the_example_of_each_dialect_gives_its_paper(stage, name):
    staged = stage(BY_NAME[name].example)
    assert (staged.facts.reader, staged.facts.form, staged.reasons) == (name, name, [])
    (fields,) = staged.fields
    assert fields["title_raw"].lower() == "sorting pebbles by sound"
    assert "Lee" in str(fields.get("author_names_raw") or fields["authors_raw"])
    assert "2024" in f"{fields.get('year_raw')} {fields.get('date_raw')} {fields.get('venue_raw')}"


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("other", BY_NAME)
def test_no_dialect_is_taken_for_another(name, other):
    found = confidence(BY_NAME[other].example, name)
    assert found > 0.9 if name == other else found <= 0.2


def test_a_ris_entry_gives_its_fields_and_its_tags_as_they_are(stage):
    staged = stage(RIS)
    assert staged.raw == [
        {
            "TY": "JOUR",
            "AU": ["Lee, Ann", "Li, Bo"],
            "TI": "Pebbles",
            "JO": "J. Pebbles",
            "PY": "2024",
            "SP": "11",
            "EP": "19",
        }
    ]
    assert staged.fields == [
        {
            "title_raw": "Pebbles",
            "author_names_raw": ["Lee, Ann", "Li, Bo"],
            "venue_raw": "J. Pebbles",
            "year_raw": "2024",
            "pages_raw": "11-19",
            "type_raw": "JOUR",
        }
    ]
    rows = staged.column_map.select("column_name", "field", "decided_by").rows()
    assert ("TI", "title", "format") in rows
    assert ("AU", "authors", "format") in rows


def test_an_entry_ends_at_its_end_mark_or_where_the_next_begins_or_the_file_ends(stage):
    staged = stage("TY  - A\nTI  - one\nTY  - B\nTI  - two\nER  - \n\nTY  - C\nTI  - three")
    assert [raw["TI"] for raw in staged.raw] == ["one", "two", "three"]
    assert staged.text_of(staged.records) == [
        b"TY  - A\nTI  - one\n",
        b"TY  - B\nTI  - two\nER  - \n",
        b"TY  - C\nTI  - three",
    ]
    assert staged.records["locator"].to_list() == ["line 1", "line 3", "line 7"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("TY  -JOUR\nTI  -Pebbles\nER  -\n", "Pebbles"),
        ("ty  - JOUR\nti  - Pebbles\ner  - \n", "Pebbles"),
        ("TY - JOUR\nTI - Pebbles\nER -\n", "Pebbles"),
        ("  TY  - JOUR\n  TI  - Pebbles\n  ER  - \n", "Pebbles"),
        ("TY  - JOUR\r\n\r\nTI  - Pebbles\r\nand Tides\r\n\r\nER  - \r\n", "Pebbles\nand Tides"),
        ("TY  - JOUR\nTI  - Pebbles\n      and Tides\nER  - \n", "Pebbles\nand Tides"),
        ("TY  - JOUR\nTI  - Pebbles\nER is no tag\nER  - \n", "Pebbles\nER is no tag"),
        ("TY  - JOUR\nTI  - Pebbles\nwe - and they - sort\nER  - \n", "Pebbles\nwe - and they - sort"),
        ("TY  - BOOK\nBT  - Pebbles\nT3  - Stones\nER  - \n", "Pebbles"),
        ("TI  - Pebbles\nAU  - Lee, Ann\nER  - \n", "Pebbles"),
        ("TY  - JOUR\nT1  - Pebbles\nT1  - Tides\nER  - \n", "Pebbles"),
    ],
)
def test_careless_ris_is_read_as_it_is_meant(stage, text, title):
    staged = stage(text)
    assert (staged.facts.reader, staged.reasons) == ("ris", [])
    assert [fields["title_raw"] for fields in staged.fields] == [title]


def test_of_a_chapter_the_book_is_the_venue(stage):
    (fields,) = stage("TY  - CHAP\nTI  - Pebbles\nBT  - Stones\nER  - \n").fields
    assert (fields["title_raw"], fields["venue_raw"]) == ("Pebbles", "Stones")


def test_names_and_keywords_of_one_tag_or_of_many_are_one_list(stage):
    staged = stage(
        "TY  - A\nTI  - x\nAU  - Lee, Ann\nKW  - a\nKW  - b\nER  - \n"
        "TY  - B\nTI  - y\nAU  - Lee, Ann; Li, Bo;\nKW  - a; b\nER  - \n"
        "TY  - C\nTI  - z\nUR  - https://a.org/1\nUR  - https://a.org/2\nSP  - 3-9\nEP  - 9\nER  - \n"
    )
    assert staged.fields[0]["author_names_raw"] == ["Lee, Ann"]
    assert staged.fields[1]["authors_raw"] == "Lee, Ann; Li, Bo"
    assert [fields.get("keywords_raw") for fields in staged.fields] == ["a; b", "a; b", None]
    assert (staged.fields[2]["url_raw"], staged.fields[2]["pages_raw"]) == ("https://a.org/1", "3-9")


def test_the_number_of_an_article_stands_for_pages_where_there_are_none(stage):
    staged = stage("TY  - A\nTI  - x\nC7  - 104\nER  - \nTY  - A\nTI  - y\nC7  - 104\nSP  - 3\nEP  - 9\nER  - \n")
    assert [fields["pages_raw"] for fields in staged.fields] == ["104", "3-9"]


def test_head_numbering_and_repeated_heads_are_furniture_other_text_is_a_reject(stage):
    head = "Record #{} of 2\nProvider: X\n{}.\n"
    staged = stage(head.format(1, 1) + RIS + "\n" + head.format(2, 2) + RIS + "lost words\nER  - \n")
    assert staged.records.height == 2
    assert staged.furniture["kind"].to_list() == [
        *("text", "text", "numbering", "separator", "entry_head", "entry_head", "numbering", "entry_mark"),
    ]
    assert staged.reasons == ["text_between_entries"]
    assert staged.rejects["text"].to_list() == ["lost words\n"]


def test_an_isi_line_is_an_author_and_further_lines_of_a_title_are_one_title(stage):
    staged = stage(
        "FN X\nVR 1.0\nPT J\nAU Lee, A\n   Li, B\nTI Sorting\n   pebbles\nBP 3\nEP 9\nDI 10.5555/x\nPM 7\nUT W:1\nER\n\n"
        "PT C\nAU Dow, C\nTI Tides\nER\n\nEF\n"
    )
    assert staged.raw[0]["AU"] == ["Lee, A", "Li, B"]
    assert [fields["author_names_raw"] for fields in staged.fields] == [["Lee, A", "Li, B"], ["Dow, C"]]
    assert [fields["title_raw"] for fields in staged.fields] == ["Sorting pebbles", "Tides"]
    assert {"pages_raw": "3-9", "doi_raw": "10.5555/x", "pmid_raw": "7", "source_key": "W:1"}.items() <= staged.fields[
        0
    ].items()


def test_medline_takes_the_doi_among_the_article_ids_and_full_names(stage):
    staged = stage(
        "PMID- 1\nTI  - Sorting\n      pebbles\nLID - S1 [pii]\nLID - 10.5555/x [doi]\nFAU - Lee, Ann\nAU  - Lee A\nPMC - P\n\n"
        "PMID- 2\nTI  - Tides\nAID - S2 [pii]\n"
    )
    first, second = staged.fields
    assert (first["title_raw"], first["doi_raw"], first["pmid_raw"], first["source_key"]) == (
        "Sorting pebbles",
        "10.5555/x [doi]",
        "1",
        "1",
    )
    assert first["author_names_raw"] == ["Lee, Ann"]
    assert "doi_raw" not in second


def test_ovid_gives_venue_volume_pages_and_date_in_one_text_and_marks_behind_names(stage):
    (fields,) = stage(BY_NAME["ovid"].example.replace("Lee, Ann;  Li, Bo", "Lee, Ann 1;  Li, Bo *")).fields
    assert fields == {
        "title_raw": "Sorting Pebbles by Sound",
        "authors_raw": "Lee, Ann;  Li, Bo",
        "venue_raw": "Journal of Pebbles",
        "volume_raw": "3",
        "number_raw": "2",
        "pages_raw": "10-19",
        "date_raw": "April 2024",
        "source_key": "00000001-202400000-00001.",
    }


def test_silverplatter_is_read_as_inspec_is(stage):
    staged = stage("Record 1 of 2 - INSPEC 2024\n\nTI:  Pebbles\nAU:  Lee-A; Li-B\n\nRecord 2 of 2 - INSPEC 2024\nTI:  Tides\n")
    assert [fields["title_raw"] for fields in staged.fields] == ["Pebbles", "Tides"]
    assert (staged.facts.reader, staged.reasons) == ("inspec", [])


def test_keywords_of_which_each_has_a_line_are_apart(stage):
    assert stage("TY  - A\nTI  - x\nKW  - a\nb c\nd\nER  - \n").fields[0]["keywords_raw"] == "a; b c; d"


def test_endnote_entries_begin_at_their_type_or_behind_a_blank_line(stage):
    assert [raw["%T"] for raw in stage("%0 Book\n%T A\n%X one\n\ntwo\n%D 2020\n%0 Book\n%T B\n").raw] == ["A", "B"]
    assert [raw["%T"] for raw in stage("%T A\n%A Lee, Ann\n\n%T B\n%A Li, Bo\n").raw] == ["A", "B"]
    assert stage("%0 Book\n%T A\n%X one\n\ntwo\n").raw[0]["%X"] == "one\ntwo"


def test_columns_of_the_source_come_before_those_of_the_format(stage):
    staged = stage(RIS, columns={"JO": "publisher_raw", "TY": "ignore"})
    assert staged.fields[0]["publisher_raw"] == "J. Pebbles"
    assert "type_raw" not in staged.fields[0]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (b"", "cp1252")],
)
def test_line_ends_and_encodings_make_no_difference(stage, line_end, mark, encoding):
    text = RIS.replace("Lee", "Lée “x”") * 20
    staged = stage(mark + text.replace("\n", line_end).encode(encoding))
    assert staged.facts.encoding == encoding
    assert staged.raw == stage(text).raw


def test_other_separators_of_unicode_end_no_line(stage):
    assert stage("TY  - A\nTI  - a\u2028b\x85TY  - c\nER  - \n").raw[0]["TI"] == "a\u2028b\x85TY  - c"


def test_an_entry_over_the_limit_is_one_reject_and_the_next_is_read(stage, monkeypatch):
    long = "TY  - A\nTI  - long\n" + "more\n" * 100 + "ER  - \n"
    staged = stage(long + RIS, limits=ReadLimits(entry_bytes=300))
    assert staged.reasons == ["entry_too_long"]
    assert [raw["TI"] for raw in staged.raw] == ["Pebbles"]
    monkeypatch.setattr("transforms.readers.tagged_entries.MAX_ENTRY_LINES", 50)
    assert stage(long + RIS).reasons == ["entry_too_long"]


def test_a_line_over_the_limit_is_one_reject(stage):
    staged = stage("TY  - A\nTI  - " + "x" * 5000 + "\nER  - \n" + RIS, limits=ReadLimits(entry_bytes=1000))
    assert (staged.reasons, staged.records.height) == (["entry_too_long"], 1)


@pytest.mark.parametrize(
    "text",
    [
        "# pebbles\n\nAn exporter.\n\nIt writes\n\n```\nTY  - JOUR\nTI  - Pebbles\nER  - \n```\n\nSort of.\nMore.\nAnd more.\n",
        "%A\n\n%Ab\n\n@article{lee,\n title = {A},\n}\n\n%B\n\n@article{li,\n title = {B}\n}\n" * 5,
        "%E Lee, Ann\n",
        "title,year\nTY  of pebbles,2020\n",
        "RT @ann: pebbles are sorted\nRT @bo: indeed\n",
        "PT boats were used.\nIN THE SEA\n",
        "",
    ],
)
def test_other_text_is_not_taken_for_tagged_text(text):
    assert all(confidence(text, name) <= 0.2 for name in BY_NAME)


def test_many_entries_come_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("transforms.readers.base.BATCH_ROWS", 3)
    path = tmp_path / "raw"
    path.write_text(RIS * 8)
    raw_file = RawFile(path, path.stat().st_size)
    assert [batch.records.height for batch in BY_NAME["ris"].read(raw_file)] == [3, 3, 2]


@pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])
@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_lines_may_end_as_on_any_system(stage, reader, line_end):
    staged = stage(reader.example.replace("\n", line_end))
    assert (staged.facts.reader, staged.reasons) == (reader.name, [])
    assert staged.fields == stage(reader.example).fields
