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

    given_values as (
        select
            r.paper_id,
            r.file_sha256,
            c.field,
            json_extract_string(r.raw, c.pointer) as value
        from records as r
        inner join shared_papers as s on r.paper_id = s.paper_id
        inner join mapped_columns as c on r.file_sha256 = c.file_sha256
    ),

    papers_and_fields as (
        select
            paper_id,
            field,
            list(distinct value) as given
        from given_values
        where
            regexp_matches(value, '[\p{L}\p{N}]')
            and not starts_with(value, '[{')
        group by
            paper_id,
            field
        having count(distinct file_sha256) > 1
    ),

    spellings as (
        select
            paper_id,
            field,
            unnest(given) as value
        from papers_and_fields
        where len(given) > 1
    ),

    disagreements as (
        select
            paper_id,
            field
        from spellings
        group by
            paper_id,
            field
        having count(distinct regexp_replace(lower(strip_accents(value)), '[^\p{L}\p{N}]+', '', 'g')) > 1
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
