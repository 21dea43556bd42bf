-- severity: error
-- meaning: what went into a raw file is not what came out: records, bytes or entries are missing or counted twice
-- grain: one row a raw file that does not balance
select
    file_sha256,
    size_bytes,
    bytes_records,
    bytes_rejects,
    bytes_furniture,
    entries_counted,
    records_staged,
    records_clean,
    records_rejected,
    spans_rejected,
    balanced
from ledger
where
    not balanced
    or records_staged <> records_clean + records_rejected
    or (bytes_records is not null and bytes_records + bytes_rejects + bytes_furniture <> size_bytes)
order by file_sha256
