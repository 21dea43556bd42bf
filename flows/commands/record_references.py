"""This module finds the record or paper that a person means: by record key, record id or paper id, or the start of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flows.commands.read_commands import answer
from flows.settings import ConfigError
from transforms.schemas import PaperlakeError

_RECORD_KEY = re.compile(r"(k[0-9a-f]{0,24})(#[0-9]+)?")
_RECORD_ID = re.compile(r"([0-9a-f]{4,64}):([0-9]+)")
_PAPER_ID = re.compile(r"p[0-9a-f]{0,16}")
_LEAST_CHARACTERS = 4
_CHOICES = 5

_MEANT = """
    with meant as (
        select distinct
            r.record_key,
            r.paper_id
        from records as r
        where {condition}
    )
    select
        m.record_key,
        m.paper_id,
        p.title,
        p.record_count
    from meant as m
    join papers as p using (paper_id)
    order by m.record_key
    limit $most
"""

_BY_KEY = "starts_with(r.record_key, $start) and regexp_replace(r.record_key, '^[^#]*', '') = $suffix"
_BY_ID = "starts_with(r.file_sha256, $start) and r.ordinal = $ordinal"
_BY_PAPER = "r.paper_id = $paper_id"


@dataclass(frozen=True, slots=True)
class Meant:
    """A record of the current release that a person means, with its paper; `is_paper` where the paper was named."""

    record_key: str
    paper_id: str
    title: str | None
    record_count: int
    is_paper: bool = False


def short_key(record_key: str) -> str:
    """The first digits of a record key, enough to mean it: among a million records two share them with a chance of one in 560.

    >>> short_key("k4baa1fddc522073a7a01976e#2")
    'k4baa1fddc522#2'
    """
    digits, mark, number = record_key.partition("#")
    return f"{digits[:13]}{mark}{number}"


def find_record(given: str, lake_path: Path | None) -> Meant:
    """The record that `given` means; of a paper the one with the least record key.

    Raises:
        ConfigError: it has the form of no key or id, or means several.
        PaperlakeError: there is nothing of that name in the current release.
    """
    given = given.strip().lower()  # as it comes out of a spreadsheet
    if key := _RECORD_KEY.fullmatch(given):
        return _only(given, _records(_BY_KEY, lake_path, {"start": _long_enough(key[1]), "suffix": key[2] or ""}))
    if record_id := _RECORD_ID.fullmatch(given):
        return _only(given, _records(_BY_ID, lake_path, {"start": record_id[1], "ordinal": int(record_id[2])}))
    if _PAPER_ID.fullmatch(given):
        least, *_ = _records(_BY_PAPER, lake_path, {"paper_id": find_paper(given, lake_path)})
        return Meant(least.record_key, least.paper_id, least.title, least.record_count, is_paper=True)
    raise ConfigError(
        f"'{given}' is no record or paper: expected a record key (k…) or paper id (p…), or its first {_LEAST_CHARACTERS} "
        "characters or more, or a record id (hash of the file, a colon, the ordinal); `paperlake matches` shows them"
    )


def find_paper(given: str, lake_path: Path | None, *, at: str | None = None) -> str:
    """The id of the paper that `given` means: a paper id or its first characters, or one that leads to a paper of the release.

    Raises:
        ConfigError: it has not the form of a paper id, or means several.
        PaperlakeError: there is no such paper.
    """
    if not _PAPER_ID.fullmatch(given):
        raise ConfigError(f"'{given}' is no paper id: expected p and 16 hexadecimal digits, or the first of them")
    query = """
        select paper_id, paper_id as current_paper_id from papers where starts_with(paper_id, $start)
        union all
        select paper_id, current_paper_id from paper_aliases where starts_with(paper_id, $start)
        order by paper_id
        limit $most
    """
    with answer(query, lake_path, at=at, parameters={"start": _long_enough(given), "most": _CHOICES + 1}) as result:
        rows = [(str(row[0]), row[1]) for row in result.rows()]
    current = {paper_id for _, paper_id in rows}
    if not rows:
        release = "the current release" if at is None else "that release"
        raise PaperlakeError(f"there is no paper '{given}' in {release}, and there was none")
    if current == {None}:
        raise PaperlakeError(f"the paper {rows[0][0]} is gone: none of its records is in the current release")
    if len(current) > 1:
        raise ConfigError(
            f"'{given}' means several papers: {_listed([paper_id for paper_id, _ in rows])}; give more of its digits"
        )
    return str(current.pop())


def _records(condition: str, lake_path: Path | None, parameters: Mapping[str, object]) -> list[Meant]:
    query = _MEANT.format(condition=condition)
    with answer(query, lake_path, parameters={**parameters, "most": _CHOICES + 1}) as result:
        return [
            Meant(str(key), str(paper_id), None if title is None else str(title), int(str(count)))
            for key, paper_id, title, count in result.rows()
        ]


def _only(given: str, found: list[Meant]) -> Meant:
    if not found:
        raise PaperlakeError(f"there is no record '{given}' in the current release; `paperlake matches` shows those of pairs")
    if len(found) > 1:
        raise ConfigError(
            f"'{given}' means several records: {_listed([each.record_key for each in found])}; give more of its digits"
        )
    return found[0]


def _long_enough(start: str) -> str:
    if len(start) < _LEAST_CHARACTERS:
        raise ConfigError(f"'{start}' is too short: give {_LEAST_CHARACTERS} characters or more")
    return start


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_CHOICES]) + (", …" if len(names) > _CHOICES else "")
