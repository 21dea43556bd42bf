-- title: Papers by venue and year
-- meaning: how many papers each venue has in each year; a null venue or year is one that no record gives
-- grain: one row a venue and year
-- column: venue: the venue's name
-- column: year: year of the venue or of publication
-- column: paper_count: how many papers
-- column: abstract_count: how many of them have an abstract
-- plot: bar x=year y=paper_count color=venue
-- example: paperlake query papers_by_venue_year --plot
select
    venue,
    year,
    count(*) as paper_count,
    count(abstract) as abstract_count
from papers
group by
    venue,
    year
order by
    venue,
    year
