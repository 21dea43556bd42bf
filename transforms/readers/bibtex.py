"""This module reads BibTeX and BibLaTeX: entries in braces or parentheses, with macros and entries that inherit from others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, Sample, Sniff, texts_json
from transforms.readers.bibtex_blocks import Block, blocks, text_blocks
from transforms.readers.bibtex_fields import MAX_MACRO_CHARACTERS, Body, holds_field, parse_body
from transforms.readers.bibtex_names import split_names
from transforms.readers.bibtex_parents import Parents, find_parents
from transforms.readers.columns import unique_names
from transforms.readers.field_values import map_fields
from transforms.readers.limits import more_than
from transforms.readers.mapping import Mapper
from transforms.readers.streaming import text_encoding

DIALECT: dict[str, str] = {
    "title": "title_raw",
    "subtitle": "subtitle_raw",
    "author": "authors_raw",
    "abstract": "abstract_raw",
    "abstractnote": "abstract_raw",  # Open Journal Systems
    "year": "year_raw",
    "date": "date_raw",
    "eventdate": "date_raw",
    "fjournal": "venue_raw",  # MathSciNet: the journal in full
    "journaltitle": "venue_raw",
    "journal": "venue_raw",
    "booktitle": "venue_raw",
    "eventtitle": "venue_raw",
    "conference": "venue_raw",
    "shortjournal": "venue_raw",
    "volume": "volume_raw",
    "number": "number_raw",
    "issue": "number_raw",
    "pages": "pages_raw",
    "eid": "pages_raw",
    "articleno": "pages_raw",
    "art_number": "pages_raw",  # Scopus
    "article-number": "pages_raw",
    "publisher": "publisher_raw",
    "school": "publisher_raw",
    "institution": "publisher_raw",
    "organization": "publisher_raw",
    "entrytype": "type_raw",
    "keywords": "keywords_raw",
    "keyword": "keywords_raw",
    "author_keywords": "keywords_raw",
    "doi": "doi_raw",
    "arxivid": "arxiv_id_raw",
    "arxiv": "arxiv_id_raw",
    "pmid": "pmid_raw",
    "url": "url_raw",
    "link": "url_raw",
    "adsurl": "urls_raw",
    "pdf": "pdf_url_raw",
    "citationkey": "source_key",
}
"""The field that each field of an entry fills. `eprint` depends on its type, and names are split: see `_context`."""

FURNITURE = {
    "comment": "comment",
    "string": "macro",
    "preamble": "preamble",
    "xdata": "shared_fields",
    "set": "entry_set",
    "control": "style_control",
    "ieeetranbstctl": "style_control",
    "achemso-control": "style_control",
    "settings": "style_control",
}
"""Blocks that are no entries: what each is."""

EDITED = frozenset(
    ("proceedings", "mvproceedings", "collection", "mvcollection", "reference", "mvreference", "book", "mvbook", "periodical")
)
"""Types of entries whose editors stand for their authors, as in every bibliography, where they name none."""

_MAX_PROSE_RATIO = 0.5
"""Share of other text from which on a file with entries is a page that quotes some: of 339 real files one has 0.48, one 0.23,
the others less than 0.1."""


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample is mostly entries with keys and fields."""
    if sample.text is None or "@" not in sample.text:
        return Sniff(0.0, "it has no @")
    entry_count, other_count, prose, size, before = 0, 0, 0, 0, ""
    for block in text_blocks(sample.text.lstrip("\ufeff")):
        size += len(block.text.strip())
        if not block.kind:
            prose += sum(len(line.strip()) for line in block.text.splitlines() if not line.lstrip().startswith("%"))
        elif before.rstrip(" \t,;")[-1:] not in ("", "\r", "\n"):
            prose += len(block.text)  # within a line: in a cell of a table, a value of JSON
        elif block.kind.lower() in FURNITURE:
            other_count += _is_macro_or_comment(block)
        elif _ENTRY.match(block.body):
            entry_count += 1
        else:
            prose += len(block.text)
        before = "" if block.kind else block.text
    reason = f"{entry_count} entries, {other_count} macros, preambles and comments, {prose} of {size} characters are other text"
    if not entry_count and not other_count:
        return Sniff(0.0, "it has no entry with a key and fields")
    if prose > _MAX_PROSE_RATIO * size:
        return Sniff(0.2, reason)
    return Sniff(0.97 if entry_count else 0.7, reason)


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The entries as records. Memory is bounded.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text.
    """
    encoding = text_encoding(raw_file.path)
    parents = find_parents(raw_file, encoding)
    builder = BatchBuilder(Mapper(DIALECT, raw_file.columns))
    builder.byte_order_mark(encoding.mark_bytes)
    has_entry = False
    for block in blocks(raw_file, encoding):
        kind = block.kind.lower()
        if not kind:
            _add_between(builder, block)
        elif block.is_cut or block.span[1] - block.span[0] > raw_file.limits.entry_bytes:
            _reject(builder, block, "entry_too_long", _too_long(block, raw_file))
        elif kind in FURNITURE:
            if kind == "string":
                parents.learn_macros(block, is_new=True)
            builder.furniture(FURNITURE[kind], block.text, block.span)
        else:
            has_entry = True
            _add(builder, block, kind, parents)
        if builder.is_full:
            yield builder.take()
    note = None if has_entry else "it holds no entries, only comments, macros and the like"
    yield builder.take(form="entries", encoding=encoding.name, note=note)


_FIELD_NAME = r"[A-Za-z][\w:.+-]*+\s*+="
_KEY = r"(?:[^\s,=(){}\"]*+(?:\s*+,|\s)|[^,=(){}\"\r\n]*+[,\r\n])\s*+(?:%[^\r\n]*+\s*+)*+"
_ENTRY = re.compile(rf"\s*+(?:{_KEY}(?:{_FIELD_NAME}|\Z)|{_FIELD_NAME}\s*+[{{\"])")
_COMMENT_LINE = re.compile(r"[\r\n][ \t]*+%[^\r\n]*+")
_MACRO = re.compile(r"\s*+[^\s,={}\"]++\s*+=\s*+[\"{\w]")
_PMID_NOTE_CHARACTERS = 40
_PMID = re.compile(r"\W*pmid\W*(\d{1,8})\W*", re.IGNORECASE)


def _is_macro_or_comment(block: Block) -> bool:
    """Whether a block that is no entry is written as BibTeX writes it, and not CSS."""
    if block.kind.lower() == "string":
        return _MACRO.match(block.body) is not None
    return block.is_closed or block.kind.lower() == "comment"


def _too_long(block: Block, raw_file: RawFile) -> str:
    size_bytes = block.span[1] - block.span[0]
    return f"an entry of {size_bytes} bytes: {more_than('entry_bytes', raw_file.limits.entry_bytes)}"


def _add_between(builder: BatchBuilder, block: Block) -> None:
    """Adds the text between two blocks as a comment, or as a reject where it is an entry that has lost its beginning."""
    if holds_field(_COMMENT_LINE.sub("", f"\n{block.text}")):
        message = "expected an entry to begin with @type{key, found fields that stand in none; write its beginning before them"
        _reject(builder, block, "fields_outside_entry", message)
    else:
        builder.furniture("comment" if block.text.strip() else "separator", block.text, block.span)


def _reject(builder: BatchBuilder, block: Block, reason: str, message: str) -> None:
    builder.reject(reason, message, text=block.text, locator=f"line {block.line}", span=block.span)


def _add(builder: BatchBuilder, block: Block, kind: str, parents: Parents) -> None:
    """Adds the entry as a record, or as a reject that says what is wrong with it."""
    parsed = parse_body(block.body, parents.macros, is_escaped=block.is_escaped)
    if parsed.is_open or (not block.is_closed and any(holds_field(value) for _, value in parsed.pairs)):
        message = (
            f"expected the value of {parsed.pairs[-1][0]!r} to be closed before the entry ends; "
            "add the brace or quotation mark that is missing"
        )
        _reject(builder, block, "unclosed_value", message)
    elif parsed.macro_characters > MAX_MACRO_CHARACTERS:
        message = f"macros make more than {MAX_MACRO_CHARACTERS} characters of this entry; write its values out"
        _reject(builder, block, "macros_too_long", message)
    elif parsed.rest and not parsed.pairs:
        message = f"expected fields such as title = {{…}} in @{block.kind}, found {parsed.rest[0][:60]!r}"
        _reject(builder, block, "no_fields", message)
    else:
        raw = _raw(block, parsed)
        builder.record(
            raw,
            locator=f"line {block.line}",
            span=block.span,
            context=_context(kind, raw, parents),
            raw_text=texts_json(raw),
        )


def _raw(block: Block, parsed: Body) -> dict[str, str]:
    """The columns of an entry: its type and key, its fields, and what else it holds as `unparsed`."""
    pairs = [("entrytype", block.kind), ("citationkey", parsed.key), *parsed.pairs]
    if parsed.rest:
        pairs.append(("unparsed", "\n".join(parsed.rest)))
    raw = dict(pairs)
    if len(raw) == len(pairs):
        return raw
    return dict(zip(unique_names([name for name, _ in pairs]), (value for _, value in pairs), strict=True))


def _context(kind: str, raw: Mapping[str, str], parents: Parents) -> dict[str, object]:
    """The fields that are not plainly one column of the entry: names, typed identifiers, and what it inherits."""
    inherited = parents.inherited(kind, raw) if "crossref" in raw or "xdata" in raw else {}
    context = map_fields(inherited, {name: DIALECT[name] for name in DIALECT if name in inherited}) if inherited else {}
    fields = {**inherited, **raw} if inherited else raw
    if "title" not in fields and kind in EDITED and "booktitle" in fields:
        context["title_raw"] = fields["booktitle"]
    names = _names(fields, "author") or (_names(raw, "editor") if kind in EDITED else [])
    if names:
        context["author_names_raw"] = names
    context.update(_typed_identifiers(fields))
    return context


def _names(fields: Mapping[str, str], column: str) -> list[str]:
    """The names in a column; an entry that has it several times lists a name in each."""
    if column not in fields:
        return []
    names = split_names(fields[column])
    count = 2
    while further := fields.get(f"{column}_{count}"):
        names += [name for name in split_names(further) if name not in names]
        count += 1
    return names


def _typed_identifiers(fields: Mapping[str, str]) -> dict[str, str]:
    """The identifiers that one field gives and another names: eprint, and preprints cited as articles of a journal."""
    if eprint := fields.get("eprint"):
        scheme = (fields.get("eprinttype") or fields.get("archiveprefix") or "").strip(" {}").lower()
        if scheme == "arxiv" or eprint[:6].lower() == "arxiv:":
            return {"arxiv_id_raw": eprint}
        if scheme in ("pubmed", "pmid"):
            return {"pmid_raw": eprint}
    journal = fields.get("journal") or fields.get("journaltitle") or ""
    if journal == "CoRR" and fields.get("volume", "").startswith("abs/"):
        return {"arxiv_id_raw": f"arXiv:{fields['volume'][4:]}"}
    if "arxiv" in journal.lower():
        return {"arxiv_id_raw": journal}
    note = fields.get("note")
    if note and len(note) < _PMID_NOTE_CHARACTERS and (pmid := _PMID.fullmatch(note)):
        return {"pmid_raw": pmid[1]}
    return {}


READER = Reader(
    name="bibtex",
    meaning="BibTeX and BibLaTeX: entries, with macros and crossref",
    has_spans=True,
    example="""\
@string{jop = "Journal of Pebbles"}

@article{lee24,
  author = {Lee, Ann and {Ash and Elm}},
  title  = {Sorting {Pebbles} by Sound},
  journal = jop,
  year   = 2024,
  doi    = {10.5555/pebbles.24},
}
""",
    sniff=sniff,
    read=read,
)
