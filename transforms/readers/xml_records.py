"""This module reads papers from XML, in the dialects of `xml_dialects`: one record an element, in bounded memory."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping

from lxml import etree

from transforms.readers.base import SAMPLE_BYTES, Batch, BatchBuilder, RawFile, Reader, ReadError, Sample, Sniff, texts_json
from transforms.readers.decoding import Encoding
from transforms.readers.streaming import text_encoding
from transforms.readers.xml_count import count_entries
from transforms.readers.xml_dialects import DIALECTS, Dialect
from transforms.readers.xml_entries import Entry, last_ends, split_entries, xml_blocks
from transforms.readers.xml_paths import XmlMapper, find_fields
from transforms.readers.xml_plain import plain_dialect
from transforms.readers.xml_values import ElementParser, element_value, local_name

_START_TAG = re.compile(r"<([A-Za-z_][\w.-]{0,100})(?::([\w.-]{1,100}))?(?=[\s/>])")
_HTML = re.compile(r"<!doctype\s+html|<(?:html|head|body|table|div|p|h[1-6]|a|img|br|center|details|picture)\b", re.IGNORECASE)
_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']")

_OTHER_ROOTS = {
    "html": "a page of HTML",
    "svg": "an image (SVG)",
    "rss": "a news feed (RSS)",
    "feed": "a news feed (Atom)",
    "schema": "an XML schema",
    "stylesheet": "a style sheet (XSLT)",
    "document-content": "a text or spreadsheet of an office program",
    "document": "a text of an office program",
    "urlset": "a site map",
    "project": "a project of a build tool",
    "configuration": "a configuration",
    "preferences": "a configuration",
    "plist": "a property list",
    "TEI": "a text in TEI",
}


def sniff(sample: Sample) -> Sniff:
    """Whether the sample begins as XML of a dialect that is known."""
    text = (sample.text or "").lstrip("\ufeff \t\r\n")
    if not text.startswith("<"):
        return Sniff(0.0, "it does not begin with <")
    root, dialect = ("html", None) if _HTML.match(text) else _dialect(text[:SAMPLE_BYTES])
    if dialect is not None:
        return Sniff(0.95 if dialect.roots else 0.8, f"XML: {dialect.meaning}")
    if not root or root.lower() == "html":
        return Sniff(0.0, "it is no XML")
    kind = _other_kind(root) or "without elements named as those of papers are"
    return Sniff(0.2, f"XML, {kind}: its first element is <{root}>")


def read(raw_file: RawFile) -> Iterator[Batch]:
    """The elements that are entries as records; a broken one is a reject. Entries are counted by their tags.

    Raises:
        ReadError: `binary` or `bad_encoding`, where the bytes are no text; `not_a_paper_list`.
    """
    encoding = _encoding(raw_file)
    root, dialect = _dialect(_head(raw_file, encoding))
    if dialect is None:
        found = f"one whose first element is <{root}>" if root else f"no element in its first {SAMPLE_BYTES} bytes"
        raise ReadError("not_a_paper_list", f"expected a dialect of XML that is known, found {found}")
    ends = last_ends(xml_blocks(raw_file, encoding))
    entry_count = count_entries(xml_blocks(raw_file, encoding), dialect.vocabulary, ends)
    reading = _Reading(dialect, raw_file.columns, _piece_encoding(encoding))
    if dialect.names is not None and raw_file.size_bytes <= raw_file.limits.document_bytes:  # they are kept in memory
        reading.find_names(split_entries(xml_blocks(raw_file, encoding), dialect.names, ends, raw_file.limits.entry_bytes))
    entries = split_entries(xml_blocks(raw_file, encoding), dialect.vocabulary, ends, raw_file.limits.entry_bytes)
    for entry in entries:
        reading.add(entry)
        if reading.builder.is_full:
            yield reading.builder.take()
    yield reading.builder.take(entries_counted=entry_count, form=dialect.name, encoding=encoding.name, note=reading.note())


class _Reading:
    """One file as it is read: its parser, its rows, and what stands in the elements between its entries."""

    def __init__(self, dialect: Dialect, columns: Mapping[str, str], encoding: str) -> None:
        self.builder = BatchBuilder(XmlMapper(dialect.fields, columns))
        self._dialect, self._encoding, self._parser = dialect, encoding, ElementParser()
        self._context: dict[str, object] = {}
        self._count = self._not_papers = 0

    def find_names(self, entries: Iterator[Entry]) -> None:
        """Keeps what stands elsewhere in the file and is named in its entries."""
        if self._dialect.find_names is not None:
            self._context["names"] = self._dialect.find_names(self._values(entries))

    def _values(self, entries: Iterator[Entry]) -> Iterator[tuple[str, object]]:
        for entry in entries:
            value: object = ""
            if self._dialect.names and entry.name in self._dialect.names.records:
                try:
                    value = element_value(self._parser.parse(entry.content.decode(self._encoding, "replace")))
                except etree.XMLSyntaxError:
                    continue  # a name is lost, not the entries that it is named in
            yield entry.name, value

    def add(self, entry: Entry) -> None:
        """Adds an entry as a record or reject; of another element, keeps what it says."""
        vocabulary = self._dialect.vocabulary
        text = entry.content.decode(self._encoding, "replace")
        if entry.name in vocabulary.marks:
            self._keep(entry.name, text.rstrip().removesuffix("/>").removesuffix(">") + "/>")
        elif entry.name in vocabulary.records:
            self._record(entry, text)
        elif entry.fault is None:
            self._keep(entry.name, text)

    def note(self) -> str | None:
        """What there is to say of the file as a whole."""
        if self._not_papers:
            return f"{self._not_papers} elements of front matter are no papers"
        return None if self._count else "it holds no entries"

    def _keep(self, name: str, text: str) -> None:
        if name in self._dialect.not_papers:
            self._not_papers += 1
            return
        for other in (name, *self._dialect.resets.get(name, ())):
            self._context.pop(other, None)
        try:
            self._context[name] = element_value(self._parser.parse(text))
        except etree.XMLSyntaxError:
            return  # what it says of the entries is lost, not the entries

    def _record(self, entry: Entry, text: str) -> None:
        self._count += 1
        locator = f"record {self._count}"
        if entry.fault is not None:
            self.builder.reject(*entry.fault, text=text, locator=locator)
            return
        try:
            raw = self._raw(self._parser.parse(text))
        except etree.XMLSyntaxError as error:
            message = f"expected a well-formed <{entry.name}>, found: {' '.join(str(error.msg).split())[:300]}"
            self.builder.reject("broken_xml", message, text=text, locator=locator)
            return
        context = find_fields(self._context, self._dialect.part_fields)
        if self._dialect.more_fields is not None:
            context |= self._dialect.more_fields(raw, self._context)
        self.builder.record(raw, locator=locator, context=context, raw_text=texts_json(raw))

    def _raw(self, element: etree._Element) -> dict[str, object]:
        for name in self._dialect.unwrap:
            if len(element) == 1 and local_name(element[0].tag) == name:
                element = element[0]
        value = element_value(element)
        return value if isinstance(value, dict) else {"#text": value}


def _dialect(text: str) -> tuple[str, Dialect | None]:
    """The local name of the first element of a head, and its dialect where it is known."""
    found = list(_START_TAG.finditer(_without_comments(text)))
    if not found:
        return "", None
    names = [match[2] or match[1] for match in found]
    known = frozenset(names)
    dialect = next((dialect for dialect in DIALECTS if dialect.fits(names[0], known, text)), None)
    if dialect is None and _other_kind(names[0]) is None:
        dialect = plain_dialect(text)
    return names[0], dialect


def _other_kind(root: str) -> str | None:
    """What a file with this first element is, where that is known to be no list of papers."""
    return _OTHER_ROOTS.get(root) or _OTHER_ROOTS.get(root.lower())


def _head(raw_file: RawFile, encoding: Encoding) -> str:
    """As much of a file as `sniff` sees."""
    head = b""
    for block in xml_blocks(raw_file, encoding):
        head += block
        if len(head) >= SAMPLE_BYTES:
            break
    return head[:SAMPLE_BYTES].decode(_piece_encoding(encoding), "replace").lstrip()


def _without_comments(text: str) -> str:
    head, *rest = text.split("<!--")
    return head + "".join(piece.partition("-->")[2] if "-->" in piece else piece for piece in rest)


def _encoding(raw_file: RawFile) -> Encoding:
    """The encoding of a file by its bytes; between encodings of one byte, which bytes do not tell apart, by its declaration."""
    found = text_encoding(raw_file.path)
    if found.name not in ("cp1252", "latin-1"):
        return found
    with raw_file.path.open("rb") as file:
        declared = _DECLARED.match(file.read(1000))
    try:
        name = codecs.lookup(declared[1].decode()).name if declared else ""
        is_single = len(bytes(range(0x20, 0x7F)).decode(name)) == 95 and len(b"\xe4\xe4\xe4\xe4".decode(name)) == 4
    except (LookupError, UnicodeDecodeError):
        return found
    return Encoding(name, 0) if is_single and name not in ("iso8859-1", "ascii", "utf-8") else found


def _piece_encoding(encoding: Encoding) -> str:
    return "utf-8" if encoding.name.startswith(("utf-16", "utf-32")) else encoding.name


READER = Reader(
    name="xml_records",
    meaning="XML: " + ", ".join(dialect.meaning for dialect in DIALECTS) + ", and elements named as papers' columns are",
    has_spans=False,
    example="""\
<collection id="2023.tides">
  <volume id="1">
    <meta><booktitle>Workshop on Pebbles and Tides</booktitle><year>2023</year></meta>
    <paper id="1">
      <title>Sorting <fixed-case>P</fixed-case>ebbles by Sound</title>
      <author><first>Ann</first><last>Lee</last></author>
      <author><first>Bo</first><last>Li</last></author>
    </paper>
  </volume>
</collection>
""",
    sniff=sniff,
    read=read,
)
