"""This module reads pages that hold abstracts and nothing else: a heading, then paragraphs, each an abstract.

    ICLR 2024 论文列表

    We sort pebbles by sound. …

    Ferries wait for the tide. …

A paragraph is a line, or hard-wrapped lines between blank ones. A heading gives its venue and year to what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from transforms.readers.base import Batch, BatchBuilder, RawFile, Reader, Sample, Sniff, Span
from transforms.readers.decoding import LINE, decode
from transforms.readers.field_values import without_surrogates
from transforms.readers.headings import heading_context, says_papers
from transforms.readers.mapping import Mapper

_COLUMN_MAP = {"abstract": "abstract_raw"}
_BATCH_PARAGRAPHS = 5_000

_ABSTRACT_CHARACTERS = (100, 10_000)
"""Shortest and longest abstract. Of 60,643 real ones 0.2 % have fewer than 130 characters, most of them "N/A" and the like;
one in ten thousand has more than 3,117."""

_ABSTRACT_WORDS = 15
_DENSE_CHARACTERS = 50
"""Shortest abstract in a script that needs no spaces, such as Chinese."""

_LONG_LINE_CHARACTERS = 200
"""A line as long as this is a paragraph of its own, not one of several that a paragraph was wrapped into."""

_LETTER_RATIO = 0.7
"""Least share of letters and spaces in prose. Abstracts full of formulas have 0.75 and more; tables, code and lists of
references less."""


def sniff(sample: Sample) -> Sniff:
    """How sure it is that the sample is a list of abstracts: a heading that says so, or paragraphs that all read like one."""
    if sample.text is None:
        return Sniff(0.0, "no text")
    pieces = [piece for piece in _pieces(sample.text) if piece.kind != "separator"]
    if not sample.is_whole and pieces:
        pieces.pop()
    paragraphs = [sample.text[piece.start : piece.end] for piece in pieces if piece.kind == "paragraph"]
    abstracts = [text for text in paragraphs if not _flaw(text)]
    headings = [sample.text[piece.start : piece.end] for piece in pieces if piece.kind == "heading"]
    if not abstracts or len(abstracts) < 0.8 * len(paragraphs) or len(headings) > len(abstracts):
        share = len(abstracts) / max(len(paragraphs), 1)
        return Sniff(0.1 * share, f"{len(abstracts)} of {len(paragraphs)} paragraphs read like abstracts")
    is_announced = pieces[0].kind == "heading" and any(map(says_papers, headings))
    lengthy = sum(map(_is_lengthy, abstracts)) / len(abstracts)
    typical = sum(map(_speaks_of_work, abstracts)) / len(abstracts)
    share = len(abstracts) / len(paragraphs)
    reason = f"{len(abstracts)} of {len(paragraphs)} paragraphs read like abstracts, {len(headings)} headings"
    if is_announced and lengthy >= 0.5:
        return Sniff(0.7 + 0.25 * share * min(len(abstracts), 3) / 3, reason)
    if len(abstracts) >= 3 and lengthy >= 0.8 and typical >= 0.8 and share >= 0.9:
        return Sniff(0.6 + 0.1 * typical * share + (0.1 if headings else 0.0), f"{reason}, none says that papers follow")
    if len(abstracts) < 3:
        return Sniff(0.2, f"{reason}, none before them says that papers follow, and 3 abstracts are needed without")
    return Sniff(
        0.2,
        f"{reason}, none before them says that papers follow; {lengthy:.0%} of them are as long as abstracts and {typical:.0%} "
        "speak of work done, where 80% are needed",
    )


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The paragraphs as records `{"abstract": …}`; a paragraph that is no abstract is a reject.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text.
    """
    decoded = decode(raw_file.whole_bytes())
    builder = BatchBuilder(Mapper(_COLUMN_MAP))
    builder.byte_order_mark(decoded.mark_bytes)
    pieces = _pieces(decoded.text)
    spans = decoded.spans([0, *(piece.end for piece in pieces)])
    context: dict[str, object] = {}
    for number, (piece, span) in enumerate(zip(pieces, spans, strict=True), 1):
        text = decoded.text[piece.start : piece.end]
        if piece.kind == "heading":
            context = heading_context(without_surrogates(text)) or context
            builder.furniture("heading", text, span)
        elif piece.kind == "separator":
            builder.furniture("separator", text, span)
        else:
            _add_paragraph(builder, text, span, context)
        if number % _BATCH_PARAGRAPHS == 0:
            yield builder.take()
    yield builder.take(form="abstracts under headings", encoding=decoded.encoding)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of the text: a heading, a paragraph, or a separator (empty lines). The pieces cover the text."""

    kind: str
    start: int
    end: int


def _pieces(text: str) -> list[_Piece]:
    """The text in pieces. Whether a paragraph is a line or a block of lines is decided for the whole text."""
    lines = [(line.start(), line.end()) for line in LINE.finditer(text)]
    blocks = [(blank, list(block)) for blank, block in groupby(lines, key=lambda line: not text[line[0] : line[1]].strip())]
    is_line_each = _is_paragraph_a_line(text, [block for blank, block in blocks if not blank])
    pieces: list[_Piece] = []
    for blank, block in blocks:
        if blank:
            pieces.append(_Piece("separator", block[0][0], block[-1][1]))
        elif is_line_each:
            pieces += (_Piece("heading" if _is_heading(text, *line) else "paragraph", *line) for line in block)
        else:
            pieces += _block_pieces(text, block)
    return pieces


def _is_paragraph_a_line(text: str, blocks: list[list[Span]]) -> bool:
    """Whether the paragraphs stand one a line: blocks with long lines have two and more of them on average."""
    long_counts = [sum(end - start >= _LONG_LINE_CHARACTERS for start, end in block) for block in blocks]
    long_counts = [count for count in long_counts if count]
    return bool(long_counts) and sum(long_counts) >= 2 * len(long_counts)


def _block_pieces(text: str, block: list[Span]) -> Iterator[_Piece]:
    """The headings that a block begins with, and the rest as a paragraph."""
    first = 0
    while first < len(block) and _is_heading(text, *block[first]):
        # In a wrapped paragraph the line after one that looks like a heading goes on in lower case, or with the year.
        if first + 1 < len(block) and _goes_on(text[slice(*block[first + 1])]):
            break
        yield _Piece("heading", *block[first])
        first += 1
    if first < len(block):
        yield _Piece("paragraph", block[first][0], block[-1][1])


def _goes_on(line: str) -> bool:
    return line[:1].islower() or re.match(r"\d+ [a-z]", line) is not None


def _is_heading(text: str, start: int, end: int) -> bool:
    return heading_context(text[start:end]) is not None


def _add_paragraph(builder: BatchBuilder, text: str, span: Span, context: dict[str, object]) -> None:
    locator = f"bytes {span[0]}-{span[1]}"
    if flaw := _flaw(text):
        builder.reject("not_an_abstract", flaw, text=text, locator=locator, span=span)
    else:
        builder.record({"abstract": _LINE_END.sub("", text)}, locator=locator, span=span, context=context)


_LINE_END = re.compile(r"(?:\r\n|\r|\n)$")
_PROSE = re.compile(r"[^\W\d_]|\s")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_MARKUP = re.compile(r"\s*(?:[{}<|@#>]|[-*+•] |```|\d+[.)] |\[\d|https?://\S+\s*$|\w[\w ]{0,30}: *\n)")
_WORK = re.compile(
    r"\b(?:we|our|this (?:paper|work|study|article|thesis|report)|the (?:paper|authors?)|results?|experiments?|propos\w+)\b"
    r"|[本该]文|我们|提出",
    re.IGNORECASE,
)
_TAG = re.compile(r"^[A-Z][A-Z0-9]{1,3}(?: {0,2}- | (?=\S))", re.MULTILINE)
_TABLE_ROW = re.compile(r"[^\s,;|]*(?:[,;|]\S|\t)")
_REFERENCE = re.compile(r"\b(?:Section|Figure|Fig\.|Table|Chapter|Eq\.) ?\d|\[\d+(?:, ?\d+)*\]")


def _flaw(text: str) -> str:
    """What tells that a paragraph is no abstract, as a sentence; empty where nothing does."""
    plain = " ".join(text.split())
    shortest, longest = _ABSTRACT_CHARACTERS
    dense_count = len(_DENSE.findall(plain))
    is_dense = dense_count > len(plain) / 3
    if len(plain) < (_DENSE_CHARACTERS if is_dense else shortest):
        return f"expected an abstract of at least {shortest} characters, found {len(plain)}"
    if len(plain) > longest:
        return f"expected an abstract of at most {longest} characters, found {len(plain)}"
    if not is_dense and plain.count(" ") < _ABSTRACT_WORDS - 1:
        return f"expected an abstract of at least {_ABSTRACT_WORDS} words, found {plain.count(' ') + 1}"
    if _MARKUP.match(text):
        return f"expected prose, found a list, mark-up or code: {plain[:40]!r}"
    if len(set(_TAG.findall(text))) >= max(3, text.count("\n") / 3):
        return f"expected prose, found lines with tags, as in RIS or Medline: {plain[:40]!r}"
    letter_count = len(_PROSE.findall(plain))
    if letter_count < _LETTER_RATIO * len(plain):
        return f"expected prose, found {letter_count} letters and spaces among {len(plain)} characters"
    return ""


def _is_lengthy(text: str) -> bool:
    """Whether it is as long as most abstracts, and begins as a text does and not as a row of a table."""
    is_text = not text.lstrip()[:1].islower() and not _TABLE_ROW.match(text)
    return is_text and (len(text) >= 200 or bool(_DENSE.search(text)))


def _speaks_of_work(text: str) -> bool:
    """Whether it speaks of work done, as abstracts do, and does not point into a text around it, as articles do."""
    return bool(_WORK.search(text)) and not _REFERENCE.search(text)


READER = Reader(
    name="abstract_list",
    meaning="a page of abstracts: a heading that names venue and year, then paragraphs, each an abstract",
    has_spans=True,
    example="""\
ICLR 2024 论文列表

We sort pebbles by the sound they make when they fall. Our method needs one microphone and no light. On three beaches it sorts
faster than people do, and on the fourth, where the wind is strong, as fast as they do.

Ferries wait for the tide, and locks wait for the ferries. We show that a lock that opens before it is asked shortens the queue
by a third, prove that no schedule does better than by a half, and give results for two rivers and one canal.
""",
    sniff=sniff,
    read=read,
)
