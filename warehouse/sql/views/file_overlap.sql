-- title: Overlap of raw files
-- meaning: how many papers each two raw files share; a file with itself: how many papers it has
-- grain: one row two raw files that share a paper, in both orders, and each file with itself
-- column: file_l: a raw file, by its name
-- column: file_r: a raw file, by its name
-- column: paper_count: how many papers have records in both
-- column: paper_ratio: their share of the papers of file_l, 0 to 1
-- column: file_sha256_l: the hash of file_l, for names need not be different
-- column: file_sha256_r: the hash of file_r
-- plot: heat x=file_r y=file_l color=paper_count
-- example: paperlake query file_overlap --limit 20
with
    papers_in_files as (
        select distinct
            paper_id,
            file_sha256
        from records
    ),

    shared_papers as (
        select
            l.file_sha256 as file_sha256_l,
            r.file_sha256 as file_sha256_r,
            count(*) as paper_count
        from papers_in_files as l
        inner join papers_in_files as r on l.paper_id = r.paper_id
        group by
            l.file_sha256,
            r.file_sha256
    )

select
    l.file_name as file_l,
    r.file_name as file_r,
    s.paper_count,
    s.paper_count / own.paper_count as paper_ratio,
    s.file_sha256_l,
    s.file_sha256_r
from shared_papers as s
inner join shared_papers as own
    on s.file_sha256_l = own.file_sha256_l
    and own.file_sha256_l = own.file_sha256_r
inner join raw_files as l on s.file_sha256_l = l.file_sha256
inner join raw_files as r on s.file_sha256_r = r.file_sha256
order by
    file_l,
    s.file_sha256_l,
    file_r,
    s.file_sha256_r
