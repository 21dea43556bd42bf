"""This module is the list of readers, and finds the one that reads a file, by the file's content alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from transforms.readers import (
    abstract_list,
    bibtex,
    delimited,
    html_tables,
    json_lines,
    json_records,
    markdown_tables,
    parquet_file,
    sqlite_file,
    tagged,
    viewer_page,
    xlsx,
    xml_records,
    yaml_documents,
)
from transforms.readers.base import SAMPLE_BYTES, RawFile, Reader, ReadError, Sample, Sniff
from transforms.readers.columns import given_columns
from transforms.readers.decoding import BYTE_ORDER_MARKS, decode
from transforms.readers.east_asian import ENCODINGS
from transforms.readers.kinds import binary_kind, text_kind

READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        viewer_page.READER,
        abstract_list.READER,
        delimited.READER,
        bibtex.READER,
        json_records.READER,
        json_lines.READER,
        parquet_file.READER,
        sqlite_file.READER,
        xlsx.READER,
        markdown_tables.READER,
        *tagged.READERS,
        *yaml_documents.READERS,
        xml_records.READER,
        html_tables.READER,
    )
}
"""The readers, by name. A new format is one module and one line here."""

MIN_CONFIDENCE = 0.5
"""Least confidence of a reader that is given a file. Of 798 real files the 759 that are lists of papers, in seventeen formats,
get 0.7 and more from one reader and at most 0.2 from any other; the other 39 (licences, configurations, BibTeX without an
entry) get at most 0.2 from any."""

MAX_SAMPLE_BYTES = 4 * 2**20
"""How much is looked at to see two lines of JSON; the longest of 60,000 real records (a paper with its reviews) has 0.3 MB."""

TIE_MARGIN = 0.05
"""Two readers whose confidences are closer than this are equally sure."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """How sure one reader is of a file, and why."""

    reader_name: str
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The reader of a file, or why there is none.

    `reason` is `recognised`, or `empty_file`, `binary`, `bad_encoding`, `not_a_paper_list` or `ambiguous_format`;
    `message` says it in a sentence. `candidates` are the readers by confidence, surest first.
    """

    reader: Reader | None
    confidence: float
    reason: str
    message: str
    candidates: tuple[Candidate, ...] = ()


def sniff(raw_file: RawFile) -> Choice:
    """The reader that is surest of a file, where one is.

    It sees the file's first `SAMPLE_BYTES` only; of JSON with longer lines as much as two lines need, up to `MAX_SAMPLE_BYTES`.
    """
    with raw_file.path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
        if not head:
            return Choice(None, 0.0, "empty_file", "the file is empty")
        json_head = head
        while _needs_more(json_head) and (more := file.read(min(len(json_head), MAX_SAMPLE_BYTES - len(json_head)))):
            json_head += more
    sample, refusal = _sample(head, raw_file.size_bytes)
    json_sample = sample if len(json_head) == len(head) else _sample(json_head, raw_file.size_bytes)[0]
    with given_columns(raw_file.columns):
        sniffed = [
            (name, _sniffed(reader, json_sample if name in _JSON_READERS else sample)) for name, reader in READERS.items()
        ]
    candidates = tuple(
        Candidate(name, found.confidence, found.reason)
        for name, found in sorted(sniffed, key=lambda pair: (-pair[1].confidence, pair[0]))
    )
    return _chosen(candidates, sample, refusal)


def _sniffed(reader: Reader, sample: Sample) -> Sniff:
    try:
        return reader.sniff(sample)
    except Exception as error:  # noqa: BLE001 - a bug there must not stop the run for every other file
        return Sniff(0.0, f"{SNIFF_FAILED} ({type(error).__name__}: {error}); please report it with the file")


SNIFF_FAILED = "its sniff failed"


def _needs_more(head: bytes) -> bool:
    """Whether a sample begins with an object, and ends before two lines that are not blank."""
    if len(head) >= MAX_SAMPLE_BYTES or not _OBJECT.match(head):
        return False
    filled = (line for line in head.splitlines(keepends=True) if line.strip(_BLANK) and line.strip(b"\0")[-1:] in b"\r\n")
    return len(list(islice(filled, 2))) < 2


def _sample(head: bytes, size_bytes: int) -> tuple[Sample, ReadError | None]:
    """The sample that a head is, and why it is no text, where it is none."""
    try:
        decoded = decode(_whole_characters(head, size_bytes))
        if decoded.encoding in ("cp1252", "latin-1") and len(head) < size_bytes:
            # The end of the sample may cut a character of two bytes; a line end never does.
            lines = decode(head[: head.rfind(b"\n") + 1])
            decoded = lines if lines.encoding in ENCODINGS else decoded
        return Sample(head, decoded.text, size_bytes), None
    except ReadError as error:
        return Sample(head, None, size_bytes), error


def _whole_characters(head: bytes, size_bytes: int) -> bytes:
    """The sample without a character that its end cuts."""
    if len(head) == size_bytes:
        return head
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark) and encoding != "utf-8":
            return head[: len(head) - len(head) % 4]
    return _CUT_CHARACTER.sub(b"", head)


_JSON_READERS = frozenset({json_records.READER.name, json_lines.READER.name})
_OBJECT = re.compile(rb"[\s\0\xef\xbb\xbf\xff\xfe]*+\{")
_BLANK = b" \t\r\n\0"
_CUT_CHARACTER = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")


def _chosen(candidates: tuple[Candidate, ...], sample: Sample, refusal: ReadError | None) -> Choice:
    """The choice among the candidates, surest first."""
    best, second = candidates[:2]
    if best.confidence < MIN_CONFIDENCE:
        found = binary_kind(sample.head)
        if refusal is not None:
            message = f"expected a list of papers, found {found} ({refusal})" if found else str(refusal)
            return Choice(None, 0.0, refusal.reason, message, candidates)
        found = found or text_kind(sample.text or "", sample.is_whole)
        message = f"expected a list of papers, found {found or 'another text'}"
        if best.confidence or not found:
            message = f"{message}; closest was {best.reader_name}: {best.reason}"
        return Choice(None, best.confidence, "not_a_paper_list", message, candidates)
    if best.confidence - second.confidence < TIE_MARGIN and second.confidence >= MIN_CONFIDENCE:
        message = (
            f"{best.reader_name} ({best.reason}) and {second.reader_name} ({second.reason}) are equally sure of it; "
            "please report it with the file, and give it in another form meanwhile"
        )
        return Choice(None, best.confidence, "ambiguous_format", message, candidates)
    return Choice(READERS[best.reader_name], best.confidence, "recognised", best.reason, candidates)
