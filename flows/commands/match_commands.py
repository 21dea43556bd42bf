"""This module is `paperlake matches`: pairs of records with both sides beside each other, those most worth a look first."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.commands.read_commands import answer
from flows.commands.record_references import find_paper, short_key
from flows.commands.record_values import Column, record_values
from flows.settings import ConfigError
from transforms.schemas import PaperlakeError
from warehouse.names import did_you_mean
from warehouse.row_formats import Format, write_rows

if TYPE_CHECKING:
    from rich.table import Table

_SIDES = ("l", "r")
_OF_PAIR = ("status", "reason", "relation", "title_ratio", "abstract_ratio", "authors_shared_count", "blocking_rules")
_OF_SIDE = (
    "record_key",
    "paper_id",
    "title",
    "authors",
    "venue",
    "year",
    "volume",
    "number",
    "pages",
    "identifiers",
    "abstract",
    "file",
)
_COLUMNS = (*_OF_PAIR, *(f"{name}_{side}" for name in _OF_SIDE for side in _SIDES))
_TYPES = [{"title_ratio": "DOUBLE", "abstract_ratio": "DOUBLE"}.get(name, "VARCHAR") for name in _COLUMNS]

_ABSTRACT_CHARACTERS = 200
_CELL_CHARACTERS = 400

_PAIRS = """
    with
        papers_of as (
            select
                record_key,
                any_value(paper_id) as paper_id
            from records
            group by record_key
        ),
        pairs as (
            select
                m.*,
                l.paper_id as paper_id_l,
                r.paper_id as paper_id_r,
                coalesce(m.title_ratio, 0.5) + coalesce(m.abstract_ratio, 0.5)
                    + coalesce(least(m.authors_shared_count, 1), 0.5) as closeness
            from paper_matches as m
            join papers_of as l on l.record_key = m.record_key_l
            join papers_of as r on r.record_key = m.record_key_r
            where
                ($status is null or m.status = $status)
                and ($reason is null or m.reason = $reason)
                and ($paper_id is null or $paper_id in (l.paper_id, r.paper_id))
        ),
        placed as (
            select
                *,
                row_number() over (
                    order by
                        starts_with(reason, 'decided_'),
                        status = 'match',
                        if(status = 'match', closeness, -closeness),
                        record_key_l,
                        record_key_r
                ) as place
            from pairs
            qualify place <= $most
        ),
        sides as (
            select
                r.record_key,
                arg_min(r.record_id, r.record_id) as record_id
            from records as r
            semi join (
                select record_key_l as record_key from placed
                union
                select record_key_r from placed
            ) as s on s.record_key = r.record_key
            group by r.record_key
        ),
        told as (
            select
                s.record_key,
                {
                    raw: r.raw,
                    file_sha256: r.file_sha256,
                    file: f.file_name || ', ' || r.locator,
                    is_alone: p.record_count = 1,
                    title: p.title,
                    authors: list_aggregate(p.authors, 'string_agg', '; '),
                    venue: p.venue,
                    year: cast(p.year as varchar),
                    volume: p.volume,
                    number: p.number,
                    pages: p.pages,
                    abstract: left(p.abstract, 1000)
                } as side
            from sides as s
            join records as r on r.record_id = s.record_id
            join papers as p on p.paper_id = r.paper_id
            join raw_files as f on f.file_sha256 = r.file_sha256
        )
    select
        q.status,
        q.reason,
        q.relation,
        q.title_ratio,
        q.abstract_ratio,
        q.authors_shared_count,
        q.blocking_rules,
        q.record_key_l,
        q.record_key_r,
        q.paper_id_l,
        q.paper_id_r,
        l.side as side_l,
        r.side as side_r
    from placed as q
    join told as l on l.record_key = q.record_key_l
    join told as r on r.record_key = q.record_key_r
    order by q.place
