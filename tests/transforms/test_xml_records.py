"""This module is about the XML reader whatever the dialect: entries, broken and hostile files, encodings, real data."""

from __future__ import annotations

import time

import pytest
from lxml import etree

from transforms.readers.base import RawFile
from transforms.readers.limits import ReadLimits
from transforms.readers.registry import sniff
from transforms.readers.xml_dialects import DIALECTS
from transforms.readers.xml_values import ElementParser, element_value
from transforms.staging import StagedFrames, stage_file


def mods(*entries: str, head: str = "") -> str:
    return f"{head}<modsCollection>{''.join(entries)}</modsCollection>"


def entry(title: str) -> str:
    return f"<mods><titleInfo><title>{title}</title></titleInfo></mods>"


def titles(staged):
    return [fields.get("title_raw") for fields in staged.fields]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a>x</a>", "x"),
        ("<a/>", ""),
        ('<a id="1">x</a>', {"@id": "1", "#text": "x"}),
        ("<a><c>1</c><c>2</c><d>3</d></a>", {"c": ["1", "2"], "d": "3"}),
        ("<a>x <i>y</i> &amp; z</a>", "x <i>y</i> &amp; z"),
        ("<a><i>y</i></a>", "<i>y</i>"),
        ("<a><style>y &amp;</style></a>", "y &"),
        ("<a>x &amp; &lt; y</a>", "x & < y"),
        ("<a><m:math><m:mi>x</m:mi></m:math></a>", "<m:math><m:mi>x</m:mi></m:math>"),
        ("<a><![CDATA[x <b> &amp;]]></a>", "x <b> &amp;"),
        ("<a>x<!-- no --> y</a>", "x y"),
        ("<a>&auml;&nosuch;&#x1; & 1 < 2 \x02</a>", "ä&nosuch;\ufffd & 1 < 2 \ufffd"),
        ("<a><![CDATA[&auml;]]>&auml;</a>", "&auml;ä"),
    ],
)
def test_an_element_is_text_object_or_list(text, expected):
    assert element_value(ElementParser().parse(text)) == expected


def test_a_broken_entry_costs_one_reject_and_its_neighbours_nothing(stage):
    staged = stage(mods(entry("A"), "<mods><titleInfo><title>B</titleInfo></mods>", entry("C")))
    assert titles(staged) == ["A", "C"]
    assert staged.reasons == ["broken_xml"]
    assert staged.records["locator"].to_list() == ["record 1", "record 3"]
    assert "mismatch: title" in staged.rejects["message"][0]


def test_an_entry_without_its_end_ends_where_the_next_begins(stage):
    staged = stage(mods("<mods><titleInfo><title>A</title>", entry("B")))
    assert (titles(staged), staged.reasons) == (["B"], ["broken_xml"])


def test_an_entry_whose_beginning_is_lost_is_a_reject(stage):
    staged = stage(mods(entry("A"), entry("B").replace("<mods>", "<mo ds>"), entry("C")))
    assert (titles(staged), staged.reasons) == (["A", "C"], ["broken_xml"])
    assert "expected <mods> before </mods>" in staged.rejects["message"][0]


def test_two_roots_and_text_around_them_lose_no_entry(stage):
    assert titles(stage(mods(entry("A")) + " & rubbish < " + mods(entry("B")))) == ["A", "B"]


def test_what_is_commented_out_is_no_entry_but_a_comment_without_end_hides_none(stage):
    assert titles(stage(mods("<!-- ", entry("A"), "-->", entry("B")))) == ["B"]
    assert titles(stage(mods("<![CDATA[", entry("A"), "]]>", entry("B")))) == ["B"]
    assert titles(stage(mods("<!-- ", entry("A"), entry("B")))) == ["A", "B"]
    assert titles(stage(mods("<!-- a --><!-- ", entry("A"), "<![CDATA[", entry("B")))) == ["A", "B"]


def test_an_empty_list_is_read_and_said_to_be_empty(stage):
    staged = stage("<modsCollection/>")
    assert (staged.facts.verdict, staged.facts.message) == ("read", "it holds no entries")


