-- severity: error
-- meaning: a file was not read and no reject says why, a record belongs to two papers, or was both refused and kept
-- grain: one row a file, record key or reject without its one place
with alone as (
    select
        'raw_files' as table_name,
        f.file_sha256 as key,
        'it was not read, and no reject says why' as fault
    from raw_files as f
    anti join rejects as j on j.file_sha256 = f.file_sha256
    where f.verdict <> 'read'
    union all
    select
        'records' as table_name,
        record_key as key,
        'its appearances belong to several papers' as fault
    from records
    group by record_key
    having count(distinct paper_id) > 1
    union all
    select
        'rejects' as table_name,
        j.record_id as key,
        'it is a clean record too' as fault
    from rejects as j
    semi join records as r on r.record_id = j.record_id
)
select
    table_name,
    key,
    fault
from alone
order by
    table_name,
    key,
    fault
