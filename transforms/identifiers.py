"""This module finds the identifiers of a record and brings them into the normal form of their scheme."""

from __future__ import annotations

import polars as pl

from transforms.placeholders import without_placeholder

PROCEEDINGS_SCHEMES: tuple[str, ...] = ("acl", "pmlr", "cvf", "neurips", "ijcai", "ieee")
SCHEME_ORDER: tuple[str, ...] = ("doi", "pmid", *PROCEEDINGS_SCHEMES, "openreview", "arxiv")
"""The schemes, strongest first: those of the published version, kept by a registry; then those of its venue's site; then
the submission's (openreview), then the preprint's (arxiv). What each value looks like:

- doi: `10.1145/2835487`, lower-case (ISO 26324: case does not matter). An arXiv DOI (10.48550) is the arxiv id it names.
- pmid: the digits.
- acl: the ACL Anthology's id, `P19-1001` or `2022.acl-long.1`.
- pmlr: volume and name, `v189/huang23a`.
- cvf: the slug of an openaccess.thecvf.com address without `_paper`, lower-case.
- neurips: year and hash, `2006/05b8caaf6ba6f4bdb68675ab8b893bda`: the hash alone is used again in other years.
- ijcai: year and number, `2024/176`.  ieee: the document number.
- openreview: the forum's id (case matters).
- arxiv: without its version, `2301.12345` or `hep-th/9901001`.
"""

IDENTIFIER_STRUCT = pl.Struct({"scheme": pl.String, "value": pl.String})

# Wiley's DOIs of the 1990s hold angle brackets ("…234:1<23::AID-PSSB23>3.0.CO;2-F"): without them all of an issue are one.
_DOI = r"(10\.\d{4,9}/(?:[^\s\"<>{}|\\^\x60]|<[\w.:-]*::[\w.:-]*>)+)"
_SLASH = r"%(?:25)?2[Ff]"
DOI_ALONE = r"^\s*(?:(?i:https?://)?(?i:(?:dx\.|www\.)?doi\.org/)|(?i:doi)[:\s]+)?10\.\d{4,9}(?:/|%2[Ff])\S+\s*$"
_ANGLE_BRACKETS = {
    "<": r"&lt;|%3[Cc]|\{?\\textless(?:\{\}|\b) ?\}?|\$<\$",
    ">": r"&gt;|%3[Ee]|\{?\\textgreater(?:\{\}|\b) ?\}?|\$>\$",
}
# ACM's template prints 10.1145/nnnnnnn.nnnnnnn or 1122445.1122456, others 10.1000/…, until a DOI is assigned.
_NO_DOI = (
    r"^10\.(?:1000/|0000/|1145/(?:n+\b|x+\b|1122445|1234567|3*nnn)|\d+/(?:[x0.\-/]+|n/?a|none|null|tba|tbd|to.be.assigned)$)"
)
_ARXIV = r"((?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})|(?:[a-z-]{2,16}(?:\.[A-Za-z]{2})?/\d{7}))(?:v\d+)?"
_OPENREVIEW = r"([A-Za-z0-9_-]{5,30})"
_ACL = r"((?:[A-Za-z]\d{2}-\d{4,5})|(?:\d{4}\.[a-z0-9_]+(?:-[a-z0-9_]+)?\.\d+))"
_IEEE = r"ieeexplore\.ieee\.org/(?:(?:abstract/)?document/|stamp/stamp\.jsp\?(?:tp=&)?arnumber=)(\d{4,9})"
_COLUMNS = ("doi_raw", "arxiv_id_raw", "openreview_id_raw", "pmid_raw", "acl_id_raw", "volume_raw", "title_raw")
_TRAILING = ".,;:'\"]}>*/"


