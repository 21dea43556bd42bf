"""This module finds what entries of a BibTeX file take from others: its macros, and the entries named by crossref and xdata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from transforms.readers.base import RawFile
from transforms.readers.bibtex_blocks import Block, blocks
from transforms.readers.bibtex_fields import parse_body
from transforms.readers.decoding import Encoding

MAX_KEPT_CHARACTERS = 16 * 2**20
"""How much text of macros and of entries that others refer to is kept; a file with more of them is no list of papers."""

_MAX_ROUNDS = 4
"""How often a file is gone over for entries that others refer to: a paper in proceedings with common data needs three."""

_MAX_PARENTS = 20
"""How many others an entry takes fields from, directly or through them."""

_MACRO_CHARACTERS = 2_000
_FIELD_CHARACTERS = 1_000
_MAX_FIELDS = 100
"""How long a macro, and how long and how many fields of a parent may be: each stands in as many entries as name it."""

_READ_BYTES = 2**20
_ASCII_ENCODINGS = ("utf-8", "cp1252", "latin-1")
_REFERENCE_SIGNS = (b"crossref", b"xdata")
_REFERENCE = re.compile(r"\b(?:crossref|xdata)\s*+=\s*+[{\"]([^{}\"]++)")

# What a part takes of the whole it stands in: the title of that is the title of the book or journal.
_VENUE_FIELDS = ("booktitle", "journal", "journaltitle", "eventtitle")
_SHARED_FIELDS = ("publisher", "institution", "organization", "school", "volume")
_DATE_FIELDS = ("year", "date")
_ISSUE_FIELDS = ("number", "issue")
_JOURNAL_PARTS = frozenset({"article", "suppperiodical"})


@dataclass(slots=True)
class Parents:
    """The macros of a file, and the fields of the entries that others refer to, by their keys in lower case."""

    macros: dict[str, str] = field(default_factory=dict)
    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    wanted: dict[str, None] = field(default_factory=dict)
    kept_characters: int = 0

    def learn_macros(self, block: Block, *, is_new: bool) -> None:
        """Takes the macros of a @string block; those that are known already change only where they `is_new`."""
        parsed = parse_body(block.body, self.macros, is_escaped=block.is_escaped, has_key=False)
        for name, value in parsed.pairs:
            if len(value) <= _MACRO_CHARACTERS and (is_new or name not in self.macros):
                self.kept_characters += len(name) + len(value)
                if self.kept_characters <= MAX_KEPT_CHARACTERS:
                    self.macros[name] = value

    def inherited(self, kind: str, fields: Mapping[str, str]) -> dict[str, str]:
        """The fields that an entry takes from those it refers to, where it lacks them."""
        found: dict[str, str] = {}
        queue, seen = _references(fields), dict[str, None]()
        while queue and len(seen) < _MAX_PARENTS:
            is_data, key = queue.pop(0)
            if key in seen or key not in self.entries:
                continue
            seen[key] = None
            parent = self.entries[key]
            has_date = any(name in fields or name in found for name in _DATE_FIELDS)
            for name, value in (parent if is_data else _offered(kind, parent)).items():
                if name not in fields and name not in found and not (has_date and name in _DATE_FIELDS):
                    found[name] = value
            queue += [(is_data and is_more_data, further) for is_more_data, further in _references(parent)]
        return found


def find_parents(raw_file: RawFile, encoding: Encoding) -> Parents:
    """The macros and the entries that others refer to, wherever they stand: a file is read once or more before it is read.

    It is not read further than its last macro where no entry refers to another, and not at all where it has no macros.
    """
    parents = Parents()
    macros_end, has_references = _signs(raw_file, encoding)
    for _ in range(_MAX_ROUNDS if has_references else 1):
        wanted_count = len(parents.wanted)
        for block in blocks(raw_file, encoding):
            if not has_references and block.span[0] > macros_end:
                break
            _learn(parents, block)
        if len(parents.wanted) in (wanted_count, len(parents.entries)) or parents.kept_characters > MAX_KEPT_CHARACTERS:
            break
    return parents


def _signs(raw_file: RawFile, encoding: Encoding) -> tuple[int, bool]:
    """Up to which byte there may be macros (-1: there are none), and whether an entry may refer to another."""
    if encoding.name not in _ASCII_ENCODINGS:
        return raw_file.size_bytes, True
    macros_end, has_references, tail, start = -1, False, b"", 0
    with raw_file.path.open("rb") as file:
        while content := file.read(_READ_BYTES):
            lower = (tail + content).lower()
            if (place := lower.rfind(b"@string")) >= 0:
                macros_end = start - len(tail) + place
            has_references = has_references or any(sign in lower for sign in _REFERENCE_SIGNS)
            start += len(content)
            tail = content[-10:]
    return macros_end, has_references


def _learn(parents: Parents, block: Block) -> None:
    kind = block.kind.lower()
    if not kind or block.is_cut or kind in ("comment", "preamble"):
        return
    if kind == "string":
        parents.learn_macros(block, is_new=False)
        return
    lower = block.body.lower()
    has_reference = "crossref" in lower or "xdata" in lower
    for reference in _REFERENCE.finditer(lower) if has_reference else ():
        for key in _keys(reference[1]):
            if key not in parents.wanted and parents.kept_characters <= MAX_KEPT_CHARACTERS:
                parents.wanted[key] = None
                parents.kept_characters += len(key)
    key = block.body.partition(",")[0].strip().lower()
    if key in parents.wanted and key not in parents.entries:
        fields = dict(reversed(parse_body(block.body, parents.macros, is_escaped=block.is_escaped).pairs))
        kept = {name: value for name, value in list(fields.items())[:_MAX_FIELDS] if len(value) <= _FIELD_CHARACTERS}
        parents.kept_characters += sum(map(len, kept.values()))
        if parents.kept_characters <= MAX_KEPT_CHARACTERS:
            parents.entries[key] = kept


def _references(fields: Mapping[str, str]) -> list[tuple[bool, str]]:
    """The keys of the entries that an entry refers to, and of each whether it is common data (xdata) or the whole."""
    found = [(True, key) for key in _keys(fields.get("xdata", ""))]
    return [*found, *((False, key) for key in _keys(fields.get("crossref", "")))]


def _keys(text: str) -> list[str]:
    return [key for key in (key.strip().lower() for key in text.split(",", _MAX_PARENTS)[:_MAX_PARENTS]) if key]


def _offered(kind: str, parent: Mapping[str, str]) -> dict[str, str]:
    """What an entry of a kind takes from the whole it stands in."""
    is_journal_part = kind in _JOURNAL_PARTS
    names = (*_VENUE_FIELDS, *_SHARED_FIELDS, *_DATE_FIELDS, *(_ISSUE_FIELDS if is_journal_part else ()))
    offered = {name: parent[name] for name in names if name in parent}
    if "title" in parent:
        # In classic BibTeX the parent states its own title as booktitle, for its children.
        offered.setdefault("journaltitle" if is_journal_part else "booktitle", parent["title"])
    return offered
