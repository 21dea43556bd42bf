-- severity: error
-- meaning: a table holds two rows of one key
-- grain: one row a table and key that occurs more than once
with repeated as (
    select
        'papers' as table_name,
        paper_id as key,
        count(*) as row_count
    from papers
    group by paper_id
    having count(*) > 1
    union all
    select
        'authorships' as table_name,
        concat_ws(' ', paper_id, position) as key,
        count(*) as row_count
    from authorships
    group by paper_id, position
    having count(*) > 1
    union all
    select
        'identifiers' as table_name,
        concat_ws(' ', paper_id, scheme, value) as key,
        count(*) as row_count
    from identifiers
    group by paper_id, scheme, value
    having count(*) > 1
    union all
    select
        'links' as table_name,
        concat_ws(' ', paper_id, url) as key,
        count(*) as row_count
    from links
    group by paper_id, url
    having count(*) > 1
    union all
    select
        'records' as table_name,
        concat_ws(' ', file_sha256, ordinal) as key,
        count(*) as row_count
    from records
    group by file_sha256, ordinal
    having count(*) > 1
    union all
    select
        'record_notes' as table_name,
        concat_ws(' ', record_id, field, note) as key,
        count(*) as row_count
    from record_notes
    group by record_id, field, note
    having count(*) > 1
    union all
    select
        'field_origins' as table_name,
        concat_ws(' ', paper_id, field) as key,
        count(*) as row_count
    from field_origins
    group by paper_id, field
    having count(*) > 1
    union all
    select
        'paper_matches' as table_name,
        concat_ws(' ', record_key_l, record_key_r) as key,
        count(*) as row_count
    from paper_matches
    group by record_key_l, record_key_r
    having count(*) > 1
    union all
    select
        'paper_relations' as table_name,
        concat_ws(' ', paper_id, relation, other_paper_id) as key,
        count(*) as row_count
    from paper_relations
    group by paper_id, relation, other_paper_id
    having count(*) > 1
    union all
    select
        'paper_aliases' as table_name,
        paper_id as key,
        count(*) as row_count
    from paper_aliases
    group by paper_id
    having count(*) > 1
    union all
    select
        'furniture' as table_name,
        concat_ws(' ', file_sha256, span_start) as key,
        count(*) as row_count
    from furniture
    group by file_sha256, span_start
    having count(*) > 1
    union all
    select
        'raw_files' as table_name,
        file_sha256 as key,
        count(*) as row_count
    from raw_files
    group by file_sha256
    having count(*) > 1
    union all
    select
        'control_totals' as table_name,
        concat_ws(' ', file_sha256, page, column_name, statistic) as key,
        count(*) as row_count
    from control_totals
    group by file_sha256, page, column_name, statistic
    having count(*) > 1
    union all
    select
        'column_map' as table_name,
        concat_ws(' ', file_sha256, position) as key,
        count(*) as row_count
    from column_map
    group by file_sha256, position
    having count(*) > 1
    union all
    select
        'ledger' as table_name,
        file_sha256 as key,
        count(*) as row_count
    from ledger
    group by file_sha256
    having count(*) > 1
    union all
    select
        'checks' as table_name,
        check_name as key,
        count(*) as row_count
    from checks
    group by check_name
    having count(*) > 1
)
select
    table_name,
    key,
    row_count
from repeated
order by
    table_name,
    key
