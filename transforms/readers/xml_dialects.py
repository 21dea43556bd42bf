"""This module is the dialects of XML that lists of papers come in: how each is known, and what its entries are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from transforms.readers.xml_acl import acl_fields
from transforms.readers.xml_citavi import NAMES, citavi_fields, citavi_names
from transforms.readers.xml_entries import Vocabulary
from transforms.readers.xml_fields import (
    ACL,
    ARXIV_ATOM,
    CITATION,
    CROSSREF,
    DBLP,
    DUBLIN_CORE,
    EUROPE_PMC,
    JATS,
    MARC,
    MODS,
    OAI_PMH,
    PICA,
    PUBMED,
)
from transforms.readers.xml_fields_managers import BIBTEXML, CITAVI, ENDNOTE, MSBIB, ZOTERO
from transforms.readers.xml_paths import Fields
from transforms.readers.xml_zotero import PARENTS, zotero_fields, zotero_parents

Context = Mapping[str, object]
"""What the parts and marks before an entry hold, by their names."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One dialect: the local names that its root may have, and what else must stand in the head of the file.

    `needs` are groups of local names of elements, of each of which one is in the sample; `mark` is a text that is.
    `unwrap` are names of elements that hold all of an entry, one in the other. `part_fields` are fields in the parts and marks
    before an entry, by their names; `more_fields` are built from them and the entry. `names` are elements anywhere in the file,
    of which `find_names` makes what `more_fields` finds as `names`. `not_papers` counts among the marks what stands for no
    paper, such as front matter.
    """

    name: str
    meaning: str
    roots: tuple[str, ...]
    vocabulary: Vocabulary
    fields: Fields
    needs: tuple[str, ...] = ()
    mark: str = ""
    unwrap: tuple[str, ...] = ()
    part_fields: Fields = ()
    resets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_papers: tuple[str, ...] = ()
    more_fields: Callable[[Mapping[str, object], Context], dict[str, object]] | None = None
    names: Vocabulary | None = None
    find_names: Callable[[Iterable[tuple[str, object]]], dict[str, object]] | None = None

    def fits(self, root: str, names: frozenset[str], text: str) -> bool:
        """Whether a head is of this dialect: its first element, the names of all, and its text."""
        return (
            root in self.roots
            and self.mark in text
            and all(any(name in names for name in need.split("|")) for need in self.needs)
        )


DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "pubmed", "PubMed and Medline",
        ("PubmedArticleSet", "PubmedArticle", "PubmedBookArticleSet", "PubmedBookArticle"),
        Vocabulary(("PubmedArticle", "PubmedBookArticle")), PUBMED,
    ),
    Dialect(
        "medline", "Medline citations", ("MedlineCitationSet", "MedlineCitation"), Vocabulary(("MedlineCitation",)), CITATION
    ),
    Dialect(
        "acl_anthology", "the ACL Anthology", ("collection", "volume"),
        Vocabulary(("paper",), ("meta",), ("collection", "volume", "frontmatter")),
        ACL,
        needs=("paper|volume",),
        part_fields=(
            ("meta.journal-title", "venue_raw"), ("meta.booktitle", "venue_raw"), ("meta.year", "year_raw"),
            ("meta.journal-volume", "volume_raw"), ("meta.volume", "volume_raw"), ("meta.journal-issue", "number_raw"),
            ("meta.publisher", "publisher_raw"),
        ),
        resets={"collection": ("volume", "meta"), "volume": ("meta",)},
        not_papers=("frontmatter",),
        more_fields=acl_fields,
    ),
    Dialect("endnote", "EndNote", ("xml", "records"), Vocabulary(("record",)), ENDNOTE, needs=("rec-number|ref-type|titles",)),
    Dialect("mods", "MODS", ("modsCollection", "mods"), Vocabulary(("mods",)), MODS),
    Dialect(
        "sru_pica", "a library catalogue's answer, PICA", ("searchRetrieveResponse",), Vocabulary(("recordData",)), PICA,
        mark="picaXML", unwrap=("record",),
    ),
    Dialect(
        "sru_marc", "a library catalogue's answer, MARC", ("searchRetrieveResponse",), Vocabulary(("recordData",)), MARC,
        needs=("datafield",), unwrap=("record",),
    ),
    Dialect(
        "sru_mods", "a library catalogue's answer, MODS", ("searchRetrieveResponse",), Vocabulary(("mods",)), MODS,
        needs=("mods",),
    ),
    Dialect(
        "sru_dc", "a library catalogue's answer, Dublin Core", ("searchRetrieveResponse",), Vocabulary(("recordData",)),
        DUBLIN_CORE, needs=("title", "creator|date|publisher"), unwrap=("dc", "record"),
    ),
    Dialect("marc", "MARC 21", ("collection", "record"), Vocabulary(("record",)), MARC, needs=("datafield",)),
    Dialect(
        "oai_pmh", "an archive's answer (OAI-PMH): Dublin Core or arXiv", ("OAI-PMH", "ListRecords", "GetRecord"),
        Vocabulary(("record",)),
        OAI_PMH,
        needs=("metadata|header|record|error",),
    ),
    Dialect(
        "dublin_core", "entries in Dublin Core", ("entries", "records", "metadata", "collection"),
        Vocabulary(("entry", "record")), (*DUBLIN_CORE, ("recordIdentifier", "source_key")),
        needs=("entry|record", "title"), mark="dc:title",
    ),
    Dialect("bibtexml", "BibTeXML", ("file",), Vocabulary(("entry",)), BIBTEXML, mark="bibtexml"),
    Dialect("msbib", "bibliographies of Microsoft Word", ("Sources",), Vocabulary(("Source",)), MSBIB, mark="ibliography"),
    Dialect("arxiv_atom", "arXiv's feed (Atom)", ("feed", "entry"), Vocabulary(("entry",)), ARXIV_ATOM, mark="arxiv.org"),
    Dialect(
        "dblp", "DBLP", ("dblp", "article", "inproceedings"),
        Vocabulary(("article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis")), DBLP,
        mark=' key="',
    ),
    Dialect(
        "jats", "articles in JATS", ("article", "pmc-articleset", "articles"), Vocabulary(("article",)), JATS,
        needs=("front", "article-meta"),
    ),
    Dialect(
        "crossref", "Crossref", ("doi_records", "doi_batch", "crossref_result", "doi_record"),
        Vocabulary(
            ("journal_article", "conference_paper", "content_item", "posted_content", "dissertation", "report-paper_metadata"),
            ("journal_metadata", "journal_issue", "proceedings_metadata", "book_metadata", "book_series_metadata"),
            ("journal", "conference", "book", "doi_record"),
        ),
        CROSSREF,
        part_fields=(
            ("journal_metadata.full_title", "venue_raw"), ("journal_issue.journal_volume.volume", "volume_raw"),
            ("journal_issue.issue", "number_raw"), ("journal_issue.publication_date.year", "year_raw"),
            ("proceedings_metadata.proceedings_title", "venue_raw"), ("proceedings_metadata.publication_date.year", "year_raw"),
            ("proceedings_metadata.publisher.publisher_name", "publisher_raw"),
            ("book_metadata.titles.title", "venue_raw"), ("book_metadata.publication_date.year", "year_raw"),
            ("book_metadata.publisher.publisher_name", "publisher_raw"),
        ),
        resets=dict.fromkeys(
            ("journal", "conference", "book", "doi_record"),
            ("journal_metadata", "journal_issue", "proceedings_metadata", "book_metadata"),
        ),
    ),
    Dialect(
        "zotero_rdf", "Zotero RDF", ("RDF",),
        Vocabulary(("Article", "BookSection", "Document", "Manuscript", "Report", "Thesis", "Description")), ZOTERO,
        mark="zotero", more_fields=zotero_fields, names=PARENTS, find_names=zotero_parents,
    ),
    Dialect(
        "europe_pmc", "Europe PMC's answer", ("responseWrapper",), Vocabulary(("result",)), EUROPE_PMC,
        needs=("resultList", "result"),
    ),
    Dialect(
        "citavi", "Citavi", ("CitaviExchangeData",), Vocabulary(("Reference",)), CITAVI,
        more_fields=citavi_fields, names=NAMES, find_names=citavi_names,
    ),
)  # fmt: skip
"""The dialects, the one that needs more before the one that needs less. A new dialect is one entry here."""