"""


@dataclass(frozen=True, slots=True)
class MatchesRequest:
    """What the command line asks for: of which status, reason and paper, and how many pairs at most (0: all)."""

    status: str | None = None
    possible: bool = False
    reason: str | None = None
    paper: str | None = None
    limit: int = 20


def print_matches(request: MatchesRequest, lake_path: Path | None, format: Format, *, at: str | None = None) -> int:
    """Prints pairs of records of a release, each with both sides.

    Those a person decided on stand last; of the others matches stand last, the least alike first, and before them what is no
    match, the most alike first.

    Raises:
        ConfigError: `possible` is given with another status, or the limit is negative.
        PaperlakeError: no pair has that reason, or there is no such paper.
    """
    if request.possible and request.status not in (None, "possible"):
        raise ConfigError(f"--possible and --status {request.status} exclude each other")
    if request.limit < 0:
        raise ConfigError(f"--limit {request.limit}: expected a number of pairs, 0 for all")
    parameters = {
        "status": "possible" if request.possible else request.status,
        "reason": request.reason,
        "paper_id": find_paper(request.paper, lake_path, at=at) if request.paper else None,
    }
    count = _count(parameters, lake_path, at)
    if not count and request.reason is not None:
        _refuse_unknown_reason(request.reason, lake_path, at)
    most = request.limit or max(count, 1)
    columns = _columns_of_files(lake_path, at)
    with answer(_PAIRS, lake_path, at=at, parameters={**parameters, "most": most}) as result:
        pairs = (_pair(dict(zip(result.columns, row, strict=True)), columns) for batch in result.batches() for row in batch)
        if format == "table":
            _print_blocks(pairs, count, most)
        else:
            rows = ([pair[name] for name in _COLUMNS] for pair in pairs)
            write_rows(_COLUMNS, _TYPES, ([row] for row in rows), format, sys.stdout)
    return 0


def _count(parameters: Mapping[str, object], lake_path: Path | None, at: str | None) -> int:
    """How many pairs there are of that kind."""
    query = """
        select count(*)
        from paper_matches
        where
            ($status is null or status = $status)
            and ($reason is null or reason = $reason)
            and (
                $paper_id is null
                or record_key_l in (select record_key from records where paper_id = $paper_id)
                or record_key_r in (select record_key from records where paper_id = $paper_id)
            )
    """
    with answer(query, lake_path, at=at, parameters=parameters) as result:
        return int(str(result.rows()[0][0]))


def _refuse_unknown_reason(reason: str, lake_path: Path | None, at: str | None) -> None:
    with answer("select distinct reason from paper_matches order by reason", lake_path, at=at) as result:
        reasons = [str(row[0]) for row in result.rows()]
    if reason in reasons:
        return
    hint = did_you_mean(reason, reasons, f"reasons are: {', '.join(reasons) or 'none'}")
    raise PaperlakeError(f"no pair has the reason '{reason}'; {hint}")


def _columns_of_files(lake_path: Path | None, at: str | None) -> dict[str, list[Column]]:
    """The columns of each file that fill a field."""
    query = "select file_sha256, column_name, field from column_map where field is not null order by file_sha256, position"
    columns: dict[str, list[Column]] = {}
    with answer(query, lake_path, at=at) as result:
        for file_sha256, name, field in result.rows():
            columns.setdefault(str(file_sha256), []).append((str(name), str(field)))
    return columns


def _pair(row: dict[str, Any], columns: Mapping[str, Sequence[Column]]) -> dict[str, Any]:
    """The values of `_COLUMNS`: of each side what its record says, or its paper, if that has no other record."""
    pair = dict(row)
    for side in _SIDES:
        told = pair.pop(f"side_{side}")
        values = record_values(told["raw"], columns.get(told["file_sha256"], ()))
        for name, text in values.items():
            pair[f"{name}_{side}"] = text or (told.get(name) if told["is_alone"] else None) or None
        abstract = pair[f"abstract_{side}"] or ""
        pair[f"abstract_{side}"] = _shortened(abstract, _ABSTRACT_CHARACTERS) or None
        pair[f"file_{side}"] = told["file"]
    return pair


def _print_blocks(pairs: Iterator[dict[str, Any]], count: int, most: int) -> None:
    """Prints each pair as a heading and its two records side by side."""
    from rich.text import Text

    from warehouse.row_tables import plain_console, printable

    console = plain_console(sys.stdout)
    for number, pair in enumerate(pairs, start=1):
        with console.capture() as capture:
            console.print(Text(printable(f"{number}. {_heading(pair)}"), style="bold"))
            console.print(_side_by_side(pair))
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()) + "\n")
    shown = min(count, most)
    more = "" if shown == count else f"the first {shown:,} of "
    print(f"{more}{count:,} pair{'' if count == 1 else 's'}" + ("; --limit 0 gives all" if more else ""))


def _heading(pair: Mapping[str, Any]) -> str:
    """What matching says of a pair, in a line."""
    figures = [
        f"{what} {pair[name]:.2f}"
        for what, name in (("titles", "title_ratio"), ("abstracts", "abstract_ratio"))
        if pair[name] is not None
    ]
    if pair["authors_shared_count"] is not None:
        count = pair["authors_shared_count"]
        figures.append(f"{count} family name{'' if count == 1 else 's'} shared")
    relation = f", {pair['relation']}" if pair["relation"] else ""
    by = f"proposed by {', '.join(pair['blocking_rules'])}"
    return f"{pair['status']}: {pair['reason']}{relation} ({'; '.join([*figures, by])})"


def _side_by_side(pair: Mapping[str, Any]) -> Table:
    from rich.table import Table
    from rich.text import Text

    from warehouse.row_tables import printable

    table = Table(show_header=False, box=None, pad_edge=False, expand=True)
    table.add_column(style="dim", no_wrap=True, width=13)
    table.add_column(overflow="fold", ratio=1)
    table.add_column(overflow="fold", ratio=1)
    for name in _OF_SIDE:
        cells = [short_key(pair[f"{name}_{side}"]) if name == "record_key" else pair[f"{name}_{side}"] for side in _SIDES]
        if any(cells):
            shown = (Text(printable(_shortened(cell or "-", _CELL_CHARACTERS))) for cell in cells)
            table.add_row(f"  {name.removesuffix('_id')}".replace("record_key", "record"), *shown)
    return table


def _shortened(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}…"
