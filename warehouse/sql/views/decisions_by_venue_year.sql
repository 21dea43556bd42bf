-- title: Decisions by venue and year
-- meaning: what became of the submissions to each venue in each year, of papers whose decision is known
-- grain: one row a venue, year and decision
-- column: venue: the venue's name
-- column: year: year of the venue or of publication
-- column: decision: what became of the submission
-- column: paper_count: how many papers have it
-- column: paper_ratio: their share of the papers of this venue and year whose decision is known, 0 to 1
-- plot: bar x=year y=paper_count color=decision
-- example: paperlake query decisions_by_venue_year --format csv
select
    venue,
    year,
    decision,
    count(*) as paper_count,
    count(*) / sum(count(*)) over (
        partition by
            venue,
            year
    ) as paper_ratio
from papers
where decision is not null
group by
    venue,
    year,
    decision
order by
    venue,
    year,
    decision
