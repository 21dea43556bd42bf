-- severity: error
-- meaning: a larger share of a table's rows has no value in a column than config/expected.toml allows
-- grain: one row a table and column with too many nulls
-- `expected_nulls` holds the blocks [[nulls]] of config/expected.toml with the counts of this release.
select
    table_name,
    column_name,
    max_null_ratio,
    round(null_count / row_count, 4) as null_ratio,
    null_count,
    row_count
from expected_nulls
where null_count > max_null_ratio * row_count
order by
    table_name,
    column_name,
    max_null_ratio
