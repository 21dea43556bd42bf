"""This module finds the addresses that an abstract names, says of what kind they are, and cleans addresses."""

from __future__ import annotations

import polars as pl

LINK_STRUCT = pl.Struct({"url": pl.String, "kind": pl.String})

# Hosts that abstracts name without a scheme; any other word with a dot in it is none ("e.g.", "Node.js").
_BARE_HOSTS = (
    r"(?:www\.[a-z0-9-]+\.[a-z]{2,}|(?:gist\.)?github\.com/|gitlab\.com/|bitbucket\.org/|huggingface\.co/|codeberg\.org/|gitee\.com/|"
    r"anonymous\.4open\.science/|zenodo\.org/|osf\.io/|kaggle\.com/|sites\.google\.com/|colab\.research\.google\.com/|"
    r"[a-z0-9][a-z0-9-]{0,60}\.(?:github|gitlab)\.io\b)"
)
_PATH_CHARACTERS = r"(?:\\[_%#&~]|[!#$%&'()*+,\-./:;=?@A-Z\[\]_a-z0-9~])"
_ADDRESS = rf"(?i)(?:\b(?:https?|ftp)://{_PATH_CHARACTERS}{{4,}}|\b{_BARE_HOSTS}{_PATH_CHARACTERS}*)"
_HAS_ADDRESS = (
    r"(?i)://|www\.|github|gitlab|bitbucket|huggingface|codeberg|gitee|4open|zenodo|osf\.io|kaggle|sites\.google|colab"
)
_HAS_INNER_DOT = r"\.[^ \n]"
"""Of texts without it none has an address; it is found in a tenth of the time, and three abstracts in four have none."""

# What stands in templates and in empty forms: a host without a path, an invented repository.
_NO_LINK = (
    r"(?i)^https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|huggingface\.co|zenodo\.org|sites\.google\.com|example\.\w+)"
    r"(?:/(?:your|anonymous)[\w-]*|/xxx+)?$"
)

_CODE = (
    r"(?:gist\.|raw\.)?github(?:usercontent)?\.com/|gitlab\.|bitbucket\.org/|codeberg\.org/|gitee\.com/|sourceforge\.|"
    r"anonymous\.4open\.science/|colab\.research\.google\.com/|huggingface\.co/|pypi\.org/|cran\.r-project\.org/|"
    r"codeocean\.com/|git\.|code\.|crates\.io/|replicate\.com/"
)
_DATA = (
    r"zenodo\.org/|huggingface\.co/datasets/|(?:www\.)?kaggle\.com/|figshare\.com/|[\w.]*dataverse\.|osf\.io/|(?:www\.)?openml\.org/|"
    r"datadryad\.org/|ieee-dataport\.org/|archive\.ics\.uci\.edu/|data\.|physionet\.org/|(?:www\.)?openslr\.org/"
)
_PROJECT = (
    r"[\w-]+\.(?:github|gitlab)\.io\b|sites\.google\.com/|[\w-]+\.(?:netlify\.app|vercel\.app|web\.app|pages\.dev|readthedocs\.io|"
    r"notion\.site|streamlit\.app|hf\.space|herokuapp\.com)\b"
)


