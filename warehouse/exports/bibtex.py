r"""This module writes BibTeX: UTF-8, an entry a paper, with what LaTeX would take for a command escaped.

Mathematics between dollars stays as it is; words with inner capitals stand in braces, so that styles leave them alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from warehouse.exports.citations import Author, Citation
from warehouse.exports.entry_kinds import Kind

_TYPES: Mapping[Kind, str] = {
    "article": "article",
    "paper": "inproceedings",
    "chapter": "incollection",
    "book": "book",
    "proceedings": "proceedings",
    "doctoral_thesis": "phdthesis",
    "masters_thesis": "mastersthesis",
    "report": "techreport",
    "preprint": "article",  # as the search engines cite them, with the archive for the journal
    "dataset": "misc",
    "software": "misc",
    "other": "misc",
}
_PUBLISHERS: Mapping[Kind, str] = {
    "doctoral_thesis": "school",
    "masters_thesis": "school",
    "report": "institution",
}
_IN_BOOKS = ("paper", "chapter")
"""Kinds whose venue is the title of a book; that of all others is a journal."""


def bibtex_lines(citations: Iterable[Citation]) -> Iterator[str]:
    """The entries, a blank line between them."""
    for place, citation in enumerate(citations):
        yield ("\n" if place else "") + bibtex_entry(citation)


def bibtex_entry(citation: Citation) -> str:
    r"""One entry.

    >>> from warehouse.exports.citations import author, citation
    >>> row = {"title": "50% of DNNs", "venue": "Pebble Letters", "year": 2024, "pages": "3-9"}
    >>> print(bibtex_entry(citation(row, "lee2024dnns", [author("Ann Lee", "Ann", "Lee")], {"arxiv": "2401.00001"})), end="")
    @article{lee2024dnns,
      title = {50\% of {DNNs}},
      author = {Lee, Ann},
      journal = {Pebble Letters},
      year = {2024},
      pages = {3--9},
      eprint = {2401.00001},
      archiveprefix = {arXiv}
    }
    """
    kind, identifiers = citation.kind, citation.identifiers
    has_editors = kind == "proceedings"
    names = " and ".join(map(_name, citation.authors))
    fields = {
        "title": _protected(citation.title) if citation.title else None,
        "editor" if has_editors else "author": names,
        "booktitle" if kind in _IN_BOOKS else "journal": escaped(citation.venue),
        "year": str(citation.year or ""),
        "volume": _place(citation.volume),
        "number": _place(citation.number),
        "pages": _RANGE.sub(r"\1--\2", _place(citation.pages)),
        _PUBLISHERS.get(kind, "publisher"): escaped(citation.publisher),
        "doi": _verbatim(identifiers.get("doi")),
        "eprint": identifiers.get("arxiv"),
        "archiveprefix": "arXiv" if "arxiv" in identifiers else None,
        "pmid": identifiers.get("pmid"),
        "url": _verbatim(citation.url),
        "pdf": _verbatim(citation.pdf_url),
        # The one field for a further address of the paper that readers of BibTeX know.
        "adsurl": " ".join(citation.further_addresses("arxiv", "pmid")),
        "keywords": escaped(joined_keywords(citation.keywords)),
        "abstract": escaped(citation.abstract),
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@{_TYPES[kind]}{{{citation.key},\n{lines}\n}}\n"


def joined_keywords(keywords: tuple[str, ...]) -> str:
    """Keywords as one text: with commas between them, with semicolons where one has a comma itself.

    >>> joined_keywords(("graphs", "trees")), joined_keywords(("trees, woods", "maps")), joined_keywords(("trees, woods",))
    ('graphs, trees', 'trees, woods; maps', 'trees, woods;')
    """
    if not any("," in keyword for keyword in keywords):
        return ", ".join(keywords)
    return "; ".join(keywords) + (";" if len(keywords) == 1 else "")


def escaped(text: str | None) -> str:
    r"""A text as LaTeX prints it: its special characters escaped, but for those of formulas and tildes of addresses.

    >>> escaped(r"A & B_1 {at 5%} of $x^{2/p}$ for $5"), escaped(r"a {b \ours"), escaped("https://a.org/~x_y")
    ('A \\& B\\_1 \\{at 5\\%\\} of $x^{2/p}$ for \\$5', 'a \\textbraceleft{}b \\textbackslash{}ours', 'https://a.org/~x\\_y')
    """
    if not text:
        return ""
    text = " ".join(text.split())
    if not _SPECIAL.search(text):
        return text
    pieces: list[str] = []
    start = 0
    for verbatim in _VERBATIM.finditer(text):
        if _LATEX_SIGN.search(verbatim[0]) and _is_balanced(verbatim[0]):
            pieces += (_escaped_text(text[start : verbatim.start()]), verbatim[0])
            start = verbatim.end()
    return "".join((*pieces, _escaped_text(text[start:])))


_SPECIAL = re.compile(r"[\\{}$%&#_^~]")
_GROUP = r"\{[^{}]*+\}"
for _ in range(3):
    _GROUP = rf"\{{(?:[^{{}}]++|{_GROUP})*+\}}"
_VERBATIM = re.compile(rf"(?<!\\)\$[^$]{{1,2000}}(?<!\\)\$|\\[a-zA-Z]++(?:{_GROUP})++")
"""A formula; or a command with its groups, which cleaned text has where a formula stood without dollars."""

_LATEX_SIGN = re.compile(r"\\[a-zA-Z|{]|[\^_{}]")
_ADDRESS = re.compile(r"((?:https?|ftp)://[^\s{}\\$^]*?)(_*)(?=[.,;:!?'*)\]]*(?:[\s{}\\$^]|\Z))")
"""An address, and underscores at its end: there an escape would be taken for a part of it."""

_ESCAPES = {
    **{sign: f"\\{sign}" for sign in "%&#_$"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
_IN_BALANCE = str.maketrans(_ESCAPES | {"{": r"\{", "}": r"\}"})
_OUT_OF_BALANCE = str.maketrans(_ESCAPES | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})
"""BibTeX counts braces behind a backslash, too."""

_IN_ADDRESSES = str.maketrans({sign: escape for sign, escape in _ESCAPES.items() if sign != "~"})

_RANGE = re.compile(r"^(\w*\d\w*)-(\w*\d\w*)$")
_CAPITALS = re.compile(r"(?:(?<=[\s(/-])|\A)[A-Za-z0-9]*[a-zA-Z0-9][A-Z][A-Za-z0-9]*(?=[\s.,:;?!)/-]|\Z)")
"""Not beside a star or other sign: in braces it would be mark-up to a reader of Markdown."""


def _escaped_text(text: str) -> str:
    if not _SPECIAL.search(text):
        return text
    if "://" not in text:
        return text.translate(_IN_BALANCE if _is_balanced(text) else _OUT_OF_BALANCE)
    pieces: list[str] = []
    start = 0
    for address in _ADDRESS.finditer(text):
        pieces += (text[start : address.start()].translate(_OUT_OF_BALANCE), address[1].translate(_IN_ADDRESSES), address[2])
        start = address.end()
    return "".join((*pieces, text[start:].translate(_OUT_OF_BALANCE)))


def _protected(title: str) -> str:
    """A title whose words with inner capitals stand in braces; one with commands or formulas is left as it is."""
    text = escaped(title)
    if "\\text" in text or "$" in text or "://" in text:
        return text
    return _CAPITALS.sub(r"{\g<0>}", text)


def _is_balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


def _name(author: Author) -> str:
    """A name as BibTeX takes it apart: that of a group, and one with "and" in it, stands in braces."""
    if author.family is None or _AND.search(author.name):
        return f"{{{escaped(author.name)}}}"
    return escaped(author.inverted())


def _place(text: str | None) -> str:
    r"""A volume, number or page, of which readers take no command for what it prints: `suppl\_1`."""
    return (_verbatim(text) or "").translate(_IN_PLACES)


_IN_PLACES = str.maketrans({sign: f"\\{sign}" for sign in "%&#_$"})
_AND = re.compile(r"\band\b", re.IGNORECASE)


def _verbatim(address: str | None) -> str | None:
    """An address or DOI, which LaTeX prints without taking anything in it for a command; only its braces must balance."""
    if address is None or _is_balanced(address):
        return address
    return address.replace("{", "%7B").replace("}", "%7D")
