"""This module names what a file looks like that no reader takes; only for the message, the verdict is the readers'."""

from __future__ import annotations

import csv
import re

from transforms.readers import delimited
from transforms.readers.base import Sample, Sniff
from transforms.readers.columns import has_paper_columns
from transforms.readers.delimited_dialect import DELIMITERS

_MAX_PREAMBLE_LINES = 10
_MAX_NAMED_COLUMNS = 12
_TABLE_LINES = 20

_BINARY_KINDS = {
    b"%PDF-": "a PDF: export its text first",
    b"PK\x03\x04": "a zip that is one document (an e-book, a program): export its text first",
    b"\x1f\x9d": "a file of compress (.Z): decompress it first",
    b"\x04\x22\x4d\x18": "lz4: decompress it first",
    b"Rar!\x1a\x07": "a rar file: unpack it first",
    b"7z\xbc\xaf\x27\x1c": "a 7z file: unpack it first",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file: save it as XLSX, CSV or text first",
    b"\x89PNG": "an image (PNG)",
    b"\xff\xd8\xff": "an image (JPEG)",
}

_TEXT_KINDS = {
    "a Git LFS pointer: the file itself was not fetched": r"version https://git-lfs\.github\.com/spec/",
    "a page of HTML": r"\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html|head|body)\b",
    "XML": r"\s*<\?xml|\s*<[A-Za-z][\w:.-]*[\s>]",
    "nothing but white space": r"\s*\Z",
    "YAML": r"---\s*$|\w[\w -]*:(?:\s|$)",
    "Markdown": r"(?:.{0,500}?^)?#{1,6} \S",
    "a log": r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:INFO|DEBUG|WARN|ERROR)\b)",
    "a script": r"#!",
}
"""What other texts begin with."""


def binary_kind(head: bytes) -> str | None:
    """What a file that begins with `head` looks like, and what to do with it; None where its first bytes do not tell.

    >>> binary_kind(b"%PDF-1.7")
    'a PDF: export its text first'
    """
    if head.startswith(b"PK\x03\x04") and b"[Content_Types].xml" in head:
        return "a Word or other Office file: export its text, or save its table as XLSX"
    return next((kind for beginning, kind in _BINARY_KINDS.items() if head.startswith(beginning)), None)


def text_kind(text: str, is_whole: bool = True) -> str | None:
    """What a text looks like, None where nothing tells.

    >>> text_kind("Benennung;Leute\\nKiesel;Lee\\n").partition("; if")[0]
    "a table with ';' whose columns have no known name: Benennung, Leute"
    """
    if re.match(r'[\s\ufeff]*+(?:\{\s*["}]|\[\s*[\[{"\]\d])', text):
        return "JSON without a title, abstract, DOI or identifier where a reader looks for them"
    lines = [line for line in text.splitlines(keepends=True)[: 2 * _TABLE_LINES] if line.strip()]
    if preamble := _preamble(lines):
        return preamble
    for kind, beginning in _TEXT_KINDS.items():
        if re.match(beginning, text[:4000], re.IGNORECASE | re.DOTALL | re.MULTILINE):
            return kind
    return _table(lines if is_whole else lines[:-1])


def _preamble(lines: list[str]) -> str | None:
    for number, line in enumerate(lines[1 : _MAX_PREAMBLE_LINES + 1], 2):
        rest = "".join(lines[number - 1 :])
        sample = Sample(rest.encode("utf-8", "surrogateescape"), rest, len(rest.encode("utf-8", "surrogateescape")))
        found: Sniff = delimited.sniff(sample)
        if found.confidence > 0.7:
            return f"a table whose header stands after other text: remove the lines before {line.strip()[:80]!r}"
    return None


def _table(lines: list[str]) -> str | None:
    """A table with a header of unknown names, or of one column: short cells, as many in each row."""
    for delimiter in DELIMITERS:
        try:
            rows = list(csv.reader(lines[:_TABLE_LINES], delimiter=delimiter))
        except csv.Error:
            continue
        header = rows[0] if rows else []
        is_header = len(header) > 1 and all(0 < len(name.strip()) <= 40 and not _SENTENCE.search(name) for name in header)
        if is_header and len(rows) > 1 and sum(len(row) == len(header) for row in rows) > 0.8 * len(rows):
            names = ", ".join(name.strip() for name in header[:_MAX_NAMED_COLUMNS])
            more = ", …" if len(header) > _MAX_NAMED_COLUMNS else ""
            advice = "if it lists papers, say in sources.toml what its columns mean (columns = {…})"
            return f"a table with {delimiter!r} whose columns have no known name: {names}{more}; {advice}"
    if len(lines) > 1 and has_paper_columns([lines[0].strip().strip('"')]):
        return f"a table of one column, {lines[0].strip()!r}: a table needs two columns or more to be known as one"
    return None


_SENTENCE = re.compile(r"[.!?]\s|[(){}=]")
