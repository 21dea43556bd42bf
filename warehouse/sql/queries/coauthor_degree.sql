-- title: Co-author degree
-- meaning: how many other author names each author name stands on papers with; equal names are one author here
-- grain: one row an author name
-- parameter: max_authors count = 100: papers with more authors are left out: one of 3,000 gives each of them 2,999
-- column: author: the cleaned full name
-- column: coauthor_count: how many other names share a paper with it
-- column: paper_count: how many papers it stands on, of those not left out
-- plot: bar x=coauthor_count y=author
-- example: paperlake query coauthor_degree --limit 20
with
    teams as (
        select distinct
            a.paper_id,
            a.name
        from authorships as a
        inner join papers as p on a.paper_id = p.paper_id
        where len(p.authors) <= cast($max_authors as bigint)
    ),

    neighbours as (
        select
            l.name,
            count(distinct r.name) as coauthor_count
        from teams as l
        inner join teams as r
            on l.paper_id = r.paper_id
            and l.name <> r.name
        group by l.name
    ),

    authors as (
        select
            name,
            count(*) as paper_count
        from teams
        group by name
    )

select
    a.name as author,
    coalesce(n.coauthor_count, 0) as coauthor_count,
    a.paper_count
from authors as a
left join neighbours as n on a.name = n.name
order by
    coauthor_count desc,
    a.paper_count desc,
    author
