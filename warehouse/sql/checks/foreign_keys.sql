-- severity: error
-- meaning: a row points at a paper, record or raw file that is not there
-- grain: one row a table, column and value that points nowhere
with dangling as (
    select
        'authorships' as table_name,
        'paper_id' as column_name,
        a.paper_id as value
    from authorships as a
    anti join papers as b on b.paper_id = a.paper_id
    union all
    select
        'identifiers' as table_name,
        'paper_id' as column_name,
        a.paper_id as value
    from identifiers as a
    anti join papers as b on b.paper_id = a.paper_id
    union all
    select
        'links' as table_name,
        'paper_id' as column_name,
        a.paper_id as value
    from links as a
    anti join papers as b on b.paper_id = a.paper_id
    union all
    select
        'field_origins' as table_name,
        'paper_id' as column_name,
        a.paper_id as value
    from field_origins as a
    anti join papers as b on b.paper_id = a.paper_id
    union all
    select
        'records' as table_name,
        'paper_id' as column_name,
        a.paper_id as value
    from records as a
    anti join papers as b on b.paper_id = a.paper_id
    union all
    select
        'record_notes' as table_name,
        'record_id' as column_name,
        a.record_id as value
    from record_notes as a
    anti join records as b on b.record_id = a.record_id
    union all
    select
        'field_origins' as table_name,
        'record_id' as column_name,
        a.record_id as value
    from field_origins as a
    anti join records as b on b.record_id = a.record_id
    union all
    select
        'paper_matches' as table_name,
        'record_key_l' as column_name,
        a.record_key_l as value
    from paper_matches as a
    anti join records as b on b.record_key = a.record_key_l
    union all
    select
        'paper_matches' as table_name,
        'record_key_r' as column_name,
        a.record_key_r as value
    from paper_matches as a
    anti join records as b on b.record_key = a.record_key_r
    union all
    select
        'paper_relations' as table_name,
        'paper_id' as column_name,
        a.paper_id as value
    from paper_relations as a
    anti join papers as b on b.paper_id = a.paper_id
    union all
    select
        'paper_relations' as table_name,
        'other_paper_id' as column_name,
        a.other_paper_id as value
    from paper_relations as a
    anti join papers as b on b.paper_id = a.other_paper_id
    union all
    select
        'records' as table_name,
        'file_sha256' as column_name,
        a.file_sha256 as value
    from records as a
    anti join raw_files as b on b.file_sha256 = a.file_sha256
    union all
    select
        'rejects' as table_name,
        'file_sha256' as column_name,
        a.file_sha256 as value
    from rejects as a
    anti join raw_files as b on b.file_sha256 = a.file_sha256
    union all
    select
        'furniture' as table_name,
        'file_sha256' as column_name,
        a.file_sha256 as value
    from furniture as a
    anti join raw_files as b on b.file_sha256 = a.file_sha256
    union all
    select
        'control_totals' as table_name,
        'file_sha256' as column_name,
        a.file_sha256 as value
    from control_totals as a
    anti join raw_files as b on b.file_sha256 = a.file_sha256
    union all
    select
        'column_map' as table_name,
        'file_sha256' as column_name,
        a.file_sha256 as value
    from column_map as a
    anti join raw_files as b on b.file_sha256 = a.file_sha256
    union all
    select
        'ledger' as table_name,
        'file_sha256' as column_name,
        a.file_sha256 as value
    from ledger as a
    anti join raw_files as b on b.file_sha256 = a.file_sha256
)
select
    table_name,
    column_name,
    value,
    count(*) as row_count
from dangling
group by
    table_name,
    column_name,
    value
order by
    table_name,
    column_name,
    value
