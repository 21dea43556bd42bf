-- severity: error
-- meaning: a relation between two papers lacks its inverse, relates a paper to itself, or joins papers of two works
-- grain: one row a relation that is wrong, and what is wrong with it
-- The inverses are those of RELATIONS in transforms/schemas.py; a test holds the two together.
with
    inverses as (
        select
            relation,
            inverse
        from (
            values
                ('version_of', 'version_of'),
                ('preprint_of', 'has_preprint'),
                ('has_preprint', 'preprint_of'),
                ('correction_of', 'has_correction'),
                ('has_correction', 'correction_of'),
                ('comment_on', 'has_comment'),
                ('has_comment', 'comment_on'),
                ('translation_of', 'translation_of'),
                ('other_part_of', 'other_part_of')
        ) as named (relation, inverse)
    ),
    one_sided as (
        select
            r.paper_id,
            r.relation,
            r.other_paper_id,
            'no inverse' as fault
        from paper_relations as r
        join inverses as i on i.relation = r.relation
        anti join paper_relations as back
            on back.paper_id = r.other_paper_id
            and back.relation = i.inverse
            and back.other_paper_id = r.paper_id
    ),
    to_itself as (
        select
            paper_id,
            relation,
            other_paper_id,
            'to itself' as fault
        from paper_relations
        where paper_id = other_paper_id
    ),
    of_two_works as (
        select
            r.paper_id,
            r.relation,
            r.other_paper_id,
            'two works' as fault
        from paper_relations as r
        join papers as p on p.paper_id = r.paper_id
        join papers as o on o.paper_id = r.other_paper_id
        where p.work_id <> o.work_id
    )
select
    paper_id,
    relation,
    other_paper_id,
    fault
from one_sided
union all
select
    paper_id,
    relation,
    other_paper_id,
    fault
from to_itself
union all
select
    paper_id,
    relation,
    other_paper_id,
    fault
from of_two_works
order by
    paper_id,
    relation,
    other_paper_id,
    fault
