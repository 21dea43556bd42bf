-- title: Completeness by column and source
-- meaning: how many papers of each source have each column filled, and for how many the value was taken from that source
-- grain: one row a source and column of papers
-- column: source: a block of sources.toml, or command_line
-- column: field: the column of papers
-- column: paper_count: how many papers have a record in the source
-- column: filled_count: how many of them have the column filled, from whatever source
-- column: filled_ratio: their share, 0 to 1
-- column: taken_count: for how many the value was taken from a record of this source
-- plot: heat x=field y=source color=filled_ratio
-- example: paperlake query completeness_by_source --format csv
with
    papers_in_sources as (
        select distinct
            r.paper_id,
            f.source
        from records as r
        inner join raw_files as f on r.file_sha256 = f.file_sha256
    ),

    fields as (
        select
            paper_id,
            unnest(
                [
                    {'place': 1, 'field': 'title', 'is_filled': title is not null},
                    {'place': 2, 'field': 'authors', 'is_filled': len(authors) > 0},
                    {'place': 3, 'field': 'abstract', 'is_filled': abstract is not null},
                    {'place': 4, 'field': 'venue_id', 'is_filled': venue_id is not null},
                    {'place': 5, 'field': 'venue', 'is_filled': venue is not null},
                    {'place': 6, 'field': 'year', 'is_filled': year is not null},
                    {'place': 7, 'field': 'decision', 'is_filled': decision is not null},
                    {'place': 8, 'field': 'type', 'is_filled': type is not null},
                    {'place': 9, 'field': 'volume', 'is_filled': volume is not null},
                    {'place': 10, 'field': 'number', 'is_filled': number is not null},
                    {'place': 11, 'field': 'pages', 'is_filled': pages is not null},
                    {'place': 12, 'field': 'publisher', 'is_filled': publisher is not null},
                    {'place': 13, 'field': 'keywords', 'is_filled': len(keywords) > 0},
                    {'place': 14, 'field': 'url', 'is_filled': url is not null},
                    {'place': 15, 'field': 'pdf_url', 'is_filled': pdf_url is not null}
                ]
            ) as cell
        from papers
    ),

    taken_values as (
        select
            f.source,
            o.field,
            count(*) as taken_count
        from field_origins as o
        inner join records as r on o.record_id = r.record_id
        inner join raw_files as f on r.file_sha256 = f.file_sha256
        group by
            f.source,
            o.field
    ),

    filled_values as (
        select
            s.source,
            c.cell.place as place,
            c.cell.field as field,
            count(*) as paper_count,
            count(*) filter (where c.cell.is_filled) as filled_count
        from papers_in_sources as s
        inner join fields as c on s.paper_id = c.paper_id
        group by all
    )

select
    v.source,
    v.field,
    v.paper_count,
    v.filled_count,
    v.filled_count / v.paper_count as filled_ratio,
    coalesce(t.taken_count, 0) as taken_count
from filled_values as v
left join taken_values as t
    on v.source = t.source
    and v.field = t.field
order by
    v.source,
    v.place
