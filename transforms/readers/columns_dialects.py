"""This module is the names that single tools give to columns, which mean something else, or nothing, elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from transforms.readers.columns_known import IGNORED_COLUMN


@dataclass(frozen=True, slots=True)
class Dialect:
    """The names that one tool writes.

    A table is in the dialect when it has at least `least` of the names in `needs`. `fields` then goes before `COLUMN_NAMES`:
    `first - last` joins two columns, `|word` converts (`shapes_paths`), `ignore` says that a name fills no field. Tags
    (`is_tagged`) are names as they stand, in capitals; other names are without case and punctuation.
    """

    name: str
    needs: frozenset[str]
    least: int
    fields: Mapping[str, str]
    is_tagged: bool = False


_WOS_TAGS = {
    "TI": "title_raw",
    "AF": "authors_raw",
    "AU|family_first": "authors_raw",
    "AB": "abstract_raw",
    "PY": "year_raw",
    "SO": "venue_raw",
    "VL": "volume_raw",
    "IS": "number_raw",
    "BP - EP": "pages_raw",
    "AR": "pages_raw",
    "PU": "publisher_raw",
    "DT": "type_raw",
    "PT": "type_raw",
    "DE": "keywords_raw",
    "DI": "doi_raw",
    "PM": "pmid_raw",
    "UT": "source_key",
    "ID": IGNORED_COLUMN,
    "CA": IGNORED_COLUMN,
    "PD": IGNORED_COLUMN,
}
_RIS_TAGS = {
    "TI": "title_raw",
    "T1": "title_raw",
    "AU": "authors_raw",
    "A1": "authors_raw",
    "AB": "abstract_raw",
    "N2": "abstract_raw",
    "PY": "year_raw",
    "Y1": "date_raw",
    "DA": "date_raw",
    "T2": "venue_raw",
    "JO": "venue_raw",
    "JF": "venue_raw",
    "VL": "volume_raw",
    "IS": "number_raw",
    "SP - EP": "pages_raw",
    "PB": "publisher_raw",
    "TY": "type_raw",
    "KW": "keywords_raw",
    "DO": "doi_raw",
    "UR": "url_raw",
    "L1": "pdf_url_raw",
    "ID": "source_key",
    "AN": "source_key",
}

DIALECTS: tuple[Dialect, ...] = (
    # A lone AB, IS or ID means anything; beside a title and two more tags they are tags.
    Dialect("Web of Science tags", frozenset({"PT", "AF", "SO", "UT", "DI", "TI", "AU", "DE"}), 4, _WOS_TAGS, is_tagged=True),
    Dialect("RIS tags", frozenset({"TY", "TI", "T1", "T2", "JO", "A1", "AU", "DO", "UR", "N2"}), 4, _RIS_TAGS, is_tagged=True),
    Dialect(
        "Publish or Perish",
        frozenset({"articleurl", "citesurl", "gsrank"}),
        2,
        {"source": "venue_raw", "citationurl": IGNORED_COLUMN},
    ),
    Dialect(
        "Embase",
        frozenset({"emtreedrugindexterms", "emtreemedicalindexterms", "embaselink", "embaseaccessionid"}),
        1,
        {"sourcetitle": "venue_raw", "source": "venue_raw", "embaselink": "url_raw"},
    ),
    # "Lee, Ann (57190000000); Li, Bo (57190000001)"
    Dialect(
        "Scopus",
        frozenset({"eid", "authorfullnames", "authorsid", "artno"}),
        2,
        {"authorfullnames|without_numbers": "authors_raw"},
    ),
    Dialect(
        "Web of Science, full names",
        frozenset({"utuniquewosid", "uniquewosid", "woscategories", "keywordsplus", "publicationtype"}),
        3,
        {"documenttype": "type_raw"},
    ),
    # A series (Lecture Notes in …) has the book's own title beside it.
    Dialect("Dimensions", frozenset({"dimensionsurl", "anthologytitle", "publicationid"}), 2, {"anthologytitle": "venue_raw"}),
    Dialect(
        "Zotero",
        frozenset({"itemtype", "abstractnote", "manualtags", "automatictags", "librarycatalog"}),
        3,
        {
            "extra|line_doi": "doi_raw",
            "extra|line_arxiv": "arxiv_id_raw",
            "extra|line_pmid": "pmid_raw",
        },
    ),
    # Notes of OpenReview as a table, with their parts in columns of their own or as Pandas flattens them.
    Dialect(
        "OpenReview",
        frozenset({"authorids", "venueid", "paperhash", "forum", "bibtex"}),
        3,
        {"pdf|openreview_address": "pdf_url_raw", "number": IGNORED_COLUMN},
    ),
    *(
        Dialect(
            f"OpenReview, flattened{part}",
            frozenset({f"content{name}{part}" for name in ("title", "authors", "abstract", "venue", "venueid", "pdf")}),
            2,
            {
                f"content{name}{part}{word}": f"{field}_raw"
                for name, word, field in (
                    ("title", "", "title"),
                    ("authors", "", "authors"),
                    ("abstract", "", "abstract"),
                    ("venue", "|year", "year"),
                    ("venueid", "|year", "year"),
                    ("venue", "", "venue"),
                    ("decision", "", "decision"),
                    ("venueid", "", "decision"),
                    ("keywords", "", "keywords"),
                    ("pdf", "|openreview_address", "pdf_url"),
                )
            }
            | {"number": IGNORED_COLUMN},
        )
        for part in ("", "value")
    ),
    Dialect(
        "OpenAlex",
        frozenset(
            {
                "openalexid",
                "citationscount",
                "authorshipsauthordisplayname",
                "primarylocationsourcedisplayname",
                "primarylocationlandingpageurl",
                "bibliovolume",
                "hostvenuedisplayname",
                "authornames",
            }
        ),
        2,
        {
            "title": "title_raw",
            "displayname": "title_raw",
            "authorshipsauthordisplayname": "authors_raw",
            "authorshipsrawauthorname": "authors_raw",
            "primarylocationsourcedisplayname": "venue_raw",
            "hostvenuedisplayname": "venue_raw",
            "source": "venue_raw",
            "primarylocationsourcehostorganizationname": "publisher_raw",
            "bibliovolume": "volume_raw",
            "biblioissue": "number_raw",
            "bibliofirstpage - bibliolastpage": "pages_raw",
            "keywordsdisplayname": "keywords_raw",
            "idspmid": "pmid_raw",
            "primarylocationlandingpageurl": "url_raw",
            "bestoalocationpdfurl": "pdf_url_raw",
            "primarylocationpdfurl": "pdf_url_raw",
            "openalexid": "source_key",
        },
    ),
    Dialect("EBSCO", frozenset({"plink", "doctype", "pagecount", "accessionnumber"}), 2, {"source": "venue_raw"}),
    # A list whose papers are called by their name, as Notion calls its first column.
    Dialect(
        "names of papers",
        frozenset({"name", "authors", "venue", "year", "abstract", "journal", "conference", "doi", "arxiv"}),
        4,
        {"title": "title_raw", "papertitle": "title_raw", "name": "title_raw"},
    ),
    Dialect("German headers", frozenset({"titel", "autor", "autoren", "jahr"}), 2, {"band": "volume_raw"}),
)
"""The dialects, in the order in which they are tried."""


def find_dialect(names: Sequence[str], bare_names: Sequence[str]) -> Dialect | None:
    """The first dialect that columns of these names are in; `bare_names` are the names without case and punctuation.

    >>> found = find_dialect(["AU", "TI", "SO", "PY", "UT"], ["au", "ti", "so", "py", "ut"])
    >>> found and found.name
    'Web of Science tags'
    """
    tags, bare = frozenset(name.strip("\ufeff ") for name in names), frozenset(bare_names)
    return next((known for known in DIALECTS if len(known.needs & (tags if known.is_tagged else bare)) >= known.least), None)
