"""This module gathers all that a release holds on one paper: fields and origins, records, pairs, versions, earlier ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from transforms.schemas import TABLES

if TYPE_CHECKING:
    import duckdb

PAIRS_SHOWN = 20
"""How many of the pairs with records of other papers are told, the most alike first; `paperlake matches` lists all."""

_PAPER = "select * from papers where paper_id = $paper_id"

_RECORDS = """
    select
        r.record_id,
        r.record_key,
        r.file_sha256,
        f.file_name,
        f.source,
        r.locator,
        r.source_key,
        r.raw
    from records as r
    join raw_files as f using (file_sha256)
    where r.paper_id = $paper_id
    order by
        f.file_name,
        r.file_sha256,
        r.ordinal
"""

_COLUMNS = """
    select
        file_sha256,
        column_name,
        field
    from column_map
    where
        field is not null
        and file_sha256 in (select file_sha256 from records where paper_id = $paper_id)
    order by
        file_sha256,
        position
"""

_ORIGINS = """
    select
        field,
        record_id
    from field_origins
    where paper_id = $paper_id
    order by field
"""

_NOTES = """
    select
        record_id,
        field,
        note,
        value
    from record_notes
    where record_id in (select record_id from records where paper_id = $paper_id)
    order by
        record_id,
        field,
        note
"""

_IDENTIFIERS = """
    select
        scheme,
        value
    from identifiers
    where paper_id = $paper_id
    order by
        scheme,
        value
"""

_LINKS = """
    select
        kind,
        url
    from links
    where paper_id = $paper_id
    order by
        kind,
        url
"""

_PAIRS = """
    with
        own as (
            select distinct record_key
            from records
            where paper_id = $paper_id
        ),
        pairs as (
            select
                m.*,
                m.record_key_l in (from own) as has_l,
                m.record_key_r in (from own) as has_r
            from paper_matches as m
            where
                m.record_key_l in (from own)
                or m.record_key_r in (from own)
        ),
        others as (
            select
                record_key,
                any_value(paper_id) as paper_id
            from records
            where record_key in (select if(has_l, record_key_r, record_key_l) from pairs where not (has_l and has_r))
            group by record_key
        )
    select
        q.record_key_l,
        q.record_key_r,
        q.status,
        q.reason,
        q.relation,
        q.title_ratio,
        q.abstract_ratio,
        q.authors_shared_count,
        q.has_l,
        q.has_r,
        o.paper_id as other_paper_id,
        p.title as other_title
    from pairs as q
    left join others as o
        on o.record_key = if(q.has_l, q.record_key_r, q.record_key_l)
        and not (q.has_l and q.has_r)
    left join papers as p on p.paper_id = o.paper_id
    order by
        (q.has_l and q.has_r) desc,
        coalesce(q.title_ratio, 0) + coalesce(q.abstract_ratio, 0) desc,
        q.record_key_l,
        q.record_key_r
"""

_VERSIONS = """
    with related as (
        select
            other_paper_id as paper_id,
            relation
        from paper_relations
        where paper_id = $paper_id
    )
    select
        p.paper_id,
        r.relation,
        p.title,
        p.venue,
        p.year
    from papers as p
    left join related as r on r.paper_id = p.paper_id
    where
        p.paper_id <> $paper_id
        and (r.paper_id is not null or p.work_id = $work_id)
    order by
        p.year nulls last,
        p.paper_id,
        r.relation
"""

_ALIASES = """
    select
        paper_id,
        reason
    from paper_aliases
    where current_paper_id = $paper_id
    order by paper_id
"""

_GONE = """
    select reason
    from paper_aliases
    where
        paper_id = $paper_id
        and current_paper_id is null
"""


@dataclass(frozen=True, slots=True)
class PaperPage:
    """What a release holds on one paper, as rows of plain values by the names of their columns.

    `columns` are those of the paper's files that fill a field, by file. `pairs` are all that compare two of its records, and
    `other_pairs` the first of those with a record of another paper, of which there are `other_pair_count`.
    """

    paper: dict[str, Any]
    records: list[dict[str, Any]]
    columns: Mapping[str, list[tuple[str, str]]]
    origins: Mapping[str, str]
    notes: list[dict[str, Any]]
    identifiers: list[dict[str, Any]]
    links: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    other_pairs: list[dict[str, Any]]
    other_pair_count: int
    versions: list[dict[str, Any]]
    aliases: list[dict[str, Any]]


def is_gone(connection: duckdb.DuckDBPyConnection, paper_id: str) -> bool:
    """Whether the id was a paper's once, none of whose records is in the release now."""
    return bool(connection.execute(_GONE, {"paper_id": paper_id}).fetchall())


def paper_page(connection: duckdb.DuckDBPyConnection, paper_id: str) -> PaperPage:
    """All that the release holds on a paper that is in it; a column that an older release lacks is null."""

    def ask(query: str, **more: object) -> list[dict[str, Any]]:
        connection.execute(query, {"paper_id": paper_id, **more})
        names = [str(column[0]) for column in connection.description or []]
        return [dict(zip(names, row, strict=True)) for row in connection.fetchall()]

    (paper,) = ask(_PAPER)
    paper = dict.fromkeys(TABLES["papers"].column_names()) | paper
    columns: dict[str, list[tuple[str, str]]] = {}
    for row in ask(_COLUMNS):
        columns.setdefault(row["file_sha256"], []).append((row["column_name"], row["field"]))
    pairs = ask(_PAIRS)
    others = [pair for pair in pairs if not (pair["has_l"] and pair["has_r"])]
    return PaperPage(
        paper=paper,
        records=ask(_RECORDS),
        columns=columns,
        origins={row["field"]: row["record_id"] for row in ask(_ORIGINS)},
        notes=ask(_NOTES),
        identifiers=ask(_IDENTIFIERS),
        links=ask(_LINKS),
        pairs=[pair for pair in pairs if pair["has_l"] and pair["has_r"]],
        other_pairs=others[:PAIRS_SHOWN],
        other_pair_count=len(others),
        versions=ask(_VERSIONS, work_id=paper["work_id"]),
        aliases=ask(_ALIASES),
    )
