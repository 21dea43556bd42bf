-- title: Papers with code by venue and year
-- meaning: how many papers of each venue and year name an address of code, in their abstract or a column for it
-- grain: one row a venue and year
-- column: venue: the venue's name
-- column: year: year of the venue or of publication
-- column: paper_count: how many papers
-- column: code_count: how many of them have a link to code
-- column: code_ratio: their share, 0 to 1
-- plot: bar x=code_count y=venue
-- example: paperlake query papers_with_code_by_venue_year --format markdown
with
    papers_with_code as (
        select distinct paper_id
        from links
        where kind = 'code'
    )

select
    p.venue,
    p.year,
    count(*) as paper_count,
    count(c.paper_id) as code_count,
    count(c.paper_id) / count(*) as code_ratio
from papers as p
left join papers_with_code as c on p.paper_id = c.paper_id
group by
    p.venue,
    p.year
order by
    p.venue,
    p.year
