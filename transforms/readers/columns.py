"""This module knows what the columns of paper lists are called, and which field each of them fills."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

COLUMN_NAMES: dict[str, str] = {
    # title
    "title": "title_raw",
    "papertitle": "title_raw",
    "articletitle": "title_raw",
    "documenttitle": "title_raw",
    "primarytitle": "title_raw",
    "titletext": "title_raw",
    "titleofpaper": "title_raw",
    "papername": "title_raw",
    "标题": "title_raw",
    "题目": "title_raw",
    "论文标题": "title_raw",
    "originaltitle": "title_raw",
    "subtitle": "subtitle_raw",
    # authors
    "authors": "authors_raw",
    "author": "authors_raw",
    "authornames": "authors_raw",
    "authorname": "authors_raw",
    "authorfullnames": "authors_raw",
    "authorlist": "authors_raw",
    "authorslist": "authors_raw",
    "paperauthors": "authors_raw",
    "listofauthors": "authors_raw",
    "creators": "authors_raw",
    "creator": "authors_raw",
    "作者": "authors_raw",
    "firstauthors": "authors_raw",
    # abstract
    "abstract": "abstract_raw",
    "paperabstract": "abstract_raw",
    "abstracttext": "abstract_raw",
    "abstractnote": "abstract_raw",
    "summary": "abstract_raw",
    "摘要": "abstract_raw",
    "originalabstract": "abstract_raw",
    # year and date
    "year": "year_raw",
    "publicationyear": "year_raw",
    "publishedyear": "year_raw",
    "pubyear": "year_raw",
    "yearpublished": "year_raw",
    "yearofpublication": "year_raw",
    "conferenceyear": "year_raw",
    "py": "year_raw",
    "年份": "year_raw",
    "date": "date_raw",
    "publicationdate": "date_raw",
    "datepublished": "date_raw",
    "publisheddate": "date_raw",
    "pubdate": "date_raw",
    "published": "date_raw",
    "publishedat": "date_raw",
    "issued": "date_raw",
    # venue: the curated name before the longer book title, both before a loose name such as "event"
    "venue": "venue_raw",
    "venuename": "venue_raw",
    "journal": "venue_raw",
    "journalname": "venue_raw",
    "journaltitle": "venue_raw",
    "booktitle": "venue_raw",
    "containertitle": "venue_raw",
    "publicationtitle": "venue_raw",
    "publicationname": "venue_raw",
    "sourcetitle": "venue_raw",
    "conference": "venue_raw",
    "conferencename": "venue_raw",
    "conf": "venue_raw",
    "proceedings": "venue_raw",
    "proceeding": "venue_raw",
    "hostvenue": "venue_raw",
    "secondarytitle": "venue_raw",
    "journalbook": "venue_raw",
    "event": "venue_raw",
    "会议": "venue_raw",
    "期刊": "venue_raw",
    # where in the venue
    "volume": "volume_raw",
    "vol": "volume_raw",
    "number": "number_raw",
    "issue": "number_raw",
    "issuenumber": "number_raw",
    "pages": "pages_raw",
    "page": "pages_raw",
    "pagerange": "pages_raw",
    "pagination": "pages_raw",
    "publisher": "publisher_raw",
    "publishername": "publisher_raw",
    # kind, tags, decision
    "type": "type_raw",
    "entrytype": "type_raw",
    "publicationtype": "type_raw",
    "documenttype": "type_raw",
    "papertype": "type_raw",
    "itemtype": "type_raw",
    "typeofreference": "type_raw",
    "referencetype": "type_raw",
    "tags": "tags_raw",
    "tag": "tags_raw",
    "keywords": "keywords_raw",
    "keyword": "keywords_raw",
    "authorkeywords": "keywords_raw",
    "topics": "keywords_raw",
    "topic": "keywords_raw",
    "subjects": "keywords_raw",
    "categories": "keywords_raw",
    "关键词": "keywords_raw",
    "decision": "decision_raw",
    "finaldecision": "decision_raw",
    "paperdecision": "decision_raw",
    "status": "decision_raw",
    "presentationtype": "decision_raw",
    # identifiers
    "doi": "doi_raw",
    "paperdoi": "doi_raw",
    "doilink": "doi_raw",
    "doiurl": "doi_raw",
    "arxivid": "arxiv_id_raw",
    "arxiv": "arxiv_id_raw",
    "paperarxivid": "arxiv_id_raw",
    "arxivurl": "arxiv_id_raw",
    "arxivlink": "arxiv_id_raw",
    "eprint": "arxiv_id_raw",
    "openreviewid": "openreview_id_raw",
    "openreview": "openreview_id_raw",
    "openreviewurl": "openreview_id_raw",
    "openreviewlink": "openreview_id_raw",
    "forum": "openreview_id_raw",
    "forumid": "openreview_id_raw",
    "pmid": "pmid_raw",
    "pubmedid": "pmid_raw",
    "aclid": "acl_id_raw",
    "anthologyid": "acl_id_raw",
    "aclanthologyid": "acl_id_raw",
    # addresses
    "url": "url_raw",
    "paperurl": "url_raw",
    "urlpaper": "url_raw",
    "paperlink": "url_raw",
    "link": "url_raw",
    "site": "url_raw",
    "paperpage": "url_raw",
    "urlabs": "url_raw",
    "absurl": "url_raw",
    "openurllink": "url_raw",
    "链接": "url_raw",
    "detailurl": "urls_raw",
    "detailsurl": "urls_raw",
    "detailpage": "urls_raw",
    "urls": "urls_raw",
    "pdfurl": "pdf_url_raw",
    "pdf": "pdf_url_raw",
    "pdflink": "pdf_url_raw",
    "urlpdf": "pdf_url_raw",
    "paperpdf": "pdf_url_raw",
    "openaccesspdf": "pdf_url_raw",
    "code": "link_urls_raw",
    "codeurl": "link_urls_raw",
    "codelink": "link_urls_raw",
    "github": "link_urls_raw",
    "githuburl": "link_urls_raw",
    "githublink": "link_urls_raw",
    "repository": "link_urls_raw",
    "repositoryurl": "link_urls_raw",
    "repo": "link_urls_raw",
    "project": "link_urls_raw",
    "projecturl": "link_urls_raw",
    "projectpage": "link_urls_raw",
    "dataseturl": "link_urls_raw",
    # the source's own key, however OpenReview-like it looks
    "id": "source_key",
    "key": "source_key",
    "citationkey": "source_key",
    "citekey": "source_key",
    "bibtexkey": "source_key",
    "paperid": "source_key",
    "recordid": "source_key",
    "articleid": "source_key",
    "submissionid": "source_key",
    "corpusid": "source_key",
    "ident": "source_key",
    "identifier": "source_key",
}
"""A header name without case and punctuation -> a field of `schemas.FIELDS`, or `source_key`.

