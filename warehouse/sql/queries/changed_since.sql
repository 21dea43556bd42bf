-- title: New and changed since a release
-- meaning: the papers that are new since another release, or whose values are not what they were. A paper whose id was renamed, or into which another was merged, is compared with the paper it was
-- grain: one row a paper that is new or changed
-- parameter: since release = previous: the release to compare with: an id or its start, previous, or a date
-- column: change: new or changed
-- column: paper_id: the paper
-- column: title: its title now
-- column: venue: its venue now
-- column: year: its year now
-- column: fields: the columns of papers whose values changed, in alphabetical order; empty for a new paper
-- column: since_paper_id: the paper it was in the other release; null for a new one
-- plot: bar x=count y=change
-- example: paperlake query changed_since --param since=previous
with
    past_papers as (
        select
            coalesce(a.current_paper_id, s.paper_id) as paper_id,
            min(s.paper_id) as renamed_paper_id,
            bool_or(s.paper_id = coalesce(a.current_paper_id, s.paper_id)) as has_kept_its_id
        from since.papers as s
        left join paper_aliases as a on s.paper_id = a.paper_id
        group by coalesce(a.current_paper_id, s.paper_id)
    ),

    compared_papers as (
        select
            p.*,
            case when w.has_kept_its_id then p.paper_id else w.renamed_paper_id end as since_paper_id
        from papers as p
        left join past_papers as w on p.paper_id = w.paper_id
    ),

    changes as (
        select
            p.paper_id,
            p.title,
            p.venue,
            p.year,
            p.since_paper_id,
            case
                when p.since_paper_id is null then []
                else
                    list_filter(
                        [
                            case when p.abstract is distinct from s.abstract then 'abstract' end,
                            case when p.authors is distinct from s.authors then 'authors' end,
                            case when p.decision is distinct from s.decision then 'decision' end,
                            case when p.keywords is distinct from s.keywords then 'keywords' end,
                            case when p.number is distinct from s.number then 'number' end,
                            case when p.pages is distinct from s.pages then 'pages' end,
                            case when p.paper_id is distinct from s.paper_id then 'paper_id' end,
                            case when p.pdf_url is distinct from s.pdf_url then 'pdf_url' end,
                            case when p.publisher is distinct from s.publisher then 'publisher' end,
                            case when p.title is distinct from s.title then 'title' end,
                            case when p.type is distinct from s.type then 'type' end,
                            case when p.url is distinct from s.url then 'url' end,
                            case when p.venue is distinct from s.venue then 'venue' end,
                            case when p.venue_id is distinct from s.venue_id then 'venue_id' end,
                            case when p.volume is distinct from s.volume then 'volume' end,
                            case when p.work_id is distinct from s.work_id then 'work_id' end,
                            case when p.year is distinct from s.year then 'year' end
                        ],
                        lambda field: field is not null
                    )
            end as fields
        from compared_papers as p
        left join since.papers as s on p.since_paper_id = s.paper_id
    )

select
    case when since_paper_id is null then 'new' else 'changed' end as change,
    paper_id,
    title,
    venue,
    year,
    fields,
    since_paper_id
from changes
where
    since_paper_id is null
    or len(fields) > 0
order by
    change desc,
    paper_id
