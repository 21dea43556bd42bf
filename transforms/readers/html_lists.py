"""This module knows the lists of papers on some conferences' sites, which are no tables: their entries, and what is in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from transforms.readers.html_cells import cell_text


@dataclass(frozen=True, slots=True)
class ListDialect:
    """One kind of list: `entry` finds its entries, `counts` the same in the page's text, `parts` what stands in each.

    A part is an XPath from its entry, of elements whose text it is or of attributes; several are a list. `fields` are what
    the parts fill. `site` is where addresses begin that are given without a host.
    """

    name: str
    entry: str
    counts: re.Pattern[str]
    parts: Mapping[str, str]
    fields: Mapping[str, str]
    site: str = ""


_FIELDS = {
    "title": "title_raw",
    "authors": "authors_raw",
    "href": "url_raw",
    "pdf": "pdf_url_raw",
    "venue": "venue_raw",
    "year": "year_raw",
}
_BIBTEX = re.compile(r"\b(year|booktitle|pages)\s*=\s*[{\"]([^{}\"]{1,300})[}\"]", re.IGNORECASE)
_PMLR = re.compile(r"\bPMLR\s{1,3}(?P<info_volume>\d{1,4}):(?P<info_pages>\d{1,5}-\d{1,5})")
_PMLR_FIELDS = {"info_volume": "volume_raw", "info_pages": "pages_raw"}
_BIBTEX_FIELDS = {"bibtex_year": "year_raw", "bibtex_booktitle": "venue_raw", "bibtex_pages": "pages_raw"}

LISTS: tuple[ListDialect, ...] = (
    ListDialect(
        "cvf",
        "//dt[@class='ptitle']",
        re.compile(r"<dt\s+class\s*=\s*[\"']?ptitle[\"'\s>]", re.IGNORECASE),
        {
            "title": ".",
            "href": "./a/@href",
            "authors": "following-sibling::*[1]//a",
            "pdf": "following-sibling::*[2]//a[normalize-space()='pdf']/@href",
            "arxiv": "following-sibling::*[2]//a[normalize-space()='arXiv']/@href",
            "bibtex": "following-sibling::*[2]//div[starts-with(@class,'bibref')]",
        },
        _FIELDS | _BIBTEX_FIELDS | {"arxiv": "arxiv_id_raw"},
        "https://openaccess.thecvf.com",
    ),
    ListDialect(
        "pmlr",
        "//div[@class='paper']",
        re.compile(r"<div\s+class\s*=\s*[\"']?paper[\"'\s>]", re.IGNORECASE),
        {
            "title": "./p[@class='title']",
            "authors": ".//span[@class='authors']",
            "venue": ".//span[@class='info']",
            "href": "./p[@class='links']/a[normalize-space()='abs']/@href",
            "pdf": "./p[@class='links']/a[contains(normalize-space(),'PDF')]/@href",
        },
        _FIELDS | _PMLR_FIELDS,
    ),
    ListDialect(
        "neurips",
        "//a[@title='paper title']",
        re.compile(r"<a\s(?:[^<>]{0,500}\s)?title\s*=\s*[\"']paper title[\"']", re.IGNORECASE),
        {"title": ".", "href": "./@href", "authors": "following-sibling::*[1]/self::*[self::i or contains(@class,'author')]"},
        _FIELDS,
        "https://proceedings.neurips.cc",
    ),
)


def find_list(page: etree._Element) -> tuple[ListDialect, list[etree._Element]] | None:
    """The kind of list that a page is, and its entries."""
    for dialect in LISTS:
        if entries := page.xpath(dialect.entry):
            return dialect, list(entries)
    return None


def list_records(dialect: ListDialect, entries: list[etree._Element], limit_characters: int) -> Iterator[dict[str, object]]:
    """What stands in each entry, each text up to a limit; an address as a browser on the site would follow it."""
    parts = {name: etree.XPath(path) for name, path in dialect.parts.items()}
    for entry in entries:
        raw: dict[str, object] = {}
        for name, find in parts.items():
            found = find(entry)
            texts = [
                _address(str(one), dialect.site) if isinstance(one, str) else cell_text(one, limit_characters)
                for one in found
                if one is not None
            ]
            texts = [text for text in texts if text]
            if texts:
                raw[name] = texts if name == "authors" and len(texts) > 1 else texts[0]
        bibtex = raw.get("bibtex")
        if isinstance(bibtex, str):
            raw |= {f"bibtex_{name.lower()}": value for name, value in _BIBTEX.findall(bibtex)}
        if found := _PMLR.search(str(raw.get("venue", ""))):
            raw |= found.groupdict()
        yield raw


def _address(href: str, site: str) -> str:
    href = href.strip()
    return href if not site or not href or "://" in href or href.startswith("//") else f"{site}/{href.lstrip('./')}"
