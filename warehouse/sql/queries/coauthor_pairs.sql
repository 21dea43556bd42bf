-- title: Co-author pairs
-- meaning: which two author names stand on papers together, and on how many; equal names are one author here
-- grain: one row two author names that share a paper
-- parameter: author text = null: only the pairs of this author, by the whole name in any case of letters
-- parameter: min_papers count = 1: only pairs that share at least so many papers
-- parameter: max_authors count = 100: papers with more authors are left out: one of 3,000 has 4.5 million pairs
-- column: author_l: the lesser name of the two
-- column: author_r: the greater name of the two
-- column: paper_count: how many papers both stand on
-- column: first_year: the earliest year of these papers
-- column: last_year: the latest year of these papers
-- plot: bar x=paper_count y=author_l+author_r
-- example: paperlake query coauthor_pairs --param min_papers=2 --limit 20
with
    teams as (
        select distinct
            a.paper_id,
            a.name,
            p.year
        from authorships as a
        inner join papers as p on a.paper_id = p.paper_id
        where len(p.authors) <= cast($max_authors as bigint)
    )

select
    l.name as author_l,
    r.name as author_r,
    count(*) as paper_count,
    min(l.year) as first_year,
    max(l.year) as last_year
from teams as l
inner join teams as r
    on l.paper_id = r.paper_id
    and l.name < r.name
where
    cast($author as varchar) is null
    or lower(cast($author as varchar)) in (lower(l.name), lower(r.name))
group by
    l.name,
    r.name
having count(*) >= cast($min_papers as bigint)
order by
    paper_count desc,
    author_l,
    author_r
