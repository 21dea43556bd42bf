-- severity: error
-- meaning: a venue has fewer or more papers, in a year or in all, than config/expected.toml expects
-- grain: one row an expectation that is not met
-- `expected_counts` holds the blocks [[papers]] of config/expected.toml; a year that is null there stands for all.
with counted as (
    select
        e.venue_id,
        e.year,
        e.least,
        e.most,
        count(p.paper_id) as paper_count
    from expected_counts as e
    left join papers as p
        on p.venue_id = e.venue_id
        and (e.year is null or p.year = e.year)
    group by
        e.venue_id,
        e.year,
        e.least,
        e.most
)
select
    venue_id,
    year,
    least as expected_min,
    most as expected_max,
    paper_count
from counted
where
    paper_count < least
    or paper_count > most
order by
    venue_id,
    year nulls first,
    least,
    most
