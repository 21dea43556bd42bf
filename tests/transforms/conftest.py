"""What the tests of readers share: content in, what is staged of it out, its account proven on the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl
import pytest

from transforms.readers.base import RawFile, Reader
from transforms.readers.limits import ReadLimits
from transforms.readers.registry import SNIFF_FAILED, Choice, sniff
from transforms.staging import FileFacts, StagedFrames, stage_file


@dataclass(frozen=True)
class Staged:
    """What was staged of some content."""

    content: bytes
    records: pl.DataFrame
    rejects: pl.DataFrame
    furniture: pl.DataFrame
    column_map: pl.DataFrame
    facts: FileFacts

    @property
    def raw(self) -> list[dict]:
        """The raw columns of each record."""
        return [json.loads(raw) for raw in self.records["raw"]]

    @property
    def fields(self) -> list[dict]:
        """The filled fields of each record, without its place and its raw text."""
        places = ("ordinal", "locator", "span_start", "span_end", "raw")
        rows = self.records.drop(places).to_dicts()
        return [{name: value for name, value in row.items() if value is not None} for row in rows]

    @property
    def reasons(self) -> list[str]:
        """The reason of each reject."""
        return self.rejects["reason"].to_list()

    @property
    def kinds(self) -> list[str]:
        """The kind of each piece of furniture."""
        return self.furniture["kind"].to_list()

    def text_of(self, frame: pl.DataFrame) -> list[bytes]:
        """The bytes that each row of a frame spans."""
        return [self.content[start:end] for start, end in frame.select("span_start", "span_end").rows()]

    def check_account(self) -> None:
        """Asserts that nothing is lost: disjoint spans that cover the content, or as many entries as were counted."""
        assert self.facts.content_bytes == len(self.content)
        assert self.facts.records == self.records.height
        if not self.facts.has_spans:
            assert self.facts.entries_counted == self.records.height + self.rejects.height + self.facts.entries_joined
            return
        tables = (self.records, self.rejects, self.furniture)
        spans = sorted(span for table in tables for span in table.select("span_start", "span_end").rows())
        edges = [0, *(end for _, end in spans)]
        assert [start for start, _ in spans] == edges[:-1], "spans leave a gap or overlap"
        assert edges[-1] == len(self.content), "spans do not cover the file"


Stage = Callable[..., Staged]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """`stage(content, limits=…, columns=…)`: what is staged of a file with this content, its account proven.

    The reader is the one that is surest of it, or the one given as `reader`.
    """
    path = tmp_path_factory.mktemp("staged") / "raw"

    def stage_content(
        content: bytes | str,
        *,
        limits: ReadLimits | None = None,
        columns: Mapping[str, str] | None = None,
        reader: Reader | None = None,
    ) -> Staged:
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        frames = StagedFrames()
        raw_file = RawFile(path, len(data), limits or ReadLimits(), columns or {})
        choice = sniff(raw_file) if reader is None else Choice(reader, 1.0, "recognised", "as the test says")
        assert not [candidate for candidate in choice.candidates if candidate.reason.startswith(SNIFF_FAILED)]
        facts = stage_file(raw_file, frames, choice)
        names = ("records", "rejects", "furniture", "column_map")
        staged = Staged(data, *(frames.frame(name) for name in names), facts)
        staged.check_account()
        return staged

    return stage_content