def clean_links(staged: pl.DataFrame) -> pl.Series:
    """The links of each record: `list<struct<url, kind>>`, distinct by url and sorted.

    Reads abstract_raw (before mark-up is taken out of it, since Markdown and LaTeX hide addresses in it) and link_urls_raw.
    """
    rows = staged.select(pl.int_range(pl.len(), dtype=pl.Int64).alias("row"), "abstract_raw", "link_urls_raw")
    in_abstracts = (
        rows.filter(pl.col("abstract_raw").str.contains(_HAS_INNER_DOT))
        .filter(pl.col("abstract_raw").str.contains(_HAS_ADDRESS))
        .select("row", address=pl.col("abstract_raw").str.replace_all("&amp;", "&", literal=True).str.extract_all(_ADDRESS))
        .explode("address")
    )
    in_columns = (
        rows.select("row", pl.col("link_urls_raw").alias("address"))
        .explode("address")
        .select("row", pl.col("address").str.extract_all(_ADDRESS))
        .explode("address")
    )
    links = (
        pl.concat([in_abstracts, in_columns])
        .select("row", url=link_url(pl.col("address")))
        .filter(~pl.col("url").str.contains(_NO_LINK))
        .unique()
        .sort("row", "url")
        .group_by("row", maintain_order=True)
        .agg(pl.struct("url", kind=link_kind(pl.col("url"))).alias("links"))
    )
    empty = pl.lit([], dtype=pl.List(LINK_STRUCT))
    return (
        rows.select("row")
        .join(links, on="row", how="left", maintain_order="left")
        .select(pl.coalesce(pl.col("links"), empty).alias("links"))
        .to_series()
    )


def link_url(address: pl.Expr) -> pl.Expr:
    r"""An address as found in a text: with its scheme (https where it has none), without what stands behind it.

    >>> found = pl.Series([r"https://x.org/a\_b).", "https://a.github.io](https://a.github.io).", "github.com/a/b**", "https://"])
    >>> pl.select(link_url(pl.lit(found))).to_series().to_list()
    ['https://x.org/a_b', 'https://a.github.io', 'https://github.com/a/b', None]
    """
    bare = address.str.replace(r"\]\(.*$", "").str.replace_all(r"\\([_%#&~])", "$1").str.replace(r"[.,;:!?'*\[\]_&]+$", "")
    # a closing bracket belongs to the address only where one opens in it: …/wiki/Set_(mathematics)
    bare = pl.when(bare.str.contains("(", literal=True)).then(bare).otherwise(bare.str.replace(r"\).*$", ""))
    bare = bare.str.replace(r"[.,;:!?'*\[\]_&(]+$", "").str.replace(r"/+$", "")
    with_scheme = (
        pl.when(bare.str.contains(r"^(?i)(?:https?|ftp)://")).then(bare).otherwise(pl.concat_str(pl.lit("https://"), bare))
    )
    return pl.when(with_scheme.str.contains(r"^(?i)[a-z]+://[^/.]+\.[^/]+")).then(with_scheme)


def link_kind(url: pl.Expr) -> pl.Expr:
    """What an address leads to, as its host tells: code, data, project_page or other.

    >>> urls = pl.Series(["https://github.com/a/b", "https://huggingface.co/datasets/a/b", "https://a.github.io/b", "https://x.ai"])
    >>> pl.select(link_kind(pl.lit(urls))).to_series().to_list()
    ['code', 'data', 'project_page', 'other']
    """
    place = url.str.to_lowercase().str.replace(r"^[a-z]+://", "")
    is_data = place.str.contains(rf"^(?:{_DATA})")
    is_code = place.str.contains(rf"^(?:{_CODE})")
    return (
        pl.when(is_data)
        .then(pl.lit("data"))
        .when(is_code)
        .then(pl.lit("code"))
        .when(place.str.contains(rf"^(?:{_PROJECT})"))
        .then(pl.lit("project_page"))
        .otherwise(pl.lit("other"))
    )


def page_url(text: pl.Expr) -> pl.Expr:
    """The first http(s) address in a column of addresses, trimmed; null where there is none.

    >>> pl.select(page_url(pl.lit(pl.Series([" https://a.org/x;https://b.org ", "['https://a.org/y.pdf']", "n/a", "ftp://a.org"])))).to_series().to_list()
    ['https://a.org/x', 'https://a.org/y.pdf', None, None]
    """
    return text.str.extract(r"(?i)(https?://[^\s\"'<>/.]+\.[^\s\"'<>]+)").str.replace(r"(?i);https?://.*$|[;,\]})]+$", "")
