-- severity: error
-- meaning: a paper has no record, or its counts are not those of its records
-- grain: one row a paper whose counts are wrong
with appearances as (
    select
        paper_id,
        count(*) as record_count,
        count(distinct file_sha256) as file_count
    from records
    group by paper_id
)
select
    p.paper_id,
    p.record_count,
    coalesce(a.record_count, 0) as records_found,
    p.file_count,
    coalesce(a.file_count, 0) as files_found
from papers as p
left join appearances as a on a.paper_id = p.paper_id
where
    a.paper_id is null
    or a.record_count <> p.record_count
    or a.file_count <> p.file_count
order by p.paper_id
