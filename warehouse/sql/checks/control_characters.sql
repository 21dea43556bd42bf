-- severity: warn
-- meaning: a text of a paper holds control characters or the sign for an undecodable byte
-- grain: one row a paper and field with such characters
with texts as (
    select paper_id, 'title' as field, title as text from papers
    union all
    select paper_id, 'abstract' as field, abstract as text from papers
    union all
    select paper_id, 'venue' as field, venue as text from papers
    union all
    select paper_id, 'publisher' as field, publisher as text from papers
    union all
    select paper_id, 'pages' as field, pages as text from papers
    union all
    select paper_id, 'authors' as field, name as text from authorships
    union all
    select paper_id, 'keywords' as field, unnest(keywords) as text from papers
)
select
    paper_id,
    field,
    regexp_extract(text, '.{0,20}[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x{9F}\x{FFFD}].{0,20}', 0, 's') as excerpt
from texts
where
    regexp_matches(text, '[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x{9F}\x{FFFD}]')
    or (field <> 'abstract' and regexp_matches(text, '[\t\n\r]'))
order by
    paper_id,
    field,
    excerpt
