-- title: Rejects by reason
-- meaning: why spans, records or whole files could not become clean records
-- grain: one row a stage and reason
-- column: stage: whether reading (stage) or cleaning (clean) refused it
-- column: reason: why, as a short code
-- column: reject_count: how many rejects
-- column: file_count: in how many raw files
-- column: message: what is said of one of them
-- plot: bar x=reject_count y=reason color=stage
-- example: paperlake query rejects_by_reason
select
    stage,
    reason,
    count(*) as reject_count,
    count(distinct file_sha256) as file_count,
    min(message) as message
from rejects
group by
    stage,
    reason
order by
    reject_count desc,
    stage,
    reason
