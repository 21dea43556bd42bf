-- severity: warn
-- meaning: a paper's year lies outside 1665 to 2100
-- grain: one row a paper with such a year
select
    paper_id,
    title,
    year
from papers
where year not between 1665 and 2100
order by paper_id
