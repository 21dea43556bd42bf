"""This module is the table of what columns of paper lists are called, in most tools and in seven languages."""

from __future__ import annotations

IGNORED_COLUMN = "ignore"
"""What stands for the field of a column that fills none though its name is one that would."""

_NAMES: dict[str, str] = {
    "title_raw": (
        "title papertitle articletitle documenttitle primarytitle titletext titleofpaper papername 标题 题目 题名 篇名 "
        "论文题目 文献标题 title题名 titel titre título titulo titolo タイトル 论文标题 originaltitle "
        "itemtitle"
    ),
    "subtitle_raw": "subtitle",
    # names in full before abbreviated ones
    "authors_raw": (
        "authorfullnames authorfullname authorsfull authors author authornames authorname authorlist "
        "authorslist paperauthors listofauthors creators creator 作者 author作者 authorslastfirst fullauthors "
        "zauthors autor autoren autorin auteur auteurs autores autors verfasser autori 著者 firstauthors"
    ),
    "abstract_raw": (
        "abstract paperabstract abstracttext abstractnote summary 摘要 summary摘要 notesabstract abstracthtml "
        "articleabstract abstractcontent zusammenfassung kurzfassung résumé resumen 内容摘要 originalabstract"
    ),
    "year_raw": (
        "year publicationyear publishedyear pubyear yearpublished yearofpublication conferenceyear py 年份 年 year年 出版年 "
        "发表年份 erscheinungsjahr publikationsjahr jahr année annéedepublication año añodepublicación anno copyrightyear "
        "yearpub"
    ),
    "date_raw": (
        "date publicationdate datepublished publisheddate publishdate pubdate published publishedat issued dateofpublication "
        "publisheddateonline onlinedate onlinepublicationdate firstpublicationdate 发表时间 pubtime发表时间 出版日期 "
        "erscheinungsdatum datedepublication fechadepublicación"
    ),
    # the curated name before the longer book title, both before a loose name such as "event"
    "venue_raw": (
        "venue venuename journal journalname journaltitle booktitle containertitle publicationtitle publicationname "
        "sourcetitle conference conferencename conf proceedings proceeding hostvenue secondarytitle journalbook event "
        "pubtitle fulljournaltitle journalfullname publicationvenue bookseriestitle anthologytitle proceedingstitle "
        "bookname publication journalconference conferencejournal venuejournal 会议 期刊 会议名称 期刊名称 刊名 文献来源 "
        "source文献来源 zeitschrift tagung konferenz revue revista rivista conférence conferencia"
    ),
    "volume_raw": "volume volumenumber journalvolume vol 卷 volume卷 volumen jahrgang",
    "number_raw": "number issue issuenumber issueno journalissue 期 period期 numéro número heft",
    # a first page, which its last page joins (`LAST_PAGES`), before the number of an article
    "pages_raw": (
        "pages page pagerange pagination pagenumbers pagenumber pagesinfo 页码 页 seiten páginas paginas startpage "
        "pagestart startingpage firstpage beginningpage beginpage pagefirst spage articlenumber artno articleno"
    ),
    "publisher_raw": "publisher publishername 出版社 verlag éditeur",
    "type_raw": (
        "type entrytype publicationtype documenttype papertype itemtype typeofreference referencetype publicationtypes "
        "doctype dokumenttyp typededocument tipodedocumento 文献类型"
    ),
    "tags_raw": "tags tag",
    "keywords_raw": (
        "keywords keyword authorkeywords topics topic subjects categories 关键词 关键字 keyword关键词 keywordsplus ieeeterms "
        "indexkeywords identifierkeywords fieldsofstudy meshterms schlagwörter stichwörter schlagworte motsclés "
        "motscles palabrasclave parolechiave manualtags automatictags"
    ),
    "decision_raw": (
        "decision finaldecision acceptancestatus acceptstatus decisionstatus paperdecision status presentationtype"
    ),
    "doi_raw": (
        "doi paperdoi doilink doiurl digitalobjectidentifier digitalobjectidentifierdoi itemdoi articledoi doinumber doi号"
    ),
    "arxiv_id_raw": "arxivid arxiv paperarxivid arxivurl arxivlink eprint arxivnumber",
    "openreview_id_raw": "openreviewid openreview openreviewurl openreviewlink forum forumid",
    "pmid_raw": "pmid pubmedid medlinepmid pubmed",
    "acl_id_raw": "aclid anthologyid aclanthologyid",
    "url_raw": (
        "url paperurl urlpaper paperlink linktopaper link site paperpage urlabs absurl openurllink articleurl articlelink "
        "documenturl recordurl publicationurl weblink lien enlace 网址 scopuslink plink permalink doclink 链接"
    ),
    "urls_raw": (
        "detailurl detailsurl detailpage urls ee externalurl sourceurls entryid dimensionsurl proceedingsurl virtualurl"
    ),
    "pdf_url_raw": (
        "pdfurl pdf pdflink urlpdf paperpdf openaccesspdf fulltexturl fulltextpdf downloadurl downloadlink paperpdfurl "
        "paperpdflink"
    ),
    "link_urls_raw": (
        "code codeurl codelink github githuburl githublink repository repositoryurl repo project projecturl projectpage "
        "dataseturl website projectwebsite projectlink datasetlink githubpage"
    ),
    # the source's own key, however OpenReview-like it looks
    "source_key": (
        "id key citationkey citekey bibtexkey paperid recordid articleid submissionid corpusid ident identifier eid "
        "accessionnumber lensid publicationid utuniquewosid uniquewosid uteindeutigewosid paperkey rayyanid pui "
        "accession"
    ),
}

COLUMN_NAMES: dict[str, str] = {name: field for field, names in _NAMES.items() for name in names.split()}
"""A header name without case and punctuation -> a field of `staged_schemas.FIELDS`, or `source_key`.

Of two names for one field, the one that stands earlier is preferred. `source` is not here: in one list it is the journal, in
the next the database that was searched.
"""

LAST_PAGES: dict[str, str] = {
    "startpage": "endpage",
    "pagestart": "pageend",
    "startingpage": "endingpage",
    "firstpage": "lastpage",
    "beginningpage": "endingpage",
    "beginpage": "endpage",
    "pagefirst": "pagelast",
    "spage": "epage",
}
"""The name of a column of first pages -> that of its last pages."""
