-- title: Overlap of sources
-- meaning: how many papers each two sources share; a source with itself: how many papers it has
-- grain: one row two sources that share a paper, in both orders, and each source with itself
-- column: source_l: a source: a block of sources.toml, or command_line
-- column: source_r: a source
-- column: paper_count: how many papers have records in both
-- column: paper_ratio: their share of the papers of source_l, 0 to 1
-- plot: heat x=source_r y=source_l color=paper_count
-- example: paperlake query source_overlap
with
    papers_in_sources as (
        select distinct
            r.paper_id,
            f.source
        from records as r
        inner join raw_files as f on r.file_sha256 = f.file_sha256
    ),

    source_sizes as (
        select
            source,
            count(*) as paper_count
        from papers_in_sources
        group by source
    )

select
    l.source as source_l,
    r.source as source_r,
    count(*) as paper_count,
    count(*) / any_value(s.paper_count) as paper_ratio
from papers_in_sources as l
inner join papers_in_sources as r on l.paper_id = r.paper_id
inner join source_sizes as s on l.source = s.source
group by
    l.source,
    r.source
order by
    source_l,
    source_r
