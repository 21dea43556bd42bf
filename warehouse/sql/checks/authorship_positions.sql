-- severity: error
-- meaning: the positions of a paper's authors are not 1, 2, 3, … without a gap, or are not those of its author list
-- grain: one row a paper whose authorships are not its authors in order
with listed as (
    select
        paper_id,
        count(*) as authorship_count,
        min(position) as first_position,
        max(position) as last_position,
        list(name order by position) as names
    from authorships
    group by paper_id
)
select
    p.paper_id,
    p.authors,
    l.names as authorship_names,
    l.first_position,
    l.last_position
from papers as p
left join listed as l on l.paper_id = p.paper_id
where
    coalesce(l.first_position, 1) <> 1
    or coalesce(l.last_position, 0) <> coalesce(l.authorship_count, 0)
    or coalesce(l.names, []) <> p.authors
order by p.paper_id
