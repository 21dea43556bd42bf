-- title: Team size over time
-- meaning: how many authors the papers of each year have, of papers that have any
-- grain: one row a year
-- column: year: year of the venue or of publication; null where it is not known
-- column: paper_count: how many papers with authors
-- column: author_count_mean: their mean number of authors
-- column: author_count_median: their median number of authors
-- column: author_count_max: their greatest number of authors
-- column: single_author_ratio: the share of papers of one author, 0 to 1
-- plot: line x=year y=author_count_mean
-- example: paperlake query team_size_by_year --plot
select
    year,
    count(*) as paper_count,
    avg(len(authors)) as author_count_mean,
    median(len(authors)) as author_count_median,
    max(len(authors)) as author_count_max,
    count(*) filter (where len(authors) = 1) / count(*) as single_author_ratio
from papers
where len(authors) > 0
group by year
order by year