Of two names for one field, the one that stands earlier here is preferred. `source` is not here: in one list it is the
journal, in the next the database that was searched.
"""

PAPER_FIELDS = frozenset(
    {
        "title_raw",
        "abstract_raw",
        "doi_raw",
        "arxiv_id_raw",
        "openreview_id_raw",
        "pmid_raw",
        "acl_id_raw",
    }
)
"""Fields that tell a paper: a table with a column for none of them is no list of papers."""


IGNORED_COLUMN = "ignore"
"""What `sources.toml` says of a column that fills no field though its name is one that would."""


def column_map(names: Sequence[str]) -> dict[str, str]:
    """The field that each recognised column fills, the preferred column of a field first, unknown columns left out.

    Case, spaces, underscores, hyphens, dots and the like do not count.

    >>> column_map(["Paper Title", "AUTHORS", "container-title", "gs_citation"])
    {'Paper Title': 'title_raw', 'AUTHORS': 'authors_raw', 'container-title': 'venue_raw'}
    >>> column_map(["summary", "abstract"])
    {'abstract': 'abstract_raw', 'summary': 'abstract_raw'}
    """
    known = [(name, key) for name in names if (key := _bare_name(name)) in COLUMN_NAMES]
    return {name: COLUMN_NAMES[key] for name, key in sorted(known, key=lambda pair: _RANK[pair[1]])}


def has_paper_columns(names: Sequence[str]) -> bool:
    """Whether columns of these names can tell a paper: a title, an abstract or an identifier of a public scheme.

    >>> has_paper_columns(["id", "abstract"]), has_paper_columns(["id", "name", "url"])
    (True, False)
    """
    return any(field in PAPER_FIELDS for field in column_map(names).values())


def unique_names(names: Sequence[str]) -> list[str]:
    """The names of columns, made unique: `column_N` for an empty one, a number at each but the first of equal ones.

    >>> unique_names(["a", "", "a", "a_2", "a"])
    ['a', 'column_2', 'a_3', 'a_2', 'a_4']
    """
    filled = [name or f"column_{position}" for position, name in enumerate(names, 1)]
    taken, counts, unique = set(filled), dict.fromkeys(filled, 0), []
    for name in filled:
        counts[name] += 1
        candidate = name
        while counts[name] > 1 and candidate in taken:
            candidate = f"{name}_{counts[name]}"
            counts[name] += candidate in taken
        taken.add(candidate)
        unique.append(candidate)
    return unique


_RANK = {name: rank for rank, name in enumerate(COLUMN_NAMES)}
_PUNCTUATION = re.compile(r"[\W_]+")


def _bare_name(name: str) -> str:
    return _PUNCTUATION.sub("", unicodedata.normalize("NFKC", name).casefold())
