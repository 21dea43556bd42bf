-- severity: error
-- meaning: a filled field of a paper has no origin, an empty one has, or the record it came from is another paper's
-- grain: one row a paper and field whose origin is wrong, and what is wrong with it
-- The fields are those columns of `papers` that a record fills; a test holds the list to the contract.
with
    filled as (
        unpivot (
            select
                paper_id,
                title is not null as title,
                len(authors) > 0 as authors,
                abstract is not null as abstract,
                venue_id is not null as venue_id,
                venue is not null as venue,
                year is not null as year,
                decision is not null as decision,
                type is not null as type,
                volume is not null as volume,
                number is not null as number,
                pages is not null as pages,
                publisher is not null as publisher,
                len(keywords) > 0 as keywords,
                url is not null as url,
                pdf_url is not null as pdf_url
            from papers
        )
        on columns(* exclude (paper_id)) into name field value is_filled
    ),
    found as (
        select
            coalesce(f.paper_id, o.paper_id) as paper_id,
            coalesce(f.field, o.field) as field,
            o.record_id,
            case
                when o.record_id is null then 'no origin'
                when not coalesce(f.is_filled, false) then 'origin of an empty field'
                when r.paper_id <> o.paper_id then 'record of another paper'
            end as fault
        from filled as f
        full join field_origins as o
            on o.paper_id = f.paper_id
            and o.field = f.field
        left join records as r on r.record_id = o.record_id
        where
            f.is_filled
            or o.record_id is not null
    )
select
    paper_id,
    field,
    record_id,
    fault
from found
where fault is not null
order by
    paper_id,
    field
