-- severity: warn
-- meaning: a file states a figure about itself that the records read from it contradict
-- grain: one row a contradicted figure
select
    f.file_name,
    t.file_sha256,
    t.page,
    t.column_name,
    t.statistic,
    t.declared_text,
    t.declared,
    t.observed
from control_totals as t
left join raw_files as f on f.file_sha256 = t.file_sha256
where t.verdict = 'contradicted'
order by
    t.file_sha256,
    t.page,
    t.column_name,
    t.statistic
