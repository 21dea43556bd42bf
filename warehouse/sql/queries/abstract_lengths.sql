-- title: Abstract lengths
-- meaning: how many abstracts have a length within each range of characters; ranges without one are left out
-- grain: one row a range of lengths that holds an abstract
-- parameter: bin_characters count = 250: how wide a range is, in characters
-- parameter: venue text = null: only abstracts of this venue, by its id or name in any case of letters
-- column: length_from: the least length of the range, in characters
-- column: length_to: the greatest length of the range, in characters
-- column: paper_count: how many papers have an abstract of such a length
-- plot: bar x=length_from y=paper_count
-- example: paperlake query abstract_lengths --param bin_characters=500 --plot
with
    bins as (
        select length(abstract) // cast($bin_characters as bigint) as bin
        from papers
        where
            abstract is not null
            and (
                cast($venue as varchar) is null
                or lower(cast($venue as varchar)) in (lower(venue_id), lower(venue))
            )
    )

select
    bin * cast($bin_characters as bigint) as length_from,
    (bin + 1) * cast($bin_characters as bigint) - 1 as length_to,
    count(*) as paper_count
from bins
group by bin
order by length_from
