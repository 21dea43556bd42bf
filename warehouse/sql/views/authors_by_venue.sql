-- title: Authors by venue
-- meaning: how many papers each author name has at each venue; equal names are one author here
-- grain: one row an author name and venue
-- column: author: the cleaned full name
-- column: venue: the venue's name; null where it is not known
-- column: paper_count: how many papers the name stands on at this venue
-- column: first_year: the earliest year of these papers
-- column: last_year: the latest year of these papers
-- plot: bar x=paper_count y=author color=venue
-- example: paperlake query authors_by_venue --limit 20
with
    papers_of_authors as (
        select distinct
            name,
            paper_id
        from authorships
    )

select
    a.name as author,
    p.venue,
    count(*) as paper_count,
    min(p.year) as first_year,
    max(p.year) as last_year
from papers_of_authors as a
inner join papers as p on a.paper_id = p.paper_id
group by
    a.name,
    p.venue
order by
    paper_count desc,
    author,
    venue