def clean_identifiers(staged: pl.DataFrame) -> pl.Series:
    """The identifiers of each record: `list<struct<scheme, value>>`, distinct and sorted; malformed ones are left out.

    Reads doi_raw, arxiv_id_raw, openreview_id_raw, pmid_raw, acl_id_raw and volume_raw, and url_raw, urls_raw and
    pdf_url_raw, in which several schemes write their id; and title_raw where it is nothing but a DOI.
    """
    rows = pl.int_range(pl.len(), dtype=pl.Int64).alias("row")
    given = pl.concat_str("doi_raw", "addresses", separator="\n", ignore_nulls=True)
    columns = staged.select(rows, *_COLUMNS, paper_addresses().alias("addresses"))
    columns = columns.with_columns(doi_or_address=given.str.replace_all(_SLASH, "/"))
    found = columns.filter(_may_have_identifier()).select("row", **_schemes())
    lists = (
        found.unpivot(index="row", variable_name="scheme", value_name="value")
        .drop_nulls("value")
        .sort("row", "scheme", "value")
        .group_by("row", maintain_order=True)
        .agg(pl.struct("scheme", "value").alias("identifiers"))
    )
    return (
        staged.select(rows)
        .join(lists, on="row", how="left", maintain_order="left")
        .select(pl.coalesce("identifiers", pl.lit([], dtype=pl.List(IDENTIFIER_STRUCT))))
        .to_series()
    )


def _may_have_identifier() -> pl.Expr:
    """Whether there is anything to find an identifier in, as in many lists there is not.

    Of addresses that are missing, what is joined is an empty text.
    """
    given = [pl.col(name).is_not_null() for name in ("arxiv_id_raw", "openreview_id_raw", "pmid_raw", "acl_id_raw")]
    in_others = pl.col("volume_raw").str.starts_with("abs/") | pl.col("title_raw").str.contains(DOI_ALONE)
    return (pl.col("doi_or_address") != "") | pl.any_horizontal(given) | in_others


def _schemes() -> dict[str, pl.Expr]:
    """The value of each scheme, from the columns of `_COLUMNS`, addresses and doi_or_address."""
    addresses, doi_or_address = pl.col("addresses"), pl.col("doi_or_address")
    return {
        "doi": pl.coalesce(doi(pl.col("doi_raw")), doi_in_address(addresses), doi_alone(pl.col("title_raw"))),
        "pmid": pmid(pl.col("pmid_raw"), addresses),
        "acl": acl_id(pl.col("acl_id_raw"), doi_or_address),
        "pmlr": pmlr_id(addresses),
        "cvf": cvf_id(addresses),
        "neurips": neurips_id(addresses),
        "ijcai": ijcai_id(addresses),
        "ieee": addresses.str.extract(_IEEE),
        "openreview": openreview_id(pl.col("openreview_id_raw"), addresses),
        # the volume of a preprint, in DBLP and Semantic Scholar: "abs/2301.12345"
        "arxiv": pl.coalesce(
            arxiv_id(pl.col("arxiv_id_raw"), doi_or_address), pl.col("volume_raw").str.extract(rf"^abs/{_ARXIV}$")
        ),
    }


def paper_addresses() -> pl.Expr:
    """The addresses of a record's paper, a line each: url_raw, urls_raw and pdf_url_raw."""
    return pl.concat_str(
        pl.col("url_raw"), pl.col("urls_raw").list.join("\n"), pl.col("pdf_url_raw"), separator="\n", ignore_nulls=True
    )


def doi(text: pl.Expr) -> pl.Expr:
    """The DOI in a text that is meant to be one: bare, with `doi:`, or as an address; null for an arXiv DOI.

    >>> texts = pl.Series(["https://doi.org/10.1145/2835487.", "doi:10.1016/S0140-6736(05)61-8", "10.1145/nnnnnnn.nnnnnnn"])
    >>> pl.select(doi(pl.lit(texts))).to_series().to_list()
    ['10.1145/2835487', '10.1016/s0140-6736(05)61-8', None]
    """
    plain = (
        text.str.replace_all(_SLASH, "/")
        .str.replace_all(r"(?i)%28", "(")
        .str.replace_all(r"%29", ")")
        .str.replace_all(_ANGLE_BRACKETS["<"], "<")
        .str.replace_all(_ANGLE_BRACKETS[">"], ">")
        .str.replace_all(r"\{?\\_\}?|\s+_(\d)", "_$1")  # Springer's chapters also come as "…-19836-6 _31"
    )
    found = _trimmed_doi(plain.str.extract(_DOI).str.to_lowercase())
    return pl.when(
        found.str.contains("/", literal=True) & ~found.str.contains(_NO_DOI) & ~found.str.starts_with("10.48550/")
    ).then(found)


