"""This module reads one raw file, or what is compressed in it, wherever it lies: in the lake or not landed at all."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from flows.settings import Settings, SourceSettings
from transforms.readers.base import RawFile
from transforms.readers.registry import Candidate, sniff
from transforms.staging import FileFacts, Sink, reject_file, stage_file
from warehouse.archives import content_of
from warehouse.unpacking import UnpackError


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a raw file turned out to be: its facts, how it was compressed, and the readers that looked at it, surest first."""

    facts: FileFacts
    compression: str | None
    sniffed: str
    candidates: tuple[Candidate, ...]


def read_raw_file(path: Path, settings: Settings, source: SourceSettings, sink: Sink, folder: Path) -> ReadFile:
    """Stages the file at `path` into `sink`, as one of `source`.

    What is compressed is taken out into a temporary file in `folder`.

    Raises:
        OSError: the file cannot be read now, or the temporary one not written.
    """
    try:
        with content_of(path, settings.unpack_limits(), folder) as content:
            raw_file = RawFile(content.path, content.size_bytes, settings.read_limits(), source.columns)
            choice = sniff(raw_file)
            facts = stage_file(raw_file, sink, choice)
            message = "; ".join(filter(None, (content.note, facts.message))) or None
            return ReadFile(dataclasses.replace(facts, message=message), content.compression, choice.message, choice.candidates)
    except UnpackError as error:
        facts = reject_file(RawFile(path, path.stat().st_size), sink, error.reason, str(error))
        return ReadFile(dataclasses.replace(facts, verdict="unreadable"), None, str(error), ())
