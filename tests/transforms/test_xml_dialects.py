"""This module is about the dialects of XML: what each record of them becomes, and what damage costs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.readers.xml_dialects import DIALECTS

PUBMED = """<?xml version="1.0"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2024//EN" "http://example.org/none.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">123</PMID><Article>
<Journal><JournalIssue><Volume>4</Volume><Issue>2</Issue><PubDate><Year>2021</Year><Month>Mar</Month></PubDate></JournalIssue>
<Title>Journal of Pebbles</Title></Journal><ArticleTitle>Sorting <i>pebbles</i> by H<sub>2</sub>O &amp; sound</ArticleTitle>
<Pagination><MedlinePgn>7-9</MedlinePgn></Pagination><ELocationID EIdType="doi">10.1234/pebble.1</ELocationID>
<Abstract><AbstractText Label="AIM">We sort.</AbstractText>
<AbstractText Label="RESULT">They are sorted.</AbstractText></Abstract>
<AuthorList><Author><LastName>Lee</LastName><ForeName>Ann</ForeName><Initials>A</Initials></Author>
<Author><LastName>Dow</LastName><ForeName>Cy</ForeName><Suffix>Jr</Suffix></Author>
<Author><CollectiveName>The Pebble Group</CollectiveName></Author></AuthorList></Article></MedlineCitation></PubmedArticle>
<PubmedBookArticle><BookDocument><PMID>124</PMID><Book><BookTitle>Pebbles, a Handbook</BookTitle><PubDate><Year>2009</Year>
</PubDate></Book></BookDocument></PubmedBookArticle></PubmedArticleSet>"""

SAMPLES: dict[str, tuple[str, list[dict[str, object]]]] = {
    "pubmed": (
        PUBMED,
        [
            {
                "title_raw": "Sorting <i>pebbles</i> by H<sub>2</sub>O &amp; sound",
                "author_names_raw": ["Lee, Ann", "Dow, Cy, Jr", "The Pebble Group"],
                "abstract_raw": "AIM: We sort.\nRESULT: They are sorted.",
                "year_raw": "2021",
                "date_raw": "2021-Mar",
                "venue_raw": "Journal of Pebbles",
                "volume_raw": "4",
                "number_raw": "2",
                "pages_raw": "7-9",
                "doi_raw": "10.1234/pebble.1",
                "pmid_raw": "123",
                "source_key": "123",
            },
            {"title_raw": "Pebbles, a Handbook", "year_raw": "2009", "date_raw": "2009", "venue_raw": "Pebbles, a Handbook"}
            | {"pmid_raw": "124", "source_key": "124"},
        ],
    ),
    "medline": (
        "<MedlineCitationSet><MedlineCitation><PMID>5</PMID><Article><ArticleTitle>Tides</ArticleTitle></Article>"
        "</MedlineCitation></MedlineCitationSet>",
        [{"title_raw": "Tides", "pmid_raw": "5", "source_key": "5"}],
    ),
    "acl_anthology": (
        """<collection id="2023.tides"><volume id="long"><meta><booktitle>Tides <fixed-case>I</fixed-case></booktitle>
        <editor><first>Ed</first><last>Itor</last></editor><year>2023</year><volume>1</volume></meta>
        <frontmatter><url>2023.tides-long.0</url></frontmatter>
        <paper id="7"><title><fixed-case>NLP</fixed-case> of <tex-math>x^2</tex-math></title><author><first>Ann</first>
        <last>Lee</last></author><author><first/><last>Plato</last></author><pages>1–8</pages></paper></volume>
        <volume id="2"><meta><booktitle>Locks</booktitle></meta><paper id="1"><title>Ferries</title></paper></volume>
        </collection>""",
        [
            {
                "title_raw": "NLP of $x^2$",
                "author_names_raw": ["Lee, Ann", "Plato"],
                "pages_raw": "1–8",
                "year_raw": "2023",
                "venue_raw": "Tides I",
                "volume_raw": "1",
                "acl_id_raw": "2023.tides-long.7",
                "source_key": "2023.tides-long.7",
            },
            {"title_raw": "Ferries", "venue_raw": "Locks", "year_raw": "2023"}
            | {"acl_id_raw": "2023.tides-2.1", "source_key": "2023.tides-2.1"},
        ],
    ),
    "endnote": (
        """<xml><records><record><rec-number>12</rec-number><ref-type name="Journal Article">17</ref-type><contributors>
        <authors><author><style face="normal" size="100%">Lee, A. B.</style></author></authors></contributors><titles><title>
        <style face="normal">Sorting </style><style face="italic">pebbles</style></title><secondary-title>
        <style>J. Pebbles</style></secondary-title></titles><dates><year><style>2005</style></year></dates>
        <electronic-resource-num>10.1234/a</electronic-resource-num></record></records></xml>""",
        [
            {
                "title_raw": "Sorting <i>pebbles</i>",
                "author_names_raw": ["Lee, A. B."],
                "venue_raw": "J. Pebbles",
                "year_raw": "2005",
                "doi_raw": "10.1234/a",
                "type_raw": "Journal Article",
                "source_key": "12",
            }
        ],
    ),
    "mods": (
        """<m:modsCollection xmlns:m="http://www.loc.gov/mods/v3"><m:mods ID="k1"><m:titleInfo><m:title>Tides</m:title>
        </m:titleInfo><m:titleInfo type="alternative"><m:title>Ebb</m:title></m:titleInfo><m:name type="personal">
        <m:namePart type="given">Ann</m:namePart><m:namePart type="family">Lee</m:namePart></m:name>
        <m:name type="personal"><m:namePart>Itor, Ed</m:namePart><m:role><m:roleTerm>editor</m:roleTerm></m:role></m:name>
        <m:relatedItem type="host"><m:titleInfo><m:title>Sea</m:title></m:titleInfo><m:part><m:detail type="volume">
        <m:number>3</m:number></m:detail><m:extent unit="pages"><m:start>4</m:start><m:end>9</m:end></m:extent>
        <m:date>1999</m:date></m:part></m:relatedItem></m:mods></m:modsCollection>""",
        [
            {
                "title_raw": "Tides",
                "author_names_raw": ["Lee, Ann"],
                "venue_raw": "Sea",
                "volume_raw": "3",
                "pages_raw": "4-9",
                "year_raw": "1999",
                "source_key": "k1",
            }
        ],
    ),
    "sru_pica": (
        """<z:searchRetrieveResponse xmlns:z="urn:z"><z:records><z:record><z:recordData><record xmlns="info:picaXML-v1.0">
        <datafield tag="021A"><subfield code="a">Die @Tide</subfield></datafield><datafield tag="028A">
        <subfield code="d">Ann</subfield><subfield code="a">Lee</subfield></datafield></record></z:recordData></z:record>
        </z:records></z:searchRetrieveResponse>""",
        [{"title_raw": "Die Tide", "author_names_raw": ["Lee, Ann"]}],
    ),
    "sru_marc": (
        """<searchRetrieveResponse><records><record><recordData><record><controlfield tag="001">x1</controlfield>
        <datafield tag="245"><subfield code="a">Tides</subfield><subfield code="b">an atlas</subfield></datafield>
        <datafield tag="100"><subfield code="a">Lee, Ann</subfield></datafield></record></recordData></record></records>
        </searchRetrieveResponse>""",
        [{"title_raw": "Tides", "subtitle_raw": "an atlas", "author_names_raw": ["Lee, Ann"], "source_key": "x1"}],
    ),
    "sru_mods": (
        """<searchRetrieveResponse><records><record><recordData><mods><titleInfo><title>Tides</title></titleInfo></mods>
        </recordData></record></records></searchRetrieveResponse>""",
        [{"title_raw": "Tides"}],
    ),
    "sru_dc": (
        """<searchRetrieveResponse><records><record><recordData><dc><title>Tides</title><creator>Lee, Ann</creator></dc>
        </recordData></record></records></searchRetrieveResponse>""",
        [{"title_raw": "Tides", "author_names_raw": ["Lee, Ann"]}],
    ),
    "marc": (
        """<collection xmlns="http://www.loc.gov/MARC21/slim"><record><datafield tag="245"><subfield code="a">Tides</subfield>
        </datafield></record></collection>""",
        [{"title_raw": "Tides"}],
    ),
    "oai_pmh": (
        """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header><identifier>oai:x:1</identifier>
        </header><metadata><oai_dc:dc xmlns:oai_dc="urn:o" xmlns:dc="urn:d"><dc:title>Tides</dc:title><dc:creator>Lee, Ann
        </dc:creator><dc:identifier>https://example.org/1</dc:identifier><dc:identifier>doi:10.1234/a</dc:identifier>
        </oai_dc:dc></metadata></record><record><metadata><arXiv><id>hep-ph/0408155</id><title>Locks</title><authors><author>
        <keyname>Dow</keyname><forenames>Cy</forenames></author></authors></arXiv></metadata></record></ListRecords></OAI-PMH>""",
        [
            {"title_raw": "Tides", "author_names_raw": ["Lee, Ann"], "url_raw": "https://example.org/1"}
            | {"doi_raw": "doi:10.1234/a", "source_key": "oai:x:1"},
            {"title_raw": "Locks", "author_names_raw": ["Dow, Cy"], "arxiv_id_raw": "hep-ph/0408155"},
        ],
    ),
    "dublin_core": (
        """<entries><entry><dc:title xsi:type="a">Tides</dc:title><dc:creator>Lee, Ann</dc:creator><dc:date>1994</dc:date>
        </entry></entries>""",
        [{"title_raw": "Tides", "author_names_raw": ["Lee, Ann"], "date_raw": "1994"}],
    ),
    "bibtexml": (
        """<b:file xmlns:b="http://bibtexml.sf.net/"><b:entry id="k"><b:article><b:author>Ann Lee and Bo Li</b:author>
        <b:title>Tides</b:title><b:year>2016</b:year></b:article></b:entry></b:file>""",
        [
            {"title_raw": "Tides", "authors_raw": "Ann Lee and Bo Li", "year_raw": "2016"}
            | {"type_raw": "article", "source_key": "k"}
        ],
    ),
    "msbib": (
        """<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography"><b:Source><b:Tag>k</b:Tag>
        <b:Title> Tides </b:Title><b:Author><b:Author><b:NameList><b:Person><b:Last>Lee</b:Last><b:First>Ann</b:First>
        <b:Middle>B.</b:Middle></b:Person></b:NameList></b:Author></b:Author><b:Year>2002</b:Year></b:Source></b:Sources>""",
        [{"title_raw": "Tides", "author_names_raw": ["Lee, Ann B."], "year_raw": "2002", "source_key": "k"}],
    ),
    "arxiv_atom": (
        """<feed xmlns="http://www.w3.org/2005/Atom"><id>http://arxiv.org/api/x</id><entry><id>http://arxiv.org/abs/2301.00001v2
        </id><title>Tides</title><summary>We ebb.</summary><author><name>Ann Lee</name></author><author><name>Bo Li</name>
        </author><published>2023-01-01T00:00:00Z</published><category term="cs.LG"/><category term="cs.AI"/>
        <link title="pdf" href="http://arxiv.org/pdf/2301.00001v2"/></entry></feed>""",
        [
            {
                "title_raw": "Tides",
                "author_names_raw": ["Ann Lee", "Bo Li"],
                "abstract_raw": "We ebb.",
                "date_raw": "2023-01-01T00:00:00Z",
                "keywords_raw": "cs.LG; cs.AI",
                "arxiv_id_raw": "http://arxiv.org/abs/2301.00001v2",
                "url_raw": "http://arxiv.org/abs/2301.00001v2",
                "pdf_url_raw": "http://arxiv.org/pdf/2301.00001v2",
                "source_key": "http://arxiv.org/abs/2301.00001v2",
            }
        ],
    ),
    "dblp": (
        """<!DOCTYPE dblp SYSTEM "dblp.dtd"><dblp><article key="journals/x/Lee99"><author>Ann L&eacute;e 0001</author>
        <title>A &lt; B &amp; &uuml;ber <i>C</i>.</title><year>1999</year><journal>X</journal>
        <ee>https://doi.org/10.1234/a</ee></article><www key="homepages/1"><author>Ann Lee</author></www>
        <inproceedings key="conf/y/Li00"><author>Bo Li</author><title>Locks &nosuch; &</title></inproceedings></dblp>""",
        [
            {
                "title_raw": "A &lt; B &amp; über <i>C</i>.",
                "author_names_raw": ["Ann Lée"],
                "year_raw": "1999",
                "venue_raw": "X",
                "doi_raw": "https://doi.org/10.1234/a",
                "url_raw": "https://doi.org/10.1234/a",
                "urls_raw": ["https://doi.org/10.1234/a"],
                "source_key": "journals/x/Lee99",
            },
            {"title_raw": "Locks &nosuch; &", "author_names_raw": ["Bo Li"], "source_key": "conf/y/Li00"},
        ],
    ),
    "jats": (
        """<article article-type="research-article"><front><journal-meta><journal-title>Sea</journal-title></journal-meta>
        <article-meta><article-id pub-id-type="doi">10.1234/a</article-id>
        <title-group><article-title>Tides of <italic>X</italic>
        </article-title></title-group><contrib-group><contrib contrib-type="author"><name><surname>Lee</surname>
        <given-names>Ann</given-names></name><xref>1</xref></contrib><contrib contrib-type="editor"><name>
        <surname>Itor</surname></name></contrib></contrib-group><pub-date><year>2020</year></pub-date><fpage>1</fpage>
        <lpage>5</lpage><abstract><p>We ebb.</p></abstract></article-meta></front><body><p>Long text.</p></body></article>""",
        [
            {
                "title_raw": "Tides of <italic>X</italic>",
                "author_names_raw": ["Lee, Ann"],
                "abstract_raw": "<p>We ebb.</p>",
                "year_raw": "2020",
                "date_raw": "2020",
                "venue_raw": "Sea",
                "pages_raw": "1-5",
                "type_raw": "research-article",
                "doi_raw": "10.1234/a",
                "source_key": "10.1234/a",
            }
        ],
    ),
    "crossref": (
        """<doi_records><doi_record><crossref><journal><journal_metadata><full_title>Sea</full_title></journal_metadata>
        <journal_issue><journal_volume><volume>3</volume></journal_volume><issue>1</issue></journal_issue><journal_article>
        <titles><title>Tides</title></titles><contributors><person_name contributor_role="author"><given_name>Ann</given_name>
        <surname>Lee</surname></person_name></contributors><publication_date><year>2019</year></publication_date><pages>
        <first_page>2</first_page><last_page>3</last_page></pages><doi_data><doi>10.1234/a</doi></doi_data></journal_article>
        </journal></crossref></doi_record></doi_records>""",
        [
            {
                "title_raw": "Tides",
                "author_names_raw": ["Lee, Ann"],
                "year_raw": "2019",
                "date_raw": "2019",
                "venue_raw": "Sea",
                "volume_raw": "3",
                "number_raw": "1",
                "pages_raw": "2-3",
                "doi_raw": "10.1234/a",
                "source_key": "10.1234/a",
            }
        ],
    ),
    "zotero_rdf": (
        """<rdf:RDF xmlns:rdf="urn:r" xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:bib="urn:b" xmlns:dc="urn:d"
        xmlns:foaf="urn:f" xmlns:dcterms="urn:t"><bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType>
        <dcterms:isPartOf><bib:Journal><dc:title>Sea</dc:title></bib:Journal></dcterms:isPartOf><bib:authors><rdf:Seq><rdf:li>
        <foaf:Person><foaf:surname>Lee</foaf:surname><foaf:givenName>Ann</foaf:givenName></foaf:Person></rdf:li></rdf:Seq>
        </bib:authors><dc:title>Tides</dc:title><dc:date>2019</dc:date></bib:Article><bib:Article rdf:about="#item_2">
        <dcterms:isPartOf rdf:resource="urn:issn:7"/><dc:title>Locks</dc:title></bib:Article>
        <bib:Article rdf:about="#item_3"><dcterms:isPartOf rdf:resource="urn:issn:8"/><dc:title>Ferries</dc:title></bib:Article>
        <bib:Journal rdf:about="urn:issn:7"><prism:volume>7</prism:volume><dc:title>Shore</dc:title>
        <prism:number>3</prism:number><dc:identifier>DOI 10.5555/locks</dc:identifier><dc:identifier>ISSN 7</dc:identifier>
        </bib:Journal></rdf:RDF>""",
        [
            {"title_raw": "Tides", "author_names_raw": ["Lee, Ann"], "date_raw": "2019", "venue_raw": "Sea"}
            | {"type_raw": "journalArticle", "source_key": "#item_1"},
            {"title_raw": "Locks", "venue_raw": "Shore", "volume_raw": "7", "number_raw": "3", "doi_raw": "DOI 10.5555/locks"}
            | {"source_key": "#item_2"},
            {"title_raw": "Ferries", "source_key": "#item_3"},
        ],
    ),
    "europe_pmc": (
        """<responseWrapper><hitCount>2</hitCount><resultList><result><id>5</id><source>MED</source><pmid>5</pmid>
        <title>Tides</title><authorList><author><fullName>Lee A</fullName><firstName>Ann</firstName><lastName>Lee</lastName>
        <initials>A</initials></author><author><collectiveName>Tide Group</collectiveName></author></authorList>
        <journalInfo><issue>3</issue><volume>7</volume><yearOfPublication>2019</yearOfPublication><journal><title>Sea</title>
        <ISOAbbreviation>S</ISOAbbreviation></journal></journalInfo><pubYear>2019</pubYear><pageInfo>1-8</pageInfo></result>
        <result><id>PPR1</id><title>Locks</title><authorString>Li B.</authorString></result></resultList></responseWrapper>""",
        [
            {"title_raw": "Tides", "author_names_raw": ["Lee, Ann", "Tide Group"], "year_raw": "2019", "venue_raw": "Sea"}
            | {"volume_raw": "7", "number_raw": "3", "pages_raw": "1-8", "pmid_raw": "5", "source_key": "5"},
            {"title_raw": "Locks", "authors_raw": "Li B.", "source_key": "PPR1"},
        ],
    ),
    "citavi": (
        """<CitaviExchangeData><Periodicals><Periodical id="j"><Name>Sea</Name></Periodical></Periodicals><Persons>
        <Person id="p"><FirstName>Ann</FirstName><LastName>Lee</LastName><MiddleName>B.</MiddleName></Person></Persons>
        <References><Reference id="r1"><Title>Tides</Title><Year>2010</Year><PeriodicalID>j</PeriodicalID></Reference>
        </References>
        <ReferenceAuthors><OnetoN>r1;p</OnetoN></ReferenceAuthors><ReferenceEditors><OnetoN>r1;p</OnetoN></ReferenceEditors>
        </CitaviExchangeData>""",
        [
            {"title_raw": "Tides", "year_raw": "2010", "source_key": "r1", "author_names_raw": ["Lee, Ann B."]}
            | {"venue_raw": "Sea"}
        ],
    ),
}


def test_each_dialect_has_a_sample():
    assert list(SAMPLES) == [dialect.name for dialect in DIALECTS]


@pytest.mark.parametrize("name", SAMPLES)
def test_each_dialect_fills_the_fields(stage, name):
    content, expected = SAMPLES[name]
    staged = stage(content)
    assert (staged.facts.reader, staged.facts.form, staged.reasons) == ("xml_records", name, [])
    assert staged.fields == expected


def test_the_column_map_says_which_path_fills_which_field(stage):
    staged = stage(SAMPLES["medline"][0])
    rows = staged.column_map.select("column_name", "field", "decided_by", "record_count").rows()
    assert ("Article.ArticleTitle", "title", "format", 1) in [
        (name, field.removesuffix("_raw"), *rest) for name, field, *rest in rows
    ]


def test_a_column_that_the_source_maps_comes_before_the_dialect(stage):
    staged = stage(SAMPLES["citavi"][0], columns={"Year": "volume_raw"})
    assert staged.fields == [
        {
            "title_raw": "Tides",
            "volume_raw": "2010",
            "source_key": "r1",
            "author_names_raw": ["Lee, Ann B."],
            "venue_raw": "Sea",
        }
    ]


def check_damaged(staged):
    assert "reader_failed" not in staged.reasons
    reasons = {"broken_xml", "entry_too_long", "not_a_paper_list", "binary", "bad_encoding", "empty_file"}
    assert set(staged.facts.reasons) <= reasons


QUICK = settings(max_examples=100, derandomize=True, deadline=None)


@QUICK
@given(name=st.sampled_from(list(SAMPLES)), cut=st.floats(0, 1))
def test_a_file_that_breaks_off_costs_its_last_entry_at_most(stage, name, cut):
    content = SAMPLES[name][0].encode()
    staged = stage(content[: int(cut * len(content))])
    check_damaged(staged)
    assert len(staged.reasons) <= 1


@QUICK
@given(name=st.sampled_from(list(SAMPLES)), place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_costs_little(stage, name, place, bit):
    content = bytearray(SAMPLES[name][0].encode())
    content[int(place * len(content))] ^= 1 << bit
    check_damaged(stage(bytes(content)))


PIECES = ['<paper id="<">', "<volume id='1'>", "\0"]
PIECES += ["<paper>", "</paper>", "<paper/>", "<paper", "/>", "<meta>", "</meta>", "<title>", "</title>", "</volume>"]
PIECES += ["<frontmatter/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "&a;", "&#0;", "<", ">", "x", "é", '"']


@QUICK
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_order_of_tags_balances(stage, pieces):
    check_damaged(stage("<collection id='P19'><volume id='1'>" + "".join(pieces)))


@QUICK
@given(content=st.binary(max_size=200))
def test_random_bytes_in_a_record_balance(stage, content):
    check_damaged(stage(b"<modsCollection><mods>" + content + b"</mods><mods/></modsCollection>"))


def test_the_categories_and_the_journal_of_arxiv_are_read_from_each_of_its_answers(stage):
    oai = (
        "<OAI-PMH><ListRecords><record><header/><metadata><arXiv><id>2401.00001</id><title>Tides</title>"
        "<categories>cs.LG stat.ML</categories><journal-ref>Sea 7</journal-ref></arXiv></metadata></record>"
        "</ListRecords></OAI-PMH>"
    )
    atom = (
        '<feed xmlns:arxiv="http://arxiv.org/schemas/atom"><entry><id>http://arxiv.org/abs/2401.00001</id><title>Tides</title>'
        '<arxiv:journal_ref>Sea 7</arxiv:journal_ref><category term="cs.LG"/><category term="stat.ML"/></entry></feed>'
    )
    for text in (oai, atom):
        (fields,) = stage(text).fields
        assert (fields["keywords_raw"], fields["venue_raw"]) == ("cs.LG; stat.ML", "Sea 7")


def test_headings_of_mesh_are_keywords_only_where_the_authors_give_none(stage):
    mesh = "<MeshHeadingList><MeshHeading><DescriptorName>Light</DescriptorName></MeshHeading></MeshHeadingList>"
    words = "<KeywordList><Keyword>tides</Keyword></KeywordList>"
    entry = "<MedlineCitation><PMID>5</PMID><Article><ArticleTitle>Tides</ArticleTitle></Article>{}</MedlineCitation>"
    staged = stage(f"<MedlineCitationSet>{entry.format(mesh)}{entry.format(mesh + words)}</MedlineCitationSet>")
    assert [fields["keywords_raw"] for fields in staged.fields] == ["Light", "tides"]