def doi_in_address(addresses: pl.Expr) -> pl.Expr:
    """The DOI that one of some addresses (a line each) writes in its path, as doi.org and many publishers do.

    >>> pl.select(doi_in_address(pl.lit("https://dl.acm.org/doi/pdf/10.1145/2835487?download=true"))).item()
    '10.1145/2835487'
    """
    path = addresses.str.replace_all(_SLASH, "/").str.extract(r"(?m)(?:^\s*|[/=:]\s*)" + _DOI)
    return doi(path.str.replace(r"[?#&].*$", "").str.replace(r"(?i)\.pdf$|/(?:full|pdf|abstract|epdf|html?)$", ""))


def doi_alone(text: pl.Expr) -> pl.Expr:
    """The DOI in a text that is nothing else, as some title columns are; null where there is more: it may be another paper's.

    >>> texts = pl.Series(["doi:10.1145/2835487", "Corrigendum to 10.1145/2835487", "Maps"])
    >>> pl.select(doi_alone(pl.lit(texts))).to_series().to_list()
    ['10.1145/2835487', None, None]
    """
    return pl.when(text.str.contains(DOI_ALONE)).then(doi(text))


def arxiv_id(given: pl.Expr, texts: pl.Expr) -> pl.Expr:
    """The arXiv id given as such, else named by an address or DOI; without its version.

    >>> given = pl.Series(["arXiv:2301.12345v2", None, None, "2399.12345"])
    >>> texts = pl.Series([None, "https://arxiv.org/pdf/hep-th/9901001v1.pdf", "10.48550/arXiv.2301.00001", None])
    >>> pl.select(arxiv_id(pl.lit(given), pl.lit(texts))).to_series().to_list()
    ['2301.12345', 'hep-th/9901001', '2301.00001', None]
    """
    marked = r"(?i:arxiv\.org/(?:abs|pdf|html|ps|format|src)/|10\.48550/arxiv\.|arxiv[:./]\s*)" + _ARXIV
    alone = r"^\s*(?i:arxiv[:./]?\s*)?" + _ARXIV + r"(?:\s*\[[\w.-]+\])?\s*$"
    return pl.coalesce(given.str.extract(alone), given.str.extract(marked), texts.str.extract(marked))


def openreview_id(given: pl.Expr, addresses: pl.Expr) -> pl.Expr:
    """The OpenReview forum id given as such, else in an address; `/pdf/<hash>.pdf` names no forum.

    >>> addresses = pl.Series(["https://openreview.net/pdf?id=GN921JHCRw", "https://openreview.net/pdf/1414c23e.pdf"])
    >>> pl.select(openreview_id(pl.lit(None, pl.String), pl.lit(addresses))).to_series().to_list()
    ['GN921JHCRw', None]
    """
    in_address = (
        r"(?i:openreview\.net)/(?:forum|pdf|attachment|revisions|references/pdf|notes)?\?(?:[^\s#]*&)?(?:id|forum)="
        + _OPENREVIEW
    )
    alone = without_placeholder(given.str.extract(rf"^\s*{_OPENREVIEW}\s*$"), "submission|forum|0+|x+")
    return pl.coalesce(alone, given.str.extract(in_address), addresses.str.extract(in_address))


def pmid(given: pl.Expr, addresses: pl.Expr) -> pl.Expr:
    """The PubMed id given as such, else in an address.

    >>> pl.select(pmid(pl.lit("PMID: 12345678"), pl.lit(None, pl.String))).item()
    '12345678'
    """
    in_address = r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/0*([1-9]\d{0,7})\b"
    alone = given.str.extract(r"^\s*(?i:pmid:?\s*)?0*([1-9]\d{0,7})(?:\.0)?\s*$")
    return pl.coalesce(alone, given.str.extract(in_address), addresses.str.extract(in_address))


