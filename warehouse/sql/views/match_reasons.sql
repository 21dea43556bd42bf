-- title: Match reasons
-- meaning: how many pairs of records each rule or veto of matching decided, and how alike their titles are
-- grain: one row a status and reason
-- column: status: one paper (match), one work (version), not merged (possible), or vetoed (no)
-- column: reason: the rule or veto by name
-- column: pair_count: how many pairs of records
-- column: title_ratio_mean: their mean likeness of titles, 0 to 1; null where no pair has two titles
-- column: title_ratio_min: their least likeness of titles
-- plot: bar x=pair_count y=reason color=status
-- example: paperlake query match_reasons --plot
select
    status,
    reason,
    count(*) as pair_count,
    round(avg(title_ratio), 6) as title_ratio_mean,
    min(title_ratio) as title_ratio_min
from paper_matches
group by
    status,
    reason
order by
    status,
    pair_count desc,
    reason
