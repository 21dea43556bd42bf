-- severity: error
-- meaning: the ledger's figures are not those of the tables, or a raw file has no line in it
-- grain: one row a raw file and figure that differs
with
    clean as (
        select
            file_sha256,
            count(*) as row_count,
            sum(span_end - span_start) as span_bytes
        from records
        group by file_sha256
    ),
    refused as (
        select
            file_sha256,
            count(record_id) as record_count,
            count(*) - count(record_id) as other_count,
            sum(span_end - span_start) as span_bytes
        from rejects
        group by file_sha256
    ),
    other as (
        select
            file_sha256,
            sum(span_end - span_start) as span_bytes
        from furniture
        group by file_sha256
    ),
    figures as (
        select
            coalesce(f.file_sha256, l.file_sha256) as file_sha256,
            unnest([
                {figure: 'raw_files', in_ledger: (l.file_sha256 is not null)::bigint, in_tables: (f.file_sha256 is not null)::bigint},
                {figure: 'records_clean', in_ledger: l.records_clean, in_tables: coalesce(clean.row_count, 0)},
                {figure: 'records_rejected', in_ledger: l.records_rejected, in_tables: coalesce(refused.record_count, 0)},
                {figure: 'spans_rejected', in_ledger: l.spans_rejected, in_tables: coalesce(refused.other_count, 0)},
                {figure: 'bytes_records', in_ledger: l.bytes_records, in_tables: coalesce(clean.span_bytes, 0)},
                {figure: 'bytes_rejects', in_ledger: l.bytes_rejects, in_tables: coalesce(refused.span_bytes, 0)},
                {figure: 'bytes_furniture', in_ledger: l.bytes_furniture, in_tables: coalesce(other.span_bytes, 0)}
            ], recursive := true)
        from raw_files as f
        full join ledger as l on l.file_sha256 = f.file_sha256
        left join clean on clean.file_sha256 = coalesce(f.file_sha256, l.file_sha256)
        left join refused on refused.file_sha256 = coalesce(f.file_sha256, l.file_sha256)
        left join other on other.file_sha256 = coalesce(f.file_sha256, l.file_sha256)
    )
select
    file_sha256,
    figure,
    in_ledger,
    in_tables
from figures
where in_ledger <> in_tables
order by
    file_sha256,
    figure
