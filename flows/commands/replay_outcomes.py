"""This module tells what became of raw files that were read again: of each reject, and of each file's records and columns.

It compares two releases, in DuckDB. A raw file is the same in both by its SHA-256, a place in it by its span of bytes, where
its format has spans, else by its locator. The release after is the one queried; that before stands in the schema `before`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

OUTCOMES: Mapping[str, str] = {
    "record": "a record now",
    "partly_record": "a record in part, rejected in part",
    "same_reason": "rejected as before",
    "other_reason": "rejected for another reason",
    "furniture": "no paper: a heading, separator or the like",
    "not_found": "not found at its place (its row may be part of another record now, or the file is read in another way)",
    "file_gone": "gone with its file",
}
"""What may become of a reject, in words, in the order in which they are told."""

_PLACES_SQL = """
    meant as (
        select row_number() over (order by f.file_name, r.file_sha256, r.span_start, r.locator, r.message) as reject_number,
            (dense_rank() over (order by r.file_sha256)) * 17592186044416 as file_offset,
            f.source, f.file_name, f.verdict <> 'read' as is_whole_file, r.*
        from before.rejects r
        join before.raw_files f using (file_sha256)
        where r.reason = $reason and r.file_sha256 in (select unnest($files::varchar[]))
    ),
    places as (
        select file_sha256, span_start, span_end, locator, 'record' as kind, null as reason, paper_id
        from records
        union all
        select file_sha256, span_start, span_end, locator, 'reject', reason, null
        from rejects
        union all
        select file_sha256, span_start, span_end, null, 'furniture', null, null
        from furniture
    ),
    near as (
        select p.*, f.verdict <> 'read' as is_whole_file, m.file_offset
        from places p
        join raw_files f using (file_sha256)
        join (select distinct file_sha256, file_offset from meant) m using (file_sha256)
    ),
    -- Spans as ranges of one line of all files, of which none has 2^44 bytes; an empty span counts as its first byte.
    meant_spans as (
        select reject_number, file_offset + span_start as lo, file_offset + greatest(span_end, span_start + 1) as hi
        from meant
        where not is_whole_file and span_start is not null
    ),
    spans as (
        select row_number() over (order by file_offset, span_start, span_end) as span_number,
            file_offset + span_start as lo,
            file_offset + greatest(span_end, span_start + 1) as hi,
            kind, reason, paper_id
        from near
        where not is_whole_file and span_start is not null
    ),
    -- As the spans of a release do not overlap, those that share a byte with a range stand in a row, from the last that begins
    -- before it to the last that begins in it. (All pairs of 12,000 rejects and 60,000 spans of one file took 10 s.)
    first_spans as (
        select m.reject_number, m.lo, m.hi, coalesce(s.span_number, 1) as first_number
        from meant_spans m
        asof left join spans s on m.lo >= s.lo
    ),
    span_rows as (
        select m.reject_number, m.lo, m.hi, unnest(range(m.first_number, s.span_number + 1)) as span_number
        from first_spans m
        asof join spans s on m.hi > s.lo
    ),
    shared_spans as (
        select m.reject_number, s.kind, s.reason, s.paper_id
        from span_rows m
        join spans s using (span_number)
        where s.hi > m.lo
    ),
    found as (
        -- All of the file was refused, before or now.
        select m.reject_number, p.kind, p.reason, p.paper_id
        from meant m
        join near p using (file_sha256)
        where m.is_whole_file and (p.kind <> 'furniture' or p.is_whole_file)
        union all
        select m.reject_number, p.kind, p.reason, p.paper_id
        from meant m
        join near p using (file_sha256)
        where not m.is_whole_file and p.is_whole_file
        union all
        -- Spans that share a byte.
        select reject_number, kind, reason, paper_id
        from shared_spans
        union all
        -- No spans: the same locator.
        select m.reject_number, p.kind, p.reason, p.paper_id
        from meant m
        join near p using (file_sha256, locator)
        where not (m.is_whole_file or p.is_whole_file) and (m.span_start is null or p.span_start is null)
        union all
        -- What was a part of a file that could not be read, such as a sheet, is its rows now.
        select m.reject_number, p.kind, p.reason, p.paper_id
        from meant m
        join near p
            on m.file_sha256 = p.file_sha256
            and starts_with(p.locator, regexp_replace(m.locator, '^table ', ''))
        where not (m.is_whole_file or p.is_whole_file)
            and m.reason = 'unread_part'
            and m.span_start is null
            and p.locator <> m.locator
            and substr(p.locator, length(regexp_replace(m.locator, '^table ', '')) + 1, 1) in (' ', '/')
    )
