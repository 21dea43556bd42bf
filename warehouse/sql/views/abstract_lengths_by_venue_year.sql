-- title: Abstract lengths by venue and year
-- meaning: how long the abstracts of each venue and year are, in characters
-- grain: one row a venue and year that has an abstract
-- column: venue: the venue's name
-- column: year: year of the venue or of publication
-- column: abstract_count: how many papers have an abstract
-- column: length_min: the shortest, in characters
-- column: length_median: the median, in characters
-- column: length_mean: the mean, in characters
-- column: length_max: the longest, in characters
-- plot: line x=year y=length_median color=venue
-- example: paperlake query abstract_lengths_by_venue_year --limit 20
select
    venue,
    year,
    count(*) as abstract_count,
    min(length(abstract)) as length_min,
    median(length(abstract)) as length_median,
    avg(length(abstract)) as length_mean,
    max(length(abstract)) as length_max
from papers
where abstract is not null
group by
    venue,
    year
order by
    venue,
    year
