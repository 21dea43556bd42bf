"""This module looks into an Excel workbook without trusting it: its parts, their sizes, and what its cells hold.

A workbook is a zip file of XML. Its parts are taken out within limits, and only they are handed on, in a zip file of our own:
what another library makes of sizes that lie or names that stand twice cannot differ from what was looked at here.
"""

from __future__ import annotations

import errno
import io
import posixpath
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from lxml import etree

from transforms.readers.base import RawFile, ReadError
from transforms.readers.limits import more_than

MAX_CELLS = 10_000_000
"""Most cells of a sheet, empty ones between filled ones included: in memory each takes about 32 bytes, then its text."""

MAX_RATIO, RATIO_LEAST_BYTES = 200, 10_000_000
"""How many times its size a workbook may unpack to, from so many bytes on: as any other compressed file, by
`limits.unpacked_ratio` of pipeline.toml. Sheets of papers reach 10; 100 kB of a bomb keep the parser at work for minutes."""

_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError, OSError)
"""What zipfile raises at broken or encrypted files; an OSError with a number is the machine's, but for EINVAL."""

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_OTHERS = ("[Content_Types].xml", "_rels/.rels", "xl/styles.xml")
_WORKSHEET = "/worksheet"
_DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A worksheet: its name and its XML."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Workbook:
    """A workbook: its worksheets in order, the lengths of its shared texts, and a sound zip file of all that they need.

    `dates` are those shared texts, by number, that look as a date does when it is shown in full.
    """

    sheets: list[Sheet]
    text_lengths: list[int]
    dates: dict[int, str]
    repacked: bytes


@dataclass(slots=True)
class Cells:
    """What the XML of a sheet says of its cells: the rows (from 1) that have a filled one, as often as they stand there.

    `as_given` are errors, and texts that look like a date, by row and column.
    `first_row`, `first_column` and `column_count` tell the block of cells with a value, an empty text included.
    """

    filled_rows: list[int] = field(default_factory=list)
    as_given: dict[tuple[int, int], str] = field(default_factory=dict)
    first_row: int = 0
    first_column: int = 0
    column_count: int = 0


def open_workbook(raw_file: RawFile) -> Workbook:
    """The workbook that a file is.

    Raises:
        ReadError: `broken_xlsx`, or `document_too_large`.
        OSError: the file could not be read now.
    """
    try:
        with zipfile.ZipFile(raw_file.path) as package:
            parts = _parts(package, raw_file)
        places = _sheet_places(parts)
        lengths, dates = _shared_texts(parts.get(_STRINGS, b""))
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise ReadError("broken_xlsx", f"expected an Excel workbook: {error or type(error).__name__}") from error
    except etree.XMLSyntaxError as error:
        raise ReadError("broken_xlsx", f"expected an Excel workbook: {error}") from error
    sheets = [Sheet(name, parts[place]) for name, place in places if place in parts]
    return Workbook(sheets, lengths, dates, _repacked(parts))


def scan_cells(sheet: Sheet, workbook: Workbook, raw_file: RawFile) -> Cells:
    """What the XML of a sheet says of its cells.

    Raises:
        ValueError: it is broken, or would take more memory than limits allow.
        etree.XMLSyntaxError: it is broken.
    """
    cells, number, last_row, last_column, characters = Cells(), 0, 0, 0, 0
    for row in _elements(sheet.content, "row"):
        number = int(row.get("r") or number + 1)
        lengths = _text_lengths(row, number, workbook, cells)
        if not lengths:
            continue
        if any(lengths.values()):
            cells.filled_rows.append(number)
        cells.first_row, last_row = min(cells.first_row or number, number), max(last_row, number)
        cells.first_column = min(cells.first_column or min(lengths), min(lengths))
        last_column, characters = max(last_column, *lengths), characters + sum(lengths.values())
        cells.column_count = last_column - cells.first_column + 1
        _check(cells, last_row, characters, raw_file)
    return cells


def _text_lengths(row: etree._Element, number: int, workbook: Workbook, cells: Cells) -> dict[int, int]:
    """How long the texts of a row's cells are, by column; of a cell that stands twice the longer one."""
    namespace = row.tag[:-3]
    cell_tag, value_tag = f"{namespace}c", f"{namespace}v"
    lengths: dict[int, int] = {}
    column = 0
    for cell in row:
        if cell.tag != cell_tag:
            continue
        reference, kind = cell.get("r"), cell.get("t")
        column = _column_number(reference.rstrip(_DIGITS)) if reference else column + 1
        if kind == "inlineStr":
            inline = cell.find(f"{namespace}is")
            length = None if inline is None else len(_text(inline))
        else:
            value = cell.findtext(value_tag)
            length = None if value is None else _value_length(value, kind, workbook.text_lengths)
            if kind == "e" and value:
                cells.as_given[number, column] = value
            elif kind == "s" and value and (date := workbook.dates.get(int(value))):
                cells.as_given[number, column] = date
        if length is not None:
            lengths[column] = max(length, lengths.get(column, 0))
    return lengths


