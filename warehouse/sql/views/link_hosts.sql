-- title: Hosts that papers link to
-- meaning: which hosts the links of papers lead to, by kind of link; a leading www. is dropped
-- grain: one row a host and kind of link
-- column: host: the host of the address, in lower case; null where the address has none
-- column: kind: what the links lead to: code, project_page, data or other
-- column: link_count: how many links
-- column: paper_count: how many papers have such a link
-- plot: bar x=paper_count y=host color=kind
-- example: paperlake query link_hosts --limit 10
with
    hosts as (
        select
            paper_id,
            kind,
            nullif(
                regexp_replace(
                    lower(regexp_extract(url, '^(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?:[^/?#@]*@)?([^/?#:@]+)', 1)), '^www\.', ''
                ),
                ''
            ) as host
        from links
    )

select
    host,
    kind,
    count(*) as link_count,
    count(distinct paper_id) as paper_count
from hosts
group by
    host,
    kind
order by
    paper_count desc,
    link_count desc,
    host,
    kind
