-- title: Papers by how many sources agree on them
-- meaning: how many papers are described by one source or raw file, by two, and so on
-- grain: one row a number of sources and a number of raw files
-- column: source_count: in how many sources (blocks of sources.toml, or command_line) a paper has records
-- column: file_count: in how many raw files a paper has records
-- column: paper_count: how many papers
-- plot: bar x=file_count y=paper_count color=source_count
-- example: paperlake query papers_by_source_count
with
    papers_in_sources as (
        select
            r.paper_id,
            count(distinct f.source) as source_count,
            count(distinct f.file_sha256) as file_count
        from records as r
        inner join raw_files as f on r.file_sha256 = f.file_sha256
        group by r.paper_id
    )

select
    source_count,
    file_count,
    count(*) as paper_count
from papers_in_sources
group by
    source_count,
    file_count
order by
    source_count,
    file_count
