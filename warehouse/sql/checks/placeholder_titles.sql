-- severity: warn
-- meaning: a paper's title is a placeholder and not a title
-- grain: one row a paper with such a title
select
    paper_id,
    title
from papers
where
    regexp_full_match(
        lower(trim(title, ' .-–—_*[]()"''')),
        'n/?a|none|null|nil|nan|undefined|unknown|untitled|no title|title|tb[ad]|test|(paper )?withdrawn|editorial|preface|foreword|'
    )
order by paper_id
