-- title: Terms rising and falling between two years
-- meaning: the words of titles and abstracts whose share of papers grew or fell most from one year to another. A word counts once a paper; words of less than three letters, stop words, addresses and mathematics are left out; growth is smoothed, so that a word of few papers does not win by chance
-- grain: one row a term, the fastest rising first, the fastest falling last
-- parameter: from_year integer = null: the year to compare from; by default the first that has 1 % of the papers with a year
-- parameter: to_year integer = null: the year to compare to; by default the last that has 1 % of the papers with a year
-- parameter: venue text = null: only papers of this venue, by its id or name in any case of letters
-- parameter: min_papers count = 5: only terms of at least so many papers of the two years
-- parameter: top count = 20: how many terms of each direction
-- column: direction: rising or falling
-- column: term: the word, in lower case
-- column: growth: the smoothed share in to_year by that in from_year: 2 is twice the share, 0.5 half of it
-- column: growth_log2: its binary logarithm: 1 is twice the share, -1 half of it
-- column: from_count: how many papers of from_year have it
-- column: to_count: how many papers of to_year have it
-- column: from_ratio: their share of the papers of from_year, 0 to 1
-- column: to_ratio: their share of the papers of to_year, 0 to 1
-- column: from_year: the year compared from
-- column: to_year: the year compared to
-- plot: bar x=growth_log2 y=term color=direction
-- example: paperlake query rising_terms --param min_papers=2 --param top=10
with
    dated_papers as (
        select
            paper_id,
            year,
            concat_ws(' ', title, abstract) as text
        from papers
        where
            year is not null
            and (title is not null or abstract is not null)
            and (
                cast($venue as varchar) is null
                or lower(cast($venue as varchar)) in (lower(venue_id), lower(venue))
            )
    ),

    year_sizes as (
        select
            year,
            count(*) as paper_count
        from dated_papers
        group by year
    ),

    usual_years as (
        select year
        from year_sizes
        where paper_count >= (select 0.01 * sum(paper_count) from year_sizes)
    ),

    compared_years as (
        select
            coalesce(cast($from_year as bigint), (select min(year) from usual_years)) as from_year,
            coalesce(cast($to_year as bigint), (select max(year) from usual_years)) as to_year
    ),

    paper_terms as (
        select
            p.year,
            unnest(
                list_distinct(
                    regexp_extract_all(
                        lower(regexp_replace(p.text, '(?:https?://|www\.)\S+|\$[^$]*\$', ' ', 'g')),
                        '\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*'
                    )
                )
            ) as term
        from dated_papers as p
        inner join compared_years as y on p.year in (y.from_year, y.to_year)
    ),

    stop_words as (
        select
            unnest(
                string_split(
                    'about above across after again against all almost alone along already also although always among and any '
                    || 'are around because been before being between both but can cannot could did does doing done down due '
                    || 'during each either else etc even ever every few first for from further furthermore get give given had '
                    || 'has have having hence her here his how however into its itself just last least less like made mainly '
                    || 'make many may might more moreover most much must namely near neither never next nor not now off often '
                    || 'one ones only onto other others otherwise our ours out over own per perhaps quite rather same second '
                    || 'several shall she should since some still such than that the their theirs them then there thereby '
                    || 'therefore these they this those though three through throughout thus together too toward towards two '
                    || 'under unless until upon use used uses using very via was way well were what when where whereas whether '
                    || 'which while who whole whom whose why will with within without would yet you your',
                    ' '
                )
            ) as term
    ),

    term_counts as (
        select
            t.term,
            count(*) filter (where t.year = y.from_year) as from_count,
            count(*) filter (where t.year = y.to_year) as to_count
        from paper_terms as t
        cross join compared_years as y
        where
            length(t.term) >= 3
            and t.term not in (select term from stop_words)
        group by t.term
        having count(*) >= cast($min_papers as bigint)
    ),

    growing_terms as (
        select
            t.term,
            ((t.to_count + 0.5e0) / (t_size.paper_count + 1)) / ((t.from_count + 0.5e0) / (f_size.paper_count + 1)) as growth,
            t.from_count,
            t.to_count,
            t.from_count / f_size.paper_count as from_ratio,
            t.to_count / t_size.paper_count as to_ratio,
            y.from_year,
            y.to_year
        from term_counts as t
        cross join compared_years as y
        inner join year_sizes as f_size on y.from_year = f_size.year
        inner join year_sizes as t_size on y.to_year = t_size.year
        where y.from_year <> y.to_year
    ),

    ranked_terms as (
        select
            *,
            row_number() over (
                order by
                    growth desc,
                    from_count + to_count desc,
                    term
            ) as rising_place,
            row_number() over (
                order by
                    growth,
                    from_count + to_count desc,
                    term
            ) as falling_place
        from growing_terms
    )

select
    case when growth > 1 then 'rising' else 'falling' end as direction,
    term,
    growth,
    log2(growth) as growth_log2,
    from_count,
    to_count,
    from_ratio,
    to_ratio,
    from_year,
    to_year
from ranked_terms
where
    (growth > 1 and rising_place <= cast($top as bigint))
    or (growth < 1 and falling_place <= cast($top as bigint))
order by
    growth desc,
    case when growth > 1 then rising_place else -falling_place end
