-- severity: warn
-- meaning: a paper's year lies outside 1800 to 2100
-- grain: one row a paper with such a year
select
    paper_id,
    title,
    year
from papers
where year not between 1800 and 2100
order by paper_id
