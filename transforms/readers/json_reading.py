"""This module reads the parts of a JSON document that `json_outline` finds, entry by entry, and counts the entries.

Broken JSON costs the entry it stands in: reading goes on where the next entry can be told. The entries are counted by
`json_scan`, which knows only brackets and quotes, over each stretch that was read whole; what is broken counts as one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from transforms.readers.base import REJECT_TEXT_CHARACTERS, Batch, BatchBuilder, ReadError
from transforms.readers.columns import unique_names
from transforms.readers.field_values import without_surrogates
from transforms.readers.json_outline import Part, pointer_step
from transforms.readers.json_recovery import Entry, following_entry, leniently
from transforms.readers.json_scan import NAME, count_values, members, name_text, value_end
from transforms.readers.json_values import JsonDecoder
from transforms.readers.json_window import Window

KEY_COLUMN = "_key"
"""The column of `raw` that holds the key of a record that stands under one, in an object of records."""

_MAX_BROKEN = 100
"""How many broken entries are read around; each costs a look at some places where the next may begin."""


@dataclass
class DocumentReading:
    """Documents being read: what was collected, how many entries were counted, and up to where.

    `prefix` stands before each locator, from the second document of a file on.
    """

    window: Window
    builder: BatchBuilder
    context: Mapping[str, object] = field(default_factory=dict)
    prefix: str = ""
    position: int = 0
    counted: int = 0
    decoder: JsonDecoder = field(default_factory=JsonDecoder)
    _stretch: tuple[int, int] | None = None
    _is_keyed: bool = False

    @property
    def text(self) -> str:
        """The text of the document, as much of it as is held."""
        return self.window.text

    def take(self, *, form: str | None = None, encoding: str | None = None) -> Batch:
        """What was collected since the last time."""
        self._count_stretch()
        counted, self.counted = self.counted, 0
        return self.builder.take(entries_counted=counted, form=form, encoding=encoding)

    def read(self, part: Part) -> Iterator[Batch]:
        """Adds the records of a part, or a reject for one that is not read, and leaves `position` at its end.

        Raises:
            ReadError: `broken_json` or `too_deep`, of a document that is one record.
        """
        match part.kind:
            case "array" | "sequence" | "rows" | "keyed":
                yield from self._read_entries(part)
            case "columns":
                yield from self._read_columns(part)
            case "record":
                self._add_document(part)
            case _:
                self._add_unread(part)

    def add_rest(self, end: int) -> None:
        """Adds what follows the document as a reject."""
        rest = self.text[end:]
        if rest.strip(" \t\r\n]});\ufeff\x1e"):
            locator = f"{self.prefix}character {end + 1}"
            self.builder.reject("broken_json", "text after the end of the document", text=rest, locator=locator)
            self.counted += 1

    def _read_entries(self, part: Part) -> Iterator[Batch]:
        """The entries of an array or an object, or objects one after the other."""
        self.position = part.start + (part.kind != "sequence")
        names: frozenset[str] = frozenset()
        index = broken_count = 0
        while (entry := self._next_entry(part)) is not None:
            if entry.reason:
                broken_count += 1
                entry = self._recovered(entry, names if broken_count <= _MAX_BROKEN else None)
            elif isinstance(entry.value, dict):
                names = names or frozenset(entry.value)
            self._add_to(part, entry, index)
            index += 1
            if self.builder.is_full:
                yield self.take()
        self._count_stretch()

    def _next_entry(self, part: Part) -> Entry | None:
        """The next entry of a part, None at its end."""
        if not self.window.is_whole and part.end is None and len(self.text) - self.position < self.window.ahead_characters:
            self._count_stretch()
            self.window.advance(self.position)
            self.position = 0
        start = _after(_BETWEEN, self.text, self.position)
        if start == len(self.text) or self.text[start] in ("}" if part.kind == "keyed" else "]"):
            self.position = start
            return None
        if part.kind == "sequence" and self.text[start] == "[":
            self.position = start
            return None
        if part.kind != "keyed":
            return self._decoded(start)
        name = NAME.match(self.text, start)
        if name is None or name.end() == len(self.text):
            return Entry(start, start, None, "broken_json", "expected a name and a value")
        return self._decoded(name.end(), name_text(name["name"]))

    def _add_to(self, part: Part, entry: Entry, index: int) -> None:
        """Adds an entry of a part: as a record or a reject, or not at all where it is a header or describes the list."""
        is_apart = part.kind == "keyed" and not entry.reason and not isinstance(entry.value, (dict, list))
        is_header = part.kind == "rows" and index == 0 and entry.value == list(part.header)
        if entry.reason or is_apart or is_header:
            self._count_stretch()
        else:
            self._stretch = (self._stretch[0] if self._stretch else entry.start, entry.end)
            self._is_keyed = part.kind == "keyed"
            if part.kind == "sequence":
                self._count_stretch()  # what may stand between documents may not stand between values
        if not is_apart and not is_header:
            self.counted += bool(entry.reason)
            locator = f"document {index + 1}" if part.kind == "sequence" else f"{part.pointer}/{index}"
            if entry.key is not None:
                self._add_keyed(entry, part.pointer + pointer_step(entry.key), index)
            elif part.kind == "rows" and isinstance(entry.value, list):
                self._add_row(entry, part.header, locator)
            else:
                self._add(entry, locator)
        self.position = entry.end

    def _add(self, entry: Entry, locator: str) -> None:
        """Adds an entry as a record, or as a reject that says what is wrong with it."""
        if isinstance(entry.value, dict):
            raw_text = self.decoder.text_of(entry.value)
            self.builder.record(entry.value, locator=self.prefix + locator, context=self.context, raw_text=raw_text)
            return
        reason = entry.reason or "not_an_object"
        message = entry.message or f"expected an object, found {type(entry.value).__name__}"
        text = self.text[entry.start : entry.end] if entry.text is None else entry.text
        self.builder.reject(reason, message, text=text, locator=self.prefix + locator)

    def _add_keyed(self, entry: Entry, pointer: str, index: int) -> None:
        """Adds a record that stands under a key; a key that only numbers the rows, as pandas writes it, tells nothing."""
        if not isinstance(entry.value, dict) or entry.key == str(index) or KEY_COLUMN in entry.value:
            self._add(entry, pointer)
            return
        own, key = self.decoder.text_of(entry.value), self.decoder.write(entry.key)
        raw_text = f'{{"{KEY_COLUMN}": {key}{", " if entry.value else ""}{own[1:].lstrip(" ")}'
        context = {"source_key": json.loads(key), **self.context}
        raw = {KEY_COLUMN: entry.key, **entry.value}
        self.builder.record(raw, locator=self.prefix + without_surrogates(pointer), context=context, raw_text=raw_text)

    def _add_row(self, entry: Entry, header: tuple[str, ...], locator: str) -> None:
        """Adds a row of values under its header."""
        assert isinstance(entry.value, list)
        if len(entry.value) > len(header):
            message = f"expected {len(header)} values, as in the header, found {len(entry.value)}"
            self._add(replace(entry, value=None, reason="too_many_values", message=message), locator)
            return
        raw = dict(zip(unique_names(header), entry.value, strict=False))
        raw_text = self.decoder.write(raw)
        self.builder.record(raw, locator=self.prefix + locator, context=self.context, raw_text=raw_text)

    def _read_columns(self, part: Part) -> Iterator[Batch]:
        """The rows of a table whose columns stand one after the other; the first column tells how many rows there are."""
        value, self.position = self.decoder.decode(self.text, part.start)
        assert isinstance(value, dict)
        columns = [list(column.values()) if isinstance(column, dict) else column for column in value.values()]
        for number, row in enumerate(zip(*columns, strict=True), 1):
            raw = dict(zip(value, row, strict=True))
            raw_text = self.decoder.write(raw)
            self.builder.record(raw, locator=f"{self.prefix}row {number}", context=self.context, raw_text=raw_text)
            if self.builder.is_full:
                yield self.take()
        first = next(members(self.text, part.start))
        count = count_values(self.text, first.start + 1, (first.end or first.start) - 1)
        self.counted += count // 2 if self.text[first.start] == "{" else count

    def _add_document(self, part: Part) -> None:
        """Adds the whole document as one record.

        Raises:
            ReadError: `broken_json` or `too_deep`, of the first document of a file.
        """
        entry = self._decoded(part.start)
        if entry.reason and not self.prefix and not part.pointer:
            raise ReadError(entry.reason, entry.message)
        end = entry.end if not entry.reason else part.end or len(self.text)
        self.counted += 1 if entry.reason else count_values(self.text, part.start, end)
        self._add(replace(entry, end=end), part.pointer or "document")
        self.position = end

    def _add_unread(self, part: Part) -> None:
        """Adds a part that is not read as one reject."""
        end = len(self.text) if part.end is None else part.end
        locator = self.prefix + (without_surrogates(part.pointer) or "document")
        self.builder.reject(part.reason, part.message, text=self.text[part.start : end], locator=locator)
        self.counted += 1
        self.position = end

    def _count_stretch(self) -> None:
        """Counts the entries that were read since the last time, by their brackets and quotes alone."""
        if self._stretch:
            count = count_values(self.text, *self._stretch)
            # From the first value on, each one after it has its key before it.
            self.counted += (count + 1) // 2 if self._is_keyed else count
        self._stretch = None

    def _decoded(self, start: int, key: str | None = None) -> Entry:
        try:
            value, end = self.decoder.decode(self.text, start)
        except ReadError as error:
            return Entry(start, start, None, error.reason, str(error), key)
        if not isinstance(value, (dict, list, str)) and _WORD.match(self.text, end):
            return Entry(start, start, None, "broken_json", "a word that is no JSON value", key)
        return Entry(start, end, value, key=key)

    def _recovered(self, broken: Entry, names: frozenset[str] | None) -> Entry:
        """The entry read more leniently, or else the broken entry up to where the next one begins.

        `names` are those of the entries before; None where too many were broken to look for more.
        """
        is_container = self.text[broken.start] in "[{"
        end = value_end(self.text, broken.start) if is_container and names is not None else None
        if end is not None and broken.reason == "broken_json" and (read := leniently(self.decoder, self.text, broken, end)):
            entry, self.decoder = read
            return entry
        following = (
            None if names is None else following_entry(self.decoder, self.text, broken.start + 1, end or len(self.text), names)
        )
        if following or end or self.window.is_whole:
            return replace(broken, end=following or end or len(self.text))
        # Cut by the window, which is as long as an entry may be: the rest of it is passed over.
        text = self.text[broken.start : broken.start + REJECT_TEXT_CHARACTERS]
        self._count_stretch()
        place = self.window.skip_value(broken.start)
        message = f"an entry that does not end within limits.entry_bytes = {self.window.ahead_characters} in pipeline.toml"
        return replace(broken, end=place, reason="entry_too_long", message=message, text=text)


_WORD = re.compile(r'[^\s{}\[\]",:]')
_BETWEEN = re.compile(r"[\s,;\x1e]*+")


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where what matches at `position` ends."""
    found = pattern.match(text, position)
    return found.end() if found else position
