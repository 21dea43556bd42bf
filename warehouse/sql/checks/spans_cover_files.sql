-- severity: error
-- meaning: the spans of records, rejects and furniture overlap, or leave bytes of their file out
-- grain: one row a raw file and place where a span does not begin where the one before it ended
with
    spanned_files as (
        select
            file_sha256,
            size_bytes
        from ledger
        where bytes_records is not null
    ),
    spans as (
        select file_sha256, span_start, span_end, 'records' as table_name from records
        union all
        select file_sha256, span_start, span_end, 'rejects' as table_name from rejects
        union all
        select file_sha256, span_start, span_end, 'furniture' as table_name from furniture
        union all
        select file_sha256, size_bytes, size_bytes, 'end of file' as table_name from spanned_files
    ),
    neighbours as (
        select
            file_sha256,
            table_name,
            coalesce(
                lag(span_end) over (
                    partition by file_sha256
                    order by span_start, span_end, table_name = 'end of file'
                ),
                0
            ) as expected_start,
            span_start,
            span_end
        from spans
        semi join spanned_files using (file_sha256)
        where span_start is not null
    )
select
    file_sha256,
    table_name,
    expected_start,
    span_start,
    span_end
from neighbours
where
    span_start <> expected_start
    or span_end < span_start
order by
    file_sha256,
    span_start