"""

REJECTS_SQL = f"""
    -- One row a reject of the release before: what stands at its place in the release after.
    with
    {_PLACES_SQL},
    told as (
        select reject_number,
            count(*) filter (kind = 'record') as record_count,
            count(*) filter (kind = 'reject') as reject_count,
            count(*) filter (kind = 'furniture') as furniture_count,
            bool_or(kind = 'reject' and reason = $reason) as has_same_reason,
            list(distinct reason order by reason) filter (kind = 'reject' and reason <> $reason) as other_reasons,
            min(paper_id) as paper_id
        from found
        group by reject_number
    )
    select
        case
            when a.file_sha256 is null then 'file_gone'
            when t.record_count > 0 and t.reject_count > 0 then 'partly_record'
            when t.record_count > 0 then 'record'
            when t.has_same_reason then 'same_reason'
            when t.reject_count > 0 then 'other_reason'
            when t.furniture_count > 0 then 'furniture'
            else 'not_found'
        end as outcome,
        m.source,
        m.file_name,
        m.locator,
        m.reason,
        array_to_string(t.other_reasons, ', ') as other_reason,
        coalesce(t.record_count, 0) as record_count,
        t.paper_id,
        p.title,
        m.message as message_before,
        m.file_sha256,
        m.span_start,
        m.span_end
    from meant m
    left join told t using (reject_number)
    left join raw_files a using (file_sha256)
    left join papers p on p.paper_id = t.paper_id
    order by m.reject_number
"""

FILES_SQL = """
    -- One row a raw file that was read again and is told differently now: its reader, records, rejects and columns.
    with
    refused_before as (
        select file_sha256, count(*) as rejects
        from before.rejects
        group by file_sha256
    ),
    refused as (
        select file_sha256, count(*) as rejects
        from rejects
        group by file_sha256
    ),
    filled_before as (
        select file_sha256, column_name, min(position) as position,
            string_agg(coalesce(field, 'in raw only'), ' + ' order by field) as fields
        from before.column_map
        group by file_sha256, column_name
    ),
    filled as (
        select file_sha256, column_name, min(position) as position,
            string_agg(coalesce(field, 'in raw only'), ' + ' order by field) as fields
        from column_map
        group by file_sha256, column_name
    ),
    columns_moved as (
        select file_sha256,
            list(
                column_name || ': ' || coalesce(b.fields, 'new') || ' → ' || coalesce(a.fields, 'gone')
                order by coalesce(a.position, b.position), column_name
            ) as moved
        from filled a
        full join filled_before b using (file_sha256, column_name)
        where a.fields is distinct from b.fields
        group by file_sha256
    ),
    compared as (
        select coalesce(a.source, b.source) as source,
            coalesce(a.file_name, b.file_name) as file_name,
            coalesce(b.reader, b.verdict) as reader_before,
            coalesce(a.reader, a.verdict) as reader_after,
            m.records_clean as records_before,
            n.records_clean as records_after,
            case when b.file_sha256 is not null then coalesce(r.rejects, 0) end as rejects_before,
            case when a.file_sha256 is not null then coalesce(s.rejects, 0) end as rejects_after,
            coalesce(c.moved, []) as columns_changed,
            file_sha256
        from raw_files a
        full join before.raw_files b using (file_sha256)
        left join ledger n using (file_sha256)
        left join before.ledger m using (file_sha256)
        left join refused s using (file_sha256)
        left join refused_before r using (file_sha256)
        left join columns_moved c using (file_sha256)
        where file_sha256 in (select unnest($files::varchar[]))
    )
    select *
    from compared
    where reader_before is distinct from reader_after
        or records_before is distinct from records_after
        or rejects_before is distinct from rejects_after
        or columns_changed <> []
    order by file_name, file_sha256
"""


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be said of a replay: columns and their types as DuckDB names them, and rows."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def rejects_again(lake_path: Path | None, before: str, after: str, reason: str, files: Sequence[str]) -> Told:
    """One row a reject with this reason that these raw files had in the release `before`, and what it is in `after`."""
    return _told(REJECTS_SQL, lake_path, before, after, {"reason": reason, "files": list(files)})


def files_again(lake_path: Path | None, before: str, after: str, files: Sequence[str]) -> Told:
    """One row a raw file of these whose reader, records, rejects or columns differ between the two releases."""
    return _told(FILES_SQL, lake_path, before, after, {"files": list(files)})


def _told(sql: str, lake_path: Path | None, before: str, after: str, parameters: Mapping[str, object]) -> Told:
    from flows.commands.read_commands import answer

    beside = {"before": before}
    with answer(sql, lake_path, at=after, beside=beside, parameters=parameters, caps_memory=False) as result:
        return Told(tuple(result.columns), tuple(result.types), tuple(tuple(row) for row in result.rows()))