def test_front_matter_is_no_paper_and_is_told(stage):
    staged = stage(
        "<collection id='P19'><volume id='1'><frontmatter/><paper id='1'><title>A</title></paper></volume></collection>"
    )
    assert (titles(staged), staged.facts.message) == (["A"], "1 elements of front matter are no papers")


def test_a_volume_gives_nothing_to_the_next(stage):
    volume = "<volume id='{}'>{}<paper id='1'><title>A</title></paper></volume>"
    content = volume.format(1, "<meta><booktitle>Tides</booktitle></meta>") + volume.format(2, "")
    assert [fields.get("venue_raw") for fields in stage(f"<collection id='P19'>{content}</collection>").fields] == [
        "Tides",
        None,
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<?xml version='1.0'?><svg><title>A</title></svg>", "image"),
        ("<rss><channel><item><title>A</title><author>B</author></item></channel></rss>", "news feed"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>A</title></entry></feed>", "news feed"),
        ("<Configuration/>", "configuration"),
        ("<child/>", "first element is <child>"),
        ("<xml><title>A</title></xml>", "first element is <xml>"),
        ("<collection><film>A</film></collection>", "first element is <collection>"),
    ],
)
def test_xml_without_papers_is_refused_with_what_it_is(stage, content, words):
    staged = stage(content)
    assert staged.reasons == ["not_a_paper_list"]
    assert words in staged.rejects["message"][0]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<papers><paper><title>A</title><authors><author>Ann Lee</author><author>Bo Li</author></authors></paper></papers>",
         {"title_raw": "A", "author_names_raw": ["Ann Lee", "Bo Li"]}),
        ("<l><w><Title>A</Title><Authors>Ann Lee; Bo Li</Authors><Year>2020</Year></w></l>",
         {"title_raw": "A", "authors_raw": "Ann Lee; Bo Li", "year_raw": "2020"}),
        ("<l><w><x:title>A</x:title><doi>10.1234/a</doi></w></l>", {"title_raw": "A", "doi_raw": "10.1234/a"}),
    ],
)  # fmt: skip
def test_elements_named_as_papers_columns_are_read_without_a_dialect(stage, content, expected):
    staged = stage(content)
    assert (staged.facts.form, staged.fields) == ("named_elements", [expected])


@pytest.mark.parametrize(
    "content", ["<films><film><title>A</title><year>2000</year></film></films>", "<a><title>A</title></a>"]
)
def test_elements_of_other_things_are_not(stage, content):
    assert stage(content).reasons == ["not_a_paper_list"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "latin-1"])
@pytest.mark.parametrize("declared", ["UTF-8", "ISO-8859-1", "UTF-16", "nonsense"])
def test_a_declaration_that_lies_changes_nothing(stage, encoding, declared):
    text = mods(entry("Über Öl und Äpfel"), head=f'<?xml version="1.0" encoding="{declared}"?>')
    content = ("\ufeff" * (encoding == "utf-16-be") + text).encode(encoding)
    assert titles(stage(content)) == ["Über Öl und Äpfel"]


def test_between_encodings_of_one_byte_the_declaration_decides(stage):
    text = mods(entry("Żółw"), head='<?xml version="1.0" encoding="ISO-8859-2"?>')
    assert titles(stage(text.encode("iso-8859-2"))) == ["Żółw"]


def test_a_bad_byte_costs_its_character(stage):
    content = mods(*map(entry, ["Über X", "Ärger Ölig Übel Äpfel öfter"])).encode().replace(b"X", b"\xff")
    assert titles(stage(content)) == ["Über \ufffd", "Ärger Ölig Übel Äpfel öfter"]


LAUGHS = "<!DOCTYPE x [<!ENTITY a 'ha'>" + "".join(f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(20))