def acl_id(given: pl.Expr, texts: pl.Expr) -> pl.Expr:
    """The ACL Anthology id given as such, else in an address or in the Anthology's DOIs (10.18653/v1, 10.3115/v1).

    >>> texts = pl.Series(["https://aclanthology.org/2022.acl-long.1.pdf", "10.18653/v1/p19-1001"])
    >>> pl.select(acl_id(pl.lit(None, pl.String), pl.lit(texts))).to_series().to_list()
    ['2022.acl-long.1', 'P19-1001']
    """
    marked = (
        r"(?i:aclanthology\.(?:org|info)/(?:anthology/|papers/(?:\w/\w+/)?)?|aclweb\.org/anthology/(?:papers/\w/\w+/|\w/\w+/)?|"
        r"10\.(?:18653|3115)/v1/)" + _ACL
    )
    found = pl.coalesce(given.str.extract(rf"^\s*{_ACL}\s*$"), given.str.extract(marked), texts.str.extract(marked))
    return pl.when(found.str.contains(r"^[A-Za-z]")).then(found.str.to_uppercase()).otherwise(found)


def pmlr_id(addresses: pl.Expr) -> pl.Expr:
    """Volume and name in the Proceedings of Machine Learning Research.

    >>> pl.select(pmlr_id(pl.lit("https://proceedings.mlr.press/v189/huang23a/huang23a.pdf"))).item()
    'v189/huang23a'
    """
    host = r"(?:proceedings\.mlr\.press|jmlr\.org/proceedings/papers|mlresearch)"
    place = host + r"/(v\d+)/(?:(?:raw/)?main/assets/)?([a-z][\w-]*\d{2}[a-z]*)\b"
    return pl.concat_str(addresses.str.extract(place, 1), pl.lit("/"), addresses.str.extract(place, 2))


def cvf_id(addresses: pl.Expr) -> pl.Expr:
    """The slug that page and PDF share at openaccess.thecvf.com.

    >>> address = "https://openaccess.thecvf.com/content_CVPR_2020/papers/Li_Two_Nets_CVPR_2020_paper.pdf"
    >>> pl.select(cvf_id(pl.lit(address))).item()
    'li_two_nets_cvpr_2020'
    """
    slug = addresses.str.extract(r"thecvf\.com/content[^\s]*?/(?:html|papers)/(?:[^/\s]+/)*([^/\s]+?)(?:_paper)?\.(?:html|pdf)")
    return slug.str.to_lowercase()


def neurips_id(addresses: pl.Expr) -> pl.Expr:
    """Year and hash in the NeurIPS proceedings.

    >>> address = "https://papers.nips.cc/paper_files/paper/2004/hash/cc70903297fe1e25537ae50aea186306-Abstract.html"
    >>> pl.select(neurips_id(pl.lit(address))).item()
    '2004/cc70903297fe1e25537ae50aea186306'
    """
    place = r"(?:nips|neurips)\.cc/paper(?:_files/paper)?/(\d{4})/(?:hash|file)/([0-9a-f]{32})"
    return pl.concat_str(addresses.str.extract(place, 1), pl.lit("/"), addresses.str.extract(place, 2))


def ijcai_id(addresses: pl.Expr) -> pl.Expr:
    """Year and number in the IJCAI proceedings.

    >>> pl.select(ijcai_id(pl.lit("https://www.ijcai.org/proceedings/2024/0176.pdf"))).item()
    '2024/176'
    """
    place = r"ijcai\.org/(?i:proceedings)/(\d{4})/0*([1-9]\d{0,3})(?:\.pdf)?(?:\s|$)"
    return pl.concat_str(addresses.str.extract(place, 1), pl.lit("/"), addresses.str.extract(place, 2))


def _trimmed_doi(found: pl.Expr) -> pl.Expr:
    """A DOI without the punctuation behind it; a closing bracket stays where one opens."""
    return found.str.strip_chars_end(_TRAILING).str.replace(r"^([^(]*?)\)+$", "$1").str.strip_chars_end(_TRAILING)
