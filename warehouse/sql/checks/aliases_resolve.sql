-- severity: error
-- meaning: a paper id once published does not lead to a current paper, or is one itself
-- grain: one row an alias that leads wrong
select
    a.paper_id,
    a.current_paper_id,
    a.reason,
    is_paper.paper_id is not null as is_current
from paper_aliases as a
left join papers as is_paper on is_paper.paper_id = a.paper_id
left join papers as target on target.paper_id = a.current_paper_id
where
    is_paper.paper_id is not null
    or (a.current_paper_id is not null and target.paper_id is null)
    or (a.current_paper_id is null) <> (a.reason = 'gone')
order by a.paper_id
