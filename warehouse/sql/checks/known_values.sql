-- severity: error
-- meaning: a column holds a word that its meaning does not list
-- grain: one row a table, column and unknown word
with unknown as (
    select 'papers' as table_name, 'decision' as column_name, decision as value
    from papers
    where decision not in ('oral', 'spotlight', 'poster', 'accepted', 'rejected', 'withdrawn', 'desk_rejected')
    union all
    select 'links', 'kind', kind
    from links
    where kind not in ('code', 'project_page', 'data', 'other')
    union all
    select 'record_notes', 'note', note
    from record_notes
    where note not in ('placeholder', 'serial', 'cut', 'unreadable')
    union all
    select 'paper_matches', 'status', status
    from paper_matches
    where status not in ('match', 'version', 'possible', 'no')
    union all
    select 'paper_matches', 'relation', relation
    from paper_matches
    where relation not in (
        'version_of', 'preprint_of', 'has_preprint', 'correction_of', 'has_correction', 'comment_on', 'has_comment',
        'translation_of', 'other_part_of'
    )
    union all
    select 'paper_relations', 'relation', relation
    from paper_relations
    where relation not in (
        'version_of', 'preprint_of', 'has_preprint', 'correction_of', 'has_correction', 'comment_on', 'has_comment',
        'translation_of', 'other_part_of'
    )
    union all
    select 'paper_aliases', 'reason', reason
    from paper_aliases
    where reason not in ('merged', 'split', 'renamed', 'gone')
    union all
    select 'rejects', 'stage', stage
    from rejects
    where stage not in ('stage', 'clean')
    union all
    select 'raw_files', 'verdict', verdict
    from raw_files
    where verdict not in ('read', 'not_a_paper_list', 'unreadable')
    union all
    select 'raw_files', 'compression', compression
    from raw_files
    where compression not in ('gzip', 'bzip2', 'xz', 'zstd')
    union all
    select 'column_map', 'decided_by', decided_by
    from column_map
    where decided_by not in ('config', 'format', 'shape', 'name', 'unknown')
    union all
    select 'control_totals', 'verdict', verdict
    from control_totals
    where verdict not in ('met', 'partial', 'contradicted')
)
select
    table_name,
    column_name,
    value,
    count(*) as row_count
from unknown
group by
    table_name,
    column_name,
    value
order by
    table_name,
    column_name,
    value
