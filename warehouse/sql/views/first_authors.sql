-- title: First authors
-- meaning: on how many papers each author name stands first, and of how many these have no other author
-- grain: one row an author name that stands first on a paper
-- column: author: the cleaned full name
-- column: paper_count: on how many papers it stands first
-- column: single_author_count: how many of them have no other author
-- column: first_year: the earliest year of these papers
-- column: last_year: the latest year of these papers
-- plot: bar x=paper_count y=author
-- example: paperlake query first_authors --limit 20
select
    a.name as author,
    count(*) as paper_count,
    count(*) filter (where len(p.authors) = 1) as single_author_count,
    min(p.year) as first_year,
    max(p.year) as last_year
from authorships as a
inner join papers as p on a.paper_id = p.paper_id
where a.position = 1
group by a.name
order by
    paper_count desc,
    author