@pytest.mark.parametrize(
    "head",
    [
        LAUGHS + "]>",
        "<!DOCTYPE x [<!ENTITY u SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE x SYSTEM 'file:///etc/passwd'>",
        "<!DOCTYPE x [<!ENTITY % p SYSTEM 'http://127.0.0.1:9/x'> %p;]>",
    ],
)
def test_no_entity_of_a_file_is_expanded_or_fetched(stage, head):
    staged = stage(mods(entry("A &u; B"), head=head))
    assert titles(staged) == ["A &u; B"]
    assert "root:" not in staged.records["raw"][0]


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        ("<a>" * 100_000, "broken_xml"),
        ("<a>" * 300 + "</a>" * 300, "broken_xml"),
        ("<a " + " ".join(f'a{n}="1"' for n in range(1_000_000)) + "/>", "broken_xml"),
        ("<a " + " ".join(f'a{n}="1"' for n in range(20_000)) + "/>", "broken_xml"),
        ("<!DOCTYPE x>", "broken_xml"),
        ("x" * 17_000_000, "entry_too_long"),
        ("<x>" * 6_000_000, "entry_too_long"),
    ],
)
def test_a_monstrous_entry_is_one_reject(stage, inside, reason):
    begun = time.process_time()
    staged = stage(mods(entry("A"), f"<mods>{inside}</mods>", entry("B")))
    assert (titles(staged), staged.reasons) == (["A", "B"], [reason])
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    "piece", ["<!--", "<![CDATA[", "<mods", "<mods ", "<mods a='", "&", "&a", "<", "<mods/", "]]>", "</mods "]
)
def test_what_is_begun_and_never_ended_takes_linear_time(stage, piece):
    begun = time.process_time()
    stage("<modsCollection>" + piece * (1_000_000 // len(piece)), limits=ReadLimits(entry_bytes=2**18))
    assert time.process_time() - begun < 20


def test_an_entry_longer_than_the_limit_is_named_with_it(stage):
    staged = stage(mods(entry("A" * 200), entry("B")), limits=ReadLimits(entry_bytes=100))
    assert (titles(staged), staged.reasons) == (["B"], ["entry_too_long"])
    assert "limits.entry_bytes = 100" in staged.rejects["message"][0]


def test_blocks_end_anywhere(stage, monkeypatch):
    content = mods(*(entry(f"Ü{n}") + "<!-- <mods> --><mods/>" for n in range(20))) + mods("<mods><title>", entry("B"))
    whole = stage(content)
    for size in (1, 7, 100):
        monkeypatch.setattr("transforms.readers.xml_entries._BLOCK_BYTES", size)
        assert stage(content).records.equals(whole.records)


def test_each_real_file_is_taken_or_refused_and_its_entries_are_those_that_lxml_counts(shared):
    refused, rejected = [], []
    for path in sorted((shared / "fixtures").rglob("*.xml")):
        raw_file, frames = RawFile(path, path.stat().st_size), StagedFrames()
        if sniff(raw_file).reader is None:
            refused.append(path.name)
            continue
        facts = stage_file(raw_file, frames)
        ids = frames.frame("records")["acl_id_raw"].drop_nulls()
        assert ids.is_unique().all(), path
        rejected += [path.name] * frames.frame("rejects").height
        assert facts.entries_counted == frames.frame("records").height + frames.frame("rejects").height
        try:
            tree = etree.parse(path, etree.XMLParser(resolve_entities=False, no_network=True))
        except etree.XMLSyntaxError:
            continue
        dialect = next(dialect for dialect in DIALECTS if dialect.name == facts.form)
        names = [etree.QName(element).localname for element in tree.iter(etree.Element)]
        assert facts.entries_counted == sum(names.count(name) for name in dialect.vocabulary.records), path
    assert set(refused) == {
        "EmptyMsBib_Test.xml",
        "OldOpenOfficeCalcExportFormatContentSingleEntry.xml",
        "customPreferences.xml",
        "emptyFile.xml",
        "log4j2-test.xml",
    }
    assert set(rejected) == {"MODSImporterTestMinimal.xml", "MedlineImporterTest.xml"}  # both are not well-formed
