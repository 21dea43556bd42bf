-- severity: warn
-- meaning: a paper has no author though a file that lists it has a column for them, or an author's name has no letter
-- grain: one row a paper without authors, or an author without a name
-- A list of nothing but abstracts gives papers without authors too, and rightly: no column of it fills them.
with
    files_with_authors as (
        select distinct file_sha256
        from column_map
        where field in ('authors', 'author_names')
    ),
    papers_listed as (
        select distinct r.paper_id
        from records as r
        semi join files_with_authors as f on f.file_sha256 = r.file_sha256
    )
select
    p.paper_id,
    p.title,
    cast(null as integer) as position,
    cast(null as varchar) as name
from papers as p
semi join papers_listed as l on l.paper_id = p.paper_id
where len(p.authors) = 0
union all
select
    a.paper_id,
    p.title,
    a.position,
    a.name
from authorships as a
left join papers as p on p.paper_id = a.paper_id
where not regexp_matches(a.name, '\p{L}')
order by
    paper_id,
    position
