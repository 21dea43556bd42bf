-- title: Authors by papers
-- meaning: how many papers each author name stands on; equal names are one author here, however many people bear it
-- grain: one row an author name
-- column: author: the cleaned full name
-- column: paper_count: how many papers it stands on
-- column: first_author_count: on how many of them it stands first
-- column: venue_count: how many venues these papers have
-- column: first_year: the earliest year of these papers
-- column: last_year: the latest year of these papers
-- plot: bar x=paper_count y=author
-- example: paperlake query authors_by_paper_count --limit 20 --plot
with
    papers_of_authors as (
        select
            name,
            paper_id,
            min(position) as position
        from authorships
        group by
            name,
            paper_id
    )

select
    a.name as author,
    count(*) as paper_count,
    count(*) filter (where a.position = 1) as first_author_count,
    count(distinct p.venue) as venue_count,
    min(p.year) as first_year,
    max(p.year) as last_year
from papers_of_authors as a
inner join papers as p on a.paper_id = p.paper_id
group by a.name
order by
    paper_count desc,
    author
