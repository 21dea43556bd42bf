-- severity: warn
-- meaning: a paper's title is a placeholder and not a title
-- grain: one row a paper with such a title
-- The words are those of transforms/placeholders.py; a test holds the two together. "Editorial" and its like are titles.
select
    paper_id,
    title
from papers
where
    not regexp_matches(title, '[\p{L}\p{N}]')
    or regexp_full_match(
        lower(trim(title, ' .,;:-–—_*#[](){}<>/"''')),
        'n\s*/?\s*a|n\.\s*a|none|null|nil|nan|undefined|unknown|unspecified|unavailable|not (available|applicable|specified|known)'
        '|tb[ad]|to be (announced|determined|added)|title|(no|unknown) title( available)?|untitled|test|(paper )?withdrawn'
    )
order by paper_id
