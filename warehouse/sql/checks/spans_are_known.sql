-- severity: error
-- meaning: a record, reject or piece of furniture of a file whose bytes are accounted for has no span
-- grain: one row a table and raw file with rows that have no span
with unplaced as (
    select 'records' as table_name, file_sha256 from records where span_start is null or span_end is null
    union all
    select 'rejects' as table_name, file_sha256 from rejects where span_start is null or span_end is null
)
select
    table_name,
    file_sha256,
    count(*) as row_count
from unplaced
semi join (select file_sha256 from ledger where bytes_records is not null) using (file_sha256)
group by
    table_name,
    file_sha256
order by
    table_name,
    file_sha256
