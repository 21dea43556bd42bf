"""This module knows XML of no known dialect by its names: elements whose children are called as the columns of papers are."""

from __future__ import annotations

import re

from lxml import etree

from transforms.readers.columns import column_map
from transforms.readers.xml_dialects import Dialect
from transforms.readers.xml_entries import Vocabulary
from transforms.readers.xml_paths import Fields
from transforms.readers.xml_values import local_name

_OF_PAPERS = frozenset(
    ("authors_raw", "abstract_raw", "doi_raw", "arxiv_id_raw", "pmid_raw", "acl_id_raw", "openreview_id_raw")
)
"""Besides a title, a paper has one of these; with a year or an address alone it may be a film or a piece of news."""

_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,500}\?>")


def plain_dialect(head: str) -> Dialect | None:
    """The dialect of a file that begins with `head`, made of the names there; None where nothing in it is called as papers are.

    >>> found = plain_dialect("<list><work nr='1'><title>Tides</title><author>Ann Lee</author></work></list>")
    >>> found and (found.vocabulary.records, found.fields)
    (('work',), (('title', 'title_raw'), ('author|person', 'author_names_raw')))
    """
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(_DECLARATION.sub("", head, count=1).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None
    if root is None:
        return None
    for element in root.iterdescendants():
        if _names_a_paper(element):
            record = _name(element)
            alike = [other for other in root.iterdescendants() if _name(other) == record]
            names = dict.fromkeys(_name(child) for other in alike for child in other)
            return Dialect(
                "named_elements",
                f"<{record}> with elements named as papers' columns are",
                (),
                Vocabulary((record,)),
                _fields([*names]),
            )
    return None


def _name(element: etree._Element) -> str:
    """The local name of an element, of whose prefix nothing may be declared."""
    return local_name(element.tag).rpartition(":")[2]


def _names_a_paper(element: etree._Element) -> bool:
    fields = set(column_map([_name(child) for child in element]).values())
    return "title_raw" in fields and bool(fields & _OF_PAPERS)


def _fields(names: list[str]) -> Fields:
    fields: list[tuple[str, str]] = []
    for name, field in column_map(names).items():
        if field != "authors_raw":
            fields.append((name, field))
        elif name.lower().endswith("s"):
            fields += [(f"{name}.*|person", "author_names_raw"), (f"{name}|plain", "authors_raw")]
        else:
            fields.append((f"{name}|person", "author_names_raw"))
    return tuple(fields)