def _value_length(value: str, kind: str | None, text_lengths: list[int]) -> int | None:
    """How long the text of a value is, None where a cell with it counts as empty."""
    if kind != "s" or not value:
        return len(value) if value or kind == "str" else None
    position = int(value)
    if not 0 <= position < len(text_lengths):
        raise ValueError(f"it names the shared text {position}, and there are {len(text_lengths)}")
    return text_lengths[position]


def _check(cells: Cells, last_row: int, characters: int, raw_file: RawFile) -> None:
    """Raises ValueError where cells would take more memory than limits allow: a cell far away makes a sheet huge."""
    limits = raw_file.limits
    if cells.column_count > limits.columns:
        raise ValueError(f"{cells.column_count} columns: {more_than('columns', limits.columns)}")
    if last_row > MAX_CELLS:
        raise ValueError(f"a row {last_row}, and at most {MAX_CELLS} are read")
    count = cells.column_count * (last_row - cells.first_row + 1) if cells.first_row else 0
    if count > MAX_CELLS:
        raise ValueError(f"{count} cells, empty ones between others included, and at most {MAX_CELLS} are read")
    if characters > limits.document_bytes:
        raise ValueError(f"{characters} characters: {more_than('document_bytes', limits.document_bytes)}")


def _parts(package: zipfile.ZipFile, raw_file: RawFile) -> dict[str, bytes]:
    """The parts that tables are made of, by name."""
    wanted = [member for member in package.infolist() if _is_wanted(member.filename)]
    size_bytes = sum(member.file_size for member in wanted)
    if size_bytes > raw_file.limits.document_bytes:
        message = f"{size_bytes} bytes when unpacked: {more_than('document_bytes', raw_file.limits.document_bytes)}"
        raise ReadError("document_too_large", message)
    if size_bytes > max(RATIO_LEAST_BYTES, MAX_RATIO * raw_file.size_bytes):
        message = f"{size_bytes} bytes when unpacked, more than {MAX_RATIO} times as many as the {raw_file.size_bytes} packed"
        raise ReadError("document_too_large", f"{message}, as in a decompression bomb")
    # zipfile gives no more bytes than a part's declared size, and its checksum tells where that lies.
    return {member.filename: package.read(member) for member in wanted}


def _is_wanted(name: str) -> bool:
    return (
        name in (_WORKBOOK, _RELATIONS, _STRINGS, *_OTHERS)
        or re.fullmatch(r"xl/(?:worksheets/|sheets/)?[^/]+\.xml", name) is not None
    )


def _repacked(parts: dict[str, bytes]) -> bytes:
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w", zipfile.ZIP_STORED) as file:
        for name, content in parts.items():
            file.writestr(zipfile.ZipInfo(name), content)
    return package.getvalue()


def _sheet_places(parts: dict[str, bytes]) -> list[tuple[str, str]]:
    """The name and the part of each worksheet, in the order of the workbook."""
    if _WORKBOOK not in parts or _RELATIONS not in parts:
        raise ValueError(f"it has no {_WORKBOOK}; save it as XLSX")
    targets = {
        relation.get("Id"): posixpath.normpath(posixpath.join("/xl", relation.get("Target") or "")).lstrip("/")
        for relation in _elements(parts[_RELATIONS], "Relationship")
        if (relation.get("Type") or "").endswith(_WORKSHEET)
    }
    places = []
    for sheet in _elements(parts[_WORKBOOK], "sheet"):
        relation = next((value for name, value in sheet.attrib.items() if name.endswith("}id")), None)
        if relation in targets:
            places.append((sheet.get("name") or "", targets[relation]))
    repeated = [name for name, count in Counter(name for name, _ in places).items() if count > 1]
    if repeated:
        # fastexcel would give the rows of the first for each of them.
        raise ValueError(f"more than one sheet is named {repeated[0][:100]!r}; give each a name of its own")
    return places


def _shared_texts(content: bytes) -> tuple[list[int], dict[int, str]]:
    """The length of each shared text, and those that look like a date, by number."""
    lengths, dates = list[int](), dict[int, str]()
    for text in (_text(item) for item in (_elements(content, "si") if content else ())):
        if len(text) == len("2024-05-06 00:00:00") and text[4] == "-":
            dates[len(lengths)] = text
        lengths.append(len(text))
    return lengths, dates


def _text(item: etree._Element) -> str:
    """The text of an item, without how it is read aloud."""
    return "".join(part.text or "" for part in item.iter("{*}t") if not any(True for _ in part.iterancestors("{*}rPh")))


def _elements(content: bytes, name: str) -> Iterator[etree._Element]:
    """The elements of a name, each whole, and forgotten after it was given."""
    if b"<!DOCTYPE" in content:
        raise ValueError("it declares a document type, which no workbook does")
    parsing = etree.iterparse(io.BytesIO(content), tag="{*}" + name, resolve_entities=False, no_network=True, load_dtd=False)
    for _, element in parsing:
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


@cache
def _column_number(letters: str) -> int:
    if not re.fullmatch("[A-Z]{1,3}", letters):
        raise ValueError(f"a cell whose column is {letters[:20]!r}")
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number
