-- title: Fields in which raw files agree
-- meaning: for how many papers two raw files or more give a field, and for how many of these all agree. Values are compared as given, letters and digits alone, without case and accents; left out are fields that a file spells inside another column, authors given as objects, and addresses
-- grain: one row a field that two raw files give for some paper
-- column: field: the field, by its name in sources.toml
-- column: paper_count: for how many papers two raw files or more give it
-- column: agree_count: for how many of them all files agree
-- column: agree_ratio: their share, 0 to 1
-- plot: bar x=agree_ratio y=field
-- example: paperlake query field_agreement
with
    mapped_columns as (
        select
            file_sha256,
            field,
            '/' || replace(replace(replace(column_name, '~', '~0'), '/', '~1'), '.', '/') as pointer
        from column_map
        where
            field in (
                'title', 'authors', 'abstract', 'venue', 'year', 'decision', 'type', 'volume', 'number', 'pages', 'publisher',
                'doi'
            )
            and not contains(column_name, '|')
    ),

    shared_papers as (
        select paper_id
        from records
        group by paper_id
        having count(distinct file_sha256) > 1
    ),

    extracted_values as (
        select
            r.paper_id,
            r.file_sha256,
            c.field,
            json_extract_string(r.raw, c.pointer) as value
        from records as r
        inner join shared_papers as s on r.paper_id = s.paper_id
        inner join mapped_columns as c on r.file_sha256 = c.file_sha256
    ),

    given_values as (
        select
            paper_id,
            file_sha256,
            field,
            value
        from extracted_values
        where
            regexp_matches(value, '[\p{L}\p{N}]')
            and not starts_with(value, '[{')
    ),

    papers_and_fields as (
        select
            paper_id,
            field,
            min(value) < max(value) as is_spelled_otherwise
        from given_values
        group by
            paper_id,
            field
        having min(file_sha256) < max(file_sha256)
    ),

    disagreements as (
        select
            v.paper_id,
            v.field
        from given_values as v
        inner join papers_and_fields as g
            on v.paper_id = g.paper_id
            and v.field = g.field
        where g.is_spelled_otherwise
        group by
            v.paper_id,
            v.field
        having count(distinct regexp_replace(lower(strip_accents(v.value)), '[^\p{L}\p{N}]+', '', 'g')) > 1
    )

select
    g.field,
    count(*) as paper_count,
    count(*) filter (where d.paper_id is null) as agree_count,
    count(*) filter (where d.paper_id is null) / count(*) as agree_ratio
from papers_and_fields as g
left join disagreements as d
    on g.paper_id = d.paper_id
    and g.field = d.field
group by g.field
order by g.field
