"""This module holds the part of a long text that is being read: a window that moves on over its file."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from transforms.readers.base import RawFile, ReadError
from transforms.readers.decoding import Encoding

WINDOW_BYTES = 32 * 2**20
"""How much is read at once. A smaller file is held whole."""

_MARK = re.compile(r'["{}\[\]]|\\.', re.DOTALL)


class Window:
    """The text of a file from some place on, as much of it as was read; `is_whole` where the rest of the file is there."""

    def __init__(self, file: BinaryIO, raw_file: RawFile, encoding: Encoding) -> None:
        self._file, self._raw_file = file, raw_file
        self._decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
        self.ahead_characters = raw_file.limits.entry_bytes
        self.text, self.is_whole = "", False
        file.seek(encoding.mark_bytes)
        self.advance(0)

    def advance(self, position: int) -> None:
        """Drops the text before `position`, and reads more."""
        block = self._file.read(WINDOW_BYTES)
        self.is_whole = self._file.tell() >= self._raw_file.size_bytes or not block
        self.text = self.text[position:] + self._decoder.decode(block, self.is_whole)

    def read_all(self) -> None:
        """Reads the rest of the file.

        Raises:
            ReadError: `document_too_large`.
        """
        limit = self._raw_file.limits.document_bytes
        if self._raw_file.size_bytes > limit:
            raise ReadError(
                "document_too_large",
                f"{self._raw_file.size_bytes} bytes of JSON that is no array or object of records, and so is read whole: more "
                f"than limits.document_bytes = {limit} in pipeline.toml",
            )
        while not self.is_whole:
            self.advance(0)

    def skip_value(self, start: int) -> int:
        """Moves on over the container that begins at `start`; where in the text it ends then."""
        depth, in_string, position = 0, False, start
        while True:
            for mark in _MARK.finditer(self.text, position):
                position, kind = mark.end(), mark.group()
                if kind == '"':
                    in_string = not in_string
                elif not in_string and kind in "{[":
                    depth += 1
                elif not in_string and kind in "}]":
                    depth -= 1
                    if depth == 0:
                        return position
            if self.is_whole:
                return len(self.text)
            # A backslash at the end goes with the character after it.
            self.advance(len(self.text) - (position < len(self.text) and self.text.endswith("\\")))
            position = 0
